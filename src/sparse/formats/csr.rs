//! CSR, compressed rows: row i in slots `start[i]..start[i + 1]`.

use super::rows::{LAYOUT, Rows, Runs};
use crate::{Result, memory};
use std::ops::Range;

/// Compressed rows; `value` is empty in a part without values.
#[derive(Clone, Debug, PartialEq)]
pub struct Csr<V> {
    start: Vec<usize>,
    col: Vec<u32>,
    value: Vec<V>,
}

impl<V: Copy> Csr<V> {
    /// The matrix with these arrays. Panics unless `start` ascends from 0 to `col.len()` and `value` is empty or as
    /// long.
    pub fn new(start: Vec<usize>, col: Vec<u32>, value: Vec<V>) -> Self {
        assert!(start.first() == Some(&0) && start.last() == Some(&col.len()) && start.is_sorted());
        assert!(value.is_empty() || value.len() == col.len());
        Csr { start, col, value }
    }
    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.start.len() - 1
    }
    /// Number of entries.
    pub fn nnz(&self) -> usize {
        self.col.len()
    }
    /// The slots of row i.
    pub fn row(&self, i: usize) -> Range<usize> {
        self.start[i]..self.start[i + 1]
    }
    /// The entries for which `keep(row, slot)` holds.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    pub(super) fn filtered(&self, mut keep: impl FnMut(usize, usize) -> bool) -> Result<Csr<V>> {
        let mut kept = Csr { start: memory::with_capacity(self.start.len(), LAYOUT)?, col: vec![], value: vec![] };
        kept.start.push(0);
        for i in 0..self.rows() {
            let most = self.row(i).len();
            memory::reserve(&mut kept.col, most, LAYOUT)?;
            memory::reserve(&mut kept.value, most.min(self.value.len()), LAYOUT)?;
            for k in self.row(i).filter(|&k| keep(i, k)) {
                kept.col.push(self.col[k]);
                kept.value.extend(self.value.get(k));
            }
            kept.start.push(kept.col.len());
        }
        Ok(kept)
    }
}

impl<V> Rows<V> for Csr<V> {
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
        self.start[row]..self.start[row + 1]
    }
    fn bytes(&self) -> usize {
        size_of_val(&self.start[..]) + size_of_val(&self.col[..]) + size_of_val(&self.value[..])
    }
}

impl<V> Runs for Csr<V> {
    #[inline(always)]
    fn runs(&self, rows: Range<usize>) -> impl Iterator<Item = &[u32]> {
        self.start[rows.start..=rows.end].windows(2).map(|bounds| &self.col[bounds[0]..bounds[1]])
    }
}
