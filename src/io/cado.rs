//! The binary sparse matrices of CADO-NFS (`README` of its linear algebra): all numbers are 32-bit and little-endian.
//!
//! ```text
//! for each row:   count, then count columns from 0            (mod 2: a 1 at each)
//!                 count, then count pairs column, coefficient  (mod other primes; the coefficient has a sign)
//! ```
//!
//! There is no header: a file is one of these if its counts lead to its end exactly, no row has a column twice, and not
//! all rows are empty; if it could be both, [`Layout`] must say which. Beside `a.bin` there may be `a.cw.bin`, the
//! weight of each column, which gives their number (otherwise the largest column is the last), and `a.rw.bin`, the
//! weight of each row; they must agree.

use super::entries::Entries;
use super::options::{Layout, ReadOptions, Reader};
use super::text::Text;
use crate::sparse::{Integer, RationalMatrix};
use crate::{Error, Result, memory};
use std::path::Path;

/// Words of an entry in each of the two kinds.
const KINDS: [(Layout, usize); 2] = [(Layout::Cado, 1), (Layout::CadoValues, 2)];

/// The reader, if the caller says that the file is one, or if it can be.
pub(super) fn sniff(head: &[u8], options: &ReadOptions) -> Option<Reader> {
    match options.layout {
        Some(Layout::Cado | Layout::CadoValues) if head.contains(&0) => Some(read),
        // A text has no zeros; what a pipe holds beyond its first block is not known yet.
        None if head.get(..8).is_some_and(|start| start.contains(&0)) => {
            KINDS.iter().any(|&(_, width)| walk(head, width).is_ok()).then_some(read as Reader)
        }
        _ => None,
    }
}

fn words(bytes: &[u8]) -> impl Iterator<Item = u32> {
    bytes.chunks_exact(4).map(|word| u32::from_le_bytes(word.try_into().expect("four bytes")))
}

fn word(bytes: &[u8], k: usize) -> Option<u32> {
    words(bytes.get(4 * k..4 * k + 4)?).next()
}

/// The rows and the columns of a file of this kind; or the offset at which it is none, and why.
fn walk(bytes: &[u8], width: usize) -> std::result::Result<(u64, u64), (usize, String)> {
    let total = bytes.len() / 4;
    let (mut k, mut rows, mut cols) = (0, 0, 0u64);
    while k < total {
        let count = word(bytes, k).expect("within the file") as usize;
        let behind = (total - k - 1) / width;
        if count > behind {
            return Err((4 * k, format!("a row of {count} entries, where the file has room for {behind}")));
        }
        for entry in 0..count {
            let column = word(bytes, k + 1 + entry * width).expect("within the file");
            if column == u32::MAX {
                return Err((4 * (k + 1 + entry * width), format!("column {column}: expected less")));
            }
            cols = cols.max(u64::from(column) + 1);
        }
        k += 1 + count * width;
        rows += 1;
        if rows > u64::from(u32::MAX) {
            return Err((4 * k, format!("more than {} rows", u32::MAX)));
        }
    }
    match () {
        () if !bytes.len().is_multiple_of(4) => {
            Err((4 * total, "expected a multiple of four bytes: a truncated file".into()))
        }
        () if cols == 0 => Err((0, "no entries".into())),
        () => Ok((rows, cols)),
    }
}

/// The rows one by one: columns and coefficients.
fn each_row(bytes: &[u8], width: usize, mut take: impl FnMut(u32, usize, &[u8]) -> Result<()>) -> Result<()> {
    let (mut k, mut row) = (0, 0);
    while let Some(count) = word(bytes, k) {
        let end = k + 1 + count as usize * width;
        take(row, k, &bytes[4 * (k + 1)..4 * end])?;
        (k, row) = (end, row + 1);
    }
    Ok(())
}

