//! Standard error while the library works: progress bars on a terminal, notes and warnings everywhere, nothing if
//! quiet.

use crate::checkpoint::States;
use crate::{exit, signals};
use blackfield::Observer;
use blackfield::report::Keeper;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use std::fmt::Write;
use std::io::IsTerminal;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

/// The observer of the command line: one bar for the phase at work, cancelled by signals.
pub struct Bars {
    quiet: bool,
    drawn: bool,
    bar: Mutex<Option<ProgressBar>>,
    warnings: Mutex<Vec<String>>,
    states: OnceLock<States>,
}

impl Bars {
    /// Bars are drawn where standard error is a terminal; if `quiet`, nothing is written at all.
    pub fn new(quiet: bool) -> Bars {
        let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        let drawn = !quiet && !dumb && std::io::stderr().is_terminal();
        Bars { quiet, drawn, bar: Mutex::default(), warnings: Mutex::default(), states: OnceLock::new() }
    }

    /// Keeps the states of long steps here from now on.
    pub fn keep(&self, states: States) {
        // One command asks one question.
        let _ = self.states.set(states);
    }

    /// Removes these states: the answer is complete.
    pub fn forget(&self) {
        if let Some(states) = self.states.get() {
            states.remove();
        }
    }

    /// One line on standard error, above the bar.
    pub fn note(&self, line: &str) {
        if !self.quiet {
            match &*lock(&self.bar) {
                Some(bar) => bar.suspend(|| exit::complain(line)),
                None => exit::complain(line),
            }
        }
    }

    /// Takes the bar from the screen: the work it showed is over.
    pub fn clear(&self) {
        if let Some(bar) = lock(&self.bar).take() {
            bar.finish_and_clear();
        }
    }

    /// The warnings since the last call.
    pub fn take_warnings(&self) -> Vec<String> {
        std::mem::take(&mut lock(&self.warnings))
    }
}

/// A thread that panicked while it held the lock leaves a bar or a list of words in a good state.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Observer for Bars {
    fn phase(&self, name: &str, total: u64) {
        if self.drawn {
            self.clear();
            *lock(&self.bar) = Some(bar(name, total));
        }
    }
    fn progress(&self, done: u64) {
        if self.drawn
            && let Some(bar) = &*lock(&self.bar)
        {
            bar.set_position(done);
        }
    }
    fn warning(&self, message: &str) {
        self.note(&format!("blackfield: warning: {message}"));
        lock(&self.warnings).push(message.to_owned());
    }
    fn cancelled(&self) -> bool {
        signals::requested()
    }
    fn keeper(&self) -> Option<&dyn Keeper> {
        self.states.get().map(|states| states as &dyn Keeper)
    }
}

impl Drop for Bars {
    fn drop(&mut self) {
        self.clear();
    }
}

/// A bar with the phase's estimated time, or a spinner where the work is not known beforehand.
fn bar(name: &str, total: u64) -> ProgressBar {
    let template = match total {
        0 => "{spinner} {msg:24} {elapsed}",
        _ => "{spinner} {msg:24} [{bar:32}] {percent:>3} %  {elapsed}{left}",
    };
    let left = |state: &ProgressState, out: &mut dyn Write| {
        if let Some(left) = time_left(state.elapsed(), state.pos(), state.len().unwrap_or(0)) {
            // A formatter has nowhere to send an error; indicatif draws what there is.
            let _ = write!(out, ", at most {} left", indicatif::HumanDuration(left));
        }
    };
    let style = ProgressStyle::with_template(template).expect("a constant template").with_key("left", left);
    let bar = ProgressBar::with_draw_target((total > 0).then_some(total), ProgressDrawTarget::stderr_with_hz(8));
    bar.set_style(style.progress_chars("=> "));
    bar.set_message(name.to_owned());
    bar.enable_steady_tick(Duration::from_millis(250));
    bar
}

/// The time that the rest of a phase takes at the mean rate since it began; nothing before that rate means something
/// (one second and one hundredth of the work). A phase may end early, so this is an upper estimate.
fn time_left(elapsed: Duration, done: u64, total: u64) -> Option<Duration> {
    let known = elapsed >= Duration::from_secs(1) && done > 0 && done >= total / 100 && done <= total;
    known.then(|| elapsed.mul_f64((total - done) as f64 / done as f64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_left_is_the_mean_rate_and_silent_while_unknown() {
        let s = Duration::from_secs;
        assert_eq!(time_left(s(10), 50, 200), Some(s(30)));
        assert_eq!(time_left(s(10), 200, 200), Some(s(0)));
        assert_eq!(time_left(s(10), 0, 200), None, "no work done yet");
        assert_eq!(time_left(s(10), 1, 200), None, "less than one hundredth");
        assert_eq!(time_left(Duration::from_millis(900), 50, 200), None, "less than a second");
        assert_eq!(time_left(s(10), 201, 200), None, "more than announced");
        assert_eq!(time_left(s(10), 5, 0), None, "unknown total");
    }

    #[test]
    fn warnings_are_collected_once() {
        let bars = Bars::new(true);
        bars.warning("a field was extended");
        assert_eq!(bars.take_warnings(), ["a field was extended"]);
        assert!(bars.take_warnings().is_empty());
    }
}
