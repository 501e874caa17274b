//! Where a long run stands, in a small file: which sum it is, how many chunks are summed, and their sums.
//!
//! The file is replaced as a whole ([`AtomicFile`]), so that a process killed at any moment leaves the old state or the new one.

use crate::io::AtomicFile;
use crate::{Error, Result};
use serde::{Deserialize, Serialize};
use std::io::Write;
use std::path::Path;

/// The content of a checkpoint file, as JSON.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Checkpoint {
    pub format: String,
    /// The digest of the matrix (SHA-256 of its canonical triplets).
    pub matrix: String,
    /// The order of summation: low columns, lanes, digits, positions of a chunk, moduli.
    pub order: String,
    /// Chunks in all, and those summed: the first `next`.
    pub chunks: u64,
    pub next: u64,
    /// The exact sum, or the residues of the sum, in decimal digits.
    pub sums: Vec<String>,
}

/// The value of [`Checkpoint::format`].
pub(super) const FORMAT: &str = "blackfield permanent checkpoint 1";

impl Checkpoint {
    /// The state in the file, `None` if there is no such file.
    ///
    /// # Errors
    /// [`Error::Io`], or [`Error::Input`] if the file is no checkpoint of the same sum as `expected`.
    pub fn read(file: &Path, expected: &Checkpoint) -> Result<Option<Checkpoint>> {
        let text = match std::fs::read_to_string(file) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(source) => return Err(Error::Io { file: file.into(), source }),
        };
        let refuse = |message: String| Err(Error::Input { file: file.into(), line: 0, message });
        let saved: Checkpoint = match serde_json::from_str(&text) {
            Ok(saved) => saved,
            Err(error) => return refuse(format!("not a checkpoint of a permanent: {error}")),
        };
        if saved.format != expected.format {
            return refuse(format!("checkpoint format {:?}, expected {:?}", saved.format, expected.format));
        }
        if saved.matrix != expected.matrix {
            return refuse(format!(
                "checkpoint of another matrix: digest {}, expected {}",
                saved.matrix, expected.matrix
            ));
        }
        if (&saved.order, saved.chunks, saved.sums.len()) != (&expected.order, expected.chunks, expected.sums.len())
            || saved.next > saved.chunks
        {
            return refuse("checkpoint of another order of summation: other options or another version".into());
        }
        Ok(Some(saved))
    }

    /// Replaces the file by this state.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn write(&self, file: &Path) -> Result<()> {
        let text = serde_json::to_string_pretty(self).expect("text and numbers have a form in JSON");
        let mut new = AtomicFile::create(file)?;
        new.write_all(text.as_bytes()).map_err(|source| Error::Io { file: file.into(), source })?;
        new.finish()
    }
}
