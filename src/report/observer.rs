//! How the library reports while it works: it never prints, it calls an [`Observer`].

use super::Keeper;
use crate::{Error, Result};

/// Receives progress and warnings, and may ask the computation to stop. All methods have empty defaults.
///
/// Methods are called from the computing threads and should return quickly.
pub trait Observer: Sync {
    /// A phase begins; `total` is its work in units specific to the phase (0 if unknown).
    fn phase(&self, _name: &str, _total: u64) {}
    /// `done` units of the current phase are finished.
    fn progress(&self, _done: u64) {}
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
    fn cancelled(&self) -> bool {
        self.0.cancelled()
    }
    fn keeper(&self) -> Option<&dyn Keeper> {
        self.0.keeper()
    }
}
