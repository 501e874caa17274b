//! Schur complements of structural pivots that are formed, in rounds, with the pivots found in them.

use super::outlook::Outlook;
use super::pivoting::find;
use super::plan::{Left, Stage};
use super::planner::Rest;
use super::steps::Taken;
use super::work::Work;
use super::{Machine, RankOptions};
use crate::certify::Domain;
use crate::decomposition::{Decomposition, Keep};
use crate::elimination::{self, Round, Rounds, RoundsOptions, Stop};
use crate::field::Rng;
use crate::pivots::Pivots;
use crate::schur::{Prediction, Solver, Split};
use crate::sparse::SparseMatrix;
use crate::words::counted;
use crate::{Error, Observer, Result, Step};
use std::time::Instant;

impl Work<'_> {
    /// [`Action::FormComplements`](super::plan::Action::FormComplements): each in so many `seconds`.
    pub fn form_complements(&mut self, left: &mut Left<'_>, seconds: f64) -> Result<()> {
        left.stage = Stage::Formed;
        let max_memory = most_entries(self.options);
        let options = forming(&self.machine, self.options, seconds);
        if let Some(predicted) = left.predicted.filter(|p| options.refuses(left.of.left(), left.of.pivots(), p)) {
            // What was known of it before is the same now.
            left.unformed = worth_its_memory(&predicted, left.of.left().nnz(), &options, max_memory);
            return Ok(());
        }
        let (start, observer) = (Instant::now(), self.observer);
        let of = &mut left.of;
        let (entries, taken, was) = (of.left().nnz(), of.taken(), of.pivots().len());
        // Rounds may continue with a few pivots each, long after the remaining matrix has become small.
        let (machine, wishes) = (&self.machine, self.options);
        let find = |of: &Decomposition<'_>| Ok(find(of, wishes, observer)?.pivots);
        let enough = |a: &SparseMatrix, pivots: &Pivots| Rest::of(a, pivots.len(), wishes).is_done(machine);
        let mut rng = self.streams.stream(Domain::Rounds, 0);
        let patience = self.options.patience;
        let limit =
            |entries: usize, predicted: &Prediction| patience.limit(Solver::seconds(machine, entries, predicted));
        let mut rounds = || elimination::rounds(of, &find, &enough, &limit, &options, &mut rng, observer);
        let done = match self.phases.time("Schur complement", &mut rounds) {
            // Where nothing is kept of the steps, what is left is as it was before the round that memory ended.
            Err(Error::Memory(_)) if self.options.keep() == Keep::Nothing => {
                return left.go_on(Stage::Formed, self.options);
            }
            done => done?,
        };
        let formed = of.taken() - taken;
        let more = formed + of.pivots().len() - was;
        self.keep_rounds(&done, entries);
        left.unformed = unformed(&done, entries, &options, max_memory);
        if more > 0 {
            self.path.push(Step {
                name: "structural pivots",
                found: format!("{more} in the Schur complements"),
                why: done.stop.to_string(),
                rank: Some(more),
                predicted: None,
                seconds: start.elapsed().as_secs_f64() - done.record.iter().map(|r| r.form_seconds[0]).sum::<f64>(),
            });
        }
        // Otherwise it is the same complement, of which all is known as before.
        match formed {
            0 => {
                left.predicted = done.record.last().filter(|_| done.stop == Stop::Predicted).map(|last| last.predicted);
            }
            _ => left.go_on(Stage::Formed, self.options)?,
        }
        Ok(())
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
                false => format!("{rows} x {cols} with {}", counted(nnz, "entry")),
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

/// Most entries of a Schur complement for the memory allowed.
fn most_entries(options: &RankOptions) -> usize {
    options.max_memory.map_or(usize::MAX, |limit| limit as usize / 64)
}

/// The limits of rounds that may take so many seconds each.
fn forming(machine: &Machine, options: &RankOptions, seconds: f64) -> RoundsOptions {
    let most = (seconds / machine.schur.entry) as usize;
    let max_work = seconds / machine.schur.product;
    RoundsOptions { max_nnz: most.min(most_entries(options)), max_work, ..Default::default() }
}

impl Outlook<'_> {
    /// Predicted seconds for forming the Schur complement of these pivots of `a`, if it would be formed.
    pub(super) fn forming_seconds(
        &self,
        a: &SparseMatrix,
        pivots: &Pivots,
        machine: &Machine,
        rng: &mut Rng,
        observer: &dyn Observer,
    ) -> Result<Option<f64>> {
        let outlook = Outlook { rest: Rest::of(a, pivots.len(), self.options), ..*self };
        let wiedemann = outlook.wiedemann(machine)?.map(|w| outlook.seconds(&w));
        let options = forming(machine, self.options, outlook.rest.round_seconds(machine, wiedemann, false));
        let split = Split::new(a, pivots)?;
        let predicted = Solver::new(&split)?.predict(rng, observer)?;
        let refused = options.refuses(a, pivots, &predicted);
        Ok((!refused).then(|| Solver::seconds(machine, a.nnz(), &predicted)))
    }
}

/// The Schur complement that rounds, begun with a matrix of `entries` entries, did not form for its price alone.
fn unformed(done: &Rounds, entries: usize, options: &RoundsOptions, max_nnz: usize) -> Option<Prediction> {
    let (Round { predicted, .. }, before) = done.record.split_last()?;
    let entries = before.last().map_or(entries, |round| round.nnz);
    worth_its_memory(predicted, entries, options, max_nnz).filter(|_| done.stop == Stop::Predicted)
}

/// The Schur complement of a matrix of `entries` entries, if its price alone is against it.
fn worth_its_memory(
    predicted: &Prediction,
    entries: usize,
    options: &RoundsOptions,
    max_nnz: usize,
) -> Option<Prediction> {
    let fits = predicted.nnz.high() <= max_nnz as f64;
    (fits && options.is_sparse(predicted, entries)).then_some(*predicted)
}
