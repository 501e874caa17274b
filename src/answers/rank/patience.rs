//! A step that takes several times as long as predicted is reconsidered: at the price that it turned out to have, is it
//! still the best choice? If not, it is stopped and a new plan is made; if so, it continues, and is reconsidered when
//! it has again taken several times as long.
//!
//! A wrong price therefore costs a multiple of the predicted time rather than the actual time; and since each look
//! multiplies the price, two ways that are both more expensive than thought alternate a few times at most before one is
//! done.

use crate::report::{Ahead, Keeper};
use crate::stopwatch::Stopwatch;
use crate::{Forecast, Observer};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// How far a step may overrun its prediction before it is looked at again.
///
/// Seconds are those of one thread that has a core to itself, as predictions are. What was measured corrects the prices
/// for the rest of the computation where it is off by the factor or more, so that on a machine where the predictions
/// stand all plans are as they are elsewhere. A rank does not depend on any of this; the way to it, and with that
/// whether it is proven, may.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Patience {
    /// This many times its prediction; infinite: never.
    pub factor: f64,
    /// Steps shorter than this many seconds are not reconsidered.
    pub seconds: f64,
}

impl Default for Patience {
    fn default() -> Self {
        Patience { factor: 3.0, seconds: 0.5 }
    }
}

impl Patience {
    /// Never reconsiders a step, so that paths are reproducible.
    pub const ENDLESS: Patience = Patience { factor: f64::INFINITY, seconds: f64::INFINITY };

    /// Whether a step that is done was so far from its prediction that the prices are wrong.
    pub(super) fn refutes(self, predicted: f64, taken: f64) -> bool {
        predicted.max(taken) >= self.seconds && (taken >= self.factor * predicted || predicted >= self.factor * taken)
    }
    /// The seconds after which a step is looked at.
    pub(super) fn limit(self, predicted: f64) -> f64 {
        (self.factor * predicted).max(self.seconds)
    }
}

/// A prediction at the beginning of a step that is below this share of that at its end depends on how far the step is.
const DEPENDS: f64 = 0.9;

/// The observer of a step under way, which stops it where another way is better.
pub(super) struct Watch<'a> {
    observer: &'a dyn Observer,
    patience: Patience,
    stopwatch: Stopwatch,
    /// Seconds predicted for so much progress and what is done before more is reported.
    predicted: &'a (dyn Fn(u64) -> f64 + Sync),
    /// Seconds predicted for so much progress alone, which tell the share of the work that is done.
    spent: &'a (dyn Fn(u64) -> f64 + Sync),
    /// Whether another way is better if this step takes so many seconds for so much progress.
    otherwise: &'a (dyn Fn(u64, f64) -> bool + Sync),
    done: AtomicU64,
    /// Of the phase.
    total: AtomicU64,
    /// Times its prediction at which the step is looked at next.
    next: Mutex<f64>,
    stopped: AtomicBool,
    /// Whether another run made a part of the step.
    resumed: AtomicBool,
}

impl<'a> Watch<'a> {
    /// A step that begins now.
    pub fn new(
        observer: &'a dyn Observer,
        patience: Patience,
        predicted: &'a (dyn Fn(u64) -> f64 + Sync),
        otherwise: &'a (dyn Fn(u64, f64) -> bool + Sync),
    ) -> Self {
        Watch {
            observer,
            patience,
            stopwatch: Stopwatch::start(),
            predicted,
            spent: predicted,
            otherwise,
            done: AtomicU64::new(0),
            total: AtomicU64::new(0),
            next: Mutex::new(patience.factor),
            stopped: AtomicBool::new(false),
            resumed: AtomicBool::new(false),
        }
    }
    /// The same, where what is predicted of the work that is done differs from what its next report waits for.
    pub fn spending(self, spent: &'a (dyn Fn(u64) -> f64 + Sync)) -> Self {
        Watch { spent, ..self }
    }
    /// The share of the work that is done after `done` of `total` units, where predictions depend on these: by the
    /// seconds spent, which the next batch is no part of.
    fn share_of(&self, done: u64, total: u64) -> Option<f64> {
        // Predictions for less than all have a check at the end, which the bound does without.
        let [first, now, end] = [0, done, total.saturating_sub(1)].map(|done| (self.spent)(done));
        let share = || if done >= total { 1.0 } else { (now - first) / (end - first) };
        (first < DEPENDS * end).then(|| share().clamp(0.0, 1.0))
    }
    /// Whether the step went on from where another run was.
    pub fn is_resumed(&self) -> bool {
        self.resumed.load(Ordering::Relaxed)
    }
    /// How far the step had come if it was stopped for a better way: then its error says no more than this.
    pub fn stopped(&self) -> Option<u64> {
        self.stopped.load(Ordering::Relaxed).then(|| self.done.load(Ordering::Relaxed))
    }
    /// Whether the step is to be stopped after `seconds`.
    fn overruns(&self, seconds: f64) -> bool {
        let done = self.done.load(Ordering::Relaxed);
        let predicted = (self.predicted)(done);
        // Another thread is looking.
        let Ok(mut next) = self.next.try_lock() else { return false };
        if seconds < *next * predicted {
            return false;
        }
        *next = self.patience.factor * seconds / predicted;
        (self.otherwise)(done, seconds)
    }
}

