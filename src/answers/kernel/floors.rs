//! The way from the null vectors of what is left up to those of A, one Schur complement after the other.

use super::BLOCK;
use super::vectors::NullVectors;
use crate::decomposition::Level;
use crate::dense::{Reduced, gemm};
use crate::field::{Modulus, Rng};
use crate::pivots::Pivots;
use crate::schur::{Lift, Split};
use crate::sparse::SparseMatrix;
use crate::spmv::{Block, PushSpace};
use crate::{Error, Result, memory};
use rand::RngExt;

/// What the memory is for.
const LINES: &str = "the lines of a null space";
const VECTORS: &str = "null vectors";
/// Columns of T that are read at a time.
const PART: usize = 512;

/// A column without a pivot, to which a null vector belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::answers) struct Free {
    /// The column of A.
    pub col: u32,
    /// The floor on which it is free; none for an empty column.
    pub(super) floor: Option<u32>,
    /// Its number there: a column, or on the last floor one of the free columns of T.
    pub(super) place: u32,
}

impl Free {
    /// No column at all.
    pub const NONE: Free = Free { col: u32::MAX, floor: Some(u32::MAX), place: 0 };

    /// An empty column of A.
    pub fn empty(col: u32) -> Self {
        Free { col, floor: None, place: 0 }
    }
    /// Whether it is one.
    pub fn is_empty(&self) -> bool {
        self.floor.is_none()
    }
}

/// The pivots of A or of a complement.
#[derive(Debug)]
pub(super) struct Floor<L> {
    pub lift: L,
    /// The column of each of those one floor further down.
    pub down: Vec<u32>,
}

/// All floors of a matrix without empty columns, that of A first; vectors are lifted by L.
#[derive(Debug)]
pub(in crate::answers) struct Floors<L = Lift> {
    pub(super) modulus: Modulus,
    pub(super) floors: Vec<Floor<L>>,
    /// On the last floor: the columns without a pivot, and the row space of what is left in them; `None` where null
    /// vectors of that are given.
    pub(super) cols: Vec<u32>,
    pub(super) space: Option<Reduced>,
}

/// Vectors that are given on the last floor.
#[derive(Clone, Copy)]
pub(in crate::answers) struct Given<'k> {
    /// One row for each of the first columns there.
    pub block: &'k Block,
    /// Which of its vectors each lane is, if it is one.
    pub lanes: &'k [Option<u32>],
}

/// Which null vectors, at most [`BLOCK`].
pub(in crate::answers) struct Wanted<'k> {
    pub count: usize,
    /// Vector k is 1 in number k of these columns and 0 in the others.
    pub units: &'k [Free],
    /// All of them are random in these, and 0 in all other free columns.
    pub random: Option<(&'k [Free], Rng)>,
    /// What is added to these on the last floor, where it has no row space.
    pub given: Option<Given<'k>>,
}

/// Working space of a thread.
#[derive(Default)]
pub(in crate::answers) struct Room {
    spaces: Vec<PushSpace>,
    slots: Vec<u32>,
    /// The lines in which vectors have entries, and these.
    cols: Vec<u32>,
    x: Vec<[u64; BLOCK]>,
    /// The same for empty columns: of each vector that is wanted one entry.
    empty: Vec<u32>,
    of_empty: Vec<u64>,
}

impl Room {
    fn clear(&mut self) {
        let Room { cols, x, empty, of_empty, .. } = self;
        [cols, empty].into_iter().for_each(Vec::clear);
        x.clear();
        of_empty.clear();
    }
    fn push(&mut self, col: u32, x: [u64; BLOCK]) -> Result<()> {
        memory::push(&mut self.cols, col, LINES)?;
        memory::push(&mut self.x, x, VECTORS)
    }
}

