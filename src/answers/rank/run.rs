//! rank A = pivots + the rank of what they leave: a loop that asks the plan what is next, does it, and keeps each step
//! in the path.

use super::Machine;
use super::answer::Rank;
use super::finish::Answer;
use super::plan::{Action, Left, Stage};
use super::work::Work;
use super::{Phases, RankOptions};
use crate::certify::Streams;
use crate::sparse::SparseMatrix;
use crate::{Observer, Result};
use std::borrow::Cow;

/// The rank of `core`, which has no empty lines, step by step as planned. What steps took corrects `machine`.
pub(super) fn rank(
    core: Cow<'_, SparseMatrix>,
    options: &RankOptions,
    streams: &Streams,
    machine: &mut Machine,
    mut phases: Phases,
    observer: &dyn Observer,
) -> Result<Rank> {
    let mut left = Left::of(core, options, machine)?;
    let mut work = Work { options, streams, machine: machine.clone(), path: vec![], phases: &mut phases, observer };
    let answer = loop {
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
    let Answer { rank, method, certainty, reason, wiedemann, core } = answer;
    let (path, rank) = (work.path, left.of.taken() + left.of.pivots().len() + rank);
    let minor = match core {
        Some(core) => left.of.minor(core)?,
        None => None,
    };
    Ok(Rank { certainty, wiedemann, minor, ..Rank::proven(rank, method, reason, path, phases) })
}
