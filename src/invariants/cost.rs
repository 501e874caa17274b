//! What the relations of s vectors take, by either way, in seconds of one thread and bytes; and the choice.

use super::elimination::MORE;
use crate::cost::Machine;
use crate::dense::{Echelon, Reduced};
use crate::field::Modulus;
use crate::memory;
use crate::report::Ahead;
use crate::spmv::{Lane, pass_seconds, row_seconds};

/// Numbers of vectors that are compared.
const BLOCKS: [usize; 5] = [4, 8, 16, 32, 64];
/// Terms beyond those that a generic sequence needs.
const EXTRA_TERMS: f64 = 8.0;

/// What the price depends on.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// The modulus p.
    pub modulus: Modulus,
    /// The order n.
    pub order: usize,
    /// The entries.
    pub nnz: usize,
    /// Those of them that are not ±1.
    pub valued: usize,
}

/// How relations are found, with how many vectors.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Way {
    /// Whether by an echelon form, or by block Wiedemann.
    pub elimination: bool,
    /// The number of vectors s.
    pub block: usize,
    /// Predicted seconds of one thread.
    pub seconds: f64,
    /// Predicted peak bytes beyond the matrix.
    pub bytes: u64,
}

impl Shape {
    /// The cheapest way that fits into `limit` bytes, or else the smallest, with at least `least` vectors; and in any
    /// case with enough of them for a minimal polynomial that is wrong once in 2¹⁶ times at most, if 64 are enough.
    pub fn best(&self, machine: &Machine, least: usize, limit: Option<u64>) -> Way {
        let bits = (self.modulus.get() as f64).log2();
        let sure = ((self.order as f64).log2() + 16.0) / bits;
        let enough = BLOCKS.into_iter().filter(|&s| s >= least && s as f64 >= sure);
        let mut blocks: Vec<usize> = enough.collect();
        if blocks.is_empty() {
            blocks.push(least.max(BLOCKS[BLOCKS.len() - 1]));
        }
        let ways = blocks.iter().flat_map(|&s| [self.elimination(machine, s), self.wiedemann(machine, s)]);
        let ways: Vec<Way> = ways.collect();
        let fits = |way: &&Way| limit.is_none_or(|limit| way.bytes <= limit);
        let fastest = ways.iter().filter(fits).min_by(|a, b| a.seconds.total_cmp(&b.seconds));
        *fastest.or_else(|| ways.iter().min_by_key(|way| way.bytes)).expect("there are blocks")
    }

    /// One product with a block of so many vectors.
    pub fn pass_seconds(&self, machine: &Machine, width: usize) -> f64 {
        let (prices, width) = (&machine.passes, width.next_multiple_of(8));
        pass_seconds(prices, self.modulus, 2 * self.order, self.nnz, self.valued, width)
            + row_seconds(prices, self.order, width)
    }

    /// Whether dense products pay: a quarter of the entries, or more.
    pub fn is_dense(&self) -> bool {
        self.nnz >= self.order.saturating_mul(self.order).div_ceil(4)
    }

    /// One dense product with a block of so many vectors, A packed anew.
    fn dense_seconds(&self, machine: &Machine, width: usize) -> f64 {
        let n = self.order as f64;
        n * n * (width as f64 * machine.dense.product(self.modulus) + machine.dense.scatter)
    }

    /// What is ahead of a way's phases, in their order.
    pub fn ahead(&self, machine: &Machine, way: &Way) -> Vec<Ahead> {
        let s = way.block.min(self.order).max(1);
        let interpolation = self.determinant_seconds(machine, s);
        let ready = self.nnz as f64 * machine.passes.ready;
        let phases = match way.elimination {
            true => {
                let [powers, elimination] = self.elimination_seconds(machine, s);
                vec![
                    ("plan", ready),
                    ("powers", powers),
                    ("elimination", elimination),
                    ("interpolation", interpolation),
                ]
            }
            false => {
                let sequence = way.seconds - interpolation - 2.0 * ready;
                vec![("plan", 2.0 * ready), ("sequence", sequence), ("interpolation", interpolation)]
            }
        };
        phases.into_iter().map(|(phase, work)| Ahead::shared(phase, work)).collect()
    }

    /// The powers, and their echelon form.
    fn elimination_seconds(&self, machine: &Machine, s: usize) -> [f64; 2] {
        let (n, p, blocks) = (self.order, self.modulus, self.powers(s));
        let power = if self.is_dense() { self.dense_seconds(machine, s) } else { self.pass_seconds(machine, s) };
        let elimination = Echelon::absorbing_seconds(&machine.dense, p, n, blocks * s)
            + Echelon::seconds(&machine.dense, p, n, blocks * s)
            + Reduced::seconds(&machine.dense, p, n, blocks * s);
        [blocks as f64 * power, elimination]
    }

