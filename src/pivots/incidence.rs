//! The positions of a matrix's entries, by rows and by columns: all that a search without arithmetic needs.

use crate::isa::prefetch;
use crate::sparse::{Pattern, SparseMatrix};

/// Ascending indices, line by line: the columns of each row, or the rows of each column.
#[derive(Clone, Copy)]
pub(super) struct Lines<'a> {
    start: &'a [usize],
    index: &'a [u32],
}

impl<'a> Lines<'a> {
    /// Number of lines.
    pub fn len(self) -> usize {
        self.start.len() - 1
    }
    /// The indices of line i.
    #[inline(always)]
    pub fn line(self, i: u32) -> &'a [u32] {
        &self.index[self.start[i as usize]..self.start[i as usize + 1]]
    }
    /// How many indices line i has.
    #[inline(always)]
    pub fn degree(self, i: u32) -> usize {
        self.start[i as usize + 1] - self.start[i as usize]
    }
    /// Asks for where line i begins.
    #[inline(always)]
    pub fn prefetch_start(self, i: u32) {
        prefetch(self.start, i as usize);
    }
    /// Asks for the first indices of line i.
    #[inline(always)]
    pub fn prefetch(self, i: u32) {
        prefetch(self.index, self.start[i as usize]);
    }
    /// How many indices all lines have.
    pub fn nnz(self) -> usize {
        self.index.len()
    }
}

/// The columns of each row of a pattern.
pub(super) fn lines(pattern: &Pattern) -> Lines<'_> {
    Lines { start: pattern.row_starts(), index: pattern.columns() }
}

/// The columns of each row of `a`.
pub(super) fn rows(a: &SparseMatrix) -> Lines<'_> {
    Lines { start: a.row_starts(), index: &a.col }
}
