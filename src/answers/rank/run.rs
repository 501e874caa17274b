//! rank A = pivots + the rank of what they leave: a loop that asks the plan what is next, does it, and keeps each step
//! in the path.

use super::Machine;
use super::answer::Rank;
use super::finish::{Answer, Space};
use super::plan::{Action, ENTRY, Left, Stage};
use super::planner::{Decision, Finish};
use super::work::{Work, instead};
use super::{Phases, RankOptions};
use crate::certify::Streams;
use crate::decomposition::Decomposition;
use crate::gpu::Devices;
use crate::pivots::Rule;
use crate::report::Ahead;
use crate::sparse::SparseMatrix;
use crate::wiedemann::Parameters;
use crate::{Error, Forecast, Observer, Result, Step};
use std::borrow::Cow;
use std::time::Instant;

/// The rank of `core`, which has no empty lines, step by step as planned. What steps took corrects `machine`.
pub(super) fn rank(
    core: Cow<'_, SparseMatrix>,
    options: &RankOptions,
    streams: &Streams,
    machine: &mut Machine,
    phases: Phases,
    observer: &dyn Observer,
) -> Result<Rank> {
    let (mut rank, of, Answer { core, .. }) = search(core, options, streams, machine, phases, observer)?;
    if let Some(core) = core {
        rank.minor = of.minor(core)?;
    }
    Ok(rank)
}

/// The rank of a matrix without empty lines, the steps that were taken, all with pivots by this rule, and the row space
/// of what they leave.
pub(in crate::answers) fn row_space(
    core: SparseMatrix,
    rule: Rule,
    options: &RankOptions,
    streams: &Streams,
    observer: &dyn Observer,
) -> Result<(Rank, Decomposition<'static>, Space)> {
    let options = &RankOptions { space: Some(rule), proven: true, ..options.clone() };
    let (core, machine) = (Cow::Owned(core), &mut options.machine.clone());
    let (rank, of, answer) = search(core, options, streams, machine, Phases::default(), observer)?;
    Ok((rank, of, answer.space.expect("every way that is proven leaves a row space")))
}

fn search<'m>(
    core: Cow<'m, SparseMatrix>,
    options: &RankOptions,
    streams: &Streams,
    machine: &mut Machine,
    mut phases: Phases,
    observer: &dyn Observer,
) -> Result<(Rank, Decomposition<'m>, Answer)> {
    let mut left = Left::of(core, options, machine)?;
    let mut work = Work::new(options, streams, machine.clone(), &mut phases, observer);
    let mut answer = onward(&mut work, &mut left)?;
    *machine = work.machine;
    let (path, devices, rank) = (work.path, work.devices, left.of.taken() + left.of.pivots().len() + answer.rank);
    let reason = std::mem::take(&mut answer.reason);
    let (certainty, wiedemann) = (answer.certainty, answer.wiedemann.take());
    let rank = Rank { certainty, wiedemann, devices, ..Rank::proven(rank, answer.method, reason, path, phases) };
    Ok((rank, left.of, answer))
}

/// Step by step to the rank of what is left.
fn onward(work: &mut Work<'_>, left: &mut Left<'_>) -> Result<Answer> {
    loop {
        match left.next(work.options, &work.machine)? {
            Action::Transpose => work.transpose(left)?,
            Action::ShareParts => work.share_parts(left)?,
            Action::EliminateWithoutFill => work.eliminate_without_fill(left)?,
            Action::FindPivots => work.find_pivots(left)?,
            Action::FormComplements { seconds } => work.form_complements(left, seconds)?,
            Action::Match => work.bound_by_matching(left)?,
            Action::Finish { decision, wiedemann } => {
                work.announce(left, &decision, wiedemann.as_ref())?;
                let (start, finish, gpu) = (Instant::now(), decision.finish, decision.gpu);
                match work.finish(left, decision, wiedemann) {
                    Ok(Some(answer)) => return Ok(answer),
                    Ok(None) => left.stage = Stage::Pivoted,
                    // Memory of the host as well: the processor needs less of it.
                    Err(reason @ (Error::Device(_) | Error::Memory(_)))
                        if gpu && work.options.devices == Devices::Auto =>
                    {
                        work.observer.warning(&instead(&reason));
                        (left.rest.refused.gpu, left.stage) = (true, Stage::Bounded);
                    }
                    Err(Error::Memory(why)) => work.give_way(left, finish, why, start)?,
                    Err(other) => return Err(other),
                }
            }
        }
    }
}

