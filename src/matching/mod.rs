//! Matchings in the bipartite graph of a matrix (rows and columns are vertices, entries edges), and what follows from them.
//!
//! - [`maximum_matching`]: as many entries as possible, no two in a line. Their number is the **structural rank** (term rank),
//!   an upper bound of the rank over every field: each non-zero term of a minor's Leibniz expansion is a matching.
//!   Karp–Sipser start (`karp_sipser`), then augmenting paths after Pothen–Fan and Hopcroft–Karp (`augment`).
//! - [`hall_violator`], [`minimum_vertex_cover`]: short proofs that no larger matching exists (theorems of Hall and König).
//! - [`dulmage_mendelsohn`]: the canonical block triangular form. *What it is used for*: the structural rank block by block,
//!   and permanents, which are the product over the fully indecomposable blocks. The rank of A is **not** the sum of the ranks
//!   of the diagonal blocks, since a singular block may be completed by the entries above it.
//! - [`components`], [`components_of`] and [`Split`]: the connected components. The rank of A **is** the sum of the ranks over them.
//!
//! Everything here is linear in rows + cols + nnz but [`maximum_matching`], which is O(nnz · √lines) at worst and close to
//! linear on real matrices. No recursion: paths may have a million entries. One thread, no random choices.

mod augment;
mod components;
mod dulmage_mendelsohn;
mod hall;
mod karp_sipser;
mod strong;
#[cfg(test)]
mod tests;

pub use augment::maximum_matching_from;
pub use components::{Components, Part, Split, components, components_of};
pub use dulmage_mendelsohn::{DulmageMendelsohn, dulmage_mendelsohn};
pub use hall::{VertexCover, hall_violator, minimum_vertex_cover};

use crate::sparse::Pattern;
use crate::{Result, memory};

/// What memory is asked for.
const MATCHING: &str = "a matching";

/// In place of a row, column or label: there is none.
pub const NONE: u32 = u32::MAX;

/// Entries of which no two share a row or a column.
///
/// Invariant: `col_of_row[i] = j` if and only if `row_of_col[j] = i`, for `size` pairs (i, j); all else is [`NONE`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Matching {
    /// Number of pairs.
    pub size: usize,
    /// For each row its column, or [`NONE`].
    pub col_of_row: Vec<u32>,
    /// For each column its row, or [`NONE`].
    pub row_of_col: Vec<u32>,
}

impl Matching {
    /// The matching without pairs.
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
    pub fn transpose(self) -> Self {
        Matching { size: self.size, col_of_row: self.row_of_col, row_of_col: self.col_of_row }
    }

    /// Whether the invariant holds and every pair is an entry of `pattern`. Says nothing on maximality: that is what
    /// [`minimum_vertex_cover`] proves.
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

/// A matching of largest size: the structural rank of the pattern.
///
/// # Errors
/// [`Error::Memory`](crate::Error::Memory).
pub fn maximum_matching(pattern: &Pattern) -> Result<Matching> {
    let transpose = pattern.try_transpose()?;
    augment::augment(pattern, &transpose, karp_sipser::matching(pattern, &transpose)?)
}

/// A maximum matching, if it has `size` pairs: in many cases it is soon seen to have more.
///
/// # Errors
/// As [`maximum_matching`].
pub fn matching_of_size(pattern: &Pattern, size: usize) -> Result<Option<Matching>> {
    let transpose = pattern.try_transpose()?;
    let greedy = karp_sipser::matching(pattern, &transpose)?;
    if greedy.size > size {
        return Ok(None);
    }
    let largest = augment::augment(pattern, &transpose, greedy)?;
    Ok((largest.size == size).then_some(largest))
}
