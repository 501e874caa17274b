//! Prices of products of polynomial matrices.

use crate::isa::{Extra, Isa};

/// Seconds of one thread for the operations of the methods that [`ProductPlan`](crate::poly::ProductPlan) chooses from.
/// Measured on an AMD Zen-5-class processor by `cargo bench --bench poly`.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default))]
#[non_exhaustive]
pub struct Poly {
    /// One product of residues below 2⁵⁰ in a sum.
    pub multiply_add: f64,
    /// One product of field elements in a generic sum (extension fields, p ≥ 2⁵⁰).
    pub field_multiply_add: f64,
    /// One point and level of a transform.
    pub butterfly: f64,
    /// Moving one entry into or out of transform order.
    pub movement: f64,
    /// One point and level of a floating-point transform of one real sequence.
    pub fourier_butterfly: f64,
    /// One product of two real sequences at one point.
    pub fourier_multiply_add: f64,
    /// Moving one entry into or out of a floating-point transform.
    pub fourier_movement: f64,
    /// One digit of one entry in a test of the integers that such transforms returned.
    pub fourier_test: f64,
    /// Starting a product by transforms.
    pub start: f64,
}

impl Default for Poly {
    fn default() -> Self {
        Poly::with(Isa::best())
    }
}

impl Poly {
    /// The prices with an instruction set; AVX-512 counts only where this processor has its 52-bit products (IFMA).
    pub fn with(isa: Isa) -> Self {
        let (multiply_add, butterfly, fourier_multiply_add) = match isa {
            Isa::Avx512 if Extra::Ifma.is_available() => (0.04e-9, 0.053e-9, 0.2e-9),
            Isa::Avx512 | Isa::Avx2 => (0.19e-9, 0.25e-9, 0.2e-9),
            Isa::Portable => (0.56e-9, 0.6e-9, 0.4e-9),
        };
        Poly {
            multiply_add,
            butterfly,
            field_multiply_add: 3.4e-9,
            movement: 2e-9,
            fourier_butterfly: 0.08e-9,
            fourier_multiply_add,
            fourier_movement: 8e-9,
            fourier_test: 1e-9,
            start: 5e-6,
        }
    }
}
