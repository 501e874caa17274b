//! Oracles shared by the tests of several rooms: too slow for anything else, too simple to be wrong.

use crate::dense::DenseMatrix;
use crate::field::{Field, Modulus, PrimeField, Rng};
use crate::pivots::Pivots;
use crate::sparse::SparseMatrix;
use rand::RngExt;

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

/// det(x - A), constant first, by Berkowitz's products of Toeplitz matrices (Inform. Process. Lett. 18, 1984): without
/// divisions, so that p does not matter.
pub(crate) fn berkowitz(p: Modulus, n: usize, a: &[u64]) -> Vec<u64> {
    let dot = |x: &[u64], y: &[u64]| x.iter().zip(y).fold(0, |sum, (&x, &y)| p.add(sum, p.mul(x, y)));
    // Leading coefficient first, of the minor of the last rows and columns.
    let mut polynomial = vec![1];
    for k in (0..n).rev() {
        let row: Vec<u64> = a[k * n + k + 1..][..n - k - 1].to_vec();
        let mut column: Vec<u64> = (k + 1..n).map(|i| a[i * n + k]).collect();
        let mut toeplitz = vec![1, p.neg(a[k * n + k])];
        for _ in k + 1..n {
            toeplitz.push(p.neg(dot(&row, &column)));
            column = (k + 1..n).map(|i| dot(&a[i * n + k + 1..][..n - k - 1], &column)).collect();
        }
        let entry = |i: usize| {
            let terms = (0..polynomial.len().min(i + 1)).filter(|j| i - j < toeplitz.len());
            terms.fold(0, |sum, j| p.add(sum, p.mul(toeplitz[i - j], polynomial[j])))
        };
        polynomial = (0..=n - k).map(entry).collect();
    }
    polynomial.reverse();
    polynomial
}

/// The minimal polynomial, constant first: the first power of A that depends on those before it.
pub(crate) fn naive_minimal_polynomial(p: Modulus, n: usize, a: &[u64]) -> Vec<u64> {
    let field = PrimeField(p);
    let matrix = DenseMatrix::from_entries(n, n, a.to_vec());
    let mut power = DenseMatrix::identity(&field, n);
    // Rows (power | how it was made of powers) with the place of their first entry.
    let mut basis: Vec<(usize, Vec<u64>)> = vec![];
    for k in 0..=n {
        let mut row = power.data().to_vec();
        row.extend((0..=n).map(|j| u64::from(j == k)));
        for (place, own) in &basis {
            let factor = p.neg(row[*place]);
            field.axpy(&mut row, factor, own);
        }
        match row[..n * n].iter().position(|&x| x != 0) {
            None => return row[n * n..][..=k].to_vec(),
            Some(place) => {
                let inverse = p.inv(row[place]);
                row.iter_mut().for_each(|x| *x = p.mul(*x, inverse));
                basis.push((place, row));
            }
        }
        power = power.mul(&field, &matrix);
    }
    unreachable!("Cayley and Hamilton")
}

/// The product mod 65521 of random sparse factors, of rank `rank` by their triangles: its positions hide pivots that
/// its Schur complements show.
pub(crate) fn planted(rows: usize, cols: usize, rank: usize, rng: &mut Rng) -> SparseMatrix {
    let right: Vec<[usize; 3]> = (0..rank).map(|i| [i, rng.random_range(i..cols), rng.random_range(i..cols)]).collect();
    let mut entries = vec![];
    for i in 0..rows {
        let [k, l] = if i < rank { [i, rng.random_range(0..=i)] } else { [0, 1].map(|_| rng.random_range(0..rank)) };
        let mut add = |k: usize, factor: u64| entries.extend(right[k].map(|j| (i, j, factor)));
        add(k, 1);
        if l != k {
            add(l, 2);
        }
    }
    SparseMatrix::from_triplets(Modulus::new(65521).unwrap(), rows, cols, &entries)
}
