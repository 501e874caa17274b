//! Writers: canonical triplets, or a matrix over ℚ with its fractions as `a/b`, as SMS or MatrixMarket, plain or
//! gzipped.
//!
//! Entries are formatted, and compressed, in parallel batches of fixed size; a compressed file is a sequence of gzip
//! members, which every gunzip reads as one file. The bytes therefore do not depend on the number of threads.

use super::AtomicFile;
use crate::sparse::{Fraction, Integer, RationalMatrix, Triplets};
use crate::{Error, Observer, Result};
use rayon::prelude::*;
use std::io::{self, Write};
use std::path::Path;

/// A format that can be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FileFormat {
    /// SMS: `rows cols M` (`Q` with fractions), entries, `0 0 0`.
    Sms,
    /// MatrixMarket: coordinate integer (`rational` with fractions) general.
    MatrixMarket,
}

impl FileFormat {
    /// The format that a file name selects by `.sms` or `.mtx`, and whether an additional `.gz` requests compression.
    ///
    /// # Errors
    /// [`Error::Usage`] for any other name.
    pub fn from_path(path: &Path) -> Result<(FileFormat, bool)> {
        let name = path.file_name().map(|name| name.to_string_lossy().to_ascii_lowercase()).unwrap_or_default();
        let (stem, gzip) = name.strip_suffix(".gz").map_or((&name[..], false), |stem| (stem, true));
        match stem.rsplit_once('.') {
            Some((_, "sms")) => Ok((FileFormat::Sms, gzip)),
            Some((_, "mtx")) => Ok((FileFormat::MatrixMarket, gzip)),
            _ => Err(Error::Usage(format!(
                "{}: the name must end in .sms or .mtx, followed by .gz for compression",
                path.display()
            ))),
        }
    }

    /// The text before the entries.
    fn head(self, a: Entries<'_>) -> String {
        let (rows, cols, nnz, fractions) = a.shape();
        match self {
            FileFormat::Sms => format!("{rows} {cols} {}\n", if fractions { 'Q' } else { 'M' }),
            FileFormat::MatrixMarket => {
                let field = if fractions { "rational" } else { "integer" };
                format!("%%MatrixMarket matrix coordinate {field} general\n{rows} {cols} {nnz}\n")
            }
        }
    }

    /// The text after them.
    fn tail(self) -> &'static str {
        match self {
            FileFormat::Sms => "0 0 0\n",
            FileFormat::MatrixMarket => "",
        }
    }
}

/// What is written.
#[derive(Clone, Copy)]
enum Entries<'a> {
    Integers(&'a Triplets),
    Fractions(&'a RationalMatrix),
    Listed(&'a EntryList<'a>),
}

/// A matrix over ℚ as a list of its entries, where their common denominators are of no use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EntryList<'a> {
    /// Number of rows.
    pub rows: usize,
    /// Number of columns.
    pub cols: usize,
    /// Row, column and value, in the order in which they are written.
    pub entries: Vec<(u32, u32, Fraction<'a>)>,
}

impl Entries<'_> {
    /// Rows, columns, entries, and whether there are fractions among them.
    fn shape(&self) -> (usize, usize, usize, bool) {
        match self {
            Entries::Integers(a) => (a.rows(), a.cols(), a.nnz(), false),
            Entries::Fractions(a) => (a.rows(), a.cols(), a.nnz(), !a.is_integral()),
            Entries::Listed(a) => (a.rows, a.cols, a.entries.len(), a.entries.iter().any(|(_, _, v)| !v.is_integer())),
        }
    }
}

/// Writes the matrix to a file, gzipped if the name ends in `.gz`; `-` is `stdout`, uncompressed.
///
/// A file appears under its name only when complete ([`AtomicFile`]). Progress is reported in entries, as phase
/// `write`.
///
/// # Errors
/// [`Error::Io`] if the system cannot write, [`Error::Interrupted`] if the observer asks to stop.
pub fn write(
    path: &Path,
    a: &Triplets,
    format: FileFormat,
    stdout: &mut dyn Write,
    observer: &dyn Observer,
) -> Result<()> {
    write_file(path, Entries::Integers(a), format, stdout, observer)
}

/// Writes the matrix to a file as [`write()`] does, fractions as `a/b`.
///
/// # Errors
/// As [`write()`].
pub fn write_rational(
    path: &Path,
    a: &RationalMatrix,
    format: FileFormat,
    stdout: &mut dyn Write,
    observer: &dyn Observer,
) -> Result<()> {
    write_file(path, Entries::Fractions(a), format, stdout, observer)
}

/// Writes a list of entries to a file as [`write()`] does, fractions as `a/b`.
///
/// # Errors
/// As [`write()`].
pub fn write_entries(
    path: &Path,
    a: &EntryList<'_>,
    format: FileFormat,
    stdout: &mut dyn Write,
    observer: &dyn Observer,
) -> Result<()> {
    write_file(path, Entries::Listed(a), format, stdout, observer)
}

