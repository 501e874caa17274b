//! What is predicted of several parts of a matrix together, for a caller that wants plans alone.

use crate::{Error, Forecast, Observer, Result};
use std::sync::{Mutex, PoisonError};

/// Keeps the forecast of one part, and stops the work on it there.
struct First<'a> {
    observer: &'a dyn Observer,
    heard: Mutex<Option<Forecast>>,
}

impl First<'_> {
    fn heard(&self) -> std::sync::MutexGuard<'_, Option<Forecast>> {
        self.heard.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Observer for First<'_> {
    fn phase(&self, name: &str, total: u64) {
        self.observer.phase(name, total);
    }
    fn progress(&self, done: u64) {
        self.observer.progress(done);
    }
    fn forecast(&self, forecast: &Forecast) {
        self.heard().get_or_insert_with(|| forecast.clone());
    }
    fn plans_only(&self) -> bool {
        true
    }
    fn cancelled(&self) -> bool {
        self.observer.cancelled() || self.heard().is_some()
    }
}

/// The forecasts of the parts so far.
#[derive(Default)]
pub(super) struct ForecastOfParts {
    sum: Option<Forecast>,
    parts: usize,
}

impl ForecastOfParts {
    /// Adds what `work` on a part says it will take, and stops it there.
    ///
    /// # Errors
    /// Those of `work` before it.
    pub fn add<T>(&mut self, observer: &dyn Observer, work: impl FnOnce(&dyn Observer) -> Result<T>) -> Result<()> {
        let first = First { observer, heard: Mutex::default() };
        match work(&first) {
            Ok(_) => {}
            Err(Error::Interrupted) if !observer.cancelled() => {}
            Err(other) => return Err(other),
        }
        let heard = first.heard().take();
        self.parts += 1;
        self.sum = match (self.sum.take(), heard) {
            (Some(a), Some(b)) => Some(together(a, b)),
            (a, b) => a.or(b),
        };
        Ok(())
    }
    /// Hands on the sum.
    ///
    /// # Errors
    /// [`Error::Interrupted`], always: nothing was computed.
    pub fn tell<T>(self, observer: &dyn Observer) -> Result<T> {
        if let Some(mut forecast) = self.sum {
            if self.parts > 1 {
                forecast.why = format!("{} parts, of which the longest: {}", self.parts, forecast.why);
            }
            observer.forecast(&forecast);
        }
        Err(Error::Interrupted)
    }
}

/// One after the other: the name of the longer one.
fn together(a: Forecast, b: Forecast) -> Forecast {
    let (seconds, bytes) = (a.seconds + b.seconds, a.bytes.max(b.bytes));
    Forecast { seconds, bytes, ..if a.seconds >= b.seconds { a } else { b } }
}
