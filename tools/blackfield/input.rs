//! Reading a matrix for a subcommand: from a file or standard input, timed and announced.

use crate::progress::Bars;
use blackfield::io::{self, ReadOptions};
use blackfield::sparse::Triplets;
use blackfield::{Error, Result};
use std::cell::OnceCell;
use std::path::Path;
use std::time::Instant;

/// An integer matrix, the seconds its reading took, and what was said about it.
pub struct Loaded {
    pub triplets: Triplets,
    pub seconds: f64,
    pub warnings: Vec<String>,
    digest: OnceCell<String>,
}

impl Loaded {
    /// The digest of the triplets as they are at the first call: a pass over the matrix, made once for all moduli.
    pub fn digest(&self) -> String {
        self.digest.get_or_init(|| self.triplets.digest()).clone()
    }
}

/// Reads `file` (`-`: standard input), as its 0–1 pattern if asked.
pub fn load(file: &Path, pattern: bool, bars: &Bars) -> Result<Loaded> {
    load_within(file, pattern, None, bars)
}

/// [`load`] for a matrix whose entries take no more than `max_memory` bytes.
pub fn load_within(file: &Path, pattern: bool, max_memory: Option<u64>, bars: &Bars) -> Result<Loaded> {
    let start = Instant::now();
    let options = ReadOptions::default().pattern(pattern).max_memory(max_memory);
    let triplets = io::read(file, &options, bars)?;
    let seconds = start.elapsed().as_secs_f64();
    bars.clear();
    let (rows, cols, nnz) = (triplets.rows(), triplets.cols(), triplets.nnz());
    bars.note(&format!("{}: {rows} x {cols}, {nnz} non-zeros, read in {seconds:.3} s", file.display()));
    Ok(Loaded { triplets, seconds, warnings: bars.take_warnings(), digest: OnceCell::new() })
}

/// Refuses a list of files that names standard input twice: it can be read once.
pub fn check_stdin_once(files: &[impl AsRef<Path>]) -> Result<()> {
    if files.iter().filter(|file| file.as_ref().as_os_str() == "-").count() > 1 {
        return Err(Error::Usage("standard input (`-`) can be read only once".into()));
    }
    Ok(())
}
