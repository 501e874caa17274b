//! COO_S: compressed rows with pointers to the non-empty rows only (source paper, section 2.4.4). For what an ELL part leaves.

use super::{Csr, Rows};
use std::ops::Range;

/// The k-th non-empty row is `row[k]` and lies in slots `start[k]..start[k + 1]`; `value` is empty in a part without values.
#[derive(Clone, Debug, PartialEq)]
pub struct CooS<V> {
    row: Vec<u32>,
    start: Vec<usize>,
    col: Vec<u32>,
    value: Vec<V>,
}

impl<V: Copy> From<&Csr<V>> for CooS<V> {
    fn from(a: &Csr<V>) -> Self {
        let row: Vec<u32> = (0..a.rows()).filter(|&i| !a.row(i).is_empty()).map(|i| i as u32).collect();
        let start = row.iter().map(|&i| a.row(i as usize).start).chain([a.nnz()]).collect();
        CooS { row, start, col: a.columns().to_vec(), value: a.values().to_vec() }
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
