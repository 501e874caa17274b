//! How fast this machine moves bytes that no cache holds.

use super::fingerprint::Caches;
use super::measure::{Effort, least_of};
use crate::parallel::Each;
use crate::{Result, memory};
use rayon::prelude::*;

/// Bytes a second between memory and processor, those read and those written counted alike.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bandwidth {
    /// By one thread.
    pub one: f64,
    /// By all threads of the pool.
    pub all: f64,
}

/// Copies an array that is larger than the caches, by one thread and by all of rayon's current pool.
///
/// # Errors
/// [`Error::Memory`](crate::Error::Memory).
pub fn bandwidth(caches: Caches, effort: Effort) -> Result<Bandwidth> {
    // Large caches are shared by many cores: a quarter of a gigabyte is beyond what one process has of them.
    let bytes = match effort {
        Effort::Quick => 1 << 22,
        Effort::Round | Effort::Full => (4 * caches.l3).clamp(1 << 26, 1 << 28),
    };
    let words = bytes as usize / 8;
    let from: Vec<u64> = memory::filled(1, words, "a measurement of the memory")?;
    let mut to: Vec<u64> = memory::filled(2, words, "a measurement of the memory")?;
    let one = least_of(effort, || {
        to.copy_from_slice(&from);
        Ok(())
    })?;
    let piece = words.div_ceil(8 * rayon::current_num_threads());
    let all = least_of(effort, || {
        to.par_chunks_mut(piece).zip(from.par_chunks(piece)).each(|(to, from)| to.copy_from_slice(from));
        Ok(())
    })?;
    assert_eq!(to, from, "memory that was copied");
    let moved = 16.0 * words as f64;
    Ok(Bandwidth { one: moved / one, all: moved / all })
}
