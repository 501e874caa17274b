//! Reading: the content decides which reader is used.

use super::content::{self, Content};
use super::options::ReadOptions;
use super::text::{Text, quote};
use super::{arrays, harwell_boeing, header, matrix_market, packing, sms};
use crate::sparse::{RationalMatrix, Triplets};
use crate::{Observer, Result, Silent};
use std::path::Path;

/// Reads the matrix in a file; `-` is standard input, and `FILE::NAME` one of several matrices in a container.
///
/// Progress is reported in bytes of the file, as phase `read`. A regular file is memory-mapped: it must not be
/// truncated or rewritten meanwhile.
///
/// # Errors
/// [`Error::Input`] for content that is not a matrix with integer entries (with `pattern`: not a matrix),
/// [`Error::Io`] where the system cannot read, [`Error::Memory`] for more entries than fit or are allowed,
/// [`Error::Interrupted`] if the observer asks to stop.
pub fn read(path: &Path, options: &ReadOptions, observer: &dyn Observer) -> Result<Triplets> {
    content::open(path, options.max_memory, observer, &mut |content| parse_content(content, options, false))
        .map(integers)
}

/// Reads the matrix in a file whose entries may be fractions a/b, as [`read`] does. One without fractions costs no more
/// than there.
///
/// # Errors
/// As [`read`].
pub fn read_rational(path: &Path, options: &ReadOptions, observer: &dyn Observer) -> Result<RationalMatrix> {
    content::open(path, options.max_memory, observer, &mut |content| parse_content(content, options, true))
}

/// The matrix in what a file contains.
pub(super) fn parse_content(content: Content<'_>, options: &ReadOptions, fractions: bool) -> Result<RationalMatrix> {
    match content {
        Content::Text(source) => parse(Text::new(source)?, options, fractions),
        Content::Arrays(format, source) => arrays::read(format, source, options).map(RationalMatrix::from),
    }
}

impl Triplets {
    /// The matrix in a file: [`io::read`](read) with default options and no observer.
    ///
    /// # Errors
    /// As [`read`].
    pub fn read(path: impl AsRef<Path>) -> Result<Triplets> {
        read(path.as_ref(), &ReadOptions::default(), &Silent)
    }
}

/// Reads the matrix in memory, as [`read`] does; `name` is used in error messages.
///
/// # Errors
/// As [`read`].
pub fn read_bytes(name: &Path, bytes: &[u8], options: &ReadOptions, observer: &dyn Observer) -> Result<Triplets> {
    let read = &mut |content: Content<'_>| parse_content(content, options, false);
    content::open_bytes(name, bytes, options.max_memory, observer, read).map(integers)
}

/// Reads the matrix in memory, as [`read_rational`] does.
///
/// # Errors
/// As [`read_rational`].
pub fn read_rational_bytes(
    name: &Path,
    bytes: &[u8],
    options: &ReadOptions,
    observer: &dyn Observer,
) -> Result<RationalMatrix> {
    let read = &mut |content: Content<'_>| parse_content(content, options, true);
    content::open_bytes(name, bytes, options.max_memory, observer, read)
}

/// What was read without fractions.
fn integers(a: RationalMatrix) -> Triplets {
    a.into_integers().expect("the reader refused fractions")
}

/// Sniffs the format and reads it.
pub(super) fn parse(mut text: Text<'_>, options: &ReadOptions, fractions: bool) -> Result<RationalMatrix> {
    text.skip_byte_order_mark()?;
    let read = sniff(text.peek()?).map_err(|message| text.error(1, message))?;
    read(&mut text, options, fractions)
}

/// The reader of one format; the flag says whether there may be fractions.
type Reader = fn(&mut Text<'_>, &ReadOptions, bool) -> Result<RationalMatrix>;

/// The reader for a file that begins with these bytes; the error says why there is none.
fn sniff(head: &[u8]) -> std::result::Result<Reader, String> {
    let lines = || head.split(|&b| b == b'\n');
    let first: Vec<&[u8]> = lines().take(4).collect();
    let content = lines().find(|line| header::is_content(line, sms::COMMENTS));
    if matrix_market::sniff(first[0]) {
        Ok(matrix_market::read)
    } else if content.is_some_and(sms::sniff) {
        Ok(sms::read)
    } else if harwell_boeing::sniff(&first) {
        Ok(harwell_boeing::read)
    } else {
        Err(unknown(first[0]))
    }
}

/// The message for a file in none of the formats.
fn unknown(first_line: &[u8]) -> String {
    if let Some(message) = packing::foreign(first_line) {
        return message;
    }
    let expected = "expected a MatrixMarket banner (\"%%MatrixMarket …\"), an SMS header (\"rows cols M\") or a Harwell-Boeing header";
    match first_line.trim_ascii() {
        [] => format!("{expected}, found nothing in the first line"),
        line if line.contains(&0) => format!("{expected}, found binary data"),
        line => format!("{expected}, found {}", quote(line)),
    }
}
