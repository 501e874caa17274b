//! What a caller may ask for, and what an answer consists of.

use super::reduce::Switches;
use crate::Step;
use crate::cost::Machine;
use crate::field::Modulus;
use crate::integers::Bound;
use crate::report::Certainty;
use crate::setters::setters;
use num_bigint::{BigInt, BigUint};
use std::path::PathBuf;
use std::time::Duration;

/// How to compute the blocks that the reductions leave.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Method {
    /// Whatever is predicted to be fastest, for each block.
    #[default]
    Auto,
    /// The dynamic program over a frontier.
    Frontier,
    /// The inclusion–exclusion sum along a Gray code.
    Gray,
    /// Planar graphs: a determinant with Kasteleyn's signs.
    Kasteleyn,
    /// Nearly constant matrices: the rook polynomial of the rest.
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

/// Where the dense engine runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Devices {
    /// On the processor.
    #[default]
    Processor,
    /// On all CUDA GPUs where that is predicted to be sooner, on the processor where there are none or they fail.
    Auto,
    /// On all CUDA GPUs; without any an error.
    Gpus,
}

/// How to compute a permanent.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Options {
    /// The method for the blocks.
    pub method: Method,
    /// Ask for the residue mod p instead of the integer.
    pub modulus: Option<Modulus>,
    /// Which reductions come first.
    pub reductions: Switches,
    /// Where the dense engine runs.
    pub devices: Devices,
    /// Most bytes that an engine may take.
    pub max_memory: Option<u64>,
    /// Where a long Gray-code run keeps its state, to go on after it was stopped. One file serves one block: see
    /// [`permanent`](super::permanent).
    pub checkpoint: Option<PathBuf>,
    /// The least time between two writes of the checkpoint; `None`: a minute.
    pub checkpoint_interval: Option<Duration>,
    /// The prices that engines are chosen by. A run goes on from a checkpoint only with the prices that it began with.
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
/// It serialises as what `blackfield permanent --json` says of the answer itself (`docs/schema/permanent.json`): the
/// value is a string of digits, `permanent`, since no number of JSON holds it.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[must_use]
#[non_exhaustive]
pub struct Permanent {
    /// The permanent; with [`Options::modulus`] its residue 0 … p-1.
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

/// Why a value is right: exact arithmetic throughout, and where residues were put together, enough of them for a proven
/// bound.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Proof {
    /// For each block that was computed mod primes: its bound and the moduli, whose product exceeds twice the bound.
    pub residues: Vec<(Bound, Vec<BigUint>)>,
    /// For each block whose sum went on from a checkpoint: what was taken from it. Its checksum fits; that nobody
    /// computed another sum and a checksum for it is what the value then rests on beside arithmetic.
    pub resumed: Vec<Resumed>,
}

/// Work that was not done in this run but read from a checkpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Resumed {
    /// The parts taken from the file: the run went on with part `parts`, counted from 0.
    pub parts: u64,
    /// The parts in all.
    pub of: u64,
}

impl Proof {
    /// Always [`Certainty::Proven`]; of a [resumed](Proof::resumed) run if the checkpoint is what a run of this program
    /// wrote.
    pub fn certainty(&self) -> Certainty {
        Certainty::Proven
    }
}

/// As the certainty's name, the proof in words and what was resumed, absent if all of the work was done in this run.
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
            write!(
                f,
                "{separator}a block has |perm| <= 2^{} ({}), known mod {} ",
                bound.bits,
                bound.rule,
                moduli.len()
            )?;
            write!(f, "{} of ", if moduli.len() == 1 { "modulus" } else { "moduli" })?;
            write!(f, "{} bits together", moduli.iter().product::<BigUint>().bits() - 1)?;
        }
        for Resumed { parts, of } in &self.resumed {
            write!(
                f,
                "; resumed: the first {parts} of {of} parts of a sum are those of a checkpoint, whose checksum fits"
            )?;
        }
        Ok(())
    }
}
