//! How large the minors of an integer matrix can be: Hadamard's inequality.

use super::logarithm::log2_above;
use crate::sparse::{Integer, Triplets};
use crate::{Result, memory};
use num_bigint::BigUint;
use std::collections::BTreeMap;

/// An upper bound on log₂|D| for every minor D ≠ 0 of `a` of order up to `order`: by Hadamard, |D| is at most the
/// product of the Euclidean norms of its rows, which are at most those of the rows of `a`. The `order` largest norms of
/// non-empty rows are multiplied, or those of columns if that is less. (Non-zero integer rows have norm at least 1.)
///
/// Sums of squares are exact, for entries of any size; logarithms are rounded upwards.
///
/// # Errors
/// [`Error::Memory`](crate::Error::Memory).
pub fn hadamard_log2(a: &Triplets, order: usize) -> Result<f64> {
    Ok(Hadamard::of(a)?.log2(order))
}

/// [`hadamard_log2`] of a matrix for any order.
#[derive(Clone, Debug)]
pub struct Hadamard {
    /// Logarithms of the squared norms of rows, and of columns, in descending order.
    rows: Vec<f64>,
    cols: Vec<f64>,
}

impl Hadamard {
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    pub fn of(a: &Triplets) -> Result<Self> {
        let (mut rows, mut cols) = (SquaredNorms::new(a.rows())?, SquaredNorms::new(a.cols())?);
        for (i, j, v) in a.entries() {
            rows.add(i, &v);
            cols.add(j, &v);
        }
        Ok(Hadamard { rows: rows.descending()?, cols: cols.descending()? })
    }
    /// The bound on log₂|D| for minors D ≠ 0 of order up to `order`.
    pub fn log2(&self, order: usize) -> f64 {
        // Fewer than 2³² terms, none negative: the sum is right up to a factor below 1 + 2³²·2⁻⁵³.
        let sum = |logs: &[f64]| logs.iter().take(order).sum::<f64>() / 2.0 * (1.0 + 1e-6);
        sum(&self.rows).min(sum(&self.cols))
    }
}

/// What the memory is for.
const NORMS: &str = "the norms of the lines";

/// Squares of the Euclidean norms of lines.
struct SquaredNorms {
    /// Sums of the squares of entries below 2⁴⁸: fewer than 2³² of them stay below 2¹²⁸.
    small: Vec<u128>,
    /// Sums of the other squares, by line.
    large: BTreeMap<usize, BigUint>,
}

impl SquaredNorms {
    fn new(lines: usize) -> Result<Self> {
        Ok(SquaredNorms { small: memory::zeros(lines, NORMS)?, large: BTreeMap::new() })
    }
    fn add(&mut self, line: usize, v: &Integer<'_>) {
        match v {
            Integer::Small(v) if v.unsigned_abs() < 1 << 48 => self.small[line] += u128::from(v.unsigned_abs()).pow(2),
            _ => *self.large.entry(line).or_default() += v.to_bigint().magnitude().pow(2),
        }
    }
    /// log₂ of those of non-empty lines, rounded upwards, the largest first.
    fn descending(self) -> Result<Vec<f64>> {
        let large = |line: usize| self.large.get(&line).cloned().unwrap_or_default();
        let square = |(line, &small): (usize, &u128)| match self.large.is_empty() {
            true => log2_above(&BigUint::from(small)),
            false => log2_above(&(large(line) + small)),
        };
        let norms = self.small.iter().enumerate().map(square).filter(|&l| l > 0.0);
        let mut logs: Vec<f64> = memory::collect(norms, NORMS)?;
        logs.sort_unstable_by(|a, b| b.total_cmp(a));
        Ok(logs)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::Rng;
    use num_bigint::BigInt;
    use rand::{RngExt, SeedableRng};

    /// By expansion along the first row.
    fn determinant(a: &[Vec<BigInt>]) -> BigInt {
        if a.is_empty() {
            return 1.into();
        }
        let minor = |j: usize| -> Vec<Vec<BigInt>> {
            a[1..]
                .iter()
                .map(|row| row.iter().enumerate().filter(|&(l, _)| l != j).map(|(_, v)| v.clone()).collect())
                .collect()
        };
        (0..a.len()).map(|j| &a[0][j] * determinant(&minor(j)) * if j % 2 == 0 { 1 } else { -1 }).sum()
    }

    #[test]
    fn determinants_stay_below() {
        let mut rng = Rng::seed_from_u64(1);
        for round in 0..300 {
            let n = round % 6;
            // Entries around every size that is treated separately: 1, 2⁴⁸, 2⁶³, far beyond.
            let size = [1, 3, 47, 48, 49, 63, 64, 200][round % 8];
            let a: Vec<Vec<BigInt>> = (0..n)
                .map(|_| (0..n).map(|_| (BigInt::from(1) << size) * rng.random_range(-3..4) - 1).collect())
                .collect();
            let entries = (0..n * n).map(|k| (k / n, k % n, a[k / n][k % n].clone()));
            let bound = hadamard_log2(&Triplets::from_entries(n, n, entries), n).unwrap();
            let det = determinant(&a).magnitude().clone();
            assert!(det.bits() <= bound as u64 + 1, "{det} of {} bits, bound {bound}", det.bits());
        }
    }

    #[test]
    fn equality_for_hadamard_matrices_and_the_smaller_side_counts() {
        let sign = |k: usize| if ((k / 4) & (k % 4)).count_ones().is_multiple_of(2) { 1 } else { -1 };
        let h = Triplets::from_entries(4, 4, (0..16).map(|k| (k / 4, k % 4, sign(k))));
        let bound = hadamard_log2(&h, 4).unwrap();
        assert!((4.0..4.0001).contains(&bound), "|det| = 16: {bound}");
        // One column of 2s, 100 rows: rows give 2¹ each, the column sqrt(400).
        let column = Triplets::from_entries(100, 3, (0..100).map(|i| (i, 1, 2)));
        assert!((hadamard_log2(&column, 100).unwrap() - 400f64.sqrt().log2()).abs() < 1e-4);
        // The two largest of three.
        let diagonal = Triplets::from_entries(3, 3, [(0, 0, 2), (1, 1, 8), (2, 2, 16)]);
        assert!((hadamard_log2(&diagonal, 2).unwrap() - 7.0).abs() < 1e-4);
        assert_eq!(hadamard_log2(&Triplets::from_entries(3, 3, [(0, 0, 0)]), 3).unwrap(), 0.0);
    }
}
