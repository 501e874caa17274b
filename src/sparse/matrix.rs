//! A sparse matrix mod p in canonical row form: the common input of all formats and methods.

use super::transposed::transposed;
use crate::field::Modulus;
use crate::parallel::Each;
use crate::{Error, Result, memory};
use rayon::prelude::*;
use std::ops::Range;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;

/// What the memory is for.
const OFFSETS: &str = "the offsets of the rows";
const COLUMNS: &str = "the columns of the entries";
const RESIDUES: &str = "the residues of the entries";
const LINES: &str = "the lines of a matrix";
/// Entries, or rows that are copied, that one task looks at.
const PIECE: usize = 1 << 14;

/// A sparse matrix over GF(p), row by row: columns ascending within a row, no position twice, all values in 1 … p-1.
///
/// Invariant: `start` has rows + 1 ascending entries, `col[start[i]..start[i+1]]` and `value[…]` are row i.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub struct SparseMatrix {
    pub(crate) modulus: Modulus,
    pub(crate) cols: usize,
    pub(crate) start: Vec<usize>,
    pub(crate) col: Vec<u32>,
    pub(crate) value: Vec<u64>,
}

impl SparseMatrix {
    /// The matrix of the given triplets (row, column, residue); positions that occur twice are summed, zeros dropped.
    ///
    /// # Panics
    /// If an index is out of range, a dimension exceeds 2³² - 1, or memory runs out: see
    /// [`SparseMatrix::try_from_triplets`].
    pub fn from_triplets(modulus: Modulus, rows: usize, cols: usize, entries: &[(usize, usize, u64)]) -> Self {
        memory::or_panic(Self::try_from_triplets(modulus, rows, cols, entries))
    }
    /// Fallible [`SparseMatrix::from_triplets`].
    ///
    /// # Errors
    /// [`Error::Matrix`] if an index is out of range or a dimension exceeds 2³² - 1, [`Error::Memory`].
    pub fn try_from_triplets(
        modulus: Modulus,
        rows: usize,
        cols: usize,
        entries: &[(usize, usize, u64)],
    ) -> Result<Self> {
        if rows.max(cols) > u32::MAX as usize {
            return Err(Error::Matrix(format!("{rows} x {cols}: a dimension beyond 32-bit indices")));
        }
        let mut sorted = memory::copy(entries, "the entries to be sorted")?;
        sorted.sort_unstable_by_key(|&(i, j, _)| (i, j));
        let start = memory::zeros(rows + 1, OFFSETS)?;
        let col = memory::with_capacity(entries.len(), COLUMNS)?;
        let mut a = SparseMatrix { modulus, cols, start, col, value: memory::with_capacity(entries.len(), RESIDUES)? };
        let mut it = sorted.into_iter().peekable();
        while let Some((i, j, v)) = it.next() {
            if i >= rows || j >= cols {
                return Err(Error::Matrix(format!("entry ({i}, {j}) outside {rows} x {cols}, counted from 0")));
            }
            let mut v = modulus.reduce(v);
            while let Some((_, _, w)) = it.next_if(|&(i2, j2, _)| (i2, j2) == (i, j)) {
                v = modulus.add(v, modulus.reduce(w));
            }
            if v != 0 {
                a.col.push(j as u32);
                a.value.push(v);
                a.start[i + 1] += 1;
            }
        }
        for i in 0..rows {
            a.start[i + 1] += a.start[i];
        }
        Ok(a)
    }

