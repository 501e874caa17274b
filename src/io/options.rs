//! How to read a matrix.

use crate::setters::setters;
use crate::sparse::Duplicates;

/// How to read a matrix.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ReadOptions {
    /// Take the 0–1 pattern: every stored non-zero value, of any kind, becomes 1; stored zeros are dropped, and entries
    /// at one position count once.
    pub pattern: bool,
    /// The maximum number of bytes that entries (16 bytes each) may take while they are read.
    pub max_memory: Option<u64>,
}

setters!(ReadOptions {
    pattern: bool,
    max_memory: impl Into<Option<u64>>,
});

/// How entries at one position are merged.
pub(super) fn duplicates(options: &ReadOptions) -> Duplicates {
    if options.pattern { Duplicates::One } else { Duplicates::Sum }
}
