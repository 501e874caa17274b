//! Elimination over GF(2), 64 columns a word, by the "method of four Russians" (Albrecht, Bard, Hart, "Efficient
//! multiplication of dense matrices over GF(2)", ACM TOMS 37, 2010): eight basis rows make a table of their 256 sums, and
//! one look-up clears eight pivot columns of a row.
//!
//! The basis grows as in [`panels`](super::panels): a panel of rows is cleared by every octet of basis rows in turn, then by
//! the octets that it yields itself. Each basis row is zero left of its pivot.

use super::Row;
use super::parallel::for_each_chunk;
use crate::isa::{Isa, Kernel};
use crate::{Result, memory};
use rayon::prelude::*;

/// Basis rows that share a table.
const OCTET: usize = 8;
/// Rows of a panel: enough to repay the tables, 256 row additions each.
const PANEL: usize = 1024;
/// Rows that repay the table of an octet: 256 row additions, where each row then takes one and not half of eight.
const MANY: usize = 100;
/// Rows of a task.
const TASK: usize = 32;
/// What memory is asked for.
const ROWS: &str = "a panel of an elimination mod 2";
const BASIS: &str = "the basis of an elimination mod 2";
const SUMS: &str = "a table of an elimination mod 2";
const REDUCED: &str = "a reduced echelon form mod 2";

/// Up to eight rows that are the identity in their own pivot columns.
#[derive(Debug, Default)]
struct Octet {
    pivots: Vec<u32>,
    /// The rows, one after the other.
    words: Vec<u64>,
}

/// A basis of the row space of the rows met so far.
#[derive(Debug)]
pub(super) struct Bits {
    /// Words of a row.
    width: usize,
    cols: usize,
    octets: Vec<Octet>,
    pub(super) pivot_rows: Vec<usize>,
    pub(super) pivot_cols: Vec<u32>,
    rows_seen: usize,
}

#[inline(always)]
fn add(y: &mut [u64], x: &[u64]) {
    y.iter_mut().zip(x).for_each(|(y, x)| *y ^= x);
}

#[inline(always)]
pub(super) fn bit(row: &[u64], j: u32) -> bool {
    row[j as usize / 64] >> (j % 64) & 1 == 1
}

/// The sums of all subsets of the rows of an octet.
#[derive(Debug)]
struct Table {
    /// The words before this one are zero in all rows, and are left out.
    from: usize,
    sums: Vec<u64>,
}

/// Writes the table of an octet, whose sums are zeros as yet.
struct Fill<'a> {
    octet: &'a Octet,
    width: usize,
    table: &'a mut Table,
}

impl Kernel for Fill<'_> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let Fill { octet, width, table: Table { from, sums } } = self;
        let (from, short) = (*from, width - *from);
        for subset in 1..1 << octet.pivots.len() {
            let (done, rest) = sums.split_at_mut(subset * short);
            let entry = &mut rest[..short];
            entry.copy_from_slice(&done[(subset & (subset - 1)) * short..][..short]);
            add(entry, &octet.words[subset.trailing_zeros() as usize * width + from..][..short]);
        }
    }
}

/// Clears the pivot columns of an octet from rows.
struct Clear<'a> {
    octet: &'a Octet,
    table: Option<&'a Table>,
    width: usize,
    rows: &'a mut [u64],
}

impl Kernel for Clear<'_> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        for row in self.rows.chunks_exact_mut(self.width) {
            match self.table {
                Some(table) => self.octet.clear_by(table, row),
                None => self.octet.clear_row(row),
            }
        }
    }
}

impl Octet {
    /// Clears the pivot columns of `row` by one basis row after the other.
    #[inline(always)]
    fn clear_row(&self, row: &mut [u64]) {
        for (own, &j) in self.words.chunks_exact(row.len()).zip(&self.pivots) {
            if bit(row, j) {
                add(&mut row[j as usize / 64..], &own[j as usize / 64..]);
            }
        }
    }
    /// The same by one look-up.
    #[inline(always)]
    fn clear_by(&self, table: &Table, row: &mut [u64]) {
        let subset = self.pivots.iter().enumerate().fold(0, |s, (t, &j)| s | (bit(row, j) as usize) << t);
        if subset != 0 {
            let row = &mut row[table.from..];
            add(row, &table.sums[subset * row.len()..][..row.len()]);
        }
    }
    /// The table, if so many rows repay it.
    fn table(&self, width: usize, rows: usize) -> Result<Option<Table>> {
        if rows < MANY {
            return Ok(None);
        }
        let from = self.pivots.iter().min().map_or(0, |&j| j as usize / 64);
        let mut table = Table { from, sums: memory::zeros((width - from) << self.pivots.len(), SUMS)? };
        Isa::best().run(Fill { octet: self, width, table: &mut table });
        Ok(Some(table))
    }
    /// Clears the pivot columns of all `rows`.
    fn clear(&self, width: usize, rows: &mut [u64]) -> Result<()> {
        let table = self.table(width, rows.len() / width)?;
        let table = table.as_ref();
        for_each_chunk(rows, TASK * width, TASK * width * size_of::<u64>(), |_, rows| {
            Isa::best().run(Clear { octet: self, table, width, rows });
        });
        Ok(())
    }
    /// Adds a row that is zero in the pivot columns, and keeps the identity there.
    fn push(&mut self, row: &[u64], pivot: u32) -> Result<()> {
        memory::reserve(&mut self.words, row.len(), BASIS)?;
        for own in self.words.chunks_mut(row.len()) {
            if bit(own, pivot) {
                add(own, row);
            }
        }
        self.words.extend_from_slice(row);
        self.pivots.push(pivot);
        Ok(())
    }
}

