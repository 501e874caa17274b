//! rank A = structural pivots + the rank of their Schur complement, step by step, each step chosen by the planner.

use super::machine::Machine;
use super::parameters::{Parameters, Problem, parameters};
use super::planner::{Decision, Finish, Rest, decide};
use super::rank::{Rank, Step};
use super::{Method, Phases, RankOptions, wiedemann};
use crate::certify::Certainty;
use crate::elimination::{self, Eliminated, EliminationOptions, RoundsOptions, Stop};
use crate::field::Rng;
use crate::matching::maximum_matching;
use crate::pivots::{self, Effort, Found, Pivots};
use crate::schur::{Complement, RowSpace, RowSpaceOptions, Split, prove_nullity, row_space};
use crate::sparse::{Pattern, SparseMatrix};
use crate::spmv::Recurrence;
use crate::{Error, Observer, Result};
use rand::SeedableRng;
use std::borrow::Cow;
use std::cell::RefCell;
use std::time::Instant;

/// The check that ends a row space fails with probability at most 2^-64, or as the user asks.
const CHECK_BITS: f64 = 64.0;
/// A matching is looked for where it may spare so many predicted seconds for each entry.
const MATCHING_SECONDS: f64 = 100e-9;

/// Rows at least this heavy on average may have pivots that cause no fill-in though the positions do not show it.
const HEAVY_ROW: usize = 16;
/// Most entries of a matrix for which such pivots are looked for.
const FEW_ENTRIES: usize = 2_000_000;
/// The share of the smaller side that they must be.
const WORTHWHILE_SHARE: usize = 8;

/// The rank of `core`, which has no empty lines, by pivots and what the planner says of the rest.
pub(super) fn rank(
    core: Cow<'_, SparseMatrix>,
    options: &RankOptions,
    mut phases: Phases,
    observer: &dyn Observer,
) -> Result<Rank> {
    let mut work = Work {
        options,
        machine: Machine::default(),
        start: Instant::now(),
        path: vec![],
        phases: &mut phases,
        observer,
    };
    let mut taken = 0;
    let core = match work.without_fill(&core)? {
        Some(eliminated) => {
            taken += eliminated.rows.len();
            Cow::Owned(eliminated.core)
        }
        None => core,
    };
    let (a, pivots) = work.structural(core)?;
    let (a, pivots, formed) = work.rounds(a, pivots)?;
    taken += formed;
    let answer = OnRest { a: &a, split: Split::new(&a, &pivots), work: &mut work }.rank()?;
    let path = work.path;
    let Answer { method, certainty, reason, block, degree, trials, agreed, .. } = answer;
    Ok(Rank {
        certainty,
        trials,
        trials_agreed: agreed,
        block,
        extension_degree: degree,
        ..Rank::proven(taken + pivots.len() + answer.rank, method, reason, path, phases)
    })
}

/// What accompanies the work.
struct Work<'a> {
    options: &'a RankOptions,
    machine: Machine,
    start: Instant,
    path: Vec<Step>,
    phases: &'a mut Phases,
    observer: &'a dyn Observer,
}

