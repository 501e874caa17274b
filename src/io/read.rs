//! Reading: the content decides which reader is used.

use super::content::{self, Content};
use super::options::ReadOptions;
use super::text::Text;
use super::{arrays, encoding, foreign, sniff};
use crate::sparse::{RationalMatrix, Triplets};
use crate::{Observer, Result, Silent};
use std::path::Path;

/// Reads the matrix in a file; `-` is standard input, and `FILE::NAME` one of several matrices in a container.
///
/// Progress is reported in bytes of the file, as phase `read`. A regular file is memory-mapped: it must not be
/// truncated or rewritten meanwhile.
///
/// # Errors
/// [`Error::Input`](crate::Error::Input) for content that is not a matrix with integer entries (with `pattern`: not a
/// matrix), [`Error::Io`](crate::Error::Io) where the system cannot read, [`Error::Memory`](crate::Error::Memory) for
/// more entries than fit or are allowed, [`Error::Interrupted`](crate::Error::Interrupted) if the observer asks to
/// stop.
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
        Content::Text(source) => {
            encoding::decoded(Text::new(source)?, options.max_memory, |text| parse(text, options, fractions))
        }
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
fn parse(mut text: Text<'_>, options: &ReadOptions, fractions: bool) -> Result<RationalMatrix> {
    let read = sniff::sniff(text.peek()?, options)
        .map_err(|message| text.error(1, foreign::with_name(text.name(), message)))?;
    read(&mut text, options, fractions)
}
