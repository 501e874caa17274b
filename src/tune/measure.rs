//! How a run is timed.

use crate::Result;
use crate::stopwatch::Stopwatch;
use std::time::Instant;

/// How long to measure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Effort {
    /// Small inputs, few runs: to see that everything works. What is measured means little.
    Quick,
    /// Inputs of the size that plans are made for, a third of the time: for measurements in rounds, which alternate.
    Round,
    /// Inputs of the size that plans are made for.
    Full,
}

impl Effort {
    /// One of two sizes.
    pub(super) fn pick<T>(self, quick: T, full: T) -> T {
        match self {
            Effort::Quick => quick,
            Effort::Round | Effort::Full => full,
        }
    }
    /// Seconds that a measurement goes on for.
    fn seconds(self) -> f64 {
        match self {
            Effort::Quick => 1e-3,
            Effort::Round => 0.1,
            Effort::Full => 0.3,
        }
    }
    /// Seconds between two looks at the clock, at least.
    fn grain(self) -> f64 {
        self.pick(1e-4, 2e-3)
    }
}

/// Seconds of one thread that a run takes, the least of several: the processor's, where other work shares the machine.
///
/// # Errors
/// Those of `run`.
pub(super) fn least(effort: Effort, mut run: impl FnMut() -> Result<()>) -> Result<f64> {
    let mut time = |runs: usize| -> Result<f64> {
        let watch = Stopwatch::start();
        (0..runs).try_for_each(|_| run())?;
        Ok(watch.seconds())
    };
    let (start, mut runs, mut first) = (Instant::now(), 1, time(1)?);
    while first < effort.grain() {
        runs *= 2;
        first = time(runs)?;
    }
    let mut best = first / runs as f64;
    while start.elapsed().as_secs_f64() < effort.seconds() {
        best = best.min(time(runs)? / runs as f64);
    }
    Ok(best)
}

/// Seconds by the clock that a run takes, the least of several: for work of all threads.
///
/// # Errors
/// Those of `run`.
pub(super) fn least_of(effort: Effort, mut run: impl FnMut() -> Result<()>) -> Result<f64> {
    let timed = || {
        let clock = Instant::now();
        run()?;
        Ok([clock.elapsed().as_secs_f64()])
    };
    least_of_parts(effort, timed).map(|[seconds]| seconds)
}

/// The least seconds of each part of a run, of several runs that tell them.
///
/// # Errors
/// Those of `run`.
pub(super) fn least_of_parts<const N: usize>(
    effort: Effort,
    mut run: impl FnMut() -> Result<[f64; N]>,
) -> Result<[f64; N]> {
    let start = Instant::now();
    // Never nothing, which a coarse clock may show: others divide by it.
    let mut best = run()?.map(|seconds| seconds.max(1e-9));
    while start.elapsed().as_secs_f64() < effort.seconds() {
        let seconds = run()?;
        best = std::array::from_fn(|k| best[k].min(seconds[k].max(1e-9)));
    }
    Ok(best)
}
