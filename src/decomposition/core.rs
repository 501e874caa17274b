//! The dense end of a decomposition.

use super::Lines;
use crate::dense::Factors;
use crate::field::Modulus;
use crate::{Result, memory};

/// A nonsingular minor of a complement that was not formed, as a search for its rank leaves it.
#[derive(Debug, Default)]
pub struct Core {
    /// Lines of the matrix whose complement it is, all without a pivot.
    pub lines: Lines,
    /// The factors of the complement in these lines, each at its place: rows and columns in the order of `lines`.
    pub factors: Option<Factors>,
}

/// The factors of a core, or of its transpose; none of one that is empty.
#[derive(Debug)]
pub(super) struct Oriented {
    pub factors: Option<Factors>,
    pub transposed: bool,
}

impl Oriented {
    /// det C; 1 for one that is empty.
    pub fn determinant(&self, modulus: Modulus) -> Result<u64> {
        self.factors.as_ref().map_or(Ok(1), |factors| factors.determinant(modulus))
    }
    /// X with C·X = `right` for the core C, both row-major with `count` columns.
    pub fn solve(&self, right: &[u64], count: usize) -> Result<Vec<u64>> {
        let Some(factors) = &self.factors else { return Ok(vec![]) };
        if !self.transposed {
            return factors.solve(right, count);
        }
        let order = factors.order();
        let turned = factors.solve_left(&transposed(right, order, count)?, count)?;
        transposed(&turned, count, order)
    }
}

/// The transpose of a row-major matrix.
fn transposed(matrix: &[u64], rows: usize, cols: usize) -> Result<Vec<u64>> {
    let at = |k: usize| matrix[k % rows * cols + k / rows];
    memory::collect((0..rows * cols).map(at), "right sides of a dense system")
}
