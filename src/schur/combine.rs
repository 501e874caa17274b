//! Combinations of rows (or columns) of S, made by a triangular solve and absorbed by an echelon form. Over GF(2) 512
//! of them at once, a bit each.

use super::fold::{Fold, transpose};
use super::kept::{Kept, absorb_rows};
use super::{SharedSolve, Split};
use crate::dense::Echelon;
use crate::field::{Modulus, Rng};
use crate::parallel::{self, Each};
use crate::spare::Spare;
use crate::spmv::{Block, LANES, Lanes, TriangularSolve};
use crate::{Error, Observer, Result, memory};
use rayon::prelude::*;

/// Rows that are computed before they are absorbed.
const PANEL: usize = 256;
/// The same on several threads where two such panels take no more than some bytes, so that one is made while the other
/// is absorbed: panels enough for the dense elimination to overlap, and half of the most combinations of a batch.
const SHORT: usize = 512;
const SHORT_BYTES: usize = 64 << 20;

/// Rows of so many columns, of residues of so many bytes, that are computed before they are absorbed, and how many
/// times so many are there at once. Which of them are kept does not depend on it.
pub(super) fn rows_at_once(threads: usize, cols: usize, bytes: usize) -> [usize; 2] {
    let is_short = threads > 1 && (2 * SHORT).saturating_mul(cols).saturating_mul(bytes) <= SHORT_BYTES;
    let (least, panels) = if is_short { (SHORT, 2) } else { (PANEL, 1) };
    [least.max(PANEL * threads.div_ceil(PANEL / LANES)), panels]
}

/// Working space of [`absorb`], kept from one call to the next: memory fresh from the system costs as much as the
/// combinations themselves where S is small.
pub(super) struct Room {
    /// Those of the combinations.
    cols: usize,
    /// What they are folded by, and the rows of a wider sketch.
    fold: Option<(Fold, Kept)>,
    /// Blocks that the solve in use runs in.
    spare: Spare<Block>,
    /// Panels of the dense elimination: one, and the next if that is made at the same time.
    panels: Vec<Block>,
}

impl Room {
    /// Room for combinations with so many columns, all made by the same solve.
    pub(super) fn new(cols: usize) -> Self {
        Room { cols, fold: None, spare: Spare::default(), panels: vec![] }
    }
}

/// Writes unit vectors, one for each of some numbers, into the first `height` rows of a block: what [`absorb`] wants in
/// order to take lines of S as they are.
pub(super) fn units(height: usize) -> impl Fn(&mut Block, &&[u32]) -> Result<()> + Sync {
    move |y, lines| {
        y.clear(0..height);
        lines.iter().enumerate().for_each(|(lane, &i)| y.set(i as usize, lane, 1));
        Ok(())
    }
}

/// Adds what `program` makes of `lanes` vectors for each of `blocks`, several at a time in parallel: Yᵀ·S for the
/// backward program of a split, (S·X)ᵀ for the forward one. `fill` writes Y (or X) into the first rows of a block.
pub(super) fn absorb<B: Sync>(
    program: &TriangularSolve,
    lanes: usize,
    blocks: &[B],
    fill: impl Fn(&mut Block, &B) -> Result<()> + Sync,
    room: &mut Room,
    echelon: &mut Echelon,
    observer: &dyn Observer,
) -> Result<()> {
    let Room { spare, panels, cols, fold } = room;
    let (fold, mut kept) = match fold {
        Some((fold, kept)) => (Some(&*fold), Some(kept)),
        None => (None, None),
    };
    let widest = kept.as_ref().map_or(*cols, |kept| kept.width());
    let [at_once, held] = rows_at_once(rayon::current_num_threads(), widest, program.lane().bytes());
    let groups = blocks.chunks(at_once / LANES);
    let mut take_in = |Panel { rows, count, keeps }: &Panel, kept: &mut Option<&mut Kept>| match (fold, kept) {
        (Some(fold), Some(kept)) if *keeps => {
            kept.absorb(program.modulus(), (rows, *count), fold.width(), echelon, observer)
        }
        _ => absorb_rows(rows, *count, echelon, observer),
    };
    // The next panel is made while one is absorbed: threads that have nothing to do in a dense elimination have blocks
    // to solve.
    let mut waiting = None::<Panel>;
    for group in groups {
        let count = lanes * group.len();
        let keeps = kept.as_ref().is_some_and(|kept| kept.room(program.lane()) > 0);
        let width = fold.map_or(*cols, |fold| if keeps { widest } else { fold.width() });
        let spared = panels.pop().filter(|panel| panel.rows() >= count && panel.width() == width);
        let make = || {
            let mut rows = spared.map_or_else(|| Block::zeros(program.lane(), count, width), Ok)?;
            make_rows(program, lanes, group, &fill, (*cols, fold), spare, &mut rows, observer)?;
            Ok::<_, Error>(Panel { rows, count, keeps })
        };
        let made = match waiting.take() {
            Some(panel) => {
                let (made, taken) = parallel::join(make, || take_in(&panel, &mut kept));
                panels.push(panel.rows);
                taken?;
                made?
            }
            None => make()?,
        };
        if held > 1 {
            waiting = Some(made);
        } else {
            take_in(&made, &mut kept)?;
            panels.push(made.rows);
        }
    }
    if let Some(panel) = waiting {
        take_in(&panel, &mut kept)?;
        panels.push(panel.rows);
    }
    Ok(())
}

