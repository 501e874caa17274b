//! The body of a coordinate or array file, one entry per line: parsed in parallel, straight into the arrays of the
//! matrix.
//!
//! A block of text is cut at line ends into chunks. Each chunk is read into its own arrays, which are reused for the
//! next block, by the plain-line scanner ([`super::scan`]) with the general parser ([`super::line`]) as a fallback.
//! From there the entries are appended to the arrays of the matrix, with the values in the narrowest type that holds
//! all of them so far. What the chunks find (an error, the end marker, too many lines) takes effect in the order of the
//! file: results and messages do not depend on the number of threads.

use super::line::{Layout, Line, Symmetry};
use super::scan::{Repeated, WINDOW, count_lines, plain_line};
use super::text::{Fault, Halt, MAX_LINE, lines_end, quote};
use crate::parallel::{self, Each};
use crate::sparse::{BigEntry, Coordinates, Duplicates, FractionEntry, Integer, RationalMatrix, key, spread};
use crate::{Error, Result, memory, words::counted};
use rayon::prelude::*;

/// Bytes of text in a chunk.
const CHUNK: usize = 1 << 19;

/// Reads blocks into coordinates.
pub(super) struct Body {
    layout: Layout,
    /// Everything read so far.
    entries: Coordinates,
    /// Fractions read so far.
    fractions: Vec<FractionEntry>,
    /// The number of the last line read.
    line: u64,
    /// Lines with an entry so far, zeros included.
    pub seen: u64,
    /// Whether the end marker was reached.
    pub ended: bool,
    /// The position of the next value of an array.
    place: ArrayPlace,
    /// Bytes that entries may take.
    limit: u64,
    /// Bytes of text that are not read yet; 0 if that is not known, or memory for all entries is reserved.
    unread: u64,
    /// The buffers that the chunks of a block are read into.
    chunks: Vec<Chunk>,
}

/// The maximum number of bytes of an entry: row, column, value.
const ENTRY: u64 = 16;
/// As many bytes as that many entries: a fraction of words.
const FRACTION: usize = size_of::<FractionEntry>() / ENTRY as usize;
/// How errors name them.
pub(super) const ENTRIES: &str = "the entries of the matrix";

/// The content of one chunk. In an array file, where a chunk does not know its position, rows are 0 and columns count
/// the values within the chunk.
#[derive(Default)]
struct Chunk {
    /// Room for the entries; `stored` of them are valid.
    row: Vec<u32>,
    col: Vec<u32>,
    value: Vec<i64>,
    stored: usize,
    /// The [`spread`]s of the values, by OR.
    spreads: u64,
    big: Vec<BigEntry>,
    /// Lines are counted from 0 within the chunk.
    fractions: Vec<FractionEntry>,
    seen: u64,
    /// Line feeds passed.
    lines: u64,
    /// As in [`Coordinates`], for this chunk alone.
    sorted: bool,
    next: u64,
    end: Option<End>,
}

/// Why parsing stopped before the end of a chunk; positions are relative to the chunk.
enum End {
    Marker { behind: usize },
    Fault(Fault),
}

impl Body {
    /// A body of the given layout; memory for `expect` entries is reserved, so there must be enough text for all of
    /// them. Entries may take `limit` bytes. `line` lines come before it.
    ///
    /// # Errors
    /// [`Error::Memory`].
    pub fn new(layout: Layout, expect: usize, limit: Option<u64>, line: u64) -> Result<Self> {
        let limit = limit.unwrap_or(u64::MAX);
        let mut body = Body {
            layout,
            entries: Coordinates::new(),
            fractions: vec![],
            line,
            seen: 0,
            ended: false,
            place: ArrayPlace::default(),
            limit,
            unread: 0,
            chunks: vec![],
        };
        body.reserve(expect.min(usize::try_from(limit / ENTRY).unwrap_or(usize::MAX)))?;
        Ok(body)
    }

    /// The same for so many bytes of text, if that is known: there will be room for the entries that the first block
    /// lets expect, so that they are not moved; not where memory is limited.
    pub fn of_text(self, bytes: Option<u64>) -> Self {
        let unread = if self.limit < u64::MAX { None } else { bytes };
        Body { unread: unread.unwrap_or(0), ..self }
    }

