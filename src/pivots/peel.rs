//! Singletons, peeled repeatedly: the pivots that cost nothing.
//!
//! A column with one entry left makes the row of that entry pivotal, and no other remaining row has an entry in this
//! column: the pivot goes to the front of the triangular order. A row with one entry left goes to the end. Either step
//! leaves a smaller matrix, in which new singletons may appear. What is left, the *core*, has at least two entries in
//! every row and column that is not empty. A matrix that is triangular up to permutations leaves nothing. Each line
//! stores how many indices remain to it and their sum, which is the index itself once only one is left, so that
//! removing a line costs one pass over it: O(rows + cols + nnz) in all, but for sorting what appears.
//!
//! Columns are peeled until none has one entry, then rows: what removes a row with one entry is its column, and leaves
//! all other columns as they are. Singletons are peeled in rounds, those that there are before those that appear, by
//! all threads if they are many. Of several in one line the first by number counts, whatever the number of threads.

use super::bits::Bits;
use super::degrees::Degrees;
use super::incidence::Lines;
use crate::isa::prefetch;
use crate::parallel::Each;
use crate::{Result, memory};
use rayon::prelude::*;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

/// What the memory is for.
const PEELED: &str = "the peeling of singletons";
/// Lines that one task looks at, or more.
const TASK: usize = 1 << 12;
/// So many singletons are many, and one task peels no more of them. (Fewer in tests.)
const MANY: usize = if cfg!(test) { 4 } else { 1 << 12 };
const PART: usize = if cfg!(test) { 2 } else { 1 << 10 };
/// With fewer threads than these one alone is as fast: several write to the same lines of memory.
const THREADS: usize = 4;
/// Lines between asking for memory and reading it.
const AHEAD: usize = 4;

/// An index as it counts in the rest of a line: one more, and itself in the sum, of which 32 bits are kept.
#[inline(always)]
fn entry(index: u32) -> u64 {
    u64::from(index) << 32 | 1
}

/// How many entries the rest of a line has; 0 for a removed line.
#[inline(always)]
fn degree(rest: u64) -> u32 {
    rest as u32
}

/// One side of the remaining matrix: what is left of its rows, or of its columns.
struct Side(Vec<AtomicU64>);

impl Side {
    fn new(lines: Lines<'_>) -> Result<Self> {
        let mut side = memory::collect((0..lines.len()).map(|_| AtomicU64::new(0)), PEELED)?;
        side.par_iter_mut().enumerate().with_min_len(TASK).each(|(i, rest)| {
            *rest.get_mut() = lines.line(i as u32).iter().fold(0, |sum, &j| sum.wrapping_add(entry(j)));
        });
        Ok(Side(side))
    }
    /// What is left of line i.
    #[inline(always)]
    fn rest(&self, i: u32) -> &AtomicU64 {
        &self.0[i as usize]
    }
    /// The index of the only entry that line i has left, if it has one.
    #[inline(always)]
    fn single(&self, i: u32) -> Option<u32> {
        let rest = self.rest(i).load(Relaxed);
        (degree(rest) == 1).then_some((rest >> 32) as u32)
    }
    /// Takes the index `k` from line i if anything is left of it; whether one entry is left then. With `alone` no other
    /// thread does so.
    #[inline(always)]
    fn take(&self, i: u32, k: u32, alone: bool) -> bool {
        let rest = self.rest(i).load(Relaxed);
        if degree(rest) == 0 {
            return false;
        }
        let before = if alone {
            self.rest(i).store(rest.wrapping_sub(entry(k)), Relaxed);
            rest
        } else {
            self.rest(i).fetch_sub(entry(k), Relaxed)
        };
        degree(before) == 2
    }
    /// Lines with one entry, ascending.
    fn singles(&self) -> Result<Vec<u32>> {
        let part = |(first, part): (usize, &[AtomicU64])| {
            let numbered = part.iter().zip((first * TASK) as u32..);
            let mut singles = numbered.filter(|(rest, _)| degree(rest.load(Relaxed)) == 1).map(|(_, i)| i);
            singles.try_fold(vec![], |mut list, i| memory::push(&mut list, i, PEELED).map(|()| list))
        };
        concatenated(self.0.par_chunks(TASK).enumerate().try_make(part)?)
    }
    fn degrees(self) -> Result<Degrees> {
        let mut degrees = memory::zeros(self.0.len(), PEELED)?;
        let pairs = degrees.par_iter_mut().zip(&self.0).with_min_len(TASK);
        pairs.each(|(to, rest)| *to = degree(rest.load(Relaxed)));
        Degrees::new(degrees)
    }
}

fn concatenated<T: Copy>(parts: Vec<Vec<T>>) -> Result<Vec<T>> {
    let mut all = memory::with_capacity(parts.iter().map(Vec::len).sum(), PEELED)?;
    parts.iter().for_each(|part| all.extend_from_slice(part));
    Ok(all)
}

