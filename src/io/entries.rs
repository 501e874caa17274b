//! Entries gathered one by one, for the formats that are not read in blocks.

use super::body::{ENTRIES, within_limit};
use super::options::{ReadOptions, duplicates};
use crate::sparse::{Coordinates, Fraction, FractionEntry, Integer, RationalMatrix, Triplets};
use crate::{Result, memory};

/// How many entries are appended between two looks at the limit.
const STEP: usize = 1 << 16;

/// The entries of a matrix in any order, 0-based; zeros are dropped.
pub(super) struct Entries<'o> {
    options: &'o ReadOptions,
    integers: Coordinates,
    fractions: Vec<FractionEntry>,
}

impl<'o> Entries<'o> {
    /// None yet.
    pub fn new(options: &'o ReadOptions) -> Self {
        Entries { options, integers: Coordinates::new(), fractions: vec![] }
    }

    /// Appends an entry, unless it is 0.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    #[inline]
    pub fn push(&mut self, row: u32, col: u32, value: Integer<'static>) -> Result<()> {
        if value.is_zero() {
            return Ok(());
        }
        let held = self.integers.row.len();
        if held == self.integers.row.capacity() || held.is_multiple_of(STEP) {
            self.grow()?;
        }
        if matches!(value, Integer::Big(_)) {
            memory::reserve(&mut self.integers.big, 1, ENTRIES)?;
        }
        self.integers.push(row, col, value);
        Ok(())
    }

    /// Appends an entry of the given line that may be a fraction.
    ///
    /// # Errors
    /// As [`Entries::push`].
    pub fn push_fraction(&mut self, row: u32, col: u32, value: Fraction<'static>, line: u64) -> Result<()> {
        match value.into_integer() {
            Ok(value) => self.push(row, col, value),
            Err(value) => {
                memory::push(&mut self.fractions, FractionEntry { row, col, value, line }, ENTRIES)?;
                if self.fractions.len().is_multiple_of(STEP) { self.check() } else { Ok(()) }
            }
        }
    }

    /// Makes room for one more integer at least, within the limit.
    fn grow(&mut self) -> Result<()> {
        let integers = &mut self.integers;
        memory::reserve(&mut integers.row, 1, ENTRIES)?;
        let more = integers.row.capacity() - integers.row.len();
        memory::reserve(&mut integers.col, more, ENTRIES)?;
        integers.value.reserve(more)?;
        self.check()
    }

    fn check(&self) -> Result<()> {
        let held = self.integers.row.len() + self.integers.big.len() + self.fractions.len();
        within_limit(held as u64, self.options.max_memory.unwrap_or(u64::MAX))
    }

    /// The matrix of all of them.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    pub fn finish(self, rows: u64, cols: u64) -> Result<RationalMatrix> {
        self.check()?;
        let merge = duplicates(self.options);
        RationalMatrix::gather(rows as usize, cols as usize, self.integers, self.fractions, merge)
    }

    /// The matrix of entries that are integers.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    pub fn integers(self, rows: u64, cols: u64) -> Result<Triplets> {
        self.check()?;
        let merge = duplicates(self.options);
        self.integers.canonical(rows as usize, cols as usize, merge)
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