    /// Makes room for `more` entries.
    fn reserve(&mut self, more: usize) -> Result<()> {
        let entries = &mut self.entries;
        memory::reserve(&mut entries.row, more, ENTRIES)?;
        memory::reserve(&mut entries.col, more, ENTRIES)?;
        entries.value.reserve(more)
    }

    /// Reads a block of whole lines; returns the number of its line feeds.
    pub fn parse(&mut self, block: &[u8]) -> std::result::Result<u64, Halt> {
        if self.ended {
            nothing_after_end(block, 0)?;
            return Ok(count_lines(block));
        }
        let mut texts = vec![];
        let mut rest = block;
        while !rest.is_empty() {
            let (text, behind) = rest.split_at(lines_end(rest, CHUNK));
            texts.push(text);
            rest = behind;
        }
        let mut chunks = std::mem::take(&mut self.chunks);
        chunks.resize_with(texts.len().max(chunks.len()), Chunk::default);
        let layout = &self.layout;
        chunks.par_iter_mut().zip(&texts).try_each(|(chunk, text)| -> Result<()> {
            chunk.clear(layout.most_entries(text.len()))?;
            layout.chunk(text, chunk);
            Ok(())
        })?;

        let (mut lines, mut start, mut read) = (0, 0, 0);
        for (chunk, text) in chunks.iter_mut().zip(&texts) {
            self.check_count(chunk.seen, text, start)?;
            lines += chunk.lines;
            self.note(chunk)?;
            read += 1;
            self.line += chunk.lines;
            match chunk.end.take() {
                None => {}
                Some(End::Fault(Fault { at, message })) => return Err(Fault { at: start + at, message }.into()),
                Some(End::Marker { behind }) => {
                    nothing_after_end(block, start + behind)?;
                    lines += count_lines(&block[start + behind..]);
                    self.ended = true;
                    break;
                }
            }
            start += text.len();
        }
        self.expect(&chunks[..read], block.len());
        self.append(&chunks[..read])?;
        within_limit((self.entries.row.len() + FRACTION * self.fractions.len()) as u64, self.limit)?;
        self.chunks = chunks;
        Ok(lines)
    }

    /// Makes room for as many entries as all of the text has, if it goes on as in the chunks of the first block, of so
    /// many bytes. Lines become longer rather than shorter; where there is no memory for all of that, none is kept.
    fn expect(&mut self, chunks: &[Chunk], bytes: usize) {
        let unread = std::mem::take(&mut self.unread);
        if unread > bytes as u64 {
            let found = chunks.iter().map(|chunk| chunk.stored as u128).sum::<u128>();
            let all = found * u128::from(unread) / bytes as u128;
            if self.reserve(usize::try_from(all).unwrap_or(usize::MAX)).is_err() {
                self.entries.shrink_to_fit();
            }
        }
    }