impl<L> Floors<L> {
    /// The floors of a matrix, of which `steps` are formed complements and `left` with its pivots what is not; `space`
    /// is the row space of their complement, if it is known. Its columns are `names` elsewhere; those that are free are
    /// added to `free`. Whether vectors are multiplied by the rows of A without a pivot is up to `checked`, which
    /// `lift` is told.
    pub fn by(
        lift: impl Fn(&Split<'_>, bool) -> Result<L>,
        steps: Vec<Level>,
        (left, pivots): (SparseMatrix, Pivots),
        space: Option<Reduced>,
        mut names: Vec<u32>,
        checked: bool,
        free: &mut Vec<Free>,
    ) -> Result<Self> {
        let (modulus, mut floors) = (left.modulus(), memory::with_capacity(steps.len() + 1, LINES)?);
        for level in steps {
            let floor = Some(floors.len() as u32);
            let split = Split::new(&level.matrix, &level.pivots)?;
            let lift = lift(&split, checked && floors.is_empty())?;
            let mut rest = level.rest.cols.iter().peekable();
            for &place in &split.cols {
                if rest.next_if_eq(&&place).is_none() {
                    memory::push(free, Free { col: names[place as usize], floor, place }, LINES)?;
                }
            }
            names = memory::collect(level.rest.cols.iter().map(|&j| names[j as usize]), LINES)?;
            floors.push(Floor { lift, down: level.rest.cols });
        }
        let split = Split::new(&left, &pivots)?;
        let (floor, cols) = (Some(floors.len() as u32), memory::copy(&split.cols, LINES)?);
        for (&j, place) in space.iter().flat_map(Reduced::free_cols).zip(0..) {
            memory::push(free, Free { col: names[cols[j as usize] as usize], floor, place }, LINES)?;
        }
        floors.push(Floor { lift: lift(&split, checked && floors.is_empty())?, down: vec![] });
        Ok(Floors { modulus, floors, cols, space })
    }
}

impl Floors {
    /// [`Floors::by`] residues.
    pub fn new(
        steps: Vec<Level>,
        left: (SparseMatrix, Pivots),
        space: Option<Reduced>,
        names: Vec<u32>,
        checked: bool,
        free: &mut Vec<Free>,
    ) -> Result<Self> {
        Floors::by(Lift::new, steps, left, space, names, checked, free)
    }

    /// The last columns without a pivot on the last floor, where it has no row space, as `names` has them: vectors may
    /// be 1 there.
    pub fn last_of_core(&self, count: usize, names: &[u32]) -> Result<Vec<Free>> {
        let floor = Some(self.floors.len() as u32 - 1);
        let first = self.cols.len() - count;
        let free = |place: usize| {
            let below = self.floors.iter().rev().skip(1);
            let col = below.fold(self.cols[place], |j, floor| floor.down[j as usize]);
            Free { col: names[col as usize], floor, place: place as u32 }
        };
        memory::collect((first..self.cols.len()).map(free), LINES)
    }

