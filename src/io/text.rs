//! The text of a matrix file: in memory or as a stream, handed out in lines for headers and in blocks
//! of whole lines for bodies, with the line numbers that errors need.
//!
//! Pages of a mapped file are released once read. A stream is read one block ahead, in parallel with the parsing of the
//! previous block, and never held as a whole: a compressed file costs two blocks of memory in addition to its matrix.

use super::buffer::{Buffer, TEXT};
use super::map::Mapped;
use super::scan::count_lines;
use super::source::{Bytes, Source, Stream, damaged, failure};
pub(super) use super::words::{MAX_LINE, fields, lines_end, quote, too_long};
use crate::parallel;
use crate::{Error, Observer, Result, memory};
use std::borrow::Cow;
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Bytes of text per thread in a block: the lines and their entries stay in cache together. The first block of a stream
/// is one thread's, and each that follows twice as long, so that parsing begins early.
const BLOCK_PER_THREAD: usize = 2 << 20;

/// Why the parsing of a block ended early: because of the text at one of its bytes, or for another reason.
#[derive(Debug)]
pub(super) enum Halt {
    Fault(Fault),
    Other(Error),
}

impl From<Fault> for Halt {
    fn from(fault: Fault) -> Halt {
        Halt::Fault(fault)
    }
}
impl From<Error> for Halt {
    fn from(error: Error) -> Halt {
        Halt::Other(error)
    }
}

/// What is wrong at one byte of a block.
#[derive(Debug)]
pub(super) struct Fault {
    pub at: usize,
    pub message: String,
}

/// The unread rest of a file.
pub(super) struct Text<'a> {
    name: &'a Path,
    observer: &'a dyn Observer,
    input: Input<'a>,
    /// Lines handed out so far.
    lines: u64,
}

enum Input<'a> {
    /// `map` holds the text, if it is a file.
    Slice {
        rest: &'a [u8],
        total: usize,
        map: Option<&'a Mapped>,
    },
    Stream {
        reader: Reader<'a>,
        block: Buffer,
        at: usize,
    },
}

impl<'a> Text<'a> {
    /// The text of a source; pages of a file are released once read.
    pub fn new(source: Source<'a>) -> Result<Self> {
        let Source { name, observer, bytes, .. } = source;
        let input = match bytes {
            Bytes::Memory { bytes, map } => Input::Slice { rest: bytes, total: bytes.len(), map },
            Bytes::Stream(Stream { reader, taken, .. }) => {
                let mut reader =
                    Reader { source: reader, taken, carry: vec![], last: 0, finished: false, failure: None };
                let mut block = Buffer::default();
                reader.fill(&mut block).map_err(|e| failure(name, 1, e))?;
                Input::Stream { reader, block, at: 0 }
            }
        };
        Ok(Text { name, observer, input, lines: 0 })
    }

