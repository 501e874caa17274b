//! Greedy covers: lines taken one after another, each with an index that no earlier one has.
//!
//! A set of pivots is triangular exactly if its rows can be ordered such that each pivotal column is missing from all
//! earlier rows. The task is therefore to order as many rows as possible so that each contributes a column not yet
//! *covered*. Every row taken covers all its columns and yields one pivot: its other columns are lost. The greedy rule
//! takes a row with the fewest uncovered columns, with ties broken by age: the row that has waited longest (or, as a
//! second attempt, shortest). This is inactivation as in structured Gaussian elimination and, for boundary matrices, a
//! discrete Morse matching found by collapses (Benedetti & Lutz, *Random discrete Morse theory*, Exp. Math. 23, 2014):
//! breadth-first tie-breaking grows balls layer by layer, which leaves few critical cells. The Faugère–Lachartre sweep
//! and the search for free columns of Bouillaguet, Delaplace & Voge take rows by the same criterion, but in the order
//! of the matrix. Each entry is visited once: O(rows + cols + nnz). The same procedure on the columns gives another
//! triangular set; which one is larger depends on the matrix.

use super::degrees::{Degree, Degrees};
use super::incidence::Lines;
use crate::{Result, memory};
use std::collections::VecDeque;

/// What the memory is for.
const COVER: &str = "a greedy cover";

/// How ties between lines with equally many uncovered indices are broken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Ties {
    /// Initially: by descending line number (else ascending).
    pub descending: bool,
    /// Later: the line whose number of uncovered indices changed last (else first).
    pub newest: bool,
}

/// Up to this many notes, 4 MB, clean-up is not worthwhile. (Smaller in tests.)
const FEW_NOTES: usize = if cfg!(test) { 1 } else { 1 << 20 };

/// Indices of a line that are asked for ahead of time.
const FEW: usize = 16;

/// Degrees that at least one line in this many has at the start: those lines are not noted, but found by a scan in the
/// order of their numbers.
const OFTEN: usize = 16;

/// Lines by their number of uncovered indices. Every change adds a note to a list; outdated notes are skipped, and
/// removed all at once when there are many, and more of them than current ones.
struct Queue<'a, D> {
    /// The numbers at the start.
    start: &'a [D],
    /// For each number, how many lines have been scanned for those that have had it from the start; all of them where
    /// these lines have notes.
    looked: Vec<u32>,
    notes: Vec<VecDeque<u32>>,
    ties: Ties,
    /// No list below holds a valid note.
    low: usize,
    /// An upper bound on the notes in all lists, and how many there may be.
    noted: usize,
    most: usize,
}

impl<'a, D: Degree> Queue<'a, D> {
    /// All lines of a degree above 0.
    fn new(start: &'a [D], ties: Ties) -> Result<Self> {
        let longest = start.iter().map(|d| d.get()).max().unwrap_or(0);
        let mut count = memory::zeros::<u32>(longest + 1, COVER)?;
        start.iter().for_each(|d| count[d.get()] += 1);
        count[0] = 0;
        let n = start.len() as u32;
        let lines = count.iter().map(|&count| count as usize).sum::<usize>();
        let is_often = |count: u32| count as usize * OFTEN > start.len();
        let looked = memory::collect(count.iter().map(|&count| if is_often(count) { 0 } else { n }), COVER)?;
        let mut notes = memory::with_capacity(longest + 1, COVER)?;
        for &count in &count {
            let room = if is_often(count) { 0 } else { count as usize };
            notes.push(VecDeque::from(memory::with_capacity::<u32>(room, COVER)?));
        }
        let most = (2 * lines + longest).max(FEW_NOTES);
        let mut queue = Queue { start, looked, notes, ties, low: 1, noted: 0, most };
        // The newest notes are popped from the end: what is to come first is pushed last.
        let descending = ties.descending != ties.newest;
        for i in (0..n).map(|k| if descending { n - 1 - k } else { k }) {
            let degree = start[i as usize].get();
            if !is_often(count[degree]) {
                queue.note(i, degree)?;
                queue.noted += 1;
            }
        }
        Ok(queue)
    }

    #[inline(always)]
    fn note(&mut self, i: u32, degree: usize) -> Result<()> {
        if degree > 0 {
            memory::push_back(&mut self.notes[degree], i, COVER)?;
            self.low = self.low.min(degree);
        }
        Ok(())
    }

    /// Called after at most `added` notes: removes outdated ones, if there are many. Each line has one current note;
    /// hence at least as many notes were added since the last clean-up as are visited twice, and the memory is that of
    /// two notes per line.
    #[inline(always)]
    fn tidy(&mut self, degree: &[D], added: usize) {
        self.noted += added;
        if self.noted > self.most {
            self.purge(degree);
        }
    }

