//! The Dulmage–Mendelsohn decomposition: A. L. Dulmage, N. S. Mendelsohn, *Coverings of bipartite graphs*, Canad. J.
//! Math. 10 (1958); computed after A. Pothen, C.-J. Fan, *Computing the block triangular form of a sparse matrix*, ACM
//! TOMS 16 (1990).
//!
//! Given a maximum matching, the **coarse** decomposition sorts rows and columns into three parts:
//!
//! ```text
//!                H   S   V
//! horizontal H [ *   *   * ]   columns that alternating paths reach from unmatched columns, and their rows: all matched
//! square     S [ 0   *   * ]   the rest: perfectly matched
//! vertical   V [ 0   0   * ]   rows that alternating paths reach from unmatched rows, and their columns: all matched
//! ```
//!
//! The **fine** decomposition splits S into the strongly connected components of the graph with an arc from one matched
//! pair to another where the row of the former meets the column of the latter, and H and V into connected components.
//! The parts and blocks do not depend on the matching (only the order of independent blocks does). Properties:
//!
//! - all entries lie in or above the diagonal blocks;
//! - an entry lies in some maximum matching if and only if it lies in a diagonal block;
//! - blocks of S are fully indecomposable: without any one row and any one column they still have a perfect matching;
//! - structural rank = rows of H + size of S + columns of V.

use super::components::{Components, grouped};
use super::hall::{Reach, unmatched_rows};
use super::{Matching, NONE, strong};
use crate::sparse::Pattern;
use crate::{Result, memory};
use std::ops::Range;

/// What the memory is for.
const BLOCKS: &str = "a Dulmage-Mendelsohn decomposition";

/// Orderings of the rows and columns that bring a matrix into block upper triangular form, and the blocks.
///
/// Block b has the rows `row_order[row_start[b]..row_start[b + 1]]` and the columns
/// `col_order[col_start[b]..col_start[b + 1]]`. The matching lies on a diagonal of each block: blocks of S have equally
/// many rows and columns; a block of H, with r rows and more columns, begins with the unmatched columns and ends in r
/// matched ones; a block of V, with more rows than its c columns, begins with c matched rows. Empty columns form one
/// block of 0 rows, the first, and empty rows one of 0 columns, the last, where there are any.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DulmageMendelsohn {
    /// The rows in their new order.
    pub row_order: Vec<u32>,
    /// The columns in their new order.
    pub col_order: Vec<u32>,
    /// Where the rows of each block begin, and one more entry at the end.
    pub row_start: Vec<usize>,
    /// Where the columns of each block begin, and one more entry at the end.
    pub col_start: Vec<usize>,
    /// The blocks of the horizontal part.
    pub horizontal: Range<usize>,
    /// The blocks of the square part.
    pub square: Range<usize>,
    /// The blocks of the vertical part.
    pub vertical: Range<usize>,
}

impl DulmageMendelsohn {
    /// Number of diagonal blocks.
    pub fn blocks(&self) -> usize {
        self.row_start.len() - 1
    }

    /// Rows and columns of block b.
    pub fn block(&self, b: usize) -> (&[u32], &[u32]) {
        let rows = self.row_start[b]..self.row_start[b + 1];
        let cols = self.col_start[b]..self.col_start[b + 1];
        (&self.row_order[rows], &self.col_order[cols])
    }

    /// Number of rows and columns of consecutive blocks, such as the part [`DulmageMendelsohn::square`].
    pub fn shape(&self, blocks: &Range<usize>) -> (usize, usize) {
        let size = |start: &[usize]| start[blocks.end] - start[blocks.start];
        (size(&self.row_start), size(&self.col_start))
    }

    /// The size of a maximum matching.
    pub fn structural_rank(&self) -> usize {
        self.row_start[self.square.end] + self.shape(&self.vertical).1
    }

    /// The block of each row.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    pub fn row_blocks(&self) -> Result<Vec<u32>> {
        labels(&self.row_start, &self.row_order)
    }

    /// The block of each column.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    pub fn col_blocks(&self) -> Result<Vec<u32>> {
        labels(&self.col_start, &self.col_order)
    }
}

/// The block of each line.
fn labels(start: &[usize], order: &[u32]) -> Result<Vec<u32>> {
    let mut label = memory::filled(NONE, order.len(), BLOCKS)?;
    for (b, range) in start.windows(2).enumerate() {
        order[range[0]..range[1]].iter().for_each(|&v| label[v as usize] = b as u32);
    }
    Ok(label)
}

