//! A basis over GF(2) as bytes: blocks as they lie in memory, so that what goes on from them is the same bit for bit.

use super::Bits;
use super::block::Block;
use super::line::{COLUMNS, Line, WORDS};
use super::tables::DEPTH;
use crate::report::{Bytes, State};
use crate::{Result, memory};

/// What the memory is for.
const BASIS: &str = "the basis of an elimination mod 2";

impl Bytes for Bits {
    fn write(&self, to: &mut Vec<u8>) -> Result<()> {
        let Bits { strips: _, cols, blocks, pivot_rows, pivot_cols, rows_seen } = self;
        (cols, rows_seen, pivot_rows, pivot_cols, blocks.len()).write(to)?;
        blocks.iter().try_for_each(|Block { pivots, lines }| {
            pivots.write(to)?;
            u64::write_all(bytemuck::cast_slice(lines), to)
        })
    }
}

impl State for Bits {
    fn read(from: &mut &[u8]) -> Option<Self> {
        let (cols, rows_seen, pivot_rows, pivot_cols, count): (usize, _, Vec<usize>, Vec<u32>, usize) =
            State::read(from)?;
        let mut basis = Bits { pivot_rows, pivot_cols, rows_seen, ..Bits::new(cols) };
        for _ in 0..count {
            let pivots = Vec::<u32>::read(from)?;
            let words = u64::read_all(cols.div_ceil(COLUMNS).checked_mul(DEPTH * WORDS)?, from)?;
            let lines = words.chunks_exact(WORDS).map(|words| Line(words.try_into().expect("a line of words")));
            memory::push(&mut basis.blocks, Block { pivots, lines: memory::collect(lines, BASIS).ok()? }, BASIS)
                .ok()?;
        }
        let found = basis.blocks.iter().flat_map(|block| &block.pivots);
        let all_full = basis.blocks.iter().rev().skip(1).all(Block::is_full);
        let is_whole = found.eq(&basis.pivot_cols) && all_full && basis.pivot_rows.len() == basis.pivot_cols.len();
        (is_whole && basis.pivot_cols.iter().all(|&j| (j as usize) < cols)).then_some(basis)
    }
}