    /// Appends the entries of chunks to the three arrays, all at once.
    fn append(&mut self, chunks: &[Chunk]) -> Result<()> {
        fn parts<'c, T>(chunks: &'c [Chunk], of: impl Fn(&'c Chunk) -> &'c [T]) -> Vec<&'c [T]> {
            chunks.iter().map(|chunk| &of(chunk)[..chunk.stored]).collect()
        }
        let Coordinates { row, col, value, .. } = &mut self.entries;
        let spreads = chunks.iter().fold(0, |all, chunk| all | chunk.spreads);
        let rows = || memory::append_parts(row, &parts(chunks, |chunk| &chunk.row), |i| i, ENTRIES);
        let cols = || memory::append_parts(col, &parts(chunks, |chunk| &chunk.col), |j| j, ENTRIES);
        let values = || value.append(&parts(chunks, |chunk| &chunk.value), spreads);
        let (rows, (cols, values)) = parallel::join(rows, || parallel::join(cols, values));
        rows.and(cols).and(values)
    }

    /// Takes from a chunk what is behind the entries of the chunks before it, all but its entries of a word.
    fn note(&mut self, chunk: &mut Chunk) -> Result<()> {
        if self.layout.array {
            self.place_array(chunk);
        } else if chunk.stored > 0 {
            let in_order = self.entries.next <= key(chunk.row[0], chunk.col[0]);
            self.entries.sorted &= chunk.sorted && in_order;
            self.entries.next = chunk.next;
        }
        self.entries.big.append(&mut chunk.big);
        memory::reserve(&mut self.fractions, chunk.fractions.len(), ENTRIES)?;
        let line = self.line + 1;
        self.fractions
            .extend(chunk.fractions.drain(..).map(|entry| FractionEntry { line: line + entry.line, ..entry }));
        self.seen += chunk.seen;
        Ok(())
    }

    /// The matrix of everything read, with what symmetry adds.
    ///
    /// # Errors
    /// [`Error::Memory`].
    pub fn finish(mut self, duplicates: Duplicates) -> Result<RationalMatrix> {
        let Layout { rows, cols, symmetry, ones, .. } = self.layout;
        if symmetry != Symmetry::General {
            let skew = symmetry == Symmetry::Skew && !ones;
            self.entries.mirror(skew);
            FractionEntry::mirror(&mut self.fractions, skew)?;
        }
        RationalMatrix::gather(rows as usize, cols as usize, self.entries, self.fractions, duplicates)
    }

    /// Refuses the first line beyond the announced number, if it is among the `seen` entries of this chunk.
    fn check_count(&self, seen: u64, chunk: &[u8], start: usize) -> std::result::Result<(), Fault> {
        let Some((announced, line)) = self.layout.announced else { return Ok(()) };
        if self.seen + seen <= announced {
            return Ok(());
        }
        let (mut at, mut left) = (0, announced - self.seen);
        loop {
            let end = lines_end(chunk, at);
            if !self.layout.is_blank(&chunk[at..end]) {
                if left == 0 {
                    let message = format!("more than the {} that line {line} announces", counted(announced, "entry"));
                    return Err(Fault { at: start + at, message });
                }
                left -= 1;
            }
            at = end;
        }
    }

    /// Assigns rows and columns to the values of an array chunk.
    fn place_array(&mut self, chunk: &mut Chunk) {
        let mut place = self.place.clone();
        for (row, col) in chunk.row[..chunk.stored].iter_mut().zip(&mut chunk.col) {
            (*row, *col) = place.of(self.seen + u64::from(*col), &self.layout);
        }
        self.entries.sorted = false;
        let mut of_big = self.place.clone();
        for (row, col, _) in &mut chunk.big {
            (*row, *col) = of_big.of(self.seen + u64::from(*col), &self.layout);
        }
        for entry in &mut chunk.fractions {
            (entry.row, entry.col) = self.place.of(self.seen + u64::from(entry.col), &self.layout);
        }
        self.place = place;
    }
}

impl Chunk {
    /// Empty, with room for that many entries.
    fn clear(&mut self, room: usize) -> Result<()> {
        let Chunk { mut row, mut col, mut value, .. } = std::mem::take(self);
        if row.len() < room {
            // Chunks differ in length by up to a line. Pages that no entry reaches are never touched.
            let room = room + room / 64;
            drop((row, col, value));
            row = memory::zeros(room, ENTRIES)?;
            col = memory::zeros(room, ENTRIES)?;
            value = memory::zeros(room, ENTRIES)?;
        }
        *self = Chunk { row, col, value, sorted: true, ..Chunk::default() };
        Ok(())
    }
}

/// Refuses that many entries if they take more than `limit` bytes.
pub(super) fn within_limit(entries: u64, limit: u64) -> Result<()> {
    let bytes = entries.saturating_mul(ENTRY);
    if bytes <= limit {
        return Ok(());
    }
    Err(Error::Memory(format!("{entries} entries of the matrix take {bytes} bytes, {limit} bytes are allowed")))
}

/// The current column of an array, which begins at value number `start`.
#[derive(Clone, Default)]
struct ArrayPlace {
    col: u64,
    start: u64,
}

