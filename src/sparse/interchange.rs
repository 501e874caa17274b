//! Conversions from and to the matrices of `sprs`, the most widely used sparse matrix crate of Rust.
//!
//! Entries may be integers of any width or floating-point numbers that are integers ([`Entry`]), indices and storage
//! order what they are. Integer matrices pass through [`Triplets`], residues through [`SparseMatrix`]; both directions
//! keep every entry, and the result is canonical whatever order, duplicates or explicit zeros the other side had.

use crate::field::Modulus;
use crate::sparse::{Integer, SparseMatrix, Triplets};
use crate::{Error, Result};
use num_bigint::BigInt;
use num_traits::FromPrimitive;
use sprs::{CsMat, CsMatI, SpIndex, TriMatI};
use std::fmt::Display;

/// An entry of another library's matrix that may be an integer.
pub trait Entry: Copy + Display {
    /// The integer, if it is one.
    fn integer(self) -> Option<Integer<'static>>;
}

macro_rules! integers {
    ($($type:ty),*) => { $(
        impl Entry for $type {
            fn integer(self) -> Option<Integer<'static>> {
                Some(match i64::try_from(self) {
                    Ok(small) => Integer::Small(small),
                    Err(_) => BigInt::from(self).into(),
                })
            }
        }
    )* };
}
integers!(i8, i16, i32, i64, i128, isize, u8, u16, u32, u64, u128, usize);

impl Entry for f64 {
    fn integer(self) -> Option<Integer<'static>> {
        // A float without a fraction is an integer exactly, of up to 1024 bits.
        (self.fract() == 0.0).then(|| BigInt::from_f64(self).map(Integer::from)).flatten()
    }
}

impl Entry for f32 {
    fn integer(self) -> Option<Integer<'static>> {
        f64::from(self).integer()
    }
}

/// The integer matrix with these entries, counted from 0.
fn gathered<V: Entry>(rows: usize, cols: usize, entries: impl Iterator<Item = (V, usize, usize)>) -> Result<Triplets> {
    let mut broken = None;
    let integers = entries.map_while(|(v, i, j)| {
        let integer = v.integer();
        if integer.is_none() {
            broken = Some(format!(
                "entry ({i}, {j}) = {v}, counted from 0, is no integer: multiply the rows by their denominators, or round"
            ));
        }
        Some((i, j, integer?))
    });
    let matrix = Triplets::try_from_entries(rows, cols, integers)?;
    broken.map_or(Ok(matrix), |message| Err(Error::Matrix(message)))
}

impl<V: Entry, I: SpIndex> TryFrom<&TriMatI<V, I>> for Triplets {
    type Error = Error;

    /// The same matrix, repeated entries summed.
    ///
    /// # Errors
    /// [`Error::Matrix`] if an entry is no integer or a dimension exceeds 2³² - 1, [`Error::Memory`].
    fn try_from(a: &TriMatI<V, I>) -> Result<Self> {
        gathered(a.rows(), a.cols(), a.triplet_iter().map(|(&v, (i, j))| (v, i.index(), j.index())))
    }
}

impl<V: Entry, I: SpIndex, P: SpIndex> TryFrom<&CsMatI<V, I, P>> for Triplets {
    type Error = Error;

