//! Exact sparse elimination for any p < 2⁶³: what is left of a matrix after its cheap pivots, and from it the rank.
//!
//! - [`eliminate`]: right-looking elimination. Pivots of small Markowitz cost (`markowitz.rs`) are taken one by one, each from
//!   what its predecessors left (`active.rs`); rows and columns with a single entry come first and cost nothing. It stops when
//!   another sparse pivot costs more than it saves a dense elimination of the rest, and hands back pivots and core. Rows that
//!   have become multiples of others are dropped on the way (`repeated.rs`).
//! - [`rank`]: the same with the dense finish, [`crate::dense::Echelon`].
//! - [`rounds`]: structural pivots, Schur complement, pivots of that, …, while it stays sparse.
//!
//! Which? On boundary matrices structural pivots are nearly all of the rank, and rounds are several times as fast. Where S fills in
//! at once (random matrices, EX5, EX3), a good structural search leaves a smaller but dense S, best met implicitly; the core of
//! right-looking elimination is larger but sparse, one entry in eight. In between (mat1916), right-looking pivots adapt to
//! the fill-in and leave a much smaller core than one round does. They are sequential. Every step is exact arithmetic mod p.
//!
//! [`determinant`] goes on to the end sparsely and keeps the pivots; [`Replay`] repeats them mod many primes.

mod active;
mod determinant;
mod markowitz;
mod repeated;
mod replay;
mod residue;
mod rounds;

pub use determinant::{Determinant, determinant, is_odd};
pub use replay::{LANES, Replay};

use crate::dense::{self, Echelon, Row};
use crate::field::Modulus;
use crate::report::Quiet;
use crate::sparse::SparseMatrix;
use crate::{Error, Observer, Result, memory};
use active::{Active, SparseRow, Work};
use markowitz::Buckets;
use repeated::Repeated;
use residue::Residue;

pub use rounds::{Enough, Finder, Limit, Round, Rounds, RoundsOptions, Stop, rounds};

/// What a dense finish of the core will cost: what sparse pivots have to beat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Finish {
    /// Every row of the core goes into the echelon form.
    Rows,
    /// As many random combinations of the rows as the rank may be.
    Combinations,
}

/// How to eliminate.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct EliminationOptions {
    /// Most bytes that the elimination may take beside its input.
    pub max_memory: Option<u64>,
    /// Most entries that may be left when the sparse part goes on. A caller who expects a core of low rank (tall ones often
    /// are) sets it to a few times the entries of A, tests the rank of the core, and goes on from there if it is large: costs are
    /// compared for full rank.
    pub max_nnz: usize,
    /// How the core will be finished; [`rank`] takes all rows whatever is said here.
    pub finish: Finish,
    /// The share of non-zero entries from which on the rest is eliminated densely. At 1/8 a sparse entry, 15 bytes with its
    /// place in a list and reserves, takes what eight dense entries of 2 bytes take; it is also about where costs meet.
    pub dense_threshold: f64,
    /// Smallest number of rows or columns left that is still worth sparse elimination.
    pub dense_size: usize,
}

impl Default for EliminationOptions {
    fn default() -> Self {
        EliminationOptions {
            max_memory: None,
            max_nnz: usize::MAX,
            finish: Finish::Rows,
            dense_threshold: 0.125,
            dense_size: 64,
        }
    }
}

/// What right-looking elimination found and left. rank A = `rows.len()` + rank of `core`.
#[derive(Clone, Debug)]
pub struct Eliminated {
    /// Rows of the pivots, in the order they were taken.
    ///
    /// The minor of A on `rows` × `cols` is regular: its leading minors are the products of the first pivots. A regular minor of the
    /// core, put beside it, makes a regular minor of A.
    pub rows: Vec<u32>,
    /// Columns of the pivots.
    pub cols: Vec<u32>,
    /// What is left, without empty rows and columns and, mostly, without rows that are multiples of others.
    pub core: SparseMatrix,
    /// The row of A that each row of the core comes from.
    pub core_rows: Vec<u32>,
    /// The column of A that each column of the core is, ascending.
    pub core_cols: Vec<u32>,
    /// The most non-zero entries ever held.
    pub peak_nnz: usize,
}

/// What an elimination found, and how.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
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
const WINDOW: usize = 16;
/// Counts of the first buckets.
const FIRST_CAP: usize = 64;
/// Rows that the dense finish takes at once.
const PANEL: usize = 256;
/// What they are asked for, and the numbers of columns.
const ROWS: &str = "rows on their way to a dense elimination";
const COLUMNS: &str = "the columns of a core";

/// The cheap pivots of `a` and what they leave.
///
/// Reports a phase "sparse elimination" in pivots.
///
/// # Errors
/// [`Error::Interrupted`]; [`Error::Memory`] when neither the rest nor its dense elimination fits in `max_memory`, or memory ends.
pub fn eliminate(a: &SparseMatrix, options: &EliminationOptions, observer: &dyn Observer) -> Result<Eliminated> {
    if a.modulus().bits() <= 32 {
        sparse_part::<u32>(a, options, observer)?.into_core(a.modulus())
    } else {
        sparse_part::<u64>(a, options, observer)?.into_core(a.modulus())
    }
}