impl Observer for Watch<'_> {
    fn phase(&self, name: &str, total: u64) {
        self.total.store(total, Ordering::Relaxed);
        self.observer.phase(name, total);
    }
    fn progress(&self, done: u64) {
        self.done.store(done, Ordering::Relaxed);
        if let Some(share) = self.share_of(done, self.total.load(Ordering::Relaxed)) {
            self.observer.share(share);
        }
        self.observer.progress(done);
    }
    fn restored(&self, done: u64) {
        self.resumed.store(true, Ordering::Relaxed);
        self.observer.restored(done);
    }
    fn share(&self, done: f64) {
        self.observer.share(done);
    }
    fn part(&self, what: &str, number: u64, of: u64) {
        self.observer.part(what, number, of);
    }
    fn forecast(&self, forecast: &Forecast) {
        self.observer.forecast(forecast);
    }
    fn ahead(&self, phases: &[Ahead]) {
        self.observer.ahead(phases);
    }
    fn warning(&self, message: &str) {
        self.observer.warning(message);
    }
    fn keeper(&self) -> Option<&dyn Keeper> {
        self.observer.keeper()
    }
    fn cancelled(&self) -> bool {
        if self.observer.cancelled() || self.stopped.load(Ordering::Relaxed) {
            return true;
        }
        let stop = self.stopwatch.reaches(self.patience.seconds) && self.overruns(self.stopwatch.seconds());
        if stop {
            self.stopped.store(true, Ordering::Relaxed);
        }
        stop
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Error, Silent};

    #[test]
    fn a_step_is_looked_at_when_it_has_taken_thrice_as_long() {
        let patience = Patience { factor: 3.0, seconds: 0.5 };
        let looks = Mutex::new(vec![]);
        // A second for each unit.
        let predicted = |done: u64| done as f64;
        let otherwise = |done: u64, seconds: f64| {
            looks.lock().unwrap().push((done, seconds));
            seconds >= 100.0
        };
        let watch = Watch::new(&Silent, patience, &predicted, &otherwise);
        watch.progress(2);
        for seconds in [5.9, 6.0, 6.1, 17.9, 18.0] {
            assert!(!watch.overruns(seconds));
        }
        // Progress is taken into account.
        watch.progress(10);
        assert!(!watch.overruns(269.0) && watch.overruns(270.0));
        assert_eq!(*looks.lock().unwrap(), [(2, 6.0), (2, 18.0), (10, 270.0)]);
        assert!(!watch.cancelled() && watch.stopped().is_none());
        assert!(!watch.is_resumed());
        watch.restored(3);
        assert!(watch.is_resumed());
    }

    #[test]
    fn what_stops_is_a_better_way_or_the_user() {
        struct Stop;
        impl Observer for Stop {
            fn cancelled(&self) -> bool {
                true
            }
        }
        let at_once = Patience { factor: 1.0, seconds: 0.0 };
        let predicted = |_: u64| 0.0;
        for (better, patience) in [(true, at_once), (false, at_once), (true, Patience::ENDLESS)] {
            let otherwise = |_: u64, _: f64| better;
            let watch = Watch::new(&Silent, patience, &predicted, &otherwise);
            watch.progress(7);
            let stops = better && patience == at_once;
            assert_eq!(matches!(watch.check(), Err(Error::Interrupted)), stops);
            assert_eq!(watch.stopped(), stops.then_some(7));
            let watch = Watch::new(&Stop, patience, &predicted, &otherwise);
            assert!(watch.check().is_err() && watch.stopped().is_none());
        }
    }

    /// A panel of 256 rows of 1000 is under way at any moment: it is not done before it is reported.
    #[test]
    fn shares_are_those_of_the_work_that_is_done() {
        let spent = |done: u64| (done as f64).powi(3);
        let predicted = |done: u64| spent((done + 256).min(1000));
        let otherwise = |_: u64, _: f64| false;
        let watch = Watch::new(&Silent, Patience::default(), &predicted, &otherwise).spending(&spent);
        for done in [0, 256, 512, 768] {
            let share = watch.share_of(done, 1000).unwrap();
            assert!((share - spent(done) / spent(999)).abs() < 1e-12, "{done}: {share}");
        }
        assert_eq!(watch.share_of(1000, 1000), Some(1.0));
        // What is predicted until the next report is no more than a part of it ahead.
        let coarse = Watch::new(&Silent, Patience::default(), &predicted, &otherwise);
        assert!(coarse.share_of(768, 1000).unwrap() > 0.99);
        // Where progress says nothing about the work, no share is told.
        let constant = |_: u64| 7.0;
        let flat = Watch::new(&Silent, Patience::default(), &constant, &otherwise);
        assert_eq!(flat.share_of(5, 10), None);
    }

    #[test]
    fn predictions_within_the_factor_stand() {
        let patience = Patience::default();
        for (predicted, taken) in [(1.0, 2.9), (2.9, 1.0), (0.0, 0.4), (0.4, 0.0), (0.0, 0.0)] {
            assert!(!patience.refutes(predicted, taken), "{predicted} {taken}");
        }
        for (predicted, taken) in [(1.0, 3.0), (3.0, 1.0), (0.0, 0.5), (0.5, 0.1)] {
            assert!(patience.refutes(predicted, taken), "{predicted} {taken}");
        }
        assert!(!Patience::ENDLESS.refutes(1e-9, 1e9));
    }
}
