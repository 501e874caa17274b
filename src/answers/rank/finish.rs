//! The rank of a Schur complement that is not formed: by all rows, by its row space, or by block Wiedemann, as planned.

use super::plan::{Larger, Left};
use super::planner::{Decision, Finish};
use super::sequence::Sequence;
use super::settled::Settled;
use super::steps::{Done, Plan};
use super::work::Work;
use super::{Machine, Method, wiedemann};
use crate::certify::{Certainty, Domain};
use crate::decomposition::{Core, Lines};
use crate::dense::{Echelon, Factors, Place};
use crate::pivots::Pivots;
use crate::schur::{
    Check, EveryRow, Extent, RowBasis, RowSpace, RowSpaceOptions, RowSpaceStreams, SharedSolve, Sketch, Split,
    every_row, independent_rows, row_space_from, sketch,
};
use crate::sparse::SparseMatrix;
use crate::wiedemann::Parameters;
use crate::words::{counted, duration};
use crate::{Error, Result, memory};

/// What the memory is for.
const MINOR: &str = "the lines of a minor";

/// The rank of the Schur complement.
pub(super) struct Answer {
    pub rank: usize,
    pub method: Method,
    pub certainty: Certainty,
    pub reason: String,
    pub wiedemann: Option<wiedemann::WiedemannReport>,
    /// If a minor is asked for: a nonsingular one of S of this order.
    pub core: Option<Core>,
    /// If null vectors are asked for: what they are made from.
    pub space: Option<Space>,
}

/// What null vectors of what is left of a matrix are made from.
#[derive(Debug)]
pub(in crate::answers) enum Space {
    /// Its row space, as far as is known all of it.
    Rows {
        echelon: Echelon,
        /// Whether it is that of the complement of the structural pivots; or else of the matrix itself.
        pivots: bool,
    },
    /// Runs of block Wiedemann on the complement of the structural pivots.
    Sequence(Sequence),
}

impl Answer {
    fn elimination(rank: usize, core: Option<Core>, certainty: Certainty, reason: String) -> Self {
        let method = Method::Elimination;
        Answer { rank, method, certainty, reason, wiedemann: None, core, space: None }
    }
}

/// The work on a Schur complement.
pub(super) struct OnRest<'a, 'w> {
    pub a: &'a SparseMatrix,
    pub split: Split<'a>,
    /// Columns at the end of S that are right sides.
    pub aside: usize,
    /// A row space of S that was given up before.
    pub begun: Option<RowSpace>,
    pub work: &'a mut Work<'w>,
}

impl Work<'_> {
    /// [`Action::Finish`](super::plan::Action::Finish): the rank of what is left, or `None` if that was given up, and
    /// what it showed.
    pub fn finish(
        &mut self,
        left: &mut Left<'_>,
        decision: Decision,
        wiedemann: Option<Parameters>,
    ) -> Result<Option<Answer>> {
        let (mut outlook, larger) = (left.outlook(self.options), left.exceeded());
        outlook.settle(decision.gpu);
        let now = Plan { outlook, finish: decision.finish, larger };
        let (a, pivots) = (left.of.left(), left.of.pivots());
        // Memory that is limited is that of each step.
        if matches!(decision.finish, Finish::Wiedemann { .. }) || self.options.is_tight(a.nnz()) {
            left.mixing = SharedSolve::default();
        }
        let split = Split::new(a, pivots)?.sharing(&left.mixing);
        let finish = decision.finish;
        let begun = left.begun.take().filter(|_| matches!(finish, Finish::RowSpace { .. }));
        let mut on_rest = OnRest { a, split, aside: left.of.aside(), begun, work: self };
        let done = match finish {
            Finish::Nothing => {
                let reason = "every row or column that a rank could have has its pivot".to_string();
                let (options, cols) = (on_rest.work.options, on_rest.split.cols.len());
                let nothing = options.minor.then(Core::default);
                let space = match options.space {
                    Some(_) => Some(Space::Rows { echelon: Echelon::new(a.modulus(), cols)?, pivots: true }),
                    None => None,
                };
                Done::Whole(Answer { space, ..Answer::elimination(0, nothing, Certainty::Proven, reason) })
            }
            Finish::EveryRow { pivots } => on_rest.by_every_row(&now, pivots, decision)?,
            Finish::Sketch { give_up } => on_rest.by_sketch(&now, give_up, decision)?,
            Finish::Wiedemann { pivots } => {
                let parameters = wiedemann.expect("block Wiedemann is chosen only where it is possible");
                match on_rest.work.options.vectors {
                    // No unknowns are left.
                    Some(_) if on_rest.aside == on_rest.split.cols.len() => {
                        on_rest.by_every_row(&now, true, decision)?
                    }
                    Some(_) => on_rest.by_sequence(&now, &parameters, decision.reason)?,
                    None => on_rest.by_wiedemann(&now, pivots, &parameters, decision)?,
                }
            }
            Finish::RowSpace { give_up } => on_rest.by_row_space(&now, give_up, decision)?,
        };
        match done {
            Done::Whole(answer) => Ok(Some(answer)),
            Done::Part { than, seen, full } => {
                // What memory is limited to is for the next step.
                left.begun = on_rest.begun.filter(|_| self.options.max_memory.is_none());
                left.larger = Some(Larger { than, seen });
                if full {
                    left.rest.refused = left.rest.refused.and(finish);
                }
                Ok(None)
            }
        }
    }
}