impl ArrayPlace {
    /// Row and column of the value with this number; numbers must not decrease.
    fn of(&mut self, number: u64, layout: &Layout) -> (u32, u32) {
        while number - self.start >= layout.column_height(self.col) {
            self.start += layout.column_height(self.col);
            self.col += 1;
        }
        let first_row = layout.rows - layout.column_height(self.col);
        ((first_row + number - self.start) as u32, self.col as u32)
    }
}

/// An error at the first byte after the end marker that is not white space.
fn nothing_after_end(block: &[u8], from: usize) -> std::result::Result<(), Fault> {
    match block[from..].iter().position(|b| !b.is_ascii_whitespace()) {
        None => Ok(()),
        Some(offset) => {
            let at = from + offset;
            let found = quote(block[at..lines_end(block, at)].trim_ascii_end());
            Err(Fault { at, message: format!("expected nothing after the end marker \"0 0 0\", found {found}") })
        }
    }
}

impl Layout {
    /// The maximum number of entries in that many bytes of text: a number takes at least a digit and a separator.
    fn most_entries(&self, bytes: usize) -> usize {
        (bytes + 1) / self.shortest_line()
    }

    /// Parses whole lines into an empty chunk that has room for them.
    fn chunk(&self, text: &[u8], out: &mut Chunk) {
        match (self.array, self.numbers) {
            (false, 0) => self.chunk_of::<true, false>(text, out),
            (false, 1) => self.chunk_of::<true, true>(text, out),
            _ => self.chunk_of::<false, false>(text, out),
        }
    }

    /// [`Layout::chunk`], trying the plain-line scanner first if `PLAIN`, on lines with a value if `VALUE`.
    fn chunk_of<const PLAIN: bool, const VALUE: bool>(&self, text: &[u8], out: &mut Chunk) {
        let Chunk { row, col, value, .. } = out;
        let (mut stored, mut spreads, mut seen, mut lines) = (0, 0, 0, 0);
        let (mut sorted, mut next) = (true, 0);
        let mut store = |i: u32, j: u32, v: i64| {
            if v != 0 {
                (row[stored], col[stored], value[stored]) = (i, j, v);
                stored += 1;
                spreads |= spread(v);
                let k = key(i, j);
                sorted &= next <= k;
                next = k + 1;
            }
        };
        let (mut at, mut repeated) = (0, Repeated::default());
        while at < text.len() {
            if PLAIN
                && let Some(window) = text.get(at..at + WINDOW)
                && let Some((i, j, v, len)) =
                    plain_line::<VALUE>(window.try_into().expect("WINDOW bytes"), &mut repeated)
                && let (i, j) = (i.wrapping_sub(self.first), j.wrapping_sub(self.first))
                && i < self.rows
                && j < self.row_width(i + 1)
            {
                store(i as u32, j as u32, if self.ones { i64::from(v != 0) } else { v });
                seen += 1;
                lines += 1;
                at += len;
                continue;
            }
            let end = lines_end(text, at);
            let line = match end - at {
                0..=MAX_LINE => self.line(&text[at..end]),
                _ => Err(super::text::too_long()),
            };
            match line {
                Ok(Line::Blank) => {}
                Ok(Line::Entry(i, j, v)) => {
                    // An array value is numbered within its chunk.
                    let j = if self.array { seen as u32 } else { j };
                    match v.into_integer() {
                        Ok(Integer::Small(v)) => store(i, j, v),
                        Ok(Integer::Big(v)) => out.big.push((i, j, v.into_owned())),
                        Err(value) => out.fractions.push(FractionEntry { row: i, col: j, value, line: lines }),
                    }
                    seen += 1;
                }
                Ok(Line::EndMarker) => out.end = Some(End::Marker { behind: end }),
                Err(message) => out.end = Some(End::Fault(Fault { at, message })),
            }
            lines += u64::from(text[end - 1] == b'\n');
            at = end;
            if out.end.is_some() {
                break;
            }
        }
        (out.stored, out.spreads, out.seen, out.lines) = (stored, spreads, seen, lines);
        (out.sorted, out.next) = (sorted, next);
    }
}

#[cfg(test)]
#[path = "body_tests.rs"]
mod tests;
