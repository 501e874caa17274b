//! COO, coordinates: a row and a column for every entry, rows ascending. For parts with far fewer entries than rows.

use super::Csr;
use super::rows::{LAYOUT, Rows};
use crate::{Result, memory};
use std::ops::Range;

/// Coordinates; `value` is empty in a part without values.
#[derive(Clone, Debug, PartialEq)]
pub struct Coo<V> {
    row: Vec<u32>,
    col: Vec<u32>,
    value: Vec<V>,
}

impl<V: Copy> Coo<V> {
    /// All entries of `a`.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    pub fn new(a: &Csr<V>) -> Result<Self> {
        let mut row = memory::with_capacity(a.nnz(), LAYOUT)?;
        row.extend((0..a.rows()).flat_map(|i| a.row(i).map(move |_| i as u32)));
        Ok(Coo { row, col: memory::copy(a.columns(), LAYOUT)?, value: memory::copy(a.values(), LAYOUT)? })
    }
}

impl<V> Rows<V> for Coo<V> {
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
        let first = *cursor;
        while self.row.get(*cursor).is_some_and(|&r| r as usize == row) {
            *cursor += 1;
        }
        first..*cursor
    }
    fn bytes(&self) -> usize {
        size_of_val(&self.row[..]) + size_of_val(&self.col[..]) + size_of_val(&self.value[..])
    }
}
