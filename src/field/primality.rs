//! Whether a number is prime: a deterministic test below 2⁶⁴.

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

#[cfg(test)]
mod tests {
    use super::*;

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
}
