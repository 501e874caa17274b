//! From entries in any order to canonical triplets: sorted by row and column, duplicates summed over ℤ, zeros dropped.
//!
//! The sort is a two-level counting sort, parallel and without locks. Positions i·cols + j are cut into ranges of equal
//! length, the *buckets*; a first stable pass distributes the entries over them (every part of the input owns one slice
//! of every bucket, so all writes are disjoint), a second sorts each bucket by itself, in cache. Both are linear for the
//! orders that files have in practice (by rows, by columns, or symmetric halves). Entries that arrive already in order
//! are not touched at all: whoever fills the [`Coordinates`] keeps track of that.

use crate::sparse::{Integer, Triplets};
use crate::{Result, memory};
use num_bigint::BigInt;
use rayon::prelude::*;

/// What becomes of entries at one position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Duplicates {
    /// They are summed over the integers.
    Sum,
    /// They become a single 1 (the 0–1 pattern; all values must be 1).
    One,
}

/// Entries with indices in range, in any order.
///
/// Invariant: `row`, `col`, `value` have equal length; if `sorted`, their positions ascend strictly, all below
/// `next` (see [`key`]), and no value is 0. Integers beyond `i64` stand apart in `big`, in any order.
pub(crate) struct Coordinates {
    pub row: Vec<u32>,
    pub col: Vec<u32>,
    pub value: Vec<i64>,
    pub big: Vec<BigEntry>,
    pub sorted: bool,
    pub next: u64,
}

/// Row and column in one word that orders as the canonical triplets do.
#[inline(always)]
pub(crate) fn key(row: u32, col: u32) -> u64 {
    (row as u64) << 32 | col as u64
}

/// Row, column and a value that does not fit a word.
pub(crate) type BigEntry = (u32, u32, BigInt);

/// An entry on its way through the buckets: its [`key`] and its value.
type Entry = (u64, i64);

/// Entries a bucket should have: a bucket and its copy stay in a second-level cache.
const BUCKET: usize = 1 << 15;
/// At most this many buckets: one write stream each, as many as a first pass handles without thrashing.
const MAX_BUCKETS: usize = 1 << 10;
/// Entries in a part of the input of the first pass.
const PART: usize = 1 << 18;

impl Coordinates {
    /// No entries yet.
    pub fn new() -> Self {
        Coordinates { row: vec![], col: vec![], value: vec![], big: vec![], sorted: true, next: 0 }
    }

    /// Appends one entry; zeros vanish.
    pub fn push(&mut self, row: u32, col: u32, value: Integer<'_>) {
        match value {
            Integer::Small(0) => {}
            Integer::Small(v) => {
                let k = key(row, col);
                self.sorted &= self.next <= k;
                self.next = k + 1;
                self.row.push(row);
                self.col.push(col);
                self.value.push(v);
            }
            Integer::Big(v) => self.big.push((row, col, v.into_owned())),
        }
    }

    /// Adds the transposed off-diagonal entries, negated if `skew`: a symmetric matrix from its stored triangle.
    pub fn mirror(&mut self, skew: bool) {
        let (stored, stored_big) = (self.row.len(), self.big.len());
        for k in 0..stored {
            let (i, j, v) = (self.row[k], self.col[k], self.value[k]);
            if i != j {
                let v = if skew { -i128::from(v) } else { v.into() };
                self.push(j, i, v.into());
            }
        }
        for k in 0..stored_big {
            let (i, j, ref v) = self.big[k];
            if i != j {
                let v = if skew { -v } else { v.clone() };
                self.push(j, i, v.into());
            }
        }
    }

    /// The canonical triplets of a rows × cols matrix.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory): sorting takes a second copy of the entries.
    pub fn canonical(mut self, rows: usize, cols: usize, duplicates: Duplicates) -> Result<Triplets> {
        if !self.sorted {
            self.sort(rows, cols, duplicates)?;
        }
        let big = self.merge_big()?;
        self.row.shrink_to_fit();
        self.col.shrink_to_fit();
        self.value.shrink_to_fit();
        Ok(Triplets { rows, cols, row: self.row, col: self.col, value: self.value, big })
    }

