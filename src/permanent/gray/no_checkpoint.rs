//! Checkpoints in a build without the feature `serde`: a request for one is refused before anything is summed.

use super::{IntMatrix, Plan};
use crate::{Error, Result};
use std::path::Path;

/// The state of a sum.
pub(super) struct Checkpoint {
    /// The total number of chunks, and the number summed: the first `next`.
    pub chunks: u64,
    pub next: u64,
    /// The exact sum, or the residues of the sum, in decimal digits.
    pub sums: Vec<String>,
}

/// A file that keeps the state of one sum; there is none.
pub(super) enum Store {}

impl Store {
    /// # Errors
    /// [`Error::Usage`] always.
    pub fn new(_: &Path, _: &Plan, _: &IntMatrix) -> Result<Self> {
        Err(Error::Usage("no checkpoints: this blackfield was built without the feature `serde`".into()))
    }
    pub fn file(&self) -> &Path {
        match *self {}
    }
    pub fn read(&self, _: &Checkpoint) -> Result<Option<Checkpoint>> {
        match *self {}
    }
    pub fn write(&self, _: &Checkpoint) -> Result<()> {
        match *self {}
    }
}
