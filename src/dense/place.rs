//! Where an echelon form is made.

use super::Echelon;
use super::cuda::GpuField;
use crate::Result;
use crate::field::Modulus;
use crate::gpu::Device;
use crate::parallel::Each;
use rayon::prelude::*;

/// With fewer columns, processors take no longer: a window of 256 columns takes a GPU half a millisecond however short
/// its rows are.
const LEAST_COLS: usize = 4096;

/// With fewer columns for each of several, one GPU takes no longer: 65536 rows of as many columns take two H100 0.88 of
/// the time of one, 32768 of 32768 1.1.
const LEAST_SHARE: usize = 32768;

/// Where echelon forms are made: on GPUs, if there are some and they are large enough; the kernels are loaded for the
/// first of them.
#[derive(Debug)]
pub struct Place<'a> {
    devices: &'a [Device],
    modulus: Modulus,
    fields: Vec<GpuField>,
}

impl<'a> Place<'a> {
    /// Echelon forms mod p; on the processor if there are no devices.
    pub fn new(devices: &'a [Device], modulus: Modulus) -> Self {
        Place { devices, modulus, fields: vec![] }
    }
    /// Whether a GPU would make one of so many columns.
    pub fn is_for_gpu(modulus: Modulus, cols: usize) -> bool {
        cols >= LEAST_COLS && (4..1 << 32).contains(&modulus.get())
    }
    /// GPUs that would have a part in one of so many columns at most, of which the multipliers are kept or not.
    pub fn most_gpus(cols: usize, multipliers: bool) -> usize {
        if multipliers { 1 } else { (cols / LEAST_SHARE).max(1) }
    }
    /// The empty basis of `cols` columns: [`Echelon::on_gpus`], [`Echelon::on_gpu`], or [`Echelon::with_multipliers`]
    /// or [`Echelon::new`].
    ///
    /// # Errors
    /// [`crate::Error::Memory`], [`crate::Error::Device`].
    pub fn echelon(&mut self, cols: usize, multipliers: bool) -> Result<Echelon> {
        self.open(cols, multipliers)?;
        let most = Self::most_gpus(cols, multipliers).min(self.fields.len());
        match &self.fields[..most] {
            [field] if Self::is_for_gpu(self.modulus, cols) => Echelon::on_gpu(field, cols, multipliers),
            fields @ [_, _, ..] if Self::is_for_gpu(self.modulus, cols) => Echelon::on_gpus(fields, cols),
            _ if multipliers => Echelon::with_multipliers(self.modulus, cols),
            _ => Echelon::new(self.modulus, cols),
        }
    }
    /// Makes ready for a basis of `cols` columns, which is what takes long on a GPU.
    ///
    /// # Errors
    /// [`crate::Error::Device`].
    pub fn open(&mut self, cols: usize, multipliers: bool) -> Result<()> {
        if !Self::is_for_gpu(self.modulus, cols) {
            return Ok(());
        }
        let wanted = self.devices.len().min(Self::most_gpus(cols, multipliers));
        let missing = &self.devices[self.fields.len().min(wanted)..wanted];
        self.fields.extend(missing.par_iter().try_make(|device| GpuField::open(device, self.modulus))?);
        Ok(())
    }
}
