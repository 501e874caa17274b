//! Elimination over GF(2) by the "method of four Russians" (Albrecht, Bard, Hart, "Efficient multiplication of dense
//! matrices over GF(2)", ACM TOMS 37, 2010), on strips of 512 columns, which are vectors of a cache line each
//! ([`mod@line`]).
//!
//! The basis lies in [`Block`]s of 64 rows that are the identity in their own pivot columns, so that the 64
//! coefficients by which a row is cleared are its own digits there, a word. A panel of rows is cleared by every block
//! in turn ([`panel`]) with tables that stay in the first cache ([`tables`]); what is left of it is searched for pivots
//! in windows of 64 columns ([`pivots`], [`search`]), as in the decomposition of Albrecht, Bard, Pernet, "Efficient
//! dense Gaussian elimination over the finite field with two elements", 2011, but by rows in their order.
//!
//! Invariants: all blocks but the last are full; a block is 0 in the pivot columns of those before it; each row is 0
//! left of its pivot, so that the pivot columns are the column rank profile; a row is only ever changed by rows above
//! it, so that the pivot rows are the row rank profile.

mod block;
mod line;
mod panel;
mod pivots;
mod reduced;
mod search;
mod state;
mod tables;
#[cfg(test)]
mod tests;
mod transpose;

use super::Row;
use crate::field::Rng;
use crate::isa::Isa;
use crate::{Result, memory};
use block::Block;
use line::{COLUMNS, Line, Pack};
use panel::{Panel, STAGE};
use rand::Rng as _;
pub(super) use reduced::Rows;
use search::Search;
use tables::DEPTH;
use transpose::Transpose;
pub(super) use transpose::WORDS;

/// Rows of a panel: enough to repay the tables, few enough that a strip of them stays in the second cache.
const PANEL: usize = 2048;

/// A basis of the row space of the rows met so far.
#[derive(Debug)]
pub(super) struct Bits {
    /// Strips of a row.
    strips: usize,
    pub(super) cols: usize,
    blocks: Vec<Block>,
    pub(super) pivot_rows: Vec<usize>,
    pub(super) pivot_cols: Vec<u32>,
    pub(super) rows_seen: usize,
}

impl Bits {
    /// Rows that one call of [`Bits::absorb`] should bring.
    pub(super) const STEP: usize = PANEL;

    pub(super) fn new(cols: usize) -> Self {
        let strips = cols.div_ceil(COLUMNS);
        Bits { strips, cols, blocks: vec![], pivot_rows: vec![], pivot_cols: vec![], rows_seen: 0 }
    }

