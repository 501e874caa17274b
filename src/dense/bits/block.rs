//! Rows of the basis.

use super::line::{COLUMNS, Line, Run, gather, runs};
use super::tables::DEPTH;
use crate::{Result, memory};

/// Up to 64 rows that are the identity in their own pivot columns, and each 0 left of its pivot.
#[derive(Debug)]
pub(super) struct Block {
    pub(super) pivots: Vec<u32>,
    /// Strips × 64 rows: those that are not there yet are 0.
    pub(super) lines: Vec<Line>,
}

impl Block {
    /// A block without rows, of so many strips.
    pub(super) fn new(strips: usize) -> Result<Self> {
        let lines = memory::zeros(strips * DEPTH, "the basis of an elimination mod 2")?;
        Ok(Block { pivots: vec![], lines })
    }
    pub(super) fn is_full(&self) -> bool {
        self.pivots.len() == DEPTH
    }
    /// What the rows are in a strip.
    pub(super) fn strip(&self, strip: usize) -> &[Line] {
        &self.lines[strip * DEPTH..][..self.pivots.len()]
    }
    /// Strips before this one are zero in all rows.
    pub(super) fn first_strip(&self) -> usize {
        self.pivots.iter().min().map_or(0, |&j| j as usize / COLUMNS)
    }
    /// How the coefficients of its rows are gathered.
    pub(super) fn runs(&self) -> Vec<Run> {
        runs(&self.pivots)
    }
    /// The digits that its rows have in some columns.
    pub(super) fn gather(&self, runs: &[Run]) -> Vec<u64> {
        let mut digits = vec![0; self.pivots.len()];
        runs.iter().for_each(|&run| gather(run, self.strip(run.strip), &mut digits));
        digits
    }
}