impl OnRest<'_, '_> {
    /// The rank by all rows of S, or by all rows of A without its pivots.
    fn by_every_row(&mut self, now: &Plan<'_>, pivots: bool, decision: Decision) -> Result<Done<Answer>> {
        let no_pivots = Pivots::default();
        let rest = now.outlook.rest;
        let (whole, rest, taken) = match pivots {
            true => (None, rest, 0),
            false => (Some(Split::new(self.a, &no_pivots)?), rest.without_pivots(), rest.pivots),
        };
        let split = whole.as_ref().unwrap_or(&self.split);
        let seconds = |machine: &Machine, _: usize| rest.every_row_at_worst(machine);
        let (all_streams, prices) = (self.work.streams, self.work.machine.clone());
        let check = Check {
            error: rest.check,
            worth: &|rank, done| rest.is_checked(&prices, rank, done),
            challenge: &|number, cols| all_streams.challenge(number, &[&split.rows, &split.cols, cols]),
        };
        let name = "dense elimination";
        let most = if decision.gpu { Place::most_gpus(split.cols.len(), rest.minor) } else { 0 };
        let done = self.work.on_several(most, |work, devices| {
            work.watched(name, now, seconds, seconds, |phases, observer| {
                phases.time(name, || every_row(split, rest.rank_bound, Some(&check), rest.minor, devices, observer))
            })
        })?;
        let (EveryRow { echelon, rows, factors, extent }, taken_seconds) = match done {
            (Done::Whole(found), seconds) => (found, seconds),
            (Done::Part { seen, .. }, _) => return Ok(Done::Part { than: 0, seen, full: false }),
        };
        let all = echelon.rank();
        let predicted = |machine: &Machine| rest.every_row_seconds(machine, all);
        self.work.step(name, format!("rank {all}"), &decision.reason, all - taken, predicted, taken_seconds);
        let mut minor = None;
        if rest.minor {
            let rows = rows.expect("for a minor all rows are taken");
            minor = Some(core(split, &rows, echelon.pivot_cols()?, factors)?);
        }
        let (certainty, ground) = match extent {
            Extent::Checked(bound) => {
                let seconds = rest.every_row_proven_seconds(&self.work.machine, all);
                let ground = format!(
                    "; combinations of the rows left, chosen by a hash of the answer, add nothing; all rows would take {}",
                    duration(seconds)
                );
                (Certainty::with_bound(bound), ground)
            }
            _ => (Certainty::Proven, String::new()),
        };
        let space = self.work.options.space.map(|_| Space::Rows { echelon, pivots });
        Ok(Done::Whole(Answer {
            space,
            ..Answer::elimination(all - taken, minor, certainty, decision.reason + &ground)
        }))
    }

