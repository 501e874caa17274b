//! Greatest common divisors by Euclid's algorithm, non-negative; that of 0 and x is |x|. Long numbers are first made
//! shorter by halves ([`half_gcd`]).

use super::euclid::Euclid;
use super::half_gcd;
use num_bigint::{BigInt, BigUint};

/// The gcd of two words.
pub(crate) fn gcd(mut a: u64, mut b: u64) -> u64 {
    while b > 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// The gcd of two integers of any size.
pub(crate) fn large_gcd(a: BigUint, b: BigUint) -> BigUint {
    let [a, b] = half_gcd::shortened(if a < b { [b, a] } else { [a, b] });
    let mut euclid = Euclid::new(&a, &b, false);
    while !euclid.is_done() {
        euclid.step();
    }
    let [[divisor, _], _] = euclid.both();
    divisor
}

/// The content of a vector: the greatest common divisor of its entries, 0 if they are all 0.
pub(crate) fn content<'a>(entries: impl IntoIterator<Item = &'a BigInt>) -> BigInt {
    entries.into_iter().fold(BigUint::ZERO, |divisor, v| large_gcd(divisor, v.magnitude().clone())).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By trial.
    fn naive(values: &[i64]) -> i64 {
        let least = values.iter().filter(|&&v| v != 0).map(|v| v.abs()).min().unwrap_or(0);
        (1..=least).rev().find(|d| values.iter().all(|v| v % d == 0)).unwrap_or(0)
    }

    #[test]
    fn divisors_against_trial() {
        for a in -12..=12i64 {
            for b in -12..=12i64 {
                let expected = naive(&[a, b]);
                assert_eq!(gcd(a.unsigned_abs(), b.unsigned_abs()), expected as u64, "{a} {b}");
                let shifted = [a, b].map(|v| BigInt::from(v) << 100u32);
                assert_eq!(content(&shifted), BigInt::from(expected) << 100u32);
                for c in [-8, 0, 3, 6] {
                    assert_eq!(content(&[a, b, c].map(BigInt::from)), BigInt::from(naive(&[a, b, c])), "{a} {b} {c}");
                }
            }
        }
        assert_eq!(content(&[]), BigInt::ZERO);
        assert_eq!(gcd(u64::MAX, u64::MAX - 1), 1);
    }
}
