//! Standard error while the library works: progress bars on a terminal or lines of JSON, notes and warnings everywhere,
//! nothing if quiet.

mod agenda;
mod eta;
mod state;
mod units;

use crate::args::{CheckpointArgs, ProgressName};
use crate::checkpoint::States;
use crate::schema::Schema;
use crate::{dry_run, exit, signals};
use blackfield::report::{Ahead, Keeper};
use blackfield::{Forecast, Observer, Result};
use eta::{Part, Phase};
use indicatif::{HumanBytes, ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde::Serialize;
use state::{Expected, State};
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
        lock(&self.state).pause();
        if let Some(bar) = lock(&self.bar).take() {
            bar.finish_and_clear();
        }
    }

    /// What all after reading is predicted to take, once the header of a matrix tells its shape: for questions whose
    /// work follows from it.
    pub fn expect(&self, expected: Expected) {
        lock(&self.state).expect(expected);
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
        state.begin(name, total, Instant::now());
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
        lock(&self.state).part(what, number, of, Instant::now());
    }
    fn forecast(&self, forecast: &Forecast) {
        lock(&self.state).forecast(forecast, Instant::now());
        if !dry_run::take(forecast) && forecast.seconds >= LONG {
            self.note(&format!("plan: {}", dry_run::sentence(forecast)));
        }
    }
    fn ahead(&self, phases: &[Ahead]) {
        lock(&self.state).ahead(phases);
    }
    fn shape(&self, rows: u64, cols: u64, entries: u64) {
        lock(&self.state).shape(rows, cols, entries);
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
    let duration = |left: Duration| dry_run::duration(left.as_secs_f64());
    if let Some(left) = state.left(now) {
        text += &format!(", {} left", duration(left));
    } else if let Some(left) = state.phase_left(now) {
        text += &format!(", {} left of this phase", duration(left));
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
    phase_left: Option<f64>,
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
        phase_left: state.phase_left(now).map(|left| left.as_secs_f64()),
        left: state.left(now).map(|left| left.as_secs_f64()),
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
        let at = now + Duration::from_secs(20);
        let shown = |state: &State| message(state, state.phase.as_ref().unwrap(), at);
        let mut state = State::default();
        state.part("modulus", 1, 2, now);
        state.begin("sequence", 996, now);
        state.phase.as_mut().unwrap().progress(120, at);
        assert_eq!(shown(&state), "modulus 1 of 2: sequence, 12.05 %, 120 of 996 terms, about 5 min left");
        let mut state = State::default();
        state.begin("read", 3 << 20, now);
        assert_eq!(shown(&state), "read, 0.00 %, 0 B of 3.00 MiB");
        state.phase.as_mut().unwrap().progress(1 << 20, at);
        assert_eq!(shown(&state), "read, 33.33 %, 1.00 MiB of 3.00 MiB, about 40 s left of this phase");
        state.begin("co-degree", 0, now);
        assert_eq!(shown(&state), "co-degree");
        // What was predicted serves where no rate is known yet, and no longer than it is right.
        let mut state = State::default();
        state.part("modulus", 1, 2, now);
        let forecast = Forecast { name: "x", why: String::new(), seconds: 90.0, bytes: 0 };
        state.forecast(&forecast, now);
        state.begin("sequence", 996, now);
        let left = |seconds| state.left(now + Duration::from_secs(seconds)).map(|left| left.as_secs());
        assert_eq!((left(20), left(91)), (Some(160), None));
    }
}
