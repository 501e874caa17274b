//! Duplicate entries, and entries beyond a word.

use num_bigint::BigInt;

/// How entries at one position are merged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Duplicates {
    /// They are summed over the integers.
    Sum,
    /// They become a single 1 (the 0–1 pattern; all values must be 1).
    One,
}

/// Row, column and a value that does not fit a word.
pub(crate) type BigEntry = (u32, u32, BigInt);
