//! Standard output: text, JSON documents, matrices.

use crate::args::FileFormat;
use crate::progress::Bars;
use blackfield::answers::Phases;
use blackfield::io::{self, Format};
use blackfield::sparse::Triplets;
use blackfield::{Error, Result};
use serde::{Serialize, Serializer};
use std::io::Write;
use std::path::Path;

/// Writes `text` to the standard output, at once.
pub fn print(text: &str) -> Result<()> {
    let mut out = std::io::stdout().lock();
    let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    written.map_err(|source| Error::Io { file: "-".into(), source })
}

/// Prints one JSON document, indented, with a final newline.
pub fn print_json(document: &impl Serialize) -> Result<()> {
    let mut text = serde_json::to_string_pretty(document).expect("our documents have string keys");
    text.push('\n');
    print(&text)
}

/// Writes a matrix to `file` (`-`: standard output) in the format wished or, without a wish, that the name asks for.
pub fn write_matrix(file: &Path, to: Option<FileFormat>, matrix: &Triplets, bars: &Bars) -> Result<()> {
    let format = match to {
        Some(FileFormat::Sms) => Format::Sms,
        Some(FileFormat::Mtx) => Format::MatrixMarket,
        None if file.as_os_str() == "-" => Format::MatrixMarket,
        None => Format::from_path(file)?.0,
    };
    let written = io::write(file, matrix, format, &mut std::io::stdout().lock(), bars);
    bars.clear();
    written
}

/// Phases as the object `{name: seconds}`, in their order.
pub fn phases<S: Serializer>(phases: &Phases, serializer: S) -> std::result::Result<S::Ok, S::Error> {
    serializer.collect_map(phases.iter())
}