    /// The same matrix, from either storage order.
    ///
    /// # Errors
    /// [`Error::Matrix`] if an entry is no integer or a dimension exceeds 2³² - 1, [`Error::Memory`].
    fn try_from(a: &CsMatI<V, I, P>) -> Result<Self> {
        gathered(a.rows(), a.cols(), a.iter().map(|(&v, (i, j))| (v, i.index(), j.index())))
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
    /// # Errors
    /// [`Error::Matrix`] if an entry is no integer or a dimension exceeds 2³² - 1, [`Error::Memory`].
    pub fn from_sprs<V: Entry, I: SpIndex, P: SpIndex>(modulus: Modulus, a: &CsMatI<V, I, P>) -> Result<Self> {
        Triplets::try_from(a)?.into_reduced(modulus)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sprs::TriMat;

    #[test]
    fn integers_there_and_back() {
        let mut coordinates = TriMat::new((3, 4));
        for (i, j, v) in [(2, 1, 5), (0, 3, -7), (2, 1, 6), (1, 0, 9), (1, 0, -9), (1, 1, 0)] {
            coordinates.add_triplet(i, j, v);
        }
        let a = Triplets::try_from(&coordinates).unwrap();
        assert_eq!(a, Triplets::from_entries(3, 4, [(0, 3, -7), (2, 1, 11)]));
        let csr = CsMat::try_from(&a).unwrap();
        assert!(csr.is_csr());
        assert_eq!((csr.rows(), csr.cols(), csr.nnz(), csr.get(2, 1)), (3, 4, 2, Some(&11)));
        assert_eq!(Triplets::try_from(&csr).unwrap(), a);
        // Column-major storage and stored zeros, as sprs allows them.
        assert_eq!(Triplets::try_from(&coordinates.to_csc::<usize>()).unwrap(), a);
        assert_eq!(Triplets::try_from(&csr.transpose_into()).unwrap(), a.transpose());
    }

    #[test]
    fn degenerate_and_large() {
        for (rows, cols) in [(0, 0), (0, 3), (3, 0), (2, 2)] {
            let a = Triplets::from_entries(rows, cols, std::iter::empty::<(usize, usize, i64)>());
            assert_eq!(Triplets::try_from(&CsMat::try_from(&a).unwrap()).unwrap(), a);
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
            assert_eq!(SparseMatrix::from_sprs(p, &csr).unwrap(), a);
            assert_eq!(SparseMatrix::from_sprs(p, &csr.to_csc()).unwrap(), a);
            assert_eq!(SparseMatrix::from_sprs(p, &csr.transpose_into()).unwrap(), a.transpose().unwrap());
        }
    }

    fn one<V: Entry>(v: V) -> Result<Triplets> {
        let mut coordinates = TriMatI::<V, u32>::new((2, 3));
        coordinates.add_triplet(1, 2, v);
        let csr = CsMatI::<V, u32, u64>::new((2, 3), vec![0, 0, 1], vec![2], vec![v]);
        let (a, b) = (Triplets::try_from(&coordinates), Triplets::try_from(&csr));
        match (&a, &b) {
            (Ok(a), Ok(b)) => assert_eq!(a, b),
            (Err(a), Err(b)) => assert_eq!(a.to_string(), b.to_string()),
            other => panic!("{other:?}"),
        }
        a
    }

    /// Every width to its ends; floats that are integers, beyond 64 bits too; zeros of both signs.
    #[test]
    fn entries_of_every_type() {
        let is = |found: Result<Triplets>, value: BigInt| {
            assert_eq!(found.unwrap(), Triplets::from_entries(2, 3, [(1, 2, value)]));
        };
        macro_rules! widths {
            ($($type:ty),*) => { $(
                is(one(<$type>::MIN), <$type>::MIN.into());
                is(one(<$type>::MAX), <$type>::MAX.into());
                is(one(7 as $type), 7.into());
            )* };
        }
        widths!(i8, i16, i32, i64, i128, isize, u8, u16, u32, u64, u128, usize);
        is(one(-3.0f32), (-3).into());
        is(one(1e15), 1_000_000_000_000_000i64.into());
        is(one(-(2f64.powi(200))), -(BigInt::from(1) << 200u32));
        is(one(f32::MAX), BigInt::from_f32(f32::MAX).unwrap());
        is(one(0.0), 0.into());
        is(one(-0.0f32), 0.into());
        for broken in [0.5, -1e-300, f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            let message = one(broken).unwrap_err().to_string();
            assert!(
                message.starts_with(&format!("entry (1, 2) = {broken}, counted from 0, is no integer")),
                "{message}"
            );
        }
        let p = Modulus::new(65521).unwrap();
        let half = CsMat::new((1, 1), vec![0, 1], vec![0], vec![0.5]);
        assert!(matches!(SparseMatrix::from_sprs(p, &half), Err(Error::Matrix(_))));
        let minus = CsMat::new((1, 1), vec![0, 1], vec![0], vec![-1i8]);
        assert_eq!(SparseMatrix::from_sprs(p, &minus).unwrap().row(0), (&[0][..], &[65520][..]));
    }
}
