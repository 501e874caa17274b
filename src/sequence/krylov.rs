//! The running sequence X, BX, B²X, … and its projected terms.

use super::Projection;
use crate::Result;
use crate::blackbox::{Preconditioned, Scratch};
use crate::field::{Field, Rng};
use crate::spmv::Block;

/// Where the sequence starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "lowercase"))]
pub enum Start {
    /// Sᵢ = YᵀBⁱX, as in the source paper: the generator's determinant has a factor x for each zero eigenvalue seen.
    X,
    /// Sᵢ = YᵀBⁱ⁺¹X: the zero eigenvalue is gone, the generator's degree itself is the rank.
    Bx,
}

/// An iterator-like producer of the terms of a block Krylov sequence over K.
#[derive(Debug)]
pub struct Krylov<'a, F: Field> {
    field: F,
    operator: &'a Preconditioned<'a>,
    projection: Projection,
    block: usize,
    current: Block,
    next: Block,
    scratch: Scratch,
}

impl<'a, F: Field> Krylov<'a, F> {
    /// The sequence of `operator` with `block` columns from `start`, X drawn from `rng`.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    ///
    /// Panics if the degrees of `field` and operator differ.
    pub fn new(
        field: &F,
        operator: &'a Preconditioned<'a>,
        projection: Projection,
        block: usize,
        start: Start,
        rng: &mut Rng,
    ) -> Result<Self> {
        assert_eq!(field.degree(), operator.degree());
        let width = block * field.degree();
        let (lane, n) = (operator.lane(), operator.order());
        let current = Block::random(lane, n, width, operator.modulus(), rng)?;
        let next = Block::zeros(lane, n, width)?;
        let scratch = Scratch::new();
        let mut krylov = Krylov { field: field.clone(), operator, projection, block, current, next, scratch };
        if start == Start::Bx {
            krylov.step()?;
        }
        Ok(krylov)
    }

    /// BⁱX becomes Bⁱ⁺¹X.
    fn step(&mut self) -> Result<()> {
        self.operator.apply(&self.current, &mut self.next, &mut self.scratch)?;
        std::mem::swap(&mut self.current, &mut self.next);
        Ok(())
    }

    /// Appends the next term, the s × s matrix Yᵀ(BⁱX) row-major, and goes one step on.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    pub fn push_term(&mut self, terms: &mut Vec<F::Elem>) -> Result<()> {
        self.projection.project(&self.field, &self.current, self.block, terms)?;
        self.step()
    }
}
