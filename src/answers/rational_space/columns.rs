//! Products of an integer matrix with sparse vectors, over the integers.

use crate::sparse::{Integer, Triplets};
use crate::{Result, memory};
use num_bigint::{BigInt, BigUint};
use num_traits::{ToPrimitive, Zero};

/// What the memory is for.
const COLUMNS: &str = "the columns of an integer matrix";

/// The columns of A.
#[derive(Debug)]
pub(super) struct Columns {
    rows: usize,
    start: Vec<usize>,
    row: Vec<u32>,
    /// 0 where the entry is among the `big`, by position.
    value: Vec<i64>,
    big: Vec<(usize, BigInt)>,
    largest: i64,
}

/// Sums by row, all 0 between two products.
#[derive(Debug, Default)]
pub(super) struct Sums {
    words: Vec<i64>,
    touched: Vec<u32>,
    big: Vec<BigInt>,
}

impl Columns {
    /// # Errors
    /// [`crate::Error::Memory`].
    pub fn of(a: &Triplets) -> Result<Self> {
        let mut start = memory::zeros::<usize>(a.cols() + 1, COLUMNS)?;
        let mut norms = memory::zeros::<u128>(a.rows(), COLUMNS)?;
        let mut large = BigUint::zero();
        for (i, j, v) in a.entries() {
            start[j + 1] += 1;
            match v {
                // Fewer than 2³² terms below 2⁶⁴.
                Integer::Small(v) => norms[i] += u128::from(v.unsigned_abs()),
                Integer::Big(v) => large += v.magnitude(),
            }
        }
        (0..a.cols()).for_each(|j| start[j + 1] += start[j]);
        let norm = large + norms.iter().max().copied().unwrap_or(0);
        let largest = norm.to_u64().map_or(0, |norm| i64::MAX as u64 / norm.max(1)) as i64;
        let mut next = memory::copy(&start, COLUMNS)?;
        let (mut row, mut value) = (memory::zeros(a.nnz(), COLUMNS)?, memory::zeros(a.nnz(), COLUMNS)?);
        let mut big = vec![];
        for (i, j, v) in a.entries() {
            let at = next[j];
            next[j] += 1;
            row[at] = i as u32;
            match v {
                Integer::Small(v) => value[at] = v,
                Integer::Big(v) => big.push((at, v.into_owned())),
            }
        }
        big.sort_unstable_by_key(|&(at, _)| at);
        Ok(Columns { rows: a.rows(), start, row, value, big, largest })
    }

