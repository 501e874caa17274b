//! What an elimination found.

use crate::decomposition::{Lines, Remainder};

/// What right-looking elimination found and left. rank A = number of pivots + rank of what is left.
#[derive(Clone, Debug)]
pub struct Eliminated {
    /// The pivots in the order they were taken, row and column of each. Their minor of A is nonsingular: its leading
    /// minors are the products of the first pivots. A nonsingular minor of what is left completes it to one of A.
    pub pivots: Lines,
    /// What is left, mostly without rows that are multiples of others; columns ascending.
    pub remainder: Remainder,
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
