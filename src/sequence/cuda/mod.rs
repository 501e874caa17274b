//! The sequence on a GPU: matrix, blocks and projection stay there from the first term to the last.
//!
//! What comes back is a term, s × s residues, or over GF(pᵏ), k > 1, the sums of the projection's buckets or the
//! products of digits, of which terms are made here. The terms are those of [`Krylov`](super::Krylov) bit for bit: the
//! same diagonals, projection and first block, and canonical residues in both places.
//!
//! A term takes a launch for each factor of B (and for each level of pieces of long rows, `spmv::GpuMatrix`) and two
//! for the projection (`kernels/project.cu`), all on one stream; the processor waits once for many terms.

mod projection;

use super::{Projection, SequenceSource, Start};
use crate::blackbox::Diagonals;
use crate::field::{Field, Rng};
use crate::spmv::{Block, GpuBlock, GpuDiagonal, GpuMatrix};
use crate::{Observer, Result, memory};
use projection::GpuProjection;

/// The terms of a block Krylov sequence over K, one after the other, by a matrix on a GPU.
#[derive(Debug)]
pub struct GpuKrylov<'a, F: Field> {
    field: F,
    matrix: &'a GpuMatrix,
    /// The factors of B: whether it is Aᵀ, and what scales the product.
    factors: Vec<(bool, GpuDiagonal)>,
    projection: GpuProjection,
    current: GpuBlock,
    next: GpuBlock,
    between: Option<GpuBlock>,
}

impl<'a, F: Field> GpuKrylov<'a, F> {
    /// The sequence of B, `diagonals` about the matrix A, from `start`, with X drawn from `rng`.
    ///
    /// # Errors
    /// [`Error::Device`](crate::Error::Device), [`Error::Memory`](crate::Error::Memory).
    ///
    /// # Panics
    /// If field, diagonals and matrix are not of one degree, or the projection is not for B and its blocks.
    pub fn new(
        field: &F,
        matrix: &'a GpuMatrix,
        diagonals: &Diagonals,
        projection: Projection,
        start: Start,
        rng: &mut Rng,
    ) -> Result<Self> {
        let shape = matrix.shape();
        assert_eq!((field.degree(), diagonals.degree()), (shape.degree, shape.degree), "fields of different degrees");
        let x = Block::random(shape.lane(), diagonals.order(), shape.width(), shape.modulus, rng)?;
        let factors = diagonals.factors();
        let first = factors[0].0;
        let upload = |&(transpose, d): &(bool, &[u64])| Ok((transpose, matrix.diagonal(d)?));
        let mut krylov = GpuKrylov {
            field: field.clone(),
            matrix,
            factors: factors.iter().map(upload).collect::<Result<_>>()?,
            projection: GpuProjection::new(matrix, projection, diagonals.order(), first)?,
            current: matrix.upload(&x, first)?,
            next: matrix.zeros(first)?,
            between: if factors.len() == 2 { Some(matrix.zeros(!first)?) } else { None },
        };
        if start == Start::Bx {
            krylov.step()?;
        }
        Ok(krylov)
    }

    /// BⁱX becomes Bⁱ⁺¹X.
    fn step(&mut self) -> Result<()> {
        let GpuKrylov { matrix, factors, current, next, between, .. } = self;
        match (&factors[..], between) {
            ([(transpose, d)], _) => matrix.apply(*transpose, Some(d), current, next)?,
            ([(first, d2), (second, d1)], Some(between)) => {
                matrix.apply(*first, Some(d2), current, between)?;
                matrix.apply(*second, Some(d1), between, next)?;
            }
            _ => unreachable!("B has one factor, or two with a block between them"),
        }
        std::mem::swap(current, next);
        Ok(())
    }
}

impl<F: Field> SequenceSource<F::Elem> for GpuKrylov<'_, F> {
    fn block(&self) -> usize {
        self.matrix.shape().block
    }
    fn is_elsewhere(&self) -> bool {
        true
    }
    fn extend(&mut self, count: usize, terms: &mut Vec<F::Elem>, observer: &dyn Observer) -> Result<()> {
        let s = self.block();
        let mut done = 0;
        while done < count {
            observer.check()?;
            let some = self.projection.capacity().min(count - done);
            for number in 0..some {
                self.projection.project(self.matrix, &self.current, number as u32)?;
                self.step()?;
            }
            memory::reserve(terms, some * s * s, "the terms of a sequence")?;
            self.projection.collect(&self.field, self.matrix, some, terms)?;
            done += some;
            observer.progress(done as u64);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
