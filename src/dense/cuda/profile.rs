//! The rank profiles of the rows that a basis has met, panel by panel.

use super::window::Found;
use crate::{Result, memory};

/// What the memory is for.
const PIVOTS: &str = "the pivots of a dense elimination";

/// The pivots of a basis.
#[derive(Debug, Default)]
pub(super) struct Profile {
    /// The row rank profile, ascending.
    pub rows: Vec<usize>,
    /// The column rank profile in the order of the basis.
    pub cols: Vec<u32>,
    /// How many rows were met.
    pub seen: usize,
}

impl Profile {
    /// The dimension of the span.
    pub fn rank(&self) -> usize {
        self.cols.len()
    }
    /// A panel of `count` rows, of which those are pivots that were `found`, at positions that are columns.
    ///
    /// # Errors
    /// [`crate::Error::Memory`].
    pub fn add(&mut self, count: usize, found: &Found) -> Result<()> {
        let (rank, seen) = (self.rank(), self.seen);
        self.seen += count;
        memory::reserve(&mut self.rows, found.rows.len(), PIVOTS)?;
        self.rows.extend(found.rows.iter().map(|&i| seen + i as usize));
        self.rows[rank..].sort_unstable();
        memory::reserve(&mut self.cols, found.rows.len(), PIVOTS)?;
        self.cols.extend_from_slice(&found.positions);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_ascend_and_columns_stay_in_their_order() {
        let mut profile = Profile::default();
        profile.add(5, &Found { rows: vec![4, 0], positions: vec![7, 2] }).unwrap();
        profile.add(3, &Found::default()).unwrap();
        profile.add(2, &Found { rows: vec![1], positions: vec![0] }).unwrap();
        assert_eq!((&profile.rows[..], &profile.cols[..], profile.seen), (&[0, 4, 9][..], &[7, 2, 0][..], 10));
        assert_eq!(profile.rank(), 3);
    }
}
