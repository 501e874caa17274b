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
}
