//! Options, result and strategy of the search for the row space of S: samples, batches, checks.

use super::Split;
use crate::dense::{Echelon, Factors};
use crate::field::Rng;
use crate::report::ErrorBound;
use crate::{Result, memory};
use rand::RngExt;

/// The fewest and the most combinations of a batch.
pub(super) const BATCH: [usize; 2] = [32, 1024];
/// Up to so many rows, S is taken row by row.
pub(super) const FEW_ROWS: usize = 256;
/// Rows of a sample for each dimension that the row space may have. A row of S may have a few entries only, and a
/// column that the sample does not meet costs the whole search, so that not many are enough: n columns met by three at
/// a time are all met by about n·ln(n)/3 rows.
const SAMPLE: usize = 8;
/// A sample is taken if the matrix is at least this many times as large as the sample.
pub(super) const SAMPLE_GAIN: usize = 4;

/// What is wanted of [`row_space`](super::row_space()).
#[derive(Clone, Copy, Debug)]
pub struct RowSpaceOptions {
    /// The check may miss a part of the row space with at most this probability.
    pub error: ErrorBound,
    /// A bound of rank S that is known; reaching it needs no check.
    pub rank_bound: usize,
    /// Beyond this rank the search ends, incomplete.
    pub give_up: usize,
    /// The rank is known to be larger than this: sketches begin with as many combinations, up to what they make at a
    /// time.
    pub exceeded: usize,
    /// Whether a basis is wanted that consists of rows.
    pub rows: bool,
}

/// The random streams of [`row_space`](super::row_space()), independent of each other and of S.
pub struct RowSpaceStreams<'a> {
    /// Of the rows that are looked at first.
    pub sample: Rng,
    /// Of the combinations that explore.
    pub exploration: Rng,
    /// The random vectors of the i-th check, i = 1, 2, …, of a subspace with these pivot columns (combinations of rows,
    /// or vectors of a sieve): a challenge that must not be known before the subspace is.
    pub challenge: &'a (dyn Fn(u64, &[u32]) -> Rng + Sync),
}

/// A subspace of the row space of S, and how sure it is to be all of it.
#[derive(Debug)]
pub struct RowSpace {
    /// Its echelon form, columns numbered as those of S.
    pub echelon: Echelon,
    /// Whether that is all of the row space.
    pub extent: Extent,
    /// Rows of S that it is made of, if they were wanted.
    pub basis: Option<RowBasis>,
    /// How far it was explored where it was given up, for whoever goes on with it.
    pub(crate) explored: Option<Explored>,
}

/// How far a row space was explored.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Explored {
    /// Blocks of combinations.
    pub(super) blocks: usize,
    /// Whether all of the last batch were new.
    pub(super) new: bool,
    /// Whether they are combinations of all rows, or of a sample for this bound of the rank.
    pub(super) whole: bool,
    pub(super) bound: usize,
}

/// Rows of S that are a basis of its row space.
#[derive(Debug)]
pub struct RowBasis {
    /// Their numbers, in the order in which they were found.
    pub rows: Vec<u32>,
    /// The factors of these rows in their pivot columns; `None` over GF(2).
    pub factors: Option<Factors>,
}

/// How much of the row space of S a subspace is known to be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Extent {
    /// All of it, for certain: every row was taken, or a bound of the rank was reached.
    Whole,
    /// All of it, except with at most this probability over the random vectors of the checks.
    Checked(ErrorBound),
    /// The search was given up: perhaps a part.
    Part,
}

/// Blocks of `lanes` combinations that are made at a time beyond a rank.
pub(super) fn batch(rank: usize, lanes: usize) -> usize {
    rank.clamp(BATCH[0], BATCH[1]).div_ceil(lanes)
}

/// The combinations of the i-th check, i = 1, 2, …: the least k with p⁻ᵏ ≤ ε / (i·(i + 1)).
///
/// Each check may miss something, and how many there will be is not known beforehand; these shares add up to ε
/// whatever their number, since Σ 1/(i(i + 1)) = 1.
pub(super) fn check_combinations(error: ErrorBound, i: u64, log2_p: f64) -> usize {
    let budget = -error.log2() + (i as f64).log2() + ((i + 1) as f64).log2();
    // The factor covers the roundings of the logarithms.
    (budget / log2_p * (1.0 + 1e-12)).ceil() as usize
}

/// Rows of a sample for a row space of at most `bound` dimensions.
pub(super) fn sample_rows(bound: usize) -> usize {
    FEW_ROWS + SAMPLE * bound
}

/// Whether the pivot rows and a sample of the others are a small part of the matrix.
pub(super) fn sample_pays(split: &Split, bound: usize) -> bool {
    let [pivots, all] = split.entries();
    let (count, rows) = (sample_rows(bound), split.rows.len());
    let sampled = (all - pivots) as f64 / rows as f64 * count as f64;
    count < rows && (pivots as f64 + sampled) * SAMPLE_GAIN as f64 <= all as f64
}

/// A random sample of the rows, ascending.
pub(super) fn sample(split: &Split, bound: usize, rng: &mut Rng) -> Result<Vec<usize>> {
    // The beginning of a random permutation.
    let mut rows = memory::collect(0..split.rows.len(), "the rows of a sample")?;
    for i in 0..sample_rows(bound) {
        rows.swap(i, rng.random_range(i..split.rows.len()));
    }
    rows.truncate(sample_rows(bound));
    rows.sort_unstable();
    Ok(rows)
}
