//! Memory-mapped files: the one place that maps memory.

use memmap2::{Advice, Mmap, UncheckedAdvice};
use std::cell::Cell;
use std::fs::File;
use std::ops::Deref;

/// How many bytes are released at a time: a multiple of any page size.
const STEP: usize = 2 << 20;

/// The content of a file.
pub(super) struct Mapped {
    map: Mmap,
    /// Bytes at the start that have been released.
    released: Cell<usize>,
}

impl Deref for Mapped {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.map
    }
}

impl Mapped {
    /// The first `read` bytes are no longer needed: releases them, so that they do not stay in the memory of the
    /// process.
    pub fn release(&self, read: usize) {
        let (from, to) = (self.released.get(), read.min(self.map.len()) / STEP * STEP);
        if to > from {
            // SAFETY: `DontNeed` may change what a private or anonymous map shows. This is a read-only map of a file:
            // bytes accessed again are re-read from the file. Only a hint: without it nothing is released.
            let _ = unsafe { self.map.unchecked_advise_range(UncheckedAdvice::DontNeed, from, to - from) };
            self.released.set(to);
        }
    }
}

/// The content of a regular file, or `None` if it cannot be mapped (pipes, devices, special file systems) and must be
/// read instead.
pub(super) fn map(file: &File) -> Option<Mapped> {
    if !file.metadata().is_ok_and(|meta| meta.is_file() && meta.len() > 0) {
        return None;
    }
    // SAFETY: the map is read-only and private to this process, and lives no longer than one `read`. What remains is
    // the contract of every reader of mapped files: nobody truncates or rewrites the file while it is being read.
    // Parsing is safe Rust over bytes, so a file rewritten meanwhile gives a wrong matrix or an error; a file truncated
    // meanwhile terminates the process with SIGBUS. The documentation of `io::read` says so.
    let map = unsafe { Mmap::map(file) }.ok()?;
    // Only a hint: without it reading is slower, not wrong.
    let _ = map.advise(Advice::Sequential);
    Some(Mapped { map, released: Cell::new(0) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn released_bytes_can_be_read_again() {
        let path = std::env::temp_dir().join(format!("blackfield-map-{}", std::process::id()));
        let bytes: Vec<u8> = (0..3 * STEP + 17).map(|k| (k % 251) as u8).collect();
        File::create(&path).unwrap().write_all(&bytes).unwrap();
        let map = map(&File::open(&path).unwrap()).unwrap();
        std::fs::remove_file(&path).unwrap();
        for read in [0, 5, STEP, STEP + 1, STEP, 3 * STEP, bytes.len(), usize::MAX] {
            map.release(read);
            assert!(map[..] == bytes[..], "{read} bytes released");
        }
        assert_eq!(map.released.get(), 3 * STEP);
    }
}
