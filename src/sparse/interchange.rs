//! Conversions from and to the matrices of `sprs`, the sparse matrix crate most Rust programs share.
//!
//! Integer matrices pass through [`Triplets`], residues through [`SparseMatrix`]; both directions keep every entry, and
//! what arrives is canonical whatever order, duplicates or explicit zeros the other side had.

use crate::field::Modulus;
use crate::sparse::{Integer, SparseMatrix, Triplets};
use crate::{Error, Result};
use sprs::{CsMat, TriMat};

impl From<&TriMat<i64>> for Triplets {
    /// # Panics
    /// If a dimension exceeds 2³² - 1.
    fn from(a: &TriMat<i64>) -> Self {
        Triplets::from_entries(a.rows(), a.cols(), a.triplet_iter().map(|(&v, (i, j))| (i, j, v)))
    }
}

impl From<&CsMat<i64>> for Triplets {
    /// # Panics
    /// If a dimension exceeds 2³² - 1.
    fn from(a: &CsMat<i64>) -> Self {
        Triplets::from_entries(a.rows(), a.cols(), a.iter().map(|(&v, (i, j))| (i, j, v)))
    }
}

impl TryFrom<&Triplets> for CsMat<i64> {
    type Error = Error;

    /// The same matrix in row-major (CSR) form.
    ///
    /// # Errors
    /// [`Error::Usage`] if an entry does not fit an `i64`.
    fn try_from(a: &Triplets) -> Result<Self> {
        let mut start = vec![0; a.rows() + 1];
        let mut value = Vec::with_capacity(a.nnz());
        for (i, j, v) in a.entries() {
            let Integer::Small(v) = v else {
                return Err(Error::Usage(format!("entry ({}, {}) = {v} does not fit 64 bits", i + 1, j + 1)));
            };
            start[i + 1] += 1;
            value.push(v);
        }
        for i in 0..a.rows() {
            start[i + 1] += start[i];
        }
        let col = a.col.iter().map(|&j| j as usize).collect();
        Ok(CsMat::new((a.rows(), a.cols()), start, col, value))
    }
}

impl From<&SparseMatrix> for CsMat<u64> {
    /// The same residues in row-major (CSR) form.
    fn from(a: &SparseMatrix) -> Self {
        let col = a.col.iter().map(|&j| j as usize).collect();
        CsMat::new((a.rows(), a.cols()), a.row_starts().to_vec(), col, a.value.clone())
    }
}

impl SparseMatrix {
    /// The matrix mod p of an `sprs` matrix in either storage order; values are reduced, zeros dropped.
    ///
    /// # Panics
    /// If a dimension exceeds 2³² - 1.
    pub fn from_sprs(modulus: Modulus, a: &CsMat<u64>) -> Self {
        let entries: Vec<_> = a.iter().map(|(&v, (i, j))| (i, j, v)).collect();
        SparseMatrix::from_triplets(modulus, a.rows(), a.cols(), &entries)
    }
}