/// What peeling found and what it left.
pub(super) struct Peeled {
    /// How many entries each row and each column has in the core; 0 for those that are not in it.
    pub rows: Degrees,
    pub cols: Degrees,
    /// Pivots (row, column) that come before all others, in order: no other row has an entry in their columns, but for
    /// rows of such pivots before them.
    pub front: Vec<(u32, u32)>,
    /// Pivots that come after all others, in reverse order: their rows have no entry in other columns, but for columns
    /// of such pivots after them.
    pub back: Vec<(u32, u32)>,
}

/// Peels all singletons.
pub(super) fn peel(rows: Lines<'_>, cols: Lines<'_>) -> Result<Peeled> {
    let sides = (Side::new(rows)?, Side::new(cols)?);
    let mut front = Singles { own: &sides.1, crossing: &sides.0, lines: rows }.exhaust()?;
    front.par_iter_mut().with_min_len(TASK).each(|pair| *pair = (pair.1, pair.0));
    let back = Singles { own: &sides.0, crossing: &sides.1, lines: cols }.exhaust()?;
    Ok(Peeled { rows: sides.0.degrees()?, cols: sides.1.degrees()?, front, back })
}

/// Lines with one entry on one side, and those that they cross.
struct Singles<'a> {
    own: &'a Side,
    crossing: &'a Side,
    /// The indices of the crossing lines.
    lines: Lines<'a>,
}

/// What a round came to.
#[derive(Default)]
struct Round {
    /// Lines that were peeled, each with the line that it crossed.
    found: Vec<(u32, u32)>,
    /// Those that have one entry left then.
    next: Vec<u32>,
}

impl Singles<'_> {
    /// Peels lines with one entry until there are none: each with the line that it crosses, in the order taken.
    fn exhaust(&self) -> Result<Vec<(u32, u32)>> {
        let (mut singles, mut round) = (self.own.singles()?, Round::default());
        while !singles.is_empty() {
            if singles.len() >= MANY && rayon::current_num_threads() >= THREADS {
                self.by_all_threads(&singles, &mut round)?;
            } else {
                self.peel(&singles, true, &mut round)?;
            }
            sort(&mut round.next, self.own.0.len())?;
            std::mem::swap(&mut singles, &mut round.next);
            round.next.clear();
        }
        Ok(round.found)
    }

    /// Peels those of some singles that still have an entry when it is their turn. Where other threads peel others at
    /// the same time (not `alone`), they must have claimed the line that they cross, which stays claimed.
    fn peel(&self, some: &[u32], alone: bool, round: &mut Round) -> Result<()> {
        let Singles { own, crossing, lines } = self;
        for (at, &x) in some.iter().enumerate() {
            ask_ahead(&some[at..], own, *lines);
            let Some(y) = own.single(x) else { continue };
            if alone {
                crossing.rest(y).store(0, Relaxed);
            } else if crossing.rest(y).load(Relaxed) != u64::from(x) {
                continue;
            }
            memory::push(&mut round.found, (x, y), PEELED)?;
            for &k in lines.line(y) {
                if own.take(k, y, alone) {
                    memory::push(&mut round.next, k, PEELED)?;
                }
            }
        }
        Ok(())
    }

    /// Peels singles by all threads: the first of those that cross a line claims it, as it does where they have turns.
    fn by_all_threads(&self, singles: &[u32], round: &mut Round) -> Result<()> {
        // Of a line that is crossed nothing else is asked any more: it is removed in this round.
        let parts = || singles.par_chunks(PART);
        let claim = |claim: &(dyn Fn(u32, &AtomicU64) + Sync)| {
            parts().each(|part| {
                let singles = part.iter().filter_map(|&x| Some((x, self.own.single(x)?)));
                singles.for_each(|(x, y)| claim(x, self.crossing.rest(y)));
            });
        };
        claim(&|_, rest| rest.store(u64::MAX, Relaxed));
        claim(&|x, rest| _ = rest.fetch_min(x.into(), Relaxed));
        let peeled = parts().try_make(|part| -> Result<_> {
            let mut of_part = Round::default();
            self.peel(part, false, &mut of_part)?;
            Ok((of_part.found, of_part.next))
        })?;
        let (found, next): (Vec<_>, Vec<_>) = peeled.into_iter().unzip();
        let found = concatenated(found)?;
        found.par_iter().with_min_len(TASK).each(|&(_, y)| self.crossing.rest(y).store(0, Relaxed));
        memory::reserve(&mut round.found, found.len(), PEELED)?;
        round.found.extend_from_slice(&found);
        round.next = concatenated(next)?;
        Ok(())
    }
}

