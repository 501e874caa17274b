//! Rows of S by sparse triangular solves with the pivot rows.
//!
//! Let pivot k be a(iₖ, jₖ), with a(iₖ, jₗ) = 0 for l < k. A row of A loses its entries in the pivot columns by row -=
//! row[jₖ]/a(iₖ, jₖ) · A[iₖ], k ascending: pivot row k changes only columns jₗ with l > k and columns without pivot.
//! What is left in the others is the row of S. Gilbert and Peierls (SIAM J. Sci. Stat. Comput. 9, 1988) first find the
//! pivots that a row meets by a depth-first search, so that the time grows with the multiply-adds and not with t. Here
//! the pivots met wait in a bit set that yields the least of them at once ([`Queue`]): one pass does both, and a pivot
//! whose coefficient cancels (on ±1 matrices many do) is never followed.
//!
//! A chain of pivots is a chain of waits for memory. So pivot rows that stay short when the later pivots are eliminated
//! from them are kept in that form: rows of -U⁻¹·A₁₂, after which nothing is left to follow. On matrices of homology
//! these are nearly all; where they fill in, the rows stay as they are. Pivots of one level do not need each other:
//! their rows are made in parallel.
//!
//! Sums wait for reduction: see [`Arithmetic::ceiling`].

use super::Split;
use super::arithmetic::Arithmetic;
use super::levels::{Group, Levels};
use super::pivot_rows::{AHEAD, Entry, PivotRow, ROWS, Rows};
use super::queue::Queue;
use super::row_sums::RowSums;
use crate::field::Modulus;
use crate::parallel::Each;
use crate::spare::Spare;
use crate::{Observer, Result, memory};
use rayon::prelude::*;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;

/// Most entries of a pivot row from which later pivots were eliminated.
const RESOLVED: usize = 64;
/// Most products spent on such a row.
const PRODUCTS: usize = 4 * RESOLVED;
/// Entries of all pivot rows together, as a multiple of those of A, from which on rows stay as they are.
const GROWTH: usize = 2;
/// Pivot rows that a task makes, and those of all tasks at a time.
const TASK: usize = 1 << 6;
const BATCH: usize = 1 << 14;
/// Pivots whose rows a task looks at for others that they need.
const REACH: usize = 1 << 10;
/// Pivots of one level from which on they are shared out to tasks.
const WIDE: usize = 4 * TASK;

const WORKSPACE: &str = "the workspace of a solver";

/// The pivot rows as the solver reads them.
#[derive(Debug)]
pub(super) struct Triangle<K: Arithmetic> {
    arithmetic: K,
    /// For each column of A the number of its pivot; t plus its number in S if there is none.
    place: Vec<u32>,
    rows: Rows<K>,
    /// Whether the row of each pivot is there; then those of all pivots that it needs are.
    made: Vec<bool>,
    /// Columns of S.
    cols: usize,
    /// Workspaces of threads that are done.
    spare: Spare<Workspace<K>>,
}

/// What one thread needs to solve; clean between two rows.
#[derive(Debug)]
pub(super) struct Workspace<K: Arithmetic> {
    queue: Queue,
    /// By pivot: the coefficients to be.
    inside: Vec<u64>,
    /// By column of S: the row to be.
    outside: RowSums,
    /// A pivot row from which later pivots were eliminated.
    resolved: Vec<Entry<K>>,
}

impl<K: Arithmetic> Triangle<K> {
    /// Without any rows.
    pub(super) fn new(split: &Split) -> Result<Self> {
        let (a, pivots) = (split.a, split.pivots);
        let t = pivots.len();
        let mut place = memory::zeros(a.cols(), WORKSPACE)?;
        pivots.cols.iter().chain(&split.cols).zip(0..).for_each(|(&j, s)| place[j as usize] = s);
        let rows = Rows { at: memory::filled(PivotRow::default(), t, ROWS)?, entries: vec![] };
        let made = memory::filled(false, t, ROWS)?;
        let (arithmetic, cols, spare) = (K::new(a.modulus()), split.cols.len(), Spare::default());
        Ok(Triangle { arithmetic, place, rows, made, cols, spare })
    }

    /// Makes the rows of all pivots.
    ///
    /// Panics if the pivots are not triangular or zero.
    pub(super) fn make_all(&mut self, split: &Split, observer: &dyn Observer) -> Result<()> {
        let needed = memory::filled(true, self.made.len(), ROWS)?;
        self.make(split, needed, observer)?;
        self.rows.entries.shrink_to_fit();
        Ok(())
    }