    /// Sorts the word-sized entries and merges duplicates; sums that leave `i64` move to `big`.
    fn sort(&mut self, rows: usize, cols: usize, duplicates: Duplicates) -> Result<()> {
        let n = self.row.len();
        let last_place = (rows as u64 * cols as u64).saturating_sub(1);
        let most = (n / BUCKET).clamp(2, MAX_BUCKETS) as u64;
        let shift = (0..64).find(|&s| last_place >> s < most).expect("a 64-bit word shifted by 63 is below 2");
        let buckets = (last_place >> shift) as usize + 1;
        let bucket = |i: u32, j: u32| ((i as u64 * cols as u64 + j as u64) >> shift) as usize;

        // First pass: how many entries each part sends to each bucket, then the entries themselves.
        let counts: Vec<Vec<usize>> = (self.row.par_chunks(PART).zip(self.col.par_chunks(PART)))
            .map(|(row, col)| {
                let mut count = vec![0; buckets];
                row.iter().zip(col).for_each(|(&i, &j)| count[bucket(i, j)] += 1);
                count
            })
            .collect();
        let sizes: Vec<usize> = (0..buckets).map(|b| counts.iter().map(|count| count[b]).sum()).collect();
        let mut scratch: Vec<Entry> = memory::zeros(n, "the entries to be sorted")?;
        let mut slots: Vec<Vec<&mut [Entry]>> = counts.iter().map(|_| Vec::with_capacity(buckets)).collect();
        let mut rest = &mut scratch[..];
        for b in 0..buckets {
            for (slot, count) in slots.iter_mut().zip(&counts) {
                slot.push(rest.split_off_mut(..count[b]).expect("the counts add up to n"));
            }
        }
        let parts = self.row.par_chunks(PART).zip(self.col.par_chunks(PART)).zip(self.value.par_chunks(PART));
        parts.zip(slots).for_each(|(((row, col), value), mut slot)| {
            let mut next = vec![0; buckets];
            for ((&i, &j), &v) in row.iter().zip(col).zip(value) {
                let b = bucket(i, j);
                slot[b][next[b]] = (key(i, j), v);
                next[b] += 1;
            }
        });

        // Second pass: every bucket is sorted and written back to its own range of the arrays.
        let mut work = Vec::with_capacity(buckets);
        let (mut row, mut col, mut value, mut rest) =
            (&mut self.row[..], &mut self.col[..], &mut self.value[..], &mut scratch[..]);
        for &size in &sizes {
            work.push((
                rest.split_off_mut(..size).expect("the sizes add up to n"),
                row.split_off_mut(..size).expect("the sizes add up to n"),
                col.split_off_mut(..size).expect("the sizes add up to n"),
                value.split_off_mut(..size).expect("the sizes add up to n"),
            ));
        }
        let merged: Vec<(usize, Vec<BigEntry>)> = work
            .into_par_iter()
            .map(|(entries, row, col, value)| {
                sort_bucket(entries);
                merge_duplicates(entries, duplicates, row, col, value)
            })
            .collect();

        // Close the gaps that merged entries left.
        let (mut from, mut to) = (0, 0);
        for (size, (len, big)) in sizes.into_iter().zip(merged) {
            if from != to {
                self.row.copy_within(from..from + len, to);
                self.col.copy_within(from..from + len, to);
                self.value.copy_within(from..from + len, to);
            }
            from += size;
            to += len;
            self.big.extend(big);
        }
        self.row.truncate(to);
        self.col.truncate(to);
        self.value.truncate(to);
        self.sorted = true;
        Ok(())
    }

