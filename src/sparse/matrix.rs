//! A sparse matrix mod p in canonical row form: the common input of all formats and methods.

use crate::field::Modulus;

/// A sparse matrix over GF(p), row by row: columns ascending within a row, no position twice, all values in 1 … p-1.
///
/// Invariant: `start` has rows + 1 ascending entries, `col[start[i]..start[i+1]]` and `value[…]` are row i.
#[derive(Clone, Debug, PartialEq, Eq)]
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
    /// If an index is out of range or a dimension exceeds 2³² - 1.
    pub fn from_triplets(modulus: Modulus, rows: usize, cols: usize, entries: &[(usize, usize, u64)]) -> Self {
        assert!(rows.max(cols) < 1 << 32, "dimension beyond 32-bit indices");
        let mut sorted = entries.to_vec();
        sorted.sort_unstable_by_key(|&(i, j, _)| (i, j));
        let mut a = SparseMatrix { modulus, cols, start: vec![0; rows + 1], col: vec![], value: vec![] };
        let mut it = sorted.into_iter().peekable();
        while let Some((i, j, v)) = it.next() {
            assert!(i < rows && j < cols, "entry ({i}, {j}) outside {rows} x {cols}");
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
        a
    }

    /// The matrix without rows, with room for `rows` of them with `nnz` entries, to be filled row by row.
    pub(crate) fn empty(modulus: Modulus, cols: usize, rows: usize, nnz: usize) -> Self {
        let mut start = Vec::with_capacity(rows + 1);
        start.push(0);
        SparseMatrix { modulus, cols, start, col: Vec::with_capacity(nnz), value: Vec::with_capacity(nnz) }
    }
    /// Appends a row of (column, residue) pairs, in any order, no column twice, no zeros; empties `entries`.
    pub(crate) fn push_row(&mut self, entries: &mut Vec<(u32, u64)>) {
        entries.sort_unstable_by_key(|&(j, _)| j);
        debug_assert!(entries.is_sorted_by(|a, b| a.0 < b.0) && entries.iter().all(|&(_, v)| v != 0));
        debug_assert!(entries.last().is_none_or(|&(j, _)| (j as usize) < self.cols));
        self.col.extend(entries.iter().map(|&(j, _)| j));
        self.value.extend(entries.drain(..).map(|(_, v)| v));
        self.start.push(self.col.len());
    }
    /// Renumbers the columns so that none is empty; returns the old number of each, ascending.
    pub(crate) fn drop_empty_columns(&mut self) -> Vec<u32> {
        let used = self.non_empty_cols();
        let mut number = vec![0; self.cols];
        used.iter().zip(0..).for_each(|(&j, new)| number[j as usize] = new);
        self.col.iter_mut().for_each(|j| *j = number[*j as usize]);
        self.cols = used.len();
        used
    }

    /// The modulus p.
    pub fn modulus(&self) -> Modulus {
        self.modulus
    }
    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.start.len() - 1
    }
    /// Number of columns.
    pub fn cols(&self) -> usize {
        self.cols
    }
    /// Number of non-zero entries.
    pub fn nnz(&self) -> usize {
        self.col.len()
    }
    /// Columns and residues of row i.
    pub fn row(&self, i: usize) -> (&[u32], &[u64]) {
        let range = self.start[i]..self.start[i + 1];
        (&self.col[range.clone()], &self.value[range])
    }
    /// The residues of all entries, row by row.
    pub fn values(&self) -> &[u64] {
        &self.value
    }
    /// Offsets of the rows: rows + 1 ascending positions in the entries.
    pub fn row_starts(&self) -> &[usize] {
        &self.start
    }

    /// The transpose, by a counting sort in O(rows + cols + nnz).
    pub fn transpose(&self) -> SparseMatrix {
        let mut start = vec![0usize; self.cols + 1];
        for &j in &self.col {
            start[j as usize + 1] += 1;
        }
        for j in 0..self.cols {
            start[j + 1] += start[j];
        }
        let mut next = start.clone();
        let (mut col, mut value) = (vec![0u32; self.nnz()], vec![0u64; self.nnz()]);
        for i in 0..self.rows() {
            let (cols, values) = self.row(i);
            for (&j, &v) in cols.iter().zip(values) {
                let k = &mut next[j as usize];
                col[*k] = i as u32;
                value[*k] = v;
                *k += 1;
            }
        }
        SparseMatrix { modulus: self.modulus, cols: self.rows(), start, col, value }
    }

    /// Whether some row or column is empty.
    pub fn has_empty_lines(&self) -> bool {
        let mut used = vec![false; self.cols];
        self.col.iter().for_each(|&j| used[j as usize] = true);
        self.start.windows(2).any(|bounds| bounds[0] == bounds[1]) || used.contains(&false)
    }
    /// The numbers of the rows that have an entry, ascending.
    pub fn non_empty_rows(&self) -> Vec<u32> {
        (0..self.rows() as u32).filter(|&i| self.start[i as usize] < self.start[i as usize + 1]).collect()
    }
    /// The numbers of the columns that have an entry, ascending.
    pub fn non_empty_cols(&self) -> Vec<u32> {
        let mut used = vec![false; self.cols];
        self.col.iter().for_each(|&j| used[j as usize] = true);
        (0..self.cols as u32).filter(|&j| used[j as usize]).collect()
    }
    /// The matrix without its empty rows and columns, the others in their order: same rank. A symmetric matrix stays so.
    pub fn without_empty_lines(&self) -> SparseMatrix {
        let mut a = self.clone();
        a.start.dedup();
        a.drop_empty_columns();
        a
    }

    /// Whether A = Aᵀ.
    pub fn is_symmetric(&self) -> bool {
        self.rows() == self.cols && *self == self.transpose()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty_lines_go_and_symmetry_stays() {
        let p = Modulus::new(7).unwrap();
        let a = SparseMatrix::from_triplets(p, 5, 5, &[(1, 3, 2), (3, 1, 2), (3, 3, 1), (4, 4, 7)]);
        assert!(a.is_symmetric());
        let b = a.without_empty_lines();
        assert_eq!(b, SparseMatrix::from_triplets(p, 2, 2, &[(0, 1, 2), (1, 0, 2), (1, 1, 1)]));
        assert!(b.is_symmetric() && a.has_empty_lines() && !b.has_empty_lines());
        let c = SparseMatrix::from_triplets(p, 3, 4, &[(0, 1, 1), (0, 2, 1), (2, 1, 7), (1, 3, 2)]);
        assert_eq!((c.non_empty_rows(), c.non_empty_cols()), (vec![0, 1], vec![1, 2, 3]));
        let none = SparseMatrix::from_triplets(p, 3, 0, &[]).without_empty_lines();
        assert_eq!((none.rows(), none.cols(), none.nnz()), (0, 0, 0));
        assert!(!SparseMatrix::from_triplets(p, 2, 2, &[(0, 1, 1), (1, 0, 6)]).is_symmetric());
        assert!(!SparseMatrix::from_triplets(p, 1, 2, &[(0, 1, 1)]).is_symmetric());
    }

    #[test]
    fn transposing_twice_is_the_identity() {
        let p = Modulus::new(3).unwrap();
        let a = SparseMatrix::from_triplets(p, 3, 4, &[(0, 3, 1), (2, 0, 2), (2, 3, 1), (0, 3, 1)]);
        assert_eq!(a.transpose().transpose(), a);
        assert_eq!(a.transpose().row(3), (&[0u32, 2][..], &[2u64, 1][..]));
    }
}
