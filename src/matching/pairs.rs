//! A matching as data: pairs of rows and columns.

use crate::sparse::Pattern;
use crate::{Result, memory};

/// What the memory is for.
pub(super) const MATCHING: &str = "a matching";

/// Stands for a missing row, column or label.
pub const NONE: u32 = u32::MAX;

/// Entries of which no two share a row or a column.
///
/// Invariant: `col_of_row[i] = j` if and only if `row_of_col[j] = i`, for `size` pairs (i, j); everything else is
/// [`NONE`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Matching {
    /// Number of pairs.
    pub size: usize,
    /// For each row, its column or [`NONE`].
    pub col_of_row: Vec<u32>,
    /// For each column, its row or [`NONE`].
    pub row_of_col: Vec<u32>,
}

impl Matching {
    /// The empty matching.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    pub fn empty(rows: usize, cols: usize) -> Result<Self> {
        let unmatched = |lines| memory::filled(NONE, lines, MATCHING);
        Ok(Matching { size: 0, col_of_row: unmatched(rows)?, row_of_col: unmatched(cols)? })
    }

    /// The matching of the given pairs (row, column).
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    ///
    /// # Panics
    /// If an index is out of range or a line occurs twice.
    pub fn from_pairs(rows: usize, cols: usize, pairs: impl IntoIterator<Item = (u32, u32)>) -> Result<Self> {
        let mut m = Matching::empty(rows, cols)?;
        for (i, j) in pairs {
            let (row, col) = (&mut m.col_of_row[i as usize], &mut m.row_of_col[j as usize]);
            assert!(*row == NONE && *col == NONE, "pair ({i}, {j}) shares a line with another");
            (*row, *col) = (j, i);
            m.size += 1;
        }
        Ok(m)
    }

    /// The column matched to row i.
    pub fn col(&self, i: usize) -> Option<u32> {
        Some(self.col_of_row[i]).filter(|&j| j != NONE)
    }

    /// The row matched to column j.
    pub fn row(&self, j: usize) -> Option<u32> {
        Some(self.row_of_col[j]).filter(|&i| i != NONE)
    }

    /// The same pairs in the transpose.
    #[must_use]
    pub fn transpose(self) -> Self {
        Matching { size: self.size, col_of_row: self.row_of_col, row_of_col: self.col_of_row }
    }

    /// Whether the invariant holds and every pair is an entry of `pattern`. Says nothing about maximality, which
    /// [`minimum_vertex_cover`](super::minimum_vertex_cover) proves.
    pub fn is_within(&self, pattern: &Pattern) -> bool {
        let shape = (self.col_of_row.len(), self.row_of_col.len()) == (pattern.rows(), pattern.cols());
        let rows = self.col_of_row.iter().enumerate().filter(|&(_, &j)| j != NONE);
        let cols = self.row_of_col.iter().filter(|&&i| i != NONE);
        shape
            && rows.clone().count() == self.size
            && cols.count() == self.size
            && rows.into_iter().all(|(i, &j)| pattern.contains(i, j) && self.row_of_col[j as usize] == i as u32)
    }
}
