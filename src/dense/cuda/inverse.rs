//! The inverse of the minor that an elimination on a GPU found.

use super::kernels::grid_of;
use super::panels::{GpuPanels, NONE, arranged};
use super::product::{Part, Scratch, Sign};
use super::window::HEIGHT;
use crate::dense::entry::Entry;
use crate::{Result, memory};

/// What the memory is for.
const INVERSE: &str = "the inverse of a minor on a GPU";

/// M⁻¹ for a nonsingular M over GF(p) of order s, in the memory of a GPU.
#[derive(Debug)]
pub struct GpuInverse {
    /// (M I) reduced: the pivot of row i is column j of M, and the rest of it row j of M⁻¹.
    both: GpuPanels,
}

impl GpuPanels {
    /// The inverse of the rows [`GpuPanels::pivot_rows`] in the columns [`GpuPanels::found_cols`], if they were kept:
    /// (M I) in reduced row echelon form.
    ///
    /// # Errors
    /// [`crate::Error::Device`], [`crate::Error::Memory`].
    pub fn inverse(&self) -> Result<Option<GpuInverse>> {
        let Some(originals) = &self.originals else { return Ok(None) };
        let (order, kernels) = (self.rank(), &self.field.0);
        let mut columns = memory::copy(self.found_cols(), INVERSE)?;
        columns.resize(2 * order, NONE);
        let columns = kernels.stream.upload(&columns)?;
        let mut both = GpuPanels::new(&self.field, 2 * order, order, false)?;
        for first in (0..order).step_by(HEIGHT) {
            let (from, to) = ((originals, self.stride), (&columns, 2 * order));
            let mut rows = arranged(&self.field, from, to, first..order.min(first + HEIGHT))?;
            let (stride, offset, count) = (rows.stride as u32, (order + first) as u32, rows.rows as u32);
            let arguments = (&mut rows.words, stride, offset, count);
            kernels.stream.enqueue(&kernels.units, grid_of(u64::from(count)), arguments)?;
            both.absorb(&rows)?;
        }
        Ok(Some(GpuInverse { both }))
    }
}

impl GpuInverse {
    /// X with M·X = `right`, both s × `count` and row-major.
    ///
    /// # Errors
    /// [`crate::Error::Device`], [`crate::Error::Memory`].
    ///
    /// # Panics
    /// If `right` has another size.
    pub fn solve(&self, right: &[u64], count: usize) -> Result<Vec<u64>> {
        let GpuPanels { field, basis, stride, .. } = &self.both;
        let order = self.both.rank();
        let right = field.upload(order, count, right)?;
        let mut product = field.zeros(order, count)?;
        let a = Part { words: basis, offset: order, stride: *stride, terms: None };
        let b = Part { words: &right.words, offset: 0, stride: right.stride, terms: None };
        let c = (&mut product.words, 0, product.stride);
        field.0.product(&mut Scratch::default(), (order, order, count), Sign::Set, c, a, b)?;
        let (rows, mut x) = (product.download(field)?, memory::zeros::<u64>(order * count, INVERSE)?);
        for (row, &j) in rows.chunks_exact(count.max(1)).zip(self.both.found_cols()) {
            x[j as usize * count..][..count].copy_from_slice(row);
        }
        Ok(x)
    }
    /// M⁻¹, row-major.
    ///
    /// # Errors
    /// [`crate::Error::Device`], [`crate::Error::Memory`].
    pub(in crate::dense) fn to_processor<T: Entry + bytemuck::Pod>(&self) -> Result<Vec<T>> {
        let order = self.both.rank();
        let identity = memory::collect(order as u32..2 * order as u32, INVERSE)?;
        let made: Vec<T> = self.both.columns(&self.both.basis, &identity)?;
        let mut inverse = memory::zeros::<T>(order * order, INVERSE)?;
        for (row, &j) in made.chunks_exact(order.max(1)).zip(self.both.found_cols()) {
            inverse[j as usize * order..][..order].copy_from_slice(row);
        }
        Ok(inverse)
    }
}
