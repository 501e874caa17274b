//! From a reduced row echelon form back to a basis that grows.

use super::{Echelon, Reduced};
use crate::{Observer, Result, memory};

/// Rows written out at once.
const PANEL: usize = 256;
/// What the memory is for.
const ROWS: &str = "rows of a reduced echelon form";

impl Reduced {
    /// An echelon form of the same rows, to which others can be added. Cost: that of absorbing them.
    ///
    /// # Errors
    /// [`crate::Error::Interrupted`], [`crate::Error::Memory`].
    pub fn to_echelon(&self, observer: &dyn Observer) -> Result<Echelon> {
        let (mut echelon, width) = (Echelon::new(self.modulus, self.cols())?, self.free_cols.len());
        let mut panel = memory::with_capacity(PANEL.min(self.rank()) * self.cols(), ROWS)?;
        for first in (0..self.rank()).step_by(PANEL) {
            let rows = first..self.rank().min(first + PANEL);
            panel.clear();
            panel.resize(rows.len() * self.cols(), 0);
            let table = self.table(rows.clone(), 0..width)?;
            for (i, row) in panel.chunks_exact_mut(self.cols()).enumerate() {
                row[self.pivot_cols[first + i] as usize] = 1;
                let table = &table[i * width..][..width];
                self.free_cols.iter().zip(table).for_each(|(&j, &t)| row[j as usize] = t);
            }
            echelon.absorb_block(rows.len(), &panel, observer)?;
        }
        Ok(echelon)
    }
}
