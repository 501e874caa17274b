//! Where the terms of a sequence come from: the coarse seam of block Wiedemann.
//!
//! Everything behind it, blocks, products and projections, may be in this process ([`Krylov`](super::Krylov)), on GPUs
//! or in several processes: what goes through it is s × s residues a term. A source is drawn and started when it is
//! made.

use crate::spmv::Block;
use crate::{Observer, Result};
use std::borrow::Cow;

/// A source of the terms S₀, S₁, … of one sequence, with entries of type E.
pub trait SequenceSource<E>: Send {
    /// s, the order of a term.
    fn block(&self) -> usize;
    /// Whether the work is done elsewhere, so that the processor has nothing to do while terms are made.
    fn is_elsewhere(&self) -> bool {
        false
    }
    /// Terms that are made together: 1, or 2 where each product makes two.
    fn together(&self) -> usize {
        1
    }
    /// Appends the next `count` terms, a multiple of those made together, each an s × s matrix row-major. The observer
    /// is told how many of them are done and may ask to stop between two.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory); [`Error::Interrupted`](crate::Error::Interrupted), after which the
    /// source continues after the terms already appended; [`Error::Device`](crate::Error::Device) where a device is its
    /// place.
    fn extend(&mut self, count: usize, terms: &mut Vec<E>, observer: &dyn Observer) -> Result<()>;
    /// The block that the next terms are made of: all that has to be kept to go on in another process. `None` if the
    /// source cannot be asked for it.
    ///
    /// # Errors
    /// [`Error::Device`](crate::Error::Device), [`Error::Memory`](crate::Error::Memory).
    fn state(&self) -> Result<Option<Cow<'_, Block>>> {
        Ok(None)
    }
    /// Goes on from the residues of such a block, row by row.
    ///
    /// # Errors
    /// [`Error::Device`](crate::Error::Device), [`Error::Memory`](crate::Error::Memory).
    ///
    /// # Panics
    /// If the source cannot be asked for one, or the residues have another shape.
    fn restore(&mut self, _residues: &[u64]) -> Result<()> {
        panic!("a source that has no state")
    }
}
