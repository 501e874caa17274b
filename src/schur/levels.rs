//! Pivots by levels: those of a level do not need each other.

use crate::isa::prefetch;
use crate::sparse::SparseMatrix;
use crate::{Result, memory};
use std::ops::Range;

/// What the memory is for.
const LEVELS: &str = "the levels of the pivots";
/// Pivots between asking for memory and reading it.
const AHEAD: usize = 8;

/// Asks for what rows to come refer to: of the next but two where they begin, of the next but one their entries, of the
/// next those of `of` in their columns.
#[inline(always)]
fn ask_ahead(a: &SparseMatrix, of: &[u32], row: impl Fn(usize) -> Option<usize>) {
    if let Some(far) = row(3) {
        prefetch(&a.start, far);
    }
    if let Some(near) = row(2) {
        prefetch(&a.col, a.start[near]);
    }
    if let Some(next) = row(1) {
        a.row(next).0.iter().for_each(|&j| prefetch(of, j as usize));
    }
}

/// Pivots by ascending level, in their order within a level. A pivot's level is 1 + the highest among the pivots in
/// whose columns its row has entries.
pub(super) struct Levels {
    /// Their numbers.
    pub order: Vec<u32>,
    /// Where each level begins, and the end.
    start: Vec<usize>,
}

impl Levels {
    /// Those of the pivots a(rows\[k\], cols\[k\]), each of which stands in `numbers` behind those that it needs.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    pub fn of(a: &SparseMatrix, rows: &[u32], cols: &[u32], numbers: impl Iterator<Item = u32>) -> Result<Self> {
        let mut level = memory::zeros::<u32>(a.cols(), LEVELS)?;
        let numbers: Vec<u32> = memory::collect(numbers, LEVELS)?;
        let (mut own, mut highest) = (memory::with_capacity::<u32>(numbers.len(), LEVELS)?, 0);
        for (at, &k) in numbers.iter().enumerate() {
            let row = |ahead: usize| numbers.get(at + ahead * AHEAD).map(|&k| rows[k as usize] as usize);
            ask_ahead(a, &level, row);
            let (columns, _) = a.row(rows[k as usize] as usize);
            // The pivot's own column has no level yet.
            let l = 1 + columns.iter().map(|&j| level[j as usize]).max().unwrap_or(0);
            level[cols[k as usize] as usize] = l;
            own.push(l);
            highest = highest.max(l as usize);
        }
        Self::sorted(own, numbers, highest)
    }
    /// Those of the pivots of the transpose, for a(rows\[k\], cols\[k\]) with a(rows\[k\], cols\[l\]) = 0 for l < k:
    /// what [`Levels::of`] the transpose finds with rows for columns. A pivot tells those that need it.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    pub fn of_transpose(a: &SparseMatrix, rows: &[u32], cols: &[u32]) -> Result<Self> {
        // The highest level of those that have told a column so far.
        let mut told = memory::zeros::<u32>(a.cols(), LEVELS)?;
        let (mut own, mut highest) = (memory::with_capacity::<u32>(rows.len(), LEVELS)?, 0);
        for (k, (&i, &pivot)) in rows.iter().zip(cols).enumerate() {
            ask_ahead(a, &told, |ahead| rows.get(k + ahead * AHEAD).map(|&i| i as usize));
            let l = 1 + told[pivot as usize];
            a.row(i as usize).0.iter().for_each(|&j| told[j as usize] = told[j as usize].max(l));
            own.push(l);
            highest = highest.max(l as usize);
        }
        Self::sorted(own, memory::collect(0..rows.len() as u32, LEVELS)?, highest)
    }
    /// The numbers by these levels, which have this maximum.
    fn sorted(own: Vec<u32>, numbers: Vec<u32>, highest: usize) -> Result<Self> {
        // A counting sort.
        let mut start = memory::zeros::<usize>(highest + 1, LEVELS)?;
        own.iter().for_each(|&l| start[l as usize] += 1);
        (0..highest).for_each(|l| start[l + 1] += start[l]);
        let mut next = memory::copy(&start, LEVELS)?;
        let mut order = memory::zeros::<u32>(own.len(), LEVELS)?;
        for (l, k) in own.into_iter().zip(numbers) {
            let at = &mut next[l as usize - 1];
            order[*at] = k;
            *at += 1;
        }
        Ok(Levels { order, start })
    }
    /// How many there are.
    pub fn count(&self) -> usize {
        self.start.len() - 1
    }
    /// The places in `order` of each level.
    fn each(&self) -> impl Iterator<Item = Range<usize>> {
        self.start.windows(2).map(|pair| pair[0]..pair[1])
    }
    /// All pivots in order, at most `most` at a time: levels of at least `wide` pivots by themselves, others strung
    /// together.
    pub fn groups(&self, wide: usize, most: usize) -> impl Iterator<Item = Group<'_>> {
        let is_narrow = move |level: &Range<usize>| level.len() < wide;
        let mut levels = self.each().peekable();
        let mut left = 0..0;
        std::iter::from_fn(move || {
            if left.is_empty() {
                left = levels.next()?;
                if is_narrow(&left) {
                    let start = left.start;
                    while let Some(next) = levels.next_if(|next| is_narrow(next) && next.end - start <= most) {
                        left.end = next.end;
                    }
                    return Some(Group::Chained(&self.order[std::mem::take(&mut left)]));
                }
            }
            let batch = left.start..left.end.min(left.start + most);
            left.start = batch.end;
            Some(Group::Independent(&self.order[batch]))
        })
    }
}

