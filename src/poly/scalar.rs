//! Polynomials with coefficients in GF(p), as slices of residues, low degree first: 1 × 1 polynomial matrices.

use super::{PolyMatrix, middle_product};
use crate::field::{Modulus, PrimeField};

/// a·b; empty if a factor is. Residues in, residues out.
pub fn multiply_polynomials(modulus: Modulus, a: &[u64], b: &[u64]) -> Vec<u64> {
    if a.is_empty() || b.is_empty() {
        return Vec::new();
    }
    middle_polynomial(modulus, a, b, 0, a.len() + b.len() - 1)
}

/// The coefficients `lo .. lo + len` of a·b.
pub fn middle_polynomial(modulus: Modulus, a: &[u64], b: &[u64], lo: usize, len: usize) -> Vec<u64> {
    let matrix = |x: &[u64]| PolyMatrix::from_coefficients(1, 1, x.to_vec());
    middle_product(&PrimeField(modulus), &matrix(a), &matrix(b), lo, len).into_data()
}
