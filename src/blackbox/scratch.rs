//! Intermediate blocks, kept between products so that a Krylov step allocates nothing.

use crate::Result;
use crate::spmv::{Block, Lane};

/// A pool of blocks that belongs to the caller of a product.
#[derive(Debug, Default)]
pub struct Scratch {
    free: Vec<Block>,
}

impl Scratch {
    /// An empty pool.
    pub fn new() -> Self {
        Self::default()
    }
    /// A block of the given shape with unspecified content: one given back earlier where there is one, else a new one.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    pub fn take(&mut self, lane: Lane, rows: usize, width: usize) -> Result<Block> {
        match self.free.iter().position(|b| (b.lane(), b.rows(), b.width()) == (lane, rows, width)) {
            Some(k) => Ok(self.free.swap_remove(k)),
            None => Block::zeros(lane, rows, width),
        }
    }
    /// Returns a block to the pool.
    pub fn give(&mut self, block: Block) {
        self.free.push(block);
    }
}
