//! The rank of S from both sides: combinations of its rows, folded into few columns.
//!
//! A combination of rows has as many entries as S has columns, n; where rank S is far below n, an elimination of such
//! rows spends s²·n/2 on what s³/3 would do. A random M with w > s columns and three entries in each row ([`Fold`])
//! makes rows of w entries: R = Yᵀ·S·M. Whatever Y and M are, rank R ≤ rank S.
//!
//! **That it is reached** is checked without an assumption about M. Let V be the span of the combinations Yᵀ·S that
//! were independent in R, r of them, B the r × r minor of R in its pivot columns J, and z uniformly random. With u from
//! B·u = -Yᵀ·S·z the vector x = z + M_J·u is orthogonal to V; z ↦ x is a projection onto the vectors orthogonal to V,
//! since u is 0 for these, so that x is uniform among them. If V is not the row space of S, S·x is not 0 with
//! probability at least 1 - 1/p; k independent x all have S·x = 0 with probability at most p⁻ᵏ. The vectors z are drawn
//! when V stands, from a stream that hashes the pivot columns ([`RowSpaceStreams::challenge`]). Where S·x is not 0, its
//! entries name rows of S outside V: combinations of these are taken next, and they themselves where they are few.
//!
//! If w is not large enough, or M maps a vector of the row space to zero, rows from outside V add nothing to R, or the
//! rank comes close to w: M is made wider. The columns of the narrower are then sums of those of the wider, so that
//! combinations are folded to the next width from the first, and to this one after that; those that were independent
//! are absorbed again, and no pass is made for them ([`Kept`]; where there are too many to be kept, they are made
//! again).
//!
//! (Sketches of this kind are usual for ranks: H. Y. Cheung, T. C. Kwok, L. C. Lau, *Fast matrix rank algorithms and
//! applications*, J. ACM 60 (2013), where M has a theorem of its own; the check makes it superfluous.)

use super::Split;
use super::combine::Combination;
use super::cuda::Folder;
use super::exploration::{Extent, RowSpaceOptions, RowSpaceStreams, batch, check_combinations};
use super::fold::Fold;
use super::kept::{self, Kept};
use super::saved::{name_of, saved};
use super::sieve::{Basis, Sieve};
use crate::dense::{Echelon, Place};
use crate::field::Rng;
use crate::gpu::Device;
use crate::parallel;
use crate::report::Quiet;
use crate::spmv::LANES;
use crate::{DeviceReason, Error, Observer, Result, memory, report};
use rand::RngExt;

/// Columns of the first sketch.
const FIRST_WIDTH: usize = 4096;
/// Up to so many columns the next sketch is four times as wide where ranks are looked for that need it, beyond that
/// twice: there passes cost more, here the dense elimination.
const STEEP: usize = 8192;
/// A rank so close to the width says nothing.
pub(super) const MARGIN: usize = 64;
/// Rows of S in a combination.
const TERMS: usize = 8;
/// Rows in vain that are borne before a check.
const IN_VAIN: usize = 64;
/// Up to so many rows outside a span are taken one by one.
const FEW: usize = 64;
/// What the memory is for.
const COMBINATIONS: &str = "the combinations of a sketch";

/// What a sketch found of the rank of S.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sketch {
    /// Not more than the rank of S.
    pub rank: usize,
    /// How much of the row space it is the dimension of: a part where the rank is beyond the one to give up at, or the
    /// memory of a GPU ended before.
    pub extent: Extent,
    /// Columns of the last M.
    pub width: usize,
}

/// The rank of S by sketches. `options.rows` is not looked at. The combinations are made on a GPU if one is given, and
/// wide ones eliminated there; the answer does not depend on it, but it is given up where the memory of the GPU ends.
///
/// Cost: for each of about rank S combinations nnz(A) multiply-adds, and 3n additions; s²·(w/2 - s/6) dense for the
/// last M, of w ≤ 4s + 4096 columns. Those before take less than that together, and combinations that were not kept are
/// made again.
///
/// # Errors
/// [`crate::Error::Interrupted`], [`crate::Error::Memory`]; [`crate::Error::Device`] if a GPU fails.
///
/// # Panics
/// For p = 2 and 3.
pub fn sketch(
    split: &Split,
    options: RowSpaceOptions,
    streams: &RowSpaceStreams,
    device: Option<&Device>,
    observer: &dyn Observer,
) -> Result<Sketch> {
    let bound = options.rank_bound.min(split.rows.len()).min(split.cols.len());
    let sizes = (first_width(bound), if device.is_some() { kept::MOST_ON_GPU } else { kept::MOST_BYTES });
    sketch_from(sizes, split, RowSpaceOptions { rank_bound: bound, ..options }, streams, device, observer)
}

