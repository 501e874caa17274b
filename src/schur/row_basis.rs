//! A basis of the row space of S that consists of rows of S: with the pivots, the rows of a minor.
//!
//! Rows are taken in an order that strides through S, as long as most of them are new. If not all of them are, a
//! *sieve* determines which are: if x is orthogonal to the subspace V found so far, each row i with (S·x)ᵢ ≠ 0 lies
//! outside V. For uniformly random x a row outside V shows itself with probability 1 - 1/p; so if V is not all of the
//! row space, k independent x all have S·x = 0 with probability at most p⁻ᵏ, and a sieve that holds nothing back is a
//! check of V. The vectors are drawn when V stands, from a stream that hashes its pivot columns, as the combinations of
//! [`row_space`](super::row_space()) are. (The argument is that of the upper bound of a [certificate](crate::certify):
//! Dumas, Kaltofen, ISSAC 2014, section 5.)
//!
//! A sieve costs about what its width in rows costs, and is used once about as many rows have turned out dependent.

use super::Split;
use super::combine::{Mixer, Vectors};
use super::exploration::{
    Extent, RowBasis, RowSpace, RowSpaceOptions, RowSpaceStreams, batch, check_combinations, sample, sample_pays,
};
use super::saved::{name_of, saved};
use super::strides::strides;
use crate::dense::Echelon;
use crate::report::{Kept, Quiet};
use crate::spmv::{Block, TriangularSolve};
use crate::{Observer, Result, memory};

/// How many dependent rows are tolerated before a sieve is used.
const IN_VAIN: usize = 64;
/// The next batch is larger if so much of this one was new.
const NEW: f64 = 0.9;
/// In place of a row's number among those absorbed: a lane without a row.
const NO_ROW: u32 = u32::MAX;
/// What the memory is for.
const BASIS: &str = "the rows of a basis";

/// What was found so far.
struct Search<'a> {
    options: RowSpaceOptions,
    streams: &'a RowSpaceStreams<'a>,
    observer: &'a dyn Observer,
    echelon: Echelon,
    /// The number of each row absorbed, or [`NO_ROW`].
    absorbed: Vec<u32>,
    sieves: u64,
    kept: Kept<'a>,
}

/// How far it is with the rows of a matrix.
struct Position {
    /// Rows to be taken, and how many of them are.
    waiting: Vec<u32>,
    next: usize,
    /// Dependent rows since the last sieve.
    in_vain: usize,
    /// Blocks of the next batch.
    blocks: usize,
    /// Whether the rows come through a sieve.
    sifted: bool,
}

/// The row space of S from rows of it: see [`row_space`](super::row_space()). The bound of the rank is at most the
/// smaller side.
pub(super) fn row_basis(
    split: &Split,
    options: RowSpaceOptions,
    streams: &RowSpaceStreams,
    observer: &dyn Observer,
) -> Result<RowSpace> {
    let echelon = Echelon::with_multipliers(split.modulus(), split.cols.len())?;
    let key = || (options.rank_bound, options.error.log2(), name_of(&streams.sample));
    let kept = saved("row-basis", split, key, observer)?;
    let mut search = Search { options, streams, observer, echelon, absorbed: vec![], sieves: 0, kept };
    let (mut in_sample, mut at) = (sample_pays(split, options.rank_bound), None);
    if let Some((sample, position)) = search.restore()? {
        (in_sample, at) = (sample, Some(position));
    }
    // A sample is a few rows: those of S that are taken afterwards come through a sieve.
    let mut extent = None;
    if in_sample {
        let sampled = sample(split, options.rank_bound, &mut streams.sample.clone())?;
        let (matrix, pivots) = split.restricted(&sampled)?;
        extent = Some(search.among(&Split::new(&matrix, &pivots)?, Some(&sampled), at.take(), false)?);
    }
    if search.echelon.rank() < options.rank_bound && extent != Some(Extent::Part) {
        extent = Some(search.among(split, None, at, extent.is_some())?);
    }
    let extent = extent.unwrap_or(Extent::Whole);
    let Search { echelon, absorbed, .. } = search;
    let rows = memory::collect(echelon.pivot_rows().iter().map(|&k| absorbed[k]), BASIS)?;
    let factors = echelon.factors()?;
    Ok(RowSpace { echelon, extent, basis: Some(RowBasis { rows, factors }), explored: None })
}