impl Work<'_> {
    /// Says what the way to finish is predicted to take.
    fn announce(&self, left: &Left<'_>, decision: &Decision, wiedemann: Option<&Parameters>) -> Result<()> {
        let rest = left.rest.within(self.options.max_memory);
        let matrix = ENTRY.saturating_mul(rest.nnz as u64);
        let bytes = rest.bytes(decision.finish, wiedemann.map_or(0, |w| w.bytes)).saturating_add(matrix);
        let (why, seconds) = (decision.reason.clone(), decision.seconds / rayon::current_num_threads() as f64);
        let name = decision.finish.name();
        self.observer.forecast(&Forecast { name, why, seconds, bytes });
        // A search that is given up is followed by something else; block Wiedemann says itself what is ahead.
        if !matches!(decision.finish, Finish::Nothing | Finish::Wiedemann { .. }) {
            self.observer.ahead(&[Ahead::alone(name, seconds)]);
        }
        self.observer.check()
    }

    /// Memory ended on the way `finish`: it is not tried again.
    ///
    /// # Errors
    /// [`Error::Memory`] if there is no other way.
    fn give_way(&mut self, left: &mut Left<'_>, finish: Finish, why: String, start: Instant) -> Result<()> {
        left.rest.refused = left.rest.refused.and(finish);
        left.stage = Stage::Bounded;
        // The reason to be told is the first one: what is left after it may need far more.
        if left.outlook(self.options).decide(&self.machine, left.exceeded()).is_err() {
            return Err(Error::Memory(why));
        }
        let (name, found) = (finish.name(), "given up: out of memory".to_string());
        let seconds = start.elapsed().as_secs_f64();
        self.path.push(Step { name, found, why, rank: Some(0), predicted: None, seconds });
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Method, Patience};
    use super::*;
    use crate::Silent;
    use crate::certify::Certainty;
    use crate::cost::Kind;
    use crate::families;
    use crate::field::Modulus;

    /// Where memory ends on one way, another is taken; and where none is left, the first reason is the one told.
    #[test]
    fn a_way_that_was_refused_gives_way_to_another() {
        let a = families::generate("mk9-b3").unwrap().reduce(Modulus::new(65521).unwrap());
        let a = a.without_empty_lines().unwrap();
        for method in [Method::Auto, Method::Elimination] {
            let options = RankOptions { method, ..Default::default() };
            let (streams, machine) = (Streams::of(&a, 1), options.machine.clone());
            let mut phases = Phases::default();
            let mut work = Work::new(&options, &streams, machine, &mut phases, &Silent);
            let mut left = Left::of(Cow::Borrowed(&a), &options, &work.machine).unwrap();
            work.find_pivots(&mut left).unwrap();
            let mut tried = vec![];
            let why = loop {
                left.stage = Stage::Bounded;
                let Action::Finish { decision, .. } = left.next(&options, &work.machine).unwrap() else {
                    panic!("the stage before the end")
                };
                tried.push(decision.finish.name());
                match work.give_way(&mut left, decision.finish, format!("refusal {}", tried.len()), Instant::now()) {
                    Ok(()) => {}
                    Err(Error::Memory(why)) => break why,
                    Err(other) => panic!("{other}"),
                }
            };
            let mut distinct = tried.clone();
            distinct.sort_unstable();
            distinct.dedup();
            assert_eq!(distinct.len(), tried.len(), "no way twice: {tried:?}");
            assert_eq!(tried.contains(&"block Wiedemann"), method == Method::Auto, "{tried:?}");
            assert!(
                tried.len() > usize::from(method == Method::Auto) && why == format!("refusal {}", tried.len()),
                "{tried:?}: {why}"
            );
            assert_eq!(work.path.iter().filter(|step| step.found.starts_with("given up")).count(), tried.len() - 1);
        }
    }

    /// A row space is given up for a rank that is larger than hoped for; after that S is worth no lower price, is
    /// formed, and eliminated by its own pivots, and the rank is the same, whatever was found and lost before.
    #[test]
    fn a_complement_is_formed_once_its_row_space_was_given_up() {
        for (p, method) in [(65521, Method::Auto), (3, Method::Auto), (7, Method::Elimination)] {
            let a = families::generate("mk10-b3").unwrap().reduce(Modulus::new(p).unwrap());
            let expected = super::super::rank(&a, &RankOptions::default(), &Silent).unwrap();
            assert_eq!(expected.certainty, Certainty::Proven);
            let a = a.without_empty_lines().unwrap();
            // Passes and dense work cost so much that nothing is immediate, and a complement that is formed little.
            let machine = Machine::reference().scaled(Kind::Passes, 1e4).scaled(Kind::Dense, 1e4);
            let options = RankOptions { method, patience: Patience::ENDLESS, machine, ..Default::default() };
            let streams = Streams::of(&a, options.seed);
            let mut left = Left::of(Cow::Borrowed(&a), &options, &options.machine).unwrap();
            let (mut phases, machine) = (Phases::default(), options.machine.clone());
            let mut work = Work::new(&options, &streams, machine, &mut phases, &Silent);
            work.find_pivots(&mut left).unwrap();
            let (pivots, unknown) = (left.of.pivots().len(), left.next(&options, &options.machine).unwrap());
            let decision =
                Decision { finish: Finish::RowSpace { give_up: 0 }, seconds: 1.0, gpu: false, reason: "hope".into() };
            let whole = work.finish(&mut left, decision, None).unwrap();
            assert!(whole.is_none(), "the rank is larger than 0: {:?}", work.path);
            let larger = left.larger.expect("it was seen");
            assert!(larger.seen && larger.than > 0 && left.of.pivots().len() == pivots, "{larger:?}");

            left.stage = Stage::Pivoted;
            let (Action::FormComplements { seconds: before }, Action::FormComplements { seconds }) =
                (unknown, left.next(&options, &options.machine).unwrap())
            else {
                panic!("complements are formed where that pays")
            };
            assert!(seconds >= before, "{seconds} for what is known to be large, {before} for what is not");
            let answer = onward(&mut work, &mut left).unwrap();
            assert_eq!(left.of.taken() + left.of.pivots().len() + answer.rank, expected.rank, "{:?}", work.path);
            let names: Vec<&str> = work.path.iter().map(|step| step.name).collect();
            assert_eq!(&names[..3], ["structural pivots", "row space", "Schur complement"], "{:?}", work.path);
        }
    }
}