/// The same with so many columns of the first M and bytes of rows that are kept for the next, and a bound of the rank
/// that is at most the smaller side.
pub(super) fn sketch_from(
    (mut width, most_bytes): (usize, usize),
    split: &Split,
    options: RowSpaceOptions,
    streams: &RowSpaceStreams,
    device: Option<&Device>,
    observer: &dyn Observer,
) -> Result<Sketch> {
    assert!(split.modulus().get() > 3, "sketches are not for GF(2) and GF(3)");
    let bound = options.rank_bound;
    observer.phase("sketch", bound as u64);
    if bound == 0 {
        return Ok(Sketch { rank: 0, extent: Extent::Whole, width: 0 });
    }
    let mut rng = streams.exploration.clone();
    let mut fold = Fold::new(split.cols.len(), width, &mut rng)?;
    let (mut place, mut checks) = (Place::new(device.map_or(&[], std::slice::from_ref), split.modulus()), 0);
    let key = || (bound, width, options.error.log2(), name_of(&rng));
    let states = saved("sketch", split, key, observer)?;
    let (mut begin, mut room) = (Begin::With(Known::default()), most_bytes);
    if let Some((last, echelon, absorbed, (made, drawn), blocks)) = states.load::<State>()? {
        observer.restored(echelon.rank() as u64);
        begin = Begin::At { echelon: Box::new(echelon), absorbed, blocks };
        // What the run before kept for the next width is made again.
        (width, checks, room) = (last, made, 0);
        fold.widen(width);
        rng.set_word_pos(u128::from(drawn[0]) << 64 | u128::from(drawn[1]));
    }
    let kept = Kept::new(wider(width, most(&options)), room);
    let (opened, made) = parallel::join(|| place.open(width, true), || Folder::new(split, fold, kept, device));
    opened?;
    let (mut folder, products) = made?;
    let mut sieve = Sieve::new(split, products)?;
    let mut reached = 0;
    let found = (|| loop {
        let mut stage = Stage {
            split,
            options,
            streams,
            observer,
            folder: &mut folder,
            width,
            echelon: place.echelon(width, true)?,
            absorbed: vec![],
            sieve: &mut sieve,
            checks: &mut checks,
            states: &states,
        };
        let end = stage.explore(begin, &mut rng);
        reached = reached.max(stage.echelon.rank());
        if let End::Found(extent) = end? {
            return Ok(Sketch { rank: stage.echelon.rank(), extent, width });
        }
        begin = Begin::With(stage.into_known()?);
        width = wider(width, most(&options));
    })();
    match found {
        // All that is known then is that the rank is not smaller.
        Err(Error::Device(no)) if no.reason == DeviceReason::NoMemory && reached > 0 => {
            Ok(Sketch { rank: reached, extent: Extent::Part, width })
        }
        found => found,
    }
}

/// What is kept of a sketch: the width, the basis, what it absorbed, the checks made with the place in the stream of
/// random numbers, and the blocks of the next batch while combinations explore.
type State = (usize, Echelon, Vec<Combination>, (u64, [u64; 2]), Option<usize>);

/// Columns of the first M, for a rank of at most `bound`.
pub(super) fn first_width(bound: usize) -> usize {
    FIRST_WIDTH.min((bound + 2 * MARGIN).next_power_of_two())
}

/// Columns of the next, where ranks up to `most` are looked for: twice as many at least, and no more beyond that than
/// hold such a rank, at an eighth more (three entries in each row of M hold 0.917 of its columns: [`Fold`]).
pub(super) fn wider(width: usize, most: usize) -> usize {
    let steep = if width < STEEP { 4 * width } else { 2 * width };
    let enough = most.saturating_add(most / 8).saturating_add(2 * MARGIN).checked_next_power_of_two();
    steep.min(enough.unwrap_or(usize::MAX).max(2 * width))
}

