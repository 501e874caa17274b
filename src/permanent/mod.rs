//! Exact permanents of integer matrices: perfect matchings of bipartite graphs counted, with weights, to the last
//! digit.
//!
//! Source paper: D. Elbek, F. Taşyaran, B. Uçar, K. Kaya, *SUperman: Efficient Permanent Computation on GPUs* (2025),
//! which computes in floating point; here every step is exact.
//!
//! ```text
//! Triplets ─▶ IntMatrix ─▶ reduce ──▶ factor · Π perm(blocks) ─▶ planner ─▶ frontier   sparse: states of a dynamic program
//!                            │                                             gray       dense: inclusion–exclusion
//!                            └─▶ 0, with a Hall violator                   kasteleyn  planar: a determinant
//!                                                                          rook       constant except for few entries
//!                                                                          low_rank   rank ≤ 4
//! ```
//! Residues become integers by the bounds of [`bound`] and the driver of [`crate::integers`]. perm mod 2 = det mod 2,
//! which elimination computes. Entries: [`permanent`], [`perfect_matchings`].

pub mod bound;
mod exact;
pub mod frontier;
pub mod gray;
pub mod kasteleyn;
pub mod low_rank;
mod matrix;
mod options;
mod planner;
#[cfg(test)]
mod prices_tests;
mod rectangular;
pub mod reduce;
pub mod rook;
mod routes;
#[cfg(test)]
mod shapes;
#[cfg(test)]
mod tests;

pub use crate::gpu::Devices;
pub use exact::Exact;
pub use matrix::IntMatrix;
pub use options::{Method, Options, Permanent, Proof, Resumed};
pub(crate) use routes::{Block, Engine, Found, Record, Route, affordable, cheapest};

use crate::field::Modulus;
use crate::integers::Bound;
use crate::sparse::{Pattern, Triplets};
use crate::words::counted;
use crate::{Error, Observer, Result, Silent, Step, elimination, gpu};
use bound::permanent_bound;
use num_bigint::BigInt;
use rectangular::Rectangle;
use reduce::Reduced;
use std::time::Instant;

/// The permanent of an integer matrix, proven: for m × n with m ≤ n the sum over the injections of the rows into the
/// columns, for m > n that of the transpose. That of a matrix without rows or columns is 1.
///
/// ```
/// use blackfield::{Silent, permanent::{Options, permanent}, sparse::Triplets};
/// let ones = Triplets::from_entries(20, 20, (0..400).map(|k| (k / 20, k % 20, 1)));
/// let answer = permanent(&ones, &Options::default(), &Silent)?;
/// assert_eq!(answer.value, (1..=20u64).product::<u64>().into());
/// # Ok::<(), blackfield::Error>(())
/// ```
///
/// # Errors
/// [`Error::Usage`] if the requested method does not apply, and for a checkpoint without the feature `serde`;
/// [`Error::Memory`] if every method exceeds the limit; [`Error::Interrupted`]; for a checkpoint [`Error::Io`] and
/// [`Error::Input`]; [`Error::Device`] if the requested GPUs are missing; [`Error::Check`] if a computation contradicts
/// itself.
pub fn permanent(matrix: &Triplets, options: &Options, observer: &dyn Observer) -> Result<Permanent> {
    if cfg!(not(feature = "serde")) && options.checkpoint.is_some() {
        return Err(Error::Usage("no checkpoints: this blackfield was built without the feature `serde`".into()));
    }
    if options.devices.are_demanded() {
        // The answer to this request does not depend on what the reductions leave.
        let _ = options.devices.all_or_named(gpu::require_devices()?)?;
    }
    if matrix.rows() != matrix.cols() {
        return of_rectangle(matrix, options, observer);
    }
    // Nothing as long as a side is allocated if most of its lines are empty.
    let empty = matrix.compact()?.lines.rows.dropped();
    if empty > 0 {
        return Ok(unmatched(match empty {
            1 => "a row has no entry".into(),
            _ => format!("{empty} rows have no entries"),
        }));
    }
    let matrix = IntMatrix::from_triplets(matrix)?;
    if let Some(p) = options.modulus
        && p.get() == 2
        && options.method == Method::Auto
    {
        return parity(&matrix, p, observer);
    }
    let record = Record::new(observer, options.checkpoint.clone(), Method::Gray.name());
    let mut work = Work { options, record };
    let value = work.product(&matrix)?;
    let record = work.record;
    if observer.plans_only() {
        return record.plan();
    }
    Ok(Permanent { value, method: record.method(), proof: record.proof, path: record.path })
}

