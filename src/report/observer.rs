//! How the library reports while it works: it never prints, it calls an [`Observer`].

use super::{Ahead, Keeper};
use crate::{Error, Result};

/// What is predicted of a step before it begins.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Forecast {
    /// What is done.
    pub name: &'static str,
    /// Why so, with what else there was to choose.
    pub why: String,
    /// Seconds by the clock on the threads of the current pool, if these have a core each.
    pub seconds: f64,
    /// Bytes that it has at most at once.
    pub bytes: u64,
}

/// Receives progress and warnings, and may ask the computation to stop. All methods have empty defaults.
///
/// Methods are called from the computing threads and should return quickly.
pub trait Observer: Sync {
    /// A phase begins; `total` is its work in units specific to the phase (0 if unknown).
    fn phase(&self, _name: &str, _total: u64) {}
    /// `done` units of the current phase are finished.
    fn progress(&self, _done: u64) {}
    /// `done` units of the current phase were finished by an earlier run, and are not to be done again.
    fn restored(&self, _done: u64) {}
    /// The share, 0 to 1, of the current phase's work that is done, where that is not proportional to its units: told
    /// before the units that it goes with.
    fn share(&self, _done: f64) {}
    /// What follows is part `number` (from 1) of `of` equal or unequal ones, such as the moduli of a computation; its
    /// phases begin anew. Parts of parts are told by other words.
    fn part(&self, _what: &str, _number: u64, _of: u64) {}
    /// A step that may take long begins, as far as is known the longest one: what is predicted of it.
    fn forecast(&self, _forecast: &Forecast) {}
    /// What is predicted of the phases to come, in their order, as far as it is known: all that is told by this call
    /// replaces what was told before. Phases that do not take long may be left out, and one may not come after all. A
    /// forecast and a new part end what was told.
    fn ahead(&self, _phases: &[Ahead]) {}
    /// The matrix being read has so many rows, columns and entries: told early, where its header says so.
    fn shape(&self, _rows: u64, _cols: u64, _entries: u64) {}
    /// Whether nothing is wanted but forecasts: a computation of several parts adds theirs up, and stops.
    fn plans_only(&self) -> bool {
        false
    }
    /// Something the user should know: a field was extended, a method changed, a limit reached.
    fn warning(&self, _message: &str) {}
    /// Whether to stop; called at least once per iteration of every long loop.
    fn cancelled(&self) -> bool {
        false
    }
    /// Who keeps states of what may take long.
    fn keeper(&self) -> Option<&dyn Keeper> {
        None
    }

    /// Asks [`Observer::cancelled`].
    ///
    /// # Errors
    /// [`Error::Interrupted`] once the caller has asked to stop.
    fn check(&self) -> Result<()> {
        if self.cancelled() { Err(Error::Interrupted) } else { Ok(()) }
    }
}

/// The observer that ignores everything and never stops.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Observer for Silent {}

/// Passes on requests to stop, but hides the progress of parts.
pub(crate) struct Quiet<'a>(pub &'a dyn Observer);

impl Observer for Quiet<'_> {
    fn forecast(&self, forecast: &Forecast) {
        self.0.forecast(forecast);
    }
    fn cancelled(&self) -> bool {
        self.0.cancelled()
    }
    fn keeper(&self) -> Option<&dyn Keeper> {
        self.0.keeper()
    }
}