/// The decomposition of a pattern, given a maximum matching of it, in O(rows + cols + nnz · α) time.
///
/// # Errors
/// [`Error::Memory`](crate::Error::Memory).
///
/// # Panics
/// If the matching turns out not to be maximum, or not to have the shape of the pattern.
pub fn dulmage_mendelsohn(pattern: &Pattern, matching: &Matching) -> Result<DulmageMendelsohn> {
    let (rows, cols) = (pattern.rows(), pattern.cols());
    let (in_v, in_h) = coarse(pattern, matching)?;

    // Blocks of each part, numbered from 0.
    let in_h_entries = pattern.entries().filter(|&(_, j)| in_h.row[j as usize]);
    let h = Components::of(rows, cols, in_h_entries)?;
    let in_v_entries = pattern.entries().filter(|&(i, _)| in_v.row[i as usize]);
    let v = Components::of(rows, cols, in_v_entries)?;
    let in_s = |&i: &u32| !in_v.row[i as usize] && !in_h.col[i as usize];
    let square_rows = memory::collect((0..rows as u32).filter(in_s), BLOCKS)?;
    let (s_count, s) = strongly_connected(pattern, matching, &square_rows, &in_v.col)?;

    // All together: [empty columns] H S V [empty rows].
    let empty_cols = usize::from((0..cols).any(|j| in_h.row[j] && h.col[j] == NONE));
    let empty_rows = usize::from((0..rows).any(|i| in_v.row[i] && v.row[i] == NONE));
    let s_first = empty_cols + h.count;
    let v_first = s_first + s_count;
    let blocks = v_first + v.count + empty_rows;
    // Empty lines get their own block: the label NONE is shifted to 0 for columns, to the last block for rows.
    let h_block = |label: u32| if label == NONE { 0 } else { empty_cols as u32 + label };
    let v_block = |label: u32| if label == NONE { blocks as u32 - 1 } else { v_first as u32 + label };
    let of_row = |i: usize| if in_v.row[i] { v_block(v.row[i]) } else { h_block(h.row[i]) };
    let mut row_block = memory::collect((0..rows).map(of_row), BLOCKS)?;
    square_rows.iter().zip(&s).for_each(|(&i, &b)| row_block[i as usize] = s_first as u32 + b);
    let of_col = |j: usize| matching.row(j).map_or_else(|| h_block(h.col[j]), |i| row_block[i as usize]);
    let col_block = memory::collect((0..cols).map(of_col), BLOCKS)?;

    // Stable sorts: unmatched rows last in their blocks, unmatched columns first, matched columns like their rows.
    let matched_rows = (0..rows as u32).filter(|&i| matching.col(i as usize).is_some());
    let (row_start, row_order) = grouped(blocks, &row_block, matched_rows.chain(unmatched_rows(matching)))?;
    let unmatched_cols = (0..cols as u32).filter(|&j| matching.row(j as usize).is_none());
    let matched_cols = row_order.iter().filter_map(|&i| matching.col(i as usize));
    let (col_start, col_order) = grouped(blocks, &col_block, unmatched_cols.chain(matched_cols))?;
    Ok(DulmageMendelsohn {
        row_order,
        col_order,
        row_start,
        col_start,
        horizontal: 0..s_first,
        square: s_first..v_first,
        vertical: v_first..blocks,
    })
}

/// The lines reached from unmatched rows (the vertical part) and, in the transpose, from unmatched columns (the
/// horizontal part).
fn coarse(pattern: &Pattern, matching: &Matching) -> Result<(Reach, Reach)> {
    let vertical = Reach::new(pattern, matching, unmatched_rows(matching))?;
    let copy = |lines: &[u32]| memory::copy(lines, BLOCKS);
    let transposed = Matching {
        size: matching.size,
        col_of_row: copy(&matching.row_of_col)?,
        row_of_col: copy(&matching.col_of_row)?,
    };
    let horizontal = Reach::new(&pattern.try_transpose()?, &transposed, unmatched_rows(&transposed))?;
    Ok((vertical, horizontal))
}

/// Strongly connected components of the square part: their number, and the component of each of `rows`.
fn strongly_connected(
    pattern: &Pattern,
    matching: &Matching,
    rows: &[u32],
    vertical_cols: &[bool],
) -> Result<(usize, Vec<u32>)> {
    let mut place = memory::filled(NONE, pattern.rows(), BLOCKS)?;
    rows.iter().enumerate().for_each(|(k, &i)| place[i as usize] = k as u32);
    let cols = |v: u32| pattern.row(rows[v as usize] as usize);
    strong::components(
        rows.len(),
        |v| cols(v).len(),
        // Rows of S have entries in columns of S and V only, all matched.
        |v, k| {
            let j = cols(v)[k] as usize;
            (!vertical_cols[j]).then(|| place[matching.row_of_col[j] as usize])
        },
    )
}
