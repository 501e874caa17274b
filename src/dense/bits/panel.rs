//! A panel of rows, strip by strip, and how the basis clears it.

use super::block::Block;
use super::line::{Line, Run, gather};
use super::tables::{DEPTH, Room};
use crate::dense::parallel::{for_each_chunk, for_each_task};
use crate::isa::{Isa, Kernel};
use crate::{Result, memory};

/// Blocks that clear a strip one after the other while it lies in a cache.
const GROUP: usize = 8;
/// Rows that are written at once before they are cut into strips.
pub(super) const STAGE: usize = 128;
/// Rows of a task, at least, where the strips are too few for all threads.
const TASK: usize = 256;
/// What the memory is for.
const ROWS: &str = "a panel of an elimination mod 2";

/// Rows in strips of 512 columns.
#[derive(Debug)]
pub(super) struct Panel {
    pub(super) rows: usize,
    pub(super) strips: usize,
    /// Strips × rows.
    pub(super) lines: Vec<Line>,
}

/// Clears lines of one strip by blocks.
struct Clear<'a> {
    strip: usize,
    /// Blocks, and the coefficients of all rows.
    by: &'a [(&'a Block, Vec<u64>)],
    /// The number of the first row that is here.
    first: usize,
    lines: &'a mut [Line],
}

impl Kernel for Clear<'_> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let mut room = Room::new();
        for (block, coefficients) in self.by.iter().filter(|(block, _)| block.first_strip() <= self.strip) {
            room.add(block.strip(self.strip), &coefficients[self.first..][..self.lines.len()], self.lines);
        }
    }
}

impl Panel {
    /// Rows that `fill(first, lines)` writes from row `first` on, row-major; they are zero before.
    pub(super) fn new(rows: usize, strips: usize, fill: impl Fn(usize, &mut [Line]) + Sync) -> Result<Self> {
        let mut panel = Panel { rows, strips, lines: memory::zeros(rows * strips, ROWS)? };
        let height = STAGE.min(rows);
        let mut stage = memory::zeros::<Line>(height * strips, ROWS)?;
        for first in (0..rows).step_by(STAGE) {
            let height = height.min(rows - first);
            let stage = &mut stage[..height * strips];
            stage.fill(Line::default());
            for_each_chunk(stage, 8 * strips, 64 * strips * size_of::<Line>(), |i, lines| fill(first + 8 * i, lines));
            for_each_chunk(&mut panel.lines, rows, height * size_of::<Line>(), |s, lines| {
                lines[first..].iter_mut().zip(stage[s..].iter().step_by(strips)).for_each(|(to, from)| *to = *from);
            });
        }
        Ok(panel)
    }
    /// Rows that `fill(strip, lines)` writes strip by strip; they are zero before.
    pub(super) fn by_strips(rows: usize, strips: usize, fill: impl Fn(usize, &mut [Line]) + Sync) -> Result<Self> {
        let mut panel = Panel { rows, strips, lines: memory::zeros(rows * strips, ROWS)? };
        for_each_chunk(&mut panel.lines, rows, rows * size_of::<Line>(), fill);
        Ok(panel)
    }

    pub(super) fn strip(&self, strip: usize) -> &[Line] {
        &self.lines[strip * self.rows..][..self.rows]
    }
    /// The digits that the rows from `first` on have in some columns.
    pub(super) fn gather(&self, first: usize, runs: &[Run]) -> Result<Vec<u64>> {
        let mut digits = memory::zeros(self.rows - first, ROWS)?;
        runs.iter().for_each(|&run| gather(run, &self.strip(run.strip)[first..], &mut digits));
        Ok(digits)
    }

    /// Clears the pivot columns of all blocks, which are 0 in the pivot columns of those before them.
    pub(super) fn clear(&mut self, blocks: &[Block]) -> Result<()> {
        for group in blocks.chunks(GROUP) {
            // The strips with pivots must be up to date before the coefficients of the next block are gathered; the
            // others are visited once for the whole group.
            let runs: Vec<Vec<Run>> = group.iter().map(Block::runs).collect();
            let mut has_pivots = vec![false; self.strips];
            runs.iter().flatten().for_each(|run| has_pivots[run.strip] = true);
            let mut by = vec![];
            for (block, runs) in group.iter().zip(&runs) {
                let coefficients = self.gather(0, runs)?;
                if coefficients.iter().any(|&c| c != 0) {
                    by.push((block, coefficients));
                    self.clear_strips(&by[by.len() - 1..], |s| has_pivots[s]);
                }
            }
            if !by.is_empty() {
                self.clear_strips(&by, |s| !has_pivots[s]);
            }
        }
        Ok(())
    }
    fn clear_strips(&mut self, by: &[(&Block, Vec<u64>)], wanted: impl Fn(usize) -> bool) {
        let from = by.iter().map(|(block, _)| block.first_strip()).min().unwrap_or(0);
        let count = (from..self.strips).filter(|&s| wanted(s)).count();
        let parts = (2 * rayon::current_num_threads()).div_ceil(count.max(1));
        let height = self.rows.div_ceil(parts).max(TASK);
        let strips = self.lines.chunks_mut(self.rows).enumerate().skip(from).filter(|(s, _)| wanted(*s));
        let tasks: Vec<Clear<'_>> = strips
            .flat_map(|(strip, lines)| {
                let parts = lines.chunks_mut(height).enumerate();
                parts.map(move |(i, lines)| Clear { strip, by, first: i * height, lines })
            })
            .collect();
        let bytes = height.min(self.rows) * by.len() * DEPTH / 4 * size_of::<Line>() / 8;
        for_each_task(tasks, bytes, |task| Isa::best().run(task));
    }
}
