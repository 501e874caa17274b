//! DIA: whole diagonals, each with its offset; no column indices.

use super::Csr;
use super::rows::{LAYOUT, Rows};
use crate::{Result, memory};
use std::collections::BTreeMap;

/// Diagonal d holds the positions (i, i + `offset[d]`); `value[d·rows + i]` is zero where the matrix has no entry
/// there.
#[derive(Clone, Debug, PartialEq)]
pub struct Dia<V> {
    rows: usize,
    cols: usize,
    offset: Vec<i64>,
    value: Vec<V>,
    nnz: usize,
}

impl<V: Copy + Default> Dia<V> {
    /// The diagonals of `a`, a matrix with values and `cols` columns, that are filled to at least the fraction `fill`;
    /// and the rest. Panics if `a` has entries but no values.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    pub fn split(a: &Csr<V>, cols: usize, fill: f64) -> Result<(Dia<V>, Csr<V>)> {
        assert!(a.nnz() == 0 || !a.values().is_empty(), "diagonals hold values");
        let rows = a.rows();
        let offset_of = |i: usize, k: usize| a.columns()[k] as i64 - i as i64;
        let mut counts: BTreeMap<i64, usize> = BTreeMap::new();
        for i in 0..rows {
            for k in a.row(i) {
                *counts.entry(offset_of(i, k)).or_default() += 1;
            }
        }
        let length = |offset: i64| {
            let (first, last) = ((-offset).max(0), (cols as i64 - offset).min(rows as i64));
            (last - first) as f64
        };
        counts.retain(|&offset, count| *count as f64 >= fill * length(offset));
        let index: BTreeMap<i64, usize> = counts.keys().enumerate().map(|(d, &offset)| (offset, d)).collect();
        let mut value = memory::filled(V::default(), index.len() * rows, LAYOUT)?;
        let mut nnz = 0;
        let rest = a.filtered(|i, k| match index.get(&offset_of(i, k)) {
            Some(d) => {
                value[d * rows + i] = a.values()[k];
                nnz += 1;
                false
            }
            None => true,
        })?;
        Ok((Dia { rows, cols, offset: counts.into_keys().collect(), value, nnz }, rest))
    }
}

impl<V: Copy> Dia<V> {
    /// The offsets of the diagonals, ascending.
    pub fn offsets(&self) -> &[i64] {
        &self.offset
    }
    /// Entries of the matrix in these diagonals.
    pub fn nnz(&self) -> usize {
        self.nnz
    }
    /// The value at row i of diagonal d.
    #[inline(always)]
    pub fn value(&self, d: usize, i: usize) -> V {
        self.value[d * self.rows + i]
    }
    /// The column of row i on the diagonal with this offset, if it is inside the matrix.
    #[inline(always)]
    pub fn column(&self, offset: i64, i: usize) -> Option<usize> {
        let j = i as i64 + offset;
        (j >= 0 && j < self.cols as i64).then_some(j as usize)
    }
    /// Bytes of all arrays.
    pub fn bytes(&self) -> usize {
        size_of_val(&self.value[..]) + size_of_val(&self.offset[..])
    }
}
