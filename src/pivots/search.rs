//! The search for pivots in columns where other pivotal rows already have entries: no alternating cycle may arise.
//!
//! Draw an arrow from pivot k to pivot l if the row of k has an entry in the column of l. The set is triangular if and
//! only if there is no directed cycle. An entry (i, j) outside can join unless a path leads from a pivotal column of
//! row i to a pivotal row with an entry in column j (Bouillaguet, Delaplace & Voge, *Parallel sparse PLUQ factorization
//! modulo p*, PASCO 2017, §4). One breadth-first search from row i decides all its candidate columns at once, and ends
//! when none is left.
//!
//! Unlike there, every pivotal row carries a *label* that grows along all arrows, as in dynamic topological orders
//! (Pearce & Kelly, ACM JEA 11, 2006): a path to column j can only pass labels up to the largest one that meets column
//! j, so the search stays inside a window, and often need not begin. A new pivot gets a label between those of its
//! neighbours, or pushes the labels behind it up.
//!
//! Rows are searched in parallel against one state of the set, batch by batch, and join one by one in order. A row that
//! failed fails for good, since arrows are only added; for one that succeeded, the search goes on from the rows of the
//! batch that joined before it, as far as what it reached leads to them. Batches do not depend on the number of
//! threads, so neither does the outcome.

use super::bits::Bits;
use super::degrees::Degrees;
use super::incidence::Lines;
use crate::parallel::Each;
use crate::spare::Spare;
use crate::{Observer, Result, memory};
use rayon::prelude::*;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

const NONE: u32 = u32::MAX;
/// Of a column of which nobody has asked yet for the last pivotal row. (That of the largest matrices may have this
/// number, and is looked for each time.)
const UNASKED: u32 = u32::MAX - 1;
/// What the memory is for.
const SEARCH: &str = "the search for pivots";
/// Distance of neighbouring labels at the start: room for new pivots between them. Any value ≥ 1 is correct.
const GAP: i64 = 1 << 24;
/// What a task may spend, as a multiple of an equal share of what is left: few rows take most of it.
const SHARE: u64 = 4;
/// Rows of which one task looks which may join.
const PART: usize = 1 << 14;
/// Rows that one task searches, and the fewest and the most tasks in a batch: after a batch in which no row joined
/// there are twice as many, after any other the fewest.
const TASK: usize = 16;
const TASKS: [usize; 2] = [32, 256];

/// The scratch of one task, a bit for each row and column; empty between searches.
struct Scratch {
    candidates: Vec<u32>,
    alive: Bits,
    queue: Vec<u32>,
    visited: Bits,
}

/// A row that can join, as long as no other does.
struct Able {
    row: u32,
    /// The columns with which it can, the best first; all of them where it is said what the row leads to.
    cols: Vec<u32>,
    leads_to: Option<Reached>,
    /// What it took to see that.
    work: u64,
}

/// All pivotal rows that a row leads to with labels up to a limit.
struct Reached {
    rows: Bits,
    limit: i64,
}

/// The triangular set while it grows. Only lines of the core take part ([`peel`](super::peel)): pivots that were peeled
/// come before or after all others, whatever joins.
pub(super) struct Search<'a> {
    rows: Lines<'a>,
    cols: Lines<'a>,
    /// How many entries rows and columns have in the core.
    core: [&'a Degrees; 2],
    /// The pivotal row of each column, the pivotal column of each row, or NONE.
    row_of: Vec<u32>,
    col_of: Vec<u32>,
    /// Labels of pivotal rows; they grow along arrows.
    label: Vec<i64>,
    /// For each column of which that was asked, the pivotal row with the largest label among those with an entry there.
    last: Vec<AtomicU32>,
    /// The pivots at the start, in triangular order.
    start: Vec<(u32, u32)>,
    /// The rows of those that joined, and of those whose labels were raised.
    moved: Bits,
}

