//! The rank of a Schur complement that is not formed: by its row space, or by block Wiedemann, as the planner decides.

use super::parameters::{Parameters, Problem, parameters};
use super::pivoting::Work;
use super::planner::{Decision, Finish, Rest, decide};
use super::proof::Settled;
use super::{Method, Route, wiedemann};
use crate::certify::{self, Certainty, Domain, ErrorBound};
use crate::matching::maximum_matching;
use crate::pivots::Pivots;
use crate::schur::{
    Complement, EveryRow, Extent, RowSpace, RowSpaceOptions, RowSpaceStreams, Split, every_row, independent_rows,
    row_space,
};
use crate::sparse::{Pattern, SparseMatrix};
use crate::spmv::Recurrence;
use crate::{Error, Result, Step, memory};
use std::time::Instant;

/// The check that ends a row space fails with probability at most 2⁻¹²⁸, as each claim of a certificate does, or as the user asks.
pub(super) const CHECK: ErrorBound = ErrorBound::of_bits(certify::BITS);
/// A matching is looked for where it may spare so many predicted seconds for each entry.
const MATCHING_SECONDS: f64 = 100e-9;
/// What memory is asked for.
const MINOR: &str = "the lines of a minor";

/// Rows and columns.
#[derive(Default)]
pub(super) struct Lines {
    pub rows: Vec<u32>,
    pub cols: Vec<u32>,
}

/// The rank of the Schur complement.
pub(super) struct Answer {
    pub rank: usize,
    pub method: Method,
    pub certainty: Certainty,
    pub reason: String,
    pub block: Option<usize>,
    pub degree: usize,
    pub trials: usize,
    pub agreed: usize,
    /// If asked for: as many rows and columns of A, all without a pivot, that make an invertible minor of S.
    pub beyond: Option<Lines>,
}

impl Answer {
    fn elimination(rank: usize, beyond: Option<Lines>, certainty: Certainty, reason: String) -> Self {
        let method = Method::Elimination;
        Answer { rank, method, certainty, reason, block: None, degree: 1, trials: 1, agreed: 1, beyond }
    }
}

/// The work on a Schur complement.
pub(super) struct OnRest<'a, 'w> {
    pub a: &'a SparseMatrix,
    pub split: Split<'a>,
    pub work: &'a mut Work<'w>,
}

/// What the work on a Schur complement came to.
pub(super) enum Outcome {
    Known(Answer),
    Larger(Larger),
}

/// A rank for which the row space was given up.
#[derive(Clone, Copy)]
pub(super) struct Larger {
    rest: Rest,
    /// It is larger than this.
    than: usize,
}

impl OnRest<'_, '_> {
    /// The rank of the complement, by what the planner decides; `larger` is what an earlier outcome said of it.
    pub fn rank(&mut self, larger: Option<Larger>) -> Result<Outcome> {
        let wiedemann = self.wiedemann()?;
        let rest = match larger {
            Some(larger) => larger.rest,
            None => self.bounded_by_matching(self.rest(), &wiedemann)?,
        };
        let decision = match (self.work.options.method, &wiedemann) {
            (Method::Hybrid, Some(w)) if rest.rank_bound > 0 => {
                Decision { finish: Finish::Wiedemann, seconds: w.seconds, reason: "asked for".into() }
            }
            (Method::Hybrid, None) if rest.rank_bound > 0 => {
                return Err(Error::Memory(
                    "block Wiedemann on the Schur complement does not fit in the memory allowed".into(),
                ));
            }
            _ => self.decide(&rest, wiedemann.as_ref(), larger)?,
        };
        match decision.finish {
            Finish::Nothing => {
                let reason = "every row or column that a rank could have has its pivot".to_string();
                let nothing = self.work.options.minor.then(Lines::default);
                Ok(Outcome::Known(Answer::elimination(0, nothing, Certainty::Proven, reason)))
            }
            Finish::EveryRow { pivots } => self.by_every_row(&rest, pivots, decision).map(Outcome::Known),
            Finish::Wiedemann => {
                let parameters = wiedemann.expect("block Wiedemann is chosen only where it is possible");
                self.by_wiedemann(&rest, &parameters, decision.reason).map(Outcome::Known)
            }
            Finish::RowSpace { give_up } => match self.by_row_space(&rest, give_up, decision)? {
                Some(answer) => Ok(Outcome::Known(answer)),
                None if wiedemann.is_some() || larger.is_none() && !rest.minor => {
                    Ok(Outcome::Larger(Larger { rest, than: give_up }))
                }
                None => Err(Error::Memory(format!(
                    "the row space of the Schur complement is beyond the memory allowed at rank {give_up}"
                ))),
            },
        }
    }

