//! Writers: canonical triplets, or a matrix over ℚ with its fractions as `a/b`, as SMS, MatrixMarket or
//! triples, plain or compressed; integers of 64 bits as arrays of NumPy's ([`arrays`]).
//!
//! Entries are formatted, and compressed, in parallel batches of fixed size; a compressed file is a sequence of
//! members, streams or frames, which every decompressor reads as one file. The bytes therefore do not depend on the
//! number of threads.

use super::AtomicFile;
use super::arrays::write as arrays;
use super::packing::Compression;
use crate::parallel::Each;
use crate::sparse::{Fraction, Integer, RationalMatrix, Triplets};
use crate::{Error, Observer, Result};
use rayon::prelude::*;
use std::borrow::Cow;
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
    /// A text of triples `row column value`, counted from 1, without a header; a zero in the last row and column ends
    /// it unless there is an entry, so that the size can be seen (as MATLAB's `spconvert` takes it).
    Coo,
    /// NumPy's `.npy`: a dense array of integers of 64 bits, of at most 1 GiB.
    Npy,
    /// SciPy's sparse `.npz`: compressed rows with integers of 64 bits.
    Npz,
}

impl FileFormat {
    /// The format that a file name selects by `.sms`, `.mtx`, `.coo`, `.npy` or `.npz`, and the compression that an
    /// additional `.gz`, `.xz`, `.bz2` or `.zst` asks for.
    ///
    /// # Errors
    /// [`Error::Usage`] for any other name, and for compression that needs a feature left out of this library.
    pub fn from_path(path: &Path) -> Result<(FileFormat, Compression)> {
        let name = path.file_name().map(|name| name.to_string_lossy().to_ascii_lowercase()).unwrap_or_default();
        let (stem, compression) = Compression::of_name(&name);
        let format = match stem.rsplit_once('.') {
            Some((_, "sms")) => FileFormat::Sms,
            Some((_, "mtx")) => FileFormat::MatrixMarket,
            Some((_, "coo")) => FileFormat::Coo,
            Some((_, "npy")) => FileFormat::Npy,
            Some((_, "npz")) if compression != Compression::None => {
                let file = path.display();
                return Err(Error::Usage(format!("{file}: an .npz file is compressed by itself: end its name there")));
            }
            Some((_, "npz")) => FileFormat::Npz,
            _ => {
                return Err(Error::Usage(format!(
                    "{}: the name must end in .sms, .mtx, .coo, .npy or .npz, all but the last followed by .gz, .xz, .bz2 or .zst for compression",
                    path.display()
                )));
            }
        };
        compression.check(path)?;
        Ok((format, compression))
    }

    /// Whether the format can hold fractions, and integers beyond 64 bits.
    #[must_use]
    pub fn has_fractions(self) -> bool {
        !matches!(self, FileFormat::Npy | FileFormat::Npz)
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
            FileFormat::Coo | FileFormat::Npy | FileFormat::Npz => String::new(),
        }
    }

    /// The text after them.
    fn tail(self, a: Entries<'_>) -> String {
        match self {
            FileFormat::Sms => "0 0 0\n".into(),
            FileFormat::Coo => match a.shape() {
                (rows, cols, ..) if a.last() != Some((rows - 1, cols - 1)) => format!("{rows} {cols} 0\n"),
                _ => String::new(),
            },
            FileFormat::MatrixMarket | FileFormat::Npy | FileFormat::Npz => String::new(),
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

    /// The place of the last entry.
    fn last(&self) -> Option<(usize, usize)> {
        let at = |a: &Triplets| Some((*a.row.last()? as usize, *a.col.last()? as usize));
        match self {
            Entries::Integers(a) => at(a),
            Entries::Fractions(a) => at(a.numerators()),
            Entries::Listed(a) => a.entries.last().map(|(i, j, _)| (*i as usize, *j as usize)),
        }
    }

    /// The same as integers, for a format of that name that has no others.
    fn integers(&self, format: &str) -> Result<Cow<'_, Triplets>> {
        let fraction = |(i, j, v): (usize, usize, String)| {
            let (i, j) = (i + 1, j + 1);
            Error::Matrix(format!(
                "entry ({i}, {j}) is {v}: {format} has integers of 64 bits, .mtx and .sms take fractions (-p P takes residues)"
            ))
        };
        match self {
            Entries::Integers(a) => Ok(Cow::Borrowed(a)),
            Entries::Fractions(a) if a.is_integral() => Ok(Cow::Borrowed(a.numerators())),
            Entries::Fractions(a) => {
                let found = a.entries().find(|(_, _, v)| !v.is_integer()).expect("a fraction");
                Err(fraction((found.0, found.1, found.2.to_string())))
            }
            Entries::Listed(a) => {
                if let Some((i, j, v)) = a.entries.iter().find(|(_, _, v)| !v.is_integer()) {
                    return Err(fraction((*i as usize, *j as usize, v.to_string())));
                }
                let entries =
                    a.entries.iter().map(|(i, j, v)| (*i as usize, *j as usize, v.numerator().clone().into_owned()));
                Triplets::try_from_entries(a.rows, a.cols, entries).map(Cow::Owned)
            }
        }
    }
}

