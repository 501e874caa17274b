//! The lines of an elimination over ℤ by their numbers of entries.

use crate::{Result, memory};

/// What the memory is for.
const LISTS: &str = "the columns of an elimination over Z";

/// Lines by number of entries, as far as they may have a unit; lines with other numbers are dropped when met.
#[derive(Default)]
pub(super) struct Buckets {
    pub rows: Vec<Vec<u32>>,
    pub cols: Vec<Vec<u32>>,
    /// Nothing lies below.
    pub least: usize,
}

impl Buckets {
    /// Files a line with so many entries.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    pub fn put(buckets: &mut Vec<Vec<u32>>, least: &mut usize, count: usize, line: u32) -> Result<()> {
        if count == 0 {
            return Ok(());
        }
        if buckets.len() <= count {
            memory::reserve(buckets, count + 1 - buckets.len(), LISTS)?;
            buckets.resize_with(count + 1, Vec::new);
        }
        *least = count.min(*least);
        memory::push(&mut buckets[count], line, LISTS)
    }
}