    /// Null vectors from number `first` on, their coordinates as `names` has them.
    ///
    /// # Errors
    /// [`Error::Check`] if some row of A does not map them to zero, [`Error::Memory`].
    pub fn vectors(&self, mut wanted: Wanted<'_>, first: usize, names: &[u32], room: &mut Room) -> Result<NullVectors> {
        room.clear();
        while room.spaces.len() < self.floors.len() {
            room.spaces.push(self.floors[room.spaces.len()].lift.space()?);
        }
        for (number, floor) in self.floors.iter().enumerate().rev() {
            if number + 1 == self.floors.len() {
                self.give_core(&mut wanted, room)?;
            } else {
                room.cols.iter_mut().for_each(|j| *j = floor.down[*j as usize]);
                give(self.modulus, &mut wanted, Some(number as u32), room, |free| free.place)?;
            }
            let Room { spaces, slots, cols, x, .. } = room;
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
        finish(self.modulus, wanted, first, room)
    }

    /// Null vectors of what is left, on the columns of the last floor.
    fn give_core(&self, wanted: &mut Wanted<'_>, room: &mut Room) -> Result<()> {
        let Floors { modulus, cols, .. } = self;
        let last = Some(self.floors.len() as u32 - 1);
        let col = |j: u32| cols[j as usize];
        let Some(space) = &self.space else {
            if let Some(Given { block, lanes }) = wanted.given {
                for i in 0..block.rows() {
                    let mut x = [0; BLOCK];
                    let given = lanes.iter().enumerate().filter_map(|(lane, &of)| Some((lane, of?)));
                    given.for_each(|(lane, of)| x[lane] = block.get(i, of as usize));
                    if x != [0; BLOCK] {
                        room.push(col(i as u32), x)?;
                    }
                }
            }
            return give(*modulus, wanted, last, room, |free| col(free.place));
        };
        if wanted.random.is_some() {
            give(*modulus, wanted, last, room, |free| free.place)?;
            let mut x = memory::zeros::<[u64; BLOCK]>(space.free_cols().len(), VECTORS)?;
            room.cols.drain(..).zip(room.x.drain(..)).for_each(|(f, given)| {
                x[f as usize].iter_mut().zip(given).for_each(|(x, given)| *x = modulus.add(*x, given));
            });
            let sums = times_table(*modulus, space, &x)?;
            let (pivots, free) = (space.pivot_cols().iter().zip(&sums), space.free_cols().iter().zip(&x));
            return pivots.chain(free).try_for_each(|(&j, x)| room.push(col(j), *x));
        }
        let here = wanted.units.iter().zip(0..).filter(|(free, _)| free.floor == last);
        let (places, lanes): (Vec<u32>, Vec<usize>) = here.map(|(free, lane)| (free.place, lane)).unzip();
        let table = space.columns(&places)?;
        for (row, &j) in table.chunks_exact(places.len().max(1)).zip(space.pivot_cols()) {
            if row.iter().any(|&t| t != 0) {
                let mut x = [0; BLOCK];
                lanes.iter().zip(row).for_each(|(&lane, &t)| x[lane] = modulus.neg(t));
                room.push(col(j), x)?;
            }
        }
        give(*modulus, wanted, last, room, |free| col(space.free_cols()[free.place as usize]))
    }
}

/// -T·X, for all free columns of what is left.
fn times_table(p: Modulus, space: &Reduced, x: &[[u64; BLOCK]]) -> Result<Vec<[u64; BLOCK]>> {
    let mut sums = memory::zeros::<[u64; BLOCK]>(space.rank(), VECTORS)?;
    let mut part = memory::zeros::<[u64; BLOCK]>(space.rank(), VECTORS)?;
    for (number, x) in x.chunks(PART).enumerate() {
        let start = number * PART;
        let t = space.column_block(start..start + x.len())?;
        gemm(p, space.rank(), x.len(), BLOCK, &t, x.as_flattened(), part.as_flattened_mut())?;
        let sums = sums.as_flattened_mut().iter_mut().zip(part.as_flattened());
        sums.for_each(|(sum, &x)| *sum = p.sub(*sum, x));
    }
    Ok(sums)
}

/// Gives the coordinates in the free columns of a floor, on which they are called `name`.
fn give(
    p: Modulus,
    wanted: &mut Wanted<'_>,
    floor: Option<u32>,
    room: &mut Room,
    name: impl Fn(&Free) -> u32,
) -> Result<()> {
    for (lane, free) in wanted.units.iter().enumerate().filter(|(_, free)| free.floor == floor) {
        let mut x = [0; BLOCK];
        x[lane] = 1;
        room.push(name(free), x)?;
    }
    if let Some((those, rng)) = &mut wanted.random {
        for free in those.iter().filter(|free| free.floor == floor) {
            let mut x = [0; BLOCK];
            x[..wanted.count].iter_mut().for_each(|x| *x = rng.random_range(0..p.get()));
            room.push(name(free), x)?;
        }
    }
    Ok(())
}

/// Null vectors of a matrix without entries.
pub(super) fn empty(p: Modulus, wanted: Wanted<'_>, first: usize, room: &mut Room) -> Result<NullVectors> {
    room.clear();
    finish(p, wanted, first, room)
}

/// The vectors, from their entries in the columns that are not empty.
fn finish(p: Modulus, mut wanted: Wanted<'_>, first: usize, room: &mut Room) -> Result<NullVectors> {
    // There may be many empty columns, but few vectors.
    if let Some((those, rng)) = &mut wanted.random.take() {
        let count = those.iter().filter(|free| free.is_empty()).count();
        memory::reserve(&mut room.empty, count, LINES)?;
        memory::reserve(&mut room.of_empty, count * wanted.count, VECTORS)?;
        for free in those.iter().filter(|free| free.is_empty()) {
            room.empty.push(free.col);
            room.of_empty.extend((0..wanted.count).map(|_| rng.random_range(0..p.get())));
        }
    }
    give(p, &mut wanted, None, room, |free| free.col)?;
    NullVectors::of(first, wanted.count, (&room.cols, &room.x), (&room.empty, &room.of_empty))
}
