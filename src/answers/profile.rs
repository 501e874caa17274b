//! Which columns of a reduced row echelon form have pivots, and in which rows: all but the free columns of a kernel
//! whose pivots are first entries ([`Rule::Leading`](crate::pivots::Rule)), ascending.

use super::kernel::Kernel;
use crate::{Result, memory};

/// What the memory is for.
const PROFILE: &str = "the pivots of an echelon form";
/// The row of a column without a pivot.
const NO_ROW: u32 = u32::MAX;

/// The column rank profile.
#[derive(Debug)]
pub(super) struct Profile {
    pivots: Vec<u32>,
    /// By column: the row of its pivot, or [`NO_ROW`].
    row: Vec<u32>,
}

impl Profile {
    /// # Errors
    /// [`crate::Error::Memory`].
    pub fn of(kernel: &Kernel) -> Result<Self> {
        let mut row = memory::zeros(kernel.coordinates(), PROFILE)?;
        kernel.free()?.iter().for_each(|&j| row[j as usize] = NO_ROW);
        let mut pivots = memory::with_capacity(kernel.rank().rank, PROFILE)?;
        for (j, row) in row.iter_mut().enumerate().filter(|(_, row)| **row != NO_ROW) {
            *row = pivots.len() as u32;
            pivots.push(j as u32);
        }
        Ok(Profile { pivots, row })
    }
    /// The column of each row's leading 1, ascending.
    pub fn pivots(&self) -> &[u32] {
        &self.pivots
    }
    /// Number of columns.
    pub fn cols(&self) -> usize {
        self.row.len()
    }
    /// The row of the pivot in column `j`.
    pub fn row(&self, j: u32) -> Option<u32> {
        Some(self.row[j as usize]).filter(|&row| row != NO_ROW)
    }
    /// The first of these columns that has no pivot: that to which a null vector of the basis belongs.
    pub fn free_among(&self, cols: &[u32]) -> Option<u32> {
        cols.iter().copied().find(|&j| self.row(j).is_none())
    }
}