impl Work<'_> {
    /// Right-looking elimination as long as it causes no fill-in, where rows are heavy; `None` if that is not much.
    fn without_fill(&mut self, a: &SparseMatrix) -> Result<Option<Eliminated>> {
        if a.nnz() < HEAVY_ROW * a.rows().max(a.cols()) || a.nnz() > FEW_ENTRIES {
            return Ok(None);
        }
        let start = Instant::now();
        let options = EliminationOptions {
            max_memory: self.options.max_memory,
            max_nnz: a.nnz(),
            finish: elimination::Finish::Combinations,
            ..Default::default()
        };
        let observer = self.observer;
        let eliminated = match self.phases.time("sparse elimination", || elimination::eliminate(a, &options, observer))
        {
            Err(Error::Memory(_)) => return Ok(None),
            other => other?,
        };
        if eliminated.rows.len() < a.rows().min(a.cols()) / WORTHWHILE_SHARE {
            return Ok(None);
        }
        let core = &eliminated.core;
        self.path.push(Step {
            name: "sparse elimination",
            found: format!("{} pivots without fill-in, {} x {} left", eliminated.rows.len(), core.rows(), core.cols()),
            why: "heavy rows".into(),
            rank: eliminated.rows.len(),
            predicted: None,
            seconds: start.elapsed().as_secs_f64(),
        });
        Ok(Some(eliminated))
    }

    /// Structural pivots, and the matrix in the orientation that suits them.
    fn structural<'m>(&mut self, core: Cow<'m, SparseMatrix>) -> Result<(Cow<'m, SparseMatrix>, Pivots)> {
        let start = Instant::now();
        let observer = self.observer;
        let find = || pivots::find_best(&core, &Effort::default(), observer);
        let (transposed, found) = self.phases.time("pivots", find)?;
        let a = if transposed { Cow::Owned(self.phases.time("pivots", || core.transpose())) } else { core };
        let Found { pivots, counts, .. } = found;
        self.path.push(Step {
            name: "structural pivots",
            found: format!(
                "{} ({} singletons, {} Faugère-Lachartre, {} greedy, {} by search)",
                pivots.len(),
                counts.singletons,
                counts.faugere_lachartre,
                counts.greedy,
                counts.search
            ),
            why: if transposed { "on the transpose".into() } else { String::new() },
            rank: pivots.len(),
            predicted: None,
            seconds: start.elapsed().as_secs_f64(),
        });
        Ok((a, pivots))
    }

    /// Schur complements formed, and pivots found in them, while that is predicted to be worth its price. Returns what is
    /// left, its pivots, and the number of pivots that are done with.
    fn rounds<'m>(
        &mut self,
        a: Cow<'m, SparseMatrix>,
        pivots: Pivots,
    ) -> Result<(Cow<'m, SparseMatrix>, Pivots, usize)> {
        let on_rest = OnRest { a: &a, split: Split::new(&a, &pivots), work: self };
        let rest = on_rest.rest();
        if rest.rank_bound == 0 || rest.is_immediate(&on_rest.work.machine) {
            return Ok((a, pivots, 0));
        }
        let wiedemann = on_rest.wiedemann()?.map(|w| w.seconds);
        let seconds = rest.round_seconds(&self.machine, wiedemann);
        let most = (seconds / self.machine.sparse_entry) as usize;
        let max_nnz = self.options.max_memory.map_or(most, |limit| most.min(limit as usize / 64));
        let max_work = seconds / self.machine.sparse_product;
        let options = RoundsOptions { max_nnz, max_work, ..Default::default() };
        let (start, observer) = (Instant::now(), self.observer);
        // The first round has its pivots already.
        let first = RefCell::new(Some(pivots));
        let find = |a: &SparseMatrix| match first.take() {
            Some(pivots) => Ok(pivots),
            None => Ok(pivots::find(a, &Effort::default(), observer)?.pivots),
        };
        let mut rng = Rng::seed_from_u64(self.options.seed);
        let done = self
            .phases
            .time("Schur complement", || elimination::rounds(a.into_owned(), &find, &options, &mut rng, observer))?;
        let structural = self.path.last_mut().expect("structural pivots were found");
        let was = structural.rank;
        for round in done.record.iter().filter(|round| round.rows > 0 || done.stop == Stop::Empty) {
            self.path.push(Step {
                name: "Schur complement",
                found: format!("{} x {} with {} entries", round.rows, round.cols, round.nnz),
                why: format!(
                    "predicted {:.1e} entries from {:.1e} products",
                    round.predicted.nnz.mean, round.predicted.work.mean
                ),
                rank: 0,
                predicted: Some(
                    round.predicted.nnz.mean * self.machine.sparse_entry
                        + round.predicted.work.mean * self.machine.sparse_product,
                ),
                seconds: round.form_seconds,
            });
        }
        let more = done.rows.len() + done.pending.len() - was;
        if more > 0 {
            self.path.push(Step {
                name: "structural pivots",
                found: format!("{more} in the Schur complements"),
                why: format!("{:?}", done.stop),
                rank: more,
                predicted: None,
                seconds: start.elapsed().as_secs_f64() - done.record.iter().map(|r| r.form_seconds).sum::<f64>(),
            });
        }
        Ok((Cow::Owned(done.rest), done.pending, done.rows.len()))
    }
}