    /// Merges `big` into the sorted arrays and returns the big values that remain, by ascending position.
    fn merge_big(&mut self) -> Result<Vec<(usize, BigInt)>> {
        if self.big.is_empty() {
            return Ok(vec![]);
        }
        let mut big = std::mem::take(&mut self.big);
        big.sort_by_key(|&(i, j, _)| (i, j));
        big.dedup_by(|(i, j, v), (i0, j0, sum)| {
            let same = (*i, *j) == (*i0, *j0);
            if same {
                *sum += &*v;
            }
            same
        });
        let n = self.row.len() + big.len();
        let lines = || memory::with_capacity::<u32>(n, "the lines of the entries");
        let mut out = (lines()?, lines()?, memory::with_capacity::<i64>(n, "the values of the entries")?);
        let mut stay = vec![];
        let mut put = |i, j, v: Integer<'_>| {
            if v.is_zero() {
                return;
            }
            out.0.push(i);
            out.1.push(j);
            out.2.push(match v {
                Integer::Small(v) => v,
                Integer::Big(v) => {
                    stay.push((out.2.len(), v.into_owned()));
                    0
                }
            });
        };
        let mut small = 0;
        for (i, j, mut v) in big {
            while small < self.row.len() && key(self.row[small], self.col[small]) < key(i, j) {
                put(self.row[small], self.col[small], self.value[small].into());
                small += 1;
            }
            if small < self.row.len() && key(self.row[small], self.col[small]) == key(i, j) {
                v += self.value[small];
                small += 1;
            }
            put(i, j, v.into());
        }
        for k in small..self.row.len() {
            put(self.row[k], self.col[k], self.value[k].into());
        }
        (self.row, self.col, self.value) = out;
        Ok(stay)
    }
}

/// Sorts the entries of a bucket by key.
fn sort_bucket(entries: &mut [Entry]) {
    if entries.is_sorted_by_key(|&(k, _)| k) {
        return;
    }
    let row = |&(k, _): &Entry| (k >> 32) as usize;
    let first = entries.iter().map(row).min().expect("an unsorted slice is not empty");
    let span = entries.iter().map(row).max().expect("an unsorted slice is not empty") - first + 1;
    if span == 1 || span > 2 * entries.len() {
        entries.sort_unstable_by_key(|&(k, _)| k);
        return;
    }
    // A stable counting sort by rows leaves each row in the order of the input, which is often that of the columns.
    let mut start = vec![0usize; span + 1];
    entries.iter().for_each(|e| start[row(e) - first + 1] += 1);
    for r in 0..span {
        start[r + 1] += start[r];
    }
    let mut next = start.clone();
    let copy = entries.to_vec();
    for e in &copy {
        let slot = &mut next[row(e) - first];
        entries[*slot] = *e;
        *slot += 1;
    }
    for range in start.windows(2) {
        let row = &mut entries[range[0]..range[1]];
        if !row.is_sorted_by_key(|&(k, _)| k) {
            row.sort_unstable_by_key(|&(k, _)| k);
        }
    }
}