/// Ranks up to this are looked for: one more than is given up at shows that.
fn most(options: &RowSpaceOptions) -> usize {
    options.rank_bound.min(options.give_up.saturating_add(1))
}

/// How a stage ends.
enum End {
    /// The rank is found, or given up.
    Found(Extent),
    /// M is too narrow.
    Narrow,
}

/// What a stage begins with.
enum Begin {
    /// What the one before has found.
    With(Known),
    /// What it had found itself when its state was kept.
    At { echelon: Box<Echelon>, absorbed: Vec<Combination>, blocks: Option<usize> },
}

/// What one M leaves to the next: independent combinations.
#[derive(Default)]
struct Known {
    /// Those that were kept, in this order, folded to the next width.
    kept: Option<(Kept, Vec<Combination>)>,
    /// The others.
    others: Vec<Combination>,
}

/// What was found with one M.
struct Stage<'a> {
    split: &'a Split<'a>,
    options: RowSpaceOptions,
    streams: &'a RowSpaceStreams<'a>,
    observer: &'a dyn Observer,
    folder: &'a mut Folder,
    width: usize,
    echelon: Echelon,
    /// What was absorbed, in this order; empty for lanes without a combination.
    absorbed: Vec<Combination>,
    sieve: &'a mut Sieve,
    /// Checks made, with whatever M.
    checks: &'a mut u64,
    states: &'a report::Kept<'a>,
}

