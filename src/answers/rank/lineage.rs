//! Where the lines of what is left come from once Schur complements were formed: what a minor is put together from.
//!
//! A nonsingular minor of a Schur complement, put beside the pivots, is one of the matrix before, whatever its rows
//! were divided by. The first pivots are entries of the matrix itself, a triangular chain; those of Schur complements
//! are lines like any others.

use super::minor::{Beyond, KnownComplement, Lines, Minor, Part};
use crate::elimination::Rounds;
use crate::pivots::Pivots;
use crate::{Result, memory};

/// What memory is asked for.
const LINES: &str = "the lines of a minor";

/// The lines of a minor so far, and the names of the lines that are left.
pub(super) struct Lineage {
    /// The first pivots, if a Schur complement of them was formed.
    chain: Option<Pivots>,
    /// Those of Schur complements that were formed.
    beyond: Lines,
    /// What is left, as it is named in the matrix.
    left: Lines,
}

impl Lineage {
    /// Of a matrix of `rows` rows and `cols` columns, of which all is left.
    ///
    /// # Errors
    /// [`crate::Error::Memory`].
    pub fn of(rows: usize, cols: usize) -> Result<Self> {
        let all = |count: usize| memory::collect(0..count as u32, LINES);
        Ok(Lineage { chain: None, beyond: Lines::default(), left: Lines { rows: all(rows)?, cols: all(cols)? } })
    }
    /// Goes on to what `rounds` left, of which the first had `first` pivots.
    ///
    /// # Errors
    /// [`crate::Error::Memory`].
    pub fn follow(&mut self, rounds: &Rounds, first: usize) -> Result<()> {
        if rounds.rows.is_empty() {
            return Ok(());
        }
        let known = if self.chain.is_none() { first } else { 0 };
        let ((chain_rows, rows), (chain_cols, cols)) = (rounds.rows.split_at(known), rounds.cols.split_at(known));
        if self.chain.is_none() {
            let Lines { rows, cols } = Lines::named(chain_rows, chain_cols, &self.left)?;
            self.chain = Some(Pivots { rows, cols });
        }
        self.beyond.append(&Lines::named(rows, cols, &self.left)?)?;
        self.left = Lines::named(&rounds.rest_rows, &rounds.rest_cols, &self.left)?;
        Ok(())
    }
    /// The minor that `pivots` of what is left and lines without a pivot complete, of the transpose if `transposed`.
    ///
    /// # Errors
    /// [`crate::Error::Memory`].
    pub fn minor(self, pivots: Pivots, last: Beyond, transposed: bool) -> Result<Minor> {
        let Lineage { chain, mut beyond, left } = self;
        let Beyond { lines: last, mut values } = last;
        let chain = match chain {
            Some(chain) => {
                // What is known is a complement of a complement.
                values = None;
                beyond.append(&Lines::named(&pivots.rows, &pivots.cols, &left)?)?;
                chain
            }
            // Nothing was formed: all lines have their own names.
            None => pivots,
        };
        beyond.append(&Lines::named(&last.rows, &last.cols, &left)?)?;
        let triangular = chain.len();
        let (chain, beyond, values) = match transposed {
            true => {
                let beyond = Lines { rows: beyond.cols, cols: beyond.rows };
                (chain.transposed(), beyond, values.map(Part::transposed))
            }
            false => (chain, beyond, values),
        };
        let mut all = Lines { rows: chain.rows, cols: chain.cols };
        all.append(&beyond)?;
        let complement = values.map_or_else(KnownComplement::default, KnownComplement::of);
        Ok(Minor { rows: all.rows, cols: all.cols, triangular, complement })
    }
}
