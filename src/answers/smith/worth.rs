//! When units are no longer split off one by one: once that costs more than it saves.
//!
//! A unit makes the rest smaller, but denser, and its entries longer. What the rest would cost as a component without
//! units ([`super::core`]) is predicted from its shape and from the size of its entries. As long as that falls by more
//! than the elimination takes, units are worth it.

use crate::cost::Machine;

/// What is left of a matrix.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rest {
    pub rows: usize,
    pub cols: usize,
    pub nnz: usize,
    /// The sum over the rows of the bits of their largest entries.
    pub bits: u64,
}

/// A rest that takes fewer seconds than these is cut down to the end, whatever is predicted.
const LITTLE: f64 = 0.1;
/// So many looks in a row have to show a loss.
const PATIENCE: u32 = 3;
/// Entries changed between two looks, for each row that a look goes over.
const WORK: u64 = 8;

#[derive(Clone, Copy)]
pub(super) struct Worth {
    /// The work done, and the seconds predicted for the rest, at the last look.
    pub work: u64,
    pub seconds: f64,
    /// Work since the look before.
    pub spent: f64,
    pub losses: u32,
}

impl Worth {
    pub fn new() -> Self {
        Worth { work: 0, seconds: f64::INFINITY, spent: 0.0, losses: 0 }
    }

    /// Whether it is time to look, so many entries having been changed in a matrix of so many rows.
    pub fn is_due(&mut self, work: u64, rows: usize, machine: &Machine) -> bool {
        let done = work - self.work;
        if done <= WORK * rows as u64 {
            return false;
        }
        self.spent = done as f64 * machine.integers.visit;
        self.work = work;
        true
    }

    /// Whether the last units cost more than they saved, and those before.
    pub fn is_lost(&mut self, rest: Rest, machine: &Machine) -> bool {
        let seconds = core_seconds(rest, machine);
        let lost = seconds > LITTLE && self.seconds - seconds < self.spent;
        self.losses = if lost { self.losses + 1 } else { 0 };
        self.seconds = seconds;
        self.losses == PATIENCE
    }
}

/// Predicted seconds of one thread for a component without units of this shape, at most of full rank.
///
/// Of m × n, n ≤ m, with rows of norm 2ᵝ: three ranks and a minor, two local forms; 2·n·β/30 digits of four solutions;
/// the primes of a determinant, for what Hadamard's bound is too large by: a quarter of its bits, and one a row.
fn core_seconds(Rest { rows, cols, nnz, bits }: Rest, machine: &Machine) -> f64 {
    let (m, n) = (rows.max(cols) as f64, rows.min(cols) as f64);
    let count = rows.max(1) as f64;
    let norm = bits as f64 / count + (nnz as f64 / count).max(1.0).log2() / 2.0;
    let (product, lane) = (machine.dense.product[3], machine.integers.lane);
    let eliminations = 12.0 * m * n * n * product;
    let digits = 2.0 * n * norm / 30.0;
    let lifting = digits * n * n * 4.0 * lane;
    let primes = n * (norm / 4.0 + 1.0) / 31.0;
    eliminations + lifting + primes * n.powi(3) / 3.0 * product
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dense(n: usize, bits: u64) -> Rest {
        Rest { rows: n, cols: n, nnz: n * n, bits: bits * n as u64 }
    }

    #[test]
    fn units_are_given_up_where_numbers_grow_and_not_where_the_rest_shrinks() {
        let machine = Machine::reference();
        let run = |rest: &dyn Fn(usize) -> Rest, pivot: u64| {
            let mut worth = Worth::new();
            (1..100).find(|&k| worth.is_due(k as u64 * pivot, 1000, &machine) && worth.is_lost(rest(k), &machine))
        };
        // A dense matrix whose entries gain a bit with every pivot; the same without growth.
        let all = 2000 * 2000;
        assert_eq!(run(&|k| dense(2000 - k, 5 + k as u64), all), Some(1 + PATIENCE as usize));
        assert_eq!(run(&|k| dense(2000 - k, 5), all), None);
        // Rows that fill in without end, for little.
        assert!(run(&|k| dense(2000 - k, 5), 1 << 40).is_some());
        // Small rests never.
        assert_eq!(run(&|k| dense(100, 5 + k as u64), 1 << 20), None);
        // No look without work.
        let mut worth = Worth::new();
        let mut due = |work: u64| worth.is_due(work, 10, &machine);
        assert!(!due(WORK * 10) && due(WORK * 10 + 1) && !due(WORK * 20 + 1));
    }

    #[test]
    fn more_of_anything_costs_more() {
        let machine = Machine::reference();
        let seconds = |rest| core_seconds(rest, &machine);
        assert!(seconds(dense(500, 5)) < seconds(dense(600, 5)));
        assert!(seconds(dense(500, 5)) < seconds(dense(500, 9)));
        assert!(
            seconds(Rest { rows: 9, cols: 500, nnz: 100, bits: 9 })
                < seconds(Rest { rows: 500, cols: 500, nnz: 100, bits: 500 })
        );
        assert!(seconds(Rest { rows: 0, cols: 0, nnz: 0, bits: 0 }) == 0.0);
    }
}
