//! How far a phase is, and how long it may still take.

use std::time::{Duration, Instant};

/// Nothing is estimated before a phase has taken so long …
const MOMENT: Duration = Duration::from_millis(300);
/// … and so much of its work is done.
const LITTLE: f64 = 0.002;

/// A phase under way. Nothing here ever goes backwards.
#[derive(Clone, Debug)]
pub struct Phase {
    pub name: String,
    /// Units of its work; 0 if unknown.
    pub total: u64,
    /// Those that are done.
    pub done: u64,
    start: Instant,
    /// What an earlier run had done.
    restored: u64,
    /// The share of the work that is done, where that is told apart from units.
    share: Option<f64>,
    /// When the last report came.
    reported: Instant,
}

impl Phase {
    pub fn new(name: &str, total: u64, now: Instant) -> Self {
        Phase { name: name.to_owned(), total, done: 0, start: now, restored: 0, share: None, reported: now }
    }
    pub fn restore(&mut self, done: u64) {
        (self.restored, self.done) = (done, self.done.max(done));
    }
    pub fn progress(&mut self, done: u64, now: Instant) {
        if done > self.done {
            (self.done, self.reported) = (done, now);
        }
    }
    pub fn set_share(&mut self, share: f64) {
        self.share = Some(share.clamp(self.share.unwrap_or(0.0), 1.0));
    }
    /// The share of the work that is done, of all of it; `None` where that is not known.
    pub fn fraction(&self) -> Option<f64> {
        let counted = (self.total > 0).then(|| self.done.min(self.total) as f64 / self.total as f64);
        self.share.or(counted)
    }
    /// The time that the rest of the phase takes at the mean rate of this run, what was restored not counted; `None`
    /// before that rate means something.
    pub fn left(&self, now: Instant) -> Option<Duration> {
        let first = if self.total > 0 { self.restored as f64 / self.total as f64 } else { 0.0 };
        let (done, taken) = (self.fraction()?, self.reported - self.start);
        if taken < MOMENT || done - first < LITTLE || (self.total > 0 && self.done > self.total) {
            return None;
        }
        let left = taken.mul_f64((1.0 - done) / (done - first));
        Some(left.saturating_sub(now - self.reported))
    }
    pub fn elapsed(&self, now: Instant) -> Duration {
        now - self.start
    }
}

/// A step whose seconds were predicted before it began.
#[derive(Clone, Copy, Debug)]
pub struct Predicted {
    pub seconds: f64,
    pub since: Instant,
}

impl Predicted {
    /// What is left of the prediction; `None` where it has been overrun, and says nothing any more.
    pub fn left(&self, now: Instant) -> Option<Duration> {
        let left = self.seconds - (now - self.since).as_secs_f64();
        (left > 0.0 && left.is_finite()).then(|| Duration::try_from_secs_f64(left).ok()).flatten()
    }
}

/// Equal parts, one after the other, such as the moduli of a computation.
#[derive(Clone, Debug)]
pub struct Part {
    pub what: String,
    pub number: u64,
    pub of: u64,
    start: Instant,
    /// Parts that this run has finished, and the time that they took.
    finished: (u64, Duration),
}

