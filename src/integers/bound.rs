//! An upper bound of an integer, and where it comes from.

/// An upper bound of an absolute value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bound {
    /// |x| ≤ 2^bits.
    pub bits: u64,
    /// The inequality that gave it.
    pub rule: &'static str,
}
