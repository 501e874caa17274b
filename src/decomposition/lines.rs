//! Rows and columns by their numbers.

use crate::{Result, memory};

/// What the memory is for.
const LINES: &str = "the lines of a decomposition";

/// Rows and columns of a matrix, each in some order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lines {
    /// Numbers of rows.
    pub rows: Vec<u32>,
    /// Numbers of columns.
    pub cols: Vec<u32>,
}

impl Lines {
    /// All lines of a matrix of this shape.
    ///
    /// # Errors
    /// [`crate::Error::Memory`].
    pub fn all(rows: usize, cols: usize) -> Result<Lines> {
        let all = |count: usize| memory::collect(0..count as u32, LINES);
        Ok(Lines { rows: all(rows)?, cols: all(cols)? })
    }
    /// Lines of a matrix whose lines are `names` elsewhere, as they are named there.
    ///
    /// # Errors
    /// [`crate::Error::Memory`].
    ///
    /// # Panics
    /// If a line has no name.
    pub fn named(rows: &[u32], cols: &[u32], names: &Lines) -> Result<Lines> {
        let named = |lines: &[u32], names: &[u32]| memory::collect(lines.iter().map(|&k| names[k as usize]), LINES);
        Ok(Lines { rows: named(rows, &names.rows)?, cols: named(cols, &names.cols)? })
    }
    /// Adds others behind these.
    ///
    /// # Errors
    /// [`crate::Error::Memory`].
    pub fn append(&mut self, others: &Lines) -> Result<()> {
        memory::reserve(&mut self.rows, others.rows.len(), LINES)?;
        memory::reserve(&mut self.cols, others.cols.len(), LINES)?;
        self.rows.extend(&others.rows);
        self.cols.extend(&others.cols);
        Ok(())
    }
    /// The same lines of the transpose.
    pub fn transposed(self) -> Lines {
        Lines { rows: self.cols, cols: self.rows }
    }
}
