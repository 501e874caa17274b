//! An echelon form in the memory of GPUs, which takes its rows, and leaves what it found, there.

use super::Echelon;
use super::cuda::{GpuDense, GpuField, GpuInverse, GpuPanels, GpuTeam};
use super::echelon::Storage;
use crate::{Observer, Result};

impl Echelon {
    /// The empty basis in the memory of a GPU, which eliminates. Its rank, profiles and reduced form are those of the
    /// others. With `multipliers`, the rows of the rank profile are kept there for [`Echelon::factors`].
    ///
    /// # Errors
    /// [`crate::Error::Device`], also by what absorbs; [`crate::Error::Memory`].
    pub fn on_gpu(field: &GpuField, cols: usize, multipliers: bool) -> Result<Self> {
        let storage = Storage::Gpu(Box::new(GpuPanels::new(field, cols, GpuPanels::STEP, multipliers)?));
        Ok(Echelon { modulus: field.modulus(), cols, storage })
    }

    /// The empty basis in the memory of several GPUs, each with a part of the columns.
    ///
    /// # Errors
    /// As [`Echelon::on_gpu`].
    pub fn on_gpus(fields: &[GpuField], cols: usize) -> Result<Self> {
        let team = GpuTeam::new(fields, cols, GpuPanels::STEP)?;
        Ok(Echelon { modulus: team.modulus(), cols, storage: Storage::Gpus(Box::new(team)) })
    }

    /// The basis on the processor, if it is on GPUs.
    pub(super) fn of_gpus(&self) -> Result<Option<Echelon>> {
        macro_rules! copied {
            ($panels:ident) => {
                match $panels.bytes() {
                    1 => Storage::U8($panels.on_processor()?),
                    2 => Storage::U16($panels.on_processor()?),
                    _ => Storage::U32($panels.on_processor()?),
                }
            };
        }
        let storage = match &self.storage {
            Storage::Gpu(panels) => copied!(panels),
            Storage::Gpus(team) => copied!(team),
            _ => return Ok(None),
        };
        Ok(Some(Echelon { modulus: self.modulus, cols: self.cols, storage }))
    }

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
