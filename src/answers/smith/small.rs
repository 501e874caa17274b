//! Small matrices: rank and a minor by elimination without fractions (E. H. Bareiss, *Sylvester's identity and
//! multistep integer-preserving Gaussian elimination*, Math. Comp. 22, 1968), then the form modulo twice that minor.
//!
//! After k steps every entry is a minor of order k + 1 of A, and the last pivot one of order r: a multiple of s_r.

use super::modular::smith_mod;
use crate::sparse::Triplets;
use crate::{Error, Observer, Result};
use num_bigint::{BigInt, BigUint};
use num_traits::{One, Zero};

/// Sides and areas up to these are small.
const SIDE: usize = 12;
const AREA: usize = 1 << 10;

/// Whether the matrix is small.
pub(super) fn is_small(a: &Triplets) -> bool {
    a.rows().min(a.cols()) <= SIDE && a.rows().saturating_mul(a.cols()) <= AREA
}

/// The invariant factors of a small matrix: no random choice matters.
///
/// # Errors
/// [`Error::Check`] if a computation contradicts itself, [`Error::Interrupted`], [`Error::Memory`].
pub(super) fn invariant_factors(a: &Triplets, observer: &dyn Observer) -> Result<Vec<(BigUint, usize)>> {
    let (rank, minor) = minor(a);
    let found = smith_mod(a, &(minor << 1u32), rank, observer)?;
    found.ok_or_else(|| Error::Check(format!("the form of a matrix of rank {rank} has another rank")))
}

/// The rank and the absolute value of a minor of that order which is not 0.
fn minor(a: &Triplets) -> (usize, BigUint) {
    let mut table = vec![vec![BigInt::ZERO; a.cols()]; a.rows()];
    a.entries().for_each(|(i, j, v)| table[i][j] = v.to_bigint());
    let mut last = BigInt::one();
    let mut rank = 0;
    for j in 0..a.cols() {
        let Some(i) = (rank..a.rows()).find(|&i| !table[i][j].is_zero()) else { continue };
        table.swap(rank, i);
        let (above, below) = table.split_at_mut(rank + 1);
        let pivot = &above[rank];
        for row in below {
            let factor = row[j].clone();
            for (x, y) in row.iter_mut().zip(pivot).skip(j) {
                *x = (&*x * &pivot[j] - &factor * y) / &last;
            }
        }
        last = above[rank][j].clone();
        rank += 1;
    }
    (rank, last.magnitude().clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn minors_of_the_order_of_the_rank() {
        let of = |rows: usize, cols: usize, v: &[i64]| {
            minor(&Triplets::from_entries(rows, cols, v.iter().enumerate().map(|(k, &v)| (k / cols, k % cols, v))))
        };
        assert_eq!(of(2, 2, &[1, 2, 3, 4]), (2, 2u32.into()));
        assert_eq!(of(2, 2, &[2, 4, 3, 6]), (1, 2u32.into()));
        // The first column is 0: -4·7 + 5·6 of the others.
        assert_eq!(of(2, 3, &[0, 4, 5, 0, 6, 7]), (2, 2u32.into()));
        assert_eq!(of(3, 3, &[2, 0, 1, 4, 0, 3, 1, 5, 0]), (3, 10u32.into()));
        assert_eq!(of(2, 2, &[0, 0, 0, 0]), (0, 1u32.into()));
    }
}
