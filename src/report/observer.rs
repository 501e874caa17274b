//! How the library talks while it works: it never prints, it tells an [`Observer`].

use crate::{Error, Result};

/// Receives progress and warnings, and may ask the computation to stop. All methods have empty defaults.
///
/// Methods are called from the computing threads and should return quickly.
pub trait Observer: Sync {
    /// A phase begins; `total` is its work in units of its own (0 where it is not known).
    fn phase(&self, _name: &str, _total: u64) {}
    /// `done` units of the current phase's work are finished.
    fn progress(&self, _done: u64) {}
    /// Something the user should know: a field extended, a method changed, a limit met.
    fn warning(&self, _message: &str) {}
    /// Whether to stop; asked at least once a step of every long loop.
    fn cancelled(&self) -> bool {
        false
    }

    /// Asks [`Observer::cancelled`].
    ///
    /// # Errors
    /// [`Error::Interrupted`] once the caller has asked to stop.
    fn check(&self) -> Result<()> {
        if self.cancelled() { Err(Error::Interrupted) } else { Ok(()) }
    }
}

/// The observer that says nothing and never stops.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Observer for Silent {}

/// An observer that may stop but hears no progress of the parts.
pub(crate) struct Quiet<'a>(pub &'a dyn Observer);

impl Observer for Quiet<'_> {
    fn cancelled(&self) -> bool {
        self.0.cancelled()
    }
}
