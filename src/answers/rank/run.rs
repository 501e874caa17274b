//! rank A = pivots + the rank of what they leave: a loop that asks the plan what is next, does it, and keeps each step
//! in the path.

use super::Machine;
use super::answer::Rank;
use super::finish::{Answer, Space};
use super::plan::{Action, Left, Stage};
use super::work::Work;
use super::{Phases, RankOptions};
use crate::certify::Streams;
use crate::decomposition::Decomposition;
use crate::pivots::Rule;
use crate::sparse::SparseMatrix;
use crate::{Observer, Result};
use std::borrow::Cow;

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
    let (path, device, rank) = (work.path, work.device, left.of.taken() + left.of.pivots().len() + answer.rank);
    let reason = std::mem::take(&mut answer.reason);
    let (certainty, wiedemann) = (answer.certainty, answer.wiedemann.take());
    let rank = Rank { certainty, wiedemann, device, ..Rank::proven(rank, answer.method, reason, path, phases) };
    Ok((rank, left.of, answer))
}

/// Step by step to the rank of what is left.
fn onward(work: &mut Work<'_>, left: &mut Left<'_>) -> Result<Answer> {
    loop {
        match left.next(work.options, &work.machine)? {
            Action::Transpose => work.transpose(left)?,
            Action::EliminateWithoutFill => work.eliminate_without_fill(left)?,
            Action::FindPivots => work.find_pivots(left)?,
            Action::FormComplements { seconds } => work.form_complements(left, seconds)?,
            Action::Match => work.bound_by_matching(left)?,
            Action::Finish { decision, wiedemann } => {
                if let Some(answer) = work.finish(left, decision, wiedemann)? {
                    return Ok(answer);
                }
                left.stage = Stage::Pivoted;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::planner::{Decision, Finish};
    use super::super::{Method, Patience};
    use super::*;
    use crate::Silent;
    use crate::certify::Certainty;
    use crate::cost::Kind;
    use crate::families;
    use crate::field::Modulus;

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
            let decision = Decision { finish: Finish::RowSpace { give_up: 0 }, seconds: 1.0, reason: "hope".into() };
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