    /// What the planner must know.
    pub fn rest(&self) -> Rest {
        Rest::of(self.a, self.split.pivots(), self.work.options.minor)
    }

    /// The bound of rank S lowered by the size of a maximum matching of A, where finding one may pay.
    fn bounded_by_matching(&mut self, mut rest: Rest, wiedemann: &Option<Parameters>) -> Result<Rest> {
        let machine = &self.work.machine;
        let rows = rest.every_row_seconds(machine, rest.rank_bound);
        let worst = rest.row_space_seconds(machine, rest.rank_bound).min(rows);
        let cheapest = wiedemann.as_ref().map_or(worst, |w| worst.min(w.seconds));
        if rest.rank_bound == 0 || cheapest < MATCHING_SECONDS * rest.nnz as f64 {
            return Ok(rest);
        }
        let start = Instant::now();
        let size = self.work.phases.time("matching", || maximum_matching(&Pattern::of(self.a)?).map(|m| m.size))?;
        let bound = size - self.split.pivots();
        if bound < rest.rank_bound {
            rest.rank_bound = bound;
            self.work.path.push(Step {
                name: "maximum matching",
                found: format!("structural rank {size}"),
                why: "an upper bound of the rank over every field".into(),
                rank: Some(0),
                predicted: None,
                seconds: start.elapsed().as_secs_f64(),
            });
        }
        self.work.observer.check()?;
        Ok(rest)
    }

    /// The parameters of block Wiedemann on S; `None` where it cannot give what is asked for.
    pub fn wiedemann(&self) -> Result<Option<Parameters>> {
        let Rest { modulus, pivots, rows, cols, nnz, valued, .. } = self.rest();
        if self.work.options.proven
            || self.work.options.minor
            || self.work.options.method == Method::Elimination
            || rows.min(cols) == 0
        {
            return Ok(None);
        }
        let scratch = rows + pivots + cols;
        let problem = Problem { modulus, rows, cols, nnz, valued, symmetric: false, grid: Recurrence::GRID, scratch };
        match parameters(&problem, self.work.options) {
            Ok(p) if self.work.options.max_memory.is_some_and(|limit| p.bytes > limit) => Ok(None),
            Ok(p) => Ok(Some(p)),
            Err(Error::Usage(_)) if self.work.options.method == Method::Auto => Ok(None),
            Err(other) => Err(other),
        }
    }

    fn decide(&self, rest: &Rest, wiedemann: Option<&Parameters>, larger: Option<Larger>) -> Result<Decision> {
        let seconds = wiedemann.map(|w| w.seconds);
        decide(rest, &self.work.machine, seconds, self.work.options.max_memory, larger.map(|larger| larger.than))
    }

    /// The rank by all rows of S, or by all rows of A without its pivots.
    fn by_every_row(&mut self, rest: &Rest, pivots: bool, decision: Decision) -> Result<Answer> {
        let start = Instant::now();
        let (no_pivots, observer) = (Pivots::default(), self.work.observer);
        let (whole, rest, taken) = match pivots {
            true => (None, *rest, 0),
            false => (Some(Split::new(self.a, &no_pivots)?), rest.without_pivots(), rest.pivots),
        };
        let split = whole.as_ref().unwrap_or(&self.split);
        let EveryRow { echelon, rows } =
            self.work.phases.time("dense elimination", || every_row(split, rest.rank_bound, observer))?;
        let (all, rank) = (echelon.rank(), echelon.rank() - taken);
        self.work.path.push(Step {
            name: "dense elimination",
            found: format!("rank {all}"),
            why: decision.reason.clone(),
            rank: Some(rank),
            predicted: Some(rest.every_row_seconds(&self.work.machine, all)),
            seconds: start.elapsed().as_secs_f64(),
        });
        let named = |lines: &[u32], names: &[u32]| memory::collect(lines.iter().map(|&k| names[k as usize]), MINOR);
        let beyond = match self.work.options.minor {
            true => Some(Lines { rows: named(&rows, &split.rows)?, cols: named(&echelon.pivot_cols()?, &split.cols)? }),
            false => None,
        };
        Ok(Answer::elimination(rank, beyond, Certainty::Proven, decision.reason))
    }

