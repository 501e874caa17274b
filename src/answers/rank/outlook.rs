//! How to proceed with a Schur complement at given prices: decided before each step, and again when a step has shown
//! that the prices are wrong.

use super::Machine;
use super::place;
use super::planner::{Decision, Finish, Rest, decide};
use super::sequence::Sequence;
use super::{Method, RankOptions};
use crate::dense::Place;
use crate::gpu::Devices;
use crate::schur::Prediction;
use crate::spmv::{Lane, TriangularSolve};
use crate::wiedemann::{Parameters, Problem, parameters};
use crate::{Error, Result};

/// Blocks on rows and columns that null vectors need beyond those of the rank.
const BLOCKS: usize = 3;

/// Rows of a row space up to which no GPU is asked for: it would take longer to open.
pub(super) const FEW_ROWS: usize = 1024;
/// The rank up to which a row space is looked at before a GPU that is demanded has a part in it, and the most of the
/// time of all of it that this may take.
const FIRST_ROWS: usize = 256;
const FIRST_SHARE: f64 = 0.0625;

/// All that a plan depends on but the prices.
#[derive(Clone, Copy)]
pub(super) struct Outlook<'a> {
    pub rest: Rest,
    pub options: &'a RankOptions,
    /// The prediction for forming S, if only its price is against it.
    pub unformed: Option<Prediction>,
}