/// Writes the matrix to a file, compressed as the name says ([`Compression`]); `-` is `stdout`, uncompressed.
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
        return write_named(path, stdout, a, format, Compression::None, observer);
    }
    let compression = Compression::from_path(path);
    let mut file = AtomicFile::create(path)?;
    write_named(path, &mut file, a, format, compression, observer)?;
    observer.phase("flush", 0);
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
    compression: Compression,
    observer: &dyn Observer,
) -> Result<()> {
    write_named(Path::new("-"), &mut out, Entries::Integers(a), format, compression, observer)
}

/// Writes the matrix to anything that takes bytes, fractions as `a/b`.
///
/// # Errors
/// As [`write()`]; the file in an error is `-`.
pub fn write_rational_to(
    mut out: impl Write,
    a: &RationalMatrix,
    format: FileFormat,
    compression: Compression,
    observer: &dyn Observer,
) -> Result<()> {
    write_named(Path::new("-"), &mut out, Entries::Fractions(a), format, compression, observer)
}

/// Entries per batch: one unit of parallel work, and of compression; so short that readers, too, have a member for each
/// of many threads.
const BATCH: usize = 1 << 16;
/// The same in a list of fractions, which may have thousands of digits each.
const LISTED: usize = 1 << 8;

/// Writes the matrix; `name` is used in errors.
fn write_named(
    name: &Path,
    out: &mut dyn Write,
    a: Entries<'_>,
    format: FileFormat,
    compression: Compression,
    observer: &dyn Observer,
) -> Result<()> {
    let (rows, cols, nnz, _) = a.shape();
    observer.phase("write", nnz as u64);
    match format {
        FileFormat::Npy => return arrays::npy(name, out, &*a.integers(".npy")?, compression, observer),
        FileFormat::Npz => return arrays::npz(name, out, &*a.integers(".npz")?, observer),
        FileFormat::Coo if rows == 0 || cols == 0 => {
            return Err(Error::Matrix(format!("{rows} x {cols}: triples cannot tell such a size, .mtx and .sms do")));
        }
        _ => {}
    }
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
            text.extend_from_slice(format.tail(a).as_bytes());
        }
        compression.compressed(text)
    };
    let io_error = |source| Error::Io { file: name.to_path_buf(), source };
    let group = 2 * rayon::current_num_threads();
    for first in (0..batches).step_by(group) {
        observer.check()?;
        let last = batches.min(first + group);
        let ready: Vec<io::Result<Vec<u8>>> = (first..last).into_par_iter().make(batch);
        for bytes in ready {
            out.write_all(&bytes.map_err(io_error)?).map_err(io_error)?;
        }
        observer.progress(nnz.min(last * size) as u64);
    }
    out.flush().map_err(io_error)
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
