//! Factorisation of machine words: trial division, then Pollard's rho with Brent's cycle search (R. P. Brent, "An
//! improved Monte Carlo factorization algorithm", BIT 20, 1980).

use super::primality::is_prime;

/// The distinct prime factors of n ≥ 1 in ascending order.
pub fn prime_factors(mut n: u64) -> Vec<u64> {
    let mut factors = vec![];
    for d in (2..).take_while(|d| *d < 1000) {
        if n.is_multiple_of(d) {
            factors.push(d);
            while n.is_multiple_of(d) {
                n /= d;
            }
        }
    }
    let mut open = vec![n];
    while let Some(n) = open.pop() {
        if is_prime(n) {
            factors.push(n);
        } else if n > 1 {
            let d = (1..).find_map(|c| rho(n, c)).expect("some polynomial splits a composite number");
            open.extend([d, n / d]);
        }
    }
    factors.sort_unstable();
    factors.dedup();
    factors
}

/// A proper factor of the composite odd n, from the sequence x ← x² + c; `None` when this c fails.
fn rho(n: u64, c: u64) -> Option<u64> {
    const BATCH: usize = 64; // differences multiplied together before each greatest common divisor
    let step = |x: u64| ((x as u128 * x as u128 + c as u128) % n as u128) as u64;
    let (mut y, mut length) = (2, 1);
    loop {
        let x = y;
        (0..length).for_each(|_| y = step(y));
        let mut done = 0;
        while done < length {
            let (start, mut product) = (y, 1u64);
            let count = BATCH.min(length - done);
            for _ in 0..count {
                y = step(y);
                product = (product as u128 * x.abs_diff(y) as u128 % n as u128) as u64;
            }
            done += count;
            match gcd(product, n) {
                1 => continue,
                d if d < n => return Some(d),
                _ => {
                    // Several factors fell into one batch: repeat it step by step.
                    y = start;
                    loop {
                        y = step(y);
                        match gcd(x.abs_diff(y), n) {
                            1 => continue,
                            d => return (d < n).then_some(d),
                        }
                    }
                }
            }
        }
        length *= 2;
    }
}

fn gcd(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::{Rng, random_prime};
    use rand::{RngExt, SeedableRng};

    #[test]
    fn agrees_with_trial_division() {
        for n in (1..3000u64).chain(1_000_000..1_000_500) {
            let naive: Vec<u64> = (2..=n).filter(|d| n.is_multiple_of(*d) && is_prime(*d)).collect();
            assert_eq!(prime_factors(n), naive, "{n}");
        }
    }

    #[test]
    fn finds_the_factors_that_a_product_was_made_of() {
        let mut rng = Rng::seed_from_u64(4);
        for _ in 0..12 {
            let bits = rng.random_range(11..=31);
            let (p, q) = (random_prime(bits, &mut rng).get(), random_prime(31, &mut rng).get());
            let mut expected = vec![p, q];
            expected.sort_unstable();
            expected.dedup();
            assert_eq!(prime_factors(p * q), expected);
            assert_eq!(prime_factors(q * q), [q]);
        }
        assert_eq!(prime_factors(1009 * 1013 * 1019 * 1021 * 1031 * 1033), [1009, 1013, 1019, 1021, 1031, 1033]);
        assert_eq!(prime_factors((1 << 61) - 1), [(1 << 61) - 1]);
    }
}