/// The rank of the Schur complement.
struct Answer {
    rank: usize,
    method: Method,
    certainty: Certainty,
    reason: String,
    block: Option<usize>,
    degree: usize,
    trials: usize,
    agreed: usize,
}

impl Answer {
    fn elimination(rank: usize, certainty: Certainty, reason: String) -> Self {
        Answer { rank, method: Method::Elimination, certainty, reason, block: None, degree: 1, trials: 1, agreed: 1 }
    }
}

/// The work on a Schur complement.
struct OnRest<'a, 'w> {
    a: &'a SparseMatrix,
    split: Split<'a>,
    work: &'a mut Work<'w>,
}

impl OnRest<'_, '_> {
    fn rank(&mut self) -> Result<Answer> {
        let mut rest = self.rest();
        let wiedemann = self.wiedemann()?;
        self.bound_by_matching(&mut rest, &wiedemann)?;
        let decision = match (self.work.options.method, &wiedemann) {
            (Method::Hybrid, Some(w)) if rest.rank_bound > 0 => {
                Decision { finish: Finish::Wiedemann, seconds: w.seconds, reason: "asked for".into() }
            }
            _ => self.decide(&rest, wiedemann.as_ref())?,
        };
        match decision.finish {
            Finish::Nothing => {
                let reason = "every row or column that a rank could have has its pivot".to_string();
                Ok(Answer::elimination(0, Certainty::Proven, reason))
            }
            Finish::Wiedemann => {
                let parameters = wiedemann.expect("block Wiedemann is chosen only where it is possible");
                self.by_wiedemann(&rest, &parameters, decision.reason)
            }
            Finish::RowSpace { give_up } => match self.by_row_space(&rest, give_up, decision)? {
                Some(answer) => Ok(answer),
                None => match wiedemann {
                    Some(parameters) => {
                        let why = format!("the rank of the complement exceeds {give_up}: the plan is made anew");
                        self.by_wiedemann(&rest, &parameters, why)
                    }
                    None => Err(Error::Memory(format!(
                        "the row space of the Schur complement is beyond the memory allowed at rank {give_up}"
                    ))),
                },
            },
        }
    }

    fn rest(&self) -> Rest {
        let (rows, cols) = (self.split.rows.len(), self.split.cols.len());
        let (modulus, pivots, nnz) = (self.a.modulus(), self.split.pivots(), self.a.nnz());
        let minus_one = modulus.get() - 1;
        let valued = self.a.values().iter().filter(|&&v| v != 1 && v != minus_one).count();
        Rest { modulus, pivots, rows, cols, nnz, valued, rank_bound: rows.min(cols) }
    }

    /// Lowers the bound of rank S by the size of a maximum matching of A, where finding one may pay.
    fn bound_by_matching(&mut self, rest: &mut Rest, wiedemann: &Option<Parameters>) -> Result<()> {
        let worst = rest.row_space_seconds(&self.work.machine, rest.rank_bound);
        let cheapest = wiedemann.as_ref().map_or(worst, |w| worst.min(w.seconds));
        if rest.rank_bound == 0 || cheapest < MATCHING_SECONDS * rest.nnz as f64 {
            return Ok(());
        }
        let start = Instant::now();
        let size = self.work.phases.time("matching", || maximum_matching(&Pattern::from(self.a)).size);
        let bound = size - self.split.pivots();
        if bound < rest.rank_bound {
            rest.rank_bound = bound;
            self.work.path.push(Step {
                name: "maximum matching",
                found: format!("structural rank {size}"),
                why: "an upper bound of the rank over every field".into(),
                rank: 0,
                predicted: None,
                seconds: start.elapsed().as_secs_f64(),
            });
        }
        self.work.observer.check()
    }

    /// The parameters of block Wiedemann on S; `None` where it cannot give what is asked for.
    fn wiedemann(&self) -> Result<Option<Parameters>> {
        let Rest { modulus, rows, cols, nnz, .. } = self.rest();
        if self.work.options.proven || self.work.options.method == Method::Elimination || rows.min(cols) == 0 {
            return Ok(None);
        }
        let problem = Problem { modulus, rows, cols, nnz, symmetric: false, grid: Recurrence::GRID };
        match parameters(&problem, self.work.options) {
            Ok(p) if self.work.options.max_memory.is_some_and(|limit| p.bytes > limit) => Ok(None),
            Ok(p) => Ok(Some(p)),
            Err(Error::Usage(_)) if self.work.options.method == Method::Auto => Ok(None),
            Err(other) => Err(other),
        }
    }

