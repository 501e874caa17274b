//! The exact rank of a sparse matrix by elimination, for any p < 2⁶³.
//!
//! Right-looking sparse elimination takes pivots of small Markowitz cost (`markowitz.rs`); rows and columns with a single
//! entry come first and cost nothing. Eliminated rows are dropped, since only the rank is asked for. As soon as a
//! dense elimination of what is left is expected to take less time than the sparse steps that remain, or its density
//! passes a threshold, [`crate::dense::Echelon`] finishes. Every step is exact arithmetic mod p: the rank is proven.
//!
//! Entry: [`rank`]. [`determinant`] goes on to the end sparsely and keeps the pivots; [`Replay`] repeats them mod many primes.

mod active;
mod determinant;
mod markowitz;
mod replay;

pub use determinant::{Determinant, determinant, is_odd};
pub use replay::{LANES, Replay};

use crate::dense::{Echelon, Row};
use crate::field::Modulus;
use crate::sparse::SparseMatrix;
use crate::{Error, Observer, Result};
use active::Active;
use markowitz::Buckets;

/// How to eliminate.
#[derive(Clone, Copy, Debug)]
pub struct EliminationOptions {
    /// Most bytes that the elimination may take beside its input.
    pub max_memory: Option<u64>,
    /// The share of non-zero entries from which on the rest is eliminated densely.
    pub dense_threshold: f64,
    /// Smallest number of rows or columns left that is still worth sparse elimination.
    pub dense_size: usize,
}

impl Default for EliminationOptions {
    fn default() -> Self {
        EliminationOptions { max_memory: None, dense_threshold: 0.2, dense_size: 64 }
    }
}

/// What an elimination found, and how.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct EliminationReport {
    /// The rank.
    pub rank: usize,
    /// Pivots taken by sparse elimination; the others are dense.
    pub sparse_pivots: usize,
    /// Non-zero rows of the matrix that was finished densely.
    pub dense_rows: usize,
    /// Non-zero columns of the matrix that was finished densely.
    pub dense_cols: usize,
    /// The most non-zero entries that the sparse part ever held.
    pub peak_nnz: usize,
}

/// Pivots between two looks at costs, memory and the observer.
const WINDOW: usize = 64;
/// Counts of the first buckets.
const FIRST_CAP: usize = 64;

/// The rank of `a`, exactly.
///
/// Reports two phases: "sparse elimination" in pivots, and "dense elimination" in rows.
///
/// # Errors
/// [`Error::Interrupted`]; [`Error::Memory`] when both ways go beyond `max_memory`.
pub fn rank(a: &SparseMatrix, options: &EliminationOptions, observer: &dyn Observer) -> Result<EliminationReport> {
    let mut active = Active::new(a);
    let mut buckets = Buckets::new(&active, FIRST_CAP);
    let mut report =
        EliminationReport { rank: 0, sparse_pivots: 0, dense_rows: 0, dense_cols: 0, peak_nnz: active.nnz };
    observer.phase("sparse elimination", a.rows().min(a.cols()) as u64);
    let mut work = 0;
    loop {
        if report.sparse_pivots.is_multiple_of(WINDOW) {
            observer.check()?;
            observer.progress(report.sparse_pivots as u64);
            let rest = Rest::of(&active);
            if rest.wants_dense(a.modulus(), options, work)? {
                break;
            }
            work = 0;
        }
        let Some(pivot) = buckets.search(&mut active) else { break };
        work += active.eliminate(pivot.row, pivot.col);
        buckets.update(&active);
        report.sparse_pivots += 1;
        report.peak_nnz = report.peak_nnz.max(active.nnz);
    }
    observer.progress(report.sparse_pivots as u64);
    report.rank = report.sparse_pivots + finish(a.modulus(), active, &mut report, observer)?;
    Ok(report)
}

/// The shape of what is left.
#[derive(Clone, Copy, Debug)]
struct Rest {
    rows: usize,
    cols: usize,
    nnz: usize,
    memory: u64,
}

