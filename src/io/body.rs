//! The body of a coordinate or array file, one entry a line: parsed in parallel, straight into the arrays of the matrix.
//!
//! A block of text is cut at line ends into chunks. Lines are counted first (a vector instruction per 32 bytes), so that
//! every chunk owns the slice of the arrays that its entries can need, and no entry moves again unless blank lines or zeros
//! left gaps. Each chunk is then read by the plain-line scanner ([`super::scan`]) with the general parser ([`super::line`])
//! behind it. Whatever the chunks find (a fault, the end marker, too many lines) takes effect in the order of the file:
//! results and messages do not depend on the number of threads.

use super::line::{Layout, Line};
use super::scan::{WINDOW, count_lines, plain_line};
use super::text::{Fault, Halt, MAX_LINE, lines_end, quote};
use crate::sparse::{BigEntry, Coordinates, Integer, key};
use crate::{Error, Result, memory};
use rayon::prelude::*;

/// Bytes of text in a chunk.
const CHUNK: usize = 1 << 19;

/// Reads blocks into coordinates.
pub(super) struct Body {
    layout: Layout,
    /// Everything read so far.
    pub entries: Coordinates,
    /// Lines with an entry so far, zeros included.
    pub seen: u64,
    /// Whether the end marker was met.
    pub ended: bool,
    /// Where the next value of an array belongs.
    place: ArrayPlace,
    /// Bytes that entries may take.
    limit: u64,
}

/// Bytes of an entry: row, column, value.
const ENTRY: u64 = 16;
/// What they are for, in errors.
const ENTRIES: &str = "the entries of the matrix";

/// What one chunk gave. Its entries stand at the start of its slice of the arrays; in an array file, where a chunk cannot
/// know its place, with 0 as the row and the number of the value within the chunk as the column.
struct Chunk {
    stored: usize,
    big: Vec<BigEntry>,
    seen: u64,
    /// As in [`Coordinates`], for this chunk alone.
    sorted: bool,
    next: u64,
    end: Option<End>,
}

/// Why a chunk was left before its end; positions are relative to the chunk.
enum End {
    Marker { behind: usize },
    Fault(Fault),
}

impl Body {
    /// A body of the given layout; memory for `expect` entries is reserved, of which there must be text for all. Entries may
    /// take `limit` bytes.
    ///
    /// # Errors
    /// [`Error::Memory`].
    pub fn new(layout: Layout, expect: usize, limit: Option<u64>) -> Result<Self> {
        let limit = limit.unwrap_or(u64::MAX);
        let mut body =
            Body { layout, entries: Coordinates::new(), seen: 0, ended: false, place: ArrayPlace::default(), limit };
        body.reserve(expect.min(usize::try_from(limit / ENTRY).unwrap_or(usize::MAX)))?;
        Ok(body)
    }

    /// Makes room for `more` entries.
    fn reserve(&mut self, more: usize) -> Result<()> {
        let entries = &mut self.entries;
        memory::reserve(&mut entries.row, more, ENTRIES)?;
        memory::reserve(&mut entries.col, more, ENTRIES)?;
        memory::reserve(&mut entries.value, more, ENTRIES)
    }

