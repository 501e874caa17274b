//! Structural pivots that are ±1, all at once: A ~ I ⊕ S over ℤ, S = A₂₂ - A₂₁·U⁻¹·A₁₂ with a unimodular triangle U.
//!
//! The pivots are found from positions alone ([`crate::pivots`]), mod a prime above all entries; those that are no
//! units are left out, since any subsequence of a triangular chain is one. Each other row is reduced by the pivots in
//! their order, which fills in only pivots that come later. Nearly all of the rank of a boundary matrix is found so, in
//! a fraction of the time that pivots one by one take.

use super::units::Row;
use crate::answers::marks::Marks;
use crate::field::Modulus;
use crate::pivots::{Effort, find_best};
use crate::report::Kept;
use crate::sparse::{Integer, Triplets};
use crate::{Observer, Result, memory};
use rayon::prelude::*;

/// What the memory is for.
const ROWS: &str = "a Schur complement over Z";
/// Entries below which pivots one by one do as well.
const LEAST: usize = if cfg!(test) { 1 << 7 } else { 1 << 11 };
/// Rows that a task reduces, and that are compared with one another before there are more.
const TASK: usize = if cfg!(test) { 4 } else { 64 };
const BATCH: usize = 64 * TASK;

/// A matrix after its structural pivots.
pub(super) struct Reduced {
    pub pivots: usize,
    /// Rows of S, different, without those that are 0; possibly those of its transpose.
    pub rows: Vec<Row<i64>>,
    pub cols: usize,
}

/// The Schur complement of structural pivots that are ±1; `None` for small matrices, for entries beyond 31 bits, and
/// where the complement has larger entries than words, or more than the matrix: one by one, pivots adapt to fill-in.
///
/// # Errors
/// [`Error::Interrupted`](crate::Error::Interrupted), [`Error::Memory`](crate::Error::Memory).
pub(super) fn reduce(a: &Triplets, observer: &dyn Observer) -> Result<Option<Reduced>> {
    let modulus = Modulus::new((1 << 31) - 1)?;
    let small = |v: Integer<'_>| matches!(v, Integer::Small(v) if v.unsigned_abs() < modulus.get());
    if a.nnz() < LEAST || !a.entries().all(|(_, _, v)| small(v)) {
        return Ok(None);
    }
    let (transposed, found) = find_best(&a.try_reduce(modulus)?, &Effort::default(), observer)?;
    let turned;
    let a = if transposed {
        turned = a.try_transpose()?;
        &turned
    } else {
        a
    };
    let mut rows: Vec<Row<i64>> = memory::with_capacity(a.rows(), ROWS)?;
    rows.resize_with(a.rows(), Vec::new);
    for (i, j, v) in a.entries() {
        let Integer::Small(v) = v else { return Ok(None) };
        memory::push(&mut rows[i], (j as u32, v), ROWS)?;
    }
    let mut units = vec![];
    for (&i, &j) in found.pivots.rows.iter().zip(&found.pivots.cols) {
        let row = &rows[i as usize];
        let unit = row[row.binary_search_by_key(&j, |e| e.0).expect("pivots are entries")].1;
        if unit.abs() == 1 {
            memory::push(&mut units, (j, unit, std::mem::take(&mut rows[i as usize])), ROWS)?;
        }
    }
    let chain = Chain::new(&units, a.cols())?;
    rows.retain(|row| !row.is_empty());
    let limit = a.nnz();
    let key = || (a.digest(), transposed, (&found.pivots.rows, &found.pivots.cols));
    let state = Kept::of("complement-over-z", key, observer)?;
    let kept = chain.complement(rows, limit, &state, observer)?;
    Ok(kept.map(|rows| Reduced { pivots: units.len(), rows, cols: a.cols() }))
}

/// The pivots and what they do, by names of the columns: those without a pivot come first, ascending, and then those of
/// the pivots, the first one last. So what is left of a row is in order, and the next pivot is the largest name.
struct Chain {
    /// The name of each column.
    name: Vec<u32>,
    /// The columns without a pivot.
    free: Vec<u32>,
    /// Where the row of the pivot with each name begins, from the first such name on.
    start: Vec<usize>,
    /// Multiples by ±1 of rows whose pivots are 1, without these.
    entries: Row<i64>,
}

/// What a task needs: sums by name, and the names at which there may be any.
struct Workspace {
    sums: Vec<i64>,
    met: Marks,
}