impl Search<'_> {
    /// Goes on from what was kept: whether that was among the rows of the sample, and where.
    fn restore(&mut self) -> Result<Option<(bool, Position)>> {
        type State = (bool, Echelon, (Vec<u32>, u64), (Vec<u32>, [usize; 3], bool));
        let Some((in_sample, echelon, found, at)) = self.kept.load::<State>()? else { return Ok(None) };
        (self.echelon, (self.absorbed, self.sieves)) = (echelon, found);
        self.observer.restored(self.echelon.rank() as u64);
        let (waiting, [next, in_vain, blocks], sifted) = at;
        Ok(Some((in_sample, Position { waiting, next, in_vain, blocks, sifted })))
    }

    /// Takes rows of `split`, which are those of S numbered `names` (or all of them), until they add nothing more; none
    /// without a sieve if `sifted`; from the position on that was kept. [`Extent::Whole`] means that of `split`.
    fn among(&mut self, split: &Split, names: Option<&[usize]>, at: Option<Position>, sifted: bool) -> Result<Extent> {
        let RowSpaceOptions { rank_bound, give_up, error, .. } = self.options;
        let lanes = Mixer::lanes(split.modulus());
        let mut mixer = Mixer::new(split)?;
        let mut sieve = None;
        let Position { mut waiting, mut next, mut in_vain, mut blocks, mut sifted } = match at {
            Some(at) => at,
            None => {
                let waiting = if sifted { vec![] } else { strides(split.rows.len())? };
                Position { waiting, next: 0, in_vain: 0, blocks: batch(0, lanes), sifted }
            }
        };
        loop {
            let rank = self.echelon.rank();
            let (all, sifts) = (next == waiting.len(), next == waiting.len() || in_vain >= IN_VAIN);
            let at = (&waiting, [next, in_vain, blocks], sifted);
            let state = (names.is_some(), &self.echelon, (&self.absorbed, self.sieves), at);
            self.kept.keep(&state, rank == rank_bound || sifts && self.sieves == 0)?;
            if rank == rank_bound || all && !sifted {
                return Ok(Extent::Whole);
            }
            if rank > give_up {
                return Ok(Extent::Part);
            }
            if sifts {
                let sieve = match &mut sieve {
                    Some(sieve) => sieve,
                    empty => empty.insert(Sieve::new(split)?),
                };
                waiting = self.sift(sieve)?;
                if waiting.is_empty() {
                    return Ok(Extent::Checked(error));
                }
                (next, in_vain, blocks, sifted) = (0, 0, batch(0, lanes), true);
            }
            let wanted = rank_bound.min(give_up.saturating_add(1)) - rank;
            let count = lanes * blocks.min(wanted.div_ceil(lanes));
            let taken = &waiting[next..waiting.len().min(next + count)];
            next += taken.len();
            let units: Vec<Vectors> = taken.chunks(lanes).map(Vectors::Units).collect();
            mixer.absorb(&units, &mut self.echelon, &Quiet(self.observer))?;
            let more = self.echelon.rows_seen() - self.absorbed.len();
            memory::reserve(&mut self.absorbed, more, BASIS)?;
            self.absorbed.extend(taken.iter().map(|&i| names.map_or(i, |names| names[i as usize] as u32)));
            // Lanes without a row.
            self.absorbed.resize(self.echelon.rows_seen(), NO_ROW);
            let added = self.echelon.rank() - rank;
            self.observer.progress((rank + added) as u64);
            in_vain += taken.len() - added;
            let larger = added as f64 >= NEW * taken.len() as f64;
            blocks = if larger { (2 * blocks).min(batch(rank, lanes)) } else { batch(0, lanes) };
        }
    }

    /// Rows that are not in the subspace found so far, as they stride through S; none if that is all of the row space,
    /// or with at most the share of the error that this check has.
    fn sift(&mut self, sieve: &mut Sieve) -> Result<Vec<u32>> {
        self.sieves += 1;
        let modulus = sieve.program.modulus();
        let vectors = check_combinations(self.options.error, self.sieves, (modulus.get() as f64).log2());
        let mut rng = (self.streams.challenge)(self.sieves, &self.echelon.pivot_cols()?);
        for _ in (0..vectors).step_by(Sieve::WIDTH) {
            self.observer.check()?;
            let held_back = sieve.hold_back(&self.echelon.orthogonal(Sieve::WIDTH, &mut rng)?)?;
            if !held_back.is_empty() {
                return Ok(held_back);
            }
        }
        Ok(vec![])
    }
}

/// Tells which rows of S some vectors are not orthogonal to.
struct Sieve {
    program: TriangularSolve,
    /// The rows of S as they come.
    order: Vec<u32>,
    work: Block,
}

impl Sieve {
    /// Vectors at once.
    const WIDTH: usize = TriangularSolve::GRID;

    fn new(split: &Split) -> Result<Self> {
        let program = split.forward()?;
        let work = Block::zeros(program.lane(), program.inputs() + program.rows(), Self::WIDTH)?;
        Ok(Sieve { program, order: strides(split.rows.len())?, work })
    }
    /// The rows that one of the `vectors`, columns of S × [`Sieve::WIDTH`], is not orthogonal to.
    fn hold_back(&mut self, vectors: &[u64]) -> Result<Vec<u32>> {
        let (program, work) = (&self.program, &mut self.work);
        for (j, row) in vectors.chunks_exact(Self::WIDTH).enumerate() {
            work.set_row(j, row.iter().copied());
        }
        program.run(work);
        let first = work.rows() - self.order.len();
        let held_back = self.order.iter().copied().filter(|&i| !work.is_zero(first + i as usize));
        let mut rows = memory::with_capacity(self.order.len(), BASIS)?;
        rows.extend(held_back);
        Ok(rows)
    }
}
