//! The running sequence X, BX, B²X, … in the memory of this process, and its projected terms.

use super::gram::check_symmetric;
use super::{Gram, Projection, SequenceSource};
use crate::blackbox::{Preconditioned, Scratch};
use crate::field::{Field, Rng};
use crate::parallel;
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

/// What the blocks of a sequence are multiplied by, to make terms.
#[derive(Debug)]
pub enum Left {
    /// By a Y of its own.
    Drawn(Projection),
    /// By themselves: Y = D₁⁻¹X, two terms for each product.
    Own(Gram),
}

impl Left {
    /// Terms that are made together.
    pub(super) fn together(&self) -> usize {
        match self {
            Left::Drawn(_) => 1,
            Left::Own(_) => 2,
        }
    }
    /// Whether the block that a sequence from `start` begins with is X, not BX.
    ///
    /// # Panics
    /// For Gram matrices from X: none of YᵀX is made.
    pub(super) fn begins_with_x(&self, start: Start) -> bool {
        match (self, start) {
            (Left::Own(_), Start::X) => panic!("the first term of a sequence that is projected by itself is YᵀBX"),
            (Left::Own(_), Start::Bx) => true,
            (Left::Drawn(_), start) => start == Start::X,
        }
    }
}

impl From<Projection> for Left {
    fn from(projection: Projection) -> Self {
        Left::Drawn(projection)
    }
}
impl From<Gram> for Left {
    fn from(gram: Gram) -> Self {
        Left::Own(gram)
    }
}

/// The terms of a block Krylov sequence over K, one after the other, by the products of an operator.
#[derive(Debug)]
pub struct Krylov<'a, F: Field> {
    field: F,
    operator: &'a Preconditioned<'a>,
    left: Left,
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
    /// Panics if the degrees of `field` and operator differ; if a sequence that is projected by itself is to start from
    /// X.
    pub fn new(
        field: &F,
        operator: &'a Preconditioned<'a>,
        left: impl Into<Left>,
        block: usize,
        start: Start,
        rng: &mut Rng,
    ) -> Result<Self> {
        let width = block * field.degree();
        let x = Block::random(operator.lane(), operator.order(), width, operator.modulus(), rng)?;
        let left = left.into();
        let begins = left.begins_with_x(start);
        let mut krylov = Self::at(field, operator, left, x)?;
        if !begins {
            krylov.step()?;
        }
        Ok(krylov)
    }

    /// The sequence whose next term is that of the block `x`: Yᵀx, or xᵀD₁⁻¹Bx and the one after it.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    ///
    /// Panics if the degrees of `field` and operator differ, or `x` has not the shape of a block of the operator.
    pub fn at(field: &F, operator: &'a Preconditioned<'a>, left: impl Into<Left>, x: Block) -> Result<Self> {
        assert_eq!(field.degree(), operator.degree());
        assert_eq!((x.rows(), x.width() % field.degree()), (operator.order(), 0));
        let (block, next) = (x.width() / field.degree(), Block::zeros(x.lane(), x.rows(), x.width())?);
        let scratch = Scratch::new();
        Ok(Krylov { field: field.clone(), operator, left: left.into(), block, current: x, next, scratch })
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
    fn together(&self) -> usize {
        self.left.together()
    }
    /// Yᵀ(BⁱX), and one step on, for each term; or a step, and the two terms that come of it.
    fn extend(&mut self, count: usize, terms: &mut Vec<F::Elem>, observer: &dyn Observer) -> Result<()> {
        let together = self.together();
        assert!(count.is_multiple_of(together), "{count} terms of a sequence that makes {together} together");
        for done in 1..=count / together {
            observer.check()?;
            let Krylov { field, operator, left, block, current, next, scratch } = self;
            match left {
                // Both read BⁱX alone: threads that one of them has no work for are at work on the other.
                Left::Drawn(projection) => {
                    let (projected, stepped) = parallel::join(
                        || projection.project(field, current, *block, terms),
                        || operator.apply(current, next, scratch),
                    );
                    projected?;
                    stepped?;
                }
                Left::Own(gram) => {
                    operator.apply(current, next, scratch)?;
                    let before = terms.len();
                    gram.append(field, current, next, *block, terms)?;
                    check_symmetric(&terms[before..], *block)?;
                }
            }
            std::mem::swap(current, next);
            observer.progress((together * done) as u64);
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