impl Chain {
    /// Of columns, units and rows of pivots in their order.
    fn new(units: &[(u32, i64, Row<i64>)], cols: usize) -> Result<Chain> {
        let mut name = memory::filled(u32::MAX, cols, ROWS)?;
        for (k, &(j, ..)) in units.iter().enumerate() {
            name[j as usize] = (cols - 1 - k) as u32;
        }
        let mut free: Vec<u32> = memory::with_capacity(cols - units.len(), ROWS)?;
        for (j, name) in name.iter_mut().enumerate().filter(|e| *e.1 == u32::MAX) {
            *name = free.len() as u32;
            free.push(j as u32);
        }
        let mut start = memory::with_capacity(units.len() + 1, ROWS)?;
        let mut entries: Row<i64> = vec![];
        for (j, unit, row) in units.iter().rev() {
            start.push(entries.len());
            memory::reserve(&mut entries, row.len(), ROWS)?;
            entries.extend(row.iter().filter(|e| e.0 != *j).map(|&(c, v)| (name[c as usize], v * unit)));
        }
        start.push(entries.len());
        Ok(Chain { name, free, start, entries })
    }

    fn complement(
        &self,
        rows: Vec<Row<i64>>,
        limit: usize,
        state: &Kept<'_>,
        observer: &dyn Observer,
    ) -> Result<Option<Vec<Row<i64>>>> {
        observer.phase("Schur complement over Z", rows.len() as u64);
        let cols = self.name.len();
        let workspace = || Workspace { sums: memory::or_panic(memory::zeros(cols, ROWS)), met: Marks::new(cols) };
        // Batches that are done, and what is left of them.
        let (before, mut kept, mut nnz): (usize, Vec<Row<i64>>, usize) = state.load()?.unwrap_or_default();
        observer.restored((before * BATCH) as u64);
        for (done, batch) in rows.chunks(BATCH).enumerate().skip(before) {
            observer.check()?;
            observer.progress((done * BATCH) as u64);
            if state.is_due() {
                state.store(&(done, &kept, nnz))?;
            }
            let tasks: Vec<Option<Vec<Row<i64>>>> = batch
                .par_chunks(TASK)
                .map_init(workspace, |w, task| task.iter().map(|row| self.reduce(row, w)).collect())
                .collect();
            for task in tasks {
                let Some(task) = task else { return Ok(None) };
                for row in task.into_iter().filter(|row| !row.is_empty()) {
                    nnz += row.len();
                    memory::push(&mut kept, row, ROWS)?;
                }
            }
            if nnz > limit {
                kept.par_sort_unstable();
                kept.dedup();
                nnz = kept.iter().map(Vec::len).sum();
                if nnz > limit / 2 {
                    return Ok(None);
                }
            }
        }
        kept.par_sort_unstable();
        kept.dedup();
        Ok(Some(kept))
    }

    /// A row reduced by all pivots that it meets, its first entry positive; `None` if an entry leaves the words.
    fn reduce(&self, row: &[(u32, i64)], w: &mut Workspace) -> Option<Row<i64>> {
        let mut fits = true;
        row.iter().for_each(|&(j, v)| fits &= w.add(self.name[j as usize], v, 1));
        let free = self.free.len();
        while let Some(k) = w.met.take_last() {
            if k < free || !fits {
                w.met.insert(k);
                break;
            }
            let f = std::mem::take(&mut w.sums[k]);
            if f != 0 {
                let row = &self.entries[self.start[k - free]..self.start[k - free + 1]];
                // No sum is the least word, so that each has a negative.
                row.iter().for_each(|&(name, v)| fits &= w.add(name, v, -f));
            }
        }
        let mut left: Row<i64> = vec![];
        let Workspace { sums, met } = w;
        met.drain(|k| {
            let v = std::mem::take(&mut sums[k]);
            if v != 0 && fits {
                left.push((self.free[k], v));
            }
        });
        if left.first().is_some_and(|e| e.1 < 0) {
            left.iter_mut().for_each(|e| e.1 = -e.1);
        }
        fits.then_some(left)
    }
}

impl Workspace {
    /// Adds f·v: whether the sum is a word, and not the least one, which has no negative.
    #[inline(always)]
    fn add(&mut self, name: u32, v: i64, f: i64) -> bool {
        let sum = &mut self.sums[name as usize];
        let (product, beyond) = f.overflowing_mul(v);
        let (new, above) = sum.overflowing_add(product);
        *sum = new;
        self.met.insert(name as usize);
        !(beyond | above | (new == i64::MIN))
    }
}
