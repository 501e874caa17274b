//! What a run of block Wiedemann takes, in seconds of one thread and bytes: products, projections, σ-basis, co-degree.

use crate::cost::{Device, Machine};
use crate::field::Modulus;
use crate::sequence::Gram;
use crate::sigma_basis::GpuBases;
use crate::spmv::{Lane, pass_seconds, row_seconds};

/// Terms beyond those that a generic sequence needs: until the generator is seen to have stabilised.
const EXTRA_TERMS: f64 = 8.0;
/// Residues that the loops of products take at least, narrower blocks filled up: four of them take as long as eight.
const LANES: usize = 8;

/// What a multiply-add of Gram matrices takes of residues of 17 to 31 bits, of one of narrower ones.
const WIDER: f64 = 2.0;

/// The properties of an operator that block Wiedemann needs.
#[derive(Clone, Copy, Debug)]
pub struct Problem {
    /// The modulus p.
    pub modulus: Modulus,
    /// Rows of the operator.
    pub rows: usize,
    /// Columns of the operator.
    pub cols: usize,
    /// Entries that a product reads.
    pub nnz: usize,
    /// Those of them that are not ±1.
    pub valued: usize,
    /// Whether the operator is symmetric.
    pub symmetric: bool,
    /// Blocks must have a width that is a multiple of this.
    pub grid: usize,
    /// Rows of the scratch block of a product, in addition to its operands.
    pub scratch: usize,
    /// Levels that a product waits for, each for [`Device::level`](crate::cost::Device::level) whatever the width of
    /// the block: those of the triangular solves of a GPU.
    pub levels: usize,
    /// The threads for which a second of the GPU counts that makes the products, if one does: it may make the
    /// generator, too.
    pub gpu: Option<usize>,
}

/// What determines the cost of one run of block Wiedemann.
pub(super) struct Work<'a> {
    pub problem: &'a Problem,
    pub machine: &'a Machine,
    pub rank_bound: usize,
    /// The degree of the field.
    pub degree: usize,
    /// Whether the symmetric form of the preconditioner is used.
    pub symmetric: bool,
    /// Whether a projection that is drawn is dense.
    pub by_theorem: bool,
    /// Whether the sequence may be projected by itself.
    pub may_own: bool,
}

