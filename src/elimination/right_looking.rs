//! Right-looking elimination: pivots of small Markowitz cost until the rest is for dense elimination, and that.

use super::active::{Active, SparseRow, Work};
use super::eliminated::{Eliminated, EliminationReport};
use super::markowitz::{Buckets, FIRST_CAP};
use super::options::{EliminationOptions, Finish};
use super::repeated::Repeated;
use super::residue::Residue;
use super::stop::{Rest, WINDOW};
use crate::decomposition::{Lines, Remainder};
use crate::dense::{Echelon, Row};
use crate::field::Modulus;
use crate::report::Quiet;
use crate::sparse::SparseMatrix;
use crate::{Observer, Result, memory};

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
/// [`Error::Interrupted`](crate::Error::Interrupted); [`Error::Memory`](crate::Error::Memory) when neither the rest nor
/// its dense elimination fits in `max_memory`, or memory ends.
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
/// [`Error::Interrupted`](crate::Error::Interrupted); [`Error::Memory`](crate::Error::Memory) when both ways go beyond
/// `max_memory`, or memory ends.
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
        let lines = Lines { rows: core_rows, cols: core_cols };
        let remainder = Remainder { matrix: core, lines, divisors: None };
        Ok(Eliminated { pivots: Lines { rows, cols }, remainder, peak_nnz: self.peak_nnz })
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
