//! How often solutions of random systems miss a part of the last invariant factor.
//!
//! Let B = U·diag(s₁, …, s_r)·V with unimodular U and V, and qᵉ be the exact power of a prime q in s_r. The solution
//! x of B·x = b has V·x = diag(1/sᵢ)·U⁻¹·b; so unless q divides w·b, w the last row of U⁻¹, its denominator has all of
//! qᵉ. w is a row of a unimodular matrix, so q does not divide one of its entries, and of the S values that the entry
//! of b there may have, ⌈S/q⌉ at most are bad, whatever the other ones are:
//!
//! **P(k solutions miss a part of qᵉ) ≤ (1/q + 1/S)ᵏ** for entries of b that are uniform in S values, independent of
//! B.
//!
//! That is summed over all primes q < 4096 but the smallest, which are looked at by themselves, and over the others
//! that may divide det B: at most h/12 of them, 2ʰ the bound of Hadamard (W. Eberly, M. Giesbrecht, G. Villard, FOCS
//! 2000, for the idea).

use super::lift::RIGHT;
use crate::certify::ErrorBound;
use crate::field::is_prime;

/// Primes that are looked at by themselves, whatever solutions say.
pub(super) const SMALL: [u64; 4] = [2, 3, 5, 7];
/// Up to here primes are summed over one by one.
const LARGE: u64 = 1 << 12;
/// More solutions than these are not asked for.
const MOST: usize = 64;

/// A number of solutions and what may be missed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Unproven {
    pub solutions: usize,
    /// Of all the minors together.
    pub error: ErrorBound,
}

impl Unproven {
    /// The fewest solutions of each of so many minors, with determinants below 2^bits, that miss nothing but for this
    /// error.
    pub fn within(error: ErrorBound, bits: f64, minors: usize) -> Option<Unproven> {
        let enough = |&solutions: &usize| bound(solutions, bits, minors).is_some_and(|bound| bound <= error);
        let solutions = (1..=MOST).find(enough)?;
        Some(Unproven { solutions, error: bound(solutions, bits, minors)? })
    }
}

fn bound(solutions: usize, bits: f64, minors: usize) -> Option<ErrorBound> {
    let missed = |q: u64| (1.0 / q as f64 + 2f64.powi(-(RIGHT as i32))).powi(solutions as i32);
    let few: f64 = (2..LARGE).filter(|&q| is_prime(q) && !SMALL.contains(&q)).map(missed).sum();
    let all = few + (bits / f64::from(LARGE.ilog2()) + 1.0) * missed(LARGE);
    // Far more than rounding takes.
    ErrorBound::new(all * minors as f64 * (1.0 + 1e-6))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bound_is_that_of_the_formula() {
        let share = |bound: ErrorBound| bound.value();
        // The first prime that counts is 11.
        assert!((share(bound(20, 1e4, 1).unwrap()) * 11f64.powi(20) - 1.0).abs() < 0.05);
        assert!((share(bound(20, 1e4, 3).unwrap()) / share(bound(20, 1e4, 1).unwrap()) - 3.0).abs() < 1e-9);
        assert!(bound(1, 1e6, 3).is_none_or(ErrorBound::is_vacuous));
        let error = ErrorBound::new(1e-12).unwrap();
        let found = Unproven::within(error, 2e4, 3).unwrap();
        assert!(found.error <= error && bound(found.solutions - 1, 2e4, 3).unwrap() > error);
        assert!(Unproven::within(ErrorBound::new(1e-200).unwrap(), 2e4, 3).is_none());
    }

    /// Solutions of diagonal systems that are scrambled, of all right sides in a small box: the share that misses.
    #[test]
    fn no_more_right_sides_miss_than_the_bound_says() {
        for q in [3i64, 5, 7, 11] {
            for w in [[1i64, 0], [2, 3], [q, 1], [q + 1, 2 * q], [5, -8]] {
                for s in [1i64, 2, q - 1, q, q + 1, 40] {
                    let miss = (0..s * s).filter(|k| (w[0] * (k / s) + w[1] * (k % s)) % q == 0).count();
                    let bound = (1.0 / q as f64 + 1.0 / s as f64) * (s * s) as f64;
                    assert!(miss as f64 <= bound + 1e-9, "{q} {w:?} {s}: {miss}");
                }
            }
        }
    }
}
