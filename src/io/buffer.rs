//! Bytes that a reader has filled a part of: read as they are asked for, by a reader that may write them by several
//! threads.

use crate::memory;
use std::io::{self, Read};
use std::ops::Deref;

/// What the memory is for.
pub(super) const TEXT: &str = "the text of a matrix";
/// Bytes of the first room, and by what factor it grows: a short text takes little, and a long one is seldom moved.
const FIRST: usize = 1 << 16;
const GROWTH: usize = 8;

/// A text, with room behind it. The room is zeros as the system gives them: pages that nothing was read to are never
/// touched.
#[derive(Debug, Default)]
pub(super) struct Buffer {
    room: Vec<u8>,
    len: usize,
}

impl Deref for Buffer {
    type Target = [u8];
    fn deref(&self) -> &[u8] {
        &self.room[..self.len]
    }
}

impl Buffer {
    /// Drops what is behind the first `len` bytes; the room stays.
    pub fn truncate(&mut self, len: usize) {
        self.len = self.len.min(len);
    }
    /// Appends bytes.
    ///
    /// # Errors
    /// [`io::ErrorKind::OutOfMemory`].
    pub fn push(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.make_room(bytes.len())?;
        self.room[self.len..][..bytes.len()].copy_from_slice(bytes);
        self.len += bytes.len();
        Ok(())
    }
    /// Reads until there are `len` bytes, or the source ends. What was read before an error stays.
    ///
    /// # Errors
    /// Those of the source; [`io::ErrorKind::OutOfMemory`].
    pub fn fill(&mut self, source: &mut impl Read, len: usize) -> io::Result<()> {
        while self.len < len {
            if self.len == self.room.len() {
                self.make_room(GROWTH.saturating_mul(self.len).clamp(FIRST, len.max(FIRST)) - self.len)?;
            }
            let end = self.room.len().min(len);
            match source.read(&mut self.room[self.len..end]) {
                Ok(0) => break,
                Ok(got) => self.len += got,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
    /// Makes room for so many bytes more.
    fn make_room(&mut self, more: usize) -> io::Result<()> {
        let needed = self.len + more;
        if needed > self.room.len() {
            let room = memory::zeros(needed, TEXT);
            let mut room: Vec<u8> = room.map_err(|_| io::Error::from(io::ErrorKind::OutOfMemory))?;
            room[..self.len].copy_from_slice(self);
            self.room = room;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::io::source::Failed;

    /// Returns up to seven bytes at a time, and is interrupted between them.
    struct Slow<R>(R, bool);

    impl<R: Read> Read for Slow<R> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            self.1 = !self.1;
            if self.1 { Err(io::ErrorKind::Interrupted.into()) } else { self.0.by_ref().take(7).read(buffer) }
        }
    }

    #[test]
    fn what_is_read_is_there() {
        let text: Vec<u8> = (0..3 * FIRST * GROWTH).map(|k| (k % 251) as u8).collect();
        for len in [0, 1, FIRST - 1, FIRST, FIRST + 1, GROWTH * FIRST + 5, text.len(), text.len() + 9] {
            let mut buffer = Buffer::default();
            buffer.push(&text[..len.min(3)]).unwrap();
            let (mut source, end) = (&text[len.min(3)..], len.min(text.len()));
            buffer.fill(&mut source, len).unwrap();
            assert_eq!((&buffer[..], source.len()), (&text[..end], text.len() - end), "{len}");
            assert!(buffer.room.len() <= len.max(FIRST));
            // Used again, with less in it than was.
            buffer.truncate(2);
            buffer.fill(&mut Slow(&b"another"[..], false), 4).unwrap();
            assert_eq!(&buffer[..], [&text[..len.min(2)], &b"another"[..4 - len.min(2)]].concat());
        }
    }

    #[test]
    fn what_comes_before_a_failure_stays() {
        let mut buffer = Buffer::default();
        let mut source = b"12345".chain(Failed::new(io::Error::from_raw_os_error(5)));
        assert_eq!(buffer.fill(&mut source, 9).unwrap_err().raw_os_error(), Some(5));
        assert_eq!(&buffer[..], b"12345");
        buffer.truncate(9);
        assert_eq!(&buffer[..], b"12345");
        assert_eq!(buffer.make_room(usize::MAX / 4).unwrap_err().kind(), io::ErrorKind::OutOfMemory);
    }
}
