//! Combinations of rows (or columns) of S, made by a recurrence and absorbed by an echelon form.

use crate::dense::Echelon;
use crate::spmv::{Block, Lanes, Recurrence};
use crate::{Observer, Result};
use rayon::prelude::*;
use std::sync::Mutex;

/// Combinations made at once by one thread: two cache lines of 16-bit residues hold two rows.
pub(super) const LANES: usize = 32;
/// Rows that are computed before they are absorbed.
const PANEL: usize = 256;

/// Working space of [`absorb`], kept from one call to the next: memory fresh from the system costs as much as the
/// combinations themselves where S is small.
pub(super) struct Room {
    /// Those of the combinations.
    cols: usize,
    /// Blocks that the recurrence in use runs in.
    spare: Spare<Block>,
    /// A panel of the dense elimination.
    rows: Option<Block>,
}

impl Room {
    /// Room for combinations with so many columns, all made by the same recurrence.
    pub(super) fn new(cols: usize) -> Self {
        Room { cols, spare: Spare::default(), rows: None }
    }
}

/// Things that are costly to make and used by one thread at a time.
#[derive(Debug)]
pub(super) struct Spare<T>(Mutex<Vec<T>>);

impl<T> Default for Spare<T> {
    fn default() -> Self {
        Spare(Mutex::default())
    }
}

impl<T> Spare<T> {
    /// What `use_it` makes of the last one that was given back, if it `fits`, or of a new one.
    ///
    /// # Errors
    /// Those of `make`.
    pub(super) fn lend<R>(
        &self,
        fits: impl Fn(&T) -> bool,
        make: impl FnOnce() -> Result<T>,
        use_it: impl FnOnce(&mut T) -> R,
    ) -> Result<R> {
        let last = self.0.lock().expect("no holder panics").pop();
        let mut one = match last.filter(fits) {
            Some(one) => one,
            None => make()?,
        };
        let result = use_it(&mut one);
        self.0.lock().expect("no holder panics").push(one);
        Ok(result)
    }
}

/// Writes unit vectors, one for each of some numbers, into the first `height` rows of a block: what [`absorb`] wants in order
/// to take lines of S as they are.
pub(super) fn units(height: usize) -> impl Fn(&mut Block, &&[u32]) -> Result<()> + Sync {
    move |y, lines| {
        y.clear(0..height);
        lines.iter().enumerate().for_each(|(lane, &i)| y.set(i as usize, lane, 1));
        Ok(())
    }
}

/// Adds what `program` makes of `lanes` vectors for each of `blocks`, several at a time in parallel: Yᵀ·S for the backward
/// program of a split, (S·X)ᵀ for the forward one. `fill` writes Y (or X) into the first rows of a block.
pub(super) fn absorb<B: Sync>(
    program: &Recurrence,
    lanes: usize,
    blocks: &[B],
    fill: impl Fn(&mut Block, &B) -> Result<()> + Sync,
    room: &mut Room,
    echelon: &mut Echelon,
    observer: &dyn Observer,
) -> Result<()> {
    let (lane, height) = (program.lane(), program.inputs() + program.rows());
    let (spare, rows, cols) = (&room.spare, &mut room.rows, room.cols);
    for group in blocks.chunks(PANEL / LANES) {
        observer.check()?;
        let count = lanes * group.len();
        // One panel of the dense elimination.
        let panel = match rows.take() {
            Some(panel) if panel.rows() >= count => panel,
            _ => Block::zeros(lane, count, cols)?,
        };
        let panel = rows.insert(panel);
        macro_rules! absorb {
            ($($lane:ident)*) => {
                match &mut panel.lanes {
                    $(Lanes::$lane(panel) => {
                        let panel = &mut panel[..count * cols];
                        panel.par_chunks_mut((lanes * cols).max(1)).zip(group).try_for_each(|(to, block)| {
                            let fits = |w: &Block| (w.lane(), w.rows(), w.width()) == (lane, height, lanes);
                            spare.lend(fits, || Block::zeros(lane, height, lanes), |w| {
                                fill(w, block)?;
                                program.run(w);
                                let Lanes::$lane(from) = &w.lanes else { unreachable!("the lane of the program") };
                                transpose(&from[(height - cols) * lanes..], lanes, to);
                                Ok(())
                            })?
                        })?;
                        echelon.absorb_block(count, panel, observer)?;
                    })*
                    Lanes::F32(_) | Lanes::F64(_) => unreachable!("recurrences have integer lanes"),
                }
            };
        }
        absorb!(U8 U16 U32 U64);
    }
    Ok(())
}

/// Writes the transpose of rows of `width` entries.
fn transpose<T: Copy>(from: &[T], width: usize, to: &mut [T]) {
    let count = from.len() / width;
    for (i, row) in from.chunks_exact(width).enumerate() {
        row.iter().enumerate().for_each(|(l, &x)| to[l * count + i] = x);
    }
}
