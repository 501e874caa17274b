//! ELL: every row has exactly `width` entries, row after row, so that no offsets are needed.

use super::{Csr, Rows, Runs};
use std::ops::Range;

/// ELLpack without padding, row-major; `value` is empty in a part without values.
#[derive(Clone, Debug, PartialEq)]
pub struct Ell<V> {
    width: usize,
    col: Vec<u32>,
    value: Vec<V>,
}

impl<V: Copy> Ell<V> {
    /// The first entries of each row, as many as the lightest row has but at most `width`, and the rest.
    pub fn split(a: &Csr<V>, width: usize) -> (Ell<V>, Csr<V>) {
        let width = (0..a.rows()).map(|i| a.row(i).len()).min().unwrap_or(0).min(width);
        let first = a.filtered(|i, k| k - a.row(i).start < width);
        let rest = a.filtered(|i, k| k - a.row(i).start >= width);
        (Ell { width, col: first.columns().to_vec(), value: first.values().to_vec() }, rest)
    }
    /// Entries in a row.
    pub fn width(&self) -> usize {
        self.width
    }
}

impl<V> Rows<V> for Ell<V> {
    #[inline(always)]
    fn columns(&self) -> &[u32] {
        &self.col
    }
    #[inline(always)]
    fn values(&self) -> &[V] {
        &self.value
    }
    fn seek(&self, _row: usize) -> usize {
        0
    }
    #[inline(always)]
    fn span(&self, row: usize, _cursor: &mut usize) -> Range<usize> {
        row * self.width..(row + 1) * self.width
    }
    fn bytes(&self) -> usize {
        size_of_val(&self.col[..]) + size_of_val(&self.value[..])
    }
}

impl<V> Runs for Ell<V> {
    #[inline(always)]
    fn runs(&self, rows: Range<usize>) -> impl Iterator<Item = &[u32]> {
        self.col[rows.start * self.width..rows.end * self.width].chunks_exact(self.width)
    }
}