impl Part {
    pub fn new(what: &str, number: u64, of: u64, now: Instant) -> Self {
        Part { what: what.to_owned(), number, of, start: now, finished: (0, Duration::ZERO) }
    }
    /// The part that follows.
    pub fn next(&self, number: u64, of: u64, now: Instant) -> Self {
        let (count, taken) = self.finished;
        Part { finished: (count + 1, taken + (now - self.start)), ..Part::new(&self.what, number, of, now) }
    }
    /// What is left of all parts, if `left` is of this one, where that is known: each takes as long as those before,
    /// the first as long as is known of it.
    pub fn left(&self, left: Option<Duration>, now: Instant) -> Option<Duration> {
        let others = u32::try_from(self.of.saturating_sub(self.number)).unwrap_or(u32::MAX);
        let (count, taken) = self.finished;
        let mean = (count > 0).then(|| taken.div_f64(count as f64));
        let elapsed = now - self.start;
        let left = left.or_else(|| Some(mean?.saturating_sub(elapsed)))?;
        Some(left + mean.unwrap_or(elapsed + left).saturating_mul(others))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn s(seconds: f64) -> Duration {
        Duration::from_secs_f64(seconds)
    }

    #[test]
    fn the_rest_takes_as_long_as_the_mean_rate_says() {
        let start = Instant::now();
        let at = |done, seconds: f64| {
            let mut phase = Phase::new("x", 200, start);
            phase.progress(done, start + s(seconds));
            phase.left(start + s(seconds))
        };
        assert_eq!(at(50, 10.0), Some(s(30.0)));
        assert_eq!(at(200, 10.0), Some(s(0.0)));
        assert_eq!(at(0, 10.0), None, "nothing is done");
        assert_eq!(at(50, 0.2), None, "less than a moment");
        assert_eq!(at(201, 10.0), None, "more than was announced");
        let mut unknown = Phase::new("x", 0, start);
        unknown.progress(5, start + s(10.0));
        assert_eq!(unknown.left(start + s(10.0)), None);
        // Between two reports time goes on.
        let mut phase = Phase::new("x", 200, start);
        phase.progress(50, start + s(10.0));
        assert_eq!((phase.left(start + s(14.0)), phase.left(start + s(99.0))), (Some(s(26.0)), Some(s(0.0))));
    }

    #[test]
    fn what_was_restored_is_no_speed() {
        let start = Instant::now();
        let mut phase = Phase::new("permanent", 1000, start);
        phase.restore(900);
        assert_eq!((phase.done, phase.left(start + s(5.0))), (900, None));
        phase.progress(910, start + s(10.0));
        assert_eq!(phase.left(start + s(10.0)), Some(s(90.0)));
        assert_eq!(phase.fraction(), Some(0.91));
    }

    #[test]
    fn nothing_goes_backwards() {
        let start = Instant::now();
        let mut phase = Phase::new("x", 100, start);
        for (done, shown) in [(10, 10), (5, 10), (11, 11), (11, 11), (0, 11)] {
            phase.progress(done, start + s(1.0));
            assert_eq!(phase.done, shown);
        }
        for (share, shown) in [(0.5, 0.5), (0.3, 0.5), (2.0, 1.0), (f64::NEG_INFINITY, 1.0)] {
            phase.set_share(share);
            assert_eq!(phase.fraction(), Some(shown));
        }
    }

    #[test]
    fn shares_count_where_units_are_uneven() {
        let start = Instant::now();
        let mut phase = Phase::new("dense elimination", 100, start);
        phase.set_share(0.04);
        phase.progress(20, start + s(4.0));
        assert_eq!(phase.left(start + s(4.0)).map(|left| left.as_secs_f64().round()), Some(96.0));
    }

    #[test]
    fn parts_that_come_later_take_as_long() {
        let start = Instant::now();
        let part = Part::new("modulus", 2, 4, start);
        assert_eq!(part.left(Some(s(6.0)), start + s(4.0)), Some(s(26.0)));
        assert_eq!(part.left(None, start + s(4.0)), None);
        assert_eq!(Part::new("modulus", 4, 4, start).left(Some(s(6.0)), start + s(4.0)), Some(s(6.0)));
        // The mean of those before counts more than what is said of this one, and serves where nothing is.
        let next = part.next(3, 5, start + s(8.0)).next(4, 6, start + s(12.0));
        assert_eq!(next.left(Some(s(1.0)), start + s(13.0)), Some(s(13.0)));
        assert_eq!(next.left(None, start + s(13.0)), Some(s(17.0)));
        assert_eq!(next.left(None, start + s(99.0)), Some(s(12.0)));
    }
}
