//! Where each line of a matrix begins among its entries, as compressed rows and columns have it.

use super::body::ENTRIES;
use crate::{Result, memory};
use std::ops::RangeInclusive;

/// The pointers read so far. Only lines with entries are kept: memory grows with what is there, never with the number
/// of lines that a header announces.
#[derive(Default)]
pub(super) struct Pointers {
    /// Lines that are not empty, each with the number of its first entry.
    begins: Vec<(u32, u64)>,
    seen: u64,
    last: u64,
}

impl Pointers {
    /// What the next pointer may be, if there are so many entries, counted from 0.
    pub fn allowed(&self, entries: u64) -> RangeInclusive<u64> {
        self.last..=if self.seen == 0 { 0 } else { entries }
    }

    /// Appends an allowed pointer: the beginning of the next line, and the end of the line before it.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    pub fn push(&mut self, pointer: u64) -> Result<()> {
        if pointer > self.last {
            memory::push(&mut self.begins, ((self.seen - 1) as u32, self.last), ENTRIES)?;
        }
        (self.seen, self.last) = (self.seen + 1, pointer);
        Ok(())
    }

    /// The last pointer: the number of all entries.
    pub fn last(&self) -> u64 {
        self.last
    }

    /// The line of each entry.
    pub fn lines(&self) -> impl Iterator<Item = u32> {
        let ends = self.begins.iter().skip(1).map(|(_, begin)| *begin).chain([self.last]);
        self.begins.iter().zip(ends).flat_map(|(&(line, begin), end)| (begin..end).map(move |_| line))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_entry_has_its_line() {
        for (pointers, lines) in
            [(&[0, 0, 2, 2, 3, 3][..], &[1, 1, 3][..]), (&[0, 1], &[0]), (&[0, 0], &[]), (&[], &[])]
        {
            let mut found = Pointers::default();
            for &pointer in pointers {
                assert!(found.allowed(3).contains(&pointer));
                found.push(pointer).unwrap();
            }
            assert_eq!(found.lines().collect::<Vec<u32>>(), lines, "{pointers:?}");
            assert_eq!(found.last(), lines.len() as u64);
        }
        let mut found = Pointers::default();
        assert_eq!(found.allowed(3), 0..=0);
        found.push(0).unwrap();
        found.push(2).unwrap();
        assert_eq!(found.allowed(3), 2..=3);
    }
}
