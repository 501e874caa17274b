//! What kernels make for the processor, term by term: copied back half by half, while they fill the other half.

use crate::Result;
use crate::gpu::{Buffer, Event, Stream};

/// Bytes of both halves, if a term has not more.
const BYTES: usize = 16 << 20;

/// Room for the terms of two batches, or for what the processor makes them of.
#[derive(Debug)]
pub(super) struct Terms {
    /// All numbers, those of a slot one after the other.
    pub words: Buffer<u64>,
    /// Numbers of a slot, and slots of a half.
    pub each: usize,
    pub slots: usize,
    /// Copies do not wait for the work that goes on.
    copies: Stream,
    /// The ends of the work that fills each half.
    ends: [Option<Event>; 2],
}

impl Terms {
    /// Zeros on the GPU of `stream`: so many numbers for each term, and room for `most` terms at most in each half.
    pub fn new(stream: &Stream, each: usize, most: usize) -> Result<Terms> {
        let slots = (BYTES / 16 / each.max(1)).clamp(1, if cfg!(test) { 2 } else { most });
        Ok(Terms { words: stream.zeros(2 * slots * each)?, each, slots, copies: stream.beside()?, ends: [None, None] })
    }

    /// The number of the first slot of a half.
    pub fn first(&self, half: usize) -> usize {
        half * self.slots
    }

    /// The stream has been given all that fills the half.
    pub fn filled(&mut self, half: usize, stream: &Stream) -> Result<()> {
        self.ends[half] = Some(stream.mark()?);
        Ok(())
    }

    /// The first `count` slots of a half, once that is filled.
    pub fn take(&mut self, half: usize, count: usize) -> Result<Vec<u64>> {
        if let Some(end) = self.ends[half].take() {
            self.copies.wait(&end)?;
        }
        let first = self.first(half);
        self.copies.download_part(&self.words, first * self.each..(first + count) * self.each)
    }
}
