//! The plan that a rank starts with: what would be done, what that is predicted to take, and how certain the answer
//! would be.
//!
//! The decisions are those of [`rank()`](super::rank()), made by the same functions from the same numbers: pivots and
//! complements that are cheap are found as [`rank()`](super::rank()) would find them, since the plan for the rest
//! depends on them, and the first step that is dear is named instead of made.

use super::components::Cut;
use super::drawn::{self, Drawn};
use super::itself;
use super::plan::{Action, Left};
use super::planner::{Decision, Finish, Rest};
use super::work::Work;
use super::{Method, Phases, RankOptions, Route};
use crate::certify::{Certainty, Streams, rank_failure};
use crate::matching::components_of;
use crate::schur::Shape;
use crate::sparse::SparseMatrix;
use crate::wiedemann::Parameters;
use crate::{Forecast, Observer, Result, Step};
use std::borrow::Cow;

/// Schur complements that may take no more seconds than this are formed for a plan.
const CHEAP: f64 = 0.5;

/// How the rank of a matrix would be found.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[must_use]
#[non_exhaustive]
pub struct RankPlan {
    /// The steps that every plan begins with, made already.
    pub made: Vec<Step>,
    /// The steps that would follow; one that was given up would be followed by a new plan.
    pub next: Vec<PlannedStep>,
    /// Predicted seconds of one thread for the steps that would follow, at worst.
    pub seconds: f64,
    /// Predicted bytes beyond the matrix for the largest of them.
    pub bytes: u64,
    /// What the answer would be at least, if no step is given up: structure or a cheap proof may do better.
    #[cfg_attr(feature = "serde", serde(flatten))]
    pub certainty: Certainty,
}

/// A step that would be made.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct PlannedStep {
    /// What would be done.
    pub name: &'static str,
    /// Why, with the predictions in its favour.
    pub why: String,
    /// Predicted seconds of one thread, at worst.
    pub seconds: f64,
    /// Predicted bytes beyond the matrix; `None` where nothing predicts them.
    pub bytes: Option<u64>,
    /// The rank beyond which the step would be given up, and a new plan made.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub until_rank: Option<usize>,
}

/// The plan that [`rank()`](super::rank()) starts with for `a` under these options. Pivots are found for it, and
/// complements formed where that is cheap: a small part of the time that the rank takes, unless that is short as a
/// whole. Where a few lines are drawn of a long matrix, their rank is found, which may be all that there is to do.
///
/// ```
/// use blackfield::{Silent, answers::{RankOptions, rank_plan}, families, field::Modulus};
/// let a = families::generate("EX3")?.reduce(Modulus::new(65521)?);
/// let plan = rank_plan(&a, &RankOptions::default(), &Silent)?;
/// assert_eq!(plan.next[0].name, "row space");
/// # Ok::<(), blackfield::Error>(())
/// ```
///
/// # Errors
/// As [`rank()`](super::rank()).
pub fn rank_plan(a: &SparseMatrix, options: &RankOptions, observer: &dyn Observer) -> Result<RankPlan> {
    options.check()?;
    let streams = Streams::of(a, options.seed);
    let core = if a.has_empty_lines()? { Cow::Owned(a.without_empty_lines()?) } else { Cow::Borrowed(a) };
    let mut plan = RankPlan { made: vec![], next: vec![], seconds: 0.0, bytes: 0, certainty: Certainty::Proven };
    if core.nnz() == 0 {
        return Ok(plan);
    }
    if options.method == Method::Wiedemann {
        let chosen = itself::parameters_for(&core, options, &mut Phases::default())?.parameters;
        plan.add_wiedemann(&chosen, Rest::of(&core, 0, options).shape(), options, "asked for".into());
        return Ok(plan);
    }
    if !Left::of(Cow::Borrowed(&*core), options, &options.machine)?.dense {
        match drawn::lines(&core, options, &streams, &mut Phases::default(), observer)? {
            Drawn::Full(rank) => return Ok(RankPlan { made: rank.path, ..plan }),
            Drawn::Less(step) => plan.made.push(step),
            Drawn::Nothing => {}
        }
        let found = components_of(&core)?;
        if let Some(cut) = Cut::of(&core, &found, options)? {
            if let Some(dense) = &cut.dense {
                let Forecast { name, why, seconds, bytes } = dense.forecast();
                plan.next.push(PlannedStep { name, why, seconds, bytes: Some(bytes), until_rank: None });
                (plan.seconds, plan.bytes) = (plan.seconds + seconds, plan.bytes.max(bytes));
            }
            let options = &cut.share(options);
            for (number, part) in cut.parts().enumerate() {
                plan.add(Cow::Owned(part?.matrix), options, &streams.part(number as u64 + 1), observer)?;
            }
            return Ok(plan);
        }
    }
    plan.add(core, options, &streams, observer)?;
    Ok(plan)
}

