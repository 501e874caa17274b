//! Dense matrices over any [`Field`], with the elimination of the textbook: for small matrices, extension fields, and
//! as the independent twin of the blocked elimination in [`Echelon`].

use super::Echelon;
use crate::field::{Field, Modulus};
use crate::{Observer, Result};

/// A `rows × cols` matrix, row-major.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DenseMatrix<E> {
    rows: usize,
    cols: usize,
    data: Vec<E>,
}

/// Which rows and columns carry the rank, both ascending and lexicographically first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RankProfile {
    /// The rows that do not depend on rows before them.
    pub rows: Vec<usize>,
    /// The columns that do not depend on columns before them.
    pub cols: Vec<usize>,
}

impl<E: Copy + Default + Eq> DenseMatrix<E> {
    /// The zero matrix.
    pub fn zeros(rows: usize, cols: usize) -> Self {
        DenseMatrix { rows, cols, data: vec![E::default(); rows * cols] }
    }
    /// The matrix with the given entries, row by row. Panics if their number is not `rows * cols`.
    pub fn from_entries(rows: usize, cols: usize, data: Vec<E>) -> Self {
        assert_eq!(data.len(), rows * cols, "entries of a {rows} x {cols} matrix");
        DenseMatrix { rows, cols, data }
    }
    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }
    /// Number of columns.
    pub fn cols(&self) -> usize {
        self.cols
    }
    /// All entries, row by row.
    pub fn data(&self) -> &[E] {
        &self.data
    }
    /// Row i.
    pub fn row(&self, i: usize) -> &[E] {
        &self.data[i * self.cols..][..self.cols]
    }
    /// Row i.
    pub fn row_mut(&mut self, i: usize) -> &mut [E] {
        &mut self.data[i * self.cols..][..self.cols]
    }
    /// The entry at (i, j).
    pub fn get(&self, i: usize, j: usize) -> E {
        self.row(i)[j]
    }
    /// Sets the entry at (i, j).
    pub fn set(&mut self, i: usize, j: usize, value: E) {
        self.row_mut(i)[j] = value;
    }
    /// The transpose.
    pub fn transpose(&self) -> Self {
        let mut t = Self::zeros(self.cols, self.rows);
        for i in 0..self.rows {
            for j in 0..self.cols {
                t.data[j * self.rows + i] = self.data[i * self.cols + j];
            }
        }
        t
    }
    /// The identity.
    pub fn identity<F: Field<Elem = E>>(field: &F, n: usize) -> Self {
        let mut a = Self::zeros(n, n);
        (0..n).for_each(|i| a.data[i * n + i] = field.one());
        a
    }
    /// The product `self · other`. Panics if the shapes do not fit.
    pub fn mul<F: Field<Elem = E>>(&self, field: &F, other: &Self) -> Self {
        assert_eq!(self.cols, other.rows, "inner dimensions of a product");
        let mut product = Self::zeros(self.rows, other.cols);
        for i in 0..self.rows {
            for (k, &a) in self.row(i).iter().enumerate() {
                field.axpy(product.row_mut(i), a, other.row(k));
            }
        }
        product
    }

    /// The rank.
    pub fn rank<F: Field<Elem = E>>(&self, field: &F) -> usize {
        self.rank_profile(field).rows.len()
    }
    /// Row and column rank profile, by reducing every row by those before it.
    pub fn rank_profile<F: Field<Elem = E>>(&self, field: &F) -> RankProfile {
        // (pivot column, row with a one there and zeros before it)
        let mut basis: Vec<(usize, Vec<E>)> = vec![];
        let mut rows = vec![];
        for i in 0..self.rows {
            let mut row = self.row(i).to_vec();
            for (j, own) in &basis {
                let a = field.neg(row[*j]);
                field.axpy(&mut row[*j..], a, &own[*j..]);
            }
            if let Some(j) = row.iter().position(|x| *x != field.zero()) {
                let inverse = field.inv(row[j]);
                row.iter_mut().for_each(|x| *x = field.mul(*x, inverse));
                basis.push((j, row));
                rows.push(i);
            }
        }
        let mut cols: Vec<usize> = basis.into_iter().map(|(j, _)| j).collect();
        cols.sort_unstable();
        RankProfile { rows, cols }
    }
    /// The inverse of a square matrix; `None` if it is singular. Panics if it is not square.
    pub fn inverse<F: Field<Elem = E>>(&self, field: &F) -> Option<Self> {
        assert_eq!(self.rows, self.cols, "only square matrices have inverses");
        let n = self.rows;
        // Gauss–Jordan on (A | I).
        let mut rows: Vec<Vec<E>> = (0..n).map(|i| [self.row(i), Self::identity(field, n).row(i)].concat()).collect();
        for k in 0..n {
            let pivot = (k..n).find(|&i| rows[i][k] != field.zero())?;
            rows.swap(k, pivot);
            let inverse = field.inv(rows[k][k]);
            rows[k].iter_mut().for_each(|x| *x = field.mul(*x, inverse));
            let own = std::mem::take(&mut rows[k]);
            for row in rows.iter_mut().filter(|row| !row.is_empty()) {
                let a = field.neg(row[k]);
                field.axpy(&mut row[k..], a, &own[k..]);
            }
            rows[k] = own;
        }
        Some(DenseMatrix { rows: n, cols: n, data: rows.iter().flat_map(|row| row[n..].iter().copied()).collect() })
    }
}

impl DenseMatrix<u64> {
    /// The basis of the row space mod p, by blocked elimination; the entries are residues.
    ///
    /// # Errors
    /// [`crate::Error::Interrupted`], [`crate::Error::Memory`].
    pub fn echelon(&self, modulus: Modulus, observer: &dyn Observer) -> Result<Echelon> {
        let mut echelon = Echelon::new(modulus, self.cols)?;
        echelon.absorb_block(self.rows, &self.data, observer)?;
        Ok(echelon)
    }
}

/// The determinant of the n × n row-major matrix `a`, which is overwritten; 1 for n = 0.
///
/// # Panics
/// If `a` has not n² entries.
pub fn determinant<F: Field>(field: &F, n: usize, a: &mut [F::Elem]) -> F::Elem {
    assert_eq!(a.len(), n * n, "entries of a {n} x {n} matrix");
    let mut det = field.one();
    for k in 0..n {
        let Some(pivot) = (k..n).find(|&i| a[i * n + k] != field.zero()) else { return field.zero() };
        let (done, rest) = a.split_at_mut((k + 1) * n);
        let top = &mut done[k * n..];
        if pivot != k {
            top.swap_with_slice(&mut rest[(pivot - k - 1) * n..][..n]);
            det = field.neg(det);
        }
        det = field.mul(det, top[k]);
        let inverse = field.neg(field.inv(top[k]));
        for row in rest.chunks_mut(n) {
            let a = field.mul(row[k], inverse);
            field.axpy(&mut row[k + 1..], a, &top[k + 1..]);
        }
    }
    det
}
