//! What is costly to make, used by one thread at a time and kept for the next: no more of them than threads that use
//! one at the same time.

use crate::Result;
use std::sync::Mutex;

/// Things that are costly to make and used by one thread at a time.
#[derive(Debug)]
pub(crate) struct Spare<T>(Mutex<Vec<T>>);

impl<T> Default for Spare<T> {
    fn default() -> Self {
        Spare(Mutex::default())
    }
}

impl<T> Spare<T> {
    /// What `use_it` makes of the last one that was given back, if it `fits`, or of a new one.
    ///
    /// # Errors
    /// Those of `make`.
    pub(crate) fn lend<R>(
        &self,
        fits: impl Fn(&T) -> bool,
        make: impl FnOnce() -> Result<T>,
        use_it: impl FnOnce(&mut T) -> R,
    ) -> Result<R> {
        let mut one = self.take(fits, make)?;
        let result = use_it(&mut one);
        self.give_back(one);
        Ok(result)
    }
    /// The last one that was given back, if it `fits`, or a new one.
    ///
    /// # Errors
    /// Those of `make`.
    pub(crate) fn take(&self, fits: impl Fn(&T) -> bool, make: impl FnOnce() -> Result<T>) -> Result<T> {
        let last = self.0.lock().expect("no holder panics").pop();
        last.filter(fits).map_or_else(make, Ok)
    }
    pub(crate) fn give_back(&self, one: T) {
        self.0.lock().expect("no holder panics").push(one);
    }
}
