//! The entries of a matrix as binary arrays give them.

use crate::io::body::within_limit;
use crate::io::options::{ReadOptions, duplicates};
use crate::sparse::{Coordinates, Integer, Triplets};
use crate::{Result, memory};

/// What the memory is for.
pub(super) const ENTRIES: &str = "the entries of the matrix";

/// How many entries are appended between two looks at the limit.
const STEP: usize = 1 << 16;

/// Entries so far.
pub(super) struct Entries {
    entries: Coordinates,
    limit: u64,
}

impl Entries {
    pub fn new(options: &ReadOptions) -> Self {
        Entries { entries: Coordinates::new(), limit: options.max_memory.unwrap_or(u64::MAX) }
    }

    /// Appends an entry; zeros are dropped.
    #[inline]
    pub fn push(&mut self, row: u32, col: u32, value: Integer<'static>) -> Result<()> {
        let entries = &mut self.entries;
        if entries.row.len() == entries.row.capacity() || entries.row.len().is_multiple_of(STEP) {
            memory::reserve(&mut entries.row, STEP, ENTRIES)?;
            memory::reserve(&mut entries.col, STEP, ENTRIES)?;
            entries.value.reserve(STEP)?;
            self.check()?;
        }
        if matches!(value, Integer::Big(_)) {
            memory::reserve(&mut self.entries.big, 1, ENTRIES)?;
        }
        self.entries.push(row, col, value);
        Ok(())
    }

    fn check(&self) -> Result<()> {
        within_limit((self.entries.row.len() + self.entries.big.len()) as u64, self.limit)
    }

    /// The matrix.
    pub fn finish(self, rows: u64, cols: u64, options: &ReadOptions) -> Result<Triplets> {
        self.check()?;
        self.entries.canonical(rows as usize, cols as usize, duplicates(options))
    }
}

/// Refuses dimensions beyond the indices of a matrix.
pub(super) fn check_sides(rows: u64, cols: u64) -> std::result::Result<(), String> {
    for (n, what) in [(rows, "rows"), (cols, "columns")] {
        if n > u32::MAX.into() {
            return Err(format!("{n} {what}: dimensions go up to {}", u32::MAX));
        }
    }
    Ok(())
}
