//! Vectors on the columns of S as vectors on those of A that the pivot rows map to 0: given w in the columns without a
//! pivot, wⱼₖ = -Σ a(iₖ, j)·wⱼ / a(iₖ, jₖ) for k = t-1, …, 0 (see [`Split`]). The other rows of A·w are then S times
//! what was given, so that null vectors of S become null vectors of A, which is checked row by row.
//!
//! Vectors are pushed, [`LANES`] at a time, through the entries that they meet: what they do not reach costs nothing.

use super::Split;
use super::substitution::substitution;
use crate::field::Modulus;
use crate::spmv::{LANES, PushSolve, PushSpace, Remainder};
use crate::{Result, memory};

/// What the memory is for.
const LINES: &str = "the lines of a lift";
/// The place of a column with a pivot among those without.
const NO_PLACE: u32 = u32::MAX;

/// The pivots of a matrix, ready to complete vectors.
#[derive(Debug)]
pub struct Lift {
    modulus: Modulus,
    solve: PushSolve,
    /// The rows that are checked come first among the slots.
    checked: usize,
    /// By column of the matrix: the place among those without a pivot.
    place: Vec<u32>,
    /// By pivot: its column, and what the sum of the other entries of its row is multiplied by.
    pivots: Vec<(u32, u64)>,
}

impl Lift {
    /// The pivots of `split`; whether products with the rows that have none are to be `checked`. Cost: some reads of A.
    ///
    /// # Errors
    /// [`crate::Error::Memory`].
    pub fn new(split: &Split<'_>, checked: bool) -> Result<Self> {
        let (a, p) = (split.a, split.modulus());
        let pairs = split.pivots.cols.iter().copied().zip(split.pivots.rows.iter().copied());
        let outputs: &[u32] = if checked { &split.rows } else { &[] };
        let solve = substitution(&a.transpose()?, pairs, outputs, &split.cols)?;
        let mut place = memory::filled(NO_PLACE, a.cols(), LINES)?;
        split.cols.iter().zip(0..).for_each(|(&j, k)| place[j as usize] = k);
        let value = |(&i, &j): (&u32, &u32)| {
            let (cols, values) = a.row(i as usize);
            values[cols.binary_search(&j).expect("a pivot is an entry")]
        };
        let mut factors = memory::collect(split.pivots.rows.iter().zip(&split.pivots.cols).map(value), LINES)?;
        p.invert_all(&mut factors);
        let pivots = split.pivots.cols.iter().zip(factors).map(|(&j, factor)| (j, p.neg(factor)));
        let pivots = memory::collect(pivots, LINES)?;
        Ok(Lift { modulus: p, solve, checked: outputs.len(), place, pivots })
    }
    /// Working space for one block of vectors after the other.
    ///
    /// # Errors
    /// [`crate::Error::Memory`].
    pub fn space(&self) -> Result<PushSpace> {
        self.solve.space()
    }
    /// Gives w in a column without a pivot, one residue for each lane.
    ///
    /// # Panics
    /// If the column has a pivot, or `space` belongs to another lift.
    pub fn give(&self, space: &mut PushSpace, col: u32, w: &[u64; LANES]) {
        let place = self.place[col as usize];
        assert!(place != NO_PLACE, "column {col} has a pivot");
        self.solve.add(space, place as usize, w);
    }
    /// Completes w: the columns of pivots in which it is not zero, and what it is there. Returns the rows without a
    /// pivot, numbered as in [`Split::rows`], that do not map it to zero, if they are checked; none for null vectors.
    ///
    /// # Errors
    /// [`crate::Error::Memory`].
    ///
    /// # Panics
    /// If `space` belongs to another lift.
    pub fn complete(
        &self,
        space: &mut PushSpace,
        slots: &mut Vec<u32>,
        mut found: impl FnMut(u32, &[u64; LANES]) -> Result<()>,
    ) -> Result<Vec<Remainder>> {
        let p = self.modulus;
        let left = self.solve.solve_keeping(space, slots)?;
        for &slot in &*slots {
            let mut w = space.take(slot);
            match self.pivots[slot as usize - self.checked] {
                (col, 1) => found(col, &w)?,
                (col, factor) => {
                    let factor = p.multiplier(factor);
                    w.iter_mut().filter(|x| **x != 0).for_each(|x| *x = p.mul_by(*x, factor));
                    found(col, &w)?;
                }
            }
        }
        Ok(left)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::Rng;
    use crate::oracles::greedy_pivots;
    use crate::sparse::SparseMatrix;
    use rand::{RngExt, SeedableRng};

    /// Whatever is given: the rows of pivots vanish, and the rows that are named are those that do not.
    #[test]
    fn pivot_rows_vanish_and_the_others_are_multiplied_out() {
        let mut rng = Rng::seed_from_u64(61);
        for p in [2, 3, 251, 65521, (1 << 31) - 1, (1 << 63) - 25].map(|p| Modulus::new(p).unwrap()) {
            for (rows, cols, nnz) in [(0, 3, 0), (3, 0, 0), (4, 4, 0), (1, 1, 1), (30, 50, 90), (70, 40, 150)] {
                let entry = |_| (rng.random_range(0..rows), rng.random_range(0..cols), rng.random_range(0..p.get()));
                let entries: Vec<_> = (0..nnz).map(entry).collect();
                let a = SparseMatrix::from_triplets(p, rows, cols, &entries);
                let pivots = greedy_pivots(&a);
                let split = Split::new(&a, &pivots).unwrap();
                for checked in [true, false] {
                    let lift = Lift::new(&split, checked).unwrap();
                    let (mut space, mut slots) = (lift.space().unwrap(), vec![]);
                    for _ in 0..2 {
                        let mut w = vec![[0; LANES]; cols];
                        for &j in split.cols.iter().filter(|&j| j % 3 != 1) {
                            w[j as usize] = [(); LANES].map(|()| rng.random_range(0..p.get()));
                            lift.give(&mut space, j, &w[j as usize]);
                        }
                        let found = |col: u32, x: &[u64; LANES]| {
                            assert!(pivots.cols.contains(&col) && *x != [0; LANES]);
                            w[col as usize] = *x;
                            Ok(())
                        };
                        let left = lift.complete(&mut space, &mut slots, found).unwrap();
                        let mut expected = vec![];
                        for i in 0..rows {
                            let (cols, values) = a.row(i);
                            let sum = |l: usize| {
                                let terms = cols.iter().zip(values).map(|(&j, &v)| p.mul(v, w[j as usize][l]));
                                terms.fold(0, |sum, term| p.add(sum, term))
                            };
                            let lanes = (0..LANES).fold(0, |lanes, l| lanes | ((sum(l) != 0) as u32) << l);
                            if lanes != 0 {
                                let output = split.rows.binary_search(&(i as u32)).expect("no row of a pivot") as u32;
                                expected.push(Remainder { output, lanes });
                            }
                        }
                        expected.reverse();
                        assert_eq!(left, if checked { expected } else { vec![] }, "{rows} x {cols} mod {p}");
                    }
                }
            }
        }
    }
}
