//! What is known of the work: the phase, the parts it belongs to, and what is predicted.

use super::agenda::Agenda;
use super::eta::{Part, Phase, Predicted};
use blackfield::Forecast;
use blackfield::report::Ahead;
use std::time::{Duration, Instant};

/// Reading, which says nothing about what follows it.
const READING: &str = "read";
/// What stands for all that follows reading.
const ANSWER: &str = "the answer";

/// Seconds by the clock that all after reading is predicted to take, for a matrix of so many rows, columns and entries;
/// `None` where these do not tell.
pub type Expected = Box<dyn Fn(u64, u64, u64) -> Option<f64> + Send + Sync>;

/// What is known of the work.
#[derive(Default)]
pub struct State {
    pub phase: Option<Phase>,
    pub parts: Vec<Part>,
    predicted: Option<Predicted>,
    agenda: Agenda,
    expected: Option<Expected>,
    /// When the last line of JSON was written.
    pub told: Option<Instant>,
}

impl State {
    /// A phase begins.
    pub fn begin(&mut self, name: &str, total: u64, now: Instant) {
        self.agenda.begin(name, self.phase.as_ref().map(|before| before.elapsed(now)));
        self.phase = Some(Phase::new(name, total, now));
    }
    /// A part begins, and ends those of the one before.
    pub fn part(&mut self, what: &str, number: u64, of: u64, now: Instant) {
        let place = self.parts.iter().position(|part| part.what == what);
        let part = match place.map(|place| &self.parts[place]) {
            Some(before) if before.number + 1 == number => before.next(number, of, now),
            _ => Part::new(what, number, of, now),
        };
        self.parts.truncate(place.unwrap_or(usize::MAX));
        self.parts.push(part);
        self.over();
    }
    /// The phase at work is over, and what was predicted of it; what is ahead is not.
    pub fn pause(&mut self) {
        (self.phase, self.predicted) = (None, None);
    }
    /// What was at work is over.
    fn over(&mut self) {
        (self.phase, self.predicted, self.agenda) = (None, None, Agenda::default());
    }
    pub fn forecast(&mut self, forecast: &Forecast, now: Instant) {
        self.predicted = Some(Predicted { seconds: forecast.seconds, since: now });
        self.agenda.tell(&[]);
    }
    pub fn ahead(&mut self, phases: &[Ahead]) {
        self.predicted = None;
        self.agenda.tell(phases);
    }
    /// What is predicted once the shape of the matrix is known.
    pub fn expect(&mut self, expected: Expected) {
        self.expected = Some(expected);
    }
    pub fn shape(&mut self, rows: u64, cols: u64, entries: u64) {
        let expected = self.expected.take();
        if let Some(seconds) = expected.and_then(|expected| expected(rows, cols, entries)) {
            self.agenda.tell(&[Ahead { phase: ANSWER, seconds, measured: false }]);
        }
    }

