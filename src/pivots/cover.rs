//! Greedy covers: lines one after another, each with an index that no earlier one has.
//!
//! A set of pivots is triangular exactly if its rows can be ordered such that each pivotal column is missing from all
//! earlier rows. So the task reads: order as many rows as possible so that each brings a column not yet *covered*. Every
//! row taken covers all its columns and earns one pivot: the others are lost. The greedy rule takes a row with the
//! fewest uncovered columns, ties by age: among equals the one that has waited longest (or, as a second try, shortest).
//! This is inactivation as in structured Gaussian elimination and, for boundary matrices, a discrete Morse matching found
//! by collapses (Benedetti & Lutz, *Random discrete Morse theory*, Exp. Math. 23, 2014): breadth-first ties grow balls
//! layer by layer, which leave few critical cells. The Faugère–Lachartre sweep and the search for free columns of
//! Bouillaguet, Delaplace & Voge take rows by the same criterion, but in the order of the matrix. Each entry is passed
//! once: O(rows + cols + nnz). The same on the columns gives another triangular set; which is larger depends on the matrix.

use super::incidence::Lines;
use super::peel::Side;
use crate::{Result, memory};
use std::collections::VecDeque;

/// What memory is asked for.
const COVER: &str = "a greedy cover";

/// The order in which lines with equally many uncovered indices are taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Ties {
    /// At the start: by descending line number (else ascending).
    pub descending: bool,
    /// Then: the line whose number of uncovered indices changed last (else first).
    pub newest: bool,
}

/// Lines by their number of uncovered indices. Every change adds a note to a list; notes that are out of date are skipped.
struct Queue {
    notes: Vec<VecDeque<u32>>,
    newest: bool,
    /// No list below holds a valid note.
    low: usize,
}

impl Queue {
    /// All lines of a degree above 0.
    fn new(degree: &[u32], ties: Ties) -> Result<Self> {
        let most = degree.iter().copied().max().unwrap_or(0) as usize;
        let notes = memory::collect((0..=most).map(|_| VecDeque::new()), COVER)?;
        let mut queue = Queue { notes, newest: ties.newest, low: 1 };
        let n = degree.len() as u32;
        let mut put = |i: u32| queue.note(i, degree[i as usize]);
        // The newest come off the end: what shall be first goes in last.
        if ties.descending != ties.newest {
            (0..n).rev().try_for_each(&mut put)?;
        } else {
            (0..n).try_for_each(&mut put)?;
        }
        Ok(queue)
    }

    #[inline(always)]
    fn note(&mut self, i: u32, degree: u32) -> Result<()> {
        if degree > 0 {
            memory::push_back(&mut self.notes[degree as usize], i, COVER)?;
            self.low = self.low.min(degree as usize);
        }
        Ok(())
    }

    /// A line with the fewest uncovered indices, at least one.
    fn next(&mut self, degree: &[u32]) -> Option<u32> {
        while self.low < self.notes.len() {
            let list = &mut self.notes[self.low];
            match if self.newest { list.pop_back() } else { list.pop_front() } {
                Some(i) if degree[i as usize] as usize != self.low => {}
                Some(i) => return Some(i),
                None => self.low += 1,
            }
        }
        None
    }
}

/// A cover that begins with the lines of `seed` (line, index), which must be one itself: pairs in the order taken, each
/// index missing from all earlier lines. Of a line's new indices, the one of smallest degree becomes its pivot.
///
/// `own` and `other` are what peeling left of the lines and of their indices.
pub(super) fn cover(
    (lines, crossing): (Lines<'_>, Lines<'_>),
    (own, other): (&Side, &Side),
    seed: &[(u32, u32)],
    ties: Ties,
) -> Result<Vec<(u32, u32)>> {
    // How many uncovered indices each line has; 0 for those taken, too.
    let mut degree = memory::copy(&own.degree, COVER)?;
    own.gone.iter().zip(&mut degree).filter(|(gone, _)| **gone).for_each(|(_, d)| *d = 0);
    let mut covered = memory::copy(&other.gone, COVER)?;
    let mut queue = Queue::new(&degree, ties)?;
    let mut taken = memory::with_capacity(seed.len(), COVER)?;
    let mut seed = seed.iter();
    loop {
        let (i, given) = match seed.next() {
            Some(&(i, j)) => (i, Some(j)),
            None => match queue.next(&degree) {
                Some(i) => (i, None),
                None => return Ok(taken),
            },
        };
        degree[i as usize] = 0;
        let mut pivot = (usize::MAX, 0);
        for &j in lines.line(i) {
            if !std::mem::replace(&mut covered[j as usize], true) {
                pivot = pivot.min((crossing.degree(j), j));
                for &k in crossing.line(j) {
                    let d = &mut degree[k as usize];
                    if *d > 0 {
                        *d -= 1;
                        queue.note(k, *d)?;
                    }
                }
            }
        }
        memory::push(&mut taken, (i, given.unwrap_or(pivot.1)), COVER)?;
    }
}

/// The Faugère–Lachartre sweep (*Parallel Gaussian elimination for Gröbner bases computations in finite fields*, PASCO 2010):
/// for each index, the sparsest line whose first remaining index it is. As a seed of [`cover`]: the last index first.
pub(super) fn faugere_lachartre(lines: Lines<'_>, own: &Side, other: &Side) -> Result<Vec<(u32, u32)>> {
    let mut sparsest: Vec<Option<u32>> = memory::filled(None, other.gone.len(), COVER)?;
    for i in (0..lines.len() as u32).filter(|&i| !own.gone[i as usize]) {
        if let Some(&j) = lines.line(i).iter().find(|&&j| !other.gone[j as usize]) {
            let best = &mut sparsest[j as usize];
            if best.is_none_or(|b| lines.degree(i) < lines.degree(b)) {
                *best = Some(i);
            }
        }
    }
    let pairs = sparsest.into_iter().enumerate().rev();
    memory::collect(pairs.filter_map(|(j, i)| Some((i?, j as u32))), COVER)
}