impl Rest {
    fn of(active: &Active) -> Self {
        Rest {
            rows: active.rows.iter().filter(|row| row.len() > 0).count(),
            cols: active.col_count.iter().filter(|count| **count > 0).count(),
            nnz: active.nnz,
            memory: active.memory(),
        }
    }

    /// Whether to finish densely, after a window of sparse pivots that read `work` entries.
    fn wants_dense(self, modulus: Modulus, options: &EliminationOptions, work: usize) -> Result<bool> {
        if self.nnz == 0 {
            return Ok(false);
        }
        let pivots = self.rows.min(self.cols);
        // The sparse rows stay until the dense elimination has read them.
        let dense_memory = Echelon::memory(modulus, pivots, self.cols) + self.memory;
        let fits = |bytes: u64| options.max_memory.is_none_or(|limit| bytes <= limit);
        if !fits(self.memory) && !fits(dense_memory) {
            return Err(Error::Memory(format!(
                "elimination needs {} MB with {} x {} left ({} MB to finish densely)",
                self.memory >> 20,
                self.rows,
                self.cols,
                dense_memory >> 20
            )));
        }
        let density = self.nnz as f64 / (self.rows as f64 * self.cols as f64);
        let sparse_time = work as f64 * pivots as f64 / WINDOW as f64 * SPARSE_WEIGHT;
        let cheaper = self.dense_time(modulus) < sparse_time;
        let dense = pivots <= options.dense_size || density >= options.dense_threshold || cheaper;
        Ok(fits(dense_memory) && dense || !fits(self.memory))
    }

    /// Nanoseconds of one thread for the dense elimination of full rank r: r²(n/2 - r/6) products for the independent
    /// rows and r(n - r/2) for each of the others.
    fn dense_time(self, modulus: Modulus) -> f64 {
        let (m, n) = (self.rows as f64, self.cols as f64);
        let r = m.min(n);
        (r * r * (n / 2.0 - r / 6.0) + (m - r) * r * (n - r / 2.0)) * nanoseconds_per_product(modulus)
    }
}

/// Weight of one entry read by a sparse step in the estimate of the time that remains, in nanoseconds.
///
/// Tuned, not the cost of an entry: that is 8 … 21 ns of CPU time, search included (medians of five, one thread, 2-core
/// AMD EPYC virtual machine with AVX-512; about 10 on the large cases). The estimate supposes min(rows, cols) more pivots of
/// the present cost, presumably too many where the rank is lower. Of the two values compared, 10 and 3, the first was
/// slower on ch7-8-b4 (6.4 against 5.0 s) and within 0.04 s of the second on nine other runs, EX5 among them.
const SPARSE_WEIGHT: f64 = 3.0;

/// CPU time of one multiply-add of the dense elimination on the same machine: rank at n = 2000, divided by n³/3 (p = 2,
/// 65521, 2²⁶ - 5, 2³¹ - 1, 2⁶¹ - 1; one thread, rounded).
fn nanoseconds_per_product(modulus: Modulus) -> f64 {
    match modulus.bits() {
        1 => 0.01,
        2..=23 => 0.035,
        24..=26 => 0.07,
        27..=44 => 0.3,
        _ => 0.6,
    }
}

/// The rank of what is left, by dense elimination.
fn finish(
    modulus: Modulus,
    mut active: Active,
    report: &mut EliminationReport,
    observer: &dyn Observer,
) -> Result<usize> {
    let mut number = vec![u32::MAX; active.col_count.len()];
    for (j, _) in active.col_count.iter().enumerate().filter(|(_, count)| **count > 0) {
        number[j] = report.dense_cols as u32;
        report.dense_cols += 1;
    }
    active.rows.retain(|row| row.len() > 0);
    report.dense_rows = active.rows.len();
    active.rows.iter_mut().flat_map(|row| &mut row.col).for_each(|j| *j = number[*j as usize]);
    let rows: Vec<Row<'_>> = active.rows.iter().map(|row| (row.col.as_slice(), row.value.as_slice())).collect();
    observer.phase("dense elimination", rows.len() as u64);
    let mut echelon = Echelon::new(modulus, report.dense_cols);
    echelon.absorb(&rows, observer)?;
    Ok(echelon.rank())
}

#[cfg(test)]
mod tests;
