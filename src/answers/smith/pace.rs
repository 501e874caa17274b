//! What is left of an elimination whose cost shows only as it goes.

use crate::Forecast;
use std::time::Instant;

/// Seconds after which the rest is predicted, once.
const EARLY: f64 = 1.0;

pub(super) struct Pace {
    start: Instant,
    window: Instant,
    told: bool,
}

impl Pace {
    pub fn new() -> Self {
        let now = Instant::now();
        Pace { start: now, window: now, told: false }
    }

    /// After a window of pivots: the rest of at most `left` pivots, if it is time to say it. Fill-in makes pivots
    /// dearer and the shrinking rest makes them cheaper: half of them are taken to cost what one costs now.
    pub fn rest(&mut self, window: usize, left: usize, bytes: u64) -> Option<Forecast> {
        let now = Instant::now();
        let taken = now - std::mem::replace(&mut self.window, now);
        if self.told || (now - self.start).as_secs_f64() < EARLY {
            return None;
        }
        self.told = true;
        let seconds = taken.as_secs_f64() / window as f64 * left as f64 / 2.0;
        Some(Forecast { name: "units", why: format!("up to {left} pivots, at the present rate"), seconds, bytes })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn the_rest_is_predicted_once_and_not_at_the_beginning() {
        let mut pace = Pace::new();
        assert!(pace.rest(64, 1000, 5).is_none());
        let now = Instant::now();
        (pace.start, pace.window) = (now - Duration::from_secs(3), now - Duration::from_secs(2));
        let forecast = pace.rest(64, 6400, 5).unwrap();
        assert!((forecast.seconds - 100.0).abs() < 5.0 && forecast.bytes == 5, "{}", forecast.seconds);
        pace.window = now - Duration::from_secs(2);
        assert!(pace.rest(64, 6400, 5).is_none());
    }
}
