//! The sequence on GPUs: matrix, blocks and projection stay there from the first term to the last.
//!
//! What comes back is a term, s × s residues, or over GF(pᵏ), k > 1, the sums of the projection's buckets or the
//! products of digits, of which terms are made here. The terms are those of [`Krylov`](super::Krylov) bit for bit: the
//! same diagonals, projection and first block, and canonical residues in both places.
//!
//! A term takes a launch for each factor of B (and for each level of pieces of long rows, `spmv::GpuMatrix`) and two
//! for the projection (`kernels/project.cu`), all on one stream for each GPU; the processor waits once for many terms.
//! Of a sequence that is projected by itself, a pair of terms takes these of one step and one more (`kernels/gram.cu`).
//! Several GPUs have some columns of the blocks each, and of each term ([`GpuCopies`]): launches on them alternate, so
//! that all of them have work whatever thread makes these.

mod gram;
mod projection;
mod strand;

use super::gram::check_symmetric;
use super::{Buckets, Left, Projection, SequenceSource, Start};
use crate::blackbox::Diagonals;
use crate::field::{Field, Rng};
use crate::spmv::{Block, GpuCopies, GpuShape};
use crate::{Observer, Result, memory};
pub use gram::GpuGram;
use std::borrow::Cow;
use strand::{GpuLeft, Strand};

/// What the memory is for.
const TERMS: &str = "the terms of a sequence";

/// The terms of a block Krylov sequence over K, one after the other, by a matrix on GPUs.
#[derive(Debug)]
pub struct GpuKrylov<'a, F: Field> {
    field: F,
    /// Of whole blocks.
    shape: GpuShape,
    /// The order of B.
    order: usize,
    /// Of a sparse projection.
    buckets: Option<Buckets>,
    /// Terms that are made together.
    together: usize,
    strands: Vec<Strand<'a>>,
}

impl<'a, F: Field> GpuKrylov<'a, F> {
    /// The sequence of B, `diagonals` about the matrix A, from `start`, with X drawn from `rng`.
    ///
    /// # Errors
    /// [`Error::Device`](crate::Error::Device), [`Error::Memory`](crate::Error::Memory).
    ///
    /// # Panics
    /// If field, diagonals and matrix are not of one degree, or the projection is not for B and its blocks; if the
    /// sequence is to be projected by itself, from X or where [`GpuGram::is_for`] the matrix there are no kernels.
    pub fn new(
        field: &F,
        matrix: &'a GpuCopies,
        diagonals: &Diagonals,
        left: impl Into<Left>,
        start: Start,
        rng: &mut Rng,
    ) -> Result<Self> {
        let left = left.into();
        let shape = matrix.shape();
        assert_eq!((field.degree(), diagonals.degree()), (shape.degree, shape.degree), "fields of different degrees");
        let x = Block::random(shape.lane(), diagonals.order(), shape.width(), shape.modulus, rng)?;
        assert!(matches!(left, Left::Drawn(_)) || GpuGram::is_for(matrix), "kernels for Gram matrices");
        let strand = |part| Strand::new(part, diagonals, &left, &x);
        let mut strands = matrix.parts().map(strand).collect::<Result<Vec<_>>>()?;
        if !left.begins_with_x(start) {
            strands.iter_mut().try_for_each(Strand::step)?;
        }
        let together = left.together();
        let buckets = match left {
            Left::Drawn(Projection::Sparse(buckets)) => Some(buckets),
            Left::Drawn(Projection::Dense { .. }) | Left::Own(_) => None,
        };
        Ok(GpuKrylov { field: field.clone(), shape, order: diagonals.order(), buckets, together, strands })
    }

    /// Appends the first `count` of the terms begun.
    fn collect(&self, count: usize, terms: &mut Vec<F::Elem>) -> Result<()> {
        let collect = |strand: &Strand<'_>, into: &mut Vec<F::Elem>| match &strand.left {
            GpuLeft::Drawn(projection) => {
                projection.collect(&self.field, self.buckets.as_ref(), strand.matrix(), count, into)
            }
            GpuLeft::Own(grams) => {
                let mut sums = memory::zeros::<u64>(count * self.shape.block * self.shape.block, TERMS)?;
                strand.matrices().zip(grams).try_for_each(|(matrix, gram)| gram.collect(matrix, count, &mut sums))?;
                check_symmetric(&sums, self.shape.block)?;
                into.extend(sums.iter().map(|&x| self.field.from_digits(&[x])));
                Ok(())
            }
        };
        memory::reserve(terms, count * self.shape.block * self.shape.block, TERMS)?;
        if let [strand] = &self.strands[..] {
            return collect(strand, terms);
        }
        let mut parts = Vec::with_capacity(self.strands.len());
        for strand in &self.strands {
            let mut part = memory::with_capacity(count * self.shape.block * strand.columns.len(), TERMS)?;
            collect(strand, &mut part)?;
            parts.push((strand.columns.len(), part));
        }
        put_together(&parts, count * self.shape.block, terms);
        Ok(())
    }
}

/// Appends so many rows of matrices, from some columns of all of them in each part: their number, and what they hold.
fn put_together<E: Copy>(parts: &[(usize, Vec<E>)], rows: usize, terms: &mut Vec<E>) {
    for row in 0..rows {
        parts.iter().for_each(|(width, part)| terms.extend_from_slice(&part[row * width..(row + 1) * width]));
    }
}

impl<F: Field> SequenceSource<F::Elem> for GpuKrylov<'_, F> {
    fn block(&self) -> usize {
        self.shape.block
    }
    fn is_elsewhere(&self) -> bool {
        true
    }
    fn together(&self) -> usize {
        self.together
    }
    fn extend(&mut self, count: usize, terms: &mut Vec<F::Elem>, observer: &dyn Observer) -> Result<()> {
        let together = self.together;
        assert!(count.is_multiple_of(together), "{count} terms of a sequence that makes {together} together");
        let capacity = self.strands.iter().map(Strand::capacity).min().unwrap_or(together);
        let mut done = 0;
        while done < count {
            observer.check()?;
            let some = capacity.min(count - done);
            for number in 0..some / together {
                self.strands.iter_mut().try_for_each(|strand| strand.advance(number as u32))?;
            }
            self.collect(some, terms)?;
            done += some;
            observer.progress(done as u64);
        }
        Ok(())
    }
    fn state(&self) -> Result<Option<Cow<'_, Block>>> {
        if let [strand] = &self.strands[..] {
            return strand.current(self.order).map(|block| Some(Cow::Owned(block)));
        }
        let mut whole = Block::zeros(self.shape.lane(), self.order, self.shape.width())?;
        for strand in &self.strands {
            let (part, first) = (strand.current(self.order)?, strand.columns.start * self.shape.degree);
            for i in 0..self.order {
                (0..part.width()).for_each(|l| whole.set(i, first + l, part.get(i, l)));
            }
        }
        Ok(Some(Cow::Owned(whole)))
    }
    fn restore(&mut self, residues: &[u64]) -> Result<()> {
        let block = Block::from_residues(self.shape.lane(), self.order, self.shape.width(), residues)?;
        self.strands.iter_mut().try_for_each(|strand| strand.restore(&block))
    }
}

#[cfg(test)]
mod tests;
