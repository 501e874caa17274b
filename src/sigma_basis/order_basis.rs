//! What an order basis is, and the predicates that say whether one is minimal.

use crate::field::Field;
use crate::poly::PolyMatrix;

/// A minimal order basis: the rows of the m×m matrix `basis` generate the K\[x\]-module of all row vectors p with
/// p·F ≡ 0 mod x^`order`, and no basis of it has smaller shifted row degrees.
///
/// The bases made here are in *ordered weak Popov form*: in row i the shifted degree is reached at column i, and right
/// of column i nowhere. So deg P_ii = δ_i - s_i, and deg det P = Σ δ_i - Σ s_i.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OrderBasis<E> {
    /// The m×m matrix P; no trailing zero coefficient.
    pub basis: PolyMatrix<E>,
    /// The shifted row degrees δ_i = max_j (deg P_ij + s_j).
    pub degrees: Vec<i64>,
    /// The order σ.
    pub order: usize,
    /// For each row, how many leading terms of the series it took to know it: the row is a row of the order basis of
    /// every order from `last_change[i]` to σ (0: it is a row of the identity).
    pub last_change: Vec<usize>,
}

impl<E: Copy + Default + Eq> OrderBasis<E> {
    /// deg det P = Σ δ_i - Σ s_i, the codimension of the module in K\[x\]^m: over the steps of the iteration, the
    /// number of pivots.
    pub fn codimension(&self, shift: &[i64]) -> i64 {
        self.degrees.iter().sum::<i64>() - shift.iter().sum::<i64>()
    }
}

/// The shifted row degrees max_j (deg P_ij + s_j); `None` for a zero row.
pub fn row_degrees<E: Copy + Default + Eq>(matrix: &PolyMatrix<E>, shift: &[i64]) -> Vec<Option<i64>> {
    let (rows, cols) = (matrix.rows(), matrix.cols());
    assert_eq!(shift.len(), cols, "one shift for each column");
    let mut degrees = vec![None; rows];
    for k in 0..matrix.len() {
        for (i, row) in matrix.coefficient(k).chunks_exact(cols).enumerate() {
            let nonzero = row.iter().zip(shift).filter(|&(&a, _)| a != E::default());
            degrees[i] = degrees[i].max(nonzero.map(|(_, &s)| k as i64 + s).max());
        }
    }
    degrees
}

/// The leading matrix of a matrix with the given shifted row degrees: entry (i, j) is the coefficient of x^(δ_i - s_j)
/// in P_ij. Row-major.
pub fn leading_matrix<E: Copy + Default + Eq>(matrix: &PolyMatrix<E>, shift: &[i64], degrees: &[i64]) -> Vec<E> {
    let (rows, cols) = (matrix.rows(), matrix.cols());
    assert!(shift.len() == cols && degrees.len() == rows, "one shift for each column, one degree for each row");
    let at = |i: usize, j: usize| match usize::try_from(degrees[i] - shift[j]) {
        Ok(k) if k < matrix.len() => matrix.get(i, j, k),
        _ => E::default(),
    };
    (0..rows * cols).map(|ij| at(ij / cols, ij % cols)).collect()
}

/// Whether the matrix is row-reduced for the shift: no row is zero and its leading matrix has full row rank. Among all
/// bases of its row module it then has minimal row degrees (predictable degree property; Kailath 1980, section 6.3).
pub fn is_reduced<F: Field>(field: &F, matrix: &PolyMatrix<F::Elem>, shift: &[i64]) -> bool {
    let Some(degrees) = row_degrees(matrix, shift).into_iter().collect::<Option<Vec<_>>>() else { return false };
    let leading = leading_matrix(matrix, shift, &degrees);
    rank(field, leading, matrix.cols()) == matrix.rows()
}

/// Whether the square matrix is in ordered weak Popov form: its leading matrix is lower triangular with a non-zero
/// diagonal.
pub fn is_ordered_weak_popov<E: Copy + Default + Eq>(matrix: &PolyMatrix<E>, shift: &[i64]) -> bool {
    let Some(degrees) = row_degrees(matrix, shift).into_iter().collect::<Option<Vec<_>>>() else { return false };
    let m = matrix.cols();
    let leading = leading_matrix(matrix, shift, &degrees);
    matrix.rows() == m
        && leading
            .chunks_exact(m)
            .enumerate()
            .all(|(i, row)| row[i] != E::default() && row[i + 1..].iter().all(|&a| a == E::default()))
}

/// Whether the square matrix is in shifted Popov form with row i's pivot in column i: ordered weak Popov, its leading
/// matrix lower triangular with ones on the diagonal, and every diagonal entry of larger degree than the rest of its
/// column.
pub fn is_popov<F: Field>(field: &F, matrix: &PolyMatrix<F::Elem>, shift: &[i64]) -> bool {
    if !is_ordered_weak_popov(matrix, shift) {
        return false;
    }
    let m = matrix.cols();
    let pivot_degrees: Vec<i64> =
        row_degrees(matrix, shift).into_iter().zip(shift).map(|(d, s)| d.expect("no row is zero") - s).collect();
    (0..m).all(|j| {
        let d = pivot_degrees[j] as usize;
        (0..m).all(|i| {
            let top = matrix.get(i, j, d);
            let above = (d + 1..matrix.len()).any(|k| matrix.get(i, j, k) != field.zero());
            !above && top == if i == j { field.one() } else { field.zero() }
        })
    })
}

/// The rank of a row-major constant matrix.
pub(super) fn rank<F: Field>(field: &F, mut a: Vec<F::Elem>, cols: usize) -> usize {
    let rows = a.len() / cols;
    let mut rank = 0;
    for c in 0..cols {
        let Some(at) = (rank..rows).find(|&i| a[i * cols + c] != field.zero()) else { continue };
        for j in 0..cols {
            a.swap(at * cols + j, rank * cols + j);
        }
        let (above, below) = a.split_at_mut((rank + 1) * cols);
        let pivot = &above[rank * cols..];
        let factor = field.neg(field.inv(pivot[c]));
        for row in below.chunks_exact_mut(cols) {
            field.axpy(row, field.mul(row[c], factor), pivot);
        }
        rank += 1;
    }
    rank
}