impl Triplets {
    /// The permanent: [`permanent::permanent`](permanent()) with default options and no observer.
    ///
    /// ```
    /// let a = blackfield::sparse::Triplets::from_entries(2, 2, [(0, 0, 1), (0, 1, 2), (1, 0, 3), (1, 1, 4)]);
    /// assert_eq!(a.permanent()?.value, 10.into());
    /// # Ok::<(), blackfield::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Memory`] if memory runs out, [`Error::Check`] if a computation contradicts itself.
    pub fn permanent(&self) -> Result<Permanent> {
        permanent(self, &Options::default(), &Silent)
    }
}

/// The number of perfect matchings of the bipartite graph on 2n vertices with the given edges (row vertex, column
/// vertex); an edge listed several times is one edge.
///
/// # Errors
/// As [`permanent`].
///
/// # Panics
/// If a vertex is not below n.
pub fn perfect_matchings(
    n: usize,
    edges: impl IntoIterator<Item = (usize, usize)>,
    options: &Options,
    observer: &dyn Observer,
) -> Result<Permanent> {
    let pattern = Pattern::try_from_entries(n, n, edges)?;
    let entries = pattern.entries().map(|(i, j)| (i as usize, j as usize, 1));
    permanent(&Triplets::try_from_entries(n, n, entries)?, options, observer)
}

/// The permanent of a matrix without a matching of its smaller side, for that reason.
fn unmatched(why: String) -> Permanent {
    let step = Step {
        name: "reductions",
        found: "no perfect matching".into(),
        why,
        rank: None,
        predicted: None,
        seconds: 0.0,
    };
    Permanent { value: BigInt::ZERO, method: step.name, proof: Proof::default(), path: vec![step] }
}

/// The permanent of a matrix that is not square.
fn of_rectangle(matrix: &Triplets, options: &Options, observer: &dyn Observer) -> Result<Permanent> {
    let start = Instant::now();
    let (square, extra) = match rectangular::square(matrix, options.max_memory)? {
        Rectangle::Zero(why) => return Ok(unmatched(why)),
        Rectangle::Square(square, extra) => (square, extra),
    };
    let seconds = start.elapsed().as_secs_f64();
    // (n - m)! may be 0 mod p: the division is one of integers.
    let mut answer = permanent(&square, &Options { modulus: None, ..options.clone() }, observer)?;
    answer.value = rectangular::divide(&answer.value, extra)?;
    if let Some(p) = options.modulus {
        answer.value = p.reduce_bigint(&answer.value).into();
    }
    let (rows, cols, n) = (matrix.rows(), matrix.cols(), square.rows());
    let found = format!("a {n} x {n} matrix, {extra} of its rows all ones");
    let why = format!("its permanent is {extra}! times that of the {rows} x {cols} matrix");
    answer.path.insert(0, Step { name: "rectangle", found, why, rank: None, predicted: None, seconds });
    Ok(answer)
}

/// The permanent mod 2: -1 = 1, and so the determinant.
fn parity(matrix: &IntMatrix, two: Modulus, observer: &dyn Observer) -> Result<Permanent> {
    let start = Instant::now();
    let value = elimination::determinant(&matrix.to_triplets()?.try_reduce(two)?, observer)?.value;
    let step = Step {
        name: "determinant",
        found: format!("determinant {value} mod 2"),
        why: "permanent and determinant agree mod 2".into(),
        rank: None,
        predicted: None,
        seconds: start.elapsed().as_secs_f64(),
    };
    Ok(Permanent { value: value.into(), method: "determinant", proof: Proof::default(), path: vec![step] })
}

