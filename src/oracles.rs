//! Oracles shared by the tests of several rooms: too slow for anything else, too simple to be wrong.

use crate::dense::DenseMatrix;
use crate::field::PrimeField;
use crate::pivots::Pivots;
use crate::sparse::SparseMatrix;

/// The rank by dense elimination, one row after the other.
pub(crate) fn dense_rank(a: &SparseMatrix) -> usize {
    let mut dense = DenseMatrix::zeros(a.rows(), a.cols());
    for i in 0..a.rows() {
        let (cols, values) = a.row(i);
        cols.iter().zip(values).for_each(|(&j, &v)| dense.set(i, j as usize, v));
    }
    dense.rank(&PrimeField(a.modulus()))
}

/// Structural pivots by their definition: a row is placed in front of the earlier ones if it has a column that none of
/// them has.
pub(crate) fn greedy_pivots(a: &SparseMatrix) -> Pivots {
    let mut free = vec![true; a.cols()];
    let mut found = vec![];
    for i in 0..a.rows() {
        let row = a.row(i).0;
        if let Some(&j) = row.iter().find(|&&j| free[j as usize]) {
            found.push((i as u32, j));
            row.iter().for_each(|&j| free[j as usize] = false);
        }
    }
    let (rows, cols) = found.into_iter().rev().unzip();
    Pivots { rows, cols }
}
