//! The rank of a Schur complement by block Wiedemann: on the implicit S, or on the matrix without its pivots.

use super::finish::{Answer, OnRest};
use super::outlook::Outlook;
use super::planner::Decision;
use super::steps::{Done, Plan};
use super::work::{SHARED, Work};
use super::{Machine, Method, Phases, Route, wiedemann};
use crate::certify::Certainty;
use crate::pivots::Pivots;
use crate::schur::{Complement, Split, complement_on_gpus};
use crate::spmv::{GpuCopies, GpuShape};
use crate::wiedemann::Parameters;
use crate::{Error, Result};

impl OnRest<'_, '_> {
    /// The rank by block Wiedemann on the implicit S, or on A without its pivots.
    pub(super) fn by_wiedemann(
        &mut self,
        now: &Plan<'_>,
        pivots: bool,
        parameters: &Parameters,
        decision: Decision,
    ) -> Result<Done<Answer>> {
        let Decision { gpu, reason: mut why, .. } = decision;
        let (a, no_pivots) = (self.a, Pivots::default());
        let (whole, outlook, taken, of) = match pivots {
            true => (None, now.outlook, 0, "the implicit Schur complement"),
            false => {
                let outlook = Outlook { rest: now.outlook.rest.without_pivots(), ..now.outlook };
                (Some(Split::new(a, &no_pivots)?), outlook, now.outlook.rest.pivots, "the matrix")
            }
        };
        let split = whole.as_ref().unwrap_or(&self.split);
        let Work { options, streams, .. } = *self.work;
        let seconds = |machine: &Machine, _: usize| match outlook.wiedemann(machine) {
            Ok(Some(found)) => found.seconds,
            _ => parameters.seconds,
        };
        let shape = GpuShape { modulus: split.modulus(), block: parameters.block, degree: parameters.degree };
        let mut shares = false;
        let most = if gpu { shape.most_gpus() } else { 0 };
        let done = self.work.on_several(most, |work, devices| {
            work.watched("block Wiedemann", now, seconds, seconds, |phases, observer| {
                let trials = |place, phases: &mut Phases| {
                    wiedemann::trials(place, parameters, &options.wiedemann(), streams, phases, observer)
                };
                match devices {
                    [] => {
                        let complement = phases.shown("plan", observer, || Complement::new(split))?;
                        trials(wiedemann::Place::Processor(&complement), phases)
                    }
                    _ => {
                        let whole = parameters.projects_itself_on(shape, devices);
                        let complement = phases.time("device", || match pivots {
                            true => complement_on_gpus(split, devices, shape),
                            false => GpuCopies::new(devices, a, shape, parameters.products, whole),
                        })?;
                        shares = complement.shares_storage();
                        trials(wiedemann::Place::Gpu(&complement), phases)
                    }
                }
            })
        })?;
        if shares {
            why += SHARED;
        }
        let (outcome, seconds_taken) = match done {
            (Done::Whole(outcome), seconds) => (outcome, seconds),
            // Progress is that of the sequence.
            (Done::Part { seen, .. }, _) => return Ok(Done::Part { than: 0, seen, full: false }),
        };
        let (found, rank) = (format!("rank {} of {of}", outcome.rank), outcome.rank.saturating_sub(taken));
        self.work.step("block Wiedemann", found, &why, rank, |machine| seconds(machine, 0), seconds_taken);
        // The co-degree may exceed the rank; nothing else does.
        let bounded = self.work.options.route != Route::CoDegree;
        let rest = outlook.rest;
        if bounded && outcome.rank > rest.rank_bound {
            let (found, bound) = (outcome.rank, rest.rank_bound);
            return Err(Error::Check(format!("block Wiedemann found rank {found} where {bound} is the most possible")));
        }
        let (certainty, ground) = if bounded && outcome.rank == rest.rank_bound {
            (Certainty::Proven, format!("{}, and this is its upper bound", wiedemann::NEVER_ABOVE))
        } else {
            (outcome.certainty, outcome.ground)
        };
        Ok(Done::Whole(Answer {
            rank,
            method: Method::Hybrid,
            certainty,
            reason: format!("{why}; {}; {ground}", parameters.reason),
            wiedemann: Some(outcome.report),
            core: None,
            space: None,
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::super::plan::Left;
    use super::super::planner::Finish;
    use super::super::{Patience, RankOptions};
    use super::*;
    use crate::certify::Streams;
    use crate::field::Modulus;
    use crate::oracles::{dense_rank, greedy_pivots};
    use crate::{Silent, families};
    use std::borrow::Cow;

    /// With S or with the matrix, pivots and all, the ranks differ by the pivots.
    #[test]
    fn the_rank_of_the_matrix_is_that_of_its_complement_and_the_pivots() {
        let options = RankOptions { patience: Patience::ENDLESS, ..Default::default() };
        let mut count = [0, 0];
        for name in ["mk8-b3", "ch4-5-b2", "bibd_9_5", "Trefethen_150"] {
            let a = families::generate(name).unwrap().reduce(Modulus::new(65521).unwrap());
            let pivots = greedy_pivots(&a);
            let (streams, mut phases) = (Streams::of(&a, 1), Phases::default());
            let mut left = Left::of(Cow::Borrowed(&a), &options, &Machine::reference()).unwrap();
            left.of.pivot(pivots.clone());
            left.go_on(left.stage, &options).unwrap();
            let mut work = Work::new(&options, &streams, Machine::reference(), &mut phases, &Silent);
            for with in [true, false] {
                let finish = Finish::Wiedemann { pivots: with };
                let decision = Decision { finish, seconds: 0.0, gpu: false, reason: String::new() };
                let wanted = left.outlook(&options);
                let wanted = if with { wanted } else { Outlook { rest: wanted.rest.without_pivots(), ..wanted } };
                let parameters = wanted.wiedemann(&work.machine).unwrap();
                if parameters.is_none() {
                    assert!(with && wanted.rest.rank_bound == 0, "{name}: pivots leave nothing");
                    continue;
                }
                count[usize::from(with)] += 1;
                let answer = work.finish(&mut left, decision, parameters).unwrap().unwrap();
                assert_eq!(pivots.len() + answer.rank, dense_rank(&a), "{name}, {with}");
                let step = work.path.last().unwrap();
                assert_eq!(step.rank, Some(answer.rank), "{name}");
                assert_eq!(step.found.contains("complement"), with, "{name}: {}", step.found);
            }
        }
        assert!(count[0] == 4 && count[1] > 1, "{count:?}");
    }
}