impl Work<'_> {
    /// Block sizes the model compares.
    const BLOCKS: [usize; 5] = [4, 8, 16, 32, 64];

    /// The one that takes the least time of those that take no more than so many bytes; if none does, the least bytes.
    pub fn best_block(&self, memory: Option<u64>) -> usize {
        let possible = || Self::BLOCKS.into_iter().filter(|s| s.is_multiple_of(self.problem.grid));
        let fitting = possible().filter(|&s| memory.is_none_or(|limit| self.bytes(s) <= limit));
        let soonest = fitting.min_by(|&a, &b| self.seconds(a).total_cmp(&self.seconds(b)));
        soonest.or_else(|| possible().min_by_key(|&s| self.bytes(s))).expect("a non-empty list")
    }

    /// Terms of the sequence.
    pub fn terms(&self, s: usize) -> f64 {
        2.0 * (self.rank_bound as f64 / s as f64).ceil() + EXTRA_TERMS
    }

    /// Predicted seconds of one thread with block size s.
    pub fn seconds(&self, s: usize) -> f64 {
        self.sequence_seconds(s) + self.codegree_seconds(s)
    }

    /// Predicted seconds of one thread for the generator of the sequence, made where that is sooner.
    pub fn basis_seconds(&self, s: usize) -> f64 {
        if self.basis_is_for_gpu(s) { self.basis_seconds_on_gpu(s) } else { self.basis_seconds_here(s) }
    }
    /// Whether the generator is made sooner on the GPU that makes the products, the start of its kernels included: the
    /// processor, which has nothing else to do, leaves most of its threads without work.
    pub fn basis_is_for_gpu(&self, s: usize) -> bool {
        let idle = |threads: usize| (threads as f64 / Device::BASIS_THREADS).max(1.0);
        self.problem.gpu.is_some_and(|by| self.basis_seconds_on_gpu(s) < self.basis_seconds_here(s) * idle(by))
    }
    /// The multiplications of PM-Basis: about 16 s³ a term and level of recursion.
    fn basis_products(&self, s: usize) -> f64 {
        let terms = self.terms(s);
        16.0 * (s as f64).powi(3) * terms.log2().max(1.0) * terms
    }
    /// Over extensions there are that many of digits, and leaves are done element by element.
    fn basis_seconds_here(&self, s: usize) -> f64 {
        let (k, prices) = (self.degree as f64, &self.machine.wiedemann);
        let each = match self.degree {
            1 => prices.basis_of(s),
            _ => (2.0 * k - 1.0) * prices.basis_digit,
        };
        self.basis_products(s) * each
    }
    /// Leaves one after the other, and products; infinite without kernels.
    fn basis_seconds_on_gpu(&self, s: usize) -> f64 {
        let (p, prices) = (self.problem.modulus, &self.machine.device);
        if self.degree > 1 || !GpuBases::has_kernels(p, 2 * s, s) {
            return f64::INFINITY;
        }
        let leaves = self.terms(s) * (prices.order + (s as f64).powi(3) * prices.leaf);
        prices.bases + leaves + self.basis_products(s) * prices.basis
    }

    /// Predicted seconds of one thread for the co-degree by interpolation, where the field has the points: a
    /// determinant of order s for each of up to n. (By row division it takes no time as a rule.)
    pub fn codegree_seconds(&self, s: usize) -> f64 {
        let has_points = self.degree == 1 && self.problem.modulus.get() > self.rank_bound as u64 + 2;
        let price = if has_points { self.machine.wiedemann.determinant } else { 0.0 };
        self.rank_bound as f64 * (s as f64).powi(3) * price
    }

    /// Predicted seconds of one thread for the sequence and its generator.
    fn sequence_seconds(&self, s: usize) -> f64 {
        let ready = self.problem.nnz as f64 * self.machine.passes.ready;
        ready + self.basis_seconds(s) + self.terms(s) * self.term_seconds(s)
    }

    /// Whether a sequence is made sooner if it is projected by itself: for certain where the alternative is as dense.
    pub fn own_is_sooner(&self, s: usize) -> bool {
        let own = self.own_seconds(s);
        self.may_own && own.is_finite() && (self.by_theorem || own < self.drawn_seconds(s))
    }
    /// Products in each direction.
    pub fn products(&self, s: usize) -> f64 {
        if self.own_is_sooner(s) { (self.terms(s) / 2.0).ceil() } else { self.terms(s) }
    }

    /// Predicted seconds of one thread for a term.
    fn term_seconds(&self, s: usize) -> f64 {
        if self.own_is_sooner(s) { self.own_seconds(s) } else { self.drawn_seconds(s) }
    }
    /// The same of one that is projected by a Y of its own.
    fn drawn_seconds(&self, s: usize) -> f64 {
        let (width, prices) = ((s * self.degree) as f64, &self.machine.wiedemann);
        let each = if self.by_theorem { width * prices.dense_projection } else { prices.projection };
        self.product_seconds(s) + self.rank_bound as f64 * width * each
    }
    /// The same of one of a sequence that is projected by itself: half of a product, and half of what is made of a
    /// block that is weighted for two.
    fn own_seconds(&self, s: usize) -> f64 {
        let width = s * self.degree;
        let multiply_adds = self.rank_bound as f64 * (width * (width + Gram::WEIGHING)) as f64;
        self.product_seconds(s) / 2.0 + multiply_adds * self.gram()
    }
    /// The price of a multiply-add of Gram matrices, infinite where there are none.
    fn gram(&self) -> f64 {
        let prices = &self.machine.wiedemann;
        match (self.degree, self.problem.modulus.bits()) {
            (_, 32..) => prices.gram_wide,
            (2.., _) => prices.gram_digits,
            (_, 17..) => WIDER * prices.gram,
            _ => prices.gram,
        }
    }

    /// Predicted seconds of one thread for a product with B.
    fn product_seconds(&self, s: usize) -> f64 {
        let products = if self.symmetric { 1.0 } else { 2.0 };
        // Every line of the operands and of the working space is reduced and scaled, however few entries there are.
        let Problem { modulus, nnz, valued, .. } = *self.problem;
        let lines = self.problem.rows + self.problem.cols + self.problem.scratch;
        let width = (s * self.degree).next_multiple_of(LANES);
        let waits = self.problem.levels as f64 * self.machine.device.level;
        let made = (self.problem.rows + self.problem.cols) / 2 + self.problem.scratch;
        let prices = &self.machine.passes;
        let pass = pass_seconds(prices, modulus, lines, nnz, valued, width) + row_seconds(prices, made, width);
        products * (pass + waits) + self.scaling_seconds(s)
    }
    /// Predicted seconds of one thread for the scalings of a product over an extension.
    fn scaling_seconds(&self, s: usize) -> f64 {
        let (k, prices) = (self.degree as f64, &self.machine.wiedemann);
        if self.degree > 1 { self.rank_bound as f64 * s as f64 * k * (4.0 + k) * prices.scaling } else { 0.0 }
    }

    /// Predicted peak bytes: the matrix in two layouts, three blocks and scratch, series, basis and the transforms of a
    /// product.
    pub fn bytes(&self, s: usize) -> u64 {
        let lane_bytes = Lane::narrowest(self.problem.modulus).bytes();
        let element = if self.degree == 1 { 8.0 } else { 16.0 };
        let layouts = 2.0 * self.problem.nnz as f64 * (4.0 + lane_bytes as f64)
            + 16.0 * (self.problem.rows + self.problem.cols) as f64;
        let block_rows = 2 * self.rank_bound + self.problem.rows.max(self.problem.cols) + self.problem.scratch;
        let blocks = block_rows as f64 * (s * self.degree * lane_bytes) as f64;
        let scalings = (self.problem.rows + self.problem.cols) as f64 * (self.degree * self.degree * 8) as f64;
        let term = (s * s) as f64;
        // Series and generator rows, and three transforms of (2s)² polynomials of half the length, padded.
        let basis = self.terms(s) * term * (element * 6.0 + 8.0 * 14.0 * (2 * self.degree - 1) as f64);
        // D₁⁻¹ and, over an extension, its scaling; or Y, as it is and as it is packed.
        let (n, k) = (self.rank_bound as f64, self.degree as f64);
        let projection = match self.own_is_sooner(s) {
            true => n * k * k * if self.degree > 1 { 16.0 } else { 8.0 },
            false if self.by_theorem => n * s as f64 * k * 32.0,
            false => 0.0,
        };
        (layouts + blocks + scalings + basis + projection) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What `blackfield bench sigma-basis --device cuda` took on an H100, kernels loaded: columns, order, seconds.
    const ON_AN_H100: [(usize, f64, f64); 9] = [
        (8, 1024.0, 0.0070),
        (8, 32768.0, 0.227),
        (16, 1024.0, 0.0098),
        (16, 32768.0, 0.325),
        (32, 1024.0, 0.0207),
        (32, 8192.0, 0.171),
        (32, 65536.0, 1.443),
        (64, 1024.0, 0.097),
        (64, 32768.0, 3.427),
    ];

    #[test]
    fn order_bases_on_a_gpu_are_predicted_within_a_fifth() {
        let mut machine = Machine::reference();
        machine.device.bases = 0.0;
        for (s, order, seconds) in ON_AN_H100 {
            let rank_bound = ((order - EXTRA_TERMS) / 2.0) as usize * s;
            let problem = Problem {
                modulus: Modulus::new(65521).unwrap(),
                rows: rank_bound,
                cols: rank_bound,
                nnz: 0,
                valued: 0,
                symmetric: false,
                grid: 1,
                scratch: 0,
                levels: 0,
                gpu: Some(1),
            };
            let (problem, machine) = (&problem, &machine);
            let work =
                Work { problem, machine, rank_bound, degree: 1, symmetric: false, by_theorem: false, may_own: true };
            assert_eq!(work.terms(s), order);
            let found = work.basis_seconds_on_gpu(s) / seconds;
            assert!((0.8..1.2).contains(&found), "{found} of {s} columns, order {order}");
        }
    }
}
