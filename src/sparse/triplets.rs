//! Coordinate triplets over the integers, in canonical form: what a file says, before any modulus is chosen.

use crate::field::Modulus;
use crate::sparse::SparseMatrix;
use num_bigint::BigInt;

/// An integer matrix as sorted triplets (row, column, value): rows ascending, columns ascending within a row, no position
/// twice, no zero value. One load serves every modulus: see [`Triplets::reduce`].
///
/// Invariant: `row`, `col` and `value` have equal length; `big` lists, by ascending position in those arrays, the values
/// that do not fit an `i64` (their slot in `value` holds 0).
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Triplets {
    pub(crate) rows: usize,
    pub(crate) cols: usize,
    pub(crate) row: Vec<u32>,
    pub(crate) col: Vec<u32>,
    pub(crate) value: Vec<i64>,
    pub(crate) big: Vec<(usize, BigInt)>,
}

impl Triplets {
    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }
    /// Number of columns.
    pub fn cols(&self) -> usize {
        self.cols
    }
    /// Number of stored (non-zero) entries.
    pub fn nnz(&self) -> usize {
        self.row.len()
    }

    /// The matrix mod p; entries that p divides disappear.
    pub fn reduce(&self, modulus: Modulus) -> SparseMatrix {
        let mut start = vec![0usize; self.rows + 1];
        let (mut col, mut value) = (Vec::with_capacity(self.nnz()), Vec::with_capacity(self.nnz()));
        let mut big = self.big.iter().peekable();
        for k in 0..self.nnz() {
            let v = match big.next_if(|(position, _)| *position == k) {
                Some((_, x)) => modulus.reduce_bigint(x),
                None => modulus.reduce_i64(self.value[k]),
            };
            if v != 0 {
                col.push(self.col[k]);
                value.push(v);
                start[self.row[k] as usize + 1] += 1;
            }
        }
        for i in 0..self.rows {
            start[i + 1] += start[i];
        }
        SparseMatrix { modulus, cols: self.cols, start, col, value }
    }
}
