//! Matrices of elementary number theory: Trefethen's primes and Redheffer's divisors.

use super::assemble::{Shape, by_rows};
use crate::field::Modulus;
use crate::sparse::Triplets;
use crate::{Error, Result};
use std::collections::HashMap;

/// Trefethen's matrix: the primes on the diagonal, 1 where |i - j| is a power of two (N. Trefethen, *A hundred-dollar,
/// hundred-digit challenge*, SIAM News 2002, problem 7, n = 20000). `dropped` leading rows and columns are left out.
pub(super) fn trefethen(n: usize, dropped: usize) -> Result<Triplets> {
    if n <= dropped {
        return Err(Error::Usage(format!("a Trefethen matrix of size {n}: at least {} is needed", dropped + 1)));
    }
    let size = n - dropped;
    let steps = || (0..).map(|e| 1usize << e).take_while(|&d| d < size);
    let nnz = size as u128 + steps().map(|d| 2 * (size - d) as u128).sum::<u128>();
    let shape = Shape::checked(Some(size as u128), Some(size as u128), Some(nnz))?;
    let primes = first_primes(n);
    by_rows(shape, |i, row| {
        row.extend(steps().filter(|&d| d <= i).map(|d| (i - d, 1)));
        row.push((i, primes[i + dropped] as i64));
        row.extend(steps().filter(|&d| d < size - i).map(|d| (i + d, 1)));
    })
}

/// The first n primes, by a sieve up to the bound n (ln n + ln ln n) of Rosser (1941), true from the 6th prime on.
pub(super) fn first_primes(n: usize) -> Vec<usize> {
    let x = n.max(6) as f64;
    let limit = (x * (x.ln() + x.ln().ln())).ceil() as usize + 1;
    let mut composite = vec![false; limit + 1];
    let mut primes = Vec::with_capacity(n);
    for candidate in 2..=limit {
        if primes.len() == n {
            break;
        }
        if !composite[candidate] {
            primes.push(candidate);
            (candidate * candidate..=limit).step_by(candidate).for_each(|multiple| composite[multiple] = true);
        }
    }
    primes
}

/// Redheffer's matrix: entry (i, j), counted from 1, is 1 where j = 1 or i divides j. Its determinant is the Mertens
/// function M(n) (R. Redheffer, *Eine explizit lösbare Optimierungsaufgabe*, 1977).
pub(super) fn redheffer(n: usize) -> Result<Triplets> {
    if n == 0 {
        return Err(Error::Usage("a Redheffer matrix of size 0: at least 1 is needed".into()));
    }
    // Σ ⌊n/i⌋ pairs i | j, and the column j = 1 below its first entry; a sum over blocks of equal quotients.
    let (mut pairs, mut i) = (0u128, 1);
    while i <= n {
        let last = n / (n / i);
        pairs += (n / i) as u128 * (last - i + 1) as u128;
        i = last + 1;
    }
    let shape = Shape::checked(Some(n as u128), Some(n as u128), Some(pairs + n as u128 - 1))?;
    by_rows(shape, |i, row| {
        if i > 0 {
            row.push((0, 1));
        }
        row.extend((i..n).step_by(i + 1).map(|j| (j, 1)));
    })
}

/// The rank of Redheffer's matrix: without its first row and column it is unitriangular, so that the rank is n where
/// the determinant M(n) does not vanish, n - 1 where it does; over every field.
pub(super) fn redheffer_rank(n: usize, p: Option<Modulus>) -> Option<usize> {
    let determinant = if n == 0 { return None } else { mertens(n, &mut HashMap::new()) };
    let vanishes = p.map_or(determinant == 0, |p| p.reduce_i64(determinant) == 0);
    Some(n - usize::from(vanishes))
}

/// The Mertens function M(n) = Σ μ(i), from Σ M(⌊n/d⌋) = 1, summed over blocks of equal quotients.
fn mertens(n: usize, known: &mut HashMap<usize, i64>) -> i64 {
    if let Some(&m) = known.get(&n) {
        return m;
    }
    let (mut m, mut d) = (1, 2);
    while d <= n {
        let last = n / (n / d);
        m -= (last - d + 1) as i64 * mertens(n / d, known);
        d = last + 1;
    }
    known.insert(n, m);
    m
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mertens_at_known_places() {
        for (n, m) in [(1, 1), (2, 0), (10, -1), (100, 1), (1000, 2), (10_000, -23), (1_000_000, 212)] {
            assert_eq!(mertens(n, &mut HashMap::new()), m, "M({n})");
        }
    }

    #[test]
    fn primes_are_counted() {
        assert_eq!(first_primes(7), [2, 3, 5, 7, 11, 13, 17]);
        assert_eq!(first_primes(10_000).last(), Some(&104_729));
        assert!(first_primes(0).is_empty());
        for n in 1..40 {
            assert_eq!(first_primes(n).len(), n);
        }
    }
}
