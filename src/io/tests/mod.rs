//! Tests of the whole room: every accepted spelling, every refusal with its message, streams and threads, writers, and
//! random files against the data they were made from.

mod arrays;
mod files;
mod fractions;
mod graphs;
mod harwell_boeing;
#[cfg(feature = "hdf5")]
mod hdf5;
mod literals;
mod random;
mod spelling;
mod streams;
mod tables;
mod widths;

use super::content::unpack;
use super::read::parse_content;
use super::source::{Bytes, Source, Stream};
use super::*;
use crate::sparse::Triplets;
use crate::{Error, Observer, Result, Silent};
use std::path::Path;

const EXACT: ReadOptions = ReadOptions { pattern: false, max_memory: None, base: None, layout: None };
const PATTERN: ReadOptions = ReadOptions { pattern: true, max_memory: None, base: None, layout: None };

fn read_text(text: impl AsRef<[u8]>, options: &ReadOptions) -> Result<Triplets> {
    read_bytes(Path::new("t"), text.as_ref(), options, &Silent)
}

/// Rows, columns and entries, or the error as displayed.
fn shown(text: impl AsRef<[u8]>, options: &ReadOptions) -> String {
    match read_text(text, options) {
        Ok(a) => {
            let entries: Vec<String> = a.entries().map(|(i, j, v)| format!("{} {} {v}", i + 1, j + 1)).collect();
            format!("{}x{}: {}", a.rows(), a.cols(), entries.join(", "))
        }
        Err(e) => e.to_string(),
    }
}

/// The compression that every library with any has.
const PACKED: Compression = if cfg!(feature = "gzip") { Compression::Gzip } else { Compression::None };

/// The bytes compressed, or unchanged if this library cannot decompress.
#[cfg(not(feature = "gzip"))]
fn gzip(bytes: &[u8]) -> Vec<u8> {
    bytes.to_vec()
}
#[cfg(feature = "gzip")]
fn gzip(bytes: &[u8]) -> Vec<u8> {
    use flate2::{Compression, write::GzEncoder};
    use std::io::Write;
    let mut encoder = GzEncoder::new(vec![], Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

const MM: &str = "%%MatrixMarket matrix coordinate";

/// The Harwell–Boeing text of a matrix given by columns; `values` are the fields of its value section, if any.
fn harwell_boeing(
    kind: &str,
    rows: usize,
    columns: &[Vec<usize>],
    values: Option<(&str, usize, Vec<String>)>,
) -> String {
    let entries: usize = columns.iter().map(Vec::len).sum();
    let wrapped = |fields: Vec<String>, repeat: usize, width: usize| -> String {
        fields
            .chunks(repeat)
            .map(|line| line.iter().map(|f| format!("{f:>width$}")).collect::<String>() + "\n")
            .collect()
    };
    let mut pointer = 1;
    let mut pointers = vec!["1".to_string()];
    for column in columns {
        pointer += column.len();
        pointers.push(pointer.to_string());
    }
    let indices = columns.iter().flatten().map(|i| (i + 1).to_string()).collect();
    let cards = usize::from(values.is_some());
    let (format, body) = match values {
        Some((format, width, fields)) => (format, wrapped(fields, 3, width)),
        None => ("", String::new()),
    };
    format!(
        "A title of seventy-two characters or fewer                              KEY\n{:14}{:14}{:14}{cards:14}{:14}\n\
         {kind}           {rows:14}{:14}{entries:14}{:14}\n(5I4)           (7I3)           {format}\n{}{}{body}",
        9,
        1,
        1,
        0,
        columns.len(),
        0,
        wrapped(pointers, 5, 4),
        wrapped(indices, 7, 3)
    )
}