    /// Reads a block of whole lines; returns the number of its line feeds.
    pub fn parse(&mut self, block: &[u8]) -> std::result::Result<u64, Halt> {
        if self.ended {
            nothing_after_end(block, 0)?;
            return Ok(count_lines(block));
        }
        let mut chunks = vec![];
        let mut rest = block;
        while !rest.is_empty() {
            let (chunk, behind) = rest.split_at(lines_end(rest, CHUNK));
            chunks.push(chunk);
            rest = behind;
        }
        let lines: Vec<usize> = chunks.par_iter().map(|chunk| count_lines(chunk) as usize).collect();

        // Room for one entry a line, counting a last line without end.
        let base = self.entries.row.len();
        let room: Vec<usize> = lines.iter().zip(&chunks).map(|(n, c)| n + usize::from(!c.ends_with(b"\n"))).collect();
        let end = base + room.iter().sum::<usize>();
        self.reserve(end - base)?;
        self.entries.row.resize(end, 0);
        self.entries.col.resize(end, 0);
        self.entries.value.resize(end, 0);
        let (mut row, mut col, mut value) =
            (&mut self.entries.row[base..], &mut self.entries.col[base..], &mut self.entries.value[base..]);
        let mut slots = Vec::with_capacity(chunks.len());
        for &n in &room {
            slots.push((
                row.split_off_mut(..n).expect("the room adds up"),
                col.split_off_mut(..n).expect("the room adds up"),
                value.split_off_mut(..n).expect("the room adds up"),
            ));
        }
        let layout = &self.layout;
        let parsed: Vec<Chunk> =
            chunks.par_iter().zip(slots).map(|(text, (row, col, value))| layout.chunk(text, row, col, value)).collect();

        let (mut from, mut to, mut start) = (base, base, 0);
        for ((mut chunk, text), room) in parsed.into_iter().zip(&chunks).zip(room) {
            self.check_count(chunk.seen, text, start)?;
            if from != to {
                self.entries.row.copy_within(from..from + chunk.stored, to);
                self.entries.col.copy_within(from..from + chunk.stored, to);
                self.entries.value.copy_within(from..from + chunk.stored, to);
            }
            if self.layout.array {
                self.place_array(to..to + chunk.stored, &mut chunk);
            } else if chunk.stored > 0 {
                let in_order = self.entries.next <= key(self.entries.row[to], self.entries.col[to]);
                self.entries.sorted &= chunk.sorted && in_order;
                self.entries.next = chunk.next;
            }
            self.entries.big.append(&mut chunk.big);
            self.seen += chunk.seen;
            from += room;
            to += chunk.stored;
            match chunk.end {
                None => {}
                Some(End::Fault(Fault { at, message })) => return Err(Fault { at: start + at, message }.into()),
                Some(End::Marker { behind }) => {
                    nothing_after_end(block, start + behind)?;
                    self.ended = true;
                    break;
                }
            }
            start += text.len();
        }
        self.entries.row.truncate(to);
        self.entries.col.truncate(to);
        self.entries.value.truncate(to);
        within_limit(to as u64, self.limit)?;
        Ok(lines.iter().sum::<usize>() as u64)
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
                    let message = format!("more than the {announced} entries that line {line} announces");
                    return Err(Fault { at: start + at, message });
                }
                left -= 1;
            }
            at = end;
        }
    }

    /// Gives the values of an array chunk, stored at `range`, their rows and columns.
    fn place_array(&mut self, range: std::ops::Range<usize>, chunk: &mut Chunk) {
        let mut place = self.place.clone();
        for (row, col) in self.entries.row[range.clone()].iter_mut().zip(&mut self.entries.col[range]) {
            (*row, *col) = place.of(self.seen + u64::from(*col), &self.layout);
        }
        self.entries.sorted = false;
        for (row, col, _) in &mut chunk.big {
            (*row, *col) = self.place.of(self.seen + u64::from(*col), &self.layout);
        }
        self.place = place;
    }
}

/// Refuses so many entries if they take more than `limit` bytes.
pub(super) fn within_limit(entries: u64, limit: u64) -> Result<()> {
    let bytes = entries.saturating_mul(ENTRY);
    if bytes <= limit {
        return Ok(());
    }
    Err(Error::Memory(format!("{entries} entries of the matrix take {bytes} bytes, {limit} bytes are allowed")))
}

/// The column that the values of an array have reached: it begins at value number `start`.
#[derive(Clone, Default)]
struct ArrayPlace {
    col: u64,
    start: u64,
}

impl ArrayPlace {
    /// Row and column of the value with this number; numbers must not fall.
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
    /// Parses whole lines into the arrays, which must have room for an entry of each line.
    fn chunk(&self, text: &[u8], row: &mut [u32], col: &mut [u32], value: &mut [i64]) -> Chunk {
        match (self.array, self.numbers) {
            (false, 0) => self.chunk_of::<true, false>(text, row, col, value),
            (false, 1) => self.chunk_of::<true, true>(text, row, col, value),
            _ => self.chunk_of::<false, false>(text, row, col, value),
        }
    }

    /// [`Layout::chunk`] with the plain-line scanner tried first if `PLAIN`, on lines with a value if `VALUE`.
    fn chunk_of<const PLAIN: bool, const VALUE: bool>(
        &self,
        text: &[u8],
        row: &mut [u32],
        col: &mut [u32],
        value: &mut [i64],
    ) -> Chunk {
        let mut out = Chunk { stored: 0, big: vec![], seen: 0, sorted: true, next: 0, end: None };
        let mut at = 0;
        while at < text.len() {
            let mut store = |row_index: u32, col_index: u32, v: i64, out: &mut Chunk| {
                if v != 0 {
                    let n = out.stored;
                    (row[n], col[n], value[n]) = (row_index, col_index, v);
                    out.stored += 1;
                    let k = key(row_index, col_index);
                    out.sorted &= out.next <= k;
                    out.next = k + 1;
                }
            };
            if PLAIN
                && let Some(window) = text.get(at..at + WINDOW)
                && let Some((i, j, v, len)) = plain_line::<VALUE>(window.try_into().expect("WINDOW bytes"))
                && i.wrapping_sub(1) < self.rows
                && j.wrapping_sub(1) < self.row_width(i)
            {
                store((i - 1) as u32, (j - 1) as u32, if self.ones { i64::from(v != 0) } else { v }, &mut out);
                out.seen += 1;
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
                    let j = if self.array { out.seen as u32 } else { j };
                    match v {
                        Integer::Small(v) => store(i, j, v, &mut out),
                        Integer::Big(v) => out.big.push((i, j, v.into_owned())),
                    }
                    out.seen += 1;
                }
                Ok(Line::EndMarker) => {
                    out.end = Some(End::Marker { behind: end });
                    break;
                }
                Err(message) => {
                    out.end = Some(End::Fault(Fault { at, message }));
                    break;
                }
            }
            at = end;
        }
        out
    }
}
