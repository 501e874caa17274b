//! The temporary files of this process, for a program that has to exit at once: read without locks and without
//! allocation.
//!
//! A few slots hold paths, byte by byte. A slot is claimed, filled, and then published by its length; a reader checks
//! its version before and after reading, and the version changes when the slot is released, so that a path is seen
//! whole or not at all. If all slots are taken, or a path is too long, the file is not in the list, and remains if the
//! process exits without unwinding.

use std::ffi::CStr;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicUsize, Ordering, fence};

/// The maximum number of files at a time.
const SLOTS: usize = 16;
/// Bytes of a path, including the terminating zero.
const LONGEST: usize = 1 << 10;

static FILES: [Slot; SLOTS] = [const { Slot::empty() }; SLOTS];

struct Slot {
    claimed: AtomicBool,
    version: AtomicUsize,
    /// The length of the path; 0 while there is none to read.
    length: AtomicUsize,
    bytes: [AtomicU8; LONGEST],
}

impl Slot {
    const fn empty() -> Slot {
        Slot {
            claimed: AtomicBool::new(false),
            version: AtomicUsize::new(0),
            length: AtomicUsize::new(0),
            bytes: [const { AtomicU8::new(0) }; LONGEST],
        }
    }

    /// Copies the path to `to`, zero-terminated; `None` if there is none, or it has just changed.
    fn read<'a>(&self, to: &'a mut [u8; LONGEST]) -> Option<&'a CStr> {
        let version = self.version.load(Ordering::Acquire);
        let length = self.length.load(Ordering::Acquire);
        if length == 0 {
            return None;
        }
        to.iter_mut().zip(&self.bytes[..length]).for_each(|(to, from)| *to = from.load(Ordering::Relaxed));
        to[length] = 0;
        fence(Ordering::Acquire);
        let same = self.version.load(Ordering::Relaxed) == version && self.length.load(Ordering::Relaxed) == length;
        same.then(|| CStr::from_bytes_with_nul(&to[..=length]).ok()).flatten()
    }
}

/// The entry of a file in the list, removed on drop.
#[derive(Debug)]
pub(super) struct Entry(Option<usize>);

impl Entry {
    /// Adds a file to the list.
    pub fn of(path: &Path) -> Entry {
        let path = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
        let path = path.as_os_str().as_encoded_bytes();
        if path.len() >= LONGEST {
            return Entry(None);
        }
        let claim =
            |slot: &Slot| slot.claimed.compare_exchange(false, true, Ordering::Acquire, Ordering::Relaxed).is_ok();
        let found = FILES.iter().position(claim);
        if let Some(k) = found {
            FILES[k].bytes.iter().zip(path).for_each(|(to, &from)| to.store(from, Ordering::Relaxed));
            FILES[k].length.store(path.len(), Ordering::Release);
        }
        Entry(found)
    }
}

impl Drop for Entry {
    fn drop(&mut self) {
        if let Some(slot) = self.0.map(|k| &FILES[k]) {
            slot.length.store(0, Ordering::Release);
            slot.version.fetch_add(1, Ordering::AcqRel);
            slot.claimed.store(false, Ordering::Release);
        }
    }
}

/// Calls `each` with the absolute path of every temporary file that an [`AtomicFile`](super::AtomicFile) of this
/// process is writing: for a program that exits without unwinding and wants to leave none behind. Allocates nothing and
/// never blocks.
pub fn unfinished_files(mut each: impl FnMut(&CStr)) {
    let mut buffer = [0; LONGEST];
    FILES.iter().for_each(|slot| {
        if let Some(path) = slot.read(&mut buffer) {
            each(path);
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listed(path: &str) -> bool {
        let mut found = false;
        unfinished_files(|p| found |= p.to_str() == Ok(path));
        found
    }

    #[test]
    fn files_are_listed_while_they_are_written() {
        let name = |k: usize| format!("/nowhere/unfinished-{k}.part");
        assert!(!listed(&name(0)));
        let first = Entry::of(Path::new(&name(0)));
        // More than there are slots: other tests may hold some, too.
        let others: Vec<Entry> = (1..=SLOTS).map(|k| Entry::of(Path::new(&name(k)))).collect();
        assert!(listed(&name(0)) && others.last().unwrap().0.is_none() && !listed(&name(SLOTS)));
        drop(first);
        assert!(!listed(&name(0)) && listed(&name(1)));
        let again = Entry::of(Path::new("/x"));
        assert!(again.0.is_some() && listed("/x"));
        drop(others);
        assert!(!listed(&name(1)) && listed("/x"));
        let long = format!("/{}", "x".repeat(LONGEST));
        assert!(Entry::of(Path::new(&long)).0.is_none() && !listed(&long));
    }
}
