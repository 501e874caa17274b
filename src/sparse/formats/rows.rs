//! What visits of the entries by rows ask of a format.

use std::ops::Range;

/// What the arrays of a format are asked for.
pub(super) const LAYOUT: &str = "the layout of a matrix";

/// Formats whose rows lie as runs in arrays of columns and values.
///
/// Rows are visited in ascending order with a cursor that belongs to the visitor: `seek` places it at a first row, and
/// each `span` takes the next one.
pub trait Rows<V> {
    /// The columns of all slots.
    fn columns(&self) -> &[u32];
    /// The values of all slots; empty in a part without values.
    fn values(&self) -> &[V];
    /// The cursor for a visit that starts at `row`.
    fn seek(&self, row: usize) -> usize;
    /// The slots of `row`; the cursor moves on.
    fn span(&self, row: usize, cursor: &mut usize) -> Range<usize>;
    /// Bytes of all arrays.
    fn bytes(&self) -> usize;
}

/// Formats that find the run of every row without a cursor.
pub trait Runs {
    /// The columns of each of `rows`, in ascending order.
    fn runs(&self, rows: Range<usize>) -> impl Iterator<Item = &[u32]>;
}
