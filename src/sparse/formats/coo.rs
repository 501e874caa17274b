//! COO, coordinates: a row and a column for every entry, rows ascending. For parts with far fewer entries than rows.

use super::{Csr, Rows};
use std::ops::Range;

/// Coordinates; `value` is empty in a part without values.
#[derive(Clone, Debug, PartialEq)]
pub struct Coo<V> {
    row: Vec<u32>,
    col: Vec<u32>,
    value: Vec<V>,
}

impl<V: Copy> From<&Csr<V>> for Coo<V> {
    fn from(a: &Csr<V>) -> Self {
        let row = (0..a.rows()).flat_map(|i| a.row(i).map(move |_| i as u32)).collect();
        Coo { row, col: a.columns().to_vec(), value: a.values().to_vec() }
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