    /// The rank by the row space of S.
    fn by_row_space(&mut self, now: &Plan<'_>, give_up: usize, decision: Decision) -> Result<Done<Answer>> {
        let rest = &now.outlook.rest;
        let options =
            RowSpaceOptions { error: rest.check, rank_bound: rest.rank_bound, give_up, rows: rest.minor, exceeded: 0 };
        let (all, split, mut begun) = (self.work.streams, &self.split, self.begun.take());
        let streams = RowSpaceStreams {
            sample: all.stream(Domain::Sample, 0),
            exploration: all.stream(Domain::Exploration, 0),
            challenge: &|number, cols| all.challenge(number, &[&split.rows, &split.cols, cols]),
        };
        // The rank that is looked for next, by progress.
        let seconds = |machine: &Machine, rank| {
            rest.row_space_seconds(machine, RowSpace::after_batch(rest.modulus, rank).min(rest.rank_bound))
        };
        let spent = |machine: &Machine, rank| rest.row_space_seconds(machine, rank);
        let name = "row space";
        let most = if decision.gpu { Place::most_gpus(split.cols.len(), rest.minor) } else { 0 };
        let done = self.work.on_several(most, |work, devices| {
            work.watched(name, now, seconds, spent, |phases, observer| {
                phases.time(name, || row_space_from(begun.take(), split, options, &streams, devices, observer))
            })
        })?;
        let (found, seconds) = match done {
            (Done::Whole(found), seconds) => (found, seconds),
            (Done::Part { than, seen, full }, _) => return Ok(Done::Part { than, seen, full }),
        };
        let (rank, complete) = (found.echelon.rank(), found.extent != Extent::Part);
        let told = if complete { format!("rank {rank}") } else { format!("rank {rank} and more") };
        let predicted = |machine: &Machine| rest.row_space_seconds(machine, rank);
        self.work.step(name, told, &decision.reason, if complete { rank } else { 0 }, predicted, seconds);
        if !complete {
            self.begun = Some(found);
            return Ok(Done::Part { than: rank, seen: true, full: false });
        }
        let RowSpace { echelon, extent, basis, .. } = found;
        if let (Some(_), Extent::Checked(bound)) = (self.work.options.space, extent) {
            // Null vectors made from it prove it.
            let (certainty, space) = (Certainty::with_bound(bound), Some(Space::Rows { echelon, pivots: true }));
            let reason = decision.reason + "; more combinations of rows, chosen by a hash of the answer, add nothing";
            return Ok(Done::Whole(Answer { space, ..Answer::elimination(rank, None, certainty, reason) }));
        }
        let mut space = None;
        let (settled, unless_proven) = match extent {
            Extent::Part => unreachable!("a row space that was given up"),
            Extent::Whole => {
                let settled = Settled::at_once(&echelon)?;
                space = self.work.options.space.map(|_| Space::Rows { echelon, pivots: true });
                (settled, Certainty::Proven)
            }
            Extent::Checked(bound) => (self.settle(rest, echelon, &streams.exploration)?, Certainty::with_bound(bound)),
        };
        let Settled { rank, pivot_cols, proven, ground } = settled;
        let minor = if rest.minor { Some(self.core(basis, pivot_cols)?) } else { None };
        let certainty = if proven { Certainty::Proven } else { unless_proven };
        Ok(Done::Whole(Answer { space, ..Answer::elimination(rank, minor, certainty, decision.reason + &ground) }))
    }

    /// The rank by sketches of S.
    fn by_sketch(&mut self, now: &Plan<'_>, give_up: usize, decision: Decision) -> Result<Done<Answer>> {
        let rest = &now.outlook.rest;
        let options = RowSpaceOptions {
            error: rest.check,
            rank_bound: rest.rank_bound,
            give_up,
            rows: false,
            exceeded: now.larger.unwrap_or(0),
        };
        let (all, split) = (self.work.streams, &self.split);
        let streams = RowSpaceStreams {
            sample: all.stream(Domain::Sample, 0),
            exploration: all.stream(Domain::Sketch, 0),
            challenge: &|number, cols| all.challenge(number, &[&split.rows, &split.cols, cols]),
        };
        let most = give_up.min(rest.rank_bound);
        let spent =
            |machine: &Machine, rank: usize| rest.sketch_seconds_of(machine, [rank, most]).expect("it was planned");
        let seconds = |machine: &Machine, rank: usize| {
            spent(machine, RowSpace::after_batch(rest.modulus, rank).min(rest.rank_bound))
        };
        let name = "sketch";
        let done = self.work.somewhere(decision.gpu, |work, device| {
            work.watched(name, now, seconds, spent, |phases, observer| {
                phases.time(name, || sketch(split, options, &streams, device, observer))
            })
        })?;
        let (Sketch { rank, extent, width }, taken) = match done {
            (Done::Whole(found), taken) => (found, taken),
            (Done::Part { than, seen, full }, _) => return Ok(Done::Part { than, seen, full }),
        };
        let (more, known) = if extent == Extent::Part { (" and more", 0) } else { ("", rank) };
        // It was not its rank that ended it.
        let full = extent == Extent::Part && rank <= give_up;
        let ended = if full { "; given up: out of memory on the GPU" } else { "" };
        let found = format!("rank {rank}{more}, rows folded to {}{ended}", counted(width, "column"));
        let predicted = |machine: &Machine| spent(machine, rank);
        self.work.step(name, found, &decision.reason, known, predicted, taken);
        let (certainty, ground) = match extent {
            Extent::Part => return Ok(Done::Part { than: rank, seen: true, full }),
            Extent::Whole => (Certainty::Proven, ""),
            Extent::Checked(bound) => (
                Certainty::with_bound(bound),
                "; S has no row outside their span that random vectors, which a hash of the answer chooses, would show",
            ),
        };
        Ok(Done::Whole(Answer::elimination(rank, None, certainty, decision.reason + ground)))
    }

