//! Where a long run stands, in a small file: which sum it is, how many chunks are summed, and their sums, all under one
//! checksum ([`Seal`]).

use crate::io::{Seal, load_sealed};
use crate::{Error, Result};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// The state of a sum.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Checkpoint {
    /// Chunks in all, and those summed: the first `next`.
    pub chunks: u64,
    pub next: u64,
    /// The exact sum, or the residues of the sum, in decimal digits.
    pub sums: Vec<String>,
}

/// The computation in a [`Seal`].
pub(super) const KIND: &str = "permanent by Gray code";
/// The version in a [`Seal`]: it grows with every change of the layout or of what a plan sums in which order. Version 1 had no seal.
pub(super) const VERSION: u32 = 2;
/// What a file of version 1 holds.
const UNSEALED: &[u8] = b"\"blackfield permanent checkpoint 1\"";

impl Checkpoint {
    /// The state in the file, `None` if there is no such file.
    ///
    /// # Errors
    /// [`Error::Io`], or [`Error::Input`] if the file is damaged, or no checkpoint of the sum that `seal` names and `expected`
    /// begins.
    pub fn read(file: &Path, seal: &Seal, expected: &Checkpoint) -> Result<Option<Checkpoint>> {
        let Some(bytes) = load_sealed(file)? else { return Ok(None) };
        let refuse = |message: String| Err(Error::Input { file: file.into(), line: 0, message });
        if bytes.starts_with(b"{") && bytes.windows(UNSEALED.len()).any(|piece| piece == UNSEALED) {
            return refuse(
                "checkpoint of version 1, which has no checksum: its sums cannot be trusted; remove it to start again"
                    .into(),
            );
        }
        let saved: Checkpoint = match serde_json::from_slice(seal.open(&bytes, file)?) {
            Ok(saved) => saved,
            Err(error) => return refuse(format!("checkpoint with an unreadable state: {error}")),
        };
        let shaped = (saved.chunks, saved.sums.len()) == (expected.chunks, expected.sums.len());
        // Sums of no chunk would be taken up without a word in the answer.
        let begun = saved.next > 0 || saved.sums == expected.sums;
        if !shaped || !begun || saved.next > saved.chunks {
            return refuse("checkpoint whose state contradicts its seal".into());
        }
        Ok(Some(saved))
    }

    /// Replaces the file by this state.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn write(&self, file: &Path, seal: &Seal) -> Result<()> {
        let mut text = serde_json::to_vec(self).expect("text and numbers have a form in JSON");
        text.push(b'\n');
        seal.write(file, &text)
    }
}
