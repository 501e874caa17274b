//! What a format provides for visiting its entries row by row.

use std::ops::Range;

/// What the memory is for.
pub(super) const LAYOUT: &str = "the layout of a matrix";

/// Formats that store each row as a contiguous run in arrays of columns and values.
///
/// Rows are visited in ascending order with a cursor owned by the visitor: `seek` sets it to a first row, and each
/// `span` moves on to the next one.
pub trait Rows<V> {
    /// The columns of all slots.
    fn columns(&self) -> &[u32];
    /// The values of all slots; empty in a part without values.
    fn values(&self) -> &[V];
    /// The cursor for a visit that starts at `row`.
    fn seek(&self, row: usize) -> usize;
    /// The slots of `row`; advances the cursor.
    fn span(&self, row: usize, cursor: &mut usize) -> Range<usize>;
    /// Bytes of all arrays.
    fn bytes(&self) -> usize;
}

/// Formats that find the run of every row without a cursor.
pub trait Runs {
    /// The columns of each of `rows`, in ascending order.
    fn runs(&self, rows: Range<usize>) -> impl Iterator<Item = &[u32]>;
}
