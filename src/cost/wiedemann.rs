//! Prices of block Wiedemann beyond the products with the matrix.

/// Seconds of one thread, fitted to runs of `blackfield rank` on EX5, bibd_81_3 and mat1916 with block sizes 16 and 32
/// (2-core AMD EPYC with AVX-512): accurate to a factor of two there.
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
    /// A multiplication of the σ-basis over a prime field, …
    pub basis: f64,
    /// … and what comes with an entry of its matrices, transforms above all.
    pub basis_entry: f64,
    /// Both, for a digit product of an extension.
    pub basis_digit: f64,
    /// A multiply-add of the determinants that the co-degree is interpolated from.
    pub determinant: f64,
}

impl Default for Wiedemann {
    fn default() -> Self {
        Wiedemann {
            scaling: 0.1e-9,
            dense_projection: 1.0 / 20e9,
            gram: 1.0 / 50e9,
            gram_digits: 1.0 / 25e9,
            gram_wide: 1.0 / 5e9,
            projection: 1.0 / 10e9,
            basis: 0.022e-9,
            basis_entry: 2.2e-9,
            basis_digit: 1.3e-9,
            determinant: 1e-9,
        }
    }
}

impl Wiedemann {
    /// A multiplication of the σ-basis of a series of 2s × s matrices over a prime field: those at a point are s³,
    /// entries s².
    pub fn basis_of(&self, s: usize) -> f64 {
        self.basis + self.basis_entry / s as f64
    }
}
