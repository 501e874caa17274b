//! Prime numbers: a deterministic test below 2⁶⁴, random primes of a given size, primes with long power-of-two
//! transforms, and primitive roots.

use super::factor::prime_factors;
use super::{Modulus, Rng};
use rand::RngExt;

/// Whether n is prime: Miller–Rabin with the twelve prime bases that suffice below 2⁶⁴ (Sorenson and Webster,
/// "Strong pseudoprimes to twelve prime bases", Mathematics of Computation 86, 2017).
pub fn is_prime(n: u64) -> bool {
    const BASES: [u64; 12] = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37];
    if BASES.contains(&n) {
        return true;
    }
    if n < 2 || BASES.iter().any(|b| n.is_multiple_of(*b)) {
        return false;
    }
    let mul = |a: u64, b: u64| (a as u128 * b as u128 % n as u128) as u64;
    let s = (n - 1).trailing_zeros();
    BASES.iter().all(|&b| {
        let (mut x, mut base, mut e) = (1, b, (n - 1) >> s);
        while e > 0 {
            if e & 1 == 1 {
                x = mul(x, base);
            }
            base = mul(base, base);
            e >>= 1;
        }
        x == 1
            || x == n - 1
            || (1..s).any(|_| {
                x = mul(x, x);
                x == n - 1
            })
    })
}

/// A uniformly random prime among those of exactly `bits` bits, 2^(bits-1) ≤ p < 2^bits.
///
/// # Panics
/// Unless 2 ≤ bits ≤ 63.
pub fn random_prime(bits: u32, rng: &mut Rng) -> Modulus {
    assert!((2..=63).contains(&bits), "no modulus has exactly {bits} bits");
    loop {
        // Numbers are drawn evenly and kept if prime: even ones too, since 2 is one of the two primes of two bits.
        let candidate = rng.random_range(1 << (bits - 1)..1 << bits);
        if is_prime(candidate) {
            return Modulus::trusted(candidate);
        }
    }
}

/// The primes p ≡ 1 (mod 2^log2_length) below 2^bits, in descending order: GF(p) has transforms of 2^log2_length points.
///
/// # Panics
/// If bits > 63.
pub fn ntt_primes(bits: u32, log2_length: u32) -> impl Iterator<Item = u64> {
    assert!(bits <= 63, "moduli stay below 2^63");
    let multiples = if log2_length < bits { 1u64 << (bits - log2_length) } else { 0 };
    (0..multiples).rev().map(move |k| (k << log2_length) + 1).filter(|&p| is_prime(p))
}

/// The smallest generator of the multiplicative group of GF(p).
pub fn primitive_root(modulus: Modulus) -> u64 {
    let p = modulus.get();
    let factors = prime_factors(p - 1);
    (1..p)
        .find(|&g| factors.iter().all(|q| modulus.pow(g, (p - 1) / q) != 1))
        .expect("the multiplicative group of a finite field is cyclic")
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;

    fn sieve(limit: usize) -> Vec<bool> {
        let mut prime = vec![true; limit];
        prime[..2].fill(false);
        for d in 2..limit {
            if prime[d] {
                (d * d..limit).step_by(d).for_each(|multiple| prime[multiple] = false);
            }
        }
        prime
    }

    #[test]
    fn the_test_agrees_with_a_sieve_and_known_large_cases() {
        sieve(100_000).iter().enumerate().for_each(|(n, &prime)| assert_eq!(is_prime(n as u64), prime, "{n}"));
        for p in [(1 << 61) - 1, (1 << 63) - 25, u64::MAX - 58, 1_152_921_504_606_846_883] {
            assert!(is_prime(p), "{p}");
        }
        // A strong pseudoprime to the bases 2 … 23 (and to no smaller set only), squares, Carmichael numbers.
        for n in [3_825_123_056_546_413_051, 4_294_967_291 * 4_294_967_291, 561, 825_265, u64::MAX, (1 << 63) - 1] {
            assert!(!is_prime(n), "{n}");
        }
        assert!((1..25).all(|d| !is_prime((1 << 63) - d)), "2^63 - 25 is the largest prime below 2^63");
    }

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

    #[test]
    fn primitive_roots_generate() {
        for (p, root) in [(2, 1), (3, 2), (5, 2), (7, 3), (41, 6), (65521, 17), (65537, 3), (998_244_353, 3)] {
            assert_eq!(primitive_root(Modulus::new(p).unwrap()), root, "mod {p}");
        }
        let m = Modulus::new(409).unwrap();
        let root = primitive_root(m);
        let mut powers: Vec<u64> = (0..408).map(|e| m.pow(root, e)).collect();
        powers.sort_unstable();
        assert!(powers.iter().copied().eq(1..409));
        let m = Modulus::new((1 << 63) - 25).unwrap();
        let root = primitive_root(m);
        assert_eq!(m.pow(root, (m.get() - 1) / 2), m.get() - 1);
    }
}
