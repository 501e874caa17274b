//! States of long computations that outlive the process.

use crate::Result;

/// Keeps states of long computations under names, so that one that was killed goes on from the last state kept. What
/// is kept has to come back as it was, for the same question, or not at all; nothing else is trusted.
///
/// [`Observer::keeper`](super::Observer::keeper) says whether there is one.
pub trait Keeper: Sync {
    /// The state with this name: letters, digits and hyphens.
    ///
    /// # Errors
    /// [`Error::Input`](crate::Error::Input) if it is damaged or belongs to another question,
    /// [`Error::Io`](crate::Error::Io).
    fn load(&self, name: &str) -> Result<Option<Vec<u8>>>;
    /// Keeps a state, in place of the one that had this name.
    ///
    /// # Errors
    /// [`Error::Io`](crate::Error::Io).
    fn store(&self, name: &str, state: &[u8]) -> Result<()>;
    /// Keeps a state that will not change any more: at once, or later together with others of the same interval.
    ///
    /// # Errors
    /// As [`Keeper::store`].
    fn result(&self, name: &str, state: &[u8]) -> Result<()> {
        self.store(name, state)
    }
    /// Whether it is time to keep the state with this name, which changes all the time, again.
    fn is_due(&self, name: &str) -> bool;
    /// Whether a result that was made in so many seconds is worth keeping in so many bytes: where writing them, 200 MB
    /// a second, takes at most a tenth of that.
    fn is_worth(&self, bytes: usize, seconds: f64) -> bool {
        bytes as f64 <= 2e7 * seconds
    }
}
