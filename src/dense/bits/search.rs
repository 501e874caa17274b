//! The pivots of a panel, and the rows of the basis that come of them.
//!
//! A window of 64 columns moves over the panel. The rows that are independent in it make a [`Step`]: the transform that
//! turns them into the identity in their pivot columns, and the coefficients by which they clear the other rows. A step
//! is at once applied to the strips that the window is in; to the strips beyond, all steps together when the window
//! gets there.

use super::block::Block;
use super::line::{COLUMNS, Line, runs};
use super::panel::Panel;
use super::pivots::Pivots;
use super::tables::{DEPTH, Room};
use crate::Result;
use crate::dense::parallel::for_each_task;
use crate::isa::{Isa, Kernel};

/// Rows of a panel that join a block.
#[derive(Debug)]
struct Step {
    /// The block, and how many rows it had.
    block: usize,
    before: usize,
    /// The places of the pivot rows in the panel, and the sums of them, a word each, that join the block.
    rows: Vec<u32>,
    transform: Vec<u64>,
    /// By which of the sums the rows are cleared that the block had,
    join: Vec<u64>,
    /// and the rows of the panel from `first` on.
    first: usize,
    coefficients: Vec<u64>,
}

impl Step {
    /// Takes the step in a strip of the panel and of the block.
    #[inline(always)]
    fn apply(&self, room: &mut Room, lines: &mut [Line], block: &mut [Line]) {
        let mut picked = [Line::default(); DEPTH];
        for (to, &i) in picked.iter_mut().zip(&self.rows) {
            *to = std::mem::take(&mut lines[i as usize]);
        }
        let (old, new) = block.split_at_mut(self.before);
        let new = &mut new[..self.rows.len()];
        room.add(&picked[..self.rows.len()], &self.transform, new);
        room.add(new, &self.join, old);
        room.add(new, &self.coefficients, &mut lines[self.first..]);
    }
}

/// Takes steps in one strip.
struct Apply<'a> {
    steps: &'a [Step],
    lines: &'a mut [Line],
    /// The blocks from that of the first step on.
    blocks: Vec<&'a mut [Line]>,
}

impl Kernel for Apply<'_> {
    type Output = ();
    #[inline(always)]
    fn run(mut self) {
        let mut room = Room::new();
        for step in self.steps {
            step.apply(&mut room, self.lines, self.blocks[step.block - self.steps[0].block]);
        }
    }
}

/// The search for the pivots of a panel that the blocks have been cleared from.
#[derive(Debug)]
pub(super) struct Search<'a> {
    panel: Panel,
    blocks: &'a mut Vec<Block>,
    /// The rows that became pivot rows.
    taken: Vec<bool>,
    /// All rows before this one did.
    first: usize,
    /// Strips before this one are up to date, where the window has not passed them.
    entered: usize,
    /// What the others lack.
    steps: Vec<Step>,
}

impl<'a> Search<'a> {
    pub(super) fn new(panel: Panel, blocks: &'a mut Vec<Block>) -> Self {
        let taken = vec![false; panel.rows];
        Search { panel, blocks, taken, first: 0, entered: 0, steps: vec![] }
    }

    /// Puts the span of the panel into the blocks; returns the pivot rows, ascending, and the pivot columns, in the
    /// order of the basis.
    pub(super) fn run(mut self) -> Result<(Vec<usize>, Vec<u32>)> {
        let (mut at, mut cols) = (0, vec![]);
        while let Some(column) = self.next(at) {
            if self.blocks.last().is_none_or(Block::is_full) {
                self.blocks.push(Block::new(self.panel.strips)?);
            }
            let limit = DEPTH - self.blocks[self.blocks.len() - 1].pivots.len();
            let found = Pivots::find(&self.window(column), limit);
            at = if found.rows.len() == limit { column } else { column + 64 };
            let pivots: Vec<u32> = found.bits.iter().map(|bit| column as u32 + bit).collect();
            self.step(found, &pivots)?;
            self.apply_to(column / COLUMNS..self.entered, self.steps.len() - 1);
            cols.extend(pivots);
        }
        let rows = (0..self.panel.rows).filter(|&i| self.taken[i]).collect();
        Ok((rows, cols))
    }

    /// The first column from `at` on that is not zero; all rows are 0 before `at`.
    fn next(&mut self, at: usize) -> Option<usize> {
        (at / COLUMNS..self.panel.strips).find_map(|s| {
            self.enter(s);
            let support = Line::support(&self.panel.strip(s)[self.first..]);
            support.first_from(at.saturating_sub(s * COLUMNS)).map(|j| s * COLUMNS + j)
        })
    }
    /// The 64 columns from `column` on of all rows from `first` on.
    fn window(&mut self, column: usize) -> Vec<u64> {
        let (strip, word, shift) = (column / COLUMNS, column / 64 % 8, column % 64);
        let words = |panel: &Panel, strip: usize, word: usize, first: usize| -> Vec<u64> {
            panel.strip(strip)[first..].iter().map(|line| line.0[word]).collect()
        };
        let mut low = words(&self.panel, strip, word, self.first);
        let next = strip * 8 + word + 1;
        if shift > 0 {
            low.iter_mut().for_each(|x| *x >>= shift);
            if next / 8 < self.panel.strips {
                self.enter(next / 8);
                let high = words(&self.panel, next / 8, next % 8, self.first);
                low.iter_mut().zip(high).for_each(|(x, y)| *x |= y << (64 - shift));
            }
        }
        low
    }

    /// Plans the step of the pivots that were found among the rows from `first` on.
    fn step(&mut self, found: Pivots, pivots: &[u32]) -> Result<()> {
        let last = self.blocks.len() - 1;
        let (block, runs) = (&mut self.blocks[last], runs(pivots));
        let rows: Vec<u32> = found.rows.iter().map(|i| self.first as u32 + i).collect();
        rows.iter().for_each(|&i| self.taken[i as usize] = true);
        while self.first < self.panel.rows && self.taken[self.first] {
            self.first += 1;
        }
        let mut coefficients = self.panel.gather(self.first, &runs)?;
        for &i in rows.iter().filter(|i| **i as usize >= self.first) {
            coefficients[i as usize - self.first] = 0;
        }
        let (before, join) = (block.pivots.len(), block.gather(&runs));
        block.pivots.extend(pivots);
        let transform = found.transform;
        self.steps.push(Step { block: last, before, rows, transform, join, first: self.first, coefficients });
        Ok(())
    }

    /// Brings a strip up to date, and all behind it.
    fn enter(&mut self, strip: usize) {
        if strip >= self.entered {
            self.apply_to(self.entered..self.panel.strips, 0);
            self.steps.clear();
            self.entered = strip + 1;
        }
    }
    /// Takes the steps from `from` on in some strips.
    fn apply_to(&mut self, strips: std::ops::Range<usize>, from: usize) {
        let steps = &self.steps[from..];
        let Some(step) = steps.first() else { return };
        let mut blocks: Vec<_> =
            self.blocks[step.block..].iter_mut().map(|b| b.lines.chunks_mut(DEPTH).skip(strips.start)).collect();
        let lines = self.panel.lines.chunks_mut(self.panel.rows).skip(strips.start).take(strips.len());
        let tasks: Vec<Apply<'_>> = lines
            .map(|lines| Apply { steps, lines, blocks: blocks.iter_mut().filter_map(Iterator::next).collect() })
            .collect();
        let bytes = steps.len() * (self.panel.rows - self.first) * DEPTH / 4 * size_of::<Line>() / 8;
        for_each_task(tasks, bytes, |task| Isa::best().run(task));
    }
}