    /// Powers of s vectors for an echelon form.
    fn powers(&self, s: usize) -> usize {
        self.order.div_ceil(s) + 1 + if s == self.order { 0 } else { MORE }
    }

    /// By [`by_elimination`](super::by_elimination).
    pub fn elimination(&self, machine: &Machine, s: usize) -> Way {
        let (n, p) = (self.order, self.modulus);
        let s = s.min(n).max(1);
        let cols = self.powers(s) * s;
        let seconds = self.nnz as f64 * machine.passes.ready
            + self.elimination_seconds(machine, s).iter().sum::<f64>()
            + self.determinant_seconds(machine, s);
        let whole = if self.is_dense() { 8 * n as u128 * n as u128 } else { 0 };
        let powers = memory::saturated(n as u128 * cols as u128 * Lane::narrowest(p).bytes() as u128 + whole);
        let bytes = Echelon::memory(p, n, cols).saturating_mul(2).saturating_add(powers);
        Way { elimination: true, block: s, seconds, bytes }
    }

    /// By [`by_wiedemann`](super::by_wiedemann).
    pub fn wiedemann(&self, machine: &Machine, s: usize) -> Way {
        let s = s.min(self.order).max(1);
        let (n, width) = (self.order as f64, s as f64);
        let prices = &machine.wiedemann;
        let terms = 2.0 * (n / width).ceil() + EXTRA_TERMS;
        let term = self.pass_seconds(machine, s)
            + n * width * width * prices.dense_projection
            + 16.0 * width.powi(3) * terms.log2() * prices.basis_of(s);
        let seconds =
            self.nnz as f64 * 2.0 * machine.passes.ready + terms * term + self.determinant_seconds(machine, s);
        let lane = Lane::narrowest(self.modulus).bytes() as f64;
        // The layouts of A and Aᵀ, blocks and projection; series, basis and the transforms of a product.
        let bytes = 2.0 * self.nnz as f64 * (4.0 + lane)
            + n * width * (3.0 * lane + 40.0)
            + terms * width * width * (8.0 * 6.0 + 8.0 * 14.0);
        Way { elimination: false, block: s, seconds, bytes: bytes as u64 }
    }

    /// All invariant factors of s vectors, if the degrees of all but the last add up to `others`: s³/3 products of
    /// polynomials of that degree and their remainders, which take some 3/8 of its square in multiply-adds.
    pub(crate) fn factors_seconds(&self, machine: &Machine, s: usize, others: usize) -> f64 {
        (s as f64).powi(3) / 8.0 * (others as f64).powi(2) * machine.wiedemann.determinant
    }

    /// Determinants of order s at n points.
    fn determinant_seconds(&self, machine: &Machine, s: usize) -> f64 {
        self.order as f64 * (s as f64).powi(3) * machine.wiedemann.determinant
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_ahead_is_what_a_way_takes() {
        let machine = Machine::reference();
        for (p, order, nnz) in [(65521, 1000, 1_000_000), (65521, 50_000, 250_000), (2, 5, 10), (2, 300, 900)] {
            let shape = Shape { modulus: Modulus::new(p).unwrap(), order, nnz, valued: nnz };
            for way in [shape.elimination(&machine, 16), shape.wiedemann(&machine, 16)] {
                let ahead = shape.ahead(&machine, &way);
                let all = ahead.iter().map(|ahead| ahead.seconds).sum::<f64>() * rayon::current_num_threads() as f64;
                assert!((all - way.seconds).abs() <= 1e-9 * way.seconds, "{way:?}: {ahead:?}");
                assert!(ahead.iter().all(|ahead| ahead.seconds >= 0.0), "{ahead:?}");
            }
        }
    }

    #[test]
    fn small_and_dense_matrices_are_eliminated_and_large_sparse_ones_are_not() {
        let machine = Machine::reference();
        let shape = |p, order, nnz| Shape { modulus: Modulus::new(p).unwrap(), order, nnz, valued: nnz };
        let best = |p, order, nnz| shape(p, order, nnz).best(&machine, 1, None);
        assert!(best(65521, 1000, 1_000_000).elimination);
        assert!(!best(65521, 50_000, 250_000).elimination);
        // Small fields take more vectors, unless there are only so few.
        assert!(best(2, 1000, 5000).block >= 26 && best(2, 5, 10).block == 5);
        // What does not fit is not chosen where something else does.
        let limited = |limit| shape(65521, 3000, 9_000_000).best(&machine, 1, Some(limit));
        assert!(limited(120 << 20).bytes <= 120 << 20, "{:?}", limited(120 << 20));
        assert!(limited(1).bytes <= limited(120 << 20).bytes);
    }
}