    #[cold]
    #[inline(never)]
    fn purge(&mut self, degree: &[D]) {
        for (d, list) in self.notes.iter_mut().enumerate() {
            list.retain(|&i| degree[i as usize].get() == d);
            list.shrink_to_fit();
        }
        self.noted = self.notes.iter().map(VecDeque::len).sum();
    }

    /// A line with the fewest uncovered indices, at least one.
    fn next(&mut self, degree: &[D]) -> Option<u32> {
        while self.low < self.notes.len() {
            // Lines that have waited from the start have waited longer than any note.
            let [first, second] =
                if self.ties.newest { [Self::noted, Self::unchanged] } else { [Self::unchanged, Self::noted] };
            if let Some(i) = first(self, degree).or_else(|| second(self, degree)) {
                return Some(i);
            }
            self.low += 1;
        }
        None
    }
    /// The note that will be read after `ahead` others, if it is in the list that is read now.
    #[inline(always)]
    fn peek(&self, ahead: usize) -> Option<u32> {
        let list = self.notes.get(self.low)?;
        let at = if self.ties.newest { list.len().checked_sub(1 + ahead)? } else { ahead };
        list.get(at).copied()
    }
    /// The next line that has had the degree `low` from the start, and is not noted.
    fn unchanged(&mut self, degree: &[D]) -> Option<u32> {
        let n = self.start.len() as u32;
        let looked = &mut self.looked[self.low];
        while *looked < n {
            let i = if self.ties.descending { n - 1 - *looked } else { *looked };
            *looked += 1;
            if self.start[i as usize].get() == self.low && degree[i as usize].get() == self.low {
                return Some(i);
            }
        }
        None
    }
    /// The next line that has a note of the degree `low`.
    fn noted(&mut self, degree: &[D]) -> Option<u32> {
        let list = &mut self.notes[self.low];
        while let Some(i) = if self.ties.newest { list.pop_back() } else { list.pop_front() } {
            self.noted -= 1;
            if degree[i as usize].get() == self.low {
                return Some(i);
            }
        }
        None
    }
}

/// A cover that begins with the lines of `seed` (line, index), which must itself be a cover: pairs in the order taken,
/// each index missing from all earlier lines. Of a line's new indices, the one of smallest degree becomes its pivot.
///
/// `own` and `other` are the degrees of the lines and of their indices after peeling.
pub(super) fn cover(
    lines: (Lines<'_>, Lines<'_>),
    (own, other): (&Degrees, &Degrees),
    seed: &[(u32, u32)],
    ties: Ties,
) -> Result<Vec<(u32, u32)>> {
    match own {
        Degrees::U8(own) => cover_by(lines, (own, other), seed, ties),
        Degrees::U16(own) => cover_by(lines, (own, other), seed, ties),
        Degrees::U32(own) => cover_by(lines, (own, other), seed, ties),
    }
}

fn cover_by<D: Degree>(
    (lines, crossing): (Lines<'_>, Lines<'_>),
    (own, other): (&[D], &Degrees),
    seed: &[(u32, u32)],
    ties: Ties,
) -> Result<Vec<(u32, u32)>> {
    // How many uncovered indices each line has; also 0 for lines taken.
    let mut degree = memory::copy(own, COVER)?;
    let mut covered = memory::collect((0..other.len() as u32).map(|j| other.get(j) == 0), COVER)?;
    let mut queue = Queue::new(own, ties)?;
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
        // Lines that will perhaps be taken soon, step by step.
        if let Some(next) = queue.peek(6) {
            lines.prefetch_start(next);
        }
        if let Some(next) = queue.peek(4) {
            lines.prefetch(next);
        }
        if let Some(next) = queue.peek(2) {
            lines.line(next).iter().take(FEW).for_each(|&j| crossing.prefetch_start(j));
        }
        if let Some(next) = queue.peek(0) {
            let open = lines.line(next).iter().take(FEW).filter(|&&j| !covered[j as usize]);
            open.for_each(|&j| crossing.prefetch(j));
        }
        degree[i as usize] = D::cut(0);
        let mut pivot = (usize::MAX, 0);
        for &j in lines.line(i) {
            if !std::mem::replace(&mut covered[j as usize], true) {
                pivot = pivot.min((crossing.degree(j), j));
                for &k in crossing.line(j) {
                    let d = &mut degree[k as usize];
                    if d.get() > 0 {
                        *d = D::cut(d.get() as u32 - 1);
                        queue.note(k, d.get())?;
                    }
                }
                queue.tidy(&degree, crossing.degree(j));
            }
        }
        memory::push(&mut taken, (i, given.unwrap_or(pivot.1)), COVER)?;
    }
}