/// Rows on their way to an echelon form.
struct Panel {
    rows: Block,
    /// How many of its rows there are.
    count: usize,
    /// Whether they are wide, for those that are independent to be kept.
    keeps: bool,
}

/// Writes what `program` makes of `lanes` vectors for each block of a group into the first of `rows`: all of `cols`
/// columns, or these folded to as many as `rows` has.
#[allow(clippy::too_many_arguments, reason = "a part of `absorb`")]
fn make_rows<B: Sync>(
    program: &TriangularSolve,
    lanes: usize,
    group: &[B],
    fill: &(impl Fn(&mut Block, &B) -> Result<()> + Sync),
    (cols, fold): (usize, Option<&Fold>),
    spare: &Spare<Block>,
    rows: &mut Block,
    observer: &dyn Observer,
) -> Result<()> {
    let (lane, height) = (program.lane(), program.inputs() + program.rows());
    let width = rows.width();
    macro_rules! make {
        ($($lane:ident)*) => {
            match &mut rows.lanes {
                $(Lanes::$lane(rows) => {
                    let rows = &mut rows[..lanes * group.len() * width];
                    rows.par_chunks_mut((lanes * width).max(1)).zip(group).try_each(|(to, block)| {
                        observer.check()?;
                        let fits = |w: &Block| (w.lane(), w.rows(), w.width()) == (lane, height, lanes);
                        spare.lend(fits, || Block::zeros(lane, height, lanes), |w| {
                            fill(w, block)?;
                            program.run(w);
                            let Lanes::$lane(from) = &w.lanes else { unreachable!("the lane of the program") };
                            let outputs = &from[(height - cols) * lanes..];
                            match fold {
                                None => transpose(outputs, lanes, to),
                                Some(fold) => {
                                    let mut sums = memory::zeros(width * lanes, "sums of a sketch")?;
                                    fold.fold(program.modulus(), width, outputs, lanes, &mut sums, to);
                                }
                            }
                            Ok(())
                        })?
                    })
                })*
                Lanes::F32(_) | Lanes::F64(_) => unreachable!("triangular solves have integer lanes"),
            }
        };
    }
    make!(U8 U16 U32 U64)
}

/// A combination of rows of S: their numbers and coefficients.
pub(super) type Combination = Vec<(u32, u64)>;

