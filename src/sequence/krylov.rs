//! The running sequence X, BX, B²X, … in the memory of this process, and its projected terms.

use super::{Projection, SequenceSource};
use crate::blackbox::{Preconditioned, Scratch};
use crate::field::{Field, Rng};
use crate::spmv::Block;
use crate::{Observer, Result};
use std::borrow::Cow;

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

/// The terms of a block Krylov sequence over K, one after the other, by the products of an operator.
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
        let width = block * field.degree();
        let x = Block::random(operator.lane(), operator.order(), width, operator.modulus(), rng)?;
        let mut krylov = Self::at(field, operator, projection, x)?;
        if start == Start::Bx {
            krylov.step()?;
        }
        Ok(krylov)
    }

    /// The sequence whose next term is that of the block `x`.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    ///
    /// Panics if the degrees of `field` and operator differ, or `x` has not the shape of a block of the operator.
    pub fn at(field: &F, operator: &'a Preconditioned<'a>, projection: Projection, x: Block) -> Result<Self> {
        assert_eq!(field.degree(), operator.degree());
        assert_eq!((x.rows(), x.width() % field.degree()), (operator.order(), 0));
        let (block, next) = (x.width() / field.degree(), Block::zeros(x.lane(), x.rows(), x.width())?);
        let scratch = Scratch::new();
        Ok(Krylov { field: field.clone(), operator, projection, block, current: x, next, scratch })
    }

    /// BⁱX becomes Bⁱ⁺¹X.
    fn step(&mut self) -> Result<()> {
        self.operator.apply(&self.current, &mut self.next, &mut self.scratch)?;
        std::mem::swap(&mut self.current, &mut self.next);
        Ok(())
    }
}

impl<F: Field> SequenceSource<F::Elem> for Krylov<'_, F> {
    fn block(&self) -> usize {
        self.block
    }
    /// Yᵀ(BⁱX), and one step on, for each term.
    fn extend(&mut self, count: usize, terms: &mut Vec<F::Elem>, observer: &dyn Observer) -> Result<()> {
        for done in 1..=count {
            observer.check()?;
            // Both read BⁱX alone: threads that one of them has no work for are at work on the other.
            let Krylov { field, operator, projection, block, current, next, scratch } = self;
            let (projected, stepped) = rayon::join(
                || projection.project(field, current, *block, terms),
                || operator.apply(current, next, scratch),
            );
            projected?;
            stepped?;
            std::mem::swap(current, next);
            observer.progress(done as u64);
        }
        Ok(())
    }
    fn state(&self) -> Result<Option<Cow<'_, Block>>> {
        Ok(Some(Cow::Borrowed(&self.current)))
    }
    fn restore(&mut self, residues: &[u64]) -> Result<()> {
        let (lane, rows, width) = (self.current.lane(), self.current.rows(), self.current.width());
        self.current = Block::from_residues(lane, rows, width, residues)?;
        Ok(())
    }
}
