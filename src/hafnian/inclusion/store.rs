//! The file that keeps the sums of one graph: which sum it is, how many parts are summed, and their sums, all under one
//! checksum ([`Seal`]).

use crate::hafnian::WeightedGraph;
use crate::hafnian::residues::Pass;
use crate::io::{Seal, load_sealed};
use crate::{Error, Result};
use num_bigint::BigUint;
use std::path::{Path, PathBuf};

/// The computation in a [`Seal`].
const KIND: &str = "hafnian by inclusion and exclusion";
/// Increases with every change of the layout, or of what a part is.
const VERSION: u32 = 1;

#[derive(serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct State {
    parts: u64,
    next: u64,
    sums: Vec<String>,
}

/// A file that keeps the sums of one graph.
pub(super) struct Store {
    file: PathBuf,
    seal: Seal,
}

impl Store {
    /// # Errors
    /// [`Error::Memory`].
    pub fn new(file: PathBuf, graph: &WeightedGraph, passes: &[Pass], parts: u64) -> Result<Self> {
        let moduli: Vec<String> = passes.iter().map(|p| p.modulus().to_string()).collect();
        let seal = Seal {
            kind: KIND.into(),
            version: VERSION,
            matrix: graph.triplets()?.digest(),
            parameters: format!("parts {parts} moduli {moduli:?}"),
        };
        Ok(Store { file, seal })
    }

    pub fn file(&self) -> &Path {
        &self.file
    }

    /// The number of parts in the file, and their sums; `None` if there is no such file.
    ///
    /// # Errors
    /// [`Error::Io`], or [`Error::Input`] if the file is damaged or belongs to another sum.
    pub fn read(&self, passes: &[Pass], parts: u64) -> Result<Option<(u64, Vec<u64>)>> {
        let Some(bytes) = load_sealed(&self.file)? else { return Ok(None) };
        let refuse = |message: String| Error::Input { file: self.file.clone(), line: 0, message };
        let state: State = serde_json::from_slice(self.seal.open(&bytes, &self.file)?)
            .map_err(|error| refuse(format!("checkpoint with an unreadable state: {error}")))?;
        let sums: Option<Vec<u64>> = state.sums.iter().map(|digits| digits.parse().ok()).collect();
        let fits = |sums: &Vec<u64>| {
            let below = |(&x, pass): (&u64, &Pass)| BigUint::from(x) < pass.modulus();
            sums.len() == passes.len() && sums.iter().zip(passes).all(below)
        };
        // Sums without a part would be accepted without any mention in the answer.
        let begun = |sums: &Vec<u64>| state.next > 0 || sums.iter().all(|&x| x == 0);
        match sums.filter(fits).filter(begun) {
            Some(sums) if state.parts == parts && state.next <= parts => Ok(Some((state.next, sums))),
            _ => Err(refuse("checkpoint whose state contradicts its seal".into())),
        }
    }

    /// Replaces the content of the file.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn write(&self, parts: u64, next: u64, sums: &[u64]) -> Result<()> {
        let state = State { parts, next, sums: sums.iter().map(u64::to_string).collect() };
        let mut text = serde_json::to_vec(&state).expect("text and numbers have a form in JSON");
        text.push(b'\n');
        self.seal.write(&self.file, &text)
    }
}