/// What a block of vectors y is, of which yᵀ·S is wanted.
pub(super) enum Vectors<'a> {
    /// Random ones to explore with, from this stream.
    Roughly(Rng),
    /// Uniformly random ones, at least so many.
    Uniform(Rng, usize),
    /// Unit vectors: rows of S as they are.
    Units(&'a [u32]),
    /// Combinations of a few rows each.
    Few(&'a [Combination]),
}

/// Packed blocks that are made at once: a panel of the elimination over GF(2).
const PACKED_BLOCKS: usize = 4;
/// Words of a row of a packed block.
const WORDS: usize = Echelon::PACKED / TriangularSolve::PACKED;

/// Makes combinations of rows of S, and hands them to an echelon form.
pub(super) struct Mixer {
    program: SharedSolve,
    packed: bool,
    room: Room,
}

impl Mixer {
    /// # Errors
    /// [`crate::Error::Memory`].
    pub(super) fn new(split: &Split) -> Result<Self> {
        let packed = Self::is_packed(split.modulus());
        Ok(Mixer { program: split.mixing()?, packed, room: Room::new(split.cols.len()) })
    }
    /// The same for combinations that are folded; those that are independent are kept.
    ///
    /// # Errors
    /// [`crate::Error::Memory`].
    ///
    /// # Panics
    /// For p = 2.
    pub(super) fn folded(split: &Split, fold: Fold, kept: Kept) -> Result<Self> {
        assert!(!Self::is_packed(split.modulus()), "packed blocks are not folded");
        let mut mixer = Self::new(split)?;
        mixer.room.fold = Some((fold, kept));
        Ok(mixer)
    }
    /// What combinations are folded by.
    pub(super) fn fold(&self) -> Option<&Fold> {
        self.room.fold.as_ref().map(|(fold, _)| fold)
    }
    /// What was kept. From now on, combinations are folded to its width, and kept in the width `next`.
    ///
    /// # Panics
    /// Where nothing is folded.
    pub(super) fn widen(&mut self, next: usize) -> Kept {
        let (fold, kept) = self.room.fold.as_mut().expect("combinations are folded");
        fold.widen(kept.width());
        kept.widen(next)
    }
    fn is_packed(modulus: Modulus) -> bool {
        modulus.get() == 2
    }
    /// Combinations that a block makes mod p.
    pub(super) fn lanes(modulus: Modulus) -> usize {
        if Self::is_packed(modulus) { Echelon::PACKED } else { LANES }
    }
    /// Adds what all the `vectors` make.
    ///
    /// # Errors
    /// Those of [`Echelon::absorb`].
    pub(super) fn absorb(&mut self, vectors: &[Vectors], echelon: &mut Echelon, observer: &dyn Observer) -> Result<()> {
        let Mixer { program, packed, room } = self;
        if *packed {
            return absorb_packed(program, vectors, room, echelon, observer);
        }
        let (modulus, inputs) = (program.modulus(), program.inputs());
        let fill = |y: &mut Block, vectors: &Vectors| {
            match vectors {
                Vectors::Roughly(rng) => y.fill_roughly(0..inputs, modulus, &mut rng.clone()),
                Vectors::Uniform(rng, _) => y.fill_uniformly(0..inputs, modulus, &mut rng.clone()),
                Vectors::Units(lines) => units(inputs)(y, lines)?,
                Vectors::Few(combinations) => {
                    y.clear(0..inputs);
                    for (lane, terms) in combinations.iter().enumerate() {
                        terms.iter().for_each(|&(i, coefficient)| y.set(i as usize, lane, coefficient));
                    }
                }
            }
            Ok(())
        };
        let wanted = |vectors: &Vectors| match vectors {
            Vectors::Uniform(_, count) => count.next_multiple_of(TriangularSolve::GRID),
            _ => LANES,
        };
        for alike in vectors.chunk_by(|a, b| wanted(a) == wanted(b)) {
            absorb(program, wanted(&alike[0]), alike, fill, room, echelon, observer)?;
        }
        Ok(())
    }
}

/// The same over GF(2).
fn absorb_packed(
    program: &TriangularSolve,
    vectors: &[Vectors],
    room: &mut Room,
    echelon: &mut Echelon,
    observer: &dyn Observer,
) -> Result<()> {
    let (inputs, height) = (program.inputs(), program.inputs() + program.rows());
    let outputs = (height - room.cols) * WORDS;
    let make = |vectors: &Vectors| {
        let mut w = room.spare.take(|w: &Block| w.rows() == height, || Block::zeros(program.lane(), height, WORDS))?;
        match vectors {
            Vectors::Roughly(rng) | Vectors::Uniform(rng, _) => w.fill_bits(0..inputs, &mut rng.clone()),
            Vectors::Units(lines) => {
                w.clear(0..inputs);
                lines.iter().enumerate().for_each(|(b, &i)| w.set_bit(i as usize, b));
            }
            Vectors::Few(_) => unreachable!("sketches are not packed"),
        }
        program.run(&mut w);
        Ok(w)
    };
    for group in vectors.chunks(PACKED_BLOCKS) {
        observer.check()?;
        let made: Vec<Block> = group.par_iter().try_make(make)?;
        let columns: Vec<&[u32]> = made
            .iter()
            .map(|w| match &w.lanes {
                Lanes::U32(words) => &words[outputs..],
                _ => unreachable!("the lane of the program"),
            })
            .collect();
        let count = |vectors: &Vectors| match vectors {
            Vectors::Units(lines) => lines.len(),
            _ => Echelon::PACKED,
        };
        echelon.absorb_packed(group.iter().map(count).sum(), &columns, observer)?;
        made.into_iter().for_each(|w| room.spare.give_back(w));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_rows_are_made_many_at_once() {
        let edge = SHORT_BYTES / (2 * 2 * SHORT);
        let rows = |threads, cols| rows_at_once(threads, cols, 2);
        assert_eq!([rows(2, edge), rows(2, edge + 1)], [[SHORT, 2], [PANEL, 1]]);
        assert_eq!([rows(1, edge), rows(1, 0)], [[PANEL, 1]; 2]);
        // A block at least for each thread, in whole panels.
        assert_eq!([16, 17].map(|threads| rows(threads, edge + 1)), [[2 * PANEL, 1], [3 * PANEL, 1]]);
        assert_eq!(rows(64, 10), [8 * PANEL, 2]);
        assert_eq!(rows_at_once(2, usize::MAX, 8), [PANEL, 1]);
        for threads in 1..100 {
            for [rows, held] in [10, edge + 1].map(|cols| rows(threads, cols)) {
                assert!(rows.is_multiple_of(PANEL) && rows / LANES >= threads, "{threads}: {rows}");
                assert!(held == 1 || threads > 1);
            }
        }
    }
}
