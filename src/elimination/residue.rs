//! Residues in memory: 4 bytes while p < 2³², else 8.

use crate::field::{Modulus, Multiplier};

/// A residue as rows keep it.
pub(super) trait Residue: Copy + Default + Send + Sync + std::fmt::Debug {
    /// The residue `v`, which must fit.
    fn of(v: u64) -> Self;
    fn get(self) -> u64;
    /// a + b·c mod p.
    fn multiply_add(m: Modulus, a: Self, b: Self, c: Multiplier) -> Self;
}

impl Residue for u32 {
    #[inline(always)]
    fn of(v: u64) -> Self {
        v as u32
    }
    #[inline(always)]
    fn get(self) -> u64 {
        self as u64
    }
    /// One reduction: (p - 1) + (p - 1)² < p² < 2⁶⁴.
    #[inline(always)]
    fn multiply_add(m: Modulus, a: Self, b: Self, c: Multiplier) -> Self {
        m.reduce(a as u64 + b as u64 * c.value()) as u32
    }
}

impl Residue for u64 {
    #[inline(always)]
    fn of(v: u64) -> Self {
        v
    }
    #[inline(always)]
    fn get(self) -> u64 {
        self
    }
    #[inline(always)]
    fn multiply_add(m: Modulus, a: Self, b: Self, c: Multiplier) -> Self {
        m.add(a, m.mul_by(b, c))
    }
}