fn write_file(
    path: &Path,
    a: Entries<'_>,
    format: FileFormat,
    stdout: &mut dyn Write,
    observer: &dyn Observer,
) -> Result<()> {
    if path == Path::new("-") {
        return write_named(path, stdout, a, format, false, observer);
    }
    let gzip = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("gz"));
    let mut file = AtomicFile::create(path)?;
    write_named(path, &mut file, a, format, gzip, observer)?;
    file.finish()
}

/// Writes the matrix to anything that takes bytes.
///
/// # Errors
/// As [`write()`]; the file in an error is `-`.
pub fn write_to(
    mut out: impl Write,
    a: &Triplets,
    format: FileFormat,
    gzip: bool,
    observer: &dyn Observer,
) -> Result<()> {
    write_named(Path::new("-"), &mut out, Entries::Integers(a), format, gzip, observer)
}

/// Writes the matrix to anything that takes bytes, fractions as `a/b`.
///
/// # Errors
/// As [`write()`]; the file in an error is `-`.
pub fn write_rational_to(
    mut out: impl Write,
    a: &RationalMatrix,
    format: FileFormat,
    gzip: bool,
    observer: &dyn Observer,
) -> Result<()> {
    write_named(Path::new("-"), &mut out, Entries::Fractions(a), format, gzip, observer)
}

/// Entries per batch: one unit of parallel work, and one gzip member.
const BATCH: usize = 1 << 18;
/// The same in a list of fractions, which may have thousands of digits each.
const LISTED: usize = 1 << 8;

/// Writes the matrix; `name` is used in errors.
fn write_named(
    name: &Path,
    out: &mut dyn Write,
    a: Entries<'_>,
    format: FileFormat,
    gzip: bool,
    observer: &dyn Observer,
) -> Result<()> {
    let (_, _, nnz, _) = a.shape();
    observer.phase("write", nnz as u64);
    let size = if matches!(a, Entries::Listed(_)) { LISTED } else { BATCH };
    // There is at least one batch: the first includes the head, the last the tail.
    let batches = nnz.div_ceil(size).max(1);
    let batch = |k: usize| -> io::Result<Vec<u8>> {
        let mut text = if k == 0 { format.head(a).into_bytes() } else { vec![] };
        let range = k * size..nnz.min((k + 1) * size);
        match a {
            Entries::Integers(a) => a.entries_in(range).for_each(|(i, j, v)| push_entry(&mut text, i, j, &v.into())),
            Entries::Fractions(a) => a.entries_in(range).for_each(|(i, j, v)| push_entry(&mut text, i, j, &v)),
            Entries::Listed(a) => {
                a.entries[range].iter().for_each(|(i, j, v)| push_entry(&mut text, *i as usize, *j as usize, v));
            }
        }
        if k + 1 == batches {
            text.extend_from_slice(format.tail().as_bytes());
        }
        if gzip { compressed(&text) } else { Ok(text) }
    };
    let io_error = |source| Error::Io { file: name.to_path_buf(), source };
    let group = 2 * rayon::current_num_threads();
    for first in (0..batches).step_by(group) {
        observer.check()?;
        let last = batches.min(first + group);
        let ready: Vec<io::Result<Vec<u8>>> = (first..last).into_par_iter().map(batch).collect();
        for bytes in ready {
            out.write_all(&bytes.map_err(io_error)?).map_err(io_error)?;
        }
        observer.progress(nnz.min(last * size) as u64);
    }
    out.flush().map_err(io_error)
}

/// One member of a gzip stream.
#[cfg(feature = "gzip")]
pub(super) fn compressed(text: &[u8]) -> io::Result<Vec<u8>> {
    let mut encoder = flate2::write::GzEncoder::new(vec![], flate2::Compression::default());
    encoder.write_all(text)?;
    encoder.finish()
}
#[cfg(not(feature = "gzip"))]
pub(super) fn compressed(_: &[u8]) -> io::Result<Vec<u8>> {
    Err(io::Error::new(io::ErrorKind::Unsupported, "this blackfield was built without the feature `gzip`"))
}

/// Appends a line.
fn push_entry(text: &mut Vec<u8>, i: usize, j: usize, v: &Fraction<'_>) {
    push_number(text, i as u64 + 1);
    text.push(b' ');
    push_number(text, j as u64 + 1);
    text.push(b' ');
    push_integer(text, v.numerator());
    if !v.is_integer() {
        text.push(b'/');
        push_integer(text, v.denominator());
    }
    text.push(b'\n');
}

/// Appends an integer in decimal.
fn push_integer(text: &mut Vec<u8>, v: &Integer<'_>) {
    match v {
        Integer::Small(v) => {
            if *v < 0 {
                text.push(b'-');
            }
            push_number(text, v.unsigned_abs());
        }
        Integer::Big(v) => text.extend_from_slice(v.to_string().as_bytes()),
    }
}

/// Appends a number in decimal.
fn push_number(text: &mut Vec<u8>, mut n: u64) {
    let mut digits = [0; 20];
    let mut at = digits.len();
    loop {
        at -= 1;
        digits[at] = b'0' + (n % 10) as u8;
        n /= 10;
        if n == 0 {
            break;
        }
    }
    text.extend_from_slice(&digits[at..]);
}
