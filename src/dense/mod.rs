//! Dense linear algebra mod p: products, ranks, determinants, inverses.
//!
//! - [`gemm()`]: products in integers with delayed reduction, for every p < 2⁶³.
//! - [`Echelon`]: rank and rank profiles of any number of rows, by blocked elimination over those products
//!   (packed for p = 2 and 3); [`Reduced`]: the reduced row echelon form and the null space.
//! - [`determinants()`]: thousands of small determinants at once; [`determinant`]: one, over any field.
//! - [`DenseMatrix`]: a matrix over any field, with the textbook's elimination: rank, inverse, rank profile.

mod bits;
mod combine;
mod determinants;
mod echelon;
mod entry;
mod gemm;
mod matrix;
mod panel;
mod panels;
mod parallel;
mod rebuild;
mod reduced;
mod trits;

pub use determinants::determinants;
pub use echelon::Echelon;
pub use entry::{Residue, Row};
pub use gemm::gemm;
pub use matrix::{DenseMatrix, RankProfile, determinant};
pub use reduced::Reduced;

use crate::field::Modulus;

/// Seconds of one thread for a multiply-add of [`Echelon`], of which a rank r in n columns has r²(n/2 - r/6), for each
/// [`size_class`].
///
/// From `cargo bench --bench dense -- ranks 1000 2000 4000` (random square matrices in one block, one thread with AVX-512), between what an
/// AMD EPYC (Zen 5) and an Intel Xeon (Sapphire Rapids) virtual machine take, up to twice as long, and rounded up for the panels and copies
/// around the products of a row space.
pub const PRODUCT_SECONDS: [f64; 5] = [0.0015e-9, 0.006e-9, 0.025e-9, 0.06e-9, 0.45e-9];

/// Seconds of one thread for a product of two bytes, of which a multiply-add of [`Echelon`] has the square of the bytes of p, where
/// there are tiles of bytes ([`has_byte_tiles`]) and p > 2¹⁶. From the same on such a Xeon, rounded up likewise.
pub const BYTE_PRODUCT_SECONDS: f64 = 0.003e-9;

/// Whether products mod p > 2¹⁶ may use instructions for matrices of bytes: the processor has them, the system grants them, and no
/// narrower instruction set was forced.
pub fn has_byte_tiles() -> bool {
    gemm::has_byte_tiles()
}

/// What the price of a multiply-add depends on: 0 and 1 for p = 2 and 3; 2, 3, 4 for p of up to 16, 31, 63 bits.
pub fn size_class(modulus: Modulus) -> usize {
    match (modulus.get(), modulus.bits()) {
        (2, _) => 0,
        (3, _) => 1,
        (_, ..=16) => 2,
        (_, ..=31) => 3,
        _ => 4,
    }
}

#[cfg(test)]
mod tests;