    /// The rank by the row space of S; `None` if it was given up.
    fn by_row_space(&mut self, rest: &Rest, give_up: usize, decision: Decision) -> Result<Option<Answer>> {
        let start = Instant::now();
        let error = self.work.options.error.filter(|&asked| asked < CHECK).unwrap_or(CHECK);
        let options = RowSpaceOptions { error, rank_bound: rest.rank_bound, give_up };
        let (all, split) = (self.work.streams, &self.split);
        let streams = RowSpaceStreams {
            sample: all.stream(Domain::Sample, 0),
            exploration: all.stream(Domain::Exploration, 0),
            challenge: &|number, cols| all.challenge(number, &[&split.rows, &split.cols, cols]),
        };
        let observer = self.work.observer;
        let RowSpace { echelon, extent } =
            self.work.phases.time("row space", || row_space(split, options, &streams, observer))?;
        let (rank, complete) = (echelon.rank(), extent != Extent::Part);
        let found = if complete { format!("rank {rank}") } else { format!("rank {rank} and more") };
        self.work.path.push(Step {
            name: "row space",
            found,
            why: decision.reason.clone(),
            rank: Some(if complete { rank } else { 0 }),
            predicted: Some(rest.row_space_seconds(&self.work.machine, rank)),
            seconds: start.elapsed().as_secs_f64(),
        });
        let (settled, unless_proven) = match extent {
            Extent::Part => return Ok(None),
            Extent::Whole => (Settled::at_once(&echelon)?, Certainty::Proven),
            Extent::Checked(bound) => (self.settle(rest, echelon, &streams.exploration)?, Certainty::with_bound(bound)),
        };
        let Settled { rank, pivot_cols, proven, ground } = settled;
        let beyond = if self.work.options.minor { Some(self.independent_lines(&pivot_cols)?) } else { None };
        let certainty = if proven { Certainty::Proven } else { unless_proven };
        Ok(Some(Answer::elimination(rank, beyond, certainty, decision.reason + &ground)))
    }

    /// Rows and columns of A that make an invertible minor of S: the independent columns `cols`, and rows independent in them.
    fn independent_lines(&mut self, cols: &[u32]) -> Result<Lines> {
        let (split, observer) = (&self.split, self.work.observer);
        let rows = self.work.phases.time("minor", || independent_rows(split, cols, observer))?;
        if rows.len() != cols.len() {
            let found = format!("{} of {} columns of the Schur complement are independent", rows.len(), cols.len());
            return Err(Error::Check(found));
        }
        let named = |lines: &[u32], names: &[u32]| lines.iter().map(|&k| names[k as usize]).collect();
        Ok(Lines { rows: named(&rows, &split.rows), cols: named(cols, &split.cols) })
    }

    /// The rank by block Wiedemann on the implicit S.
    fn by_wiedemann(&mut self, rest: &Rest, parameters: &Parameters, why: String) -> Result<Answer> {
        let start = Instant::now();
        let split = &self.split;
        let complement = self.work.phases.time("plan", || Complement::new(split))?;
        let outcome = {
            let Work { options, streams, phases, observer, .. } = &mut *self.work;
            wiedemann::trials(&complement, parameters, options, streams, phases, *observer)?
        };
        self.work.path.push(Step {
            name: "block Wiedemann",
            found: format!("rank {} of the implicit Schur complement", outcome.rank),
            why: why.clone(),
            rank: Some(outcome.rank),
            predicted: Some(parameters.seconds),
            seconds: start.elapsed().as_secs_f64(),
        });
        // The co-degree may exceed the rank; nothing else does.
        let bounded = self.work.options.route != Route::CoDegree;
        if bounded && outcome.rank > rest.rank_bound {
            let (found, bound) = (outcome.rank, rest.rank_bound);
            return Err(Error::Check(format!("block Wiedemann found rank {found} where {bound} is the most possible")));
        }
        let (certainty, ground) = if bounded && outcome.rank == rest.rank_bound {
            (Certainty::Proven, format!("{}, and this is its upper bound", wiedemann::NEVER_ABOVE))
        } else {
            (outcome.certainty, outcome.ground)
        };
        Ok(Answer {
            rank: outcome.rank,
            method: Method::Hybrid,
            certainty,
            reason: format!("{why}; {}; {ground}", parameters.reason),
            block: Some(parameters.block),
            degree: parameters.degree,
            trials: outcome.trials,
            agreed: outcome.agreed,
            beyond: None,
        })
    }
}