impl RankPlan {
    /// Adds the plan for a part of the matrix.
    fn add(
        &mut self,
        part: Cow<'_, SparseMatrix>,
        options: &RankOptions,
        streams: &Streams,
        observer: &dyn Observer,
    ) -> Result<()> {
        let (mut left, mut phases) = (Left::of(part, options, &options.machine)?, Phases::default());
        let mut work = Work::new(options, streams, options.machine.clone(), &mut phases, observer);
        loop {
            match left.next(options, &work.machine)? {
                Action::Transpose => work.transpose(&mut left)?,
                Action::ShareParts => work.share_parts(&mut left)?,
                Action::EliminateWithoutFill => work.eliminate_without_fill(&mut left)?,
                Action::FindPivots => work.find_pivots(&mut left)?,
                Action::FormComplements { seconds } if seconds <= CHEAP => work.form_complements(&mut left, seconds)?,
                Action::FormComplements { seconds } => {
                    let why = format!("each as long as it is predicted to take at most {seconds:.2} s");
                    let name = "Schur complement";
                    self.next.push(PlannedStep { name, why, seconds: 0.0, bytes: None, until_rank: None });
                    left.leave_unformed();
                }
                Action::Match => work.bound_by_matching(&mut left)?,
                Action::Finish { decision, wiedemann } => {
                    self.made.append(&mut work.path);
                    self.finish(&left.rest, decision, wiedemann, options);
                    return Ok(());
                }
            }
        }
    }

    /// Adds the last step for a part.
    fn finish(&mut self, rest: &Rest, decision: Decision, wiedemann: Option<Parameters>, options: &RankOptions) {
        let Decision { finish, seconds, reason, .. } = decision;
        let checked = Certainty::with_bound(rest.check);
        let (name, bytes, certainty, until) = match finish {
            Finish::Nothing => return,
            Finish::EveryRow { pivots } => {
                let rest = if pivots { *rest } else { rest.without_pivots() };
                let certainty = if rest.may_ever_be_checked(&options.machine) { checked } else { Certainty::Proven };
                ("dense elimination", rest.every_row_bytes(), certainty, usize::MAX)
            }
            Finish::RowSpace { give_up } => {
                let certainty = if rest.proven { Certainty::Proven } else { checked };
                ("row space", rest.row_space_bytes(give_up.min(rest.rank_bound)), certainty, give_up)
            }
            Finish::Sketch { give_up } => ("sketch", rest.sketch_bytes(give_up.min(rest.rank_bound)), checked, give_up),
            Finish::Wiedemann { pivots } => {
                let parameters = wiedemann.expect("block Wiedemann is chosen only where it is possible");
                let rest = if pivots { *rest } else { rest.without_pivots() };
                return self.add_wiedemann(&parameters, rest.shape(), options, reason);
            }
        };
        let until_rank = (until < rest.rank_bound).then_some(until);
        self.add_step(PlannedStep { name, why: reason, seconds, bytes: Some(bytes), until_rank }, certainty);
    }

    fn add_wiedemann(&mut self, chosen: &Parameters, of: Shape, options: &RankOptions, why: String) {
        let log2_order = (of.modulus.get() as f64).log2() * chosen.degree as f64;
        let certainty = match options.route {
            _ if !chosen.by_theorem => Certainty::Heuristic,
            Route::CoDegree => Certainty::Heuristic,
            _ => Certainty::with_bound(rank_failure(of.rows.min(of.cols), log2_order).all(options.trials)),
        };
        let (name, seconds, bytes) = ("block Wiedemann", chosen.seconds, Some(chosen.bytes));
        self.add_step(PlannedStep { name, why, seconds, bytes, until_rank: None }, certainty);
    }

    fn add_step(&mut self, step: PlannedStep, certainty: Certainty) {
        self.seconds += step.seconds;
        self.bytes = self.bytes.max(step.bytes.unwrap_or(0));
        self.certainty = self.certainty.and(certainty);
        self.next.push(step);
    }
}
