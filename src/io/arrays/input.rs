//! The bytes of a binary file in their order, with the place that errors name.

use crate::io::source::{Source, Stop, Stream, failure};
use crate::{Error, Observer, Result};
use std::io::{ErrorKind, Read};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::element::Element;

/// Bytes that are read at a time, a multiple of any element's.
const PIECE: usize = 1 << 16;

/// The unread rest of a file, or of a part of it.
pub(super) struct Input<'a> {
    pub name: &'a Path,
    pub observer: &'a dyn Observer,
    reader: Box<dyn Read + Send + 'a>,
    taken: Arc<AtomicU64>,
    /// Bytes read so far.
    at: u64,
    /// What positions count in, if it is not the file.
    inside: &'a str,
}

impl<'a> Input<'a> {
    pub fn new(source: Source<'a>) -> Self {
        let (name, observer) = (source.name, source.observer);
        let Stream { reader, taken, .. } = source.into_stream();
        Input { name, observer, reader, taken, at: 0, inside: "" }
    }

    /// The error with this message at the current byte.
    pub fn error(&self, message: impl AsRef<str>) -> Error {
        self.error_at(self.at, message.as_ref())
    }

    fn error_at(&self, at: u64, message: &str) -> Error {
        let inside = if self.inside.is_empty() { String::new() } else { format!(" of {}", self.inside) };
        Error::Input { file: self.name.to_path_buf(), line: 0, message: format!("byte {at}{inside}: {message}") }
    }

    /// Reads until the buffer is full or there is nothing more; how much there was.
    fn fill(&mut self, buffer: &mut [u8]) -> Result<usize> {
        let mut got = 0;
        while got < buffer.len() {
            match self.reader.read(&mut buffer[got..]) {
                Ok(0) => break,
                Ok(n) => got += n,
                Err(e) if e.kind() == ErrorKind::Interrupted => {}
                Err(e) => return Err(failure(self.name, 0, e)),
            }
        }
        self.at += got as u64;
        Ok(got)
    }

    /// The next bytes; the error says `what` they were to be.
    pub fn exact(&mut self, buffer: &mut [u8], what: &str) -> Result<()> {
        let got = self.fill(buffer)?;
        if got == buffer.len() { Ok(()) } else { Err(self.ends(what)) }
    }

    /// As [`Input::exact`]; false if there is nothing left at all.
    pub fn exact_or_end(&mut self, buffer: &mut [u8], what: &str) -> Result<bool> {
        match self.fill(buffer)? {
            0 => Ok(false),
            got if got == buffer.len() => Ok(true),
            _ => Err(self.ends(what)),
        }
    }

    fn ends(&self, what: &str) -> Error {
        self.error(format!("the end, within {what}: a truncated file"))
    }

    #[cfg(feature = "gzip")]
    /// Skips bytes.
    pub fn skip(&mut self, count: u64, what: &str) -> Result<()> {
        self.pieces(1, count, what, |_, _| Ok(()))
    }

    /// Passes the numbers and the bytes of the next elements to `take`.
    pub fn elements(
        &mut self,
        element: Element,
        count: u64,
        what: &str,
        mut take: impl FnMut(u64, &[u8]) -> std::result::Result<(), Stop>,
    ) -> Result<()> {
        self.pieces(element.size, count, what, |first, bytes| {
            for (k, bytes) in bytes.chunks_exact(element.size).enumerate() {
                take(first + k as u64, bytes).map_err(|stop| (k, stop))?;
            }
            Ok(())
        })
    }

    /// Passes `count` times `size` bytes to `take`, in pieces, each with the number of its first element.
    fn pieces(
        &mut self,
        size: usize,
        count: u64,
        what: &str,
        mut take: impl FnMut(u64, &[u8]) -> std::result::Result<(), (usize, Stop)>,
    ) -> Result<()> {
        let most = (PIECE / size) as u64;
        let mut piece = [0; PIECE];
        let mut done = 0;
        while done < count {
            self.observer.check()?;
            let bytes = &mut piece[..size * (count - done).min(most) as usize];
            let begin = self.at;
            // What is there is looked at before it is told that more is missing.
            let whole = self.fill(bytes)? / size;
            take(done, &bytes[..whole * size]).map_err(|(k, stop)| match stop {
                Stop::Other(error) => error,
                Stop::Told(message) => self.error_at(begin + (k * size) as u64, &message),
            })?;
            if whole * size < bytes.len() {
                return Err(self.ends(&format!("{what}, after {} of {count}", done + whole as u64)));
            }
            done += whole as u64;
            self.observer.progress(self.taken.load(Ordering::Relaxed));
        }
        Ok(())
    }

    #[cfg(feature = "gzip")]
    /// What `read` makes of the next `len` bytes; what it leaves of them is skipped.
    pub fn part<T>(&mut self, len: u64, what: &str, read: impl FnOnce(&mut Input<'_>) -> Result<T>) -> Result<T> {
        let begin = self.at;
        let mut part = Input {
            name: self.name,
            observer: self.observer,
            reader: Box::new(self.reader.by_ref().take(len)),
            taken: self.taken.clone(),
            at: begin,
            inside: self.inside,
        };
        let result = read(&mut part)?;
        let used = part.at - begin;
        drop(part);
        self.at = begin + used;
        self.skip(len - used, what)?;
        Ok(result)
    }

    /// What `read` makes of the next `len` bytes, decompressed; what it leaves of them is skipped.
    #[cfg(feature = "gzip")]
    pub fn inflated<T>(&mut self, len: u64, read: impl FnOnce(&mut Input<'_>) -> Result<T>) -> Result<T> {
        let begin = self.at;
        let inside = format!("the variable packed from byte {begin} on");
        let mut packed = self.reader.by_ref().take(len);
        let decoder = Inflated(flate2::read::ZlibDecoder::new(&mut packed));
        let mut part = Input {
            name: self.name,
            observer: self.observer,
            reader: Box::new(decoder),
            taken: self.taken.clone(),
            at: 0,
            inside: &inside,
        };
        let result = read(&mut part)?;
        drop(part);
        let left = packed.limit();
        self.at = begin + len - left;
        self.skip(left, "a packed variable")?;
        Ok(result)
    }
}

/// Names the layer where reading fails.
#[cfg(feature = "gzip")]
struct Inflated<R>(R);

#[cfg(feature = "gzip")]
impl<R: Read> Read for Inflated<R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        use crate::io::source::{damage_in, damaged};
        self.0.read(buffer).map_err(|error| match (damage_in(&error), error.kind()) {
            (Some(below), _) => damaged(below.0.clone()),
            (None, ErrorKind::UnexpectedEof) => damaged("a packed variable ends early: a truncated file"),
            (None, ErrorKind::Interrupted) => error,
            (None, _) => damaged(format!("a packed variable is damaged: {error}")),
        })
    }
}
