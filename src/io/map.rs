//! A file as memory: the one place that calls the operating system's memory map.

use memmap2::{Advice, Mmap};
use std::fs::File;

/// The content of a regular file, or `None` where it cannot be mapped (pipes, devices, special file systems): read it then.
pub(super) fn map(file: &File) -> Option<Mmap> {
    if !file.metadata().is_ok_and(|meta| meta.is_file() && meta.len() > 0) {
        return None;
    }
    // SAFETY: the map is read-only and private to this process, and lives no longer than one `read`. What remains is the
    // contract of every reader of mapped files: nobody shortens or rewrites the file while it is being read. Parsing is safe
    // Rust over bytes, so a file rewritten meanwhile gives a wrong matrix or an error; a file shortened meanwhile ends the
    // process with SIGBUS. The documentation of `io::read` says so.
    let map = unsafe { Mmap::map(file) }.ok()?;
    // A hint only: without it the reading is slower, not wrong.
    let _ = map.advise(Advice::Sequential);
    Some(map)
}
