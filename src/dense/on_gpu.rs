//! An echelon form in the memory of a GPU that takes its rows, and leaves what it found, there.

use super::Echelon;
use super::cuda::{GpuDense, GpuField, GpuInverse, GpuPanels};
use super::echelon::Storage;
use crate::{Observer, Result};

impl Echelon {
    /// The field on the GPU, if the basis is there.
    pub fn gpu(&self) -> Option<&GpuField> {
        self.panels().map(GpuPanels::field)
    }
    fn panels(&self) -> Option<&GpuPanels> {
        match &self.storage {
            Storage::Gpu(panels) => Some(panels),
            _ => None,
        }
    }
    /// [`Echelon::absorb_block`] of rows that are on the basis's GPU.
    ///
    /// # Errors
    /// [`crate::Error::Interrupted`], before anything is absorbed; [`crate::Error::Device`], [`crate::Error::Memory`].
    ///
    /// # Panics
    /// If the basis is not on a GPU, or the rows have another length.
    pub fn absorb_on_gpu(&mut self, rows: &GpuDense, observer: &dyn Observer) -> Result<usize> {
        observer.check()?;
        let before = self.rank();
        match &mut self.storage {
            Storage::Gpu(panels) => panels.absorb(rows)?,
            _ => panic!("a basis on the processor"),
        }
        observer.progress(rows.rows() as u64);
        Ok(self.rank() - before)
    }
    /// The inverse of the rows [`Echelon::pivot_rows`] in the columns [`Echelon::found_cols`], if the basis is on a GPU
    /// and kept them.
    ///
    /// # Errors
    /// [`crate::Error::Device`], [`crate::Error::Memory`].
    pub fn inverse_on_gpu(&self) -> Result<Option<GpuInverse>> {
        self.panels().map_or(Ok(None), GpuPanels::inverse)
    }
}
