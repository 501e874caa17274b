//! What a search for a generator keeps on a GPU while terms arrive: the terms, and the left half of the basis.

use super::super::products::trim;
use super::GpuBases;
use crate::Result;
use crate::field::Field;
use crate::poly::{GpuPoly, PolyMatrix};
use crate::report::Observer;
use std::sync::Arc;

/// The terms so far, s×s, and the left half of their order basis, 2s×s, on the GPU of the bases.
///
/// A copy shares both until one of them goes on.
#[derive(Clone, Debug)]
pub(in super::super) struct Resident {
    terms: Arc<GpuPoly>,
    left: Arc<GpuPoly>,
    /// How many of the terms are valid.
    known: usize,
}

impl Resident {
    /// No term yet, and the left half at the order that the search has.
    ///
    /// # Errors
    /// [`Error::Device`](crate::Error::Device), [`Error::Memory`](crate::Error::Memory).
    pub fn new<F: Field>(bases: &GpuBases, field: &F, left: &PolyMatrix<F::Elem>) -> Result<Resident> {
        let polys = &bases.polys;
        let (terms, left) = (polys.zeros(left.cols(), left.cols(), 0)?, polys.upload(field, left, 0..left.len())?);
        Ok(Resident { terms: Arc::new(terms), left: Arc::new(left), known: 0 })
    }

    /// Copies the terms of the series that are not there yet.
    ///
    /// # Errors
    /// [`Error::Device`](crate::Error::Device), [`Error::Memory`](crate::Error::Memory).
    pub fn take<F: Field>(&mut self, bases: &GpuBases, field: &F, series: &PolyMatrix<F::Elem>) -> Result<()> {
        if self.known == series.len() {
            return Ok(());
        }
        if Arc::get_mut(&mut self.terms).is_none_or(|terms| terms.room() < series.len()) {
            // Half as much again, so that the terms are copied a few times at most.
            let room = series.len() + series.len() / 2;
            self.terms = Arc::new(bases.polys.longer(&self.terms, room)?);
        }
        let terms = Arc::get_mut(&mut self.terms).expect("nobody else has this copy");
        terms.truncate(self.known);
        bases.polys.write(field, terms, series, self.known..series.len())?;
        self.known = series.len();
        Ok(())
    }
    /// The terms from this one on are not those of the sequence any more.
    pub fn forget_from(&mut self, term: usize) {
        self.known = self.known.min(term);
    }

    /// Brings the left half from order `from` to order `from + count`, whose terms are there: the degrees then, and
    /// how many of those terms it took to know each row. Where this fails, nothing has changed.
    ///
    /// # Errors
    /// [`Error::Interrupted`](crate::Error::Interrupted) when the observer asks to stop;
    /// [`Error::Device`](crate::Error::Device).
    pub fn step(
        &mut self,
        bases: &mut GpuBases,
        (from, count): (usize, usize),
        degrees: &[i64],
        observer: &dyn Observer,
    ) -> Result<(Vec<i64>, Vec<usize>)> {
        let (a, end) = (self.left.len(), from + count);
        let unused = self.unused(from, end);
        let used = self.terms.part(unused..end);
        let mut residual = bases.polys.product(self.left.all(), used, from - unused, count)?;
        complete(bases, &mut residual, from, degrees)?;
        let next = bases.basis_of(&residual, count, degrees, observer)?;
        bases.polys.recycle(residual);
        // No row of degree δ has more than δ + 1 coefficients.
        let longest = next.degrees.iter().copied().max().unwrap_or(0) as usize + 1;
        let len = longest.min(next.basis.len() + a - 1);
        let left = bases.polys.product(next.basis.all(), self.left.all(), 0, len)?;
        bases.polys.recycle(next.basis);
        if let Ok(before) = Arc::try_unwrap(std::mem::replace(&mut self.left, Arc::new(left))) {
            bases.polys.recycle(before);
        }
        Ok((next.degrees, next.last_change))
    }

    /// The coefficients from `from` to `end` of the left half times the terms, on the processor; none where not just
    /// `end` terms are there, or there are no such coefficients.
    ///
    /// # Errors
    /// [`Error::Device`](crate::Error::Device), [`Error::Memory`](crate::Error::Memory).
    pub fn residual<F: Field>(
        &self,
        bases: &mut GpuBases,
        field: &F,
        (from, end): (usize, usize),
    ) -> Result<Option<PolyMatrix<F::Elem>>> {
        if self.known != end || from >= end {
            return Ok(None);
        }
        let unused = self.unused(from, end);
        let used = self.terms.part(unused..end);
        let product = bases.polys.product(self.left.all(), used, from - unused, end - from)?;
        let residual = bases.polys.download(field, &product);
        bases.polys.recycle(product);
        residual.map(Some)
    }
    /// How many of the terms before `end` say nothing of a product's coefficients from `from` on: with all of the left
    /// half they fall below.
    fn unused(&self, from: usize, end: usize) -> usize {
        (from + 1).saturating_sub(self.left.len()).min(end)
    }

    /// The left half, on the processor.
    ///
    /// # Errors
    /// [`Error::Device`](crate::Error::Device), [`Error::Memory`](crate::Error::Memory).
    pub fn left<F: Field>(&self, bases: &mut GpuBases, field: &F) -> Result<PolyMatrix<F::Elem>> {
        let mut left = bases.polys.download(field, &self.left)?;
        trim(&mut left);
        Ok(left)
    }
}

/// The coefficients from `from` on of P·[S; -I], for the basis P at order `from`, of those of P·[S; 0]: rows that were
/// pivots at every step are x^from·(0 | e_i) on the right.
fn complete(bases: &GpuBases, residual: &mut GpuPoly, from: usize, degrees: &[i64]) -> Result<()> {
    let s = residual.cols();
    let rows: Vec<usize> = (s..2 * s).filter(|&i| degrees[i] == from as i64 + 1).collect();
    let negative = bases.modulus().neg(bases.modulus().reduce_u128(1)) as u32;
    let stream = bases.stream().clone();
    rows.into_iter().try_for_each(|i| stream.overwrite(residual.words_mut(), i * s + i - s, &[negative]))
}
