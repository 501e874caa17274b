//! Structural pivots that are ±1, all at once: A ~ I ⊕ S over ℤ, S = A₂₂ - A₂₁·U⁻¹·A₁₂ with a unimodular triangle U.
//!
//! The pivots are found from positions alone ([`crate::pivots`]), mod a prime above all entries; those that are no units
//! are left out, since any subsequence of a triangular chain is one. Each other row is reduced by the pivots in their
//! order, which fills in only pivots that come later. Nearly all of the rank of a boundary matrix is found so, in a
//! fraction of the time that pivots one by one take.

use super::units::Row;
use crate::field::Modulus;
use crate::pivots::{Effort, find_best};
use crate::sparse::{Integer, Triplets};
use crate::{Observer, Result, memory};
use rayon::prelude::*;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// What the memory is for.
const ROWS: &str = "a Schur complement over Z";
/// Entries below which pivots one by one do as well.
const LEAST: usize = 1 << 11;
/// Rows that a task reduces, and that are compared with one another before there are more.
const TASK: usize = 64;
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
    let mut chain = Chain { place: memory::filled(u32::MAX, a.cols(), ROWS)?, rows: vec![] };
    for (&i, &j) in found.pivots.rows.iter().zip(&found.pivots.cols) {
        let row = &rows[i as usize];
        let unit = row[row.binary_search_by_key(&j, |e| e.0).expect("pivots are entries")].1;
        if unit.abs() == 1 {
            chain.place[j as usize] = chain.rows.len() as u32;
            chain.rows.push((j, unit, std::mem::take(&mut rows[i as usize])));
        }
    }
    rows.retain(|row| !row.is_empty());
    let limit = a.nnz();
    let kept = chain.complement(rows, limit, observer)?;
    Ok(kept.map(|rows| Reduced { pivots: chain.rows.len(), rows, cols: a.cols() }))
}

/// The pivots in their order.
struct Chain {
    /// The number of the pivot in each column, or `u32::MAX`.
    place: Vec<u32>,
    /// Column, unit, and row of each.
    rows: Vec<(u32, i64, Row<i64>)>,
}

/// What a task needs: a row by columns, which of them it has reached, and the pivots among those.
struct Workspace {
    sum: Vec<i64>,
    reached: Vec<bool>,
    cols: Vec<u32>,
    open: BinaryHeap<Reverse<u32>>,
}

impl Chain {
    fn complement(&self, rows: Vec<Row<i64>>, limit: usize, observer: &dyn Observer) -> Result<Option<Vec<Row<i64>>>> {
        observer.phase("Schur complement over Z", rows.len() as u64);
        let workspace = || Workspace {
            sum: memory::or_panic(memory::zeros(self.place.len(), ROWS)),
            reached: memory::or_panic(memory::filled(false, self.place.len(), ROWS)),
            cols: vec![],
            open: BinaryHeap::new(),
        };
        let (mut kept, mut nnz): (Vec<Row<i64>>, usize) = (vec![], 0);
        for (done, batch) in rows.chunks(BATCH).enumerate() {
            observer.check()?;
            observer.progress((done * BATCH) as u64);
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
        row.iter().for_each(|&(j, v)| self.add(j, v, w).expect("an entry on 0"));
        let mut fits = true;
        while let Some(Reverse(k)) = w.open.pop() {
            let (j, unit, row) = &self.rows[k as usize];
            // The unit is its own inverse.
            let f = -(w.sum[*j as usize] * unit);
            if f != 0 && fits {
                let add = |&(j, v): &(u32, i64)| self.add(j, f.checked_mul(v)?, w);
                fits = row.iter().map(add).all(|added| added.is_some());
            }
        }
        let mut left: Row<i64> = vec![];
        for &j in &w.cols {
            let v = std::mem::take(&mut w.sum[j as usize]);
            w.reached[j as usize] = false;
            if v != 0 {
                left.push((j, v));
            }
        }
        w.cols.clear();
        left.sort_unstable_by_key(|e| e.0);
        if left.first().is_some_and(|e| e.1 < 0) {
            left.iter_mut().for_each(|e| e.1 = -e.1);
        }
        fits.then_some(left)
    }

    #[inline(always)]
    fn add(&self, j: u32, v: i64, w: &mut Workspace) -> Option<()> {
        let at = j as usize;
        if !w.reached[at] {
            w.reached[at] = true;
            w.cols.push(j);
            if self.place[at] != u32::MAX {
                w.open.push(Reverse(self.place[at]));
            }
        }
        // The least word has no negative.
        w.sum[at] = w.sum[at].checked_add(v).filter(|&sum| sum > i64::MIN)?;
        Some(())
    }
}