/// The Faugère–Lachartre sweep (*Parallel Gaussian elimination for Gröbner bases computations in finite fields*, PASCO
/// 2010): for each index, the sparsest line of which it is the first remaining index. As a seed of [`cover`]: the last
/// index first.
pub(super) fn faugere_lachartre(lines: Lines<'_>, own: &Degrees, other: &Degrees) -> Result<Vec<(u32, u32)>> {
    let mut sparsest: Vec<Option<u32>> = memory::filled(None, other.len(), COVER)?;
    for i in (0..lines.len() as u32).filter(|&i| own.get(i) > 0) {
        if let Some(&j) = lines.line(i).iter().find(|&&j| other.get(j) > 0) {
            let best = &mut sparsest[j as usize];
            if best.is_none_or(|b| lines.degree(i) < lines.degree(b)) {
                *best = Some(i);
            }
        }
    }
    let pairs = sparsest.into_iter().enumerate().rev();
    memory::collect(pairs.filter_map(|(j, i)| Some((i?, j as u32))), COVER)
}

#[cfg(test)]
mod tests {
    use super::super::incidence;
    use super::*;
    use crate::field::Rng;
    use crate::sparse::Pattern;
    use rand::{RngExt, SeedableRng};

    /// The same by looking at all lines each time: the fewest uncovered indices, then the longest or the shortest wait.
    fn naive(rows: &Pattern, cols: &Pattern, ties: Ties) -> Vec<(u32, u32)> {
        let n = rows.rows();
        let mut covered = vec![false; rows.cols()];
        let mut degree: Vec<usize> = (0..n).map(|i| rows.degree(i)).collect();
        let mut since: Vec<i64> = (0..n as i64).map(|i| if ties.descending != ties.newest { -i } else { i }).collect();
        let (mut now, mut taken) = (n as i64, vec![]);
        loop {
            let wait = |i: usize| if ties.newest { -since[i] } else { since[i] };
            let open = (0..n).filter(|&i| degree[i] > 0);
            let Some(i) = open.min_by_key(|&i| (degree[i], wait(i))) else { return taken };
            degree[i] = 0;
            let mut new: Vec<u32> = rows.row(i).iter().copied().filter(|&j| !covered[j as usize]).collect();
            for &j in &new {
                covered[j as usize] = true;
                for k in cols.row(j as usize).iter().map(|&k| k as usize) {
                    if degree[k] > 0 {
                        degree[k] -= 1;
                        since[k] = now;
                        now += 1;
                    }
                }
            }
            new.sort_unstable_by_key(|&j| (cols.degree(j as usize), j));
            taken.push((i as u32, new[0]));
        }
    }

    #[test]
    fn removed_notes_are_not_missed() {
        let mut rng = Rng::seed_from_u64(11);
        // Degrees of one, two and four bytes; few indices per line, and so many that notes are removed again and again.
        for (m, n, weight) in [(0, 0, 0), (0, 5, 0), (5, 0, 0), (1, 1, 1), (60, 80, 2), (90, 70, 12), (40, 900, 400)] {
            let places: Vec<_> =
                (0..m * weight).map(|k| (k % m, rng.random_range(0..n))).filter(|e| e.0 % 7 != 3).collect();
            check(&Pattern::from_entries(m, n, places));
        }
        check(&Pattern::from_entries(3, 70_000, (0..70_000).flat_map(|j| [(0, j), (1 + j % 2, j)])));
    }

    fn check(rows: &Pattern) {
        let cols = rows.transpose();
        let degrees = |a: &Pattern| Degrees::new((0..a.rows()).map(|i| a.degree(i) as u32).collect()).unwrap();
        let (own, other) = (degrees(rows), degrees(&cols));
        for (descending, newest) in [(false, false), (false, true), (true, false), (true, true)] {
            let ties = Ties { descending, newest };
            let lines = (incidence::lines(rows), incidence::lines(&cols));
            assert_eq!(cover(lines, (&own, &other), &[], ties).unwrap(), naive(rows, &cols, ties), "{ties:?}");
        }
    }

    #[test]
    fn a_line_has_two_notes_at_most() {
        let (n, weight) = (2000, 50);
        let mut rng = Rng::seed_from_u64(12);
        let start = vec![weight as u8; n];
        let mut degree = start.clone();
        let mut queue = Queue::new(&start, Ties { descending: true, newest: false }).unwrap();
        for _ in 0..n * weight {
            let k = rng.random_range(0..n);
            if degree[k] > 0 {
                degree[k] -= 1;
                queue.note(k as u32, degree[k].into()).unwrap();
            }
            queue.tidy(&degree, 1);
            let notes = queue.notes.iter().map(VecDeque::len).sum::<usize>();
            assert!(notes <= queue.noted && queue.noted <= 2 * n + weight);
        }
        let mut left: Vec<usize> =
            std::iter::from_fn(|| queue.next(&degree)).map(|k| degree[k as usize].into()).collect();
        assert!(left.is_sorted() && left.len() == degree.iter().filter(|&&d| d > 0).count());
        left.dedup();
        assert!(left.len() > 1);
    }
}
