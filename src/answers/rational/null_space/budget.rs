//! What the work on a null space is predicted to cost, counted while it is done.

use crate::dense::PRODUCT_SECONDS;
use std::sync::atomic::{AtomicU64, Ordering};

/// Seconds of one thread for an entry that is visited with one lane, and for each further one.
const VISIT: f64 = 5e-9;
const LANE: f64 = 0.5e-9;
/// A multiply-add of two 64-bit digits of large integers, and what each operation with them costs before.
const LARGE_PRODUCT: f64 = 1e-9;
const LARGE: f64 = 50e-9;

/// Seconds for visits with L lanes.
pub(super) fn visiting<const L: usize>(visits: u64) -> f64 {
    visits as f64 * (VISIT + (L - 1) as f64 * LANE)
}
/// Seconds for a dense product m × k × n mod a prime of 31 bits.
pub(super) fn dense(m: usize, k: usize, n: usize) -> f64 {
    m as f64 * k as f64 * n as f64 * PRODUCT_SECONDS[3]
}
/// Seconds for products of `count` pairs of integers of some words.
pub(super) fn large(count: usize, words: [usize; 2]) -> f64 {
    count as f64 * (LARGE + (words[0] * words[1]) as f64 * LARGE_PRODUCT)
}

/// Seconds of one thread that may be spent, by prediction. What is counted does not depend on the machine or on threads.
#[derive(Debug)]
pub(super) struct Budget {
    nanoseconds: AtomicU64,
    limit: u64,
}

impl Budget {
    pub fn new(seconds: f64) -> Self {
        Budget { nanoseconds: AtomicU64::new(0), limit: (seconds * 1e9) as u64 }
    }
    /// Counts the seconds; whether there are any left.
    pub fn spend(&self, seconds: f64) -> bool {
        let more = (seconds * 1e9) as u64;
        self.nanoseconds.fetch_add(more, Ordering::Relaxed) + more <= self.limit
    }
    pub fn is_left(&self) -> bool {
        self.spend(0.0)
    }
    pub fn left(&self) -> f64 {
        self.limit.saturating_sub(self.nanoseconds.load(Ordering::Relaxed)) as f64 * 1e-9
    }
    pub fn spent(&self) -> f64 {
        self.nanoseconds.load(Ordering::Relaxed) as f64 * 1e-9
    }
}