    /// A nonsingular minor of S: the pivot columns `cols` of its row space, and the rows of its `basis`; if the proof
    /// found more than these, such as are independent in these columns.
    fn core(&mut self, basis: Option<RowBasis>, cols: Vec<u32>) -> Result<Core> {
        let (split, observer) = (&self.split, self.work.observer);
        let (rows, factors) = match basis.filter(|basis| basis.rows.len() == cols.len()) {
            Some(RowBasis { rows, factors }) => (rows, factors),
            None => (self.work.phases.time("minor", || independent_rows(split, &cols, observer))?, None),
        };
        if rows.len() != cols.len() {
            let found = format!("{} of {} columns of the Schur complement are independent", rows.len(), cols.len());
            return Err(Error::Check(found));
        }
        core(split, &rows, cols, factors)
    }
}

/// The minor of S in some rows and the columns `cols`, as the lines are named in A; in the order of the `factors` where
/// there are any.
fn core(split: &Split, rows: &[u32], cols: Vec<u32>, factors: Option<Factors>) -> Result<Core> {
    let cols = match &factors {
        Some(factors) => memory::copy(factors.cols(), MINOR)?,
        None => cols,
    };
    let named = |lines: &[u32], names: &[u32]| memory::collect(lines.iter().map(|&k| names[k as usize]), MINOR);
    Ok(Core { lines: Lines { rows: named(rows, &split.rows)?, cols: named(&cols, &split.cols)? }, factors })
}

#[cfg(test)]
mod tests {
    use super::super::{Patience, Phases, RankOptions};
    use super::*;
    use crate::Silent;
    use crate::certify::Streams;
    use crate::field::{Modulus, Rng};
    use rand::{RngExt, SeedableRng};
    use std::borrow::Cow;

    /// With zero patience and a different plan available, each kind of step stops at its first check.
    #[test]
    fn every_step_can_be_stopped_for_another_plan() {
        let mut rng = Rng::seed_from_u64(80);
        let entries: Vec<_> =
            (0..1200).map(|k| (k % 300, rng.random_range(0..300), rng.random_range(1..65521))).collect();
        let a = SparseMatrix::from_triplets(Modulus::new(65521).unwrap(), 300, 300, &entries);
        let options = RankOptions { patience: Patience { factor: 0.0, seconds: 0.0 }, ..Default::default() };
        let (none, streams, mut phases) = (Pivots::default(), Streams::of(&a, 1), Phases::default());
        let mut work = Work::new(&options, &streams, Machine::reference(), &mut phases, &Silent);
        let mut on_rest =
            OnRest { a: &a, split: Split::new(&a, &none).unwrap(), aside: 0, begun: None, work: &mut work };
        let left = Left::of(Cow::Borrowed(&a), &options, &on_rest.work.machine).unwrap();
        let outlook = left.outlook(&options);
        let now = Plan { outlook, finish: Finish::Nothing, larger: None };
        let parameters = outlook.wiedemann(&on_rest.work.machine).unwrap().unwrap();
        let decision = || Decision { finish: Finish::Nothing, seconds: 0.0, gpu: false, reason: String::new() };
        let stopped = [
            on_rest.by_every_row(&now, true, decision()),
            on_rest.by_row_space(&now, usize::MAX, decision()),
            on_rest.by_sketch(&now, usize::MAX, decision()),
            on_rest.by_wiedemann(&now, true, &parameters, decision()),
        ];
        assert!(stopped.into_iter().all(|done| matches!(done.unwrap(), Done::Part { than: 0, full: false, .. })));
        let steps: Vec<_> = work.path.iter().map(|step| (step.name, step.rank)).collect();
        assert_eq!(steps, ["dense elimination", "row space", "sketch", "block Wiedemann"].map(|name| (name, Some(0))));
        assert!(work.path.iter().all(|step| step.found.starts_with("stopped")), "{:?}", work.path);
    }
}
