//! Polynomials with coefficients in GF(p), as slices of residues, low degree first: 1 × 1 polynomial matrices. Their
//! products are made without floating-point transforms, so that no answer made of them rests on chance.

use super::{PolyMatrix, ProductPlan, ProductShape};
use crate::field::{Modulus, PrimeField};
use crate::{Error, Result, memory};

/// a·b; empty if a factor is. Residues in, residues out.
///
/// # Errors
/// [`Error::Memory`](crate::Error::Memory).
pub fn multiply_polynomials(modulus: Modulus, a: &[u64], b: &[u64]) -> Result<Vec<u64>> {
    if a.is_empty() || b.is_empty() {
        return Ok(Vec::new());
    }
    middle_polynomial(modulus, a, b, 0, a.len() + b.len() - 1)
}

/// The coefficients `lo .. lo + len` of a·b.
///
/// # Errors
/// [`Error::Memory`](crate::Error::Memory).
pub fn middle_polynomial(modulus: Modulus, a: &[u64], b: &[u64], lo: usize, len: usize) -> Result<Vec<u64>> {
    let matrix = |x: &[u64]| Ok::<_, Error>(PolyMatrix::from_coefficients(1, 1, memory::copy(x, "a polynomial")?));
    let (field, a, b) = (PrimeField(modulus), matrix(a)?, matrix(b)?);
    let plan = ProductPlan::new(&field, ProductShape::of(&a, &b, lo, len)).without_rounding();
    Ok(plan.execute(&field, &a, &b)?.into_data())
}
