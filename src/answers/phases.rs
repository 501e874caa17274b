//! Wall-clock seconds of the phases of a computation.

use std::time::Instant;

/// Named phases with the seconds spent in each, in order of first appearance.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Phases(Vec<(&'static str, f64)>);

impl Phases {
    /// Runs `work` and adds its time to the phase `name`.
    pub fn time<T>(&mut self, name: &'static str, work: impl FnOnce() -> T) -> T {
        let start = Instant::now();
        let result = work();
        self.add(name, start.elapsed().as_secs_f64());
        result
    }
    /// Adds seconds to a phase.
    pub fn add(&mut self, name: &'static str, seconds: f64) {
        match self.0.iter_mut().find(|(n, _)| *n == name) {
            Some((_, s)) => *s += seconds,
            None => self.0.push((name, seconds)),
        }
    }
    /// Name and seconds of each phase.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, f64)> {
        self.0.iter().copied()
    }
}
