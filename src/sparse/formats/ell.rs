//! ELL: every row has exactly `width` entries, row after row, so that no offsets are needed.

use super::Csr;
use super::rows::{LAYOUT, Rows, Runs};
use crate::{Result, memory};
use std::ops::Range;

/// ELLpack without padding, row-major; `value` is empty in a part without values.
#[derive(Clone, Debug, PartialEq)]
pub struct Ell<V> {
    width: usize,
    col: Vec<u32>,
    value: Vec<V>,
}

impl<V: Copy> Ell<V> {
    /// The first entries of each row, as many as the lightest row has, but at most `width`; and the rest.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    pub fn split(a: &Csr<V>, width: usize) -> Result<(Ell<V>, Csr<V>)> {
        let width = (0..a.rows()).map(|i| a.row(i).len()).min().unwrap_or(0).min(width);
        let first = a.filtered(|i, k| k - a.row(i).start < width)?;
        let rest = a.filtered(|i, k| k - a.row(i).start >= width)?;
        let (col, value) = (memory::copy(first.columns(), LAYOUT)?, memory::copy(first.values(), LAYOUT)?);
        Ok((Ell { width, col, value }, rest))
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
