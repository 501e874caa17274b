//! Options and answers.

use crate::Step;
use crate::cost::Machine;
use crate::permanent::Proof;
use crate::setters::setters;
use num_bigint::BigInt;
use std::path::PathBuf;
use std::time::Duration;

/// How to compute the blocks that the reductions leave.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Method {
    /// For each block, the method predicted to be fastest.
    #[default]
    Auto,
    /// Bipartite graphs: the permanent of the biadjacency matrix.
    Permanent,
    /// Planar graphs: a Pfaffian.
    Planar,
    /// The dynamic program over a frontier.
    Frontier,
    /// Inclusion and exclusion over pairs of vertices.
    InclusionExclusion,
    /// The matchings of the complement, by their sizes.
    Complement,
}

impl Method {
    /// The name on the command line and in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Method::Auto => "auto",
            Method::Permanent => "permanent",
            Method::Planar => "planar",
            Method::Frontier => "frontier",
            Method::InclusionExclusion => "inclusion-exclusion",
            Method::Complement => "complement",
        }
    }
}

/// How to count matchings.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Options {
    /// The method for the blocks; matchings of all sizes know frontier and complement.
    pub method: Method,
    /// Requests the matchings of every size.
    pub by_size: bool,
    /// Whether to reduce the graph first; without, it is only divided into components.
    pub reductions: bool,
    /// The maximum number of bytes that a method may take.
    pub max_memory: Option<u64>,
    /// Where a long sum by inclusion and exclusion (or by a Gray code) keeps its state, so that it can be resumed. One
    /// file serves one block.
    pub checkpoint: Option<PathBuf>,
    /// The least time between two writes of the checkpoint; a minute if `None`.
    pub checkpoint_interval: Option<Duration>,
    /// The prices by which methods are chosen.
    pub machine: Machine,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            method: Method::Auto,
            by_size: false,
            reductions: true,
            max_memory: None,
            checkpoint: None,
            checkpoint_interval: None,
            machine: Machine::default(),
        }
    }
}

setters!(Options {
    method: Method,
    by_size: bool,
    reductions: bool,
    max_memory: impl Into<Option<u64>>,
    checkpoint: impl Into<Option<PathBuf>>,
    checkpoint_interval: impl Into<Option<Duration>>,
    machine: Machine,
});

/// Numbers of matchings, how they were found, and why they are right. With weights, a matching counts as the product of
/// the weights of its edges.
///
/// Serialised as the part of `blackfield matchings --json` about the answer itself (`docs/schema/matchings.json`):
/// numbers are strings of digits, since JSON numbers cannot hold them.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[must_use]
#[non_exhaustive]
pub struct Matchings {
    /// The perfect matchings: the hafnian. 1 if there is no vertex, 0 if their number is odd.
    #[cfg_attr(feature = "serde", serde(serialize_with = "digits"))]
    pub perfect: BigInt,
    /// With [`Options::by_size`], the matchings with k edges, k = 0 … n/2.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none", serialize_with = "list"))]
    pub by_size: Option<Vec<BigInt>>,
    /// Their sum: the Hosoya index.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none", serialize_with = "maybe"))]
    pub total: Option<BigInt>,
    /// The method of the step that took longest; `reductions` if there was nothing left to compute.
    pub method: &'static str,
    /// Why the numbers are right.
    #[cfg_attr(feature = "serde", serde(flatten))]
    pub proof: Proof,
    /// What was done, in order.
    pub path: Vec<Step>,
}

#[cfg(feature = "serde")]
fn digits<S: serde::Serializer>(value: &BigInt, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(value)
}

#[cfg(feature = "serde")]
fn maybe<S: serde::Serializer>(value: &Option<BigInt>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(value.as_ref().unwrap_or(&BigInt::ZERO))
}

#[cfg(feature = "serde")]
fn list<S: serde::Serializer>(values: &Option<Vec<BigInt>>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(values.iter().flatten().map(BigInt::to_string))
}
