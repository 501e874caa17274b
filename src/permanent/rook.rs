//! Permanents of matrices that are nearly constant: A = cJ + B, where J is all ones and B sparse.
//!
//! Expanding every factor of Π (c + b_{i,σ(i)}) and summing over σ gives
//!
//! perm A = Σ_k c^(n-k) (n-k)! σ_k(B),
//!
//! where σ_k(B) is the sum of the permanents of all k × k submatrices of B. For a 0–1 matrix with few zeros, c = 1 and
//! (-1)^k σ_k(B) is the k-th rook number of the zeros (J. Riordan, *An Introduction to Combinatorial Analysis*, 1958,
//! chapters 7 and 8).
//!
//! Σ σ_k(B) x^k is found row by row. A row takes one of the free columns, at x times its entry, or none. A column is
//! *open* from the first row with an entry in it to the last; the state is the set of open columns in use, its value a
//! polynomial in x mod p. Rows are ordered greedily so that few columns are open; where none is open, only one state is
//! left, so that components of B cost no more than each does alone. As many primes as the proven bound on |perm A|
//! requires make the result exact.
//!
//! Entry: [`Rook::new`].

use super::{Exact, IntMatrix};
use crate::cost::Permanent;
use crate::field::Modulus;
use crate::integers::Bound;
use crate::{Observer, Result};
use num_bigint::BigInt;
use std::collections::HashMap;

/// The maximum number of open columns: a state is one word.
const MAX_OPEN: usize = 60;

/// One row of B: its entries, and the columns that no later row has.
#[derive(Debug)]
struct Step {
    /// The bit of the column, and the entry.
    entries: Vec<(u64, BigInt)>,
    /// The bits of the columns still open afterwards.
    keep: u64,
}

/// A matrix as cJ + B, and the order of the rows of B.
#[derive(Debug)]
pub struct Rook {
    n: usize,
    constant: BigInt,
    steps: Vec<Step>,
}

impl Rook {
    /// The decomposition with c the most frequent entry; `None` if that is 0, or if too many columns of B would be
    /// open.
    pub fn new(matrix: &IntMatrix) -> Option<Self> {
        let n = matrix.n();
        let mut counts: HashMap<BigInt, usize> = HashMap::new();
        matrix.entries().for_each(|(_, _, v)| *counts.entry(v.to_bigint()).or_default() += 1);
        let (constant, count) = counts.into_iter().max_by(|a, b| (a.1, &b.0).cmp(&(b.1, &a.0)))?;
        if count < n * n - matrix.nnz() {
            return None;
        }
        let mut rows = vec![vec![]; n];
        for (row, difference) in matrix.rows().zip(&mut rows) {
            let mut stored = row.iter().peekable();
            for j in 0..n as u32 {
                let entry = stored.next_if(|(col, _)| *col == j).map_or(BigInt::ZERO, |(_, v)| v.to_bigint());
                if entry != constant {
                    difference.push((j, entry - &constant));
                }
            }
        }
        Some(Rook { n, steps: steps(n, &rows)?, constant })
    }

    /// The maximum number of columns open at once.
    pub fn width(&self) -> u32 {
        self.steps.iter().map(|step| step.keep.count_ones()).max().unwrap_or(0)
    }

    /// Predicted seconds of one thread for that many primes, and an upper bound on the bytes of the threads' two layers
    /// of states.
    pub fn predict(&self, primes: f64, prices: &Permanent) -> (f64, f64) {
        let (products, bytes) = self.products();
        (products * primes * prices.rook_product, bytes * rayon::current_num_threads() as f64)
    }

    /// Multiply-adds mod one prime, and an upper bound on the bytes of two layers of states.
    fn products(&self) -> (f64, f64) {
        let (mut open, mut products, mut bytes) = (0, 0.0, 0f64);
        for (i, step) in self.steps.iter().enumerate() {
            // A state has at most i columns in use, out of those open.
            let layer = |open: u32| 2f64.powi(open as i32) * (i + 2) as f64;
            products += layer(open) * (step.entries.len() + 1) as f64;
            bytes = bytes.max((layer(open) + layer(step.keep.count_ones())) * 8.0);
            open = step.keep.count_ones();
        }
        (products, bytes)
    }

