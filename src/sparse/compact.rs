//! Matrices most of whose lines are empty: the non-empty lines are renumbered, so that anything as long as a side of
//! the matrix is proportional to the number of entries.
//!
//! A header may declare 2³² - 1 rows for one entry. Everything that stores a word per line begins with
//! [`Triplets::compact`]: it leaves a side unchanged that has at most [`SPARE`]·nnz + [`FEW`] lines, and takes the
//! non-empty lines of a longer one. Both sides of the result are therefore bounded by that, and [`LineMap`]s lead back
//! to the lines of the original matrix. Rank, minors, components, symmetry and the values of the entries are those of
//! the whole matrix.

use crate::sparse::Triplets;
use crate::{Result, memory};
use std::borrow::Cow;

/// A side is left unchanged if it has at most this many lines per non-zero entry …
const SPARE: usize = 4;
/// … plus this many.
const FEW: usize = 1 << 16;

/// The numbers of the rows or columns that were kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineMap {
    /// Lines of the whole matrix.
    whole: usize,
    /// The numbers of the kept lines, ascending; `None` for all.
    kept: Option<Vec<u32>>,
}

impl LineMap {
    /// All of `whole` lines.
    pub fn identity(whole: usize) -> Self {
        LineMap { whole, kept: None }
    }
    /// The lines that occur in `lines`, if the whole has too many.
    fn of(lines: &[u32], whole: usize) -> Result<Self> {
        if whole <= lines.len().saturating_mul(SPARE).saturating_add(FEW) {
            return Ok(LineMap::identity(whole));
        }
        let mut kept = memory::copy(lines, "the numbers of the non-empty lines")?;
        if !kept.is_sorted() {
            kept.sort_unstable();
        }
        kept.dedup();
        kept.shrink_to_fit();
        Ok(LineMap { whole, kept: Some(kept) })
    }
    /// Lines of the whole matrix.
    pub fn whole(&self) -> usize {
        self.whole
    }
    /// Lines that were kept.
    pub fn len(&self) -> usize {
        self.kept.as_ref().map_or(self.whole, Vec::len)
    }
    /// Whether no line was kept.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// Lines that were left out; they are empty.
    pub fn dropped(&self) -> usize {
        self.whole - self.len()
    }
    /// The number, in the whole matrix, of the kept line `i`.
    ///
    /// # Panics
    /// If there is no such line.
    pub fn number(&self, i: u32) -> u32 {
        self.kept.as_ref().map_or(i, |kept| kept[i as usize])
    }
    /// The position of line `number` of the whole matrix among the kept lines; `None` if it was left out or does not
    /// exist.
    pub fn place(&self, number: u32) -> Option<u32> {
        match &self.kept {
            Some(kept) => kept.binary_search(&number).ok().map(|i| i as u32),
            None => ((number as usize) < self.whole).then_some(number),
        }
    }
}

/// Which rows and columns of the whole matrix those of a compact one are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineMaps {
    /// The rows.
    pub rows: LineMap,
    /// The columns.
    pub cols: LineMap,
}

impl LineMaps {
    /// The lines of a whole matrix of that shape.
    pub fn identity(rows: usize, cols: usize) -> Self {
        LineMaps { rows: LineMap::identity(rows), cols: LineMap::identity(cols) }
    }
}

/// A matrix without its empty lines, if there are far too many of them.
#[derive(Clone, Debug)]
pub struct Compact<'a> {
    /// The matrix of the lines that were kept.
    pub matrix: Cow<'a, Triplets>,
    /// Which lines these are.
    pub lines: LineMaps,
}