impl Outlook<'_> {
    /// S as block Wiedemann sees it.
    fn problem(&self) -> Problem {
        let Rest { modulus, pivots, rows, cols, nnz, valued, .. } = self.rest;
        let scratch = rows + pivots + cols;
        let (grid, levels) = (TriangularSolve::GRID, self.rest.waits());
        Problem { modulus, rows, cols, nnz, valued, symmetric: false, grid, scratch, levels, gpu: self.rest.gpu }
    }

    /// The parameters of block Wiedemann on S; `None` where it cannot give what is asked for.
    pub fn wiedemann(&self, machine: &Machine) -> Result<Option<Parameters>> {
        let (Rest { rows, cols, .. }, options) = (self.rest, self.options);
        let proven = options.proven && options.vectors.is_none();
        let impossible = proven || options.minor || options.method == Method::Elimination;
        if impossible || self.rest.refused.wiedemann || rows.min(cols) == 0 {
            return Ok(None);
        }
        match parameters(&self.problem(), &options.wiedemann(), &self.rest.prices(machine)) {
            Ok(p) if options.max_memory.is_some_and(|limit| self.bytes(&p) > limit) => Ok(None),
            Ok(p) => Ok(Some(p)),
            Err(Error::Usage(_)) if options.method == Method::Auto => Ok(None),
            Err(other) => Err(other),
        }
    }

    /// The parameters of block Wiedemann where it takes the least time, on S or on A without regard to the pivots, and
    /// whether it is S: products with A wait for no levels on a GPU.
    fn sooner_wiedemann(&self, machine: &Machine) -> Result<(Option<Parameters>, bool)> {
        let (rest, options) = (self.rest, self.options);
        let with = self.wiedemann(machine)?;
        if rest.gpu.is_none() || rest.pivots == 0 || options.method != Method::Auto || options.vectors.is_some() {
            return Ok((with, true));
        }
        let without = Outlook { rest: rest.without_pivots(), ..*self }.wiedemann(machine)?;
        Ok(match (with, without) {
            (Some(with), Some(without)) if without.seconds < with.seconds => (Some(without), false),
            (with, _) => (with, true),
        })
    }

    /// Predicted seconds by the clock for block Wiedemann on a GPU, its start included, if one may be asked for and
    /// that is sooner than the processor.
    pub fn wiedemann_on_gpu(&self, machine: &Machine) -> Result<Option<f64>> {
        if self.options.devices == Devices::Processor || self.rest.refused.gpu {
            return Ok(None);
        }
        let threads = rayon::current_num_threads();
        let start = (machine.device.find + machine.device.start) * threads as f64;
        let on = |gpu| -> Result<Option<f64>> {
            let there = Outlook { rest: Rest { gpu, ..self.rest }, ..*self };
            Ok(there.wiedemann(machine)?.map(|w| there.seconds(&w)))
        };
        let (here, there) = (on(None)?, on(Some(threads))?.map(|seconds| seconds + start));
        Ok(there.filter(|there| here.is_none_or(|here| *there < here)).map(|seconds| seconds / threads as f64))
    }

    /// Predicted bytes of block Wiedemann; null vectors take more blocks than the rank.
    fn bytes(&self, parameters: &Parameters) -> u64 {
        let Rest { modulus, rows, cols, .. } = self.rest;
        let residues = (rows + cols).saturating_mul(parameters.block * parameters.degree);
        let more =
            if self.options.vectors.is_some() { BLOCKS * residues * Lane::narrowest(modulus).bytes() } else { 0 };
        parameters.bytes.saturating_add(more as u64)
    }
    /// Predicted seconds of block Wiedemann: for all vectors that are wanted.
    pub fn seconds(&self, parameters: &Parameters) -> f64 {
        // A basis may have many vectors, each of which takes its share of a run: half the columns are assumed.
        let basis = self.rest.cols.saturating_sub(self.rest.rank_bound).max(self.rest.cols / 2);
        match self.options.vectors {
            None => parameters.seconds,
            Some(usize::MAX) => Sequence::seconds(parameters, basis),
            Some(wanted) => Sequence::seconds(parameters, wanted),
        }
    }

    /// What block Wiedemann on S needs, if it could be asked for.
    fn by_wiedemann(&self, machine: &Machine) -> Option<String> {
        let found = parameters(&self.problem(), &self.options.wiedemann(), &self.rest.prices(machine)).ok()?;
        let limit = self.options.max_memory.map_or(String::new(), |limit| format!(", {} MB are left", limit >> 20));
        Some(format!(
            "block Wiedemann on the Schur complement needs {} MB{limit}",
            self.bytes(&found).div_ceil(1 << 20)
        ))
    }

    /// A refusal, with what else could be asked for.
    fn with_remedy(&self, error: Error, machine: &Machine) -> Error {
        let Error::Memory(text) = error else { return error };
        let excluded = self.options.proven || self.options.minor || self.options.method == Method::Elimination;
        let other = match self.by_wiedemann(machine) {
            Some(other) if self.options.space.is_some() => format!("; its rank alone: {other} (--method hybrid)"),
            Some(other) if excluded => format!("; without a proof {other} (--method hybrid)"),
            Some(other) => format!("; {other}"),
            None => String::new(),
        };
        Error::Memory(format!("{text}{other}"))
    }

    /// The same where it is settled whether a GPU has a part.
    pub fn settle(&mut self, gpu: bool) {
        self.rest.gpu = if gpu { self.rest.gpu.or_else(|| Some(rayon::current_num_threads())) } else { None };
    }

    /// Whether a GPU has a part in this, if there is one: in the elimination of wide rows, but not where the factors of
    /// a minor or null vectors are wanted, whose lines would come in another order.
    fn is_served(&self, finish: Finish) -> bool {
        let RankOptions { minor, space, vectors, .. } = *self.options;
        let wide = |rest: &Rest| !minor && space.is_none() && Place::is_for_gpu(rest.modulus, rest.cols);
        match finish {
            Finish::Nothing => false,
            Finish::EveryRow { pivots: false } => wide(&self.rest.without_pivots()),
            Finish::EveryRow { pivots: true } => wide(&self.rest),
            Finish::RowSpace { give_up } => give_up.min(self.rest.rank_bound) >= FEW_ROWS && wide(&self.rest),
            Finish::Sketch { .. } => true,
            Finish::Wiedemann { .. } => vectors.is_none(),
        }
    }

    /// The next step, where it is predicted to take the least time, and why there; `larger` is a rank that is known to
    /// be exceeded.
    ///
    /// # Errors
    /// [`Error::Memory`] if nothing fits, [`Error::Usage`] if an error bound is out of reach.
    pub fn decide(&self, machine: &Machine, larger: Option<usize>) -> Result<(Decision, Option<Parameters>)> {
        let (options, cost) = (self.options, &machine.device);
        let on = |gpu| Outlook { rest: Rest { gpu, ..self.rest }, ..*self }.decide_there(machine, larger);
        match options.devices {
            Devices::Processor => on(None),
            Devices::Auto if self.rest.refused.gpu => on(None),
            Devices::Auto => {
                let (threads, here) = (rayon::current_num_threads(), on(None));
                let start = (cost.find + cost.start) * threads as f64;
                let there = on(Some(threads));
                // One that is not worth its start is not asked for.
                if here.as_ref().is_ok_and(|(here, _)| here.seconds <= start) {
                    let sooner = |there: &Decision| self.is_better_hope(machine, there.finish, start, threads);
                    let found = match (here, there) {
                        (Ok((here, _)), Ok(there)) if there.0.finish.ends_before(here.finish) && sooner(&there.0) => {
                            Ok(there)
                        }
                        (here, _) => here,
                    };
                    return found.map(|found| told(found, |_| place::soon(start / threads as f64)));
                }
                let there = there.ok().filter(|(there, _)| self.is_served(there.finish));
                let Some((mut there, parameters)) = there else {
                    return here.map(|found| told(found, |_| place::NO_PART.into()));
                };
                there.seconds += start;
                // Sketches that are given up at different ranks are compared at the lower one.
                if let (Ok((Decision { finish: Finish::Sketch { give_up }, .. }, _)), Finish::Sketch { .. }) =
                    (&here, there.finish)
                {
                    let rest = Rest { gpu: Some(threads), ..self.rest };
                    let same = rest.sketch_seconds(machine, (*give_up).min(rest.rank_bound));
                    there.seconds = same.map_or(there.seconds, |seconds| there.seconds.min(seconds + start));
                }
                match here {
                    Ok(found) if found.0.seconds <= there.seconds => {
                        Ok(told(found, |here| place::here([here, there.seconds], threads)))
                    }
                    here => {
                        there.gpu = true;
                        let here = here.ok().map(|(here, _)| here.seconds);
                        Ok(told((there, parameters), |there| place::there(here, there, threads)))
                    }
                }
            }
            // They are demanded.
            _ => {
                let (mut decision, parameters) = on(self.rest.gpu)?;
                if larger.is_none() {
                    decision = self.small_first(decision, machine);
                }
                decision.gpu = self.is_served(decision.finish);
                if !decision.gpu && decision.finish != Finish::Nothing {
                    decision.reason += "; on the processor, as a GPU gains nothing on rows so short or so few";
                }
                Ok((decision, parameters))
            }
        }
    }

    /// Whether what follows a row space that was given up is sooner done on a GPU, so that no more is hoped for than a
    /// GPU's prices are worth.
    fn is_better_hope(&self, machine: &Machine, finish: Finish, start: f64, threads: usize) -> bool {
        let Finish::RowSpace { give_up } = finish else { return false };
        let next = |gpu| {
            let after = Outlook { rest: Rest { gpu, ..self.rest }, ..*self };
            after.decide_there(machine, Some(give_up)).map(|(decision, _)| decision)
        };
        match (next(None), next(Some(threads))) {
            (Ok(here), Ok(there)) => self.is_served(there.finish) && there.seconds + start < here.seconds,
            _ => false,
        }
    }

    /// A row space that takes long is looked at up to a small rank first: the processor knows that before a GPU
    /// is open.
    fn small_first(&self, decision: Decision, machine: &Machine) -> Decision {
        let Finish::RowSpace { give_up } = decision.finish else { return decision };
        let here = Rest { gpu: None, ..self.rest };
        let (first, worst) = (here.row_space_seconds(machine, FIRST_ROWS), decision.seconds);
        if give_up.min(self.rest.rank_bound) < FEW_ROWS || first > FIRST_SHARE * worst {
            return decision;
        }
        let reason = format!("up to rank {FIRST_ROWS} first; {}", decision.reason);
        Decision { finish: Finish::RowSpace { give_up: FIRST_ROWS }, seconds: first, reason, ..decision }
    }

    fn decide_there(&self, machine: &Machine, larger: Option<usize>) -> Result<(Decision, Option<Parameters>)> {
        let (wiedemann, pivots) = self.sooner_wiedemann(machine)?;
        let mut decision = match (self.options.method, &wiedemann) {
            (Method::Hybrid | Method::Wiedemann, Some(w)) if self.rest.rank_bound > 0 => {
                let finish = Finish::Wiedemann { pivots: true };
                Decision { finish, seconds: self.seconds(w), gpu: false, reason: "asked for".into() }
            }
            (Method::Hybrid | Method::Wiedemann, None) if self.rest.rank_bound > 0 => {
                let needed = self.by_wiedemann(machine);
                return Err(Error::Memory(
                    needed.unwrap_or_else(|| "block Wiedemann does not fit in the memory allowed".into()),
                ));
            }
            _ => {
                let seconds = wiedemann.as_ref().map(|w| self.seconds(w));
                let decision = decide(&self.rest, machine, seconds, self.options.max_memory, larger);
                decision.map_err(|error| self.with_remedy(error, machine))?
            }
        };
        if let (Finish::Wiedemann { .. }, false) = (decision.finish, pivots) {
            decision.finish = Finish::Wiedemann { pivots };
            decision.reason += "; on the matrix without its pivots, whose levels products would wait for";
        }
        Ok((decision, wiedemann))
    }

    /// Whether the plan at these prices is different from the current step `now`, a row space that has reached the rank
    /// `reached`; the step was chosen when `larger` was known.
    pub fn differs(&self, machine: &Machine, now: Finish, larger: Option<usize>, reached: usize) -> bool {
        if matches!(self.options.method, Method::Hybrid | Method::Wiedemann) {
            return false;
        }
        self.is_worth_forming(machine, larger.is_some())
            || match self.decide(machine, larger).map(|(decision, _)| (now, decision.finish)) {
                Ok((Finish::RowSpace { .. }, Finish::RowSpace { give_up }))
                | Ok((Finish::Sketch { .. }, Finish::Sketch { give_up })) => give_up < reached,
                Ok((now, then)) => now != then,
                // The other ways do not fit.
                Err(_) => false,
            }
    }

    /// Whether a row space would have been given up before the rank `reached` at these prices.
    pub fn is_beyond_hope(&self, machine: &Machine, reached: usize) -> bool {
        let finish = self.decide(machine, None).map(|(decision, _)| decision.finish);
        matches!(finish, Ok(Finish::RowSpace { give_up }) if give_up < reached)
    }

    /// Whether S is worth its price at these prices, where it was not before.
    fn is_worth_forming(&self, machine: &Machine, seen: bool) -> bool {
        let wiedemann = self.wiedemann(machine).ok().flatten().map(|w| self.seconds(&w));
        let seconds = self.rest.round_seconds(machine, wiedemann, seen);
        self.unformed.is_some_and(|Prediction { nnz, work, .. }| {
            nnz.high() * machine.schur.entry <= seconds && work.mean * machine.schur.product <= seconds
        })
    }
}

/// A decision with the reason for its place, made of its seconds.
fn told<T>((decision, parameters): (Decision, T), why: impl FnOnce(f64) -> String) -> (Decision, T) {
    let reason = match decision.finish {
        Finish::Nothing => decision.reason,
        _ => decision.reason + "; " + &why(decision.seconds),
    };
    (Decision { reason, ..decision }, parameters)
}
