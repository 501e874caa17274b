//! Intervals of back edges, and pairs of them that lie on different sides.

use crate::graph::half_edges::NONE;

/// Back edges, from the one that returns highest to the one that returns lowest; both are [`NONE`] if there are none.
#[derive(Clone, Copy, Debug)]
pub(super) struct Interval {
    pub(super) high: u32,
    pub(super) low: u32,
}

impl Interval {
    pub(super) const EMPTY: Interval = Interval { high: NONE, low: NONE };

    pub(super) fn is_empty(self) -> bool {
        self.high == NONE
    }
}

/// Two intervals that lie on different sides.
#[derive(Clone, Copy, Debug)]
pub(super) struct ConflictPair {
    pub(super) left: Interval,
    pub(super) right: Interval,
}

impl ConflictPair {
    pub(super) fn swap(&mut self) {
        std::mem::swap(&mut self.left, &mut self.right);
    }
}