impl Triplets {
    /// The matrix with sides of at most 4·nnz + 2¹⁶ lines, including all non-empty ones; the matrix itself if it
    /// already has this form. O(nnz log nnz) at most, no time if there is nothing to do.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    pub fn compact(&self) -> Result<Compact<'_>> {
        let lines = LineMaps { rows: LineMap::of(&self.row, self.rows)?, cols: LineMap::of(&self.col, self.cols)? };
        if lines.rows.kept.is_none() && lines.cols.kept.is_none() {
            return Ok(Compact { matrix: Cow::Borrowed(self), lines });
        }
        let renumber = |list: &[u32], map: &LineMap| -> Result<Vec<u32>> {
            let mut places = memory::copy(list, "the entries of a matrix without its empty lines")?;
            places.iter_mut().for_each(|i| *i = map.place(*i).expect("a line with an entry was kept"));
            Ok(places)
        };
        // Lines and entries keep their order.
        let matrix = Triplets {
            rows: lines.rows.len(),
            cols: lines.cols.len(),
            row: renumber(&self.row, &lines.rows)?,
            col: renumber(&self.col, &lines.cols)?,
            value: self.value.try_clone()?,
            big: self.big.clone(),
        };
        Ok(Compact { matrix: Cow::Owned(matrix), lines })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sparse::Integer;
    use num_bigint::BigInt;

    const HUGE: usize = u32::MAX as usize;

    #[test]
    fn ordinary_matrices_stay_as_they_are() {
        for (rows, cols) in [(0, 0), (3, 0), (0, 5), (4, 7), (FEW + SPARE, FEW)] {
            let entries = (rows.min(cols) > 0).then_some((0, 0, 5)).into_iter();
            let a = Triplets::from_entries(rows, cols, entries);
            let c = a.compact().unwrap();
            assert!(matches!(c.matrix, Cow::Borrowed(_)), "{rows} x {cols}");
            assert_eq!(c.lines, LineMaps::identity(rows, cols));
        }
    }

    #[test]
    fn sides_are_cut_one_by_one_and_lines_are_found_again() {
        let big = BigInt::from(1) << 70u32;
        for (rows, cols) in [(HUGE, HUGE), (HUGE, 10), (9, HUGE), (FEW + 4 * SPARE + 1, HUGE)] {
            let at = |k: usize| (k * (rows - 1) / 3, (7 * k % 4) * (cols - 1) / 3);
            let value = |k: usize| if k == 2 { Integer::from(big.clone()) } else { Integer::Small(k as i64 + 1) };
            let a = Triplets::from_entries(rows, cols, (0..4).map(|k| (at(k).0, at(k).1, value(k))));
            let c = a.compact().unwrap();
            assert!(c.matrix.rows() <= 4 * SPARE + FEW && c.matrix.cols() <= 4 * SPARE + FEW);
            assert_eq!((c.lines.rows.whole(), c.lines.cols.whole()), (rows, cols));
            assert_eq!((c.lines.rows.len(), c.lines.cols.len()), (c.matrix.rows(), c.matrix.cols()));
            let back = c.matrix.entries().map(|(i, j, v)| {
                let (i, j) = (c.lines.rows.number(i as u32), c.lines.cols.number(j as u32));
                (i as usize, j as usize, v)
            });
            assert!(back.eq(a.entries()), "{rows} x {cols}");
            for (k, (i, j, _)) in c.matrix.entries().enumerate() {
                let (row, col) = (a.row[k], a.col[k]);
                assert_eq!((c.lines.rows.place(row), c.lines.cols.place(col)), (Some(i as u32), Some(j as u32)));
            }
            if rows == HUGE {
                assert_eq!((c.lines.rows.len(), c.lines.rows.dropped()), (4, rows - 4));
                assert_eq!((c.lines.rows.place(1), c.lines.rows.place(u32::MAX)), (None, None));
            }
        }
    }

    #[test]
    fn without_entries_nothing_is_left_of_a_long_side() {
        let a = Triplets::from_entries(HUGE, 3, Vec::<(usize, usize, i64)>::new());
        let c = a.compact().unwrap();
        assert_eq!((c.matrix.rows(), c.matrix.cols()), (0, 3));
        assert!(c.lines.rows.is_empty());
        assert_eq!((c.lines.cols.place(2), c.lines.cols.place(3)), (Some(2), None));
    }
}