/// The bound of the whole matrix, if it holds for every block: entries are non-negative and there is a perfect
/// matching, so that perm A = factor · Π perm(block) is a product of positive integers. Eliminating lines of degree 2
/// leaves entries above 1, for which there is no Bregman–Minc bound; the original matrix may be 0–1.
fn ceiling(matrix: &IntMatrix, reduced: &Reduced, switches: &reduce::Switches) -> Result<Option<Bound>> {
    let matched = (switches.structural_rank || switches.blocks) && reduced.hall_violator.is_none();
    // If no block is left there is nothing to bound, and the bound of a large matrix is not free.
    let wanted = !reduced.all_blocks().is_empty();
    let holds = wanted && matched && reduced.sums.is_empty() && matrix.is_nonnegative();
    holds.then(|| permanent_bound(matrix)).transpose()
}

/// What the reductions left, and what they did.
fn describe(reduced: &Reduced, blocks: &[&IntMatrix]) -> (String, String) {
    if let Some(violator) = &reduced.hall_violator {
        let (rows, cols) = (violator.rows.len(), violator.cols.len());
        return (
            "no perfect matching".into(),
            format!("{} with entries in {} only", counted(rows, "row"), counted(cols, "column")),
        );
    }
    let mut sizes: Vec<usize> = blocks.iter().map(|block| block.n()).collect();
    sizes.sort_unstable_by(|a, b| b.cmp(a));
    let shown: Vec<String> = sizes.iter().take(8).map(usize::to_string).collect();
    let more = if sizes.len() > 8 { ", ..." } else { "" };
    let found = match sizes.len() {
        0 => "nothing left".into(),
        1 => format!("a block of size {}", shown[0]),
        count => format!("{count} blocks of sizes {}{more}", shown.join(", ")),
    };
    let log = &reduced.log;
    let counts = [
        (log.dropped_entries, "entry in no perfect matching"),
        (log.degree_one, "line of degree 1"),
        (log.degree_two, "line of degree 2"),
        (log.contents, "line content"),
        (log.transposed, "transposition"),
        (log.splits, "split"),
    ];
    let done: Vec<String> = counts.iter().filter(|(n, _)| *n > 0).map(|&(n, what)| counted(n, what)).collect();
    (found, done.join(", "))
}

/// A computation in progress.
struct Work<'a> {
    options: &'a Options,
    record: Record<'a>,
}

impl Work<'_> {
    /// Reduces the matrix and multiplies the permanents of the remaining blocks.
    fn product(&mut self, matrix: &IntMatrix) -> Result<BigInt> {
        let start = Instant::now();
        let reduced = reduce::reduce(matrix, &self.options.reductions)?;
        let blocks = reduced.all_blocks();
        self.record.reduced(describe(&reduced, &blocks), start);
        let ceiling = ceiling(matrix, &reduced, &self.options.reductions)?;
        let mut k = 0;
        let value = reduced.permanent(&mut |block| {
            k += 1;
            let own = Options { checkpoint: self.record.checkpoint(k, blocks.len()), ..self.options.clone() };
            let own_bound = permanent_bound(block)?;
            let bound = ceiling.filter(|ceiling| ceiling.bits < own_bound.bits).unwrap_or(own_bound);
            self.block(block, bound, &own)
        })?;
        Ok(self.residue(value))
    }

    /// The value, mod p if a modulus is requested.
    fn residue(&self, value: BigInt) -> BigInt {
        self.options.modulus.map_or_else(|| value.clone(), |p| p.reduce_bigint(&value).into())
    }

    /// The permanent of one block by the cheapest method whose memory suffices.
    fn block(&mut self, block: &IntMatrix, bound: Bound, options: &Options) -> Result<BigInt> {
        let (start, observer, n) = (Instant::now(), self.record.observer, block.n());
        let routes = planner::routes(block, bound, options, observer)?;
        let words = Block { what: format!("{n} x {n} block"), size: counted(block.nnz(), "non-zero") };
        let run = |engine: &_| planner::run(engine, block, bound, options, observer);
        self.record.block(&words, &routes, start, run)
    }
}
