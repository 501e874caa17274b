//! From entries in any order to canonical triplets: sorted by row and column, duplicates summed over ℤ, zeros dropped.
//!
//! Entries that arrive in order are not touched at all: the code that fills the [`Coordinates`] keeps track of that.
//! Others are sorted by [`super::bucket_sort`].

use super::bucket_sort;
use super::duplicates::{BigEntry, Duplicates};
use crate::sparse::numbers::Numbers;
use crate::sparse::{Integer, Triplets};
use crate::{Result, memory};
use num_bigint::BigInt;

/// Entries with indices in range, in any order.
///
/// Invariant: `row`, `col`, `value` have equal length; if `sorted`, their positions ascend strictly, all below `next`
/// (see [`key`]), and no value is 0. Integers beyond `i64` are kept separately in `big`, in any order.
pub(crate) struct Coordinates {
    pub row: Vec<u32>,
    pub col: Vec<u32>,
    pub value: Numbers,
    pub big: Vec<BigEntry>,
    pub sorted: bool,
    pub next: u64,
}

/// Row and column in one word that orders as the canonical triplets do.
#[inline(always)]
pub(crate) fn key(row: u32, col: u32) -> u64 {
    (row as u64) << 32 | col as u64
}

impl Coordinates {
    /// No entries yet.
    pub fn new() -> Self {
        Coordinates { row: vec![], col: vec![], value: Numbers::new(), big: vec![], sorted: true, next: 0 }
    }

    /// Releases unused capacity.
    pub fn shrink_to_fit(&mut self) {
        self.row.shrink_to_fit();
        self.col.shrink_to_fit();
        self.value.shrink_to_fit();
    }

    /// Appends one entry; zeros are dropped.
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
            let (i, j, v) = (self.row[k], self.col[k], self.value.get(k));
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
            let big = bucket_sort::sort([&mut self.row, &mut self.col], &mut self.value, (rows, cols), duplicates)?;
            self.big.extend(big);
        }
        let big = self.merge_big()?;
        self.shrink_to_fit();
        Ok(Triplets { rows, cols, row: self.row, col: self.col, value: self.value, big })
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
        let mut out = (lines()?, lines()?, Numbers::zeros(self.value.width(), 0)?);
        out.2.reserve(n)?;
        let mut stay = vec![];
        let mut put = |i, j, v: Integer<'_>| {
            if v.is_zero() {
                return Ok(());
            }
            out.0.push(i);
            out.1.push(j);
            out.2.try_push(match v {
                Integer::Small(v) => v,
                Integer::Big(v) => {
                    stay.push((out.2.len(), v.into_owned()));
                    0
                }
            })
        };
        let mut small = 0;
        for (i, j, mut v) in big {
            while small < self.row.len() && key(self.row[small], self.col[small]) < key(i, j) {
                put(self.row[small], self.col[small], self.value.get(small).into())?;
                small += 1;
            }
            if small < self.row.len() && key(self.row[small], self.col[small]) == key(i, j) {
                v += self.value.get(small);
                small += 1;
            }
            put(i, j, v.into())?;
        }
        for k in small..self.row.len() {
            put(self.row[k], self.col[k], self.value.get(k).into())?;
        }
        (self.row, self.col, self.value) = out;
        Ok(stay)
    }
}

#[cfg(test)]
mod tests {
    use super::bucket_sort::PART;
    use super::*;
    use std::collections::BTreeMap;

    /// The same with a map of big integers.
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
        assert!(a.big.iter().all(|(k, v)| a.value.get(*k) == 0 && i64::try_from(v).is_err()));
        assert_eq!(a.value.iter().filter(|&v| v == 0).count(), a.big.len());
    }

    /// Pseudorandom numbers, the same on every machine.
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
    fn sums_that_leave_and_enter_each_width() {
        let ends =
            [i64::from(i8::MAX), i8::MIN.into(), i16::MAX.into(), i16::MIN.into(), i32::MAX.into(), i32::MIN.into()];
        let ends = ends.into_iter().flat_map(|v| [v - 1, v, v + 1, -v]).chain([1, -1, i64::MIN, i64::MAX]);
        let values: Vec<BigInt> = ends.map(BigInt::from).collect();
        // Places of 32 bits, and of more.
        for (rows, cols) in [(3, 3), (u32::MAX as usize, u32::MAX as usize)] {
            // Only the first few values, so that each width is that of some matrix.
            for (most, seed) in (1..=values.len()).flat_map(|most| (0..12).map(move |seed| (most, seed))) {
                let entries: Vec<_> = (0..9 + seed)
                    .map(|k| {
                        let r = random(1000 * most as u64 + 100 * seed + k);
                        let last = |n: usize| (n - 1) as u64;
                        let place = (r % 3 * (last(rows) / 2), r / 3 % 3 * (last(cols) / 2));
                        (place.0 as u32, place.1 as u32, values[(r / 9) as usize % most].clone())
                    })
                    .collect();
                check(rows, cols, &entries, None);
                if rows == 3 {
                    check(rows, cols, &entries, Some(seed % 2 == 0));
                }
            }
        }
    }

    #[test]
    fn values_are_stored_in_the_narrowest_type_of_the_sums() {
        use crate::sparse::numbers::Width;
        let sum = |values: &[i64]| Triplets::from_entries(1, 2, values.iter().map(|&v| (0, 0, v)).chain([(0, 1, 5)]));
        let ends = i64::from(i32::MAX);
        for (values, width) in [
            (&[100, 27][..], Width::I8),
            (&[100, 28], Width::I16),
            (&[-100, -28], Width::I8),
            (&[-100, -29], Width::I16),
            (&[ends, -ends + 1], Width::I8),
            (&[ends, 1], Width::I64),
            (&[i64::MAX, -i64::MAX + 40000], Width::I32),
        ] {
            let a = sum(values);
            assert_eq!((a.value.width(), a.value.get(0)), (width, values.iter().sum()), "{values:?}");
        }
        assert_eq!(sum(&[300, -300]), Triplets::from_entries(1, 2, [(0, 1, 5)]));
    }

    #[test]
    fn patterns_count_positions_once() {
        let mut raw = Coordinates::new();
        for (i, j) in [(1, 1), (0, 2), (1, 1), (1, 1), (0, 0)] {
            raw.push(i, j, Integer::Small(1));
        }
        let a = raw.canonical(2, 3, Duplicates::One).unwrap();
        assert_eq!((a.row, a.col, a.value), (vec![0, 0, 1], vec![0, 2, 1], vec![1; 3].into()));
    }
}