    /// Makes the rows of all pivots that these rows of A lead to.
    ///
    /// Panics as [`Triangle::make_all`].
    pub(super) fn make_for(&mut self, split: &Split, rows: &[u32], observer: &dyn Observer) -> Result<()> {
        let needed = self.needed(split, rows)?;
        self.make(split, needed, observer)
    }

    /// The pivots that these rows of A lead to, among others that are there.
    fn needed(&self, split: &Split, rows: &[u32]) -> Result<Vec<bool>> {
        let met: Vec<AtomicBool> = memory::collect(self.made.iter().map(|&made| AtomicBool::new(made)), ROWS)?;
        let lead_to = |rows: &[u32]| {
            let mut pivots = vec![];
            for &i in rows {
                for &j in split.a.row(i as usize).0 {
                    let s = self.place[j as usize];
                    let met = met.get(s as usize);
                    if met.is_some_and(|met| !met.load(Relaxed) && !met.swap(true, Relaxed)) {
                        memory::push(&mut pivots, split.pivots.rows[s as usize], ROWS)?;
                    }
                }
            }
            Ok(pivots)
        };
        let mut last = lead_to(rows)?;
        while !last.is_empty() {
            let next: Vec<Vec<u32>> = last.par_chunks(REACH).try_make(lead_to)?;
            last.clear();
            memory::reserve(&mut last, next.iter().map(Vec::len).sum(), ROWS)?;
            next.into_iter().for_each(|more| last.extend(more));
        }
        memory::collect(met.into_iter().map(AtomicBool::into_inner), ROWS)
    }

    /// Makes the rows of those pivots that are not there yet. All that they need are among them, or there.
    fn make(&mut self, split: &Split, needed: Vec<bool>, observer: &dyn Observer) -> Result<()> {
        let (a, pivots) = (split.a, split.pivots);
        // A pivot needs later ones.
        let missing = (0..pivots.len()).rev().filter(|&k| needed[k] && !self.made[k]).map(|k| k as u32);
        let levels = Levels::of(a, &pivots.rows, &pivots.cols, missing)?;
        let entries =
            levels.order.iter().map(|&k| a.row(pivots.rows[k as usize] as usize).0.len().saturating_sub(1)).sum();
        memory::reserve_exact(&mut self.rows.entries, entries, ROWS)?;
        let mut own = self.take_workspace()?;
        for group in levels.groups(WIDE, BATCH) {
            observer.check()?;
            match group {
                Group::Chained(chained) => self.chain(split, chained, &mut own)?,
                Group::Independent(mut batch) => {
                    while !batch.is_empty() {
                        // So many may grow to the full.
                        let room = (GROWTH * a.nnz()).saturating_sub(self.rows.entries.len());
                        let count = if room > 0 { (room / RESOLVED).clamp(1, batch.len()) } else { batch.len() };
                        let made =
                            |pivots: &[u32]| self.with_workspace(|w| self.pivot_rows(split, pivots, room > 0, w));
                        let (now, later) = batch.split_at(count);
                        let made: Vec<Rows<K>> = now.par_chunks(TASK).try_make(made)?;
                        for (rows, pivots) in made.into_iter().zip(now.chunks(TASK)) {
                            self.rows.extend(rows, pivots)?;
                        }
                        batch = later;
                    }
                }
            }
        }
        self.give_back(own);
        self.made = needed;
        Ok(())
    }

    /// Makes the rows of pivots one after the other, of which each may need those before it.
    fn chain(&mut self, split: &Split, pivots: &[u32], w: &mut Workspace<K>) -> Result<()> {
        let scaled = Rows::scaled(self.arithmetic, split, &self.place, pivots)?;
        for (k, &at) in pivots.iter().enumerate() {
            let (inside, outside) = scaled.row(k);
            let may_grow = self.rows.entries.len() < GROWTH * split.a.nnz();
            self.rows.at[at as usize] = match may_grow && self.resolve(inside, outside, w)? {
                true => self.rows.append(&[], &w.resolved)?,
                false => self.rows.append(inside, outside)?,
            };
        }
        Ok(())
    }

    /// The rows of some pivots of one level, in their order; those that stay short without the later pivots.
    fn pivot_rows(&self, split: &Split, pivots: &[u32], may_grow: bool, w: &mut Workspace<K>) -> Result<Rows<K>> {
        let scaled = Rows::scaled(self.arithmetic, split, &self.place, pivots)?;
        if !may_grow {
            return Ok(scaled);
        }
        let at = memory::with_capacity(pivots.len(), ROWS)?;
        let mut rows = Rows { at, entries: memory::with_capacity(scaled.entries.len(), ROWS)? };
        for k in 0..pivots.len() {
            if k + AHEAD < pivots.len() {
                scaled.row(k + AHEAD).0.iter().for_each(|&(s, _)| self.rows.prefetch(s as usize));
            }
            let (inside, outside) = scaled.row(k);
            let row = match self.resolve(inside, outside, w)? {
                true => rows.append(&[], &w.resolved)?,
                false => rows.append(inside, outside)?,
            };
            rows.at.push(row);
        }
        Ok(rows)
    }

