//! A step of a computation: watched while it is under way, kept with what was predicted of it, and learnt from.

use super::outlook::Outlook;
use super::patience::Watch;
use super::planner::Finish;
use super::work::Work;
use super::{Machine, Phases};
use crate::stopwatch::Stopwatch;
use crate::{Error, Observer, Result, Step};

/// A step as it was decided upon.
pub(super) struct Plan<'a> {
    pub outlook: Outlook<'a>,
    pub finish: Finish,
    /// What was known of the rank.
    pub larger: Option<usize>,
}

/// What a step took.
#[derive(Clone, Copy, Debug)]
pub(super) struct Taken {
    /// Seconds of one thread.
    pub work: f64,
    /// Seconds by the clock.
    pub seconds: f64,
}

impl Taken {
    pub fn by(stopwatch: &Stopwatch) -> Self {
        Taken { work: stopwatch.seconds(), seconds: stopwatch.elapsed() }
    }
}

/// What a step came to.
pub(super) enum Done<T> {
    Whole(T),
    /// Given up at the rank `than`, which is `seen` to be large or not; whether the memory of a GPU was `full` then.
    Part {
        than: usize,
        seen: bool,
        full: bool,
    },
}

impl Work<'_> {
    /// Makes a step that is predicted to take `seconds`, until what follows so much progress is done, unless it takes
    /// so long that the plan would be another now; and the seconds that it took. That much progress alone takes
    /// `spent`.
    pub fn watched<T>(
        &mut self,
        name: &'static str,
        now: &Plan<'_>,
        seconds: impl Fn(&Machine, usize) -> f64 + Sync,
        spent: impl Fn(&Machine, usize) -> f64 + Sync,
        step: impl FnOnce(&mut Phases, &dyn Observer) -> Result<T>,
    ) -> Result<(Done<T>, Taken)> {
        let Plan { outlook, finish, larger } = now;
        let machine = &self.machine;
        let predicted = |done: u64| seconds(machine, done as usize);
        let otherwise = |done: u64, taken| {
            let corrected = machine.corrected(|machine| seconds(machine, done as usize), taken);
            outlook.differs(&corrected, *finish, *larger, done as usize)
        };
        let stopwatch = Stopwatch::start();
        let spent = |done: u64| spent(machine, done as usize);
        let watch = Watch::new(self.observer, self.options.patience, &predicted, &otherwise).spending(&spent);
        let result = step(self.phases, &watch);
        let (taken, stopped) = (Taken::by(&stopwatch), watch.stopped());
        self.was_elsewhere |= watch.is_resumed();
        match (result, stopped) {
            (Err(Error::Interrupted), Some(done)) => {
                // Wherever it was made: at the same prices the same plan would be made, and stopped, again.
                self.was_elsewhere = false;
                let expected = predicted(done);
                let found = "stopped: the plan is made anew".to_string();
                let why = format!("it took {:.1} times as long as predicted", taken.work / expected);
                self.step(name, found, &why, 0, |machine| seconds(machine, done as usize), taken);
                let seen = larger.is_some() || outlook.is_beyond_hope(&self.machine, done as usize);
                Ok((Done::Part { than: done as usize, seen, full: false }, taken))
            }
            (result, _) => Ok((Done::Whole(result?), taken)),
        }
    }

    /// Keeps a step in the path, and learns from what it took.
    pub fn step(
        &mut self,
        name: &'static str,
        found: String,
        why: &str,
        rank: usize,
        predicted: impl Fn(&Machine) -> f64,
        Taken { work, seconds }: Taken,
    ) {
        let expected = predicted(&self.machine);
        let (why, rank) = (why.to_string(), Some(rank));
        self.path.push(Step { name, found, why, rank, predicted: Some(expected), seconds });
        // What a GPU took says nothing of the processor's prices, nor does a part of a step.
        if !std::mem::take(&mut self.was_elsewhere) && self.options.patience.refutes(expected, work) {
            self.machine = self.machine.corrected(predicted, work);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Method, Patience, RankOptions, rank, rank_owned};
    use super::*;
    use crate::certify::Certainty;
    use crate::cost::Kind;
    use crate::field::{Modulus, Rng};
    use crate::oracles::dense_rank;
    use crate::sparse::SparseMatrix;
    use crate::{Silent, families};
    use rand::{RngExt, SeedableRng};
    use std::collections::{BTreeMap, BTreeSet};
    use std::sync::atomic::{AtomicBool, Ordering};

    /// Machines whose prices are wrong by a factor of a million for each choice of kinds.
    fn wrong() -> Vec<Machine> {
        let kinds = [Kind::Passes, Kind::Dense, Kind::Sparse];
        let choices = (0..27usize).map(|choice| {
            let digits = [choice % 3, choice / 3 % 3, choice / 9];
            let factors = digits.map(|digit| [1.0, 1e-6, 1e6][digit]);
            kinds.into_iter().zip(factors).fold(Machine::default(), |machine, (kind, by)| machine.scaled(kind, by))
        });
        choices.collect()
    }

    fn matrices(p: Modulus, rng: &mut Rng) -> Vec<SparseMatrix> {
        let mut random = |rows: usize, cols: usize, weight: usize| {
            let entry = |k| (k / weight, rng.random_range(0..cols), rng.random_range(1..p.get()));
            SparseMatrix::from_triplets(p, rows, cols, &(0..rows * weight).map(entry).collect::<Vec<_>>())
        };
        let named = |name: &str| families::generate(name).unwrap().reduce(p);
        // Tall, square with a large rest, dense, and one of a small complement.
        vec![random(1500, 80, 3), random(330, 330, 4), random(90, 90, 60), named("mk8-b2")]
    }

    /// Whatever steps are stopped for wrong prices: the rank, its proof and its minor.
    #[test]
    fn wrong_prices_change_the_way_and_not_the_rank() {
        let mut rng = Rng::seed_from_u64(77);
        let mut stopped = BTreeMap::new();
        for p in [2, 65521, (1 << 61) - 1].map(|p| Modulus::new(p).unwrap()) {
            for a in matrices(p, &mut rng) {
                let expected = dense_rank(&a);
                for machine in wrong() {
                    for (method, proven, minor) in [
                        (Method::Auto, false, false),
                        (Method::Auto, true, false),
                        (Method::Elimination, false, false),
                        (Method::Auto, false, true),
                    ] {
                        let patience = Patience { factor: 3.0, seconds: 0.0 };
                        let machine = machine.clone();
                        let options = RankOptions { method, proven, minor, machine, patience, ..Default::default() };
                        let answer = rank_owned(a.clone(), &options, &Silent).unwrap();
                        assert_eq!(answer.rank, expected, "mod {p}: {:?}", answer.path);
                        assert_eq!(answer.path.iter().filter_map(|step| step.rank).sum::<usize>(), expected);
                        assert!(!proven || answer.certainty == Certainty::Proven, "{:?}", answer.path);
                        assert!(!minor || answer.minor.is_some_and(|minor| minor.rows.len() == expected));
                        for step in answer.path {
                            if step.found.starts_with("stopped") || step.found.starts_with("given up") {
                                *stopped.entry(step.name).or_insert(0) += 1;
                            }
                        }
                    }
                }
            }
        }
        for name in ["dense elimination", "Schur complement"] {
            assert!(stopped.contains_key(name), "{name} was never stopped: {stopped:?}");
        }
    }

    /// The same where row spaces take a millisecond of the processor whenever they ask whether to go on.
    #[test]
    fn slow_passes_are_stopped_and_the_rank_is_found() {
        #[derive(Default)]
        struct Slow(AtomicBool);
        impl Observer for Slow {
            fn phase(&self, name: &str, _total: u64) {
                self.0.store(name == "row space", Ordering::Relaxed);
            }
            fn cancelled(&self) -> bool {
                let watch = Stopwatch::start();
                while self.0.load(Ordering::Relaxed) && !watch.reaches(1e-3) {
                    std::hint::spin_loop();
                }
                false
            }
        }
        let (mut rng, p) = (Rng::seed_from_u64(79), Modulus::new(65521).unwrap());
        let mut stopped = BTreeSet::new();
        for a in matrices(p, &mut rng) {
            let expected = dense_rank(&a);
            for machine in wrong() {
                let patience = Patience { factor: 3.0, seconds: 0.0 };
                let options = RankOptions { machine, patience, ..Default::default() };
                let answer = rank(&a, &options, &Slow::default()).unwrap();
                assert_eq!(answer.rank, expected, "{:?}", answer.path);
                let steps = answer.path.iter().filter(|step| step.found.starts_with("stopped"));
                stopped.extend(steps.map(|step| step.name));
            }
        }
        assert!(stopped.contains("row space"), "{stopped:?}");
    }

    /// Without patience for anything else, plans are the same twice.
    #[test]
    fn endless_patience_makes_one_path() {
        let mut rng = Rng::seed_from_u64(78);
        for a in matrices(Modulus::new(65521).unwrap(), &mut rng) {
            for machine in wrong() {
                let options = RankOptions { machine, patience: Patience::ENDLESS, ..Default::default() };
                let path = || -> Vec<_> {
                    let answer = rank(&a, &options, &Silent).unwrap();
                    answer.path.into_iter().map(|step| (step.name, step.found)).collect()
                };
                let first = path();
                assert_eq!(first, path());
                assert!(!first.iter().any(|(_, found)| found.starts_with("stopped")), "{first:?}");
            }
        }
    }
}
