//! How many random vectors a claim of a certificate needs.

use crate::field::Modulus;
use num_bigint::BigUint;

/// Each of the two claims of a certificate is wrong with probability at most 2⁻¹³⁰, so that 2⁻¹²⁸ bounds both together
/// and leaves room for the rounding of bounds.
pub const BITS: u32 = 130;

/// The least k with pᵏ ≥ 2¹³⁰: 130 for p = 2, 9 for p = 65521, 5 for p = 2³¹ - 1, 3 for the largest p.
pub fn repetitions(modulus: Modulus) -> usize {
    let p = BigUint::from(modulus.get());
    let bound = BigUint::from(1u32) << BITS;
    let mut power = p.clone();
    let mut k = 1;
    while power < bound {
        power *= &p;
        k += 1;
    }
    k
}
