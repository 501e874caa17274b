//! The rows of a reduced row echelon form over GF(2).

use super::block::Block;
use super::line::{COLUMNS, Line};
use super::tables::{DEPTH, Room};
use crate::dense::parallel::for_each_task;
use crate::isa::{Isa, Kernel};
use crate::{Result, memory};

/// Blocks that are substituted in a strip while it lies in a cache.
const GROUP: usize = 8;

/// Rows, strip by strip; strips without a free column are left out.
#[derive(Debug)]
pub(in super::super) struct Rows(Vec<Vec<Line>>);

/// Back substitution in one strip.
struct Substitute<'a> {
    /// For each of some blocks, its first row, its rows, and what all rows before it are cleared by; the last block
    /// first.
    by: &'a [(usize, usize, Vec<u64>)],
    lines: &'a mut [Line],
}

impl Kernel for Substitute<'_> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let mut room = Room::new();
        for (first, rows, coefficients) in self.by {
            let (before, rest) = self.lines.split_at_mut(*first);
            room.add(&rest[..*rows], coefficients, before);
        }
    }
}

impl Rows {
    /// The rows of `blocks`, all full but the last, reduced; each block is 0 in the pivot columns of those before it.
    pub(super) fn new(blocks: &[Block], strips: usize, cols: usize) -> Result<Self> {
        let rank = blocks.iter().map(|block| block.pivots.len()).sum();
        let mut pivots = vec![0; strips];
        blocks.iter().flat_map(|block| &block.pivots).for_each(|&j| pivots[j as usize / COLUMNS] += 1);
        let mut rows = memory::with_capacity(strips, "the strips of a reduced echelon form mod 2")?;
        for (s, pivots) in pivots.into_iter().enumerate() {
            let is_free = pivots < COLUMNS.min(cols - s * COLUMNS);
            let mut lines = memory::with_capacity(if is_free { rank } else { 0 }, "a reduced echelon form mod 2")?;
            blocks.iter().filter(|_| is_free).for_each(|block| lines.extend_from_slice(block.strip(s)));
            rows.push(lines);
        }
        for end in (2..=blocks.len()).rev().step_by(GROUP) {
            let mut by = vec![];
            for last in (end.saturating_sub(GROUP).max(1)..end).rev() {
                // Later blocks are 0 in its pivot columns, so that substituting them has not changed these entries.
                let runs = blocks[last].runs();
                let mut coefficients = memory::with_capacity(last * DEPTH, "a back substitution mod 2")?;
                blocks[..last].iter().for_each(|block| coefficients.extend(block.gather(&runs)));
                by.push((last * DEPTH, blocks[last].pivots.len(), coefficients));
            }
            let by = &by;
            let strips = rows.iter_mut().filter(|lines| !lines.is_empty());
            let tasks: Vec<Substitute<'_>> = strips.map(|lines| Substitute { by, lines }).collect();
            for_each_task(tasks, end * by.len() * DEPTH * 64, |task| Isa::best().run(task));
        }
        Ok(Rows(rows))
    }

    /// One row, with a one where some row has one.
    pub(in super::super) fn union(&self) -> Rows {
        let union = |lines: &Vec<Line>| if lines.is_empty() { vec![] } else { vec![Line::support(lines)] };
        Rows(self.0.iter().map(union).collect())
    }
    /// The entry of a row in a free column.
    #[inline(always)]
    pub(in super::super) fn bit(&self, row: usize, j: u32) -> bool {
        self.0[j as usize / COLUMNS][row].0[j as usize / 64 % 8] >> (j % 64) & 1 == 1
    }
}
