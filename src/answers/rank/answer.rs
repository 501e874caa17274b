//! The answer: a rank mod p with its certainty.

use super::{Method, Minor, Phases, WiedemannReport};
use crate::Step;
use crate::certify::Certainty;
use crate::gpu::Device;
use crate::spmv::Plan;

/// A rank mod p and everything a reader needs to judge it.
///
/// Serialised as the part of `blackfield rank --json` about the answer itself (`docs/schema/rank.json`): the certainty
/// as its three fields, no minor.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[must_use]
#[non_exhaustive]
pub struct Rank {
    /// The rank.
    pub rank: usize,
    /// How it was computed: `Elimination`, `Hybrid` or `Wiedemann`.
    pub method: Method,
    /// The steps taken, in order.
    pub path: Vec<Step>,
    /// Why so, and what the certainty rests on.
    pub reason: String,
    /// How sure it is.
    #[cfg_attr(feature = "serde", serde(flatten))]
    pub certainty: Certainty,
    /// How block Wiedemann was run, if the answer depends on it; for several components, combined over those where it
    /// was used.
    pub wiedemann: Option<WiedemannReport>,
    /// Seconds of the phases.
    pub phases: Phases,
    /// The plan of the sparse product, if one was made.
    pub plan: Option<Plan>,
    /// The GPUs that computed it, if any did; those of the step that had the most.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub devices: Vec<Device>,
    /// A nonsingular minor of the order of the rank, if [`RankOptions::minor`](super::RankOptions::minor) asks for one.
    /// It is for certificates.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub minor: Option<Minor>,
}

impl Rank {
    pub(in crate::answers) fn proven(
        rank: usize,
        method: Method,
        reason: String,
        path: Vec<Step>,
        phases: Phases,
    ) -> Self {
        Rank {
            rank,
            method,
            path,
            reason,
            certainty: Certainty::Proven,
            wiedemann: None,
            phases,
            plan: None,
            devices: vec![],
            minor: None,
        }
    }
}
