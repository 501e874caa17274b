//! How far the search for the row space of S is, for a run that goes on from there after this one was killed: the basis
//! so far with its rank profiles, and the numbers that say which rows or combinations come next. Random choices are
//! streams by numbers, so that what goes on draws what it would have drawn.

use super::Split;
use crate::field::Rng;
use crate::report::{Bytes, Kept};
use crate::{Observer, Result};
use rand::Rng as _;

/// The state of `step` on S; `key` is what it depends on besides. A basis in the memory of a GPU is not kept.
///
/// # Errors
/// [`Error::Memory`](crate::Error::Memory).
pub(super) fn saved<'a, K: Bytes>(
    step: &str,
    split: &Split,
    key: impl FnOnce() -> K,
    observer: &'a dyn Observer,
) -> Result<Kept<'a>> {
    Kept::of(step, || (split.a.digest(), &split.pivots.rows, &split.pivots.cols, key()), observer)
}

/// What tells a stream from others.
pub(super) fn name_of(stream: &Rng) -> u64 {
    stream.clone().next_u64()
}
