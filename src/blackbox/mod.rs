//! Black boxes: linear operators known by their products alone.
//!
//! [`Operator`] is the interface; [`crate::spmv::Product`] is the box of a sparse matrix; [`Compose`], [`Transposed`],
//! [`FirstColumns`] and [`Diagonal`] build new boxes from old ones, [`symmetrised`] the operator B = D₁AᵀD₂AD₁;
//! [`Preconditioned`] is the form of B that the Krylov sequence runs on, over GF(p) or GF(pᵏ), with its scalings fused
//! into the products;
//! [`Diagonals`] are its random choices, for whoever applies B elsewhere.
//!
//! A block of s vectors over GF(pᵏ) is stored as a [`Block`] over GF(p) of width s·k: residue l·k + d of a row is the
//! d-th digit of vector l. An operator over GF(p) acts on it column by column and need not know.

mod compose;
mod diagonal;
mod diagonals;
mod preconditioned;
mod scratch;

pub use compose::{Compose, FirstColumns, Transposed, symmetrised};
pub use diagonal::Diagonal;
pub use diagonals::Diagonals;
pub use preconditioned::Preconditioned;
pub use scratch::Scratch;

use crate::Result;
use crate::field::Modulus;
use crate::spmv::{Block, Lane, Product};

/// A rows × cols operator A over GF(p) that can be applied to blocks of vectors.
///
/// Contract of both products: `x` and `y` have equal width and the operator's lane, `x` has as many rows as the
/// operator has columns (rows, for the transpose), `y` as many as it has rows (columns); `y` is overwritten. Breaking
/// it panics.
pub trait Operator: Sync {
    /// The modulus p.
    fn modulus(&self) -> Modulus;
    /// Number of rows.
    fn rows(&self) -> usize;
    /// Number of columns.
    fn cols(&self) -> usize;
    /// The storage type of the blocks that the operator takes and gives.
    fn lane(&self) -> Lane;
    /// Y ← A X.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory), for blocks in between.
    fn apply(&self, x: &Block, y: &mut Block, scratch: &mut Scratch) -> Result<()>;
    /// Y ← Aᵀ X.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    fn apply_transpose(&self, x: &Block, y: &mut Block, scratch: &mut Scratch) -> Result<()>;
    /// Y ← D·A·X with the diagonal matrix D of these residues, or Y ← A·X without one. Boxes that can fuse the scaling
    /// do.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    fn apply_scaled(&self, diagonal: Option<&[u64]>, x: &Block, y: &mut Block, scratch: &mut Scratch) -> Result<()> {
        self.apply(x, y, scratch)?;
        scale(self.modulus(), diagonal, y);
        Ok(())
    }
    /// Y ← D·Aᵀ·X, likewise.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    fn apply_transpose_scaled(
        &self,
        diagonal: Option<&[u64]>,
        x: &Block,
        y: &mut Block,
        scratch: &mut Scratch,
    ) -> Result<()> {
        self.apply_transpose(x, y, scratch)?;
        scale(self.modulus(), diagonal, y);
        Ok(())
    }
}

/// Y ← D·Y.
fn scale(modulus: Modulus, diagonal: Option<&[u64]>, y: &mut Block) {
    let Some(diagonal) = diagonal else { return };
    assert_eq!(diagonal.len(), y.rows(), "a diagonal of the wrong length");
    for (i, &d) in diagonal.iter().enumerate() {
        for l in 0..y.width() {
            y.set(i, l, modulus.mul(d, y.get(i, l)));
        }
    }
}

impl Operator for Product {
    fn modulus(&self) -> Modulus {
        Product::modulus(self)
    }
    fn rows(&self) -> usize {
        Product::rows(self)
    }
    fn cols(&self) -> usize {
        Product::cols(self)
    }
    fn lane(&self) -> Lane {
        Product::lane(self)
    }
    fn apply(&self, x: &Block, y: &mut Block, _scratch: &mut Scratch) -> Result<()> {
        Product::apply_scaled(self, None, x, y)
    }
    fn apply_transpose(&self, x: &Block, y: &mut Block, _scratch: &mut Scratch) -> Result<()> {
        Product::apply_transpose_scaled(self, None, x, y)
    }
    fn apply_scaled(&self, diagonal: Option<&[u64]>, x: &Block, y: &mut Block, _scratch: &mut Scratch) -> Result<()> {
        Product::apply_scaled(self, diagonal, x, y)
    }
    fn apply_transpose_scaled(
        &self,
        diagonal: Option<&[u64]>,
        x: &Block,
        y: &mut Block,
        _scratch: &mut Scratch,
    ) -> Result<()> {
        Product::apply_transpose_scaled(self, diagonal, x, y)
    }
}

#[cfg(test)]
mod tests;