    /// Another text in place of this one's, for what reads a text twice or rewritten; `lines` come before it.
    pub fn with<'b>(&self, bytes: &'b [u8], lines: u64) -> Text<'b>
    where
        'a: 'b,
    {
        let input = Input::Slice { rest: bytes, total: bytes.len(), map: None };
        Text { name: self.name, observer: self.observer, input, lines }
    }

    /// The name of the file, as errors have it.
    pub fn name(&self) -> &'a Path {
        self.name
    }

    /// The path of the file, if this is the content of one that is not compressed.
    pub fn path(&self) -> Option<&'a Path> {
        matches!(self.input, Input::Slice { map: Some(_), .. }).then_some(self.name)
    }

    /// All unread text at once: as it lies in memory, or up to `limit` bytes of a stream.
    ///
    /// # Errors
    /// [`Error::Memory`], and those of reading.
    pub fn whole(&mut self, limit: Option<u64>) -> Result<Cow<'a, [u8]>> {
        let (name, observer, lines) = (self.name, self.observer, self.lines);
        match &mut self.input {
            Input::Slice { rest, .. } => Ok(Cow::Borrowed(std::mem::take(rest))),
            Input::Stream { reader, block, at } => {
                let mut all = memory::copy(&block[std::mem::take(at)..], TEXT)?;
                loop {
                    observer.check()?;
                    reader.fill(block).map_err(|e| failure(name, lines + count_lines(&all) + 1, e))?;
                    if block.is_empty() {
                        return Ok(Cow::Owned(all));
                    }
                    memory::reserve(&mut all, block.len(), TEXT)?;
                    all.extend_from_slice(&block[..]);
                    if let Some(limit) = limit.filter(|&limit| all.len() as u64 > limit) {
                        return Err(Error::Memory(format!(
                            "{}: its text takes more than the {limit} bytes allowed",
                            name.display()
                        )));
                    }
                    observer.progress(reader.taken.load(Ordering::Relaxed));
                }
            }
        }
    }

    /// The error with this message at a byte of the whole text.
    pub fn error_at(&self, whole: &[u8], at: usize, message: impl Into<String>) -> Error {
        let before = &whole[..at.min(whole.len())];
        let start = before.iter().rposition(|&b| b == b'\n').map_or(0, |end| end + 1);
        let column = String::from_utf8_lossy(&before[start..]).chars().count() + 1;
        self.error(count_lines(before) + 1, format!("column {column}: {}", message.into()))
    }

    /// The error with this message at the given line.
    pub fn error(&self, line: u64, message: impl Into<String>) -> Error {
        Error::Input { file: self.name.to_path_buf(), line, message: message.into() }
    }

    /// The number of lines handed out so far: the number of the line that [`Text::next_line`] returned last.
    pub fn line_number(&self) -> u64 {
        self.lines
    }

    /// Unread text, without consuming it: all of it if it is in memory, else the rest of the current block (empty only
    /// at the end).
    pub fn peek(&mut self) -> Result<&[u8]> {
        match &mut self.input {
            Input::Slice { rest, .. } => Ok(rest),
            Input::Stream { reader, block, at } => {
                if *at == block.len() {
                    *at = 0;
                    reader.fill(block).map_err(|e| failure(self.name, self.lines + 1, e))?;
                }
                Ok(&block[*at..])
            }
        }
    }

    /// Bytes not yet read, if known.
    pub fn remaining(&self) -> Option<u64> {
        match &self.input {
            Input::Slice { rest, .. } => Some(rest.len() as u64),
            Input::Stream { .. } => None,
        }
    }

    /// Consumes `bytes` of the text that [`Text::peek`] returns.
    fn skip(&mut self, bytes: usize) {
        match &mut self.input {
            Input::Slice { rest, total, map } => {
                *rest = &rest[bytes..];
                if let Some(map) = map {
                    map.release(*total - rest.len());
                }
            }
            Input::Stream { at, .. } => *at += bytes,
        }
    }

    /// Skips a UTF-8 byte order mark, which some editors put before the first line.
    pub fn skip_byte_order_mark(&mut self) -> Result<()> {
        const MARK: &[u8] = b"\xef\xbb\xbf";
        if self.peek()?.starts_with(MARK) {
            self.skip(MARK.len());
        }
        Ok(())
    }

    /// The next line without its end, `None` at the end of the text.
    pub fn next_line(&mut self) -> Result<Option<Vec<u8>>> {
        let text = self.peek()?;
        if text.is_empty() {
            return Ok(None);
        }
        let end = text[..text.len().min(MAX_LINE)].iter().position(|&b| b == b'\n');
        if end.is_none() && text.len() > MAX_LINE {
            return Err(self.error(self.lines + 1, too_long()));
        }
        let line = text[..end.unwrap_or(text.len())].to_vec();
        self.skip(end.map_or(line.len(), |end| end + 1));
        self.lines += 1;
        Ok(Some(line.strip_suffix(b"\r").map(<[u8]>::to_vec).unwrap_or(line)))
    }

    /// All entries are read: what is left is to put them in order.
    pub fn sorting(&self) {
        self.observer.phase("sort", 0);
    }

    /// The header tells the shape of the matrix.
    pub fn shape(&self, rows: u64, cols: u64, entries: u64) {
        self.observer.shape(rows, cols, entries);
    }

    /// Reports how much has been read, and checks whether to stop: for callers that read by lines.
    pub fn report(&self) -> Result<()> {
        self.observer.progress(match &self.input {
            Input::Slice { rest, total, .. } => (total - rest.len()) as u64,
            Input::Stream { reader, .. } => reader.taken.load(Ordering::Relaxed),
        });
        self.observer.check()
    }

    /// Passes the rest of the text to `parse` in blocks of whole lines; `parse` returns the number of line feeds it
    /// saw. Between blocks, reports progress and checks whether to stop.
    pub fn blocks(&mut self, mut parse: impl FnMut(&[u8]) -> std::result::Result<u64, Halt> + Send) -> Result<()> {
        let (name, observer, lines) = (self.name, self.observer, &mut self.lines);
        let halted = |lines: u64, block: &[u8], halt: Halt| match halt {
            Halt::Other(error) => error,
            Halt::Fault(Fault { at, message }) => {
                Error::Input { file: name.to_path_buf(), line: lines + count_lines(&block[..at]) + 1, message }
            }
        };
        match &mut self.input {
            Input::Slice { rest, total, map } => {
                while !rest.is_empty() {
                    observer.check()?;
                    let (block, behind) = rest.split_at(lines_end(rest, block_size()));
                    *lines += parse(block).map_err(|halt| halted(*lines, block, halt))?;
                    *rest = behind;
                    if let Some(map) = map {
                        map.release(*total - rest.len());
                    }
                    observer.progress((*total - rest.len()) as u64);
                }
            }
            Input::Stream { reader, block, at } => {
                let mut next = Buffer::default();
                loop {
                    observer.check()?;
                    let text = &block[std::mem::take(at)..];
                    let (seen, filled) = parallel::join(|| parse(text), || reader.fill(&mut next));
                    *lines += seen.map_err(|halt| halted(*lines, text, halt))?;
                    filled.map_err(|e| failure(name, *lines + 1, e))?;
                    observer.progress(reader.taken.load(Ordering::Relaxed));
                    std::mem::swap(block, &mut next);
                    if block.is_empty() {
                        break;
                    }
                }
            }
        }
        Ok(())
    }
}

