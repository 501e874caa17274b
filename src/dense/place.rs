//! Where an echelon form is made.

use super::Echelon;
use super::cuda::GpuField;
use crate::Result;
use crate::field::Modulus;
use crate::gpu::Device;

/// With fewer columns, processors take no longer: a window of 256 columns takes a GPU half a millisecond however short
/// its rows are.
const LEAST_COLS: usize = 4096;

/// Where echelon forms are made: on a GPU, if there is one and they are large enough; its kernels are loaded for the
/// first of them.
#[derive(Debug)]
pub struct Place<'a> {
    device: Option<&'a Device>,
    modulus: Modulus,
    field: Option<GpuField>,
}

impl<'a> Place<'a> {
    /// Echelon forms mod p; on the processor if there is no device.
    pub fn new(device: Option<&'a Device>, modulus: Modulus) -> Self {
        Place { device, modulus, field: None }
    }
    /// Whether a GPU would make one of so many columns.
    pub fn is_for_gpu(modulus: Modulus, cols: usize) -> bool {
        cols >= LEAST_COLS && (4..1 << 32).contains(&modulus.get())
    }
    /// The empty basis of `cols` columns: [`Echelon::on_gpu`], or [`Echelon::with_multipliers`] or [`Echelon::new`].
    ///
    /// # Errors
    /// [`crate::Error::Memory`], [`crate::Error::Device`].
    pub fn echelon(&mut self, cols: usize, multipliers: bool) -> Result<Echelon> {
        self.open(cols)?;
        match &self.field {
            Some(field) if Self::is_for_gpu(self.modulus, cols) => Echelon::on_gpu(field, cols, multipliers),
            _ if multipliers => Echelon::with_multipliers(self.modulus, cols),
            _ => Echelon::new(self.modulus, cols),
        }
    }
    /// Makes ready for a basis of `cols` columns, which is what takes long on a GPU.
    ///
    /// # Errors
    /// [`crate::Error::Device`].
    pub fn open(&mut self, cols: usize) -> Result<()> {
        if let (Some(device), None, true) = (self.device, &self.field, Self::is_for_gpu(self.modulus, cols)) {
            self.field = Some(GpuField::open(device, self.modulus)?);
        }
        Ok(())
    }
}
