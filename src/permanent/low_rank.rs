//! Permanents of matrices of low rank: A = UV with U n × r and V r × n.
//!
//! With P(x) = Π_i Σ_t U_it x_t and Q(x) = Π_j Σ_t V_tj x_t, forms of degree n in r variables,
//!
//! perm A = Σ_{e₁+…+e_r = n} e₁! … e_r! \[xᵉ\]P · \[xᵉ\]Q
//!
//! (A. Barvinok, *Two algorithmic results for the traveling salesman problem*, Math. Oper. Res. 21, 1996): polynomially
//! many terms for fixed r. The factorisation is computed anew mod each prime, so that no rational numbers appear and no
//! rank has to be proven; as many primes as the bound on |perm A| requires make the integer exact. A prime that divides
//! minors of A may see a smaller rank than others do: the method then fails mod those.
//!
//! Entry: [`LowRank::new`].

use super::{Exact, IntMatrix};
use crate::cost::Permanent;
use crate::field::Modulus;
use crate::integers::Bound;
use crate::{Error, Observer, Result};

/// The largest rank that is tried.
const MAX_RANK: usize = 4;
/// The largest number of coefficients of P.
const MAX_TERMS: f64 = 1e7;

/// A matrix of low rank.
#[derive(Debug)]
pub struct LowRank {
    matrix: IntMatrix,
    rank: usize,
}

impl LowRank {
    /// The matrix with its rank, `None` if that is above 4 (mod a large prime) or there would be too many terms.
    pub fn new(matrix: &IntMatrix) -> Option<Self> {
        let p = Modulus::new(Modulus::LIMIT - 25).expect("a prime");
        let rank = factorise(matrix, p, MAX_RANK)?.rank();
        (terms(matrix.n(), rank) <= MAX_TERMS).then(|| LowRank { matrix: matrix.clone(), rank })
    }

    /// The rank mod a large prime.
    pub fn rank(&self) -> usize {
        self.rank
    }

    /// The number of stored coefficients of P: (n + 1)^(r-1).
    fn terms(&self) -> f64 {
        terms(self.matrix.n(), self.rank)
    }

    /// Predicted seconds of one thread for that many primes, and bytes for all threads.
    pub fn predict(&self, primes: f64, prices: &Permanent) -> (f64, f64) {
        let products = 2.0 * (self.matrix.n() * self.rank) as f64 * self.terms() / self.rank.max(1) as f64;
        (products * primes * prices.form_product, 16.0 * self.terms() * rayon::current_num_threads() as f64)
    }

    /// The permanent mod p.
    ///
    /// # Errors
    /// [`Error::Interrupted`]; [`Error::Memory`] if the rank mod p is too large, although that mod another prime is
    /// not.
    pub fn permanent_mod(&self, p: Modulus, observer: &dyn Observer) -> Result<u64> {
        let n = self.matrix.n();
        let factors = factorise(&self.matrix, p, MAX_RANK).filter(|factors| terms(n, factors.rank()) <= MAX_TERMS);
        let Some(factors) = factors else {
            return Err(Error::Memory(format!("the rank is {} mod one prime, but too large mod {p}", self.rank)));
        };
        let r = factors.rank();
        if r == 0 {
            return Ok((n == 0) as u64);
        }
        let left = product_of_forms(p, n, r, factors.left.iter().map(|u| u.as_slice()), observer)?;
        let cols: Vec<Vec<u64>> = (0..n).map(|j| factors.basis.iter().map(|row| row[j]).collect()).collect();
        let right = product_of_forms(p, n, r, cols.iter().map(|v| v.as_slice()), observer)?;
        let mut factorial = vec![1; n + 1];
        (1..=n).for_each(|k| factorial[k] = p.mul(factorial[k - 1], p.reduce(k as u64)));
        let mut total = 0;
        for (at, (&a, &b)) in left.iter().zip(&right).enumerate().filter(|(_, (a, b))| **a != 0 && **b != 0) {
            let (mut rest, mut digits, mut term) = (n, at, p.mul(a, b));
            for _ in 1..r {
                let e = digits % (n + 1);
                digits /= n + 1;
                rest -= e;
                term = p.mul(term, factorial[e]);
            }
            total = p.add(total, p.mul(term, factorial[rest]));
        }
        Ok(total)
    }

    /// The permanent, proven by the given bound. Parallel over the primes.
    ///
    /// # Errors
    /// As [`LowRank::permanent_mod`].
    pub fn permanent(&self, bound: Bound, observer: &dyn Observer) -> Result<Exact> {
        Exact::by_primes(bound, observer, |p| self.permanent_mod(p, observer))
    }
}

/// The number of stored coefficients of a form of degree n in r variables: (n + 1)^(r-1).
fn terms(n: usize, r: usize) -> f64 {
    ((n + 1) as f64).powi(r as i32 - 1)
}

