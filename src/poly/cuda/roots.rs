//! Roots of unity modulo word primes, in the order in which a transform on a GPU meets them (`kernels/poly.cu`).
//!
//! As on the processor (`ntt/twiddles.rs`): block b of a level has the root e^(2πi·rev(b)/2), rev(Σ bⱼ 2ʲ) = Σ bⱼ
//! 2⁻ʲ⁻¹, whatever the level, so that the table is built by doubling: entry b + 2ʲ is entry b times the root of order
//! 2ʲ⁺².

use crate::{Result, memory};

/// The four largest primes below 2²⁸ that are 1 modulo 2²¹.
pub(super) const PRIMES: [u64; 4] = [257949697, 249561089, 230686721, 211812353];
/// Transforms have up to 2²¹ points.
pub(super) const MAX_LOG: usize = 21;

/// aᵉ mod q, q < 2³².
pub(super) fn power(a: u64, mut e: u64, q: u64) -> u64 {
    let (mut base, mut power) = (a % q, 1);
    while e > 0 {
        if e & 1 == 1 {
            power = power * base % q;
        }
        base = base * base % q;
        e >>= 1;
    }
    power
}

/// A root of unity of order 2ᵏ ≤ 2²¹ modulo one of [`PRIMES`]: a power of the least non-residue.
pub(super) fn root(log: usize, q: u64) -> u64 {
    let non_residue = (2..q).find(|&a| power(a, (q - 1) / 2, q) == q - 1).expect("half of all residues");
    power(non_residue, (q - 1) >> log, q)
}

/// w and ⌊2³²·w / q⌋.
pub(super) fn with_quotient(w: u64, q: u64) -> [u32; 2] {
    [w as u32, ((w << 32) / q) as u32]
}

/// For each prime, `entries` = 2ᵏ roots or their inverses, each beside its quotient.
///
/// # Errors
/// [`crate::Error::Memory`].
pub(super) fn table(entries: usize, invert: bool) -> Result<Vec<u32>> {
    let mut table = memory::with_capacity(PRIMES.len() * 2 * entries, "roots of unity")?;
    for q in PRIMES {
        let begin = table.len();
        table.extend(with_quotient(1, q));
        let mut known = 1;
        while known < entries {
            let root = root(known.trailing_zeros() as usize + 2, q);
            let root = if invert { power(root, q - 2, q) } else { root };
            for b in 0..known {
                let w = u64::from(table[begin + 2 * b]) * root % q;
                table.extend(with_quotient(w, q));
            }
            known *= 2;
        }
    }
    Ok(table)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::is_prime;

    /// Each is prime and 1 modulo 2²¹, and nothing larger was missed.
    #[test]
    fn primes_are_the_largest() {
        let candidates = (0..1 << 7).rev().map(|k| (k << MAX_LOG) + 1).filter(|&q| is_prime(q));
        assert_eq!(candidates.take(PRIMES.len()).collect::<Vec<u64>>(), PRIMES);
        // Values that grow from 2q by 2q a level for five levels, and 256 products of residues.
        for q in PRIMES {
            assert!(q > 1 << 27 && 12 * q < 1 << 32);
            assert!(256 * u128::from(q - 1).pow(2) + u128::from(q) < 1 << 64);
            let root = root(MAX_LOG, q);
            assert!(power(root, 1 << (MAX_LOG - 1), q) == q - 1);
        }
    }

    /// The root c of block b splits x^(2h) - c²: the roots of the blocks 2b and 2b + 1 are square roots of c and -c.
    #[test]
    fn roots_are_square_roots_of_those_before() {
        let (table, inverses) = (table(64, false).unwrap(), table(64, true).unwrap());
        for (number, q) in PRIMES.into_iter().enumerate() {
            let at = |table: &[u32], b: usize| u64::from(table[2 * (64 * number + b)]);
            for b in 0..32 {
                let [c, even, odd] = [b, 2 * b, 2 * b + 1].map(|b| at(&table, b));
                assert_eq!((even * even % q, odd * odd % q), (c, q - c));
                assert_eq!(at(&inverses, b) * c % q, 1);
                let quotient = u64::from(table[2 * (64 * number + b) + 1]);
                assert_eq!(quotient, (c << 32) / q);
            }
        }
    }
}
