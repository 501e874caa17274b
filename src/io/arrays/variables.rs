//! MATLAB's variables, in files of any version, and which of them is the matrix: the one selected by name, the only one
//! there is, or `Problem.A` of SuiteSparse's collection. Fields of a structure are named as in MATLAB.

use crate::io::packing::{Choice, Rank};
use crate::sparse::Triplets;
use crate::{Error, Result};
use std::path::Path;

/// The number of structures that may lie in each other.
pub(super) const DEEPEST: usize = 4;

/// The variables seen so far.
pub(super) struct Variables<'s> {
    choice: Choice<'s, Triplets>,
    selected: bool,
}

impl<'s> Variables<'s> {
    /// None seen yet; `select` is a name, or empty.
    pub fn new(select: &'s str) -> Self {
        Variables { choice: Choice::new("variable", select), selected: !select.is_empty() }
    }

    /// A variable that is no matrix.
    pub fn see(&mut self, name: &str) {
        self.choice.see(name);
    }

    /// A matrix, which is read if it may be the one; `is_field`: of a structure.
    pub fn offer(&mut self, name: &str, is_field: bool, read: impl FnOnce() -> Result<Triplets>) -> Result<()> {
        let rank = if name == "Problem.A" { Rank::Main } else { Rank::Matrix };
        // What a structure has beside it is data about the matrix.
        if is_field && rank != Rank::Main && !self.selected {
            self.choice.see(name);
            return Ok(());
        }
        match self.choice.wants(name, rank) {
            true => self.choice.found(name, rank, read()),
            false => Ok(()),
        }
    }

    /// The one that is meant.
    pub fn finish(self, file: &Path) -> Result<Triplets> {
        let one = self.choice.finish(&file.display().to_string());
        one.map_err(|message| Error::Input { file: file.to_path_buf(), line: 0, message })?
    }
}

/// The places of a full matrix in the order in which MATLAB has its elements: column by column.
pub(super) struct ByColumns {
    rows: u64,
    row: u32,
    col: u32,
}

impl ByColumns {
    /// From the first on, of a matrix with so many rows.
    pub fn new(rows: u64) -> Self {
        ByColumns { rows, row: 0, col: 0 }
    }

    /// Row and column of the next element.
    pub fn next(&mut self) -> (u32, u32) {
        let place = (self.row, self.col);
        let below = self.row + 1;
        (self.row, self.col) = if u64::from(below) == self.rows { (0, self.col + 1) } else { (below, self.col) };
        place
    }
}
