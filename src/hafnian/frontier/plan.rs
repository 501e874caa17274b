//! A program for a graph, and what it costs.

use super::order::search;
use super::program::{Program, compile};
use crate::cost::Hafnian;
use crate::hafnian::WeightedGraph;
use crate::{Observer, Result};

/// The size of the primes: sums of two residues must not overflow.
pub(super) const PRIME_BITS: u32 = 62;

/// A program for a graph, with its cost.
#[derive(Debug)]
pub struct Plan {
    pub(super) program: Program,
    /// Seconds of one thread for one pass.
    pub seconds: f64,
    /// Bytes of one pass.
    pub bytes: f64,
}

impl Plan {
    /// The largest number of slots.
    pub fn width(&self) -> usize {
        self.program.width
    }
}

/// The best order found while the search costs less than its part of the work, or of `beat` seconds.
///
/// # Errors
/// [`Error::Interrupted`](crate::Error::Interrupted).
pub fn plan(graph: &WeightedGraph, beat: f64, prices: &Hafnian, observer: &dyn Observer) -> Result<Plan> {
    let order = search(graph, beat, prices, observer)?;
    let program = compile(graph, &order);
    let (seconds, bytes) = (program.work() * prices.slot, 8.0 * 2f64.powi(program.width as i32));
    Ok(Plan { program, seconds, bytes })
}
