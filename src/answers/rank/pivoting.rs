//! Pivots taken before the finish: without fill-in, structural ones, and those of Schur complements that are formed.

use super::plan::{Left, Stage};
use super::planner::Rest;
use super::steps::Taken;
use super::work::Work;
use super::{Machine, RankOptions};
use crate::certify::Domain;
use crate::decomposition::{Decomposition, Keep};
use crate::elimination::{self, Eliminated, EliminationOptions, Round, Rounds, RoundsOptions, Stop};
use crate::matching::{maximum_matching, maximum_matching_while};
use crate::pivots::{self, Counts, Effort, Found, Pivots, Rule};
use crate::report::once_if_worth;
use crate::schur::{Prediction, Solver};
use crate::sparse::{Pattern, SparseMatrix};
use crate::words::counted;
use crate::{Error, Observer, Result, Step};
use std::borrow::Cow;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Instant;

/// The share of the smaller side that pivots without fill-in must be.
const WORTHWHILE_SHARE: usize = 8;
/// Threads from which on one of them looks for a maximum matching while the others look for pivots.
const AHEAD: usize = 2;
/// Entries from which on that is worth it.
const MANY: usize = 1 << 17;

impl Work<'_> {
    /// [`Action::ShareParts`](super::plan::Action::ShareParts): nothing is changed if rows share little.
    pub fn share_parts(&mut self, left: &mut Left<'_>) -> Result<()> {
        left.stage = Stage::Parted;
        let (start, a, observer) = (Instant::now(), left.of.left(), self.observer);
        observer.phase("shared parts", 0);
        let spanning = match self.phases.time("shared parts", || elimination::shared_parts(a)) {
            // Fewer entries that may help are not needed.
            Err(Error::Memory(_)) => None,
            other => other?,
        };
        observer.check()?;
        let Some(spanning) = spanning else { return Ok(()) };
        self.path.push(Step {
            name: "shared parts",
            found: format!("{} of {} span the same", counted(spanning.rows(), "row"), counted(spanning.nnz(), "entry")),
            why: format!("{} of {} share parts", counted(a.rows(), "row"), counted(a.nnz(), "entry")),
            rank: Some(0),
            predicted: None,
            seconds: start.elapsed().as_secs_f64(),
        });
        left.of = Decomposition::of(Cow::Owned(spanning), self.options.keep())?;
        left.go_on(Stage::Parted, self.options)?;
        Ok(())
    }

    /// [`Action::EliminateWithoutFill`](super::plan::Action::EliminateWithoutFill): nothing is taken if that is not
    /// much.
    pub fn eliminate_without_fill(&mut self, left: &mut Left<'_>) -> Result<()> {
        left.stage = Stage::Unfilled;
        let (start, a, observer) = (Instant::now(), left.of.left(), self.observer);
        let options = EliminationOptions {
            max_memory: self.options.max_memory,
            max_nnz: a.nnz(),
            finish: elimination::Finish::Combinations,
            ..EliminationOptions::at(&self.machine)
        };
        let eliminated = match self.phases.time("sparse elimination", || elimination::eliminate(a, &options, observer))
        {
            Err(Error::Memory(_)) => return Ok(()),
            other => other?,
        };
        let Eliminated { pivots, remainder, .. } = eliminated;
        let taken = pivots.rows.len();
        if taken < a.rows().min(a.cols()) / WORTHWHILE_SHARE {
            return Ok(());
        }
        let core = &remainder.matrix;
        self.path.push(Step {
            name: "sparse elimination",
            found: format!("{} without fill-in, {} x {} left", counted(taken, "pivot"), core.rows(), core.cols()),
            why: "heavy rows".into(),
            rank: Some(taken),
            predicted: None,
            seconds: start.elapsed().as_secs_f64(),
        });
        left.of.eliminate(&pivots, remainder)?;
        left.go_on(Stage::Unfilled, self.options)
    }

    /// [`Action::Transpose`](super::plan::Action::Transpose).
    pub fn transpose(&mut self, left: &mut Left<'_>) -> Result<()> {
        self.phases.shown("plan", self.observer, || left.of.transpose())?;
        left.go_on(Stage::Formed, self.options)
    }

    /// What pivots are worth: where a GPU finds the rank without any sooner, no more than it takes for each unit of it.
    /// One thread, which does most of the search, is slow beside it.
    fn effort(&self, left: &Left<'_>) -> Result<Effort> {
        let (rest, effort) = (&left.rest, Effort::default());
        let Some(seconds) = left.outlook(self.options).wiedemann_on_gpu(&self.machine)? else { return Ok(effort) };
        let shape = [rest.rows, rest.cols];
        Ok(effort.at_most(seconds / rest.rank_bound.max(1) as f64, &self.machine.sparse, shape, rest.nnz))
    }

    /// [`Action::FindPivots`](super::plan::Action::FindPivots).
    pub fn find_pivots(&mut self, left: &mut Left<'_>) -> Result<()> {
        let (start, observer) = (Instant::now(), self.observer);
        let (a, effort) = (left.of.left(), self.effort(left)?);
        let (shape, nnz) = ([a.rows(), a.cols()], a.nnz());
        let find = || match self.options.space {
            Some(_) => find(&left.of, self.options, observer).map(|found| (false, found)),
            None => kept(a, None, observer, || pivots::find_best(a, &effort, observer)),
        };
        // Both are mostly the work of one thread. A matching is in vain if there are pivots enough.
        let ahead = rayon::current_num_threads() >= AHEAD && nnz >= MANY && !self.options.is_tight(nnz);
        let wanted = AtomicBool::new(ahead);
        let structural = || {
            let size = || {
                let pattern = Pattern::of(a)?;
                Ok::<_, Error>(maximum_matching_while(&pattern, &|| wanted.load(Relaxed))?.map(|found| found.size))
            };
            if ahead { size().ok().flatten() } else { None }
        };
        let find = || {
            let found = find();
            let enough = |found: &(bool, Found)| found.1.free_rows.min(found.1.free_cols) == 0;
            wanted.store(found.as_ref().is_ok_and(|found| !enough(found)), Relaxed);
            found
        };
        let (found, structural) = self.phases.time("pivots", || match ahead {
            true => rayon::join(find, structural),
            false => (find(), None),
        });
        let (transposed, found) = found?;
        let predicted = found.seconds(&effort, &self.machine.sparse, shape, nnz);
        if transposed {
            self.phases.time("pivots", || left.of.transpose())?;
        }
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
            predicted: Some(predicted),
            seconds: start.elapsed().as_secs_f64(),
        });
        left.of.pivot(pivots);
        left.go_on(Stage::Pivoted, self.options)?;
        left.structural = structural;
        Ok(())
    }

    /// [`Action::Match`](super::plan::Action::Match).
    pub fn bound_by_matching(&mut self, left: &mut Left<'_>) -> Result<()> {
        let start = Instant::now();
        left.stage = Stage::Bounded;
        let (of, ahead) = (&left.of, left.structural.take());
        self.observer.phase("matching", 0);
        let size = || ahead.map_or_else(|| maximum_matching(&Pattern::of(of.left())?).map(|m| m.size), Ok);
        let size = match self.phases.time("matching", size) {
            // A bound that may help is not needed.
            Err(Error::Memory(_)) => return self.observer.check(),
            size => size?,
        };
        let bound = size - of.pivots().len();
        if bound < left.rest.rank_bound {
            left.rest.rank_bound = bound;
            self.path.push(Step {
                name: "maximum matching",
                found: format!("structural rank {size}"),
                why: "an upper bound of the rank over every field".into(),
                rank: Some(0),
                predicted: None,
                seconds: start.elapsed().as_secs_f64(),
            });
        }
        self.observer.check()
    }

    /// [`Action::FormComplements`](super::plan::Action::FormComplements): each in so many `seconds`.
    pub fn form_complements(&mut self, left: &mut Left<'_>, seconds: f64) -> Result<()> {
        left.stage = Stage::Formed;
        let most = (seconds / self.machine.schur.entry) as usize;
        let max_memory = self.options.max_memory.map_or(usize::MAX, |limit| limit as usize / 64);
        let max_nnz = most.min(max_memory);
        let max_work = seconds / self.machine.schur.product;
        let options = RoundsOptions { max_nnz, max_work, ..Default::default() };
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

/// Structural pivots of what is left, as it stands.
fn find(of: &Decomposition<'_>, options: &RankOptions, observer: &dyn Observer) -> Result<Found> {
    let rule = match options.space {
        Some(Rule::Leading) => Rule::Leading,
        _ => Rule::Aside(of.aside()),
    };
    let found = || Ok((false, pivots::find_by(of.left(), rule, &Effort::default(), observer)?));
    kept(of.left(), Some(rule), observer, found).map(|(_, found)| found)
}

/// Pivots of `a`, and whether of its transpose: as another run has found them, or as `make` does.
fn kept(
    a: &SparseMatrix,
    rule: Option<Rule>,
    observer: &dyn Observer,
    make: impl FnOnce() -> Result<(bool, Found)>,
) -> Result<(bool, Found)> {
    let rule = rule.map(|rule| match rule {
        Rule::Leading => usize::MAX,
        Rule::Aside(count) => count,
    });
    let made = || {
        let (transposed, Found { pivots, counts, free_rows, free_cols }) = make()?;
        let Counts { singletons, faugere_lachartre, greedy, search } = counts;
        let counts = [singletons, faugere_lachartre, greedy, search];
        Ok((transposed, (pivots.rows, pivots.cols), counts, [free_rows, free_cols]))
    };
    let (transposed, (rows, cols), counts, free) = once_if_worth("pivots", || (a.digest(), rule), observer, made)?;
    let ([singletons, faugere_lachartre, greedy, search], [free_rows, free_cols]) = (counts, free);
    let counts = Counts { singletons, faugere_lachartre, greedy, search };
    Ok((transposed, Found { pivots: Pivots { rows, cols }, counts, free_rows, free_cols }))
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::families;
    use crate::field::Modulus;
    use crate::report::Memory;

    #[test]
    fn pivots_that_another_run_found_are_not_looked_for() {
        let memory = Memory { life: usize::MAX.into(), ..Memory::default() };
        let mut count = 0;
        for (name, p) in [("mk8-b3", 2), ("ch4-5-b2", 65521), ("bibd_9_5", 7)] {
            let a = families::generate(name).unwrap().reduce(Modulus::new(p).unwrap());
            for rule in [None, Some(Rule::Leading), Some(Rule::Aside(0)), Some(Rule::Aside(3))] {
                let find = || match rule {
                    None => pivots::find_best(&a, &Effort::default(), &memory),
                    Some(rule) => Ok((false, pivots::find_by(&a, rule, &Effort::default(), &memory)?)),
                };
                let expected = find().unwrap();
                assert_eq!(kept(&a, rule, &memory, find).unwrap(), expected, "{name} {rule:?}");
                assert_eq!(kept(&a, rule, &memory, || panic!("they are known")).unwrap(), expected, "{name} {rule:?}");
                count += 1;
                assert_eq!(memory.states.lock().unwrap().len(), count);
            }
        }
    }
}
