//! Scratch memory for transforms: rows on huge pages, used again by the next product.
//!
//! A product touches tens of megabytes once. With fresh 4 KiB pages their faults and clearing cost as much as the
//! transforms, and the strided walks miss the address cache. So large buffers are mapped anonymously with the advice to
//! use huge pages, and while somebody [keeps](super::Kept) scratch, some of all but the smallest, [`KEPT`] bytes and
//! [`PLACES`] at most in the whole program, wait for the next product: they are not cleared again, which one thread
//! would do while the others wait.

use super::keepers::is_kept;
use super::simd::Row;
use crate::memory::Pages;
use crate::{Result, memory};
use std::ops::{Deref, DerefMut};
use std::sync::{Mutex, PoisonError};

/// From this size on memory is mapped: one huge page.
const MAPPED: usize = 2 << 20;
/// From this size on memory waits for reuse.
const REUSED: usize = 4 << 10;
/// The most that waits for reuse.
const KEPT: usize = 128 << 20;
/// The most buffers that wait.
const PLACES: usize = 128;
/// What the memory is for.
const WHAT: &str = "scratch of transforms";

/// Rows from one group of a transform to the next: the points and one tile more where they are many, for lists that
/// begin at multiples of a large power of two would all meet in a few sets of the caches.
pub(crate) fn padded(points: usize) -> usize {
    if points < 64 { points } else { points + 8 }
}

static WAITING: Mutex<Vec<Memory>> = Mutex::new(Vec::new());

/// Gives back what waits.
pub(super) fn give_back() {
    WAITING.lock().unwrap_or_else(PoisonError::into_inner).clear();
}

/// A slice of rows whose first content is unspecified.
#[derive(Debug)]
pub(crate) struct Buffer {
    memory: Memory,
    len: usize,
}

#[derive(Debug)]
enum Memory {
    Heap(Vec<Row>),
    Mapped(Pages),
    /// What is left after dropping.
    Gone,
}

impl Memory {
    fn bytes(&self) -> usize {
        match self {
            Memory::Heap(rows) => size_of_val(&rows[..]),
            Memory::Mapped(map) => map.len(),
            Memory::Gone => 0,
        }
    }
}

impl Buffer {
    /// `len` rows with unspecified content.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    pub(crate) fn new(len: usize) -> Result<Self> {
        let bytes = len * size_of::<Row>();
        if bytes >= REUSED {
            let mut waiting = WAITING.lock().unwrap_or_else(PoisonError::into_inner);
            let fits = |memory: &Memory| (bytes..=2 * bytes).contains(&memory.bytes());
            let best = (0..waiting.len()).filter(|&i| fits(&waiting[i])).min_by_key(|&i| waiting[i].bytes());
            if let Some(i) = best {
                return Ok(Buffer { memory: waiting.remove(i), len });
            }
        }
        let memory = match bytes < MAPPED {
            true => Memory::Heap(memory::filled(Row::default(), len, WHAT)?),
            false => Memory::Mapped(memory::mapped(bytes, WHAT)?),
        };
        Ok(Buffer { memory, len })
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        let memory = std::mem::replace(&mut self.memory, Memory::Gone);
        let bytes = memory.bytes();
        if bytes < REUSED {
            return;
        }
        let mut waiting = WAITING.lock().unwrap_or_else(PoisonError::into_inner);
        // Asked under the lock: who ceases to keep scratch clears the list after saying so.
        let most = if is_kept() { KEPT } else { 0 };
        if bytes > most {
            return;
        }
        let mut total = bytes + waiting.iter().map(Memory::bytes).sum::<usize>();
        // What has waited longest goes.
        let mut gone = 0;
        while total > most || waiting.len() - gone >= PLACES {
            total -= waiting[gone].bytes();
            gone += 1;
        }
        let gone: Vec<Memory> = waiting.drain(..gone).collect();
        waiting.push(memory);
        drop(waiting);
        drop(gone);
    }
}

impl Clone for Buffer {
    fn clone(&self) -> Self {
        // `Clone` knows no refusal: nothing in the library copies a buffer.
        let mut copy = memory::or_panic(Buffer::new(self.len));
        copy.copy_from_slice(self);
        copy
    }
}

impl Deref for Buffer {
    type Target = [Row];
    fn deref(&self) -> &[Row] {
        match &self.memory {
            Memory::Heap(rows) => &rows[..self.len],
            Memory::Mapped(map) => bytemuck::cast_slice(&map[..self.len * size_of::<Row>()]),
            Memory::Gone => &[],
        }
    }
}

impl DerefMut for Buffer {
    fn deref_mut(&mut self) -> &mut [Row] {
        match &mut self.memory {
            Memory::Heap(rows) => &mut rows[..self.len],
            Memory::Mapped(map) => bytemuck::cast_slice_mut(&mut map[..self.len * size_of::<Row>()]),
            Memory::Gone => &mut [],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every size is writable to its end, keeps what was written while others come and go, and waiting memory is
    /// bounded.
    #[test]
    fn buffers_are_apart_and_bounded() {
        let edge = MAPPED / size_of::<Row>();
        let _kept = super::super::Kept::new();
        let mut held = Vec::new();
        for (i, len) in [0, 1, 63, 64, 65, edge - 1, edge, edge + 1, 3 * edge, edge, 70 * edge].into_iter().enumerate()
        {
            let mut buffer = Buffer::new(len).unwrap();
            assert_eq!(buffer.len(), len);
            buffer.fill(Row([i as u64; 8]));
            drop(Buffer::new(len + 7).unwrap());
            held.push((i, buffer.clone()));
        }
        for (i, buffer) in held {
            assert!(buffer.iter().all(|row| *row == Row([i as u64; 8])));
        }
        let waiting = WAITING.lock().unwrap_or_else(PoisonError::into_inner);
        assert!(waiting.iter().map(Memory::bytes).sum::<usize>() <= KEPT && waiting.len() <= PLACES);
    }
}
