//! What is predicted of lifting before it begins.

use crate::cost::Machine;
use crate::decomposition::Minor;
use crate::padic::{LANES, MAX_PRIME_BITS};
use crate::report::Ahead;

/// Bits of a word of an integer.
const WORD: f64 = 64.0;
/// Passes over the entries of the minor that a digit takes: two substitutions and a residual.
const PASSES: f64 = 3.0;
/// By how many bits for each line Hadamard's bound exceeds the determinant of a generic matrix: ½·log₂ e, since
/// √(n!/nⁿ) ≈ e^(-n/2).
pub(super) const SLACK: f64 = std::f64::consts::LOG2_E / 2.0;

/// What prices depend on.
pub(super) struct Lift<'a> {
    pub machine: &'a Machine,
    pub minor: &'a Minor,
    pub nnz: usize,
    /// Hadamard's bound.
    pub hadamard_bits: f64,
}

impl Lift<'_> {
    /// The inverse of what the chain leaves, then digits and numerators of so many right sides.
    pub fn ahead(&self, sides: usize) -> Vec<Ahead> {
        let beyond = (self.minor.rows().len() - self.minor.triangular()) as f64;
        let product = self.machine.dense.product[3];
        let inverse = Ahead::shared("inverse mod p", beyond.powi(3) * product);
        std::iter::once(inverse).chain(self.solutions(sides)).collect()
    }

    /// Digits and numerators: of solutions whose numerators and denominators are as large as those of generic ones.
    pub fn solutions(&self, sides: usize) -> [Ahead; 2] {
        let (order, sides) = (self.minor.rows().len() as f64, sides as f64);
        let beyond = order - self.minor.triangular() as f64;
        let (integers, product) = (&self.machine.integers, self.machine.dense.product[3]);
        let bits = 2.0 * (self.hadamard_bits - SLACK * order).max(1.0);
        let lanes = if sides > 1.0 { LANES as f64 } else { 1.0 };
        let passes = (sides / lanes).ceil();
        let visits = PASSES * self.nnz as f64 + order;
        let pass = visits * (integers.visit + (lanes - 1.0) * integers.lane) + beyond * beyond * lanes * product;
        // A pass is made by one thread, but for large inverses.
        let threads = passes.min(rayon::current_num_threads() as f64).max(1.0);
        let digits = bits / f64::from(MAX_PRIME_BITS) * pass * passes / threads;
        let numerators = sides * order * ((bits / WORD).powi(2) * integers.product + integers.operation);
        [Ahead::alone("digits", digits), Ahead::shared("numerators", numerators)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is ahead grows with what it depends on, and is nothing for nothing.
    #[test]
    fn more_takes_longer() {
        let machine = Machine::reference();
        let minor = |order: u32, chain: usize| Minor::new((0..order).collect(), (0..order).collect(), chain);
        let seconds = |order, chain, nnz, bits, sides| -> f64 {
            let lift = Lift { machine: &machine, minor: &minor(order, chain), nnz, hadamard_bits: bits };
            let ahead = lift.ahead(sides);
            assert_eq!(
                ahead.iter().map(|ahead| ahead.phase).collect::<Vec<_>>(),
                ["inverse mod p", "digits", "numerators"]
            );
            assert!(ahead.iter().all(|ahead| ahead.seconds.is_finite() && ahead.seconds >= 0.0), "{ahead:?}");
            ahead.iter().map(|ahead| ahead.seconds).sum()
        };
        let base = seconds(1000, 500, 5000, 4000.0, 1);
        assert!(seconds(0, 0, 0, 0.0, 0) < 1e-6 && base > 0.0);
        for more in [
            seconds(2000, 500, 5000, 5000.0, 1),
            seconds(1000, 100, 5000, 4000.0, 1),
            seconds(1000, 500, 50_000, 4000.0, 1),
            seconds(1000, 500, 5000, 9000.0, 1),
            seconds(1000, 500, 5000, 4000.0, 20),
        ] {
            assert!(more > base, "{more} and {base}");
        }
    }
}
