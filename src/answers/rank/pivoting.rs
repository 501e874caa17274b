//! What is taken before the finish, and bounds it: shared parts, pivots without fill-in, structural pivots, a matching.

use super::RankOptions;
use super::plan::{Left, Stage};
use super::structural::StructuralRank;
use super::work::Work;
use crate::certify::Domain;
use crate::decomposition::Decomposition;
use crate::elimination::{self, Eliminated, EliminationOptions};
use crate::matching::maximum_matching;
use crate::pivots::{self, Counts, Effort, Found, Pivots, Rule};
use crate::report::once_if_worth;
use crate::sparse::{Pattern, SparseMatrix};
use crate::words::counted;
use crate::{Error, Observer, Result, Step};
use std::borrow::Cow;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Instant;

/// The share of the smaller side that pivots without fill-in must be.
const WORTHWHILE_SHARE: usize = 8;
/// The share of all pivots that singletons are where idle ones are looked for.
const SINGLETONS_SHARE: usize = 8;
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
        left.go_on(Stage::Bounded, self.options)
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
        let (outlook, machine, streams) = (left.outlook(self.options), &self.machine, self.streams);
        let visits = AtomicU64::new(u64::MAX);
        // A complement that is formed sooner than the search is asked again is formed: its pivots are found with less.
        let worth = |pivots: &Pivots, [visited, next]: [u64; 2]| {
            let mut rng = streams.stream(Domain::Rounds, 1);
            let forming = outlook.forming_seconds(a, pivots, machine, &mut rng, observer)?;
            let search = Effort::visiting_seconds(&machine.sparse, shape, nnz, next - visited);
            let ends = forming.is_some_and(|seconds| seconds <= search);
            if ends {
                visits.store(visited, Relaxed);
            }
            Ok(!ends)
        };
        let find = || match self.options.space {
            Some(_) => find(&left.of, self.options, observer).map(|found| (false, found)),
            None => kept(a, None, observer, || pivots::find_best_while(a, &effort, &worth, observer)),
        };
        // Covers and matching are the work of one thread each.
        let ahead = rayon::current_num_threads() >= AHEAD && nnz >= MANY && !self.options.is_tight(nnz);
        let (found, mut structural) = self.phases.time("pivots", || {
            // A bound that may help is not needed.
            let structural = if ahead { Pattern::of(a).ok().map(StructuralRank::of) } else { None };
            (find(), structural)
        });
        let (transposed, found) = found?;
        if found.free_rows.min(found.free_cols) == 0 {
            // There are pivots enough.
            structural = None;
        }
        let predicted = match visits.into_inner() {
            u64::MAX => found.seconds(&effort, &self.machine.sparse, shape, nnz),
            visited => {
                effort.cover_seconds(&self.machine.sparse, shape, nnz)
                    + Effort::visiting_seconds(&self.machine.sparse, shape, nnz, visited)
            }
        };
        if transposed {
            self.phases.time("pivots", || left.of.transpose())?;
        }
        let Found { pivots, peeled, counts, .. } = found;
        let count = pivots.len();
        left.of.pivot(pivots);
        let idle = self.take_idle(left, peeled)?;
        let mut why = if transposed { vec!["on the transpose".to_string()] } else { vec![] };
        if idle > 0 {
            let core = left.of.left();
            why.push(format!("without the {idle} that are idle {} x {} is left", core.rows(), core.cols()));
        }
        self.path.push(Step {
            name: "structural pivots",
            found: format!(
                "{count} ({} singletons, {} Faugère-Lachartre, {} greedy, {} by search)",
                counts.singletons, counts.faugere_lachartre, counts.greedy, counts.search
            ),
            why: why.join("; "),
            rank: Some(count),
            predicted: Some(predicted),
            seconds: start.elapsed().as_secs_f64(),
        });
        left.go_on(Stage::Pivoted, self.options)?;
        // Without idle pivots it is another matrix, and a smaller one.
        left.structural = structural.filter(|_| idle == 0);
        Ok(())
    }

    /// Is done with idle pivots, where they may be many: singletons are.
    fn take_idle(&mut self, left: &mut Left<'_>, peeled: [usize; 2]) -> Result<usize> {
        let singletons = peeled[0] + peeled[1];
        let few = singletons == 0 || singletons < left.of.pivots().len() / SINGLETONS_SHARE;
        if few || self.options.is_tight(left.of.left().nnz()) {
            return Ok(0);
        }
        match self.phases.time("pivots", || left.of.take_idle(peeled)) {
            // Passes over fewer entries may help, and are not needed.
            Err(Error::Memory(_)) => Ok(0),
            other => other,
        }
    }

    /// [`Action::Match`](super::plan::Action::Match), or nothing yet, if the next step does not depend on it.
    pub fn bound_by_matching(&mut self, left: &mut Left<'_>) -> Result<()> {
        let start = Instant::now();
        left.stage = Stage::Bounded;
        let first = left.larger.is_none();
        let may_wait = || left.may_wait(self.options, &self.machine);
        left.waits = first && self.phases.time("matching", may_wait).is_ok_and(|may| may);
        if left.waits {
            return self.observer.check();
        }
        let (of, ahead) = (&left.of, left.structural.take());
        self.observer.phase("matching", 0);
        let found_now = || maximum_matching(&Pattern::of(of.left())?).map(|matching| matching.size);
        let size = || ahead.and_then(StructuralRank::wait).map_or_else(found_now, Ok);
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
}

/// Structural pivots of what is left, as it stands.
pub(super) fn find(of: &Decomposition<'_>, options: &RankOptions, observer: &dyn Observer) -> Result<Found> {
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
        let (transposed, Found { pivots, peeled, counts, free_rows, free_cols }) = make()?;
        let Counts { singletons, faugere_lachartre, greedy, search } = counts;
        let counts = [singletons, faugere_lachartre, greedy, search];
        Ok((transposed, (pivots.rows, pivots.cols), counts, [peeled, [free_rows, free_cols]]))
    };
    let (transposed, (rows, cols), counts, [peeled, free]) =
        once_if_worth("pivots", || (a.digest(), rule), observer, made)?;
    let ([singletons, faugere_lachartre, greedy, search], [free_rows, free_cols]) = (counts, free);
    let counts = Counts { singletons, faugere_lachartre, greedy, search };
    Ok((transposed, Found { pivots: Pivots { rows, cols }, peeled, counts, free_rows, free_cols }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Silent;
    use crate::families;
    use crate::field::{Modulus, Rng};
    use crate::oracles::planted;
    use crate::report::Memory;
    use rand::SeedableRng;

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

    /// Where the Schur complement is cheap, pivots are looked for in it and not in the positions.
    #[test]
    fn a_long_search_ends_where_its_complement_is_formed_sooner() {
        let (rows, cols, rank) = (24_000, 21_000, 13_500);
        let a = planted(rows, cols, rank, &mut Rng::seed_from_u64(1));
        let all = pivots::find_best(&a, &Effort::default(), &Silent).unwrap().1.pivots.len();
        let found = super::super::rank(&a, &RankOptions::default(), &Silent).unwrap();
        assert_eq!(found.rank, rank);
        let first = found.path.iter().find(|step| step.name == "structural pivots").unwrap();
        assert!(first.rank.unwrap() < all, "{first:?}, {all} by a search to its end");
    }
}