/// Pivots that follow each other in their order by levels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Group<'a> {
    /// Of several levels: each may need those before it.
    Chained(&'a [u32]),
    /// Of one level: none needs another.
    Independent(&'a [u32]),
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::{Modulus, Rng};
    use rand::{RngExt, SeedableRng};

    /// Every pivot once, behind all that it needs, which lie in lower levels, one of them in the level before.
    #[test]
    fn pivots_need_lower_levels() {
        let (mut rng, p) = (Rng::seed_from_u64(51), Modulus::new(7).unwrap());
        for (n, weight) in [(0, 0), (1, 1), (300, 1), (300, 2), (300, 20)] {
            let below = |i: usize| (0..weight.min(i)).map(move |_| i).collect::<Vec<_>>();
            let entries: Vec<_> = (0..n)
                .flat_map(below)
                .map(|i| (i, rng.random_range(0..i), 1))
                .chain((0..n).map(|i| (i, i, 1)))
                .collect();
            let entries: Vec<_> = entries.into_iter().collect::<std::collections::BTreeSet<_>>().into_iter().collect();
            let a = SparseMatrix::from_triplets(p, n, n, &entries);
            let all: Vec<u32> = (0..n as u32).collect();
            let levels = Levels::of(&a, &all, &all, all.iter().copied()).unwrap();
            let back: Vec<u32> = all.iter().rev().copied().collect();
            let transposed = Levels::of_transpose(&a.transpose().unwrap(), &all, &all).unwrap();
            assert_eq!((&transposed.order, &transposed.start), (&levels.order, &levels.start));
            // The same pivots, last first: they need later ones.
            let (upper, lower) = (
                Levels::of(&a.transpose().unwrap(), &back, &back, all.iter().copied()).unwrap(),
                Levels::of_transpose(&a, &back, &back).unwrap(),
            );
            assert_eq!((&upper.order, &upper.start), (&lower.order, &lower.start));
            let mut level = vec![usize::MAX; n];
            for (l, range) in levels.each().enumerate() {
                assert!(!range.is_empty() && levels.order[range.clone()].is_sorted());
                levels.order[range].iter().for_each(|&k| level[k as usize] = l);
            }
            assert_eq!(levels.order.len(), n);
            for (wide, most) in [(1, 7), (3, 4), (20, 64), (n + 1, n + 1)] {
                let mut all: Vec<u32> = vec![];
                for group in levels.groups(wide, most) {
                    match group {
                        Group::Chained(pivots) => all.extend(pivots),
                        Group::Independent(pivots) => {
                            assert!(pivots.windows(2).all(|pair| level[pair[0] as usize] == level[pair[1] as usize]));
                            all.extend(pivots);
                        }
                    }
                    let (Group::Chained(pivots) | Group::Independent(pivots)) = group;
                    assert!(!pivots.is_empty() && pivots.len() <= most.max(wide));
                }
                assert_eq!(all, levels.order, "{wide} at least, {most} at most");
            }
            for i in 0..n {
                let needed = entries.iter().filter(|e| e.0 == i && e.1 != i).map(|e| level[e.1] + 1).max();
                assert_eq!(level[i], needed.unwrap_or(0), "pivot {i}");
            }
        }
    }
}
