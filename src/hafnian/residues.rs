//! Integers from residues modulo 2⁶⁴ and as many primes as their bound takes.
//!
//! The programs of this room only add and multiply, so that a machine word computes modulo 2⁶⁴ without any reduction:
//! most answers need nothing else.

use crate::Result;
use crate::field::Modulus;
use crate::integers::{Bound, Crt, low_bits, primes_for};
use num_bigint::{BigInt, BigUint};

/// A modulus of one pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pass {
    /// 2⁶⁴.
    Word,
    /// A prime.
    Prime(Modulus),
}

impl Pass {
    /// The residue of an integer.
    pub fn image(self, x: &BigInt) -> u64 {
        match self {
            Pass::Word => low_bits(x),
            Pass::Prime(p) => p.reduce_bigint(x),
        }
    }
    /// a + b.
    pub fn add(self, a: u64, b: u64) -> u64 {
        match self {
            Pass::Word => a.wrapping_add(b),
            Pass::Prime(p) => p.add(a, b),
        }
    }
    /// The modulus.
    pub fn modulus(self) -> BigUint {
        match self {
            Pass::Word => BigUint::from(1u32) << 64,
            Pass::Prime(p) => p.get().into(),
        }
    }
}

/// The passes that determine an integer within the bound: 2⁶⁴, then the largest odd primes below 2^`prime_bits`, until
/// the product of the moduli exceeds twice the bound.
///
/// # Errors
/// None in practice: the numbers are primes.
pub fn passes(bound: Bound, prime_bits: u32) -> Result<Vec<Pass>> {
    let primes = primes_for(bound.bits + 1, &Pass::Word.modulus(), 1 << prime_bits);
    let primes = primes.into_iter().map(|p| Modulus::new(p).map(Pass::Prime));
    std::iter::once(Ok(Pass::Word)).chain(primes).collect()
}

/// The integer of least absolute value with these residues.
pub fn assemble(passes: &[Pass], residues: &[u64]) -> BigInt {
    let mut known = Crt::new();
    for (pass, &residue) in passes.iter().zip(residues) {
        match pass {
            Pass::Word => known = Crt::with_power_of_two(64, residue),
            Pass::Prime(p) => known.add(*p, residue),
        }
    }
    known.signed()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_up_to_the_bound_come_back() {
        for bits in [0, 1, 62, 63, 64, 65, 90, 91, 92, 300] {
            let passes = passes(Bound { bits, rule: "given" }, 28).unwrap();
            let product: BigUint = passes.iter().map(|p| p.modulus()).product();
            assert!(product > BigUint::from(1u32) << (bits + 1), "{bits}");
            assert_eq!(passes.len() == 1, bits < 63);
            let edge = BigInt::from(1) << bits;
            for x in [edge.clone(), -edge.clone(), &edge - 1, BigInt::ZERO, BigInt::from(-1)] {
                let residues: Vec<u64> = passes.iter().map(|p| p.image(&x)).collect();
                assert_eq!(assemble(&passes, &residues), x, "{bits}");
                let twice: Vec<u64> = passes.iter().zip(&residues).map(|(p, &r)| p.add(r, r)).collect();
                assert_eq!(twice, passes.iter().map(|p| p.image(&(&x * 2))).collect::<Vec<_>>());
            }
        }
    }
}