/// Sorts distinct numbers below n.
fn sort(numbers: &mut Vec<u32>, n: usize) -> Result<()> {
    if numbers.len() < n / 64 {
        numbers.sort_unstable();
        return Ok(());
    }
    // A bit for each takes less time than comparisons.
    let mut bits = Bits::new(n, PEELED)?;
    numbers.drain(..).for_each(|i| _ = bits.insert(i));
    numbers.extend(bits.iter());
    Ok(())
}

/// Asks for what the next of some lines lead to: what is left of them, where the lines begin that they cross, and their
/// indices.
#[inline(always)]
fn ask_ahead(next: &[u32], side: &Side, crossing: Lines<'_>) {
    if let Some(&far) = next.get(3 * AHEAD) {
        prefetch(&side.0, far as usize);
    }
    if let Some(i) = next.get(2 * AHEAD).and_then(|&near| side.single(near)) {
        crossing.prefetch_start(i);
    }
    if let Some(i) = next.get(AHEAD).and_then(|&next| side.single(next)) {
        crossing.prefetch(i);
    }
}

#[cfg(test)]
mod tests {
    use super::super::incidence;
    use super::*;
    use crate::field::Rng;
    use crate::sparse::Pattern;
    use rand::{RngExt, SeedableRng};

    /// What is left of rows and columns once no line has one entry, by looking through all again and again.
    fn naive(rows: &Pattern) -> [Vec<usize>; 2] {
        let mut left: Vec<Vec<u32>> = (0..rows.rows()).map(|i| rows.row(i).to_vec()).collect();
        loop {
            let count = |left: &[Vec<u32>], j: u32| left.iter().filter(|row| row.contains(&j)).count();
            let by_col = (0..rows.cols() as u32).find(|&j| count(&left, j) == 1);
            let by_row = left.iter().find(|row| row.len() == 1).map(|row| row[0]);
            match (by_col, by_row) {
                (Some(j), _) => left.iter_mut().filter(|row| row.contains(&j)).for_each(Vec::clear),
                (_, Some(j)) => left.iter_mut().for_each(|row| row.retain(|&k| k != j)),
                _ => {
                    let cols = (0..rows.cols() as u32).map(|j| count(&left, j)).collect();
                    return [left.iter().map(Vec::len).collect(), cols];
                }
            }
        }
    }

    /// The same on any number of threads; what is left is what any order leaves.
    fn check(rows: &Pattern) -> [usize; 2] {
        let cols = rows.transpose();
        let peeled = [1, THREADS, THREADS + 1].map(|threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| peel(incidence::lines(rows), incidence::lines(&cols)).unwrap())
        });
        let degrees = |degrees: &Degrees| (0..degrees.len() as u32).map(|i| degrees.get(i)).collect::<Vec<_>>();
        for other in &peeled[1..] {
            assert_eq!((&other.front, &other.back), (&peeled[0].front, &peeled[0].back));
            assert_eq!([&other.rows, &other.cols].map(degrees), [&peeled[0].rows, &peeled[0].cols].map(degrees));
        }
        let Peeled { rows: of_rows, cols: of_cols, front, back } = &peeled[0];
        assert_eq!([of_rows, of_cols].map(degrees), naive(rows));
        let mut gone = vec![false; rows.rows()];
        for &(i, j) in front {
            let others = cols.row(j as usize).iter().filter(|&&k| !gone[k as usize]);
            assert!(others.eq([&i]), "({i}, {j}) comes before all others");
            gone[i as usize] = true;
        }
        let mut gone = vec![false; rows.cols()];
        for &(i, j) in back {
            let others = rows.row(i as usize).iter().filter(|&&k| !gone[k as usize]);
            assert!(others.eq([&j]), "({i}, {j}) comes after all others");
            gone[j as usize] = true;
        }
        [front.len(), back.len()]
    }

    #[test]
    fn what_is_left_has_no_singleton() {
        let (mut rng, mut most) = (Rng::seed_from_u64(21), [0, 0]);
        for k in 0..300 {
            let (m, n) = (rng.random_range(0..60), rng.random_range(1..60));
            let places: Vec<_> = (0..m * (k % 4)).map(|_| (rng.random_range(0..m), rng.random_range(0..n))).collect();
            let found = check(&Pattern::from_entries(m, n, places));
            most = [0, 1].map(|side| most[side].max(found[side]));
        }
        assert!(most[0] > 10 && most[1] > 5, "{most:?}");
        // A chain, each link of which is single when the one before it is gone; many in one line; nothing.
        let chain = (0..200usize).flat_map(|i| [(i, i.saturating_sub(1)), (i, i)]);
        assert_eq!(check(&Pattern::from_entries(200, 200, chain)), [200, 0]);
        assert_eq!(check(&Pattern::from_entries(1, 90, (0..90).map(|j| (0, j)))), [1, 0]);
        assert_eq!(check(&Pattern::from_entries(90, 1, (0..90).map(|i| (i, 0)))), [0, 1]);
        assert_eq!(check(&Pattern::from_entries(0, 3, [])), [0, 0]);
    }
}
