//! The best of several runs, and what it says.

use blackfield::tune::Effort;
use blackfield::{Error, Observer, Result};
use serde::Serialize;
use std::time::Instant;

/// One line of the bench.
#[derive(Serialize)]
pub struct Timing {
    pub group: &'static str,
    pub name: String,
    /// By the clock, of the best run.
    pub seconds: f64,
    /// In units.
    pub work: f64,
    pub unit: &'static str,
    /// Units a second.
    pub rate: f64,
    /// Predicted seconds of one thread.
    pub predicted: Option<f64>,
    /// The rate that each thread should reach.
    pub goal: Option<f64>,
}

impl Timing {
    /// The headings of the lines.
    pub fn head() -> String {
        format!("{:12} {:54} {:>11} {:>14}  {}\n", "group", "what", "seconds", "rate", "unit a second")
    }

    /// For people.
    pub fn line(&self) -> String {
        let Timing { group, name, seconds, rate, unit, predicted, goal, .. } = self;
        let predicted = predicted.map_or(String::new(), |s| format!("; predicted {s:.6} s of one thread"));
        let goal = goal.map_or(String::new(), |goal| format!("; goal {:.0} M by each thread", goal / 1e6));
        // Few terms a second are no millions.
        let (rate, million) = if *rate < 1e5 { (*rate, ' ') } else { (rate / 1e6, 'M') };
        format!("{group:12} {name:54} {seconds:>11.6} {rate:>12.1} {million}  {unit}{predicted}{goal}\n")
    }
}

/// What was timed so far.
pub struct Clock<'a> {
    pub effort: Effort,
    pub observer: &'a dyn Observer,
    pub timings: Vec<Timing>,
}

/// Passes on requests to stop, not the progress of what is timed.
#[derive(Clone, Copy)]
pub struct Stops<'a>(&'a dyn Observer);

impl Observer for Stops<'_> {
    fn cancelled(&self) -> bool {
        self.0.cancelled()
    }
}

/// What a run is for.
pub struct Run {
    pub group: &'static str,
    pub name: String,
    pub work: f64,
    pub unit: &'static str,
    pub predicted: Option<f64>,
    pub goal: Option<f64>,
}

impl<'a> Clock<'a> {
    pub fn new(effort: Effort, observer: &'a dyn Observer) -> Self {
        Clock { effort, observer, timings: vec![] }
    }

    /// For what is timed.
    pub fn stops(&self) -> Stops<'a> {
        Stops(self.observer)
    }

    /// One of two sizes.
    pub fn pick<T>(&self, quick: T, full: T) -> T {
        if self.effort == Effort::Quick { quick } else { full }
    }

    /// Times `make`, which leaves its answer in the state, where `is_right` judges it each time.
    ///
    /// # Errors
    /// Those of both; [`Error::Check`] for a wrong answer.
    pub fn time<S>(
        &mut self,
        run: Run,
        state: S,
        make: impl FnMut(&mut S) -> Result<()>,
        is_right: impl FnMut(&S) -> Result<bool>,
    ) -> Result<()> {
        self.time_prepared(run, state, |_| Ok(()), make, is_right)
    }
    /// The same; before each run, `prepare` makes the state ready, which is not timed.
    ///
    /// # Errors
    /// As [`Clock::time`], and those of `prepare`.
    pub fn time_prepared<S>(
        &mut self,
        run: Run,
        mut state: S,
        mut prepare: impl FnMut(&mut S) -> Result<()>,
        mut make: impl FnMut(&mut S) -> Result<()>,
        mut is_right: impl FnMut(&S) -> Result<bool>,
    ) -> Result<()> {
        let Run { group, name, work, unit, predicted, goal } = run;
        let (start, least, enough) = (Instant::now(), self.pick(1, 3), self.pick(0.0, 0.5));
        let (mut best, mut runs) = (f64::INFINITY, 0);
        while runs < least || start.elapsed().as_secs_f64() < enough {
            self.observer.check()?;
            prepare(&mut state)?;
            let clock = Instant::now();
            make(&mut state)?;
            best = best.min(clock.elapsed().as_secs_f64().max(1e-9));
            runs += 1;
            if !is_right(&state)? {
                return Err(Error::Check(format!("a wrong answer of {group}: {name}")));
            }
        }
        self.push(Timing { group, name, seconds: best, work, unit, rate: work / best, predicted, goal });
        Ok(())
    }

    /// What was timed elsewhere: so many seconds for so much work.
    ///
    /// # Errors
    /// [`Error::Interrupted`], if that is asked for.
    pub fn add(
        &mut self,
        group: &'static str,
        name: String,
        seconds: f64,
        (work, unit): (f64, &'static str),
    ) -> Result<()> {
        self.push(Timing { group, name, seconds, work, unit, rate: work / seconds, predicted: None, goal: None });
        self.observer.check()
    }

    fn push(&mut self, timing: Timing) {
        self.timings.push(timing);
        self.observer.progress(self.timings.len() as u64);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use blackfield::Silent;

    fn run() -> Run {
        Run { group: "g", name: "n".into(), work: 10.0, unit: "bytes", predicted: None, goal: None }
    }

    /// Asks to stop once so many lines are there.
    struct After(std::sync::atomic::AtomicU64, u64);

    impl Observer for After {
        fn progress(&self, done: u64) {
            self.0.store(done, std::sync::atomic::Ordering::Relaxed);
        }
        fn cancelled(&self) -> bool {
            self.0.load(std::sync::atomic::Ordering::Relaxed) >= self.1
        }
    }

    #[test]
    fn a_request_to_stop_ends_the_bench_after_a_line() {
        let after = After(0.into(), 2);
        let mut clock = Clock::new(Effort::Full, &after);
        assert!(clock.stops().check().is_ok());
        clock.add("g", "elsewhere".into(), 2.0, (10.0, "bytes")).unwrap();
        assert_eq!(clock.timings[0].rate, 5.0);
        assert!(matches!(clock.add("g", "again".into(), 1.0, (1.0, "bytes")), Err(Error::Interrupted)));
        assert!(matches!(clock.stops().check(), Err(Error::Interrupted)));
        let never = |_: &mut ()| panic!("no run begins after that");
        assert!(matches!(clock.time(run(), (), never, |_| Ok(true)), Err(Error::Interrupted)));
    }

    #[test]
    fn a_wrong_answer_ends_the_bench() {
        let mut clock = Clock::new(Effort::Quick, &Silent);
        let count = |state: &mut u32| {
            *state += 1;
            Ok(())
        };
        clock.time(run(), 6, count, |&answer| Ok(answer == 7)).unwrap();
        assert!(clock.timings[0].rate > 0.0 && clock.timings.len() == 1);
        let again = |state: &mut u32| {
            *state = 6;
            Ok(())
        };
        let mut more = Clock::new(Effort::Round, &Silent);
        more.time_prepared(run(), 9, again, count, |&answer| Ok(answer == 7)).unwrap();
        let refused = clock.time(run(), 7, count, |&answer| Ok(answer == 7)).unwrap_err();
        assert!(matches!(refused, Error::Check(_)), "{refused}");
        assert_eq!(clock.timings.len(), 1);
    }
}
