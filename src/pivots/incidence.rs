//! The positions of a matrix's entries, by rows and by columns: all that a search without arithmetic looks at.

use crate::sparse::SparseMatrix;

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
    /// How many indices all lines have.
    pub fn nnz(self) -> usize {
        self.index.len()
    }
}

/// The columns of a matrix: offsets and rows, made once and lent as [`Lines`].
pub(super) struct Columns {
    start: Vec<usize>,
    index: Vec<u32>,
}

impl Columns {
    /// The columns of `a`, by a counting sort in O(rows + cols + nnz).
    pub fn new(a: &SparseMatrix) -> Self {
        let rows = rows(a);
        let mut next = vec![0usize; a.cols() + 1];
        for &j in rows.index {
            next[j as usize] += 1;
        }
        // Exclusive prefix sums: where each column begins, then (once filled) where it ends, which is the next one's start.
        let mut sum = 0;
        for slot in &mut next {
            sum += std::mem::replace(slot, sum);
        }
        let mut index = vec![0u32; rows.nnz()];
        for i in 0..rows.len() as u32 {
            for &j in rows.line(i) {
                let slot = &mut next[j as usize];
                index[*slot] = i;
                *slot += 1;
            }
        }
        next.rotate_right(1);
        next[0] = 0;
        Columns { start: next, index }
    }

    /// The rows of each column.
    pub fn lines(&self) -> Lines<'_> {
        Lines { start: &self.start, index: &self.index }
    }
}

/// The columns of each row of `a`.
pub(super) fn rows(a: &SparseMatrix) -> Lines<'_> {
    Lines { start: a.row_starts(), index: &a.col }
}
