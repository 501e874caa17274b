//! COO_S: compressed rows with pointers to the non-empty rows only (source paper, section 2.4.4). For what an ELL part
//! leaves over.

use super::Csr;
use super::rows::{LAYOUT, Rows};
use crate::{Result, memory};
use std::ops::Range;

/// The k-th non-empty row is `row[k]` and lies in slots `start[k]..start[k + 1]`; `value` is empty in a part without
/// values.
#[derive(Clone, Debug, PartialEq)]
pub struct CooS<V> {
    row: Vec<u32>,
    start: Vec<usize>,
    col: Vec<u32>,
    value: Vec<V>,
}

impl<V: Copy> CooS<V> {
    /// All entries of `a`.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    pub fn new(a: &Csr<V>) -> Result<Self> {
        let mut row = memory::with_capacity(a.rows().min(a.nnz()), LAYOUT)?;
        row.extend((0..a.rows()).filter(|&i| !a.row(i).is_empty()).map(|i| i as u32));
        let mut start = memory::with_capacity(row.len() + 1, LAYOUT)?;
        start.extend(row.iter().map(|&i| a.row(i as usize).start).chain([a.nnz()]));
        Ok(CooS { row, start, col: memory::copy(a.columns(), LAYOUT)?, value: memory::copy(a.values(), LAYOUT)? })
    }
}

impl<V> Rows<V> for CooS<V> {
    #[inline(always)]
    fn columns(&self) -> &[u32] {
        &self.col
    }
    #[inline(always)]
    fn values(&self) -> &[V] {
        &self.value
    }
    fn seek(&self, row: usize) -> usize {
        self.row.partition_point(|&r| (r as usize) < row)
    }
    #[inline(always)]
    fn span(&self, row: usize, cursor: &mut usize) -> Range<usize> {
        if self.row.get(*cursor).is_some_and(|&r| r as usize == row) {
            *cursor += 1;
            self.start[*cursor - 1]..self.start[*cursor]
        } else {
            0..0
        }
    }
    fn bytes(&self) -> usize {
        size_of_val(&self.row[..])
            + size_of_val(&self.start[..])
            + size_of_val(&self.col[..])
            + size_of_val(&self.value[..])
    }
}