    /// The largest absolute value of vectors whose products stay below 2⁶³, with all sums on the way: ‖A‖∞·|y| ≤ 2⁶³ -
    /// 1, where ‖A‖∞ is the largest sum of the absolute values of a row (or something larger). 0 if there is none.
    pub fn largest(&self) -> i64 {
        self.largest
    }
    /// Whether A·y = 0, for y of absolute value up to [`Columns::largest`].
    ///
    /// # Errors
    /// [`crate::Error::Memory`].
    pub fn vanishes(&self, cols: &[u32], y: &[i64], sums: &mut Sums) -> Result<bool> {
        if sums.words.len() < self.rows {
            sums.words = memory::zeros(self.rows, COLUMNS)?;
        }
        let range = |j: u32| self.start[j as usize]..self.start[j as usize + 1];
        if cols.iter().map(|&j| range(j).len()).sum::<usize>() > self.rows / 2 {
            // To look at every sum takes less than to note which are touched.
            let words = &mut sums.words[..self.rows];
            for (&j, &y) in cols.iter().zip(y) {
                let entries = self.row[range(j)].iter().zip(&self.value[range(j)]);
                entries.for_each(|(&i, &v)| words[i as usize] += v * y);
            }
            let null = words.iter().all(|&sum| sum == 0);
            if !null {
                words.fill(0);
            }
            return Ok(null);
        }
        for (&j, &y) in cols.iter().zip(y) {
            let range = range(j);
            memory::reserve(&mut sums.touched, range.len(), COLUMNS)?;
            for (&i, &v) in self.row[range.clone()].iter().zip(&self.value[range]) {
                let sum = &mut sums.words[i as usize];
                if *sum == 0 {
                    sums.touched.push(i);
                }
                *sum += v * y;
            }
        }
        let words = &mut sums.words;
        // All are cleared, whatever the first of them is.
        let left = sums.touched.drain(..).filter(|&i| std::mem::take(&mut words[i as usize]) != 0).count();
        Ok(left == 0)
    }
    /// Whether A·y = 0.
    ///
    /// # Errors
    /// [`crate::Error::Memory`].
    pub fn vanishes_in_full(&self, cols: &[u32], y: &[BigInt], sums: &mut Sums) -> Result<bool> {
        if sums.big.len() < self.rows {
            sums.big = memory::filled(BigInt::ZERO, self.rows, COLUMNS)?;
        }
        for (&j, y) in cols.iter().zip(y) {
            let range = self.start[j as usize]..self.start[j as usize + 1];
            memory::reserve(&mut sums.touched, range.len(), COLUMNS)?;
            for at in range {
                let (i, v) = (self.row[at], self.value[at]);
                let sum = &mut sums.big[i as usize];
                if sum.is_zero() {
                    sums.touched.push(i);
                }
                match v {
                    0 => *sum += y * &self.big[self.big.binary_search_by_key(&at, |b| b.0).expect("no zeros")].1,
                    1 => *sum += y,
                    -1 => *sum -= y,
                    v => *sum += y * v,
                }
            }
        }
        let big = &mut sums.big;
        let left = sums.touched.drain(..).filter(|&i| !std::mem::take(&mut big[i as usize]).is_zero()).count();
        Ok(left == 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::Rng;
    use rand::{RngExt, SeedableRng};

    /// Vectors with few coordinates and with many: what they are mapped to is 0 or not, and the next one is not misled.
    #[test]
    fn products_are_those_of_integers_of_any_size() {
        let mut rng = Rng::seed_from_u64(8);
        for (rows, n) in [(1, 1), (3, 2), (40, 30), (200, 20), (0, 3)] {
            // Each column, and n further on its negative.
            let places: Vec<_> =
                (0..if rows > 0 { 3 * n } else { 0 }).map(|k| (rng.random_range(0..rows), k % n)).collect();
            let entries = places.iter().enumerate().map(|(k, &(i, j))| (i, j, k as i64 % 5 - 2));
            let all = entries.flat_map(|(i, j, v)| [(i, j, v), (i, j + n, -v)]);
            let (columns, mut sums) =
                (Columns::of(&Triplets::from_entries(rows, 2 * n, all)).unwrap(), Sums::default());
            let mut seen = [0; 2];
            for round in 0..40 {
                let chosen: Vec<u32> = (0..n as u32).filter(|_| rng.random_range(0..8) <= round / 5).collect();
                let cols: Vec<u32> = chosen.iter().copied().chain(chosen.iter().map(|&j| j + n as u32)).collect();
                let own: Vec<i64> = chosen.iter().map(|_| rng.random_range(-9..=9)).collect();
                let mut y = [&own[..], &own[..]].concat();
                if round % 2 == 0 && !y.is_empty() {
                    y[0] += 1;
                }
                let big: Vec<BigInt> = y.iter().map(|&y| y.into()).collect();
                let null = columns.vanishes_in_full(&cols, &big, &mut sums).unwrap();
                assert_eq!(columns.vanishes(&cols, &y, &mut sums).unwrap(), null);
                assert!(sums.words.iter().all(|&sum| sum == 0) && sums.touched.is_empty());
                seen[usize::from(null)] += 1;
            }
            assert!(seen[1] > 0 && (seen[0] > 0 || rows == 0), "{rows} x {n}: {seen:?}");
        }
    }

    /// The largest values that are allowed do not overflow, and one that is only 1 away from a null vector is seen.
    #[test]
    fn products_at_the_edge_of_a_word() {
        for a in [1i64, 3, 1 << 40, i64::MAX / 2] {
            let matrix = Triplets::from_entries(2, 3, [(0, 0, a), (0, 1, a), (1, 1, -a), (1, 2, -a)]);
            let columns = Columns::of(&matrix).unwrap();
            let (y, mut sums) = (columns.largest(), Sums::default());
            assert!(y >= 1 && i128::from(y) * 2 * i128::from(a) <= i128::from(i64::MAX));
            assert!((i128::from(y) + 1) * 2 * i128::from(a) > i128::from(i64::MAX));
            for (vector, null) in [([y, -y, y], true), ([y, y, y], false), ([y, -y, y - 1], false), ([0, 0, 0], true)] {
                assert_eq!(columns.vanishes(&[0, 1, 2], &vector, &mut sums).unwrap(), null);
                assert!(sums.words.iter().all(|&sum| sum == 0) && sums.touched.is_empty());
                let big = vector.map(BigInt::from);
                assert_eq!(columns.vanishes_in_full(&[0, 1, 2], &big, &mut sums).unwrap(), null);
                assert!(sums.big.iter().all(Zero::is_zero) && sums.touched.is_empty());
            }
        }
        // No vector but 0 is small enough.
        let big = BigInt::from(1) << 100u32;
        let matrix = Triplets::from_entries(1, 2, [(0, 0, big.clone()), (0, 1, BigInt::from(3))]);
        let columns = Columns::of(&matrix).unwrap();
        assert_eq!(columns.largest(), 0);
        let (y, mut sums) = ([BigInt::from(3), -big], Sums::default());
        assert!(columns.vanishes_in_full(&[0, 1], &y, &mut sums).unwrap());
        assert!(!columns.vanishes_in_full(&[0], &y[..1], &mut sums).unwrap());
    }
}