impl Stage<'_> {
    /// Takes the combinations that are `known`, then random ones as long as nearly all are new, then rows that checks
    /// find, until one finds none.
    fn explore(&mut self, begin: Begin, rng: &mut Rng) -> Result<End> {
        let RowSpaceOptions { error, exceeded, .. } = self.options;
        let mut exploring = match begin {
            Begin::With(known) => {
                self.begin(known)?;
                Some(self.next_batch(exceeded.saturating_sub(self.echelon.rank())))
            }
            Begin::At { echelon, absorbed, blocks } => {
                (self.echelon, self.absorbed) = (*echelon, absorbed);
                blocks
            }
        };
        while let Some(blocks) = exploring {
            self.keep(exploring, rng)?;
            if let Some(end) = self.end() {
                return Ok(end);
            }
            let (rank, count) = (self.echelon.rank(), blocks * LANES);
            let added = self.absorb(self.draw(None, count, rng)?)?;
            exploring = (10 * added >= 9 * count).then_some(self.next_batch(rank));
        }
        loop {
            self.keep(None, rng)?;
            if let Some(end) = self.end() {
                return Ok(end);
            }
            let before = self.echelon.rank();
            let outside = self.check()?;
            if outside.is_empty() {
                return Ok(End::Found(Extent::Checked(error)));
            }
            self.absorb_outside(&outside, rng)?;
            if self.echelon.rank() == before {
                // They are outside, and add nothing with this M.
                return Ok(End::Narrow);
            }
        }
    }
    /// Blocks of combinations that are made next beyond a rank, and no more than what is wanted takes.
    fn next_batch(&self, rank: usize) -> usize {
        let wanted = most(&self.options).saturating_sub(self.echelon.rank());
        batch(rank, LANES).min(wanted.div_ceil(LANES).max(1))
    }
    /// Absorbs what is known.
    fn begin(&mut self, known: Known) -> Result<()> {
        if let Some((kept, combinations)) = known.kept {
            kept.hand_over(&mut self.echelon, &Quiet(self.observer))?;
            self.absorbed = combinations;
        }
        self.absorb(known.others)?;
        Ok(())
    }
    /// Keeps the state, if it is time, and before the first check.
    fn keep(&self, exploring: Option<usize>, rng: &Rng) -> Result<()> {
        let drawn = rng.get_word_pos();
        let made = (*self.checks, [(drawn >> 64) as u64, drawn as u64]);
        let at_end = exploring.is_none() && *self.checks == 0 || self.end().is_some();
        self.states.keep(&(self.width, &self.echelon, &self.absorbed, made, exploring), at_end)
    }
    /// Whether this is the end.
    fn end(&self) -> Option<End> {
        let RowSpaceOptions { rank_bound, give_up, .. } = self.options;
        match self.echelon.rank() {
            rank if rank == rank_bound => Some(End::Found(Extent::Whole)),
            rank if rank > give_up => Some(End::Found(Extent::Part)),
            rank if rank + MARGIN > self.width => Some(End::Narrow),
            _ => None,
        }
    }
    /// Takes rows that are outside the span, or combinations of them, until too many add nothing.
    ///
    /// What the rows have outside the span may be in few of them: combinations of rows that have something there find
    /// it all, where combinations of any rows, and one row after the other, mostly find the same.
    fn absorb_outside(&mut self, outside: &[u32], rng: &mut Rng) -> Result<()> {
        let (mut in_vain, mut blocks) = (0, 1);
        let mut rest = outside;
        while in_vain < IN_VAIN && !rest.is_empty() && self.end().is_none() {
            let count = (blocks * LANES).min(rest.len());
            let combinations = match outside.len() <= FEW {
                true => rest[..count].iter().map(|&i| vec![(i, 1)]).collect(),
                false => self.draw(Some(outside), count, rng)?,
            };
            rest = &rest[count..];
            let added = self.absorb(combinations)?;
            in_vain += count - added;
            blocks = if added == count { (2 * blocks).min(batch(self.echelon.rank(), LANES)) } else { 1 };
        }
        Ok(())
    }
    /// Random combinations of these rows, of all where none are named.
    fn draw(&self, of: Option<&[u32]>, count: usize, rng: &mut Rng) -> Result<Vec<Combination>> {
        let (rows, p) = (of.map_or(self.split.rows.len(), <[u32]>::len), self.split.modulus().get());
        let row = |rng: &mut Rng| {
            let k = rng.random_range(0..rows as u32);
            of.map_or(k, |of| of[k as usize])
        };
        let mut one = || {
            let mut terms: Combination = (0..TERMS).map(|_| (row(rng), rng.random_range(1..p))).collect();
            terms.sort_unstable();
            terms.dedup_by_key(|term| term.0);
            terms
        };
        memory::collect((0..count).map(|_| one()), COMBINATIONS)
    }
    /// Adds combinations; how many of them were new.
    fn absorb(&mut self, mut combinations: Vec<Combination>) -> Result<usize> {
        let rank = self.echelon.rank();
        self.folder.absorb(&combinations, &mut self.echelon, &Quiet(self.observer))?;
        let more = self.echelon.rows_seen() - self.absorbed.len();
        memory::reserve(&mut self.absorbed, more, COMBINATIONS)?;
        self.absorbed.append(&mut combinations);
        self.absorbed.resize(self.echelon.rows_seen(), vec![]);
        self.observer.progress(self.echelon.rank() as u64);
        Ok(self.echelon.rank() - rank)
    }
    /// The combinations that were independent of those before them. They are folded to the next width from now on.
    fn into_known(mut self) -> Result<Known> {
        let most = most(&self.options);
        let kept = self.folder.widen(wider(wider(self.width, most), most))?;
        let mut combinations = |numbers: &mut dyn Iterator<Item = usize>| {
            memory::collect(numbers.map(|k| std::mem::take(&mut self.absorbed[k])), COMBINATIONS)
        };
        let of_kept = combinations(&mut kept.numbers().iter().copied())?;
        let is_other = |k: &usize| kept.numbers().binary_search(k).is_err();
        let others = combinations(&mut self.echelon.pivot_rows().iter().copied().filter(is_other))?;
        Ok(Known { kept: Some((kept, of_kept)), others })
    }
    /// Rows outside the span found so far, as they stride through S; none if that is all of the row space, or with at
    /// most the share of the error that this check has.
    fn check(&mut self) -> Result<Vec<u32>> {
        *self.checks += 1;
        let p = self.split.modulus();
        let vectors = check_combinations(self.options.error, *self.checks, (p.get() as f64).log2());
        let mut rng = (self.streams.challenge)(*self.checks, &self.echelon.pivot_cols()?);
        let basis = Basis::of(&self.echelon, &self.absorbed)?;
        for _ in (0..vectors).step_by(Sieve::WIDTH) {
            self.observer.check()?;
            let outside = self.sieve.outside(p, &basis, self.folder.fold(), &mut rng)?;
            if !outside.is_empty() {
                return Ok(outside);
            }
        }
        Ok(vec![])
    }
}