/// The rank of `a`, exactly.
///
/// Reports two phases: "sparse elimination" in pivots, and "dense elimination" in rows.
///
/// # Errors
/// [`Error::Interrupted`]; [`Error::Memory`] when both ways go beyond `max_memory`, or memory ends.
pub fn rank(a: &SparseMatrix, options: &EliminationOptions, observer: &dyn Observer) -> Result<EliminationReport> {
    let options = &EliminationOptions { finish: Finish::Rows, ..*options };
    if a.modulus().bits() <= 32 {
        sparse_part::<u32>(a, options, observer)?.finish(a.modulus(), observer)
    } else {
        sparse_part::<u64>(a, options, observer)?.finish(a.modulus(), observer)
    }
}

/// Right-looking elimination where it stopped.
struct Part<V> {
    pivots: Vec<(u32, u32)>,
    active: Active<V>,
    peak_nnz: usize,
}

fn sparse_part<V: Residue>(a: &SparseMatrix, options: &EliminationOptions, observer: &dyn Observer) -> Result<Part<V>> {
    observer.phase("sparse elimination", a.rows().min(a.cols()) as u64);
    let first = Rest {
        rows: a.rows(),
        cols: a.cols(),
        nnz: a.nnz(),
        memory: Active::<V>::memory_of(a.rows(), a.cols(), a.nnz()),
    };
    first.must_fit(a.modulus(), options)?;
    let mut active = Active::<V>::new(a)?;
    let mut buckets = Buckets::new(&active, FIRST_CAP)?;
    let mut repeated = Repeated::new();
    let mut part = (vec![], active.nnz);
    let mut before = (first, Work::default());
    loop {
        let (pivots, peak_nnz) = &mut part;
        if pivots.len().is_multiple_of(WINDOW) {
            observer.check()?;
            observer.progress(pivots.len() as u64);
            if repeated.pass(&mut active)? {
                buckets.update(&active)?;
            }
            let now = (Rest::of(&active), active.work);
            if now.0.wants_dense(a.modulus(), options, before, now.1)? {
                break;
            }
            before = now;
        }
        let Some(pivot) = buckets.search(&active)? else { break };
        active.eliminate(pivot.row, pivot.col)?;
        buckets.update(&active)?;
        pivots.push((pivot.row, pivot.col));
        *peak_nnz = active.nnz.max(*peak_nnz);
    }
    observer.progress(part.0.len() as u64);
    Ok(Part { pivots: part.0, active, peak_nnz: part.1 })
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
    fn of<V: Residue>(active: &Active<V>) -> Self {
        Rest { rows: active.rows_left, cols: active.cols_left, nnz: active.nnz, memory: active.memory() }
    }

    /// Bytes of the dense elimination; the sparse rows stay until it has read them.
    fn dense_memory(self, modulus: Modulus) -> u64 {
        Echelon::memory(modulus, self.rows.min(self.cols), self.cols).saturating_add(self.memory)
    }

    /// An error if neither way fits; else whether the sparse way does.
    fn must_fit(self, modulus: Modulus, options: &EliminationOptions) -> Result<bool> {
        let fits = |bytes: u64| options.max_memory.is_none_or(|limit| bytes <= limit);
        if !fits(self.memory) {
            return Err(Error::Memory(format!(
                "elimination needs {} MB with {} x {} left ({} MB to finish densely)",
                self.memory >> 20,
                self.rows,
                self.cols,
                self.dense_memory(modulus) >> 20
            )));
        }
        Ok(fits(self.dense_memory(modulus)))
    }

    /// Whether to finish densely, `before` being the state one window of sparse pivots ago.
    fn wants_dense(
        self,
        modulus: Modulus,
        options: &EliminationOptions,
        before: (Rest, Work),
        work: Work,
    ) -> Result<bool> {
        if self.nnz == 0 {
            return Ok(false);
        }
        let dense_fits = self.must_fit(modulus, options)?;
        let density = self.nnz as f64 / (self.rows as f64 * self.cols as f64);
        let saved = before.0.dense_time(modulus, options.finish) - self.dense_time(modulus, options.finish);
        let wanted = self.rows.min(self.cols) <= options.dense_size
            || density >= options.dense_threshold
            || sparse_time(before.1, work) > saved
            || self.near_limit(modulus, options, before.0);
        Ok(wanted && dense_fits || self.nnz > options.max_nnz)
    }

    /// Whether the dense way is about to be lost: it takes most of the memory allowed, and more than a window ago.
    fn near_limit(self, modulus: Modulus, options: &EliminationOptions, before: Rest) -> bool {
        let bytes = self.dense_memory(modulus);
        options.max_memory.is_some_and(|limit| bytes > limit / 4 * 3) && bytes > before.dense_memory(modulus)
    }

    /// Nanoseconds of one thread for the dense elimination of full rank r: r²(n/2 - r/6) products for the independent
    /// rows, and r(n - r/2) for each of the others or a pass over the entries for each combination.
    fn dense_time(self, modulus: Modulus, finish: Finish) -> f64 {
        let (m, n) = (self.rows as f64, self.cols as f64);
        let (r, product) = (m.min(n), 1e9 * dense::PRODUCT_SECONDS[dense::size_class(modulus)]);
        let others = match finish {
            Finish::Rows => (m - r) * r * (n - r / 2.0) * product,
            Finish::Combinations => r * self.nnz as f64 * COMBINATION,
        };
        r * r * (n / 2.0 - r / 6.0) * product + others
    }
}

