//! New boxes from old ones: the product L·R, the transpose, and the symmetrised preconditioner.

use super::{Diagonal, Operator, Scratch, scale};
use crate::Result;
use crate::field::Modulus;
use crate::spmv::{Block, Lane};

/// The product L·R of two boxes.
#[derive(Clone, Copy, Debug)]
pub struct Compose<L, R> {
    left: L,
    right: R,
}

impl<L: Operator, R: Operator> Compose<L, R> {
    /// L·R. Panics if the inner dimensions, the moduli or the lanes differ.
    pub fn new(left: L, right: R) -> Self {
        assert_eq!(left.cols(), right.rows(), "inner dimensions differ");
        assert_eq!(left.modulus(), right.modulus(), "moduli differ");
        assert_eq!(left.lane(), right.lane(), "lanes differ");
        Compose { left, right }
    }
}

impl<L: Operator, R: Operator> Operator for Compose<L, R> {
    fn modulus(&self) -> Modulus {
        self.left.modulus()
    }
    fn rows(&self) -> usize {
        self.left.rows()
    }
    fn cols(&self) -> usize {
        self.right.cols()
    }
    fn lane(&self) -> Lane {
        self.left.lane()
    }
    fn apply(&self, x: &Block, y: &mut Block, scratch: &mut Scratch) -> Result<()> {
        let mut inner = scratch.take(self.lane(), self.right.rows(), x.width())?;
        self.right.apply(x, &mut inner, scratch)?;
        self.left.apply(&inner, y, scratch)?;
        scratch.give(inner);
        Ok(())
    }
    fn apply_transpose(&self, x: &Block, y: &mut Block, scratch: &mut Scratch) -> Result<()> {
        let mut inner = scratch.take(self.lane(), self.left.cols(), x.width())?;
        self.left.apply_transpose(x, &mut inner, scratch)?;
        self.right.apply_transpose(&inner, y, scratch)?;
        scratch.give(inner);
        Ok(())
    }
}

/// The transpose of a box.
#[derive(Clone, Copy, Debug)]
pub struct Transposed<A>(pub A);

impl<A: Operator> Operator for Transposed<A> {
    fn modulus(&self) -> Modulus {
        self.0.modulus()
    }
    fn rows(&self) -> usize {
        self.0.cols()
    }
    fn cols(&self) -> usize {
        self.0.rows()
    }
    fn lane(&self) -> Lane {
        self.0.lane()
    }
    fn apply(&self, x: &Block, y: &mut Block, scratch: &mut Scratch) -> Result<()> {
        self.0.apply_transpose(x, y, scratch)
    }
    fn apply_transpose(&self, x: &Block, y: &mut Block, scratch: &mut Scratch) -> Result<()> {
        self.0.apply(x, y, scratch)
    }
}

/// The first columns of a box.
pub struct FirstColumns {
    operator: Box<dyn Operator + Send>,
    cols: usize,
}

impl std::fmt::Debug for FirstColumns {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} of the columns of a {} x {} box", self.cols, self.operator.rows(), self.operator.cols())
    }
}

impl FirstColumns {
    /// The first `cols` columns. Panics if there are not so many.
    pub fn new(operator: Box<dyn Operator + Send>, cols: usize) -> Self {
        assert!(cols <= operator.cols(), "{cols} of {} columns", operator.cols());
        FirstColumns { operator, cols }
    }
    /// The whole box.
    pub fn whole(&self) -> &dyn Operator {
        &*self.operator
    }
}

impl Operator for FirstColumns {
    fn modulus(&self) -> Modulus {
        self.operator.modulus()
    }
    fn rows(&self) -> usize {
        self.operator.rows()
    }
    fn cols(&self) -> usize {
        self.cols
    }
    fn lane(&self) -> Lane {
        self.operator.lane()
    }
    fn apply(&self, x: &Block, y: &mut Block, scratch: &mut Scratch) -> Result<()> {
        self.apply_scaled(None, x, y, scratch)
    }
    fn apply_transpose(&self, x: &Block, y: &mut Block, scratch: &mut Scratch) -> Result<()> {
        self.apply_transpose_scaled(None, x, y, scratch)
    }
    fn apply_scaled(&self, diagonal: Option<&[u64]>, x: &Block, y: &mut Block, scratch: &mut Scratch) -> Result<()> {
        if self.cols == self.operator.cols() {
            return self.operator.apply_scaled(diagonal, x, y, scratch);
        }
        let mut all = scratch.take(self.lane(), self.operator.cols(), x.width())?;
        all.copy_rows(0, x, 0, self.cols);
        all.clear(self.cols..self.operator.cols());
        self.operator.apply_scaled(diagonal, &all, y, scratch)?;
        scratch.give(all);
        Ok(())
    }
    fn apply_transpose_scaled(
        &self,
        diagonal: Option<&[u64]>,
        x: &Block,
        y: &mut Block,
        scratch: &mut Scratch,
    ) -> Result<()> {
        if self.cols == self.operator.cols() {
            return self.operator.apply_transpose_scaled(diagonal, x, y, scratch);
        }
        let mut all = scratch.take(self.lane(), self.operator.cols(), x.width())?;
        self.operator.apply_transpose(x, &mut all, scratch)?;
        y.copy_rows(0, &all, 0, self.cols);
        scale(self.modulus(), diagonal, y);
        scratch.give(all);
        Ok(())
    }
}

impl<A: Operator + ?Sized> Operator for &A {
    fn modulus(&self) -> Modulus {
        (**self).modulus()
    }
    fn rows(&self) -> usize {
        (**self).rows()
    }
    fn cols(&self) -> usize {
        (**self).cols()
    }
    fn lane(&self) -> Lane {
        (**self).lane()
    }
    fn apply(&self, x: &Block, y: &mut Block, scratch: &mut Scratch) -> Result<()> {
        (**self).apply(x, y, scratch)
    }
    fn apply_transpose(&self, x: &Block, y: &mut Block, scratch: &mut Scratch) -> Result<()> {
        (**self).apply_transpose(x, y, scratch)
    }
}

/// The symmetric operator B = D₁AᵀD₂AD₁ of order `a.cols()` (Eberly and Kaltofen 1997; Chen et al. 2002, section 4),
/// with the diagonals given by their entries, residues mod p.
///
/// Panics if `d1.len() != a.cols()` or `d2.len() != a.rows()`.
pub fn symmetrised<'a, A: Operator>(a: &'a A, d1: Vec<u64>, d2: Vec<u64>) -> impl Operator + 'a {
    assert_eq!((d1.len(), d2.len()), (a.cols(), a.rows()), "the diagonals are as long as A has columns and rows");
    let (p, lane) = (a.modulus(), a.lane());
    let right = Compose::new(a, Diagonal::new(p, lane, d1.clone()));
    let left = Compose::new(Diagonal::new(p, lane, d1), Transposed(a));
    Compose::new(left, Compose::new(Diagonal::new(p, lane, d2), right))
}