/// Writes sorted entries with every position once and without zeros; returns their number and the sums beyond `i64`.
fn merge_duplicates(
    entries: &[Entry],
    duplicates: Duplicates,
    row: &mut [u32],
    col: &mut [u32],
    value: &mut [i64],
) -> (usize, Vec<BigEntry>) {
    let (mut len, mut big) = (0, vec![]);
    for run in entries.chunk_by(|a, b| a.0 == b.0) {
        let (k, first) = run[0];
        let (i, j) = ((k >> 32) as u32, k as u32);
        let v = match duplicates {
            Duplicates::One => first,
            // 2⁶⁴ terms below 2⁶³ fit: 128 bits cannot overflow.
            Duplicates::Sum => match i64::try_from(run.iter().map(|&(_, v)| i128::from(v)).sum::<i128>()) {
                Ok(v) => v,
                Err(_) => {
                    big.push((i, j, run.iter().map(|&(_, v)| BigInt::from(v)).sum()));
                    continue;
                }
            },
        };
        if v != 0 {
            (row[len], col[len], value[len]) = (i, j, v);
            len += 1;
        }
    }
    (len, big)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    /// The same by a map of big integers.
    fn naive(entries: &[(u32, u32, BigInt)], mirror: Option<bool>) -> Vec<(usize, usize, BigInt)> {
        let mut sum: BTreeMap<(usize, usize), BigInt> = BTreeMap::new();
        for (i, j, v) in entries {
            *sum.entry((*i as usize, *j as usize)).or_default() += v;
            if let Some(skew) = mirror
                && i != j
            {
                *sum.entry((*j as usize, *i as usize)).or_default() += if skew { -v } else { v.clone() };
            }
        }
        sum.into_iter().filter(|(_, v)| *v != BigInt::ZERO).map(|((i, j), v)| (i, j, v)).collect()
    }

    fn check(rows: usize, cols: usize, entries: &[(u32, u32, BigInt)], mirror: Option<bool>) {
        let mut raw = Coordinates::new();
        entries.iter().for_each(|(i, j, v)| raw.push(*i, *j, Integer::from(v)));
        if let Some(skew) = mirror {
            raw.mirror(skew);
        }
        let a = raw.canonical(rows, cols, Duplicates::Sum).unwrap();
        let found: Vec<_> = a.entries().map(|(i, j, v)| (i, j, v.to_bigint())).collect();
        assert!(found == naive(entries, mirror), "{rows} x {cols}, {} entries", entries.len());
        assert!(a.big.iter().all(|(k, v)| a.value[*k] == 0 && i64::try_from(v).is_err()));
        assert_eq!(a.value.iter().filter(|&&v| v == 0).count(), a.big.len());
    }

    /// Numbers that look random, the same everywhere.
    fn random(k: u64) -> u64 {
        let x = (k + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (x ^ x >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 7
    }

    #[test]
    fn every_order_and_shape() {
        // Enough entries for several parts and many buckets; shapes from one row to one column, dense to hypersparse.
        let n = 3 * PART as u64 / 2;
        let most = u32::MAX as usize;
        for (rows, cols) in
            [(1, 1), (1, 5000), (5000, 1), (700, 900), (1 << 20, 1 << 20), (most, most), (most, 1), (3, most)]
        {
            let place = |k: u64| ((random(2 * k) % rows as u64) as u32, (random(2 * k + 1) % cols as u64) as u32);
            let mut entries: Vec<(u32, u32, BigInt)> =
                (0..n).map(|k| (place(k).0, place(k).1, BigInt::from(k as i64 % 7 - 3))).collect();
            check(rows, cols, &entries, None);
            entries.sort_by_key(|&(i, j, _)| (j, i));
            check(rows, cols, &entries, None);
            entries.sort_by_key(|&(i, j, _)| (i, j));
            check(rows, cols, &entries, None);
        }
    }

    #[test]
    fn few_entries_and_none() {
        for (rows, cols) in [(0, 0), (0, 5), (5, 0), (1, 1), (u32::MAX as usize, u32::MAX as usize)] {
            check(rows, cols, &[], None);
        }
        let last = u32::MAX - 1;
        let corners = [(last, last, 1.into()), (0, last, 2.into()), (last, 0, 3.into()), (0, 0, 4.into())];
        check(u32::MAX as usize, u32::MAX as usize, &corners, None);
    }

    #[test]
    fn sums_that_leave_and_enter_the_word() {
        let (max, min, two64) = (BigInt::from(i64::MAX), BigInt::from(i64::MIN), BigInt::from(1u128 << 64));
        let values =
            [max.clone(), min.clone(), two64.clone(), -&two64, BigInt::from(1), BigInt::from(-1), -&min, -&max];
        for seed in 0..300 {
            let entries: Vec<_> = (0..seed % 17)
                .map(|k| {
                    let r = random(100 * seed + k);
                    ((r % 3) as u32, (r / 3 % 3) as u32, values[(r / 9 % 8) as usize].clone())
                })
                .collect();
            check(3, 3, &entries, None);
            check(3, 3, &entries, Some(false));
            check(3, 3, &entries, Some(true));
        }
    }

    #[test]
    fn patterns_count_positions_once() {
        let mut raw = Coordinates::new();
        for (i, j) in [(1, 1), (0, 2), (1, 1), (1, 1), (0, 0)] {
            raw.push(i, j, Integer::Small(1));
        }
        let a = raw.canonical(2, 3, Duplicates::One).unwrap();
        assert_eq!((a.row, a.col, a.value), (vec![0, 0, 1], vec![0, 2, 1], vec![1; 3]));
    }
}