/// Nanoseconds of one thread for an entry of a sparse matrix times an entry of a block of vectors.
const COMBINATION: f64 = 0.04;

/// Nanoseconds of one thread for the sparse steps between two states of the count: fitted to windows of a 20000 x 20000 matrix with 10
/// random entries a row, of ch7-8-b4 and shar_te2-b2, where it is right within a factor of two. Changes wait for memory.
fn sparse_time(before: Work, now: Work) -> f64 {
    0.4 * (now.scanned - before.scanned) as f64
        + 20.0 * (now.changed - before.changed) as f64
        + 200.0 * (now.rows - before.rows) as f64
}

impl<V: Residue> Part<V> {
    /// Columns with entries, ascending, and the number of each column among them.
    fn renumber(&self) -> Result<(Vec<u32>, Vec<u32>)> {
        let lists = &self.active.col_rows;
        let mut used: Vec<u32> = memory::with_capacity(self.active.cols_left, COLUMNS)?;
        used.extend((0..lists.len() as u32).filter(|&j| !lists[j as usize].is_empty()));
        let mut number = memory::filled(u32::MAX, lists.len(), COLUMNS)?;
        used.iter().zip(0..).for_each(|(&j, new)| number[j as usize] = new);
        Ok((used, number))
    }

    fn into_core(mut self, modulus: Modulus) -> Result<Eliminated> {
        let (core_cols, number) = self.renumber()?;
        self.active.col_rows = vec![];
        let mut core = SparseMatrix::empty(modulus, core_cols.len(), self.active.rows_left, self.active.nnz)?;
        let mut core_rows = memory::with_capacity(self.active.rows_left, ROWS)?;
        let mut sorted = vec![];
        for (i, row) in self.active.rows.into_iter().enumerate().filter(|(_, row)| row.len() > 0) {
            sorted.extend(row.entries.iter().map(|(j, v)| (number[*j as usize], v.get())));
            sorted.sort_unstable_by_key(|&(j, _)| j);
            core.col.extend(sorted.iter().map(|&(j, _)| j));
            core.value.extend(sorted.drain(..).map(|(_, v)| v));
            core.start.push(core.col.len());
            core_rows.push(i as u32);
        }
        let (rows, cols) = memory::unzip(self.pivots.into_iter(), ROWS)?;
        Ok(Eliminated { rows, cols, core, core_rows, core_cols, peak_nnz: self.peak_nnz })
    }

    /// The rank, by dense elimination of what is left; rows go as they are read.
    fn finish(mut self, modulus: Modulus, observer: &dyn Observer) -> Result<EliminationReport> {
        let (used, number) = self.renumber()?;
        self.active.col_rows = vec![];
        let left = self.active.rows.into_iter().filter(|row| row.len() > 0);
        let mut rows: Vec<SparseRow<V>> = memory::collect(left, ROWS)?;
        let report = EliminationReport {
            rank: self.pivots.len(),
            sparse_pivots: self.pivots.len(),
            dense_rows: rows.len(),
            dense_cols: used.len(),
            peak_nnz: self.peak_nnz,
        };
        observer.phase("dense elimination", rows.len() as u64);
        let mut echelon = Echelon::new(modulus, used.len())?;
        while !rows.is_empty() {
            let copy = |row: SparseRow<V>| -> Result<(Vec<u32>, Vec<u64>)> {
                let mut cols = memory::with_capacity(row.len(), ROWS)?;
                cols.extend(row.entries.iter().map(|e| number[e.0 as usize]));
                let mut values = memory::with_capacity(row.len(), ROWS)?;
                values.extend(row.entries.iter().map(|e| e.1.get()));
                Ok((cols, values))
            };
            let panel = rows.drain(rows.len().saturating_sub(PANEL)..).map(copy).collect::<Result<Vec<_>>>()?;
            let panel: Vec<Row<'_>> = panel.iter().map(|(cols, values)| (cols.as_slice(), values.as_slice())).collect();
            echelon.absorb(&panel, &Quiet(observer))?;
            observer.progress((report.dense_rows - rows.len()) as u64);
        }
        Ok(EliminationReport { rank: report.rank + echelon.rank(), ..report })
    }
}

#[cfg(test)]
mod tests;
