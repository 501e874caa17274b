//! How the basis of a search grows to the order of its series: by PM-Basis on the residual, here or on a GPU, and from
//! where a run that was killed had come.

use super::cuda::Resident;
use super::generator::GeneratorSearch;
use super::order_basis::OrderBasis;
use super::pm_basis::{go_on, later};
use super::products::{self, compose};
use super::trail::{self, At, Keep, Trail};
use crate::field::Field;
use crate::poly::PolyMatrix;
use crate::report::{self, Observer};
use crate::{DeviceReason, Error, Result};
use std::collections::VecDeque;
use std::sync::{OnceLock, PoisonError};

/// First halves that another run has finished, each with the order at which it begins.
type Done<F> = VecDeque<(usize, OrderBasis<<F as Field>::Elem>)>;

impl<F: Field> GeneratorSearch<F> {
    /// Brings the basis to the order L; not where another run, whose state there is, went beyond it: that did not end
    /// with these terms.
    pub(super) fn catch_up(&mut self, observer: &dyn Observer) -> Result<()> {
        let length = self.series.len();
        if observer.keeper().is_none() {
            return self.advance((self.order, length - self.order), None, &mut VecDeque::new(), observer);
        }
        let (is_new, digest) = (self.name.is_none(), trail::digest(&self.field, &self.series)?);
        let name = *self.name.get_or_insert(digest);
        let kept = report::Kept::of("sigma-basis", || (self.s, self.field.degree(), name), observer)?;
        if is_new {
            self.before = trail::load(&self.field, self.s, &kept)?;
        }
        if self.before.as_ref().is_some_and(|before| before.length > length) {
            return Ok(());
        }
        let mut done = VecDeque::new();
        if let Some(before) = self.before.take().filter(|before| (before.length, before.digest) == (length, digest)) {
            (self.order, self.left, self.degrees) = (before.order, before.left, before.degrees);
            (self.last_change, done) = (before.last_change, before.done);
            (self.resident, self.copied) = (None, OnceLock::new());
        }
        self.advance((self.order, length - self.order), Some((&kept, digest)), &mut done, observer)
    }

    /// Brings the basis from order `from` to order `from + count`; `done` is what another run has finished of that.
    fn advance(
        &mut self,
        (from, count): (usize, usize),
        kept: Option<(&report::Kept<'_>, [u8; 32])>,
        done: &mut Done<F>,
        observer: &dyn Observer,
    ) -> Result<()> {
        if count == 0 {
            return Ok(());
        }
        // Growth by more than what is there goes by halves: products with the 2s×s left half cost half of those in
        // `pm_basis`.
        if count > from.max(self.params.leaf) {
            let half = (from + count).div_ceil(2) - from;
            self.advance((from, half), kept, done, observer)?;
            return self.advance((from + half, count - half), kept, done, observer);
        }
        observer.check()?;
        // What another run has left of this step, the processor finishes.
        let on_gpu = if done.is_empty() { self.step_on_gpu(from, count, observer)? } else { None };
        let (degrees, last_change) = match on_gpu {
            Some(known) => known,
            None => {
                self.leave_gpu()?;
                let residual = products::residual(&self.field, &self.left, &self.series, from, count)?;
                let residual = self.completed(residual, from);
                let at = At { order: from, left: &self.left, degrees: &self.degrees, last_change: &self.last_change };
                let terms = |digest| (self.series.len(), digest);
                let keep = kept.map(|(kept, digest)| Keep { field: &self.field, kept, terms: terms(digest), at });
                let mut trail = Trail::new(keep, std::mem::take(done));
                let (piece, degrees) = ((from, count), &self.degrees);
                let next = go_on(&self.field, &residual, piece, degrees, &self.params, &mut trail, observer)?;
                self.left = compose(&self.field, &next.basis, &self.left)?;
                (next.degrees, next.last_change)
            }
        };
        self.last_change = later(&self.last_change, &last_change, from);
        (self.degrees, self.order) = (degrees, from + count);
        Ok(())
    }

    /// The left half comes back to the processor, if it was on a GPU.
    fn leave_gpu(&mut self) -> Result<()> {
        if self.resident.is_some() {
            self.left()?;
            self.left = self.copied.take().expect("the copy that was asked for");
            self.resident = None;
        }
        Ok(())
    }

    /// The basis of the residual, and its product with the left half, by a GPU: the degrees that it has then, and when
    /// each row changed. `None` without one, or if it has too little memory, which ends its work here.
    #[allow(clippy::type_complexity, reason = "degrees and changes")]
    fn step_on_gpu(
        &mut self,
        from: usize,
        count: usize,
        observer: &dyn Observer,
    ) -> Result<Option<(Vec<i64>, Vec<usize>)>> {
        let Some(gpu) = self.gpu.clone() else { return Ok(None) };
        let mut gpu = gpu.lock().unwrap_or_else(PoisonError::into_inner);
        let mut step = || {
            let resident = match &mut self.resident {
                Some(resident) => resident,
                none => none.insert(Resident::new(&gpu, &self.field, &self.left)?),
            };
            resident.take(&gpu, &self.field, &self.series)?;
            let known = resident.step(&mut gpu, (from, count), &self.degrees, observer)?;
            observer.progress((from + count) as u64);
            Ok(known)
        };
        match step() {
            Err(Error::Device(no)) if no.reason == DeviceReason::NoMemory => {
                observer.warning(&format!("the σ-basis goes on without the GPU: {no}"));
                drop(gpu);
                self.leave_gpu()?;
                self.gpu = None;
                Ok(None)
            }
            done => {
                self.copied = OnceLock::new();
                done.map(Some)
            }
        }
    }

    /// The coefficients from `from` on of P·[S; -I], for the basis P at order `from`, of those of P·[S; 0].
    fn completed(&self, mut residual: PolyMatrix<F::Elem>, from: usize) -> PolyMatrix<F::Elem> {
        for i in self.s..2 * self.s {
            if self.degrees[i] == from as i64 + 1 {
                residual.set(i, i - self.s, 0, self.field.neg(self.field.one()));
            }
        }
        residual
    }
}
