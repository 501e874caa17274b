//! Triplets from entries in any order.

use super::Triplets;
use super::canonical::Coordinates;
use super::duplicates::Duplicates;
use crate::sparse::Integer;
use crate::{Error, Result, memory};

/// What the memory is for.
const ENTRIES: &str = "the entries of a matrix";

impl Triplets {
    /// The rows × cols matrix of the given entries (row, column, value), 0-based, in any order; values at one position
    /// are summed over the integers, zeros dropped.
    ///
    /// # Panics
    /// If an index is out of range, a dimension exceeds 2³² - 1, or memory runs out; [`Triplets::try_from_entries`]
    /// returns an error instead.
    pub fn from_entries<V: Into<Integer<'static>>>(
        rows: usize,
        cols: usize,
        entries: impl IntoIterator<Item = (usize, usize, V)>,
    ) -> Self {
        memory::or_panic(Triplets::try_from_entries(rows, cols, entries))
    }
    /// Fallible [`Triplets::from_entries`].
    ///
    /// # Errors
    /// [`Error::Matrix`] if an index is out of range or a dimension exceeds 2³² - 1, [`Error::Memory`].
    pub fn try_from_entries<V: Into<Integer<'static>>>(
        rows: usize,
        cols: usize,
        entries: impl IntoIterator<Item = (usize, usize, V)>,
    ) -> Result<Self> {
        if rows.max(cols) > u32::MAX as usize {
            return Err(Error::Matrix(format!("{rows} x {cols}: a dimension beyond 32-bit indices")));
        }
        let entries = entries.into_iter();
        let mut raw = room(entries.size_hint().0)?;
        for (i, j, v) in entries {
            if i >= rows || j >= cols {
                return Err(Error::Matrix(format!("entry ({i}, {j}) outside {rows} x {cols}, counted from 0")));
            }
            if raw.row.len() == raw.row.capacity() {
                reserve(&mut raw, 1)?;
            }
            raw.push(i as u32, j as u32, v.into());
        }
        raw.canonical(rows, cols, Duplicates::Sum)
    }

    /// The transpose, by a counting sort.
    ///
    /// # Panics
    /// If memory runs out; [`Triplets::try_transpose`] returns an error instead.
    pub fn transpose(&self) -> Triplets {
        memory::or_panic(self.try_transpose())
    }
    /// Fallible [`Triplets::transpose`].
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    pub fn try_transpose(&self) -> Result<Triplets> {
        let mut raw = room(self.nnz())?;
        for (i, j, v) in self.entries() {
            raw.push(j as u32, i as u32, v);
        }
        raw.canonical(self.cols, self.rows, Duplicates::Sum)
    }
}

/// No entries, with room for that many.
fn room(entries: usize) -> Result<Coordinates> {
    let mut raw = Coordinates::new();
    memory::reserve_exact(&mut raw.row, entries, ENTRIES)?;
    memory::reserve_exact(&mut raw.col, entries, ENTRIES)?;
    raw.value.reserve(entries)?;
    Ok(raw)
}
/// Room for that many more entries that fit a word. The three lists grow together.
#[cold]
fn reserve(raw: &mut Coordinates, more: usize) -> Result<()> {
    memory::reserve(&mut raw.row, more, ENTRIES)?;
    let more = raw.row.capacity() - raw.row.len();
    memory::reserve_exact(&mut raw.col, more, ENTRIES)?;
    raw.value.reserve(more)
}
