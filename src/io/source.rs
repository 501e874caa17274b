//! Bytes to be read, of a file or of what is packed in it: in memory or as a stream, with what errors and progress
//! need.
//!
//! What a decompressor or an archive finds wrong travels through readers as [`Damage`] inside an [`io::Error`]:
//! [`failure`] makes bad input of it, and everything else an error of the system.

use super::map::Mapped;
#[cfg(feature = "archives")]
use crate::memory;
use crate::{Error, Observer, Result};
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The most that is held in memory of something unpacked, if the caller names no limit: a few bytes may unpack to any
/// number.
#[cfg(feature = "archives")]
const MOST_HELD: u64 = 1 << 32;

/// Bytes, their name and their reader's circumstances.
pub(super) struct Source<'a> {
    /// The name in errors: `FILE`, or `FILE::MEMBER`.
    pub name: &'a Path,
    pub observer: &'a dyn Observer,
    pub bytes: Bytes<'a>,
    /// Which of several matrices is wanted; empty if nothing was said.
    pub select: &'a str,
    /// Bytes that may be held in memory.
    pub limit: Option<u64>,
}

pub(super) enum Bytes<'a> {
    /// `map` holds them, if they are a file.
    Memory {
        bytes: &'a [u8],
        map: Option<&'a Mapped>,
    },
    Stream(Stream<'a>),
}

/// Bytes that can be read once.
pub(super) struct Stream<'a> {
    pub reader: Box<dyn Read + Send + 'a>,
    /// Bytes of the file itself that have been read.
    pub taken: Arc<AtomicU64>,
    /// Whether it was unpacked from something.
    #[cfg_attr(not(feature = "archives"), allow(dead_code, reason = "only archives are held in memory"))]
    pub unpacked: bool,
}

impl<'a> Stream<'a> {
    /// A stream that counts what is read from it; buffered, since decompressors may ask for single bytes.
    pub fn counted(reader: impl Read + Send + 'a) -> Self {
        let taken = Arc::new(AtomicU64::new(0));
        let counted = Counted { reader, taken: taken.clone() };
        Stream { reader: Box::new(io::BufReader::with_capacity(1 << 16, counted)), taken, unpacked: false }
    }
}

impl<'a> Source<'a> {
    /// The error with this message, where no line applies.
    pub fn error(&self, message: impl Into<String>) -> Error {
        Error::Input { file: self.name.to_path_buf(), line: 0, message: message.into() }
    }

    /// The first `len` bytes, or all if there are fewer; they can be read again.
    pub fn head(&mut self, len: usize) -> Result<Vec<u8>> {
        match &mut self.bytes {
            Bytes::Memory { bytes, .. } => Ok(bytes[..len.min(bytes.len())].to_vec()),
            Bytes::Stream(stream) => {
                let mut head = vec![];
                let read = stream.reader.by_ref().take(len as u64).read_to_end(&mut head);
                let behind = std::mem::replace(&mut stream.reader, Box::new(io::empty()));
                stream.reader = match read {
                    Ok(_) => Box::new(io::Cursor::new(head.clone()).chain(behind)),
                    // It comes again after what was read before it, where whoever reads can name the line.
                    Err(error) => Box::new(io::Cursor::new(head.clone()).chain(Failed::new(error))),
                };
                Ok(head)
            }
        }
    }

    /// The bytes as a stream.
    pub fn into_stream(self) -> Stream<'a> {
        match self.bytes {
            Bytes::Memory { bytes, .. } => Stream::counted(bytes),
            Bytes::Stream(stream) => stream,
        }
    }

    #[cfg(feature = "archives")]
    /// All bytes, read into `held` if they are a stream, for a format of this name that is not read in order.
    pub fn whole<'h>(&mut self, format: &str, held: &'h mut Vec<u8>) -> Result<&'h [u8]>
    where
        'a: 'h,
    {
        let (name, limit) = (self.name, self.limit.unwrap_or(MOST_HELD));
        match &mut self.bytes {
            Bytes::Memory { bytes, .. } => Ok(bytes),
            Bytes::Stream(stream) => {
                let mut piece = [0; 1 << 16];
                loop {
                    self.observer.check()?;
                    self.observer.progress(stream.taken.load(Ordering::Relaxed));
                    match stream.reader.read(&mut piece) {
                        Ok(0) => return Ok(held),
                        Ok(got) => {
                            memory::reserve(held, got, "a file that is not read in order")?;
                            held.extend_from_slice(&piece[..got]);
                        }
                        Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                        Err(e) => return Err(failure(name, 0, e)),
                    }
                    if stream.unpacked && held.len() as u64 > limit {
                        return Err(Error::Memory(format!(
                            "{}: {format} packed in something else is held in memory as a whole, {limit} bytes are allowed: unpack it first",
                            name.display()
                        )));
                    }
                }
            }
        }
    }
}

/// Why a walk over elements ends: something wrong with the one at hand, or another reason.
pub(super) enum Stop {
    Told(String),
    Other(Error),
}

impl From<String> for Stop {
    fn from(message: String) -> Stop {
        Stop::Told(message)
    }
}
impl From<Error> for Stop {
    fn from(error: Error) -> Stop {
        Stop::Other(error)
    }
}

/// What is wrong with the bytes themselves.
#[derive(Debug)]
pub(super) struct Damage(pub String);

impl std::fmt::Display for Damage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}
impl std::error::Error for Damage {}

/// The damage as an error of a reader.
pub(super) fn damaged(message: impl Into<String>) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, Damage(message.into()))
}

/// What is wrong with the bytes, if that is why reading failed, however deep below.
pub(super) fn damage_in(error: &io::Error) -> Option<&Damage> {
    let mut inner: &(dyn std::error::Error + 'static) = error.get_ref()?;
    loop {
        if let Some(damage) = inner.downcast_ref() {
            return Some(damage);
        }
        inner = match inner.downcast_ref::<io::Error>().and_then(io::Error::get_ref) {
            Some(wrapped) => wrapped,
            None => inner.source()?,
        };
    }
}

/// The error for a failed read in the given line (0: no line applies).
pub(super) fn failure(name: &Path, line: u64, source: io::Error) -> Error {
    let file = name.to_path_buf();
    match damage_in(&source) {
        Some(Damage(message)) => Error::Input { file, line, message: message.clone() },
        None => Error::Io { file, source },
    }
}

/// A reader that counts the bytes taken from it.
struct Counted<R> {
    reader: R,
    taken: Arc<AtomicU64>,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.reader.read(buffer)?;
        self.taken.fetch_add(n as u64, Ordering::Relaxed);
        Ok(n)
    }
}

/// A reader that fails, and has ended then.
pub(super) struct Failed(Option<io::Error>);

impl Failed {
    /// Fails with this error.
    pub fn new(error: io::Error) -> Self {
        Failed(Some(error))
    }
}

impl Read for Failed {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        self.0.take().map_or(Ok(0), Err)
    }
}
