//! Null vectors over GF(2): what `floors.rs` does for residues, for [`PACKED`] vectors at a time, a bit for each.

use super::floors::{Floors, Free, Wanted};
use super::vectors::NullVectors;
use crate::decomposition::Level;
use crate::dense::Reduced;
use crate::pivots::Pivots;
use crate::schur::BitLift;
use crate::sparse::SparseMatrix;
use crate::spmv::{BitSpace, Bits, PACKED};
use crate::{Error, Result, memory};
use rand::RngExt;

/// What the memory is for.
const LINES: &str = "the lines of a null space";
const VECTORS: &str = "null vectors";
/// Rows of T that are read at a time.
const PART: usize = 64;

/// The floors of a matrix over GF(2).
pub(super) type PackedFloors = Floors<BitLift>;

/// Working space of a thread.
#[derive(Default)]
pub(in crate::answers) struct PackedRoom {
    spaces: Vec<BitSpace>,
    slots: Vec<u32>,
    /// The lines in which vectors have entries, and these.
    cols: Vec<u32>,
    x: Vec<Bits>,
}

impl PackedRoom {
    fn push(&mut self, col: u32, x: &Bits) -> Result<()> {
        memory::push(&mut self.cols, col, LINES)?;
        memory::push(&mut self.x, *x, VECTORS)
    }
}

/// Bit `lane` alone.
fn unit(lane: usize) -> Bits {
    let mut x = Bits::default();
    x[lane / 64] = 1 << (lane % 64);
    x
}

fn add(sum: &mut Bits, x: &Bits) {
    sum.iter_mut().zip(x).for_each(|(sum, x)| *sum ^= x);
}

impl PackedFloors {
    /// As [`Floors::new`], with the row space of what is left.
    pub fn packed(
        steps: Vec<Level>,
        left: (SparseMatrix, Pivots),
        space: Reduced,
        names: Vec<u32>,
        free: &mut Vec<Free>,
    ) -> Result<Self> {
        Floors::by(BitLift::new, steps, left, Some(space), names, true, free)
    }

    /// Null vectors from number `first` on, at most [`PACKED`], their coordinates as `names` has them.
    ///
    /// # Errors
    /// [`Error::Check`] if some row of A does not map them to zero, [`Error::Memory`].
    pub fn packed_vectors(
        &self,
        mut wanted: Wanted<'_>,
        first: usize,
        names: &[u32],
        room: &mut PackedRoom,
    ) -> Result<NullVectors> {
        room.cols.clear();
        room.x.clear();
        while room.spaces.len() < self.floors.len() {
            room.spaces.push(self.floors[room.spaces.len()].lift.space()?);
        }
        for (number, floor) in self.floors.iter().enumerate().rev() {
            if number + 1 == self.floors.len() {
                self.give_space(&mut wanted, room)?;
            } else {
                room.cols.iter_mut().for_each(|j| *j = floor.down[*j as usize]);
                give(&mut wanted, Some(number as u32), room, |free| free.place)?;
            }
            let PackedRoom { spaces, slots, cols, x } = &mut *room;
            let space = &mut spaces[number];
            cols.iter().zip(&*x).for_each(|(&j, x)| floor.lift.give(space, j, x));
            let failed = floor.lift.complete(space, slots, |j, w| {
                memory::push(cols, j, LINES)?;
                memory::push(x, *w, VECTORS)
            })?;
            if !failed.is_empty() {
                let rows = failed.len();
                return Err(Error::Check(format!("vectors of the kernel are not mapped to zero by {rows} rows")));
            }
        }
        room.cols.iter_mut().for_each(|j| *j = names[*j as usize]);
        of_empty(wanted, first, room)
    }

    /// Null vectors of what is left, on the columns of the last floor: T·X, and X itself.
    fn give_space(&self, wanted: &mut Wanted<'_>, room: &mut PackedRoom) -> Result<()> {
        let space = self.space.as_ref().expect("packed floors have a row space");
        let col = |j: u32| self.cols[j as usize];
        give(wanted, Some(self.floors.len() as u32 - 1), room, |free| free.place)?;
        let given = room.cols.len();
        for rows in (0..space.rank()).step_by(PART).map(|start| start..space.rank().min(start + PART)) {
            let table = space.columns_of_rows(rows.clone(), &room.cols[..given])?;
            for (row, i) in table.chunks_exact(given.max(1)).zip(rows) {
                let mut sum = Bits::default();
                row.iter().zip(&room.x[..given]).filter(|(t, _)| **t != 0).for_each(|(_, x)| add(&mut sum, x));
                if sum != Bits::default() {
                    room.push(col(space.pivot_cols()[i]), &sum)?;
                }
            }
        }
        room.cols[..given].iter_mut().for_each(|f| *f = col(space.free_cols()[*f as usize]));
        Ok(())
    }
}

/// Gives the coordinates in the free columns of a floor, on which they are called `name`.
fn give(wanted: &mut Wanted<'_>, floor: Option<u32>, room: &mut PackedRoom, name: impl Fn(&Free) -> u32) -> Result<()> {
    for (lane, free) in wanted.units.iter().enumerate().filter(|(_, free)| free.floor == floor) {
        room.push(name(free), &unit(lane))?;
    }
    if let Some((those, rng)) = &mut wanted.random {
        let mut mask = Bits::default();
        (0..wanted.count).for_each(|lane| add(&mut mask, &unit(lane)));
        for free in those.iter().filter(|free| free.floor == floor) {
            room.push(name(free), &mask.map(|mask| mask & rng.random::<u64>()))?;
        }
    }
    Ok(())
}

/// The vectors, from their entries in the columns that are not empty, those of the room.
fn of_empty(mut wanted: Wanted<'_>, first: usize, room: &mut PackedRoom) -> Result<NullVectors> {
    debug_assert!(wanted.count <= PACKED);
    give(&mut wanted, None, room, |free| free.col)?;
    NullVectors::of_bits(first, wanted.count, &room.cols, &room.x)
}
