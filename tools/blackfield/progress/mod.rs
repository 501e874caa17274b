//! Standard error while the library works: progress bars on a terminal or lines of JSON, notes and warnings everywhere,
//! nothing if quiet.

mod eta;
mod units;

use crate::args::{CheckpointArgs, ProgressName};
use crate::checkpoint::States;
use crate::schema::Schema;
use crate::{dry_run, exit, signals};
use blackfield::report::Keeper;
use blackfield::{Forecast, Observer, Result};
use eta::{Part, Phase, Predicted};
use indicatif::{HumanBytes, ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde::Serialize;
use std::io::IsTerminal;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

/// A step that is predicted to take so many seconds is announced.
const LONG: f64 = 5.0;
/// Lines of JSON come no faster than this.
const PACE: Duration = Duration::from_millis(200);
/// What is said of an answer that another run has begun.
const RESUMED: &str = "; parts from a checkpoint, whose checksum matches";
/// Positions of a bar.
const POSITIONS: u64 = 10_000;

/// The observer of the command line: one bar for the phase at work, cancelled by signals.
pub struct Bars {
    quiet: bool,
    shown: Shown,
    start: Instant,
    state: Mutex<State>,
    bar: Mutex<Option<ProgressBar>>,
    warnings: Mutex<Vec<String>>,
    states: OnceLock<States>,
}

/// In which form progress is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shown {
    Nothing,
    Bar,
    Json,
}

/// What is known of the work.
#[derive(Default)]
struct State {
    phase: Option<Phase>,
    parts: Vec<Part>,
    predicted: Option<Predicted>,
    /// When the last line of JSON was written.
    told: Option<Instant>,
}

impl Bars {
    /// If `quiet`, nothing is written but lines of JSON that are asked for.
    pub fn new(quiet: bool, wished: ProgressName) -> Bars {
        let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        let shown = match wished {
            ProgressName::Json => Shown::Json,
            ProgressName::Auto if !quiet && !dumb && std::io::stderr().is_terminal() => Shown::Bar,
            ProgressName::Auto | ProgressName::Never => Shown::Nothing,
        };
        let (state, start) = (Mutex::default(), Instant::now());
        Bars { quiet, shown, start, state, bar: Mutex::default(), warnings: Mutex::default(), states: OnceLock::new() }
    }

    /// Keeps the states of long steps from now on, if that is asked for: of the question `asked` about what has this
    /// digest.
    pub fn keep(&self, args: &CheckpointArgs, digest: impl FnOnce() -> String, asked: String) -> Result<()> {
        if args.checkpoint.is_none() || dry_run::is_asked() {
            return Ok(());
        }
        if let Some(states) = self.states.get() {
            return states.ask(digest(), asked, self);
        }
        if let Some(states) = States::open(args, digest, asked, self)? {
            let _ = self.states.set(states);
        }
        Ok(())
    }

    /// What is added to the reason of an answer that rests on states of another run.
    pub fn resumed_words(&self) -> &'static str {
        if self.states.get().is_some_and(States::resumed) { RESUMED } else { "" }
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
        let mut state = lock(&self.state);
        (state.phase, state.predicted) = (None, None);
        drop(state);
        if let Some(bar) = lock(&self.bar).take() {
            bar.finish_and_clear();
        }
    }

    /// The warnings since the last call.
    pub fn take_warnings(&self) -> Vec<String> {
        std::mem::take(&mut lock(&self.warnings))
    }

    /// Shows how far the phase is; in JSON now and then, or if it is `due`.
    fn show(&self, state: &mut State, due: bool) {
        let now = Instant::now();
        let Some(phase) = &state.phase else { return };
        match self.shown {
            Shown::Nothing => {}
            Shown::Bar => {
                if let Some(bar) = &*lock(&self.bar) {
                    bar.set_message(message(state, phase, now));
                    phase.fraction().inspect(|share| bar.set_position((share * POSITIONS as f64) as u64));
                }
            }
            Shown::Json if due || state.told.is_none_or(|told| now - told >= PACE) => {
                exit::complain(&line(state, phase, self.start, now));
                state.told = Some(now);
            }
            Shown::Json => {}
        }
    }
}

