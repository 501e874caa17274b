//! Residues as the blocked elimination stores them: `f64` below 2²⁶, `u64` above.

use super::gemm::{FloatModulus, Limbs, Place};
use crate::field::{Field, Modulus, PrimeField};

/// A storage type of residues with the three operations of a blocked elimination.
pub(super) trait Entry: Copy + Default + PartialEq + Send + Sync + std::fmt::Debug {
    /// What the operations need to know of p.
    type Context: Copy + Send + Sync + std::fmt::Debug;

    fn context(modulus: Modulus) -> Self::Context;
    fn from_residue(residue: u64) -> Self;
    fn residue(self) -> u64;
    /// y ← y - a·x.
    fn subtract_multiple(context: Self::Context, y: &mut [Self], a: Self, x: &[Self]);
    /// C ← C - A·B for A m × k, B k × n.
    fn subtract_product(
        context: Self::Context,
        shape: (usize, usize, usize),
        c: (&mut [Self], Place),
        a: (&[Self], Place),
        b: (&[Self], Place),
    );
}

impl Entry for f64 {
    type Context = FloatModulus;

    fn context(modulus: Modulus) -> FloatModulus {
        FloatModulus::new(modulus)
    }
    fn from_residue(residue: u64) -> f64 {
        residue as f64
    }
    fn residue(self) -> u64 {
        self as u64
    }
    fn subtract_multiple(context: FloatModulus, y: &mut [f64], a: f64, x: &[f64]) {
        context.subtract_multiple(y, a, x);
    }
    fn subtract_product(
        context: FloatModulus,
        shape: (usize, usize, usize),
        c: (&mut [f64], Place),
        a: (&[f64], Place),
        b: (&[f64], Place),
    ) {
        context.subtract_product(shape, c, a, b);
    }
}

impl Entry for u64 {
    type Context = (PrimeField, Limbs);

    fn context(modulus: Modulus) -> Self::Context {
        (PrimeField(modulus), Limbs::new(modulus))
    }
    fn from_residue(residue: u64) -> u64 {
        residue
    }
    fn residue(self) -> u64 {
        self
    }
    fn subtract_multiple((field, _): Self::Context, y: &mut [u64], a: u64, x: &[u64]) {
        field.axpy(y, field.neg(a), x);
    }
    fn subtract_product(
        (field, limbs): Self::Context,
        shape: (usize, usize, usize),
        c: (&mut [u64], Place),
        a: (&[u64], Place),
        b: (&[u64], Place),
    ) {
        limbs.for_each_product(shape, c, a, b, |c, x| *c = field.sub(*c, x));
    }
}
