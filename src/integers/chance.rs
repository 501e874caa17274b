//! How often a random prime divides a non-zero integer, and so misleads: an upper bound on the number of primes that
//! divide it, over a lower bound on the number of primes of that size.

use crate::report::ErrorBound;

/// A lower bound on the number of primes of exactly `bits` bits, those that
/// [`random_prime`](crate::field::random_prime) draws from: **3x/(5 ln x) < π(2x) - π(x) for x ≥ 20.5**, with x =
/// 2^(bits-1) (J. B. Rosser, L. Schoenfeld, *Approximate formulas for some functions of prime numbers*, Illinois J.
/// Math. 6, 1962, corollary 3 of theorem 2). Neither x nor 2x is prime.
///
/// # Panics
/// Unless 6 ≤ bits ≤ 63.
pub fn primes_of_size(bits: u32) -> f64 {
    assert!((6..=63).contains(&bits), "the bound is proven from 6 bits on, and moduli have at most 63");
    let x = (1u64 << (bits - 1)) as f64;
    3.0 * x / (5.0 * x.ln()) * (1.0 - 1e-12)
}

/// δ: a bound on the probability that a random prime of `bits` bits divides an integer D ≠ 0, |D| ≤ 2^minor_bits. Each
/// such prime is at least 2^(bits-1), so that at most ⌊minor_bits/(bits-1)⌋ of them divide D; `None` where that is 0
/// and no prime is bad.
pub fn bad_prime(minor_bits: f64, bits: u32) -> Option<ErrorBound> {
    let most = (minor_bits / f64::from(bits - 1)).floor();
    let share = |most: f64| most / primes_of_size(bits) * (1.0 + 1e-12);
    (most > 0.0).then(|| ErrorBound::new(share(most).min(1.0)).expect("a prime among so many"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::is_prime;

    #[test]
    fn there_are_more_primes_than_the_bound() {
        for bits in 6..=20 {
            let primes = (1u64 << (bits - 1)..1 << bits).filter(|&n| is_prime(n)).count() as f64;
            let bound = primes_of_size(bits);
            assert!(bound < primes && bound > 0.5 * primes, "{bits} bits: {bound} of {primes}");
        }
        // π(2³¹) - π(2³⁰) = 105097565 - 54400028.
        assert!(primes_of_size(31) < 50_697_537.0 && primes_of_size(31) > 3.09e7);
    }

    #[test]
    fn only_small_minors_have_no_bad_prime() {
        assert_eq!((bad_prime(29.99, 31), bad_prime(0.0, 31), bad_prime(30.0, 62)), (None, None, None));
        let one = bad_prime(30.0, 31).unwrap();
        assert!((1.0..1.0 + 1e-9).contains(&(one.value() * primes_of_size(31))), "{one}");
        // A thousand primes: far below the smallest positive floating-point number.
        let all = one.all(1000);
        assert!((all.log2() - 1000.0 * one.log2()).abs() < 1e-6 && all.log2() < -20_000.0);
        // Minors with more bits than the product of all primes of that size.
        assert!(bad_prime(1e12, 31).unwrap().is_vacuous());
    }
}
