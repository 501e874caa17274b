//! S as an [`Operator`].

use super::Split;
use crate::Result;
use crate::blackbox::{Operator, Scratch};
use crate::field::Modulus;
use crate::spmv::{Block, Lane, TriangularSolve};

/// The Schur complement of the pivots of a [`Split`], rows and columns numbered as in [`Split::rows`] and
/// [`Split::cols`].
///
/// Blocks have the narrowest lane for p and a width that is a multiple of [`TriangularSolve::GRID`]; anything else
/// panics.
#[derive(Debug)]
pub struct Complement {
    forward: TriangularSolve,
    backward: TriangularSolve,
    rows: usize,
    cols: usize,
}

impl Complement {
    /// S, laid out for both products.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    pub fn new(split: &Split) -> Result<Self> {
        let (rows, cols) = (split.rows.len(), split.cols.len());
        Ok(Complement { forward: split.forward()?, backward: split.backward()?, rows, cols })
    }
    /// Bytes of the two programs.
    pub fn bytes(&self) -> usize {
        self.forward.bytes() + self.backward.bytes()
    }
}

/// The last rows of what `program` makes of `x`, scaled by the diagonal if there is one.
fn outputs(
    program: &TriangularSolve,
    diagonal: Option<&[u64]>,
    x: &Block,
    y: &mut Block,
    scratch: &mut Scratch,
) -> Result<()> {
    assert!(diagonal.is_none_or(|d| d.len() == y.rows()), "a diagonal of the wrong length");
    let mut w = scratch.take(program.lane(), program.inputs() + program.rows(), x.width())?;
    w.copy_rows(0, x, 0, x.rows());
    program.run_scaled(diagonal.unwrap_or(&[]), &mut w);
    y.copy_rows(0, &w, w.rows() - y.rows(), y.rows());
    scratch.give(w);
    Ok(())
}

impl Operator for Complement {
    fn modulus(&self) -> Modulus {
        self.forward.modulus()
    }
    fn rows(&self) -> usize {
        self.rows
    }
    fn cols(&self) -> usize {
        self.cols
    }
    fn lane(&self) -> Lane {
        self.forward.lane()
    }
    fn apply(&self, x: &Block, y: &mut Block, scratch: &mut Scratch) -> Result<()> {
        self.apply_scaled(None, x, y, scratch)
    }
    fn apply_transpose(&self, x: &Block, y: &mut Block, scratch: &mut Scratch) -> Result<()> {
        self.apply_transpose_scaled(None, x, y, scratch)
    }
    fn apply_scaled(&self, diagonal: Option<&[u64]>, x: &Block, y: &mut Block, scratch: &mut Scratch) -> Result<()> {
        assert_eq!((x.rows(), y.rows()), (self.cols, self.rows), "block shapes do not fit the operator");
        outputs(&self.forward, diagonal, x, y, scratch)
    }
    fn apply_transpose_scaled(
        &self,
        diagonal: Option<&[u64]>,
        x: &Block,
        y: &mut Block,
        scratch: &mut Scratch,
    ) -> Result<()> {
        assert_eq!((x.rows(), y.rows()), (self.rows, self.cols), "block shapes do not fit the operator");
        outputs(&self.backward, diagonal, x, y, scratch)
    }
}
