//! What an elimination found.

use crate::sparse::SparseMatrix;

/// What right-looking elimination found and left. rank A = `rows.len()` + rank of `core`.
#[derive(Clone, Debug)]
pub struct Eliminated {
    /// Rows of the pivots, in the order they were taken.
    ///
    /// The minor of A on `rows` × `cols` is nonsingular: its leading minors are the products of the first pivots. A
    /// nonsingular minor of the core, put beside it, makes a nonsingular minor of A.
    pub rows: Vec<u32>,
    /// Columns of the pivots.
    pub cols: Vec<u32>,
    /// What is left, without empty rows and columns and, mostly, without rows that are multiples of others.
    pub core: SparseMatrix,
    /// The row of A that each row of the core comes from.
    pub core_rows: Vec<u32>,
    /// The column of A that each column of the core is, ascending.
    pub core_cols: Vec<u32>,
    /// The most non-zero entries ever held.
    pub peak_nnz: usize,
}

/// What an elimination found, and how.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct EliminationReport {
    /// The rank.
    pub rank: usize,
    /// Pivots taken by sparse elimination; the others are dense.
    pub sparse_pivots: usize,
    /// Non-zero rows of the matrix that was finished densely.
    pub dense_rows: usize,
    /// Non-zero columns of the matrix that was finished densely.
    pub dense_cols: usize,
    /// The most non-zero entries that the sparse part ever held.
    pub peak_nnz: usize,
}
