//! A matching in one pass: each row takes the first column that is free.

use crate::sparse::SparseMatrix;
use crate::{Result, memory};

/// What the memory is for.
const GREEDY: &str = "a greedy matching";

/// The size of a greedy matching of the rows and columns of `a` beside these. If those can be matched with each other,
/// the structural rank is at least their number and this.
///
/// # Errors
/// [`Error::Memory`](crate::Error::Memory).
///
/// # Panics
/// If a row or column is out of range.
pub fn greedy_beside(a: &SparseMatrix, rows: &[u32], cols: &[u32]) -> Result<usize> {
    let (mut row_taken, mut col_taken) =
        (memory::filled(false, a.rows(), GREEDY)?, memory::filled(false, a.cols(), GREEDY)?);
    rows.iter().for_each(|&i| row_taken[i as usize] = true);
    cols.iter().for_each(|&j| col_taken[j as usize] = true);
    let mut size = 0;
    for i in (0..a.rows()).filter(|&i| !row_taken[i]) {
        if let Some(&j) = a.row(i).0.iter().find(|&&j| !col_taken[j as usize]) {
            col_taken[j as usize] = true;
            size += 1;
        }
    }
    Ok(size)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::{Modulus, Rng};
    use crate::matching::maximum_matching;
    use crate::oracles::greedy_pivots;
    use crate::sparse::Pattern;
    use rand::{RngExt, SeedableRng};

    /// With the pivots beside it, never more than the structural rank, and never less than half of what is left of it
    /// (a greedy matching is maximal).
    #[test]
    fn what_it_finds_bounds_the_structural_rank_from_below() {
        let mut rng = Rng::seed_from_u64(1);
        for round in 0..300 {
            let (rows, cols) = (rng.random_range(0..20), rng.random_range(0..20));
            let count = if rows * cols == 0 { 0 } else { rng.random_range(0..60) };
            let entries: Vec<_> = (0..count)
                .map(|_| (rng.random_range(0..rows), rng.random_range(0..cols), rng.random_range(1..7)))
                .collect();
            let a = SparseMatrix::from_triplets(Modulus::new(7).unwrap(), rows, cols, &entries);
            let structural = maximum_matching(&Pattern::of(&a).unwrap()).unwrap().size;
            let alone = greedy_beside(&a, &[], &[]).unwrap();
            assert!(alone <= structural && 2 * alone >= structural, "round {round}: {alone} of {structural}");
            let pivots = greedy_pivots(&a);
            let beside = greedy_beside(&a, &pivots.rows, &pivots.cols).unwrap();
            assert!(pivots.len() + beside <= structural, "round {round}: {} + {beside} of {structural}", pivots.len());
        }
    }
}
