//! Prices of block Wiedemann beyond the products with the matrix.

use crate::isa::Isa;

/// Seconds of one thread. With AVX-512 fitted to runs of `blackfield rank` on EX5, bibd_81_3 and mat1916 with block
/// sizes 16 and 32 (2-core AMD EPYC): accurate to a factor of two there. With AVX2 and without either they are those of
/// `blackfield tune --install --isa …` on a 2-core AMD EPYC without AVX-512, rounded (projections of the latter, 0.38,
/// taken as those of the former).
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default))]
#[non_exhaustive]
pub struct Wiedemann {
    /// Scaling an element of an extension field: a multiply-add of two of its coefficients.
    pub scaling: f64,
    /// A multiply-add of a dense projection.
    pub dense_projection: f64,
    /// The same of the Gram matrices of a sequence that is projected by itself, of residues of up to 16 bits (of up to
    /// 31 bits: twice that), …
    pub gram: f64,
    /// … of the digits of an extension, …
    pub gram_digits: f64,
    /// … and of wider residues.
    pub gram_wide: f64,
    /// A residue of a block for a projection by buckets.
    pub projection: f64,
    /// A multiplication of the σ-basis over a prime field with blocks of 16 ([`Wiedemann::basis_of`]).
    pub basis: f64,
    /// The same for a digit product of an extension, whatever the blocks.
    pub basis_digit: f64,
    /// A multiply-add of the determinants that the co-degree is interpolated from.
    pub determinant: f64,
}

impl Default for Wiedemann {
    fn default() -> Self {
        Wiedemann::with(Isa::best())
    }
}

/// What an entry of the matrices of a σ-basis takes (transforms above all), in multiplications of matrices: 103 on a
/// Xeon with AMX, by orders 1024 to 32768 with 8 to 64 columns, 130 on one with AVX-512, by runs with blocks of 8 to
/// 32.
const ENTRY: f64 = 100.0;
/// The block size that [`Wiedemann::basis`] is for.
const BLOCK: f64 = 16.0;

impl Wiedemann {
    /// The prices with an instruction set.
    pub fn with(isa: Isa) -> Self {
        match isa {
            Isa::Avx512 => Wiedemann {
                scaling: 0.1e-9,
                dense_projection: 1.0 / 20e9,
                gram: 1.0 / 50e9,
                gram_digits: 1.0 / 25e9,
                gram_wide: 1.0 / 5e9,
                projection: 1.0 / 10e9,
                basis: 0.16e-9,
                basis_digit: 1.3e-9,
                determinant: 1e-9,
            },
            Isa::Avx2 => Wiedemann {
                scaling: 0.7e-9,
                dense_projection: 0.2e-9,
                gram: 0.022e-9,
                gram_digits: 0.042e-9,
                gram_wide: 0.26e-9,
                projection: 0.45e-9,
                basis: 0.38e-9,
                basis_digit: 1.4e-9,
                determinant: 1e-9,
            },
            Isa::Portable => Wiedemann {
                scaling: 0.9e-9,
                dense_projection: 0.54e-9,
                gram: 0.076e-9,
                gram_digits: 0.11e-9,
                gram_wide: 0.62e-9,
                projection: 0.45e-9,
                basis: 1.1e-9,
                basis_digit: 2.1e-9,
                determinant: 1e-9,
            },
        }
    }

    /// Seconds for a multiplication of the σ-basis of a series of 2s × s matrices over a prime field: to s³ of them
    /// come s² entries.
    pub fn basis_of(&self, s: usize) -> f64 {
        self.basis * (1.0 + ENTRY / s as f64) / (1.0 + ENTRY / BLOCK)
    }
}
