//! Products of an integer matrix with sparse vectors, over the integers.

use crate::sparse::{Integer, Triplets};
use crate::{Result, memory};
use num_bigint::{BigInt, BigUint, Sign};
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
    /// Bits of ‖A‖∞.
    norm_bits: u64,
}

/// Sums by row, all 0 between two products.
#[derive(Debug, Default)]
pub(super) struct Sums {
    words: Vec<i64>,
    touched: Vec<u32>,
    big: Vec<BigInt>,
    /// By row: the place of its sum among those of `long`, plus 1.
    place: Vec<u32>,
    /// Integers in two's complement, one after the other.
    long: Vec<u64>,
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
        Ok(Columns { rows: a.rows(), start, row, value, big, largest, norm_bits: norm.bits() })
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
        if self.big.is_empty() {
            return self.vanishes_in_words(cols, y, sums);
        }
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
    /// The same where all entries of A are words: each sum has as many words as the largest may need.
    fn vanishes_in_words(&self, cols: &[u32], y: &[BigInt], sums: &mut Sums) -> Result<bool> {
        if sums.place.len() < self.rows {
            sums.place = memory::zeros(self.rows, COLUMNS)?;
        }
        // |sums| ≤ ‖A‖∞·|y|, and a bit for the sign.
        let bits = y.iter().map(BigInt::bits).max().unwrap_or(0) + self.norm_bits + 1;
        let length = (bits / 64 + 1) as usize;
        sums.long.clear();
        let mut digits: Vec<u64> = vec![];
        for (&j, y) in cols.iter().zip(y) {
            digits.clear();
            digits.extend(y.iter_u64_digits());
            let range = self.start[j as usize]..self.start[j as usize + 1];
            memory::reserve(&mut sums.touched, range.len(), COLUMNS)?;
            for (&i, &v) in self.row[range.clone()].iter().zip(&self.value[range]) {
                let place = &mut sums.place[i as usize];
                if *place == 0 {
                    sums.touched.push(i);
                    *place = sums.touched.len() as u32;
                    memory::reserve(&mut sums.long, length, COLUMNS)?;
                    sums.long.resize(sums.long.len() + length, 0);
                }
                let sum = &mut sums.long[(*place as usize - 1) * length..][..length];
                add_multiple(sum, &digits, v.unsigned_abs(), (v < 0) != (y.sign() == Sign::Minus));
            }
        }
        let place = &mut sums.place;
        sums.touched.drain(..).for_each(|i| place[i as usize] = 0);
        Ok(sums.long.iter().all(|&word| word == 0))
    }
}

/// sum ± v·y in two's complement.
fn add_multiple(sum: &mut [u64], y: &[u64], v: u64, negative: bool) {
    let (low, high) = sum.split_at_mut(y.len());
    let (mut carry, mut over) = (0u64, false);
    for (sum, &y) in low.iter_mut().zip(y) {
        let product = u128::from(v) * u128::from(y) + u128::from(carry);
        carry = (product >> 64) as u64;
        let (word, first) = step(*sum, product as u64, negative);
        let (word, second) = step(word, u64::from(over), negative);
        (*sum, over) = (word, first | second);
    }
    for sum in high {
        let (word, first) = step(*sum, carry, negative);
        let (word, second) = step(word, u64::from(over), negative);
        (*sum, carry, over) = (word, 0, first | second);
        if !over {
            break;
        }
    }
}

/// x ± y, and whether something is carried.
#[inline(always)]
fn step(x: u64, y: u64, negative: bool) -> (u64, bool) {
    if negative { x.overflowing_sub(y) } else { x.overflowing_add(y) }
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

    /// Sums of any length, of both signs, that cancel at the last term or not at all.
    #[test]
    fn long_sums_cancel_or_do_not() {
        let mut rng = Rng::seed_from_u64(9);
        for bits in [1u32, 63, 64, 65, 127, 128, 500] {
            for round in 0..60 {
                let mut value = || [1, -1, i64::MAX, i64::MIN + 1, rng.random_range(-9..=9), 1 << 40][round % 6];
                let values: Vec<i64> = (0..6).map(|_| value()).collect();
                let entries = values.iter().enumerate().flat_map(|(j, &v)| [(0, j, v), (j % 2 + 1, j, -v)]);
                // What column 6 adds is what the others are together.
                let y: Vec<BigInt> = (0..6)
                    .map(|k| (BigInt::from(rng.random_range(-99..=99)) << bits) - k * (round as i64 - 30))
                    .collect();
                let sum: BigInt = values.iter().zip(&y).map(|(v, y)| y * v).sum();
                let even: BigInt = values.iter().zip(&y).step_by(2).map(|(v, y)| y * v).sum();
                let odd = &sum - &even;
                let more = [(0, 6, 1), (1, 7, 1), (2, 8, 1)];
                let a = Columns::of(&Triplets::from_entries(3, 9, entries.chain(more))).unwrap();
                let (mut sums, cols) = (Sums::default(), [0, 1, 2, 3, 4, 5, 6, 7, 8]);
                for (off, null) in [(0, true), (1, false), (-1, false)] {
                    let rest = [-&sum, even.clone(), &odd + off];
                    let y: Vec<BigInt> = y.iter().chain(&rest).cloned().collect();
                    assert_eq!(a.vanishes_in_full(&cols, &y, &mut sums).unwrap(), null);
                    assert!(sums.touched.is_empty() && sums.place.iter().all(|&place| place == 0));
                }
            }
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
