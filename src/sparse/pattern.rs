//! Where a matrix has entries, and nothing else: the 0–1 structure that matchings, pivots and permanents work on.
//!
//! A [`Pattern`] is also a bipartite graph: rows and columns are its vertices, entries its edges.

use super::transposed::transposed;
use crate::sparse::{SparseMatrix, Triplets};
use crate::{Result, memory};

/// What the memory is for.
const ENTRIES: &str = "the pattern of a matrix";

/// The positions of the non-zero entries of a rows × cols matrix, row by row, columns ascending within a row.
///
/// Invariant: `start` has rows + 1 ascending entries from 0 to nnz, and `col[start[i]..start[i+1]]` ascends strictly
/// below `cols`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    cols: usize,
    start: Vec<usize>,
    col: Vec<u32>,
}

impl Pattern {
    /// The pattern with the given entries (row, column), 0-based, in any order; repeated ones count once.
    ///
    /// # Panics
    /// If an index is out of range, a dimension exceeds 2³² - 1, or memory runs out; [`Pattern::try_from_entries`]
    /// returns an error for the last.
    pub fn from_entries(rows: usize, cols: usize, entries: impl IntoIterator<Item = (usize, usize)>) -> Self {
        memory::or_panic(Pattern::try_from_entries(rows, cols, entries))
    }
    /// [`Pattern::from_entries`], with an error if memory runs out.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    ///
    /// # Panics
    /// If an index is out of range or a dimension exceeds 2³² - 1.
    pub fn try_from_entries(
        rows: usize,
        cols: usize,
        entries: impl IntoIterator<Item = (usize, usize)>,
    ) -> Result<Self> {
        assert!(rows.max(cols) as u64 <= u64::from(u32::MAX), "dimension beyond 32-bit indices");
        let inside =
            |&(i, j): &(usize, usize)| assert!(i < rows && j < cols, "entry ({i}, {j}) outside {rows} x {cols}");
        let positions = entries.into_iter().inspect(inside).map(|(i, j)| (i as u32, j as u32));
        let mut sorted: Vec<(u32, u32)> = memory::collect(positions, ENTRIES)?;
        if !sorted.is_sorted() {
            sorted.sort_unstable();
        }
        sorted.dedup();
        let start = starts(rows, sorted.iter().map(|&(i, _)| i))?;
        Ok(Pattern { cols, start, col: memory::collect(sorted.into_iter().map(|(_, j)| j), ENTRIES)? })
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.start.len() - 1
    }
    /// Number of columns.
    pub fn cols(&self) -> usize {
        self.cols
    }
    /// Number of entries.
    pub fn nnz(&self) -> usize {
        self.col.len()
    }
    /// The columns of the entries of row i, ascending.
    #[inline]
    pub fn row(&self, i: usize) -> &[u32] {
        &self.col[self.start[i]..self.start[i + 1]]
    }
    /// Number of entries of row i.
    #[inline]
    pub fn degree(&self, i: usize) -> usize {
        self.start[i + 1] - self.start[i]
    }
    /// Offsets of the rows: rows + 1 ascending positions in [`Pattern::columns`].
    pub fn row_starts(&self) -> &[usize] {
        &self.start
    }
    /// The columns of all entries, row by row.
    pub fn columns(&self) -> &[u32] {
        &self.col
    }
    /// Whether there is an entry in row i and column j.
    pub fn contains(&self, i: usize, j: u32) -> bool {
        self.row(i).binary_search(&j).is_ok()
    }
    /// All entries (row, column), by rows and by columns within a row.
    pub fn entries(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        (0..self.rows()).flat_map(|i| self.row(i).iter().map(move |&j| (i as u32, j)))
    }

    /// The entries of `a` that are not 0 mod p.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    pub fn of(a: &SparseMatrix) -> Result<Pattern> {
        let mut pattern = Pattern { cols: a.cols, start: vec![], col: vec![] };
        memory::append_parts(&mut pattern.start, &[&a.start], |at| at, ENTRIES)?;
        memory::append_parts(&mut pattern.col, &[&a.col], |j| j, ENTRIES)?;
        Ok(pattern)
    }
    /// The entries of `a` that are not 0 over the integers.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    pub fn of_integers(a: &Triplets) -> Result<Pattern> {
        let start = starts(a.rows, a.row.iter().copied())?;
        Ok(Pattern { cols: a.cols, start, col: memory::copy(&a.col, ENTRIES)? })
    }
    /// The pattern of the transpose, by a counting sort in O(rows + cols + nnz).
    ///
    /// # Panics
    /// If memory runs out; [`Pattern::try_transpose`] returns an error instead.
    #[must_use]
    pub fn transpose(&self) -> Pattern {
        memory::or_panic(self.try_transpose())
    }
    /// Fallible [`Pattern::transpose`].
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    pub fn try_transpose(&self) -> Result<Pattern> {
        transpose(&self.start, &self.col, self.cols)
    }
    /// The pattern of the transpose of `a`, in the same time.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    pub fn of_transpose(a: &SparseMatrix) -> Result<Pattern> {
        transpose(&a.start, &a.col, a.cols)
    }
}