    /// Eliminates the later pivots from a row, if theirs are and it stays short: leaves it in the workspace.
    fn resolve(&self, inside: &[Entry<K>], outside: &[Entry<K>], w: &mut Workspace<K>) -> Result<bool> {
        let later = inside.iter().map(|&(s, _)| self.rows.at[s as usize]);
        let products = later.clone().map(|row| row.outside as usize).sum::<usize>();
        // A product cancels an entry at most.
        let long = products > PRODUCTS || outside.len() > RESOLVED + products;
        if inside.is_empty() || long || later.clone().any(|row| row.inside > 0) {
            return Ok(false);
        }
        w.outside.add(self.arithmetic, 1, outside);
        for &(s, v) in inside {
            w.outside.add(self.arithmetic, v.into(), self.rows.row(s as usize).1);
        }
        w.resolved.clear();
        w.outside.drain(self.arithmetic, &mut w.resolved)?;
        Ok(w.resolved.len() <= RESOLVED)
    }

    /// What `work` does with a workspace, which others have used before; it is kept if all went well.
    ///
    /// # Errors
    /// Those of `work`, and [`Error::Memory`](crate::Error::Memory).
    pub(super) fn with_workspace<R>(&self, work: impl FnOnce(&mut Workspace<K>) -> Result<R>) -> Result<R> {
        let mut w = self.take_workspace()?;
        let done = work(&mut w)?;
        self.give_back(w);
        Ok(done)
    }
    /// A workspace, clean.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    pub(super) fn take_workspace(&self) -> Result<Workspace<K>> {
        self.spare.take(|_| true, || self.workspace())
    }
    /// Keeps a workspace, clean, for the next.
    pub(super) fn give_back(&self, workspace: Workspace<K>) {
        self.spare.give_back(workspace);
    }

    fn workspace(&self) -> Result<Workspace<K>> {
        Ok(Workspace {
            queue: Queue::new(self.rows.at.len())?,
            inside: memory::zeros(self.rows.at.len(), WORKSPACE)?,
            outside: RowSums::new(self.cols)?,
            resolved: vec![],
        })
    }

    fn modulus(&self) -> Modulus {
        self.arithmetic.modulus()
    }

    /// Asks for what solving a row with entries in these columns reads first.
    pub(super) fn prefetch(&self, cols: &[u32]) {
        let places = cols.iter().map(|&j| self.place[j as usize] as usize);
        places.filter(|&s| s < self.rows.at.len()).for_each(|s| self.rows.prefetch(s));
    }

    /// The row of S that comes from `row`, the rows of whose pivots must be there, behind what `out` holds: columns of
    /// S ascending, non-zero residues. Returns the number of multiply-adds.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory), after which the workspace is good for nothing.
    pub(super) fn solve(&self, row: (&[u32], &[u64]), w: &mut Workspace<K>, out: &mut Vec<Entry<K>>) -> Result<u64> {
        let (k, p, t) = (self.arithmetic, self.modulus(), self.rows.at.len());
        let mut work = 0;
        for (&j, &v) in row.0.iter().zip(row.1) {
            let s = self.place[j as usize] as usize;
            if s >= t {
                w.outside.add(k, 1, &[((s - t) as u32, K::value(v))]);
                continue;
            }
            debug_assert!(self.made[s], "a row whose pivots are not there");
            let (inside, outside) = self.rows.row(s);
            if inside.is_empty() {
                // Nothing follows, so that its turn does not matter.
                work += outside.len() as u64;
                w.outside.add(k, v, outside);
            } else {
                w.inside[s] = v;
                w.queue.insert(s);
            }
        }
        while let Some(at) = w.queue.pop() {
            let coefficient = p.reduce(std::mem::take(&mut w.inside[at]));
            if coefficient == 0 {
                continue;
            }
            let (inside, outside) = self.rows.row(at);
            work += (inside.len() + outside.len()) as u64;
            k.products(coefficient, inside, |s, product| {
                let sum = &mut w.inside[s as usize];
                if *sum == 0 {
                    w.queue.insert(s as usize);
                }
                *sum = k.add(*sum, product);
            });
            w.outside.add(k, coefficient, outside);
        }
        w.queue.restart();
        w.outside.drain_sorted(k, out)?;
        Ok(work)
    }
}

#[cfg(test)]
#[path = "triangle_tests.rs"]
mod tests;
