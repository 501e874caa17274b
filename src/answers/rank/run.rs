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
    let mut work = Work { options, streams, machine: machine.clone(), path: vec![], phases: &mut phases, observer };
    let mut answer = loop {
        match left.next(options, &work.machine)? {
            Action::Transpose => work.transpose(&mut left)?,
            Action::EliminateWithoutFill => work.eliminate_without_fill(&mut left)?,
            Action::FindPivots => work.find_pivots(&mut left)?,
            Action::FormComplements { seconds } => work.form_complements(&mut left, seconds)?,
            Action::Match => work.bound_by_matching(&mut left)?,
            Action::Finish { decision, wiedemann } => {
                if let Some(answer) = work.finish(&mut left, decision, wiedemann)? {
                    break answer;
                }
                left.stage = Stage::Pivoted;
            }
        }
    };
    *machine = work.machine;
    let (path, rank) = (work.path, left.of.taken() + left.of.pivots().len() + answer.rank);
    let reason = std::mem::take(&mut answer.reason);
    let (certainty, wiedemann) = (answer.certainty, answer.wiedemann.take());
    let rank = Rank { certainty, wiedemann, ..Rank::proven(rank, answer.method, reason, path, phases) };
    Ok((rank, left.of, answer))
}
