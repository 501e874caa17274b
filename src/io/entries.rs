//! Entries gathered one by one, for the formats that are not read in blocks.

use super::body::within_limit;
use super::options::{ReadOptions, duplicates};
use crate::sparse::{Coordinates, Fraction, FractionEntry, RationalMatrix};
use crate::{Result, memory};

/// How errors name them.
const ENTRIES: &str = "the entries of the matrix";

/// The entries of a matrix in any order.
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

    /// Appends an entry of the given line, 0-based; zeros are dropped.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    pub fn push(&mut self, row: u32, col: u32, value: Fraction<'static>, line: u64) -> Result<()> {
        let integers = &mut self.integers;
        if integers.row.len() == integers.row.capacity() {
            memory::reserve(&mut integers.row, 1, ENTRIES)?;
            let more = integers.row.capacity() - integers.row.len();
            memory::reserve(&mut integers.col, more, ENTRIES)?;
            integers.value.reserve(more)?;
        }
        match value.into_integer() {
            Ok(value) => integers.push(row, col, value),
            Err(value) => memory::push(&mut self.fractions, FractionEntry { row, col, value, line }, ENTRIES)?,
        }
        let held = integers.row.len() + self.fractions.len();
        if held.is_multiple_of(1 << 12) { self.check(held) } else { Ok(()) }
    }

    fn check(&self, held: usize) -> Result<()> {
        within_limit(held as u64, self.options.max_memory.unwrap_or(u64::MAX))
    }

    /// The matrix of all of them.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    pub fn finish(self, rows: u64, cols: u64) -> Result<RationalMatrix> {
        self.check(self.integers.row.len() + self.fractions.len())?;
        let merge = duplicates(self.options);
        RationalMatrix::gather(rows as usize, cols as usize, self.integers, self.fractions, merge)
    }
}