/// The product of n linear forms in r variables. The coefficient of x₁^e₁ … x_r^e_r is at e₁ + e₂(n+1) + … +
/// e_(r-1)(n+1)^(r-2); e_r is what is missing to the degree.
fn product_of_forms<'a>(
    p: Modulus,
    n: usize,
    r: usize,
    forms: impl Iterator<Item = &'a [u64]>,
    observer: &dyn Observer,
) -> Result<Vec<u64>> {
    let strides: Vec<usize> = (0..r as u32 - 1).map(|t| (n + 1).pow(t)).collect();
    let mut poly = vec![0; (n + 1).pow(r as u32 - 1)];
    poly[0] = 1;
    for (degree, form) in forms.enumerate() {
        observer.check()?;
        let (last, form) = form.split_last().expect("r > 0");
        // In place, from the top: an exponent that the form raises comes from a lower index. Indices below the stride
        // of a variable would borrow from the next variable, whose last digit n is still 0 there.
        let top = strides.last().map_or(0, |stride| stride * (degree + 1));
        for at in (0..=top).rev() {
            let mut sum = p.mul(*last, poly[at]);
            for (&u, &stride) in form.iter().zip(&strides) {
                if at >= stride {
                    sum = p.add(sum, p.mul(u, poly[at - stride]));
                }
            }
            poly[at] = sum;
        }
    }
    Ok(poly)
}

/// A = `left` · `basis` mod p.
struct Factors {
    left: Vec<Vec<u64>>,
    basis: Vec<Vec<u64>>,
}

impl Factors {
    fn rank(&self) -> usize {
        self.basis.len()
    }
}

/// The factorisation over an echelon basis of the row space; `None` if the rank is above `limit`.
fn factorise(matrix: &IntMatrix, p: Modulus, limit: usize) -> Option<Factors> {
    let n = matrix.n();
    let mut basis: Vec<Vec<u64>> = vec![];
    let mut pivots: Vec<usize> = vec![];
    let mut left: Vec<Vec<u64>> = vec![];
    for entries in matrix.rows() {
        let mut row = vec![0; n];
        entries.iter().for_each(|(j, v)| row[*j as usize] = p.reduce_bigint(&v.to_bigint()));
        let mut coefficients = vec![];
        for (own, &pivot) in basis.iter().zip(&pivots) {
            let factor = row[pivot]; // pivots are 1
            coefficients.push(factor);
            if factor != 0 {
                let minus = p.multiplier(p.neg(factor));
                row.iter_mut().zip(own).for_each(|(x, &b)| *x = p.add(*x, p.mul_by(b, minus)));
            }
        }
        if let Some(pivot) = row.iter().position(|&x| x != 0) {
            if basis.len() == limit {
                return None;
            }
            let scale = row[pivot];
            let inverse = p.inv(scale);
            row.iter_mut().for_each(|x| *x = p.mul(*x, inverse));
            coefficients.push(scale);
            basis.push(row);
            pivots.push(pivot);
        }
        left.push(coefficients);
    }
    left.iter_mut().for_each(|row| row.resize(basis.len(), 0));
    Some(Factors { left, basis })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Silent;
    use crate::field::Rng;
    use crate::permanent::bound::permanent_bound;
    use crate::permanent::shapes::laplace;
    use num_bigint::BigInt;
    use rand::{RngExt, SeedableRng};

    #[test]
    fn products_of_thin_matrices_against_laplace() {
        let mut rng = Rng::seed_from_u64(1);
        for round in 0..150usize {
            let (n, r) = (1 + round % 9, round % 5);
            let size = [1, 3, 1 << 20][round % 3];
            let mut thin = || (0..n * r).map(|_| rng.random_range(-size..=size)).collect::<Vec<i64>>();
            let (u, v) = (thin(), thin());
            let entry = |i: usize, j: usize| (0..r).map(|t| u[i * r + t] * v[j * r + t]).sum::<i64>();
            let a = IntMatrix::from_entries(n, (0..n * n).map(|k| (k / n, k % n, entry(k / n, k % n))));
            let low_rank = LowRank::new(&a).expect("low rank");
            assert!(low_rank.rank() <= r);
            let expected = laplace(&a);
            assert_eq!(low_rank.permanent(permanent_bound(&a).unwrap(), &Silent).unwrap().value, expected, "{a:?}");
            for p in [2, 3, 5] {
                let p = Modulus::new(p).unwrap();
                assert_eq!(low_rank.permanent_mod(p, &Silent).unwrap(), p.reduce_bigint(&expected));
            }
        }
    }

    #[test]
    fn a_sum_of_index_functions_of_any_size() {
        // perm (xᵢ) = n! Π xᵢ for equal columns, here with rank 1.
        let n = 50usize;
        let a = IntMatrix::from_entries(n, (0..n * n).map(|k| (k / n, k % n, (k / n) as i64 + 1)));
        let factorial: BigInt = (1..=n).map(BigInt::from).product();
        let found = LowRank::new(&a).unwrap().permanent(permanent_bound(&a).unwrap(), &Silent).unwrap();
        assert_eq!(found.value, &factorial * &factorial);
    }

    #[test]
    fn higher_ranks_are_refused() {
        let identity = |n: usize| IntMatrix::from_entries(n, (0..n).map(|i| (i, i, 1)));
        assert!(LowRank::new(&identity(4)).is_some() && LowRank::new(&identity(5)).is_none());
        // J + p·I has rank 1 mod p and n mod nearly every other prime.
        let p = i64::MAX - 24;
        let a = IntMatrix::from_entries(30, (0..900).map(|k| (k / 30, k % 30, if k % 31 == 0 { 1 + p } else { 1 })));
        let seeming = LowRank::new(&a).expect("rank 1 mod the prime that is asked");
        assert_eq!(seeming.rank(), 1);
        assert!(matches!(seeming.permanent(permanent_bound(&a).unwrap(), &Silent), Err(Error::Memory(_))));
    }
}
