//! The finish by block Wiedemann where null vectors are wanted: the rank and the first of them come from the same run.

use super::finish::{Answer, OnRest, Space};
use super::sequence::Sequence;
use super::steps::{Done, Plan};
use super::{Machine, Method, WiedemannReport, wiedemann};
use crate::Result;
use crate::certify::Certainty;
use crate::wiedemann::Parameters;

impl OnRest<'_, '_> {
    /// Null vectors of S, or solutions, by block Wiedemann, as far as its rank and the first block of them.
    pub(super) fn by_sequence(&mut self, now: &Plan<'_>, parameters: &Parameters, why: String) -> Result<Done<Answer>> {
        let (split, outlook, aside) = (&self.split, now.outlook, self.aside);
        let streams = self.work.streams;
        let seconds = |machine: &Machine, _: usize| match outlook.wiedemann(machine) {
            Ok(Some(found)) => Sequence::seconds(&found, 1),
            _ => Sequence::seconds(parameters, 1),
        };
        let name = "block Wiedemann";
        let done = self.work.watched(name, now, seconds, seconds, |phases, observer| {
            Sequence::new(split, aside, parameters, streams, phases, observer)
        })?;
        let (sequence, taken) = match done {
            (Done::Whole(sequence), taken) => (sequence, taken),
            (Done::Part { seen, .. }, _) => return Ok(Done::Part { than: 0, seen, full: false }),
        };
        let (rank, full) = (sequence.rank(), sequence.rank_bound());
        let found = format!("rank {rank}, and null vectors {} at a time", sequence.width());
        self.work.step(name, found, &why, rank, |machine| seconds(machine, 0), taken);
        let (certainty, ground) = match rank == full {
            true => (Certainty::Proven, format!("full rank: {}", wiedemann::NEVER_ABOVE)),
            false => (Certainty::Heuristic, wiedemann::NEVER_ABOVE.to_string()),
        };
        let report = WiedemannReport {
            block: parameters.block,
            trials: 1,
            trials_agreed: 1,
            extension_degree: parameters.degree,
        };
        Ok(Done::Whole(Answer {
            rank,
            method: if split.pivots() == 0 { Method::Wiedemann } else { Method::Hybrid },
            certainty,
            reason: format!("{why}; {}; {ground}", parameters.reason),
            wiedemann: Some(report),
            core: None,
            space: Some(Space::Sequence(sequence)),
        }))
    }
}
