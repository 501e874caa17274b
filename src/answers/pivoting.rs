//! rank A = pivots + the rank of what they leave: the pivots, step by step, each kept in the path.

use super::Machine;
use super::lineage::Lineage;
use super::planner::Rest;
use super::rank::Rank;
use super::rest::{Answer, Larger, OnRest, Outcome};
use super::steps::Taken;
use super::{Method, Phases, RankOptions};
use crate::certify::{Domain, Streams};
use crate::elimination::{self, Eliminated, EliminationOptions, Round, Rounds, RoundsOptions, Stop};
use crate::pivots::{self, Effort, Found, Pivots};
use crate::schur::{Prediction, Solver, Split};
use crate::sparse::SparseMatrix;
use crate::{Error, Observer, Result, Step};
use std::borrow::Cow;
use std::cell::RefCell;
use std::time::Instant;

/// Rows at least this heavy on average may have pivots that cause no fill-in though the positions do not show it.
const HEAVY_ROW: usize = 16;
/// Most entries of a matrix for which such pivots are looked for.
const FEW_ENTRIES: usize = 2_000_000;
/// Bytes of an entry of a sparse matrix.
const ENTRY: u64 = (size_of::<u32>() + size_of::<u64>()) as u64;
/// The share of the smaller side that they must be.
const WORTHWHILE_SHARE: usize = 8;

/// The rank of `core`, which has no empty lines, by pivots and what the planner says of the rest. What steps took corrects `machine`.
pub(super) fn rank(
    core: Cow<'_, SparseMatrix>,
    options: &RankOptions,
    streams: &Streams,
    machine: &mut Machine,
    mut phases: Phases,
    observer: &dyn Observer,
) -> Result<Rank> {
    let mut work = Work {
        options,
        streams,
        machine: machine.clone(),
        unformed: None,
        path: vec![],
        phases: &mut phases,
        observer,
    };
    let mut taken = 0;
    let dense = is_dense(&core, options, machine);
    // Pivots of what elimination made are not entries of A, and no more would be a chain: for a minor they would not do.
    let core = match if options.minor || dense { None } else { work.without_fill(&core)? } {
        Some(eliminated) => {
            taken += eliminated.rows.len();
            Cow::Owned(eliminated.core)
        }
        None => core,
    };
    let (mut a, mut pivots, transposed) = if dense { work.upright(core)? } else { work.structural(core)? };
    let mut lineage = if options.minor { Some(Lineage::of(a.rows(), a.cols())?) } else { None };
    let mut larger = None;
    let answer = loop {
        if !dense {
            let seen = larger.is_some_and(|larger: Larger| larger.seen);
            let formed;
            (a, pivots, formed) = work.rounds(a, pivots, seen, &mut lineage)?;
            taken += formed;
            // Of another complement nothing is known.
            larger = larger.filter(|_| formed == 0);
        }
        match (OnRest { a: &a, split: Split::new(&a, &pivots)?, work: &mut work }).rank(larger)? {
            Outcome::Known(answer) => break answer,
            Outcome::Larger(rank) => larger = Some(rank),
        }
    };
    *machine = work.machine;
    let (path, rank) = (work.path, taken + pivots.len() + answer.rank);
    let minor = match (lineage, answer.beyond) {
        (Some(lineage), Some(last)) => Some(lineage.minor(pivots, last, transposed)?),
        _ => None,
    };
    let Answer { method, certainty, reason, wiedemann, .. } = answer;
    Ok(Rank { certainty, wiedemann, minor, ..Rank::proven(rank, method, reason, path, phases) })
}

/// Whether `a` is eliminated densely as it stands: looking for pivots, or for anything else, would take longer.
pub(super) fn is_dense(a: &SparseMatrix, options: &RankOptions, machine: &Machine) -> bool {
    options.method != Method::Hybrid && Rest::of(a, 0, options).is_dense(machine, options.max_memory)
}

