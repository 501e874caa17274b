//! ELL_R: every row has room for as many entries as the heaviest one, and its own length.

use super::Csr;
use super::rows::{LAYOUT, Rows, Runs};
use crate::{Result, memory};
use std::ops::Range;

/// ELLpack with row lengths, row-major; slots beyond a row's length are never read. `value` is empty in a part without
/// values.
#[derive(Clone, Debug, PartialEq)]
pub struct EllR<V> {
    width: usize,
    count: Vec<u32>,
    col: Vec<u32>,
    value: Vec<V>,
}

impl<V> EllR<V> {
    /// Entries of all rows.
    pub fn nnz(&self) -> usize {
        self.count.iter().map(|&c| c as usize).sum()
    }
}

impl<V: Copy> EllR<V> {
    /// All entries of `a`.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory): a single heavy row enlarges every row.
    pub fn new(a: &Csr<V>) -> Result<Self> {
        let width = (0..a.rows()).map(|i| a.row(i).len()).max().unwrap_or(0);
        let slots = a.rows().saturating_mul(width);
        let mut col = memory::with_capacity(slots, LAYOUT)?;
        let mut value = memory::with_capacity(if a.values().is_empty() { 0 } else { slots }, LAYOUT)?;
        for i in 0..a.rows() {
            col.extend_from_slice(&a.columns()[a.row(i)]);
            col.resize((i + 1) * width, 0);
            if let Some(&filler) = a.values().first() {
                value.extend_from_slice(&a.values()[a.row(i)]);
                value.resize((i + 1) * width, filler);
            }
        }
        let mut count = memory::with_capacity(a.rows(), LAYOUT)?;
        count.extend((0..a.rows()).map(|i| a.row(i).len() as u32));
        Ok(EllR { width, count, col, value })
    }
}

impl<V> Rows<V> for EllR<V> {
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
        let first = row * self.width;
        first..first + self.count[row] as usize
    }
    fn bytes(&self) -> usize {
        size_of_val(&self.count[..]) + size_of_val(&self.col[..]) + size_of_val(&self.value[..])
    }
}

impl<V> Runs for EllR<V> {
    #[inline(always)]
    fn runs(&self, rows: Range<usize>) -> impl Iterator<Item = &[u32]> {
        let slots = &self.col[rows.start * self.width..rows.end * self.width];
        slots.chunks_exact(self.width).zip(&self.count[rows]).map(|(slots, &count)| &slots[..count as usize])
    }
}