/// The transpose of the rows with columns `col[start[i]..start[i + 1]]` below `cols`.
fn transpose(start: &[usize], col: &[u32], cols: usize) -> Result<Pattern> {
    // Values that take no memory.
    let none = memory::zeros(col.len(), ENTRIES)?;
    let (begin, row, _) = transposed::<()>(start, col, &none, cols)?;
    Ok(Pattern { cols: start.len() - 1, start: begin, col: row })
}

/// Offsets of the lines, where `lines` gives the line of every entry.
fn starts(count: usize, lines: impl Iterator<Item = u32>) -> Result<Vec<usize>> {
    let mut start = memory::zeros::<usize>(count + 1, ENTRIES)?;
    lines.for_each(|i| start[i as usize + 1] += 1);
    for i in 0..count {
        start[i + 1] += start[i];
    }
    Ok(start)
}

/// The entries that are not 0 mod p. Panics if memory runs out; [`Pattern::of`] returns an error.
impl From<&SparseMatrix> for Pattern {
    fn from(a: &SparseMatrix) -> Self {
        memory::or_panic(Pattern::of(a))
    }
}

/// The entries that are not 0 over the integers. Panics if memory runs out; [`Pattern::of_integers`] returns an error.
impl From<&Triplets> for Pattern {
    fn from(a: &Triplets) -> Self {
        memory::or_panic(Pattern::of_integers(a))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::Modulus;
    use num_bigint::BigInt;
    use proptest::prelude::*;

    #[test]
    fn zeros_vanish_and_duplicates_are_summed() {
        let large = BigInt::from(1u128 << 80);
        let entries = [(2, 1, 3.into()), (0, 3, 5.into()), (0, 0, 1.into()), (0, 3, (-5).into()), (1, 2, BigInt::ZERO)];
        let entries = entries.into_iter().chain([(2, 0, large.clone()), (1, 1, large.clone()), (1, 1, -large)]);
        let a = Triplets::from_entries(4, 5, entries);
        let p = Pattern::from(&a);
        assert_eq!(p, Pattern::from_entries(4, 5, [(0, 0), (2, 1), (2, 0), (2, 1)]));
        assert_eq!((p.rows(), p.cols(), p.nnz()), (4, 5, 3));
        assert_eq!(p.row(2), [0, 1]);
        assert_eq!(p.row_starts(), [0, 1, 1, 3, 3]);
        // 3 and 2⁸⁰ - 1 vanish mod 3.
        let a = a.reduce(Modulus::new(3).unwrap());
        let p = Pattern::from(&a);
        assert_eq!(p, Pattern::from_entries(4, 5, [(0, 0), (2, 0)]));
        assert_eq!(Pattern::of_transpose(&a).unwrap(), p.transpose());
    }

    #[test]
    fn empty_shapes() {
        for (rows, cols) in [(0, 0), (0, 7), (7, 0), (3, 2)] {
            let p = Pattern::from_entries(rows, cols, []);
            assert_eq!((p.rows(), p.cols(), p.nnz()), (rows, cols, 0));
            assert_eq!(p.transpose(), Pattern::from_entries(cols, rows, []));
            assert_eq!(Pattern::from(&Triplets::from_entries(rows, cols, std::iter::empty::<(_, _, i64)>())), p);
        }
    }

    #[test]
    #[should_panic(expected = "entry (0, 2) outside 2 x 2")]
    fn entries_outside_are_a_broken_contract() {
        Pattern::from_entries(2, 2, [(0, 2)]);
    }

    proptest! {
        #[test]
        fn transposes_have_the_swapped_entries(
            (rows, cols, entries) in (1usize..9, 1usize..9).prop_flat_map(|(m, n)| {
                (Just(m), Just(n), proptest::collection::vec((0..m, 0..n), 0..30))
            })
        ) {
            let p = Pattern::from_entries(rows, cols, entries.clone());
            let t = Pattern::from_entries(cols, rows, entries.iter().map(|&(i, j)| (j, i)));
            prop_assert_eq!(p.transpose(), t);
            for i in 0..rows {
                prop_assert_eq!(p.degree(i), p.row(i).len());
                for j in 0..cols {
                    prop_assert_eq!(p.contains(i, j as u32), entries.contains(&(i, j)));
                }
            }
            prop_assert_eq!(p.entries().count(), p.nnz());
        }
    }
}