/// A thread that panicked while it held the lock leaves a bar or a list of words in a good state.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Observer for Bars {
    fn phase(&self, name: &str, total: u64) {
        if self.shown == Shown::Nothing {
            return;
        }
        if self.shown == Shown::Bar
            && let Some(bar) = lock(&self.bar).replace(bar(total))
        {
            bar.finish_and_clear();
        }
        let mut state = lock(&self.state);
        state.phase = Some(Phase::new(name, total, Instant::now()));
        self.show(&mut state, true);
    }
    fn restored(&self, done: u64) {
        let mut state = lock(&self.state);
        if let Some(phase) = &mut state.phase {
            phase.restore(done);
        }
        self.show(&mut state, true);
    }
    fn share(&self, done: f64) {
        if let Some(phase) = &mut lock(&self.state).phase {
            phase.set_share(done);
        }
    }
    fn progress(&self, done: u64) {
        if self.shown != Shown::Nothing {
            let mut state = lock(&self.state);
            if let Some(phase) = &mut state.phase {
                phase.progress(done, Instant::now());
            }
            self.show(&mut state, false);
        }
    }
    fn part(&self, what: &str, number: u64, of: u64) {
        let mut state = lock(&self.state);
        // Parts of the one before are over.
        let (place, now) = (state.parts.iter().position(|part| part.what == what), Instant::now());
        let part = match place.map(|place| &state.parts[place]) {
            Some(before) if before.number + 1 == number => before.next(number, of, now),
            _ => Part::new(what, number, of, now),
        };
        state.parts.truncate(place.unwrap_or(usize::MAX));
        state.parts.push(part);
        state.phase = None;
    }
    fn forecast(&self, forecast: &Forecast) {
        lock(&self.state).predicted = Some(Predicted { seconds: forecast.seconds, since: Instant::now() });
        if !dry_run::take(forecast) && forecast.seconds >= LONG {
            self.note(&format!("plan: {}", dry_run::sentence(forecast)));
        }
    }
    fn plans_only(&self) -> bool {
        dry_run::is_asked()
    }
    fn warning(&self, message: &str) {
        self.note(&format!("blackfield: warning: {message}"));
        lock(&self.warnings).push(message.to_owned());
    }
    fn cancelled(&self) -> bool {
        signals::requested() || dry_run::is_done()
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

impl State {
    /// What is left of the work, as far as that is known: by the rate of the phase, or else by what was predicted.
    fn left(&self, phase: &Phase, now: Instant) -> Option<Duration> {
        let left = phase.left(now).or_else(|| self.predicted.and_then(|predicted| predicted.left(now)));
        self.parts.iter().rev().fold(left, |left, part| part.left(left, now))
    }
}

/// A bar, or a spinner where the work is not known beforehand.
fn bar(total: u64) -> ProgressBar {
    let template = match total {
        0 => "{spinner} {elapsed} {wide_msg}",
        _ => "[{bar:32}] {elapsed} {wide_msg}",
    };
    let style = ProgressStyle::with_template(template).expect("a constant template");
    let bar = ProgressBar::with_draw_target((total > 0).then_some(POSITIONS), ProgressDrawTarget::stderr_with_hz(8));
    bar.set_style(style.progress_chars("=> "));
    bar.enable_steady_tick(Duration::from_millis(250));
    bar
}

/// `modulus 1 of 2: sequence, 12.05 %, 120 of 996 terms, about 3 minutes left`.
fn message(state: &State, phase: &Phase, now: Instant) -> String {
    let mut text = String::new();
    for Part { what, number, of, .. } in &state.parts {
        text += &format!("{what} {number} of {of}: ");
    }
    text += &phase.name;
    if let Some(share) = phase.fraction() {
        // Hours of work still move a bar with two more digits.
        text += &format!(", {:.2} %", 100.0 * share);
    }
    let unit = units::unit(&phase.name);
    if !unit.is_empty() && (phase.total > 0 || phase.done > 0) {
        let shown = |count: u64| if unit == "bytes" { HumanBytes(count).to_string() } else { format!("{count}") };
        let of = if phase.total > 0 { format!(" of {}", shown(phase.total)) } else { String::new() };
        let unit = if unit == "bytes" { "" } else { unit };
        text += format!(", {}{of} {unit}", shown(phase.done)).trim_end();
    }
    if let Some(left) = state.left(phase, now) {
        text += &format!(", {} left", dry_run::duration(left.as_secs_f64()));
    }
    text
}

/// One line of `--progress json`.
#[derive(Serialize)]
struct Line<'a> {
    schema: Schema,
    phase: &'a str,
    unit: &'static str,
    done: u64,
    total: Option<u64>,
    share: Option<f64>,
    parts: Vec<(&'a str, u64, u64)>,
    phase_seconds: f64,
    seconds: f64,
    left: Option<f64>,
}

fn line(state: &State, phase: &Phase, start: Instant, now: Instant) -> String {
    let line = Line {
        schema: Schema::Progress,
        phase: &phase.name,
        unit: units::unit(&phase.name),
        done: phase.done,
        total: (phase.total > 0).then_some(phase.total),
        share: phase.fraction(),
        parts: state.parts.iter().map(|part| (part.what.as_str(), part.number, part.of)).collect(),
        phase_seconds: phase.elapsed(now).as_secs_f64(),
        seconds: (now - start).as_secs_f64(),
        left: state.left(phase, now).map(|left| left.as_secs_f64()),
    };
    serde_json::to_string(&line).expect("words and numbers")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn warnings_are_collected_once() {
        let bars = Bars::new(true, ProgressName::Auto);
        bars.warning("a field was extended");
        assert_eq!(bars.take_warnings(), ["a field was extended"]);
        assert!(bars.take_warnings().is_empty());
    }

    #[test]
    fn a_bar_says_what_it_counts_and_of_which_part() {
        let now = Instant::now();
        let mut state = State::default();
        let mut phase = Phase::new("sequence", 996, now);
        phase.progress(120, now + Duration::from_secs(20));
        state.parts = vec![Part::new("modulus", 1, 2, now)];
        let at = now + Duration::from_secs(20);
        let text = "modulus 1 of 2: sequence, 12.05 %, 120 of 996 terms, about 5 min left";
        assert_eq!(message(&state, &phase, at), text);
        let read = Phase::new("read", 3 << 20, now);
        assert_eq!(message(&State::default(), &read, at), "read, 0.00 %, 0 B of 3.00 MiB");
        assert_eq!(message(&State::default(), &Phase::new("co-degree", 0, now), at), "co-degree");
        // What was predicted serves where no rate is known yet, and no longer than it is right.
        state.predicted = Some(Predicted { seconds: 90.0, since: now });
        let early = Phase::new("sequence", 996, now);
        let left = |seconds| state.left(&early, now + Duration::from_secs(seconds)).map(|left| left.as_secs());
        assert_eq!((left(20), left(91)), (Some(160), None));
    }

    #[test]
    fn a_new_part_ends_those_inside_the_one_before() {
        let bars = Bars::new(true, ProgressName::Never);
        bars.part("file", 1, 2);
        bars.part("modulus", 1, 3);
        bars.part("modulus", 2, 3);
        let shown = || lock(&bars.state).parts.iter().map(|p| (p.what.clone(), p.number)).collect::<Vec<_>>();
        assert_eq!(shown(), [("file".into(), 1), ("modulus".into(), 2)]);
        bars.part("file", 2, 2);
        assert_eq!(shown(), [("file".into(), 2)]);
    }
}
