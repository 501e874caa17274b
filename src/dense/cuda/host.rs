//! What goes to a basis on a GPU as sparse rows, and what comes back as the processor stores it.

use super::panels::GpuPanels;
use super::profile::Profile;
use super::team::GpuTeam;
use crate::dense::entry::{Entry, Row};
use crate::dense::factors::{Blocks, Triangles};
use crate::dense::panels::Panels;
use crate::field::Modulus;
use crate::{Result, memory};

/// What the memory is for.
const ROWS: &str = "rows of a dense elimination on a GPU";
const ORDER: &str = "the order of the columns of a dense elimination";

/// Sparse rows with their zeros.
fn filled(rows: &[Row<'_>], cols: usize) -> Result<Vec<u32>> {
    let mut data = memory::zeros::<u32>(rows.len() * cols, ROWS)?;
    for (i, (columns, values)) in rows.iter().enumerate() {
        let line = &mut data[i * cols..(i + 1) * cols];
        columns.iter().zip(*values).for_each(|(&j, &v)| line[j as usize] = v as u32);
    }
    Ok(data)
}

/// The basis (I T) with these pivots, T `behind` them in the free columns.
fn panels<T: Entry>(modulus: Modulus, profile: &Profile, free: Vec<u32>, behind: Vec<T>) -> Result<Panels<T>> {
    let mut order = memory::with_capacity(profile.rank() + free.len(), ORDER)?;
    order.extend_from_slice(&profile.cols);
    order.extend(free);
    Panels::of_reduced(modulus, order, (memory::copy(&profile.rows, ORDER)?, profile.seen), behind)
}

impl GpuTeam {
    /// Adds sparse rows to the span.
    ///
    /// # Errors
    /// [`crate::Error::Device`], [`crate::Error::Memory`].
    pub(in crate::dense) fn absorb_sparse(&mut self, rows: &[Row<'_>]) -> Result<()> {
        self.absorb_dense(rows.len(), &filled(rows, self.cols())?)
    }
    /// The basis on the processor.
    ///
    /// # Errors
    /// [`crate::Error::Device`], [`crate::Error::Memory`].
    pub(in crate::dense) fn on_processor<T: Entry + bytemuck::Pod>(&self) -> Result<Panels<T>> {
        let free = self.free_cols()?;
        let behind = self.behind(&free)?;
        panels(self.modulus(), self.profile(), free, behind)
    }
}

impl GpuPanels {
    /// Adds sparse rows to the span.
    ///
    /// # Errors
    /// [`crate::Error::Device`], [`crate::Error::Memory`].
    pub(in crate::dense) fn absorb_sparse(&mut self, rows: &[Row<'_>]) -> Result<()> {
        self.absorb_dense(rows.len(), &filled(rows, self.cols())?)
    }
    /// The basis on the processor.
    ///
    /// # Errors
    /// [`crate::Error::Device`], [`crate::Error::Memory`].
    pub(in crate::dense) fn on_processor<T: Entry + bytemuck::Pod>(&self) -> Result<Panels<T>> {
        panels(self.modulus(), self.profile(), memory::collect(self.free_cols(), ORDER)?, self.behind()?)
    }
    /// The factors of the rows of the row rank profile in the pivot columns, if these rows were kept: as one block.
    ///
    /// # Errors
    /// [`crate::Error::Device`], [`crate::Error::Memory`].
    pub(in crate::dense) fn triangles(&self) -> Result<Option<Blocks>> {
        let (modulus, order) = (self.modulus(), self.rank());
        macro_rules! of_inverse {
            ($lane:ident) => {
                match self.inverse()? {
                    Some(inverse) => {
                        Some(Blocks::$lane(Triangles::of_inverse(modulus, order, inverse.to_processor()?)))
                    }
                    None => None,
                }
            };
        }
        Ok(match self.bytes() {
            1 => of_inverse!(U8),
            2 => of_inverse!(U16),
            _ => of_inverse!(U32),
        })
    }
}
