//! What [`Lift`](super::Lift) does, over GF(2), for as many vectors at a time as a few words have bits.

use super::Split;
use super::substitution::substitution_lines;
use crate::spmv::{BitSolve, BitSpace, Bits};
use crate::{Result, memory};

/// What the memory is for.
const LINES: &str = "the lines of a lift";
/// The place of a column with a pivot among those without.
const NO_PLACE: u32 = u32::MAX;

/// The pivots of a matrix over GF(2), ready to complete vectors.
#[derive(Debug)]
pub struct BitLift {
    solve: BitSolve,
    /// The rows that are checked come first among the slots.
    checked: usize,
    /// By column of the matrix: the place among those without a pivot.
    place: Vec<u32>,
    /// The columns of the pivots.
    pivots: Vec<u32>,
}

impl BitLift {
    /// The pivots of `split`; whether products with the rows that have none are to be `checked`. Cost: some reads of A.
    ///
    /// # Errors
    /// [`crate::Error::Memory`].
    ///
    /// # Panics
    /// If the modulus is not 2.
    pub fn new(split: &Split<'_>, checked: bool) -> Result<Self> {
        let pairs = split.pivots.cols.iter().copied().zip(split.pivots.rows.iter().copied());
        let outputs: &[u32] = if checked { &split.rows } else { &[] };
        let (solved, lines) = substitution_lines(&split.a.transpose()?, pairs, outputs, &split.cols)?;
        let mut place = memory::filled(NO_PLACE, split.a.cols(), LINES)?;
        split.cols.iter().zip(0..).for_each(|(&j, k)| place[j as usize] = k);
        let pivots = memory::copy(&split.pivots.cols, LINES)?;
        Ok(BitLift { solve: BitSolve::new(outputs.len(), solved, lines)?, checked: outputs.len(), place, pivots })
    }
    /// Working space for one block of vectors after the other.
    ///
    /// # Errors
    /// [`crate::Error::Memory`].
    pub fn space(&self) -> Result<BitSpace> {
        self.solve.space()
    }
    /// Gives w in a column without a pivot.
    ///
    /// # Panics
    /// If the column has a pivot, or `space` belongs to another lift.
    pub fn give(&self, space: &mut BitSpace, col: u32, w: &Bits) {
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
        space: &mut BitSpace,
        slots: &mut Vec<u32>,
        mut found: impl FnMut(u32, &Bits) -> Result<()>,
    ) -> Result<Vec<(u32, Bits)>> {
        let left = self.solve.solve_keeping(space, slots)?;
        slots.iter().try_for_each(|&slot| found(self.pivots[slot as usize - self.checked], &space.take(slot)))?;
        Ok(left)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::{Modulus, Rng};
    use crate::oracles::greedy_pivots;
    use crate::sparse::SparseMatrix;
    use rand::{RngExt, SeedableRng};

    /// Whatever is given: the rows of pivots vanish, and the rows that are named are those that do not.
    #[test]
    fn pivot_rows_vanish_and_the_others_are_multiplied_out() {
        let (p, mut rng) = (Modulus::new(2).unwrap(), Rng::seed_from_u64(62));
        for (rows, cols, nnz) in [(0, 3, 0), (3, 0, 0), (4, 4, 0), (1, 1, 1), (30, 50, 90), (70, 40, 150)] {
            let entry = |_| (rng.random_range(0..rows), rng.random_range(0..cols), 1);
            let entries: Vec<_> = (0..nnz).map(entry).collect();
            let a = SparseMatrix::from_triplets(p, rows, cols, &entries);
            let pivots = greedy_pivots(&a);
            let split = Split::new(&a, &pivots).unwrap();
            for checked in [true, false] {
                let lift = BitLift::new(&split, checked).unwrap();
                let (mut space, mut slots) = (lift.space().unwrap(), vec![]);
                for _ in 0..2 {
                    let mut w = vec![Bits::default(); cols];
                    for &j in split.cols.iter().filter(|&j| j % 3 != 1) {
                        w[j as usize] = Bits::default().map(|_| rng.random());
                        lift.give(&mut space, j, &w[j as usize]);
                    }
                    let found = |col: u32, x: &Bits| {
                        assert!(pivots.cols.contains(&col) && *x != Bits::default());
                        w[col as usize] = *x;
                        Ok(())
                    };
                    let left = lift.complete(&mut space, &mut slots, found).unwrap();
                    let mut expected = vec![];
                    for i in 0..rows {
                        let mut sum = Bits::default();
                        for &j in a.row(i).0 {
                            sum.iter_mut().zip(w[j as usize]).for_each(|(sum, x)| *sum ^= x);
                        }
                        if sum != Bits::default() {
                            expected
                                .push((split.rows.binary_search(&(i as u32)).expect("no row of a pivot") as u32, sum));
                        }
                    }
                    expected.reverse();
                    assert_eq!(left, if checked { expected } else { vec![] }, "{rows} x {cols}");
                }
            }
        }
    }
}