    /// The permanent mod p.
    ///
    /// # Errors
    /// [`Error::Interrupted`](crate::Error::Interrupted).
    pub fn permanent_mod(&self, p: Modulus, observer: &dyn Observer) -> Result<u64> {
        let sums = self.submatrix_sums(p, observer)?;
        let c = p.reduce_bigint(&self.constant);
        // From k = n down: power = c^(n-k) (n-k)!.
        let (mut power, mut total) = (1 % p.get(), 0);
        for k in (0..=self.n).rev() {
            if let Some(&sum) = sums.get(k) {
                total = p.add(total, p.mul(sum, power));
            }
            power = p.mul(power, p.mul(c, p.reduce((self.n - k) as u64 + 1)));
        }
        Ok(total)
    }

    /// σ_0(B) … mod p.
    fn submatrix_sums(&self, p: Modulus, observer: &dyn Observer) -> Result<Vec<u64>> {
        let mut layer: HashMap<u64, Vec<u64>> = HashMap::from([(0, vec![1 % p.get()])]);
        for step in &self.steps {
            observer.check()?;
            let entries: Vec<(u64, u64)> = step.entries.iter().map(|(bit, v)| (*bit, p.reduce_bigint(v))).collect();
            let mut next: HashMap<u64, Vec<u64>> = HashMap::with_capacity(2 * layer.len());
            for (state, poly) in layer {
                for &(bit, v) in entries.iter().filter(|(bit, v)| state & bit == 0 && *v != 0) {
                    let factor = p.multiplier(v);
                    let sum = grown(next.entry((state | bit) & step.keep).or_default(), poly.len() + 1);
                    sum[1..].iter_mut().zip(&poly).for_each(|(s, &x)| *s = p.add(*s, p.mul_by(x, factor)));
                }
                let sum = grown(next.entry(state & step.keep).or_default(), poly.len());
                sum.iter_mut().zip(&poly).for_each(|(s, &x)| *s = p.add(*s, x));
            }
            layer = next;
        }
        Ok(layer.remove(&0).expect("no column is open at the end"))
    }

    /// The permanent, proven by the given bound. Parallel over the primes.
    ///
    /// # Errors
    /// [`Error::Interrupted`](crate::Error::Interrupted).
    pub fn permanent(&self, bound: Bound, observer: &dyn Observer) -> Result<Exact> {
        Exact::by_primes(bound, observer, |p| self.permanent_mod(p, observer))
    }
}

/// The polynomial with at least `len` coefficients.
fn grown(poly: &mut Vec<u64>, len: usize) -> &mut Vec<u64> {
    if poly.len() < len {
        poly.resize(len, 0);
    }
    poly
}

