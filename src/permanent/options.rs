//! Options and answers.

use super::reduce::Switches;
use crate::Step;
use crate::cost::Machine;
use crate::field::Modulus;
use crate::gpu::Devices;
use crate::integers::Bound;
use crate::report::Certainty;
use crate::setters::setters;
use crate::words::counted;
use num_bigint::{BigInt, BigUint};
use std::path::PathBuf;
use std::time::Duration;

/// How to compute the blocks that the reductions leave.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Method {
    /// For each block, the method predicted to be fastest.
    #[default]
    Auto,
    /// The dynamic program over a frontier.
    Frontier,
    /// The inclusion–exclusion sum along a Gray code.
    Gray,
    /// Planar graphs: a determinant with Kasteleyn's signs.
    Kasteleyn,
    /// Nearly constant matrices: the rook polynomial of the other entries.
    Rook,
    /// Matrices of rank at most 4: products of linear forms.
    LowRank,
}

impl Method {
    /// The name on the command line and in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Method::Auto => "auto",
            Method::Frontier => "frontier",
            Method::Gray => "gray",
            Method::Kasteleyn => "kasteleyn",
            Method::Rook => "rook",
            Method::LowRank => "low-rank",
        }
    }
}

/// How to compute a permanent.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Options {
    /// The method for the blocks.
    pub method: Method,
    /// Requests the residue mod p instead of the integer.
    pub modulus: Option<Modulus>,
    /// Which reductions are applied first.
    pub reductions: Switches,
    /// Where the dense engine runs.
    pub devices: Devices,
    /// The maximum number of bytes that an engine may take.
    pub max_memory: Option<u64>,
    /// Where a long Gray-code run keeps its state, so that it can be resumed. One file serves one block: see
    /// [`permanent`](super::permanent).
    pub checkpoint: Option<PathBuf>,
    /// The least time between two writes of the checkpoint; a minute if `None`.
    pub checkpoint_interval: Option<Duration>,
    /// The prices by which engines are chosen. A run resumes from a checkpoint only with the prices that it began with.
    pub machine: Machine,
}

setters!(Options {
    method: Method,
    modulus: impl Into<Option<Modulus>>,
    reductions: Switches,
    devices: Devices,
    max_memory: impl Into<Option<u64>>,
    checkpoint: impl Into<Option<PathBuf>>,
    checkpoint_interval: impl Into<Option<Duration>>,
    machine: Machine,
});

/// A permanent, how it was found, and why it is right.
///
/// Serialised as the part of `blackfield permanent --json` about the answer itself (`docs/schema/permanent.json`): the
/// value is a string of digits, `permanent`, since JSON numbers cannot hold it.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[must_use]
#[non_exhaustive]
pub struct Permanent {
    /// The permanent; with [`Options::modulus`], its residue 0 … p-1.
    #[cfg_attr(feature = "serde", serde(rename = "permanent", serialize_with = "digits"))]
    pub value: BigInt,
    /// The method of the step that took longest; `reductions` if there was nothing left to compute.
    pub method: &'static str,
    /// Why the value is right.
    #[cfg_attr(feature = "serde", serde(flatten))]
    pub proof: Proof,
    /// What was done, in order.
    pub path: Vec<Step>,
}

#[cfg(feature = "serde")]
fn digits<S: serde::Serializer>(value: &BigInt, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(value)
}

/// Why a value is right: exact arithmetic throughout, and where it was reconstructed from residues, enough of them for
/// a proven bound.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Proof {
    /// For each block that was computed mod primes: its bound and the moduli, whose product exceeds twice the bound.
    pub residues: Vec<(Bound, Vec<BigUint>)>,
    /// For each block whose sum was resumed from a checkpoint: what was taken from it. Its checksum matches; in
    /// addition to arithmetic, the value then rests on nobody having stored a different sum with a matching checksum.
    pub resumed: Vec<Resumed>,
}

/// Work that was not done in this run but read from a checkpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Resumed {
    /// The number of parts taken from the file: the run resumed with part `parts`, counted from 0.
    pub parts: u64,
    /// The total number of parts.
    pub of: u64,
}

impl Proof {
    /// Always [`Certainty::Proven`]; for a [resumed](Proof::resumed) run, provided that the checkpoint is what a run of
    /// this program wrote.
    pub fn certainty(&self) -> Certainty {
        Certainty::Proven
    }
}

/// As the name of the certainty, the proof in words, and what was resumed (absent if all of the work was done in this
/// run).
#[cfg(feature = "serde")]
impl serde::Serialize for Proof {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(serde::Serialize)]
        struct Document<'a> {
            certainty: &'static str,
            proof: String,
            #[serde(skip_serializing_if = "<[Resumed]>::is_empty")]
            resumed: &'a [Resumed],
        }
        Document { certainty: self.certainty().name(), proof: self.to_string(), resumed: &self.resumed }
            .serialize(serializer)
    }
}

impl std::fmt::Display for Proof {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.residues.is_empty() {
            write!(f, "integer arithmetic without rounding or overflow")?;
        }
        for (k, (bound, moduli)) in self.residues.iter().enumerate() {
            let separator = if k == 0 { "" } else { "; " };
            write!(f, "{separator}a block has |value| <= 2^{} ({}), known modulo ", bound.bits, bound.rule)?;
            match moduli.len() {
                1 => write!(f, "a number of ")?,
                count => write!(f, "{count} numbers of ")?,
            }
            write!(f, "{}", counted(moduli.iter().product::<BigUint>().bits() - 1, "bit"))?;
            write!(f, "{}", if moduli.len() == 1 { "" } else { " together" })?;
        }
        for Resumed { parts, of } in &self.resumed {
            write!(
                f,
                "; resumed: the first {parts} of {of} parts of a sum are those of a checkpoint, whose checksum matches"
            )?;
        }
        Ok(())
    }
}
