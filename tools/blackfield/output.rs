//! Standard output: text, JSON documents, matrices.

use crate::args::FileFormat;
use crate::dry_run;
use crate::progress::Bars;
use blackfield::io::{self, AtomicFile, Compression, EntryList};
use blackfield::report::Certainty;
use blackfield::sparse::{RationalMatrix, Triplets};
use blackfield::{Error, Result};
use serde::Serialize;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf, absolute};

/// Writes `text` to the standard output, at once; nothing where only a plan is wanted.
pub fn print(text: &str) -> Result<()> {
    if dry_run::is_asked() { Ok(()) } else { print_now(text) }
}

/// Writes `text` to the standard output in any case.
pub fn print_now(text: &str) -> Result<()> {
    let mut out = std::io::stdout().lock();
    let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    written.map_err(|source| Error::Io { file: "-".into(), source })
}

/// Prints one JSON document on one line.
pub fn print_json(document: &impl Serialize) -> Result<()> {
    print(&json(document))
}

/// A JSON document on one line, with a final newline.
pub fn json(document: &impl Serialize) -> String {
    let mut text = serde_json::to_string(document).expect("our documents have string keys");
    text.push('\n');
    text
}

/// Where a matrix will go, and in which format.
pub struct MatrixFile<'a> {
    file: &'a Path,
    format: io::FileFormat,
}

impl<'a> MatrixFile<'a> {
    /// `file` (`-`: standard output) in the requested format or, by default, the one that the name implies
    /// (MatrixMarket where no name does).
    ///
    /// # Errors
    /// Before any work, a wrong name and a place that takes no file.
    pub fn resolve(file: &'a Path, to: Option<FileFormat>) -> Result<Self> {
        let format = match to {
            Some(FileFormat::Sms) => io::FileFormat::Sms,
            Some(FileFormat::Mtx) => io::FileFormat::MatrixMarket,
            Some(FileFormat::Coo) => io::FileFormat::Coo,
            Some(FileFormat::Npy) => io::FileFormat::Npy,
            Some(FileFormat::Npz) => io::FileFormat::Npz,
            None if file.as_os_str() == "-" || AtomicFile::is_in_place(file) => io::FileFormat::MatrixMarket,
            None => io::FileFormat::from_path(file)?.0,
        };
        if format == io::FileFormat::Npz && Compression::from_path(file) != Compression::None {
            let file = file.display();
            return Err(Error::Usage(format!("{file}: an .npz file is compressed by itself: give it another name")));
        }
        check_place(file)?;
        Ok(MatrixFile { file, format })
    }

    /// Writes the matrix there, fractions as `a/b`.
    pub fn write_rational(&self, matrix: &RationalMatrix, bars: &Bars) -> Result<()> {
        let written = io::write_rational(self.file, matrix, self.format, &mut std::io::stdout().lock(), bars);
        bars.clear();
        written
    }
    /// Writes a list of entries there.
    pub fn write_entries(&self, list: &EntryList<'_>, bars: &Bars) -> Result<()> {
        let written = io::write_entries(self.file, list, self.format, &mut std::io::stdout().lock(), bars);
        bars.clear();
        written
    }

    /// Writes the matrix there.
    pub fn write(&self, matrix: &Triplets, bars: &Bars) -> Result<()> {
        let written = io::write(self.file, matrix, self.format, &mut std::io::stdout().lock(), bars);
        bars.clear();
        written
    }
}

/// Refuses `file` as the place of an output, which is called `what`, if that is standard output and a document is to go
/// there.
pub fn check_leaves_stdout(json: bool, file: &Path, what: &str) -> Result<()> {
    match json && file.as_os_str() == "-" {
        false => Ok(()),
        true => {
            let message = format!("standard output can have the {what} or the JSON document: name a file");
            Err(Error::Usage(message))
        }
    }
}

/// Refuses a file for a matrix over the rationals, before any work, by a name whose format holds integers alone.
pub fn check_takes_fractions(file: &Path) -> Result<()> {
    match io::FileFormat::from_path(file) {
        Ok((format, _)) if !format.has_fractions() => Err(Error::Usage(format!(
            "{}: the format has integers of 64 bits, an answer over the rationals has fractions: write .sms or .mtx",
            file.display()
        ))),
        _ => Ok(()),
    }
}

/// Refuses the option `named`, by which `file` is to be written, where that would replace `input`.
pub fn check_is_no_input(named: &str, file: &Path, input: &Path) -> Result<()> {
    match (std::fs::canonicalize(file), std::fs::canonicalize(io::container(input))) {
        (Ok(to), Ok(from)) if to == from && to.is_file() => {
            Err(Error::Usage(format!("{named} would replace the input {}", input.display())))
        }
        _ => Ok(()),
    }
}

/// Refuses outputs, each called by the option that names it, that would replace an input or one another, or whose place
/// takes no file: before any work.
pub fn check_outputs(outputs: &[(&str, &Option<PathBuf>)], inputs: &[&Path]) -> Result<()> {
    let named: Vec<_> = outputs.iter().filter_map(|(option, file)| Some((*option, file.as_deref()?))).collect();
    for (k, (option, file)) in named.iter().enumerate() {
        inputs.iter().try_for_each(|input| check_is_no_input(option, file, input))?;
        let same = |other: &Path| matches!((absolute(other), absolute(file)), (Ok(a), Ok(b)) if a == b);
        if let Some((other, _)) = named[..k].iter().find(|(_, other)| same(other)) {
            return Err(Error::Usage(format!("{other} and {option} name one file: {}", file.display())));
        }
        check_place(file)?;
    }
    Ok(())
}

/// Refuses a place that takes no file. Devices and pipes are not tried: a pipe's reader would see its end.
fn check_place(file: &Path) -> Result<()> {
    match file.as_os_str() == "-" || AtomicFile::is_in_place(file) {
        true => Ok(()),
        false => AtomicFile::create(file).map(drop),
    }
}

/// Makes a folder, if it is not there.
pub fn make_folder(folder: &Path) -> Result<()> {
    std::fs::create_dir_all(folder).map_err(|source| match source.kind() {
        ErrorKind::AlreadyExists => Error::Usage(format!("{}: a folder is needed, this is a file", folder.display())),
        _ => Error::Io { file: folder.to_path_buf(), source },
    })
}

/// A certainty in words: `monte-carlo, error <= 2.3e-39`.
pub fn sure(certainty: Certainty) -> String {
    let bound = certainty.error_bound().map_or(String::new(), |e| format!(", error <= {e}"));
    format!("{}{bound}", certainty.name())
}
