//! Conversions from and to the matrices of `sprs`, the most widely used sparse matrix crate of Rust.
//!
//! Integer matrices pass through [`Triplets`], residues through [`SparseMatrix`]; both directions keep every entry, and
//! the result is canonical whatever order, duplicates or explicit zeros the other side had.

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

#[cfg(test)]
mod tests {
    use super::*;
    use num_bigint::BigInt;

    #[test]
    fn integers_there_and_back() {
        let mut coordinates = TriMat::new((3, 4));
        for (i, j, v) in [(2, 1, 5), (0, 3, -7), (2, 1, 6), (1, 0, 9), (1, 0, -9), (1, 1, 0)] {
            coordinates.add_triplet(i, j, v);
        }
        let a = Triplets::from(&coordinates);
        assert_eq!(a, Triplets::from_entries(3, 4, [(0, 3, -7), (2, 1, 11)]));
        let csr = CsMat::try_from(&a).unwrap();
        assert!(csr.is_csr());
        assert_eq!((csr.rows(), csr.cols(), csr.nnz(), csr.get(2, 1)), (3, 4, 2, Some(&11)));
        assert_eq!(Triplets::from(&csr), a);
        // Column-major storage and stored zeros, as sprs allows them.
        assert_eq!(Triplets::from(&coordinates.to_csc::<usize>()), a);
        assert_eq!(Triplets::from(&csr.transpose_into()), a.transpose());
    }

    #[test]
    fn degenerate_and_large() {
        for (rows, cols) in [(0, 0), (0, 3), (3, 0), (2, 2)] {
            let a = Triplets::from_entries(rows, cols, std::iter::empty::<(usize, usize, i64)>());
            assert_eq!(Triplets::from(&CsMat::try_from(&a).unwrap()), a);
        }
        let a = Triplets::from_entries(1, 2, [(0, 1, BigInt::from(1u128 << 64))]);
        let message = "entry (1, 2) = 18446744073709551616 does not fit 64 bits";
        assert_eq!(CsMat::try_from(&a).unwrap_err().to_string(), message);
    }

    #[test]
    fn residues_there_and_back() {
        for p in [2, 3, 65521, 9223372036854775783] {
            let p = Modulus::new(p).unwrap();
            let entries: Vec<_> =
                (0..40).map(|k| (k * 7 % 11, k * k % 13, (k as u64).wrapping_mul(u64::MAX / 37))).collect();
            let a = SparseMatrix::from_triplets(p, 11, 13, &entries);
            let csr = CsMat::from(&a);
            assert_eq!(SparseMatrix::from_sprs(p, &csr), a);
            assert_eq!(SparseMatrix::from_sprs(p, &csr.to_csc()), a);
            assert_eq!(SparseMatrix::from_sprs(p, &csr.transpose_into()), a.transpose().unwrap());
        }
    }
}