/// The non-empty rows in an order that keeps few columns open, with a bit for each column while it is open.
fn steps(n: usize, rows: &[Vec<(u32, BigInt)>]) -> Option<Vec<Step>> {
    let mut rows_of = vec![vec![]; n];
    for (i, row) in rows.iter().enumerate() {
        row.iter().for_each(|(j, _)| rows_of[*j as usize].push(i));
    }
    let mut left: Vec<usize> = rows_of.iter().map(Vec::len).collect();
    let mut bit = vec![0u64; n];
    let mut open: Vec<u32> = vec![];
    let mut waiting: Vec<usize> = (0..n).filter(|&i| !rows[i].is_empty()).collect();
    waiting.sort_by_key(|&i| std::cmp::Reverse(rows[i].len()));
    let mut done = vec![false; n];
    let (mut used, mut steps) = (0u64, vec![]);
    loop {
        // The row that leaves the fewest columns open, among those that share an open column.
        let growth = |&i: &usize| {
            rows[i].iter().map(|(j, _)| (bit[*j as usize] == 0) as i64 - (left[*j as usize] == 1) as i64).sum::<i64>()
        };
        let near = open.iter().flat_map(|&j| &rows_of[j as usize]).copied().filter(|&i| !done[i]);
        let Some(i) = near.min_by_key(|i| (growth(i), *i)).or_else(|| {
            while waiting.last().is_some_and(|&i| done[i]) {
                waiting.pop();
            }
            waiting.pop()
        }) else {
            return Some(steps);
        };
        done[i] = true;
        let mut entries = vec![];
        for (j, v) in &rows[i] {
            let b = &mut bit[*j as usize];
            if *b == 0 {
                *b = 1 << (!used).trailing_zeros();
                used |= *b;
                open.push(*j);
                if open.len() > MAX_OPEN {
                    return None;
                }
            }
            left[*j as usize] -= 1;
            entries.push((*b, v.clone()));
        }
        open.retain(|&j| {
            let stays = left[j as usize] > 0;
            if !stays {
                used &= !bit[j as usize];
            }
            stays
        });
        steps.push(Step { entries, keep: used });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Silent;
    use crate::field::Rng;
    use crate::permanent::bound::permanent_bound;
    use crate::permanent::shapes::{laplace, menage};
    use rand::{RngExt, SeedableRng};

    fn rook(a: &IntMatrix) -> BigInt {
        Rook::new(a).expect("narrow").permanent(permanent_bound(a).unwrap(), &Silent).unwrap().value
    }

    /// J with zeros where `zero` says so.
    fn holes(n: usize, zero: impl Fn(usize, usize) -> bool) -> IntMatrix {
        let zero = &zero;
        let ones = (0..n).flat_map(|i| (0..n).filter(move |&j| !zero(i, j)).map(move |j| (i, j, 1)));
        IntMatrix::from_entries(n, ones.collect::<Vec<_>>())
    }

    #[test]
    fn factorials_derangements_and_menage_numbers() {
        for n in 0..40usize {
            let factorial = |n: usize| (1..=n).map(BigInt::from).product::<BigInt>();
            if n > 0 {
                assert_eq!(rook(&holes(n, |_, _| false)), factorial(n));
            }
            if n > 1 {
                let derangements =
                    (0..=n).fold(BigInt::from(1), |d, k| if k == 0 { d } else { d * k + [1, -1][k % 2] });
                assert_eq!(rook(&holes(n, |i, j| i == j)), derangements);
            }
            if n > 3 {
                assert_eq!(rook(&holes(n, |i, j| j == i || j == (i + 1) % n)), menage(n as u64));
            }
        }
    }

    #[test]
    fn nearly_constant_matrices_against_laplace() {
        let mut rng = Rng::seed_from_u64(1);
        for round in 0..200usize {
            let n = 1 + round % 9;
            let constant = [1, -1, 3, i64::MIN][round % 4];
            let change = rng.random_range(0.0..0.4);
            let entries: Vec<_> = (0..n * n)
                .map(|k| (k / n, k % n, if rng.random_bool(change) { rng.random_range(-2..=2) } else { constant }))
                .collect();
            let a = IntMatrix::from_entries(n, entries);
            let Some(plan) = Rook::new(&a) else { continue };
            let expected = laplace(&a);
            assert_eq!(plan.permanent(permanent_bound(&a).unwrap(), &Silent).unwrap().value, expected, "{a:?}");
            for p in [2, 3, 7] {
                let p = Modulus::new(p).unwrap();
                assert_eq!(plan.permanent_mod(p, &Silent).unwrap(), p.reduce_bigint(&expected));
            }
        }
    }

    #[test]
    fn sparse_matrices_are_refused_and_components_do_not_multiply() {
        assert!(Rook::new(&holes(9, |i, j| i > j)).is_some());
        assert!(Rook::new(&holes(9, |i, j| i != j)).is_none(), "0 is the most frequent entry");
        assert!(Rook::new(&IntMatrix::from_entries(3, std::iter::empty::<(usize, usize, i64)>())).is_none());
        let blocks = Rook::new(&holes(60, |i, j| i / 3 == j / 3)).unwrap();
        assert_eq!(blocks.width(), 3);
        assert!(blocks.products().0 < 1e5);
    }
}