impl<'a> Search<'a> {
    /// Starts with pivots (row, column) of the core, in triangular order.
    pub fn new([rows, cols]: [Lines<'a>; 2], core: [&'a Degrees; 2], start: Vec<(u32, u32)>) -> Result<Self> {
        let mut search = Search {
            rows,
            cols,
            core,
            row_of: memory::filled(NONE, cols.len(), SEARCH)?,
            col_of: memory::filled(NONE, rows.len(), SEARCH)?,
            label: memory::zeros(rows.len(), SEARCH)?,
            last: memory::collect((0..cols.len()).map(|_| AtomicU32::new(UNASKED)), SEARCH)?,
            start: vec![],
            moved: Bits::new(rows.len(), SEARCH)?,
        };
        for (k, &(i, j)) in start.iter().enumerate() {
            search.row_of[j as usize] = i;
            search.col_of[i as usize] = j;
            search.label[i as usize] = k as i64 * GAP;
        }
        Ok(Search { start, ..search })
    }

    /// Tries all rows, short ones first, until it has visited the entries that are `allowed` for the pivots found, or
    /// going on is not `worth` it any more after so many; returns the number of pivots that joined. That weighs effort
    /// against benefit; correctness does not depend on it.
    pub fn run(
        &mut self,
        allowed: &dyn Fn(usize) -> u64,
        worth: &mut dyn FnMut(&Self, u64) -> Result<bool>,
        observer: &dyn Observer,
    ) -> Result<usize> {
        let order = self.free_rows()?;
        let (rows, cols) = (self.rows.len(), self.cols.len());
        let scratch = || -> Result<Scratch> {
            let (alive, visited) = (Bits::new(cols, SEARCH)?, Bits::new(rows, SEARCH)?);
            Ok(Scratch { candidates: vec![], alive, queue: vec![], visited })
        };
        let spare = Spare::default();
        let (mut joined, mut work, mut tasks, mut order) = (0, 0, TASKS[0], &order[..]);
        while !order.is_empty() {
            observer.check()?;
            let (batch, rest) = order.split_at(order.len().min(TASK * tasks));
            order = rest;
            let Some(left) = allowed(joined).checked_sub(work) else { break };
            if !worth(self, work)? {
                break;
            }
            let share = left / tasks as u64 * SHARE;
            let state = &*self;
            let search = |task: &[u32], scratch: &mut Scratch| {
                let (mut found, mut work) = (vec![], 0);
                for &i in task {
                    found.extend(state.candidate(i, scratch, &mut work)?);
                    if work > share {
                        break;
                    }
                }
                Ok((found, work))
            };
            let search = |task| spare.lend(|_| true, scratch, |scratch| search(task, scratch))?;
            let found = batch.par_chunks(TASK).try_make(search)?;
            work += found.iter().map(|(_, work)| work).sum::<u64>();
            let mut again = spare.take(|_| true, scratch)?;
            let mut new = vec![];
            for able in found.into_iter().flat_map(|(found, _)| found) {
                let i = able.row;
                if let Some(j) = self.still(able, &new, &mut again, &mut work)? {
                    self.join(i, j, &mut again, &mut work)?;
                    memory::push(&mut new, (i, j), SEARCH)?;
                }
            }
            spare.give_back(again);
            joined += new.len();
            tasks = if new.is_empty() { (2 * tasks).min(TASKS[1]) } else { TASKS[0] };
        }
        Ok(joined)
    }

    /// The largest label among the pivotal rows with an entry in column j; `i64::MIN` if there are none. Who asks first
    /// looks through the column; what joins later keeps that up.
    #[inline(always)]
    fn last(&self, j: u32) -> i64 {
        let last = match self.last[j as usize].load(Relaxed) {
            UNASKED => self.look_for_last(j),
            last => last,
        };
        if last == NONE { i64::MIN } else { self.label[last as usize] }
    }
    #[cold]
    #[inline(never)]
    fn look_for_last(&self, j: u32) -> u32 {
        let pivotal = self.cols.line(j).iter().copied().filter(|&i| self.col_of[i as usize] != NONE);
        let last = pivotal.max_by_key(|&i| self.label[i as usize]).unwrap_or(NONE);
        self.last[j as usize].store(last, Relaxed);
        last
    }

    /// The rows that may join, the shortest first, those of one length ascending.
    fn free_rows(&self) -> Result<Vec<u32>> {
        let n = self.rows.len();
        let part = |first: usize| {
            let free = (first..n.min(first + PART)).map(|i| i as u32).filter(|&i| self.may_join(i));
            free.into_iter().try_fold(vec![], |mut found, i| memory::push(&mut found, i, SEARCH).map(|()| found))
        };
        let parts: Vec<Vec<u32>> = (0..n.div_ceil(PART)).into_par_iter().try_make(|k| part(k * PART))?;
        self.rows.shortest_first(|| parts.iter().flatten().copied())
    }

