//! Structural pivots.

/// Pivots in triangular order: A[rows[k], cols[l]] = 0 for l < k, A[rows[k], cols[k]] ≠ 0.
#[derive(Clone, Debug, Default)]
pub struct Pivots {
    /// Rows.
    pub rows: Vec<u32>,
    /// Columns.
    pub cols: Vec<u32>,
}
