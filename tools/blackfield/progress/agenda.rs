//! What is predicted of the phases to come, corrected by what those before took.

use blackfield::report::Ahead;
use std::time::Duration;

/// Seconds by which both sides of a comparison are enlarged: short phases say little.
const SLACK: f64 = 0.3;

/// Phases that are predicted to come, and how well those before them were predicted.
#[derive(Clone, Debug, Default)]
pub struct Agenda {
    to_come: Vec<Ahead>,
    /// What was predicted of the phase at work.
    now: Option<Ahead>,
    /// Seconds predicted for phases that are over, and seconds that these took.
    over: (f64, f64),
}

impl Agenda {
    /// What is to come, in place of what was said before.
    pub fn tell(&mut self, phases: &[Ahead]) {
        self.to_come = phases.iter().copied().filter(|ahead| ahead.seconds.is_finite()).collect();
    }
    /// A phase begins after one that took so long. Those that were to come before it are left out.
    pub fn begin(&mut self, name: &str, taken: Option<Duration>) {
        if let (Some(now), Some(taken)) = (self.now.take().filter(|now| !now.measured), taken) {
            self.over.0 += now.seconds;
            self.over.1 += taken.as_secs_f64();
        }
        if let Some(place) = self.to_come.iter().position(|ahead| ahead.phase == name) {
            self.now = self.to_come.drain(..=place).next_back();
        }
    }
    /// What is left of everything, if the phase at work has taken `elapsed` and its rate says that it takes `by_rate`
    /// more; `None` where nothing was told.
    ///
    /// Predictions are multiplied by the geometric mean of 1 and of how far off those before were: half of that is the
    /// machine and what else runs on it, which is the same for what follows, and half the prices of one kind of work.
    /// What was measured stays as it is.
    pub fn left(&self, elapsed: Duration, by_rate: Option<Duration>) -> Option<Duration> {
        if self.now.is_none() && self.to_come.is_empty() {
            return None;
        }
        let elapsed = elapsed.as_secs_f64();
        let (mut predicted, mut taken) = self.over;
        if let (Some(now), Some(more)) = (self.now.filter(|now| !now.measured), by_rate) {
            predicted += now.seconds;
            taken += elapsed + more.as_secs_f64();
        }
        let factor = ((taken + SLACK) / (predicted + SLACK)).sqrt();
        let corrected = |ahead: &Ahead| if ahead.measured { ahead.seconds } else { ahead.seconds * factor };
        let by_prediction = || (self.now.as_ref().map_or(0.0, corrected) - elapsed).max(0.0);
        let now = by_rate.map_or_else(by_prediction, |more| more.as_secs_f64());
        let coming: f64 = self.to_come.iter().map(corrected).sum();
        Duration::try_from_secs_f64(now + coming).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn s(seconds: f64) -> Duration {
        Duration::from_secs_f64(seconds)
    }

    fn ahead(phases: &[(&'static str, f64)]) -> Vec<Ahead> {
        phases.iter().map(|&(phase, seconds)| Ahead { phase, seconds, measured: false }).collect()
    }

    fn close(found: Option<Duration>, seconds: f64) {
        let found = found.expect("something is told").as_secs_f64();
        assert!((found - seconds).abs() < 1e-6, "{found} instead of {seconds}");
    }

    #[test]
    fn phases_to_come_are_added_up() {
        let mut agenda = Agenda::default();
        assert_eq!(agenda.left(s(1.0), Some(s(5.0))), None);
        agenda.tell(&ahead(&[("powers", 30.0), ("elimination", 10.0), ("determinant", 2.0)]));
        // A phase before those that were told has its own rate.
        close(agenda.left(s(1.0), None), 42.0);
        close(agenda.left(s(1.0), Some(s(5.0))), 47.0);
        agenda.begin("powers", None);
        close(agenda.left(s(0.0), None), 42.0);
        close(agenda.left(s(4.0), None), 38.0);
        close(agenda.left(s(10.0), Some(s(20.0))), 32.0);
        // Twice as fast as predicted: half of that, logarithmically, is expected of the others.
        close(agenda.left(s(10.0), Some(s(5.0))), 5.0 + 12.0 * (15.3f64 / 30.3).sqrt());
        // Left out: the elimination.
        agenda.begin("determinant", Some(s(120.0)));
        close(agenda.left(s(0.0), None), 2.0 * (120.3f64 / 30.3).sqrt());
        agenda.begin("write", Some(s(1.0)));
        assert_eq!(agenda.left(s(0.0), Some(s(7.0))), None, "nothing is known of what is ahead");
    }

    #[test]
    fn what_was_not_foreseen_changes_nothing() {
        let mut agenda = Agenda::default();
        agenda.tell(&ahead(&[("digits", 5.0), ("primes", 20.0)]));
        agenda.begin("plan", Some(s(100.0)));
        agenda.begin("digits", Some(s(100.0)));
        close(agenda.left(s(2.0), None), 23.0);
        agenda.begin("plan", Some(s(5.0)));
        close(agenda.left(s(2.0), None), 20.0);
        agenda.tell(&ahead(&[("primes", f64::INFINITY), ("primes", 3.0)]));
        close(agenda.left(s(2.0), None), 3.0);
        agenda.tell(&[]);
        assert!(agenda.left(s(2.0), None).is_none());
    }

    #[test]
    fn what_was_measured_is_not_corrected() {
        let mut agenda = Agenda::default();
        let measured = Ahead { phase: "primes", seconds: 50.0, measured: true };
        agenda.tell(&[ahead(&[("digits", 10.0)])[0], measured]);
        agenda.begin("digits", None);
        close(agenda.left(s(10.0), Some(s(30.0))), 30.0 + 50.0);
        agenda.begin("primes", Some(s(40.0)));
        close(agenda.left(s(5.0), None), 45.0);
        // Nor does it say anything about prices.
        agenda.tell(&ahead(&[("check", 7.0)]));
        close(agenda.left(s(5.0), Some(s(100.0))), 100.0 + 7.0 * (40.3f64 / 10.3).sqrt());
    }

    /// Runs whose predictions are off by a factor that differs from phase to phase: the time left is never worse by
    /// more than the root of what the phases before were off by, and their own.
    #[test]
    fn corrections_never_exceed_what_was_measured() {
        for (before, own) in [(4.0, 1.0), (4.0, 4.0), (0.25, 1.0), (1.0, 2.0), (3.0, 3.0)] {
            let mut agenda = Agenda::default();
            agenda.tell(&ahead(&[("a", 100.0), ("b", 100.0)]));
            agenda.begin("a", None);
            agenda.begin("b", Some(s(100.0 * before)));
            let said = agenda.left(s(0.0), None).unwrap().as_secs_f64();
            let (ratio, root) = (said / (100.0 * own), f64::sqrt(before) / own);
            assert!((ratio / root - 1.0).abs() < 0.02, "{before} {own}: {ratio}");
        }
    }
}