    /// A matrix without rows, with room for `rows` rows and `nnz` entries, to be filled row by row.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    pub(crate) fn empty(modulus: Modulus, cols: usize, rows: usize, nnz: usize) -> Result<Self> {
        let mut start = memory::with_capacity(rows + 1, OFFSETS)?;
        start.push(0);
        let (col, value) = (memory::with_capacity(nnz, COLUMNS)?, memory::with_capacity(nnz, RESIDUES)?);
        Ok(SparseMatrix { modulus, cols, start, col, value })
    }
    /// Makes room for one more row of `nnz` entries.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    pub(crate) fn reserve_row(&mut self, nnz: usize) -> Result<()> {
        memory::reserve(&mut self.start, 1, OFFSETS)?;
        memory::reserve(&mut self.col, nnz, COLUMNS)?;
        memory::reserve(&mut self.value, nnz, RESIDUES)
    }
    /// Appends a row of (column, residue) pairs, in any order, no column twice, no zeros; empties `entries`. There must
    /// be room.
    pub(crate) fn push_row(&mut self, entries: &mut Vec<(u32, u64)>) {
        entries.sort_unstable_by_key(|&(j, _)| j);
        debug_assert!(entries.is_sorted_by(|a, b| a.0 < b.0) && entries.iter().all(|&(_, v)| v != 0));
        debug_assert!(entries.last().is_none_or(|&(j, _)| (j as usize) < self.cols));
        self.col.extend(entries.iter().map(|&(j, _)| j));
        self.value.extend(entries.drain(..).map(|(_, v)| v));
        self.start.push(self.col.len());
    }
    /// Renumbers the columns so that none is empty; returns their old numbers, ascending.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    pub(crate) fn drop_empty_columns(&mut self) -> Result<Vec<u32>> {
        let used = self.non_empty_cols()?;
        if used.len() == self.cols {
            return Ok(used);
        }
        let mut number = memory::zeros::<u32>(self.cols, LINES)?;
        used.iter().zip(0..).for_each(|(&j, new)| number[j as usize] = new);
        self.col.par_iter_mut().with_min_len(PIECE).each(|j| *j = number[*j as usize]);
        self.cols = used.len();
        Ok(used)
    }

    /// The first `count` columns.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    ///
    /// # Panics
    /// If there are fewer.
    pub(crate) fn first_columns(&self, count: usize) -> Result<SparseMatrix> {
        assert!(count <= self.cols, "{count} columns of {}", self.cols);
        let mut first = Self::empty(self.modulus, count, self.rows(), self.nnz())?;
        for i in 0..self.rows() {
            let (cols, values) = self.row(i);
            let end = cols.partition_point(|&j| (j as usize) < count);
            first.col.extend_from_slice(&cols[..end]);
            first.value.extend_from_slice(&values[..end]);
            first.start.push(first.col.len());
        }
        Ok(first)
    }
    /// The submatrix of some rows and columns, both ascending and no line twice.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    ///
    /// # Panics
    /// If there are no such lines.
    pub(crate) fn submatrix(&self, rows: &[u32], cols: &[u32]) -> Result<SparseMatrix> {
        debug_assert!([rows, cols].iter().all(|lines| lines.is_sorted_by(|a, b| a < b)));
        let mut number = memory::filled(u32::MAX, self.cols, LINES)?;
        cols.iter().zip(0..).for_each(|(&j, new)| number[j as usize] = new);
        let entries = |i: u32| {
            let (cols, values) = self.row(i as usize);
            let numbers = cols.iter().map(|&j| number[j as usize]);
            numbers.zip(values).filter(|&(j, _)| j != u32::MAX)
        };
        let mut start = memory::zeros(rows.len() + 1, OFFSETS)?;
        start[1..].par_iter_mut().zip(rows).with_min_len(PIECE).each(|(end, &i)| *end = entries(i).count());
        (0..rows.len()).for_each(|k| start[k + 1] += start[k]);
        let nnz = start[rows.len()];
        let (mut col, mut value) = (memory::zeros(nnz, COLUMNS)?, memory::zeros(nnz, RESIDUES)?);
        let (mut free_cols, mut free_values) = (&mut col[..], &mut value[..]);
        let pieces = rows.chunks(PIECE).enumerate().map(|(piece, rows)| {
            let first = piece * PIECE;
            let count = start[first + rows.len()] - start[first];
            let own_cols = free_cols.split_off_mut(..count).expect("room for all entries");
            (rows, own_cols, free_values.split_off_mut(..count).expect("room for all entries"))
        });
        memory::collect(pieces, LINES)?.into_par_iter().each(|(rows, cols, values)| {
            let places = cols.iter_mut().zip(values);
            places
                .zip(rows.iter().flat_map(|&i| entries(i)))
                .for_each(|((j, v), entry)| (*j, *v) = (entry.0, *entry.1));
        });
        Ok(SparseMatrix { modulus: self.modulus, cols: cols.len(), start, col, value })
    }
    /// Some rows that follow each other.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    ///
    /// # Panics
    /// If there are not so many.
    pub(crate) fn row_range(&self, rows: Range<usize>) -> Result<SparseMatrix> {
        let (first, end) = (self.start[rows.start], self.start[rows.end]);
        let start = memory::collect(self.start[rows.start..=rows.end].iter().map(|&at| at - first), OFFSETS)?;
        let (col, value) =
            (memory::copy(&self.col[first..end], COLUMNS)?, memory::copy(&self.value[first..end], RESIDUES)?);
        Ok(SparseMatrix { modulus: self.modulus, cols: self.cols, start, col, value })
    }
    /// The modulus p.
    #[must_use]
    pub fn modulus(&self) -> Modulus {
        self.modulus
    }
    /// Number of rows.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.start.len() - 1
    }
    /// Number of columns.
    #[must_use]
    pub fn cols(&self) -> usize {
        self.cols
    }
    /// Number of non-zero entries.
    #[must_use]
    pub fn nnz(&self) -> usize {
        self.col.len()
    }
    /// Columns and residues of row i.
    #[must_use]
    pub fn row(&self, i: usize) -> (&[u32], &[u64]) {
        let range = self.start[i]..self.start[i + 1];
        (&self.col[range.clone()], &self.value[range])
    }
    /// The columns of all entries, row by row.
    #[must_use]
    pub fn columns(&self) -> &[u32] {
        &self.col
    }
    /// The residues of all entries, row by row.
    #[must_use]
    pub fn values(&self) -> &[u64] {
        &self.value
    }
    /// Number of entries other than 1 and -1, which cost multiplications in products.
    #[must_use]
    pub fn valued(&self) -> usize {
        let minus_one = self.modulus.get() - 1;
        let valued = |values: &[u64]| values.iter().filter(|&&v| v != 1 && v != minus_one).count();
        self.value.par_chunks(PIECE).map(valued).sum()
    }
    /// Offsets of the rows: rows + 1 ascending positions in the entries.
    #[must_use]
    pub fn row_starts(&self) -> &[usize] {
        &self.start
    }

    /// The transpose, by a counting sort in O(rows + cols + nnz).
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    pub fn transpose(&self) -> Result<SparseMatrix> {
        let (start, col, value) = transposed(&self.start, &self.col, &self.value, self.cols)?;
        Ok(SparseMatrix { modulus: self.modulus, cols: self.rows(), start, col, value })
    }

    /// Whether some row or column is empty.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    pub fn has_empty_lines(&self) -> Result<bool> {
        let used = self.used_cols()?;
        Ok(self.start.windows(2).any(|bounds| bounds[0] == bounds[1]) || used.contains(&false))
    }
    /// The numbers of the rows that have an entry, ascending.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    pub fn non_empty_rows(&self) -> Result<Vec<u32>> {
        let entries = |&i: &u32| self.start[i as usize] < self.start[i as usize + 1];
        memory::collect((0..self.rows() as u32).filter(entries), LINES)
    }
    /// The numbers of the columns that have an entry, ascending.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    pub fn non_empty_cols(&self) -> Result<Vec<u32>> {
        let used = self.used_cols()?;
        memory::collect((0..self.cols as u32).filter(|&j| used[j as usize]), LINES)
    }
    /// Whether each column has an entry.
    fn used_cols(&self) -> Result<Vec<bool>> {
        let used = memory::collect((0..self.cols).map(|_| AtomicBool::new(false)), LINES)?;
        self.col.par_iter().with_min_len(PIECE).each(|&j| {
            // Written once, so that threads that share it do not wait for each other.
            if !used[j as usize].load(Relaxed) {
                used[j as usize].store(true, Relaxed);
            }
        });
        memory::collect(used.into_iter().map(AtomicBool::into_inner), LINES)
    }
    /// The matrix without its empty rows and columns, the others in order: the rank is the same. A symmetric matrix
    /// stays symmetric.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    pub fn without_empty_lines(&self) -> Result<SparseMatrix> {
        let mut a = self.try_clone()?;
        a.drop_empty_lines()?;
        Ok(a)
    }
    /// Drops stored zeros, which a matrix must not have. Allocates nothing.
    pub(crate) fn drop_zeros(&mut self) {
        let Some(piece) = self.value.par_chunks(PIECE).position_first(|piece| piece.contains(&0)) else { return };
        let first = self.value.iter().skip(piece * PIECE).position(|&v| v == 0).expect("one in the piece");
        let first = piece * PIECE + first;
        let (mut from, mut to) = (first, first);
        // Rows that end before the first zero stay as they are.
        let changed = self.start.partition_point(|&at| at <= first);
        for end in &mut self.start[changed..] {
            while from < *end {
                // Always moved, but only counted if it stays: mod a small prime a branch would be unpredictable.
                let v = self.value[from];
                (self.col[to], self.value[to]) = (self.col[from], v);
                to += usize::from(v != 0);
                from += 1;
            }
            *end = to;
        }
        self.col.truncate(to);
        self.value.truncate(to);
    }
    /// Drops the empty rows and columns.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    pub(crate) fn drop_empty_lines(&mut self) -> Result<()> {
        self.start.dedup();
        self.drop_empty_columns().map(drop)
    }
    /// A fallible copy.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    pub fn try_clone(&self) -> Result<SparseMatrix> {
        Ok(SparseMatrix {
            modulus: self.modulus,
            cols: self.cols,
            start: memory::copy(&self.start, OFFSETS)?,
            col: memory::copy(&self.col, COLUMNS)?,
            value: memory::copy(&self.value, RESIDUES)?,
        })
    }

    /// Whether A = Aᵀ.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory): the transpose is built.
    pub fn is_symmetric(&self) -> Result<bool> {
        Ok(self.rows() == self.cols && *self == self.transpose()?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty_lines_go_and_symmetry_stays() {
        let p = Modulus::new(7).unwrap();
        let a = SparseMatrix::from_triplets(p, 5, 5, &[(1, 3, 2), (3, 1, 2), (3, 3, 1), (4, 4, 7)]);
        assert!(a.is_symmetric().unwrap());
        let b = a.without_empty_lines().unwrap();
        assert_eq!(b, SparseMatrix::from_triplets(p, 2, 2, &[(0, 1, 2), (1, 0, 2), (1, 1, 1)]));
        assert!(b.is_symmetric().unwrap() && a.has_empty_lines().unwrap() && !b.has_empty_lines().unwrap());
        let c = SparseMatrix::from_triplets(p, 3, 4, &[(0, 1, 1), (0, 2, 1), (2, 1, 7), (1, 3, 2)]);
        assert_eq!((c.non_empty_rows().unwrap(), c.non_empty_cols().unwrap()), (vec![0, 1], vec![1, 2, 3]));
        let none = SparseMatrix::from_triplets(p, 3, 0, &[]).without_empty_lines().unwrap();
        assert_eq!((none.rows(), none.cols(), none.nnz()), (0, 0, 0));
        assert!(!SparseMatrix::from_triplets(p, 2, 2, &[(0, 1, 1), (1, 0, 6)]).is_symmetric().unwrap());
        assert!(!SparseMatrix::from_triplets(p, 1, 2, &[(0, 1, 1)]).is_symmetric().unwrap());
    }

    #[test]
    fn a_minor_has_the_entries_of_its_lines() {
        let p = Modulus::new(7).unwrap();
        let a =
            SparseMatrix::from_triplets(p, 3, 4, &[(0, 0, 1), (0, 3, 2), (1, 1, 3), (2, 0, 4), (2, 1, 5), (2, 3, 6)]);
        let expected = SparseMatrix::from_triplets(p, 2, 3, &[(0, 1, 3), (1, 0, 4), (1, 1, 5), (1, 2, 6)]);
        assert_eq!(a.submatrix(&[1, 2], &[0, 1, 3]).unwrap(), expected);
        assert_eq!(a.submatrix(&[0, 1, 2], &[0, 1, 2, 3]).unwrap(), a);
        assert_eq!(a.submatrix(&[0], &[1, 2]).unwrap(), SparseMatrix::from_triplets(p, 1, 2, &[]));
        assert_eq!(a.submatrix(&[], &[2]).unwrap(), SparseMatrix::from_triplets(p, 0, 1, &[]));
    }

    #[test]
    fn transposing_twice_is_the_identity() {
        let p = Modulus::new(3).unwrap();
        let a = SparseMatrix::from_triplets(p, 3, 4, &[(0, 3, 1), (2, 0, 2), (2, 3, 1), (0, 3, 1)]);
        assert_eq!(a.transpose().unwrap().transpose().unwrap(), a);
        assert_eq!(a.transpose().unwrap().row(3), (&[0u32, 2][..], &[2u64, 1][..]));
    }
}
