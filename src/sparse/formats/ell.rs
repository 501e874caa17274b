//! ELL: every row has exactly `width` entries, row after row, so that no offsets are needed.

use super::{Csr, Rows};
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
    /// The columns of row `first`, of the next one, and so on. Panics if the width is 0.
    #[inline(always)]
    pub fn rows_from(&self, first: usize) -> std::slice::ChunksExact<'_, u32> {
        self.col[first * self.width..].chunks_exact(self.width)
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