/// A reader that returns whole lines.
struct Reader<'a> {
    source: Box<dyn Read + Send + 'a>,
    /// Bytes of the file consumed.
    taken: Arc<AtomicU64>,
    /// The beginning of the line that the last block cut off.
    carry: Vec<u8>,
    /// The bytes that the last block was meant to have.
    last: usize,
    /// Whether nothing more can be read.
    finished: bool,
    /// Why, unless it is the end of the stream.
    failure: Option<io::Error>,
}

impl Reader<'_> {
    /// Fills `block` with whole lines (the last line of the text may lack its end); leaves it empty at the end. A
    /// failure is reported after all whole lines before it, so that error messages do not depend on the block size.
    fn fill(&mut self, block: &mut Buffer) -> io::Result<()> {
        block.truncate(0);
        block.push(&std::mem::take(&mut self.carry))?;
        self.last = (2 * self.last).clamp(BLOCK_PER_THREAD, block_size());
        let mut size = self.last;
        while !self.finished {
            if let Err(e) = block.fill(&mut self.source, size) {
                self.finished = true;
                self.failure = Some(e);
            } else {
                self.finished = block.len() < size;
            }
            if self.finished && self.failure.is_none() {
                break;
            }
            match block.iter().rposition(|&b| b == b'\n') {
                Some(end) => {
                    if self.failure.is_none() {
                        self.carry.extend_from_slice(&block[end + 1..]);
                    }
                    block.truncate(end + 1);
                    break;
                }
                None if self.finished => block.truncate(0),
                // A longer line is refused unread: a few bytes of gzip may expand to gigabytes without a line feed.
                None if block.len() > MAX_LINE => {
                    block.truncate(0);
                    self.finished = true;
                    self.failure = Some(damaged(too_long()));
                }
                None => size = (2 * size).min(MAX_LINE + 1),
            }
        }
        if block.is_empty() { self.failure.take().map_or(Ok(()), Err) } else { Ok(()) }
    }
}

/// The size of a block on this thread pool, in bytes.
fn block_size() -> usize {
    BLOCK_PER_THREAD * rayon::current_num_threads()
}