    /// Adds sparse rows to the span.
    pub(super) fn absorb(&mut self, rows: &[Row<'_>]) -> Result<()> {
        let strips = self.strips;
        self.absorb_panel(rows.len(), |first, lines| {
            for (line, (cols, values)) in lines.chunks_exact_mut(strips).zip(&rows[first..]) {
                for (&j, _) in cols.iter().zip(*values).filter(|(_, v)| **v != 0) {
                    line[j as usize / COLUMNS].0[j as usize / 64 % line::WORDS] |= 1 << (j % 64);
                }
            }
        })
    }
    /// Adds `rows` rows to the span that lie row-major in `data`, an integer each entry.
    pub(super) fn absorb_dense<R: Copy + Into<u64> + Sync>(&mut self, rows: usize, data: &[R]) -> Result<()> {
        let (cols, strips) = (self.cols, self.strips);
        self.absorb_panel(rows, |first, lines| {
            for (i, row) in lines.chunks_exact_mut(strips).enumerate() {
                Isa::best().run(Pack { entries: &data[(first + i) * cols..][..cols], row });
            }
        })
    }

    /// Adds `rows` rows to the span, 512 of them in each of `blocks`, which hold [`WORDS`] words for each column.
    pub(super) fn absorb_columns(&mut self, rows: usize, blocks: &[&[u32]]) -> Result<()> {
        self.absorb_made(rows, |strips| {
            Panel::by_strips(rows, strips, |strip, lines| {
                for (rows, block) in lines.chunks_mut(COLUMNS).zip(blocks) {
                    let columns = block.chunks(COLUMNS * WORDS).nth(strip).expect("a strip of the columns");
                    Isa::best().run(Transpose { columns, rows });
                }
            })
        })
    }

    /// Adds rows to the span; `fill(i, lines)` writes the rows from i on, row-major, which are zero before.
    fn absorb_panel(&mut self, rows: usize, fill: impl Fn(usize, &mut [Line]) + Sync) -> Result<()> {
        self.absorb_made(rows, |strips| Panel::new(rows, strips, fill))
    }
    fn absorb_made(&mut self, rows: usize, make: impl FnOnce(usize) -> Result<Panel>) -> Result<()> {
        let first = self.rows_seen;
        self.rows_seen += rows;
        if self.pivot_rows.len() == self.cols || rows == 0 {
            return Ok(());
        }
        let mut panel = make(self.strips)?;
        panel.clear(&self.blocks)?;
        let (rows, cols) = Search::new(panel, &mut self.blocks).run()?;
        self.pivot_rows.extend(rows.iter().map(|i| first + i));
        self.pivot_cols.extend(cols);
        Ok(())
    }

    /// See [`Echelon::orthogonal`](super::Echelon::orthogonal).
    pub(super) fn orthogonal(&self, count: usize, rng: &mut Rng) -> Result<Vec<u64>> {
        const VECTORS: &str = "vectors orthogonal to a basis mod 2";
        let mut is_free = memory::filled(true, self.cols, VECTORS)?;
        self.pivot_cols.iter().for_each(|&j| is_free[j as usize] = false);
        let mut vectors = memory::zeros(self.cols * count, VECTORS)?;
        let mut x = memory::zeros::<Line>(self.strips, VECTORS)?;
        for lane in 0..count {
            x.fill(Line::default());
            for j in (0..self.cols).filter(|&j| is_free[j]) {
                x[j / COLUMNS].0[j / 64 % line::WORDS] |= (rng.next_u64() & 1) << (j % 64);
            }
            // Rows of a block are the identity in its pivot columns, and 0 in those of the blocks before it.
            for block in self.blocks.iter().rev() {
                for (i, &j) in block.pivots.iter().enumerate() {
                    let odd = (0..self.strips).map(|s| block.lines[s * DEPTH + i].is_odd_with(&x[s]));
                    let odd = odd.fold(false, |sum, odd| sum ^ odd);
                    x[j as usize / COLUMNS].0[j as usize / 64 % line::WORDS] |= u64::from(odd) << (j % 64);
                }
            }
            let bit = |j: usize| x[j / COLUMNS].0[j / 64 % line::WORDS] >> (j % 64) & 1;
            (0..self.cols).for_each(|j| vectors[j * count + lane] = bit(j));
        }
        Ok(vectors)
    }

    /// Bytes of a basis of `rank` rows, and what [`Bits::absorb`] needs in addition: a panel, the rows that are being
    /// cut, and coefficients.
    pub(super) fn memory(rank: usize, cols: usize) -> [u64; 2] {
        let row = cols.div_ceil(COLUMNS) * size_of::<Line>();
        let numbers = size_of::<usize>() + 2 * size_of::<u32>();
        let basis = rank.next_multiple_of(DEPTH) * row + rank * numbers;
        [basis, (PANEL + STAGE) * row + 16 * PANEL * size_of::<u64>()].map(|bytes| bytes as u64)
    }
    /// Bytes that the basis holds.
    #[cfg(test)]
    pub(super) fn held(&self) -> u64 {
        let lines: usize = self.blocks.iter().map(|block| block.lines.capacity()).sum();
        let numbers = self.pivot_rows.len() * (size_of::<usize>() + 2 * size_of::<u32>());
        (lines * size_of::<Line>() + numbers) as u64
    }

    /// The rows of the reduced row echelon form, in the order of `pivot_cols`.
    pub(super) fn into_reduced(self) -> Result<Rows> {
        Rows::new(&self.blocks, self.strips, self.cols)
    }
}