impl Bits {
    /// Rows that one call of [`Bits::absorb`] should bring.
    pub(super) const STEP: usize = PANEL;

    pub(super) fn new(cols: usize) -> Self {
        Bits { width: cols.div_ceil(64), cols, octets: vec![], pivot_rows: vec![], pivot_cols: vec![], rows_seen: 0 }
    }

    /// Adds sparse rows to the span.
    pub(super) fn absorb(&mut self, rows: &[Row<'_>]) -> Result<()> {
        self.absorb_panel(rows.len(), |i, line| {
            for (&j, _) in rows[i].0.iter().zip(rows[i].1).filter(|(_, v)| **v != 0) {
                line[j as usize / 64] |= 1 << (j % 64);
            }
        })
    }
    /// Adds `rows` rows to the span that lie row-major in `data`, an integer each entry.
    pub(super) fn absorb_dense<R: Copy + Into<u64> + Sync>(&mut self, rows: usize, data: &[R]) -> Result<()> {
        let cols = self.cols;
        self.absorb_panel(rows, |i, line| {
            for (word, entries) in line.iter_mut().zip(data[i * cols..][..cols].chunks(64)) {
                *word = entries.iter().rev().fold(0, |word, &x| word << 1 | (x.into() & 1));
            }
        })
    }

    /// Adds rows to the span; `fill(i, row)` writes row i, which is zero before.
    fn absorb_panel(&mut self, rows: usize, fill: impl Fn(usize, &mut [u64]) + Sync) -> Result<()> {
        let (width, first) = (self.width, self.rows_seen);
        self.rows_seen += rows;
        if self.pivot_rows.len() == self.cols || rows == 0 {
            return Ok(());
        }
        let mut panel = memory::zeros::<u64>(rows * width, ROWS)?;
        panel.par_chunks_mut(width).with_min_len(16).enumerate().for_each(|(i, line)| fill(i, line));
        for octet in &self.octets {
            octet.clear(width, &mut panel)?;
        }
        let mut open = Octet::default();
        let mut rest = panel.as_mut_slice();
        for number in first..self.rows_seen {
            let (row, behind) = rest.split_at_mut(width);
            open.clear_row(row);
            if let Some(word) = row.iter().position(|w| *w != 0) {
                let pivot = word as u32 * 64 + row[word].trailing_zeros();
                open.push(row, pivot)?;
                self.pivot_rows.push(number);
                self.pivot_cols.push(pivot);
                if open.pivots.len() == OCTET {
                    open.clear(width, behind)?;
                    self.octets.push(std::mem::take(&mut open));
                }
            }
            rest = behind;
        }
        if !open.pivots.is_empty() {
            self.octets.push(open);
        }
        Ok(())
    }

    /// Bytes of a basis of `rank` rows, and what [`Bits::absorb`] needs besides: a panel and a table.
    pub(super) fn memory(rank: usize, cols: usize) -> [u64; 2] {
        let row = cols.div_ceil(64) * size_of::<u64>();
        let numbers = size_of::<usize>() + 2 * size_of::<u32>();
        [rank * (row + numbers), (PANEL + (1 << OCTET)) * row].map(|bytes| bytes as u64)
    }
    /// Bytes that the basis holds.
    #[cfg(test)]
    pub(super) fn held(&self) -> u64 {
        let words: usize = self.octets.iter().map(|octet| octet.words.capacity()).sum();
        let numbers = self.pivot_rows.len() * (size_of::<usize>() + 2 * size_of::<u32>());
        (words * size_of::<u64>() + numbers) as u64
    }

    /// The rows of the reduced row echelon form, all columns, in the order of `pivot_cols`.
    pub(super) fn into_reduced(mut self) -> Result<Vec<u64>> {
        let width = self.width;
        for last in (1..self.octets.len()).rev() {
            let (earlier, rest) = self.octets.split_at_mut(last);
            let octet = &rest[0];
            let table = octet.table(width, OCTET * last)?;
            let table = table.as_ref();
            earlier.par_iter_mut().for_each(|earlier| {
                Isa::best().run(Clear { octet, table, width, rows: &mut earlier.words });
            });
        }
        let mut rows = memory::with_capacity(self.pivot_rows.len() * width, REDUCED)?;
        self.octets.into_iter().for_each(|octet| rows.extend_from_slice(&octet.words));
        Ok(rows)
    }
}