/// What accompanies the work.
pub(super) struct Work<'a> {
    pub options: &'a RankOptions,
    pub streams: &'a Streams<'a>,
    /// The prices, as far as steps have not shown that they are others.
    pub machine: Machine,
    /// The next Schur complement, if the last rounds ended before it for its price alone.
    pub unformed: Option<Prediction>,
    pub path: Vec<Step>,
    pub phases: &'a mut Phases,
    pub observer: &'a dyn Observer,
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
            ..EliminationOptions::at(&self.machine)
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
            rank: Some(eliminated.rows.len()),
            predicted: None,
            seconds: start.elapsed().as_secs_f64(),
        });
        Ok(Some(eliminated))
    }

    /// A dense matrix without pivots in the orientation in which it is eliminated: its transpose? Of a tall one a part of the rows may
    /// do, of a wide one all columns are eliminated.
    fn upright<'m>(&mut self, core: Cow<'m, SparseMatrix>) -> Result<(Cow<'m, SparseMatrix>, Pivots, bool)> {
        let (wide, machine) = (Rest::of(&core, 0, self.options), &self.machine);
        let tall = wide.transposed();
        let spared = wide.every_row_at_worst(machine) - tall.every_row_at_worst(machine);
        let fits = self
            .options
            .max_memory
            .is_none_or(|limit| tall.every_row_bytes().saturating_add(ENTRY * core.nnz() as u64) <= limit);
        if !fits || spared <= core.nnz() as f64 * machine.sparse.transpose {
            return Ok((core, Pivots::default(), false));
        }
        let tall = self.phases.time("plan", || core.transpose())?;
        Ok((Cow::Owned(tall), Pivots::default(), true))
    }

    /// Structural pivots, and the matrix in the orientation that suits them: its transpose?
    fn structural<'m>(&mut self, core: Cow<'m, SparseMatrix>) -> Result<(Cow<'m, SparseMatrix>, Pivots, bool)> {
        let start = Instant::now();
        let observer = self.observer;
        let find = || pivots::find_best(&core, &Effort::default(), observer);
        let (transposed, found) = self.phases.time("pivots", find)?;
        let a = if transposed { Cow::Owned(self.phases.time("pivots", || core.transpose())?) } else { core };
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
            rank: Some(pivots.len()),
            predicted: None,
            seconds: start.elapsed().as_secs_f64(),
        });
        Ok((a, pivots, transposed))
    }

    /// Schur complements formed, and pivots found in them, while that is predicted to be worth its price, which is higher if
    /// the rank is `seen` to be large. Returns what is left, its pivots, and the number of pivots that are done with.
    fn rounds<'m>(
        &mut self,
        a: Cow<'m, SparseMatrix>,
        pivots: Pivots,
        seen: bool,
        lineage: &mut Option<Lineage>,
    ) -> Result<(Cow<'m, SparseMatrix>, Pivots, usize)> {
        let on_rest = OnRest { a: &a, split: Split::new(&a, &pivots)?, work: self };
        let rest = on_rest.rest();
        if rest.is_done(&on_rest.work.machine) {
            return Ok((a, pivots, 0));
        }
        let wiedemann = on_rest.outlook().wiedemann(&on_rest.work.machine)?.map(|w| w.seconds);
        let seconds = rest.round_seconds(&self.machine, wiedemann, seen);
        let most = (seconds / self.machine.schur.entry) as usize;
        let max_memory = self.options.max_memory.map_or(usize::MAX, |limit| limit as usize / 64);
        let max_nnz = most.min(max_memory);
        let max_work = seconds / self.machine.schur.product;
        let options = RoundsOptions { max_nnz, max_work, ..Default::default() };
        let (start, observer, entries) = (Instant::now(), self.observer, a.nnz());
        let a = match a {
            Cow::Owned(a) => a,
            Cow::Borrowed(a) => a.try_clone()?,
        };
        // The first round has its pivots already.
        let was = pivots.len();
        let first = RefCell::new(Some(pivots));
        let find = |a: &SparseMatrix| match first.take() {
            Some(pivots) => Ok(pivots),
            None => Ok(pivots::find(a, &Effort::default(), observer)?.pivots),
        };
        // Rounds may creep on by a few pivots each, long after what is left is small.
        let (machine, wishes) = (&self.machine, self.options);
        let enough = |a: &SparseMatrix, pivots: &Pivots| Rest::of(a, pivots.len(), wishes).is_done(machine);
        let mut rng = self.streams.stream(Domain::Rounds, 0);
        let patience = self.options.patience;
        let limit =
            |entries: usize, predicted: &Prediction| patience.limit(Solver::seconds(machine, entries, predicted));
        let done = self.phases.time("Schur complement", || {
            elimination::rounds(a, &find, &enough, &limit, &options, &mut rng, observer)
        })?;
        self.keep_rounds(&done, entries);
        if let Some(lineage) = lineage {
            lineage.follow(&done, was)?;
        }
        self.unformed = unformed(&done, entries, &options, max_memory);
        let more = done.rows.len() + done.pending.len() - was;
        if more > 0 {
            self.path.push(Step {
                name: "structural pivots",
                found: format!("{more} in the Schur complements"),
                why: format!("{:?}", done.stop),
                rank: Some(more),
                predicted: None,
                seconds: start.elapsed().as_secs_f64() - done.record.iter().map(|r| r.form_seconds[0]).sum::<f64>(),
            });
        }
        Ok((Cow::Owned(done.rest), done.pending, done.rows.len()))
    }
    /// Keeps the Schur complements of rounds that began with a matrix of `entries` entries in the path.
    fn keep_rounds(&mut self, done: &Rounds, entries: usize) {
        // What each round starts from is made ready first.
        let starts = std::iter::once(entries).chain(done.record.iter().map(|round| round.nnz));
        let last = done.record.len();
        for (number, (round, start)) in done.record.iter().zip(starts).enumerate() {
            let Round { rows, cols, nnz, predicted, form_seconds: [seconds, work], .. } = *round;
            let given_up = number + 1 == last && done.stop == Stop::Grown;
            if rows == 0 && done.stop != Stop::Empty && !given_up {
                continue;
            }
            let found = match given_up {
                true => "given up: it takes longer or is larger than predicted".to_string(),
                false => format!("{rows} x {cols} with {nnz} entries"),
            };
            let why = format!("predicted {:.1e} entries from {:.1e} products", predicted.nnz.mean, predicted.work.mean);
            let forming = |machine: &Machine| Solver::seconds(machine, start, &predicted);
            if given_up && work < self.options.patience.limit(forming(&self.machine)) {
                // It grew: what it would have taken is not known.
                let (name, rank) = ("Schur complement", Some(0));
                self.path.push(Step { name, found, why, rank, predicted: None, seconds });
                continue;
            }
            self.step("Schur complement", found, &why, 0, forming, Taken { work, seconds });
        }
    }
}

/// The Schur complement that rounds, begun with a matrix of `entries` entries, did not form for its price alone.
fn unformed(done: &Rounds, entries: usize, options: &RoundsOptions, max_nnz: usize) -> Option<Prediction> {
    let (Round { predicted, .. }, before) = done.record.split_last()?;
    let entries = before.last().map_or(entries, |round| round.nnz);
    let fits = predicted.nnz.high() <= max_nnz as f64;
    (done.stop == Stop::Predicted && fits && options.is_sparse(predicted, entries)).then_some(*predicted)
}
