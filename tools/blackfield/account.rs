//! What is told about an answer on standard error: how it was found, why so, how certain it is. `--quiet` leaves it
//! out, unless `--explain` asks for it.

use crate::exit;
use crate::progress::Bars;
use blackfield::Step;
use blackfield::report::Phases;
use blackfield::words::counted;
use std::collections::BTreeMap;

/// The account of one answer.
pub struct Account<'a> {
    told: bool,
    /// Whether the steps are told as well.
    pub explain: bool,
    bars: &'a Bars,
}

impl<'a> Account<'a> {
    pub fn new(explain: bool, quiet: bool, bars: &'a Bars) -> Self {
        Account { told: explain || !quiet, explain, bars }
    }

    /// One line.
    pub fn line(&self, line: &str) {
        if self.told {
            self.bars.clear();
            exit::complain(line);
        }
    }

    /// Seconds in all and of each phase; those of all processors in parentheses if they are to be explained.
    pub fn time(&self, seconds: f64, phases: &Phases, threads: usize) -> String {
        let processor: BTreeMap<_, _> = phases.processor().filter(|_| self.explain).collect();
        let parts: Vec<_> = phases
            .iter()
            .map(|(name, seconds)| match processor.get(name) {
                Some(processor) => format!("{name} {seconds:.3} ({processor:.3})"),
                None => format!("{name} {seconds:.3}"),
            })
            .collect();
        let note = if processor.is_empty() { "" } else { " (of all processors)" };
        format!("{seconds:.3} = {} on {}{note}", parts.join(" + "), counted(threads, "thread"))
    }

    /// The steps that led to the answer, if they are to be explained, one line each.
    pub fn path(&self, path: &[Step]) {
        for (k, Step { name, found, why, predicted, seconds, .. }) in path.iter().enumerate().filter(|_| self.explain) {
            let why = if why.is_empty() { String::new() } else { format!(" ({why})") };
            let predicted = predicted.map_or(String::new(), |s| format!(", {s:.3} s predicted"));
            self.line(&format!("  step {:<3} {name}: {found}{why}; {seconds:.3} s{predicted}", k + 1));
        }
    }
}