/// The first column that a row has twice: its row and offset.
fn repeated(bytes: &[u8], width: usize) -> Result<Option<(u32, usize)>> {
    let (mut found, mut columns) = (None, vec![]);
    each_row(bytes, width, |row, k, entries| {
        columns.clear();
        memory::reserve(&mut columns, entries.len() / 4 / width, "a row of a matrix")?;
        columns.extend(words(entries).step_by(width));
        columns.sort_unstable();
        if columns.windows(2).any(|pair| pair[0] == pair[1]) {
            found = found.or(Some((row, 4 * k)));
        }
        Ok(())
    })?;
    Ok(found)
}

/// Reads the matrix.
fn read(text: &mut Text<'_>, options: &ReadOptions, _: bool) -> Result<RationalMatrix> {
    let path = text.path();
    let bytes = text.whole(options.max_memory)?;
    let fail = |at: usize, message: String| {
        text.error(0, format!("byte {at}: {message} (read as a binary matrix of CADO-NFS)"))
    };
    let mut fitting = vec![];
    let mut why = None;
    for (layout, width) in KINDS.into_iter().filter(|(layout, _)| options.layout.is_none_or(|wish| wish == *layout)) {
        match walk(&bytes, width) {
            Ok(size) => match repeated(&bytes, width)? {
                None => fitting.push((layout, width, size)),
                Some((row, at)) => why = why.or(Some((at, format!("row {} has a column twice", u64::from(row) + 1)))),
            },
            Err(error) => why = why.or(Some(error)),
        }
    }
    let (_, width, (rows, mut cols)) = match fitting[..] {
        [one] => one,
        [_, _] => {
            let message = "with and without coefficients, it is a matrix: say --layout cado-values or --layout cado";
            return Err(fail(0, message.into()));
        }
        _ => {
            let (at, message) = why.expect("a reason for each kind");
            return Err(fail(at, message));
        }
    };
    if let Some(path) = path {
        cols = companions(text, path, &bytes, width, (rows, cols))?;
    }
    let mut entries = Entries::new(options);
    each_row(&bytes, width, |row, _, found| {
        let mut found = words(found);
        while let Some(column) = found.next() {
            let value = if width == 2 { found.next().expect("pairs") as i32 } else { 1 };
            let value = if options.pattern { i32::from(value != 0) } else { value };
            entries.push(row, column, Integer::from(value))?;
        }
        Ok(())
    })?;
    entries.finish(rows, cols)
}

/// Compares the matrix with the files of weights beside it; the number of columns.
fn companions(text: &Text<'_>, path: &Path, bytes: &[u8], width: usize, (rows, cols): (u64, u64)) -> Result<u64> {
    let Some(stem) = path.file_name().and_then(|name| name.to_str()?.strip_suffix(".bin")) else { return Ok(cols) };
    let load = |kind: &str| {
        let file = path.with_file_name(format!("{stem}.{kind}.bin"));
        let content = std::fs::read(&file).ok()?;
        Some((file, words(&content).collect::<Vec<u32>>()))
    };
    let differ = |file: &Path, what: &str| {
        let message = format!("the weights of {what} in {} are those of another matrix", file.display());
        text.error(0, message)
    };
    if let Some((file, weights)) = load("rw") {
        let mut same = weights.len() as u64 == rows;
        each_row(bytes, width, |row, k, _| {
            same &= weights.get(row as usize) == word(bytes, k).as_ref();
            Ok::<(), Error>(())
        })?;
        if !same {
            return Err(differ(&file, "rows"));
        }
    }
    let Some((file, mut weights)) = load("cw") else { return Ok(cols) };
    let mut same = weights.len() as u64 >= cols && u32::try_from(weights.len()).is_ok();
    let announced = weights.len() as u64;
    each_row(bytes, width, |_, _, entries| {
        for column in words(entries).step_by(width) {
            if let Some(weight) = weights.get_mut(column as usize) {
                same &= *weight > 0;
                *weight = weight.wrapping_sub(1);
            }
        }
        Ok::<(), Error>(())
    })?;
    if !same || weights.iter().any(|&weight| weight != 0) {
        return Err(differ(&file, "columns"));
    }
    Ok(announced)
}