    /// Whether row i is not pivotal and has an entry in a column that is not pivotal.
    fn may_join(&self, i: u32) -> bool {
        let is_free = self.core[0].get(i) > 0 && self.col_of[i as usize] == NONE;
        is_free && self.rows.line(i).iter().any(|&j| self.row_of[j as usize] == NONE && self.core[1].get(j) > 0)
    }

    /// The column with which a row can join that could before the pivots `new` did.
    fn still(&self, able: Able, new: &[(u32, u32)], scratch: &mut Scratch, work: &mut u64) -> Result<Option<u32>> {
        let Able { row, mut cols, leads_to, work: again } = able;
        if new.is_empty() {
            return Ok(cols.first().copied());
        }
        cols.retain(|&j| self.row_of[j as usize] == NONE);
        let limit = cols.iter().map(|&j| self.last(j)).max();
        let (mut reached, limit) = match (leads_to, limit) {
            (Some(_), None) => return Ok(None),
            // Labels never fall: what has a label up to this limit now had one up to that limit then.
            (Some(Reached { rows, limit: then }), Some(now)) if now <= then => (rows, now),
            _ => return Ok(self.candidate(row, scratch, work)?.and_then(|able| able.cols.first().copied())),
        };
        let Scratch { alive, queue, .. } = scratch;
        // To go on takes less than to begin anew, which is what the effort is measured by.
        *work += again;
        // Any new path goes through new pivots, to the first of them from rows that were reached.
        for &(r, c) in new {
            let is_met = self.cols.line(c).iter().any(|&i| i == row || reached.has(i));
            if self.label[r as usize] <= limit && is_met && reached.insert(r) {
                memory::push(queue, r, SEARCH)?;
            }
        }
        cols.iter().for_each(|&j| _ = alive.insert(j));
        let (mut next, mut left) = (0, cols.len());
        'search: while let Some(&r) = queue.get(next) {
            next += 1;
            for &c in self.rows.line(r) {
                match self.row_of[c as usize] {
                    NONE if alive.has(c) => {
                        alive.remove(c);
                        left -= 1;
                        if left == 0 {
                            break 'search;
                        }
                    }
                    NONE => {}
                    q => {
                        if self.label[q as usize] <= limit && reached.insert(q) {
                            memory::push(queue, q, SEARCH)?;
                        }
                    }
                }
            }
        }
        queue.clear();
        let found = cols.iter().copied().find(|&j| alive.has(j));
        cols.iter().for_each(|&j| alive.remove(j));
        Ok(found)
    }

    /// Whether row i can join: with which columns, those met earliest first, of those the sparsest.
    fn candidate(&self, i: u32, scratch: &mut Scratch, work: &mut u64) -> Result<Option<Able>> {
        let Scratch { candidates, alive, queue, visited } = scratch;
        let (mut first, before) = (i64::MAX, *work);
        candidates.clear();
        for &j in self.rows.line(i) {
            match self.row_of[j as usize] {
                NONE if self.core[1].get(j) > 0 => memory::push(candidates, j, SEARCH)?,
                NONE => {}
                r => first = first.min(self.label[r as usize]),
            }
        }
        *work += self.rows.degree(i) as u64;
        // In order of preference: the latest label that meets any candidate is at the end.
        candidates.sort_unstable_by_key(|&j| (self.last(j), self.cols.degree(j), j));
        let Some(&best) = candidates.first() else { return Ok(None) };
        if self.last(best) < first {
            // No path from row i begins early enough.
            return Ok(Some(Able { row: i, cols: memory::copy(&[best], SEARCH)?, leads_to: None, work: 0 }));
        }
        candidates.iter().for_each(|&j| _ = alive.insert(j));
        let mut left = candidates.len();
        let limit = self.last(candidates[left - 1]);
        let (mut next, mut line) = (0, self.rows.line(i));
        'search: loop {
            for &c in line {
                match self.row_of[c as usize] {
                    // Row i itself has all candidates: the rows that a path reaches eliminate them.
                    NONE if next > 0 => {
                        if alive.has(c) {
                            alive.remove(c);
                            left -= 1;
                            if left == 0 {
                                break 'search;
                            }
                        }
                    }
                    NONE => {}
                    r => {
                        if self.label[r as usize] <= limit && visited.insert(r) {
                            memory::push(queue, r, SEARCH)?;
                        }
                    }
                }
            }
            let Some(&r) = queue.get(next) else { break };
            // Rows that will be visited soon, step by step.
            if let Some(&r) = queue.get(next + 6) {
                self.rows.prefetch_start(r);
            }
            if let Some(&r) = queue.get(next + 3) {
                self.rows.prefetch(r);
            }
            line = self.rows.line(r);
            *work += line.len() as u64;
            next += 1;
        }
        let able = if left > 0 {
            let cols = memory::collect(candidates.iter().copied().filter(|&j| alive.has(j)), SEARCH)?;
            let rows = visited.copy(SEARCH)?;
            Some(Able { row: i, cols, leads_to: Some(Reached { rows, limit }), work: *work - before })
        } else {
            None
        };
        queue.drain(..).for_each(|r| visited.remove(r));
        candidates.iter().for_each(|&j| alive.remove(j));
        Ok(able)
    }

    /// Makes (i, j) a pivot; a search has shown that no cycle arises.
    fn join(&mut self, i: u32, j: u32, scratch: &mut Scratch, work: &mut u64) -> Result<()> {
        let followers = self.rows.line(i).iter().map(|&c| self.row_of[c as usize]).filter(|&r| r != NONE);
        let first = followers.map(|r| self.label[r as usize]).min();
        self.label[i as usize] = match (self.last(j), first) {
            (i64::MIN, None) => 0,
            (i64::MIN, Some(first)) => first - GAP,
            (last, None) => last + GAP,
            (last, Some(first)) if last < first => last.midpoint(first).max(last + 1),
            (last, Some(_)) => last + 1,
        };
        self.row_of[j as usize] = i;
        self.col_of[i as usize] = j;
        self.moved.insert(i);
        // Successors whose labels are not larger are pushed up, and theirs in turn, by the labels that they had:
        // whatever pushes one has its turn before it, so that each has one. This ends since there is no cycle.
        let waiting = &mut scratch.visited;
        let mut raised = BinaryHeap::from([Reverse((i64::MIN, i))]);
        while let Some(Reverse((_, r))) = raised.pop() {
            waiting.remove(r);
            let label = self.label[r as usize];
            *work += self.rows.degree(r) as u64;
            for &c in self.rows.line(r) {
                // Where nobody has asked yet, whoever does will find it.
                let last = self.last[c as usize].get_mut();
                if *last != UNASKED && (*last == NONE || self.label[*last as usize] < label) {
                    *last = r;
                }
                let q = self.row_of[c as usize];
                if q == NONE || q == r {
                    continue;
                }
                let had = self.label[q as usize];
                if had <= label {
                    self.label[q as usize] = label + 1;
                    self.moved.insert(q);
                    if waiting.insert(q) {
                        self.rows.prefetch_start(q);
                        memory::push_heap(&mut raised, Reverse((had, q)), SEARCH)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// The pivots (row, column) in triangular order.
    pub fn pivots(&self) -> Result<Vec<(u32, u32)>> {
        let key = |i: u32| (self.label[i as usize], i);
        let moved = self.moved.iter().map(|i| (i, self.col_of[i as usize]));
        let mut moved: Vec<(u32, u32)> = memory::collect(moved, SEARCH)?;
        moved.par_sort_unstable_by_key(|&(i, _)| key(i));
        // Few as a rule. The others are in order.
        let mut all = memory::with_capacity(self.start.len() + moved.len(), SEARCH)?;
        let mut moved = moved.into_iter().peekable();
        for &(i, j) in self.start.iter().filter(|&&(i, _)| !self.moved.has(i)) {
            while let Some(before) = moved.next_if(|&(other, _)| key(other) < key(i)) {
                all.push(before);
            }
            all.push((i, j));
        }
        all.extend(moved);
        debug_assert!(all.is_sorted_by_key(|&(i, _)| key(i)), "labels that stay are in order");
        Ok(all)
    }
}
