//! Matrix files in and out: [`read`] takes any of the formats below, plain or gzipped, from a file or the standard
//! input, and gives canonical integer [`Triplets`]; [`write()`] puts them back.
//!
//! What a file is, its *content* decides, never its name:
//!
//! | format | recognised by | module |
//! | --- | --- | --- |
//! | gzip (of any other, several members too) | bytes `1f 8b` | `text` |
//! | MatrixMarket | `%%MatrixMarket` | `matrix_market` |
//! | SMS | first line `rows cols M` | `sms` |
//! | Harwell–Boeing, Rutherford–Boeing | type and Fortran formats in lines 3 and 4 | `harwell_boeing` |
//!
//! Values are taken exactly: integers of any size, and decimals as far as they are integers. Nothing is guessed: a
//! file that contradicts its header, or has a value without meaning mod p, is an [`Error::Input`]
//! with the line, what was found, and what was expected. Files are memory-mapped and parsed in parallel, and what was read is
//! given back to the system: reading takes little more memory than the triplets. Compressed files and pipes are parsed while
//! they stream in.

mod atomic;
mod body;
mod decimal;
mod fortran;
mod harwell_boeing;
mod header;
mod line;
mod map;
mod matrix_market;
mod scan;
#[cfg(feature = "serde")]
mod sealed;
mod sms;
mod text;
mod unfinished;
mod write;

pub use atomic::AtomicFile;
#[cfg(feature = "serde")]
pub use sealed::{Seal, load as load_sealed};
pub use unfinished::unfinished_files;
pub use write::{FileFormat, write, write_to};

use crate::setters::setters;
use crate::sparse::{Duplicates, Triplets};
use crate::{Error, Observer, Result, Silent};
use std::fs::File;
use std::path::Path;
use text::{Text, quote};

/// How to read a matrix.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ReadOptions {
    /// Take the 0–1 pattern: every stored non-zero value, of any kind, becomes 1; stored zeros are dropped, and entries at
    /// one position count once.
    pub pattern: bool,
    /// Most bytes that entries (16 bytes each) may take while they are read.
    pub max_memory: Option<u64>,
}

setters!(ReadOptions {
    pattern: bool,
    max_memory: impl Into<Option<u64>>,
});

/// Reads the matrix in a file; `-` is the standard input.
///
/// Work is reported in bytes of the file, as phase `read`. A regular file is mapped into memory: it must not be shortened or
/// rewritten meanwhile.
///
/// # Errors
/// [`Error::Input`] for content that is not a matrix with integer entries (with `pattern`: not a matrix),
/// [`Error::Io`] where the system cannot read, [`Error::Memory`] for more entries than fit or are allowed,
/// [`Error::Interrupted`] if the observer asks to stop.
pub fn read(path: &Path, options: &ReadOptions, observer: &dyn Observer) -> Result<Triplets> {
    if path == Path::new("-") {
        return parse(Text::from_reader(path, std::io::stdin(), 0, observer)?, options);
    }
    let io_error = |source| Error::Io { file: path.to_path_buf(), source };
    let file = File::open(path).map_err(io_error)?;
    match map::map(&file) {
        Some(map) if !text::is_gzip(&map) => parse(Text::from_map(path, &map, observer), options),
        // Whoever decompresses reads each byte once.
        map => parse(Text::from_reader(path, file, map.map_or(0, |map| map.len() as u64), observer)?, options),
    }
}

impl Triplets {
    /// The matrix in a file, by [`io::read`](read) as it is asked by default and without an observer.
    ///
    /// # Errors
    /// As [`read`].
    pub fn read(path: impl AsRef<Path>) -> Result<Triplets> {
        read(path.as_ref(), &ReadOptions::default(), &Silent)
    }
}

/// Reads the matrix in memory, as [`read`] does; `name` stands in error messages.
///
/// # Errors
/// As [`read`].
pub fn read_bytes(name: &Path, bytes: &[u8], options: &ReadOptions, observer: &dyn Observer) -> Result<Triplets> {
    parse(Text::from_slice(name, bytes, observer)?, options)
}

/// Sniffs the format and reads it.
fn parse(mut text: Text<'_>, options: &ReadOptions) -> Result<Triplets> {
    text.skip_byte_order_mark()?;
    let duplicates = if options.pattern { Duplicates::One } else { Duplicates::Sum };
    let read = sniff(text.peek()?).map_err(|message| text.error(1, message))?;
    read(&mut text, options, duplicates)
}

/// The reader of one format.
type Reader = fn(&mut Text<'_>, &ReadOptions, Duplicates) -> Result<Triplets>;

/// The reader for a file that begins so; the error says why there is none.
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

/// What to say of a file that is none of the formats.
fn unknown(first_line: &[u8]) -> String {
    const PACKED: [(&[u8], &str); 4] =
        [(b"BZh", "bzip2"), (b"\xfd7zXZ\0", "xz"), (b"\x28\xb5\x2f\xfd", "zstd"), (b"PK\x03\x04", "zip")];
    if let Some((_, kind)) = PACKED.iter().find(|(magic, _)| first_line.starts_with(magic)) {
        return format!("{kind}-compressed: decompress it first (only gzip is read as it is)");
    }
    let expected = "expected a MatrixMarket banner (\"%%MatrixMarket …\"), an SMS header (\"rows cols M\") or a Harwell-Boeing header";
    match first_line.trim_ascii() {
        [] => format!("{expected}, found nothing in the first line"),
        line if line.contains(&0) => format!("{expected}, found binary data"),
        line => format!("{expected}, found {}", quote(line)),
    }
}

#[cfg(test)]
mod tests;
