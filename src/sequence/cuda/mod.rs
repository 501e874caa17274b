//! The sequence on GPUs: matrix, blocks and projection stay there from the first term to the last.
//!
//! What comes back is a term, s × s residues, or over GF(pᵏ), k > 1, the sums of the projection's buckets or the
//! products of digits, of which terms are made here. The terms are those of [`Krylov`](super::Krylov) bit for bit: the
//! same diagonals, projection and first block, and canonical residues in both places.
//!
//! A term takes a launch for each factor of B (and for each level of pieces of long rows, `spmv::GpuMatrix`) and two
//! for the projection (`kernels/project.cu`), all on one stream for each GPU; the processor waits once for many terms,
//! and while it collects them, the next ones are made. Of a sequence that is projected by itself, a pair of terms takes
//! the launches of one step and one more (`kernels/gram.cu`), on a second stream, beside the next product.
//! Several GPUs have some columns of the blocks each, and of each term ([`GpuCopies`]): launches on them alternate, so
//! that all of them have work whatever thread makes these.

mod gram;
mod projection;
mod strand;
mod terms;

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

    /// Begins the terms of so many blocks, which fill a half of what is collected.
    fn begin(&mut self, half: usize, blocks: usize) -> Result<()> {
        for number in 0..blocks {
            self.strands.iter_mut().try_for_each(|strand| strand.advance((half, number)))?;
        }
        self.strands.iter_mut().try_for_each(|strand| strand.filled(half))
    }

    /// Appends the first `count` terms of a half.
    fn collect(&mut self, (half, count): (usize, usize), terms: &mut Vec<F::Elem>) -> Result<()> {
        let GpuKrylov { field, shape, buckets, together, strands, .. } = self;
        let s = shape.block;
        let collect = |strand: &mut Strand<'_>, into: &mut Vec<F::Elem>| match &mut strand.left {
            GpuLeft::Drawn(projection) => {
                let columns = GpuShape { block: strand.columns.len(), ..*shape };
                projection.collect((field, columns), buckets.as_ref(), (half, count), into)
            }
            GpuLeft::Own(grams) => {
                let mut sums = memory::zeros::<u64>(count * s * s, TERMS)?;
                let some = (half, count / *together);
                grams.iter_mut().try_for_each(|gram| gram.collect(shape.modulus, some, &mut sums))?;
                check_symmetric(&sums, s)?;
                into.extend(sums.iter().map(|&x| field.from_digits(&[x])));
                Ok(())
            }
        };
        memory::reserve(terms, count * s * s, TERMS)?;
        if let [strand] = &mut strands[..] {
            return collect(strand, terms);
        }
        let mut parts = Vec::with_capacity(strands.len());
        for strand in strands {
            let mut part = memory::with_capacity(count * s * strand.columns.len(), TERMS)?;
            collect(strand, &mut part)?;
            parts.push((strand.columns.len(), part));
        }
        put_together(&parts, count * s, terms);
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
        let most = self.strands.iter().map(Strand::capacity).min().unwrap_or(1) * together;
        let next = |begun: usize| most.min(count - begun);
        // The GPUs have work while terms are collected.
        observer.check()?;
        let (mut begun, mut done, mut half) = (next(0), 0, 0);
        self.begin(half, begun / together)?;
        while done < count {
            let go_on = observer.check();
            let (some, more) = (begun - done, if go_on.is_ok() { next(begun) } else { 0 });
            if more > 0 {
                self.begin(1 - half, more / together)?;
            }
            self.collect((half, some), terms)?;
            (begun, done, half) = (begun + more, begun, 1 - half);
            observer.progress(done as u64);
            go_on?;
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
