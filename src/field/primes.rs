//! Finding primes: random ones of a given size, and those with long power-of-two transforms.

use super::primality::is_prime;
use super::{Modulus, Rng};
use rand::RngExt;

/// A uniformly random prime among those of exactly `bits` bits, 2^(bits-1) ≤ p < 2^bits.
///
/// # Panics
/// Unless 2 ≤ bits ≤ 63.
pub fn random_prime(bits: u32, rng: &mut Rng) -> Modulus {
    assert!((2..=63).contains(&bits), "no modulus has exactly {bits} bits");
    loop {
        // Numbers are drawn uniformly and kept if prime: even ones too, since 2 is one of the two primes of two bits.
        let candidate = rng.random_range(1 << (bits - 1)..1 << bits);
        if is_prime(candidate) {
            return Modulus::trusted(candidate);
        }
    }
}

/// The primes p ≡ 1 (mod 2^log2_length) below 2^bits, in descending order: GF(p) has transforms of 2^log2_length
/// points.
///
/// # Panics
/// If bits > 63.
pub fn ntt_primes(bits: u32, log2_length: u32) -> impl Iterator<Item = u64> {
    assert!(bits <= 63, "moduli stay below 2^63");
    let multiples = if log2_length < bits { 1u64 << (bits - log2_length) } else { 0 };
    (0..multiples).rev().map(move |k| (k << log2_length) + 1).filter(|&p| is_prime(p))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;

    #[test]
    fn random_primes_have_the_size_asked_for_and_reach_every_prime() {
        let mut rng = Rng::seed_from_u64(3);
        for bits in 2..=63 {
            let p = random_prime(bits, &mut rng).get();
            assert!(is_prime(p) && p >> (bits - 1) == 1, "{p} of {bits} bits");
        }
        let mut count = [0; 16];
        (0..2000).for_each(|_| count[random_prime(4, &mut rng).get() as usize] += 1);
        assert!(count[11].min(count[13]) > 850 && count[11] + count[13] == 2000, "{count:?}");
        let mut seen = [0; 4];
        (0..100).for_each(|_| seen[random_prime(2, &mut rng).get() as usize] += 1);
        assert!(seen[2] > 20 && seen[3] > 20);
    }

    #[test]
    fn transform_primes_descend_and_are_complete() {
        let all: Vec<u64> = ntt_primes(17, 5).collect();
        let expected: Vec<u64> = (0..1u64 << 17).rev().filter(|n| n % 32 == 1 && is_prime(*n)).collect();
        assert_eq!(all, expected);
        assert_eq!(ntt_primes(5, 0).collect::<Vec<_>>(), [31, 29, 23, 19, 17, 13, 11, 7, 5, 3, 2]);
        assert_eq!(ntt_primes(63, 40).next().map(|p| (p % (1 << 40), p >> 62)), Some((1, 1)));
        assert_eq!(ntt_primes(10, 10).count() + ntt_primes(10, 40).count(), 0);
    }
}