    /// What is left of the phase alone, at its own rate.
    pub fn phase_left(&self, now: Instant) -> Option<Duration> {
        self.phase.as_ref()?.left(now)
    }
    /// What is left of the work, as far as that is known: of the phase by its rate, or else by what was predicted of
    /// it, and what is predicted of the phases to come; of the parts to come by those before.
    pub fn left(&self, now: Instant) -> Option<Duration> {
        let phase = self.phase.as_ref()?;
        let by_rate = phase.left(now);
        let left = match self.agenda.left(phase.elapsed(now), by_rate) {
            None if phase.name == READING => None,
            None => by_rate.or_else(|| self.predicted.and_then(|predicted| predicted.left(now))),
            left => left,
        };
        self.parts.iter().rev().fold(left, |left, part| part.left(left, now))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(start: Instant, seconds: f64) -> Instant {
        start + Duration::from_secs_f64(seconds)
    }

    /// Plays phases whose units take equal times, one after the other, as (name, seconds, share of the time after which
    /// nothing is told any more); at each of many moments, what is said to be left over what is.
    fn play(state: &mut State, start: Instant, phases: &[(&str, f64)]) -> Vec<(f64, Option<f64>)> {
        let (all, mut before, mut said) = (phases.iter().map(|phase| phase.1).sum::<f64>(), 0.0, vec![]);
        for &(name, seconds) in phases {
            state.begin(name, 100, after(start, before));
            for unit in 1..=100u64 {
                let at = before + seconds * unit as f64 / 100.0;
                let now = after(start, at);
                state.phase.as_mut().unwrap().progress(unit, now);
                if at < all {
                    said.push((at / all, state.left(now).map(|left| left.as_secs_f64() / (all - at))));
                }
            }
            before += seconds;
        }
        said
    }

    /// As `tools/compare/eta.py` demands, from the first tenth on to where a tenth of a phase is left.
    fn is_honest(said: &[(f64, Option<f64>)]) -> bool {
        let counted = said.iter().filter(|(at, _)| (0.1..=0.9).contains(at));
        counted.into_iter().all(|(_, ratio)| ratio.is_some_and(|ratio| (0.5..=2.0).contains(&ratio)))
    }

    #[test]
    fn runs_of_several_phases_are_told_within_a_factor_two() {
        let ahead = |list: &[(&'static str, f64)]| -> Vec<Ahead> {
            list.iter().map(|&(phase, seconds)| Ahead { phase, seconds, measured: false }).collect()
        };
        // Everything on a machine that is loaded, prices right; everything as predicted; prices off by 1.8 each.
        for factors in [[3.0, 3.0, 3.0], [1.0, 1.0, 1.0], [1.8, 0.6, 1.0], [0.6, 1.0, 1.4], [1.0, 1.8, 1.8]] {
            let predicted = [("powers", 30.0), ("elimination", 40.0), ("determinant", 10.0)];
            let (mut state, start) = (State::default(), Instant::now());
            state.ahead(&ahead(&predicted));
            let real: Vec<_> = predicted.iter().zip(factors).map(|(&(name, s), by)| (name, s * by)).collect();
            assert!(is_honest(&play(&mut state, start, &real)), "{factors:?}");
            // Without what is ahead it is not.
            assert!(!is_honest(&play(&mut State::default(), start, &real)), "{factors:?}");
        }
    }

    #[test]
    fn what_follows_reading_is_expected_or_unknown() {
        let (mut state, start) = (State::default(), Instant::now());
        state.begin("read", 100, start);
        state.phase.as_mut().unwrap().progress(50, after(start, 4.0));
        assert_eq!(state.left(after(start, 4.0)), None);
        assert_eq!(state.phase_left(after(start, 4.0)), Some(Duration::from_secs(4)));
        state.expect(Box::new(|rows, cols, entries| (entries == rows * cols).then_some(100.0)));
        state.shape(5, 5, 25);
        assert_eq!(state.left(after(start, 4.0)), Some(Duration::from_secs(104)));
        // Told by the header of the next file: nobody expects anything any more.
        state.over();
        state.begin("read", 100, start);
        state.shape(5, 5, 25);
        assert_eq!(state.left(after(start, 4.0)), None);
        // A forecast takes the place of what was expected, and what is ahead that of a forecast.
        state.expect(Box::new(|_, _, _| Some(100.0)));
        state.shape(5, 5, 25);
        let forecast = Forecast { name: "x", why: String::new(), seconds: 50.0, bytes: 0 };
        state.forecast(&forecast, after(start, 5.0));
        state.begin("plan", 0, after(start, 5.0));
        assert_eq!(state.left(after(start, 15.0)), Some(Duration::from_secs(40)));
        state.ahead(&[Ahead { phase: "y", seconds: 7.0, measured: false }]);
        assert_eq!(state.left(after(start, 15.0)), Some(Duration::from_secs(7)));
    }

    #[test]
    fn a_new_part_ends_those_inside_the_one_before() {
        let (mut state, now) = (State::default(), Instant::now());
        let shown = |state: &State| state.parts.iter().map(|p| (p.what.clone(), p.number)).collect::<Vec<_>>();
        for (what, number, of) in [("file", 1, 2), ("modulus", 1, 3), ("modulus", 2, 3)] {
            state.part(what, number, of, now);
        }
        assert_eq!(shown(&state), [("file".into(), 1), ("modulus".into(), 2)]);
        state.ahead(&[Ahead { phase: "y", seconds: 7.0, measured: false }]);
        state.part("file", 2, 2, now);
        assert_eq!(shown(&state), [("file".into(), 2)]);
        state.begin("x", 0, now);
        assert_eq!(state.left(now), Some(Duration::ZERO), "as long as the file before, whatever was ahead in it");
    }
}
