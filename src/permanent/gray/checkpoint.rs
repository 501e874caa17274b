//! The progress of a long run, in a small file: which sum it is, how many chunks are summed, and their sums, all under
//! one checksum ([`Seal`]).

use super::plan::Engine;
use super::{IntMatrix, Plan};
use crate::io::{Seal, load_sealed};
use crate::{Error, Result};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// The state of a sum.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Checkpoint {
    /// The total number of chunks, and the number summed: the first `next`.
    pub chunks: u64,
    pub next: u64,
    /// The exact sum, or the residues of the sum, in decimal digits.
    pub sums: Vec<String>,
}

/// The computation in a [`Seal`].
const KIND: &str = "permanent by Gray code";
/// The version in a [`Seal`]: it increases with every change of the layout, or of what a plan sums and in which order.
/// Version 1 had no seal.
const VERSION: u32 = 2;
/// What a file of version 1 holds.
const UNSEALED: &[u8] = b"\"blackfield permanent checkpoint 1\"";

/// A file that keeps the state of one sum.
pub(super) struct Store {
    file: PathBuf,
    seal: Seal,
}

impl Store {
    /// For the sum that `plan` computes for `matrix`.
    ///
    /// # Errors
    /// [`Error::Memory`].
    pub fn new(file: &Path, plan: &Plan, matrix: &IntMatrix) -> Result<Self> {
        let digits: Vec<_> = plan.walk.iter().map(|d| (d.class, d.radix())).collect();
        let sums = match &plan.engine {
            Engine::Exact(_) => "integer".to_string(),
            Engine::Modular(modular) => format!("modulo 2^64 and {:?}", modular.primes),
        };
        let (low, lanes, chunk, chunks) = (&plan.low, &plan.lane_classes, plan.chunk, plan.chunks());
        let seal = Seal {
            kind: KIND.into(),
            version: VERSION,
            matrix: matrix.to_triplets()?.digest(),
            parameters: format!(
                "low {low:?} lanes {lanes:?} walk {digits:?} chunk {chunk} chunks {chunks} sums {sums}"
            ),
        };
        Ok(Store { file: file.into(), seal })
    }

    /// The file.
    pub fn file(&self) -> &Path {
        &self.file
    }

    /// The state in the file, `None` if there is no such file.
    ///
    /// # Errors
    /// [`Error::Io`], or [`Error::Input`] if the file is damaged, or not a checkpoint of the sum that `expected`
    /// begins.
    pub fn read(&self, expected: &Checkpoint) -> Result<Option<Checkpoint>> {
        let Store { file, seal } = self;
        let Some(bytes) = load_sealed(file)? else { return Ok(None) };
        let refuse = |message: String| Err(Error::Input { file: file.clone(), line: 0, message });
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
        // Sums without a chunk would be accepted without any mention in the answer.
        let begun = saved.next > 0 || saved.sums == expected.sums;
        if !shaped || !begun || saved.next > saved.chunks {
            return refuse("checkpoint whose state contradicts its seal".into());
        }
        Ok(Some(saved))
    }

    /// Replaces the content of the file by this state.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn write(&self, state: &Checkpoint) -> Result<()> {
        let mut text = serde_json::to_vec(state).expect("text and numbers have a form in JSON");
        text.push(b'\n');
        self.seal.write(&self.file, &text)
    }
}