    fn decide(&self, rest: &Rest, wiedemann: Option<&Parameters>) -> Result<Decision> {
        let seconds = wiedemann.map(|w| w.seconds);
        decide(rest, &self.work.machine, seconds, self.work.options.max_memory, rayon::current_num_threads())
    }

    /// The rank by the row space of S; `None` if it was given up.
    fn by_row_space(&mut self, rest: &Rest, give_up: usize, decision: Decision) -> Result<Option<Answer>> {
        let start = Instant::now();
        let bits = self.work.options.error.map_or(CHECK_BITS, |e| (-e.log2()).max(CHECK_BITS));
        let options = RowSpaceOptions { bits, rank_bound: rest.rank_bound, give_up };
        let rng = Rng::seed_from_u64(self.work.options.seed);
        let observer = self.work.observer;
        let split = &self.split;
        let RowSpace { echelon, error_log2, complete } =
            self.work.phases.time("row space", || row_space(split, options, &rng, observer))?;
        let rank = echelon.rank();
        let found = if complete { format!("rank {rank}") } else { format!("rank {rank} and more") };
        self.work.path.push(Step {
            name: "row space",
            found,
            why: decision.reason.clone(),
            rank: if complete { rank } else { 0 },
            predicted: Some(rest.row_space_seconds(&self.work.machine, rank)),
            seconds: start.elapsed().as_secs_f64(),
        });
        if !complete {
            return Ok(None);
        }
        if error_log2 == f64::NEG_INFINITY {
            return Ok(Some(Answer::elimination(rank, Certainty::Proven, decision.reason)));
        }
        let error_bound = error_log2.exp2().max(f64::MIN_POSITIVE);
        let predicted = rest.proof_seconds(&self.work.machine, rank);
        let demanded = self.work.options.proven || self.work.options.method == Method::Elimination;
        if !demanded && !rest.proof_is_worth(&self.work.machine, rank, self.work.start.elapsed().as_secs_f64()) {
            let reason = format!(
                "{}; random combinations of rows add nothing more; a proof would take {predicted:.1} s",
                decision.reason
            );
            return Ok(Some(Answer::elimination(rank, Certainty::MonteCarlo { error_bound }, reason)));
        }
        let start = Instant::now();
        let split = &self.split;
        let proven = self.work.phases.time("proof", || {
            let reduced = echelon.reduced();
            prove_nullity(split, &reduced, observer)
        })?;
        if !proven {
            // The check failed to see a part of the row space: with this probability, or the machine is at fault.
            return Err(Error::Check(format!(
                "the null space is smaller than {} (chance {error_bound:.1e})",
                rest.cols - rank
            )));
        }
        self.work.path.push(Step {
            name: "null space",
            found: format!("{} independent null vectors", rest.cols - rank),
            why: "no larger rank is possible".into(),
            rank: 0,
            predicted: Some(predicted),
            seconds: start.elapsed().as_secs_f64(),
        });
        let reason = format!("{}; proven by the null space", decision.reason);
        Ok(Some(Answer::elimination(rank, Certainty::Proven, reason)))
    }

    /// The rank by block Wiedemann on the implicit S.
    fn by_wiedemann(&mut self, rest: &Rest, parameters: &Parameters, why: String) -> Result<Answer> {
        let start = Instant::now();
        let split = &self.split;
        let complement = self.work.phases.time("plan", || Complement::new(split));
        let outcome =
            wiedemann::trials(&complement, parameters, self.work.options, self.work.phases, self.work.observer)?;
        self.work.path.push(Step {
            name: "block Wiedemann",
            found: format!("rank {} of the implicit Schur complement", outcome.rank),
            why: why.clone(),
            rank: outcome.rank,
            predicted: Some(parameters.seconds),
            seconds: start.elapsed().as_secs_f64(),
        });
        let (certainty, ground) = if outcome.rank == rest.rank_bound {
            (Certainty::Proven, "the value never exceeds the rank, and this is its upper bound".to_string())
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
        })
    }
}
