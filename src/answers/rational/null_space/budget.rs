//! What the work on a null space is predicted to cost, counted while it is done.

use crate::cost::{Integers, Machine};
use std::sync::atomic::{AtomicU64, Ordering};

/// The prices that it goes by.
#[derive(Clone, Copy, Debug)]
pub(super) struct Prices {
    integers: Integers,
    /// A multiply-add mod a prime of 31 bits.
    product: f64,
}

impl Prices {
    pub fn of(machine: &Machine) -> Self {
        Prices { integers: machine.integers, product: machine.dense.product[3] }
    }
    /// Seconds for visits with L lanes.
    pub fn visiting<const L: usize>(&self, visits: u64) -> f64 {
        visits as f64 * (self.integers.visit + (L - 1) as f64 * self.integers.lane)
    }
    /// Seconds for a dense product m × k × n mod a prime of 31 bits.
    pub fn dense(&self, m: usize, k: usize, n: usize) -> f64 {
        m as f64 * k as f64 * n as f64 * self.product
    }
    /// Seconds for products of `count` pairs of integers of some words.
    pub fn large(&self, count: usize, words: [usize; 2]) -> f64 {
        count as f64 * (self.integers.operation + (words[0] * words[1]) as f64 * self.integers.product)
    }
}

/// Nanoseconds of a second: what is spent is counted in them, since they can be added by several threads at once.
const NANO: f64 = 1_000_000_000.0;

/// Seconds of one thread that may be spent, by prediction. What is counted does not depend on the machine or on
/// threads.
#[derive(Debug)]
pub(super) struct Budget {
    pub prices: Prices,
    nanoseconds: AtomicU64,
    limit: u64,
}

impl Budget {
    pub fn new(seconds: f64, prices: Prices) -> Self {
        Budget { prices, nanoseconds: AtomicU64::new(0), limit: (seconds * NANO) as u64 }
    }
    /// Counts the seconds; whether there are any left.
    pub fn spend(&self, seconds: f64) -> bool {
        let more = (seconds * NANO) as u64;
        self.nanoseconds.fetch_add(more, Ordering::Relaxed) + more <= self.limit
    }
    pub fn is_left(&self) -> bool {
        self.spend(0.0)
    }
    pub fn left(&self) -> f64 {
        self.limit.saturating_sub(self.nanoseconds.load(Ordering::Relaxed)) as f64 / NANO
    }
    pub fn spent(&self) -> f64 {
        self.nanoseconds.load(Ordering::Relaxed) as f64 / NANO
    }
}
