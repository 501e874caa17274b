//! An upper bound on an integer, and where it comes from.

/// An upper bound on an absolute value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bound {
    /// |x| ≤ 2^bits.
    pub bits: u64,
    /// The inequality that it follows from.
    pub rule: &'static str,
}
