//! The parameters of block Wiedemann: field, block size, projection, with the predicted cost and the reasons.

use super::cost::{Problem, Work};
use super::options::{Options, Route};
use crate::certify::{ErrorBound, degree_for_error, rank_failure};
use crate::cost::Machine;
use crate::field::ExtensionField;
use crate::gpu::Device;
use crate::report::Ahead;
use crate::sequence::GpuGram;
use crate::spmv::GpuShape;
use crate::words::counted;
use crate::{Error, Result};

/// Fields of fewer elements are extended even where no bound is asked for: on GF(q), a run is expected to fall short of
/// the rank about once in q, when rank(AᵀD₂A) < rank(A), unless an eigenvalue of B has more eigenvectors than a block
/// has columns (q is not large beside the number of small blocks of A).
const LEAST_LOG2_ORDER: f64 = 15.0;
/// The order that such an extension has at least.
const EXTENDED_LOG2_ORDER: f64 = 16.0;
/// A theorem that fails with at most this probability is worth the dense projection and the full length that it needs.
const WORTHWHILE: ErrorBound = ErrorBound::of_bits(10);

/// How block Wiedemann will run, and why.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameters {
    /// The degree k of the field GF(pᵏ) that block Wiedemann works over.
    pub degree: usize,
    /// The block size s.
    pub block: usize,
    /// Whether the symmetric form of the preconditioner is used.
    pub symmetric: bool,
    /// Whether the run meets the conditions of [`rank_failure`]: dense projection or its own, full length.
    pub by_theorem: bool,
    /// Whether the sequence is projected by itself, with half the products, where its place can do that.
    pub own: bool,
    /// Whether the generator is made by the GPU that makes the terms, if one does.
    pub basis_on_gpu: bool,
    /// Products in each direction for the sequences of all trials, for the largest rank that is possible.
    pub products: u64,
    /// Predicted seconds on one core, for all trials.
    pub seconds: f64,
    /// Those of the generator, and of its co-degree, in each trial.
    pub(super) parts: [f64; 2],
    /// Predicted peak bytes beyond the matrix as given.
    pub bytes: u64,
    /// The reasons, in a sentence or two.
    pub reason: String,
}

impl Parameters {
    /// Whether a sequence of such blocks is projected by itself on GPUs like these, each with whole blocks.
    pub fn projects_itself_on(&self, shape: GpuShape, devices: &[Device]) -> bool {
        self.own && GpuGram::has_kernels(shape, devices)
    }
    /// What is ahead of one of so many trials on the processor. Where one may stop `early`, the generator is looked at
    /// between terms.
    pub(super) fn ahead(&self, trials: usize, early: bool) -> Vec<Ahead> {
        let [basis, codegree] = self.parts;
        let sequence = self.seconds / trials as f64 - codegree;
        let first = match early && !self.by_theorem {
            true => vec![Ahead::shared("sequence", sequence)],
            false => vec![Ahead::shared("sequence", sequence - basis), Ahead::shared("σ-basis", basis)],
        };
        first.into_iter().chain([Ahead::shared("interpolation", codegree)]).collect()
    }
}

/// The parameters for `problem` under the user's wishes.
///
/// # Errors
/// [`Error::Usage`] if an error bound is asked for that no extension field reaches.
pub fn parameters(problem: &Problem, options: &Options, machine: &Machine) -> Result<Parameters> {
    let p = problem.modulus;
    let rank_bound = problem.rows.min(problem.cols);
    let log2_p = (p.get() as f64).log2();
    let (degree, by_theorem, why) = match options.error {
        Some(error) => {
            let most = ExtensionField::max_degree(p);
            let degree = degree_for_error(rank_bound, log2_p, options.trials, error, most).ok_or_else(|| {
                Error::Usage(format!(
                    "block Wiedemann cannot prove an error below {error} for rank up to {rank_bound} over GF({p}^k), \
                     k <= {most}, in {}: ask for more trials or for elimination",
                    counted(options.trials, "trial")
                ))
            })?;
            (degree, true, format!("error <= {error} is proven over GF({p}^{degree})"))
        }
        None if log2_p < LEAST_LOG2_ORDER => {
            let degree = (EXTENDED_LOG2_ORDER / log2_p).ceil() as usize;
            (degree, false, format!("GF({p}) is too small for the method: working over GF({p}^{degree})"))
        }
        None if rank_failure(rank_bound, log2_p) <= WORTHWHILE => {
            (1, true, format!("p is large enough for a theorem: error <= {}", rank_failure(rank_bound, log2_p)))
        }
        None => (1, false, format!("no theorem bounds the error at p = {p} and rank up to {rank_bound}")),
    };
    let symmetric = problem.symmetric && p.get() != 2;
    let may_own = options.route == Route::Shortcut;
    let work = Work { problem, machine, rank_bound, degree, symmetric, by_theorem, may_own };
    let block = options.block.unwrap_or_else(|| work.best_block(options.memory)).next_multiple_of(problem.grid);
    let early = if options.early_termination && !by_theorem { ", stops early" } else { "" };
    Ok(Parameters {
        degree,
        block,
        symmetric,
        by_theorem,
        own: work.own_is_sooner(block),
        basis_on_gpu: work.basis_is_for_gpu(block),
        products: work.products(block) as u64 * options.trials as u64,
        seconds: work.seconds(block) * options.trials as f64,
        parts: [work.basis_seconds(block), work.codegree_seconds(block)],
        bytes: work.bytes(block),
        reason: format!("{why}; block size {block}{early}"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::Modulus;

    fn problem(p: u64, grid: usize) -> Problem {
        let (modulus, n) = (Modulus::new(p).unwrap(), 5000);
        let (valued, scratch, levels) = (0, 0, 0);
        Problem { modulus, rows: n, cols: n, nnz: n, valued, symmetric: true, grid, scratch, levels, gpu: None }
    }

    #[test]
    fn small_fields_are_extended_and_large_ones_get_a_theorem() {
        for (p, degree, by_theorem) in [
            (2, 16, false),
            (3, 11, false),
            (7, 6, false),
            (32749, 2, false),
            (65521, 1, false),
            ((1 << 61) - 1, 1, true),
        ] {
            let c = parameters(&problem(p, 1), &Options::default(), &Machine::reference()).unwrap();
            assert_eq!((c.degree, c.by_theorem, c.symmetric), (degree, by_theorem, p != 2), "p = {p}");
        }
    }

    /// Long bases go to the GPU that makes the terms, where it has kernels: not over extensions, for wide residues or
    /// for wide blocks. Short ones are not worth loading these; nor is there a GPU where the processor makes the terms.
    #[test]
    fn long_bases_go_to_the_gpu_that_makes_the_terms() {
        let gpu = Machine::reference().with_gpu(16);
        let chosen = |p, n, block, machine: &Machine, gpu| {
            let given = Problem { rows: n, cols: n, gpu, ..problem(p, 1) };
            parameters(&given, &Options { block: Some(block), ..Options::default() }, machine).unwrap()
        };
        for (p, n, block, is_for_gpu) in [
            (65521, 100_000, 32, true),
            (65521, 1000, 32, false),
            (65521, 100_000, 128, false),
            (2147483647, 100_000, 32, true),
            (4294967291, 100_000, 16, false),
            (7, 100_000, 16, false),
        ] {
            let found = chosen(p, n, block, &gpu, Some(16));
            assert_eq!(found.basis_on_gpu, is_for_gpu, "p = {p}, n = {n}, block {block}");
            assert!(!chosen(p, n, block, &Machine::reference(), None).basis_on_gpu);
        }
        // Narrow blocks, whose bases the processor would make as soon, are not preferred for that.
        let found = parameters(
            &Problem {
                rows: 460_261,
                cols: 171_375,
                nnz: 6_080_000,
                symmetric: false,
                gpu: Some(16),
                ..problem(65521, 1)
            },
            &Options::default(),
            &gpu,
        );
        assert_eq!(found.unwrap().block, 32);
    }

    #[test]
    fn what_is_ahead_of_all_trials_is_what_they_take() {
        for (p, trials, early) in [(65521, 1, true), (65521, 3, false), (7, 2, true), ((1 << 61) - 1, 2, true)] {
            let options = Options { trials, early_termination: early, ..Options::default() };
            let found = parameters(&problem(p, 1), &options, &Machine::reference()).unwrap();
            let ahead = found.ahead(trials, early);
            let all: f64 = ahead.iter().map(|ahead| ahead.seconds).sum();
            let expected = found.seconds / (trials * rayon::current_num_threads()) as f64;
            assert!((all - expected).abs() <= 1e-9 * expected, "p = {p}: {ahead:?}");
            assert!(ahead.iter().all(|ahead| ahead.seconds >= 0.0), "p = {p}: {ahead:?}");
            assert_eq!(ahead.len(), if early && !found.by_theorem { 2 } else { 3 });
        }
    }

    #[test]
    fn an_error_bound_buys_a_degree_or_is_refused() {
        let error = |text: &str| Some(text.parse::<ErrorBound>().unwrap());
        let options = Options { error: error("1e-12"), ..Default::default() };
        let c = parameters(&problem(65521, 1), &options, &Machine::reference()).unwrap();
        assert!(c.by_theorem && rank_failure(5000, 65521f64.log2() * c.degree as f64) <= options.error.unwrap());
        let impossible = Options { error: error("1e-300"), ..Default::default() };
        assert!(matches!(parameters(&problem(65521, 1), &impossible, &Machine::reference()), Err(Error::Usage(_))));
    }

    #[test]
    fn blocks_fit_the_memory_where_one_does() {
        let machine = Machine::reference();
        let within = |memory| {
            let options = Options { memory, ..Default::default() };
            let found = parameters(&problem(65521, 1), &options, &machine).unwrap();
            (found.block, found.bytes)
        };
        let (free, bytes) = within(None);
        assert_eq!(within(Some(bytes)), (free, bytes));
        let (smaller, fewer) = within(Some(bytes - 1));
        assert!(smaller < free && fewer < bytes, "{smaller} for {free}");
        // Where none does, the least.
        assert_eq!(within(Some(1)), within(Some(0)));
        assert!(within(Some(1)).1 <= fewer);
    }

    #[test]
    fn scratch_is_counted() {
        // Whatever the projection would be.
        let options = Options { block: Some(16), route: Route::Both, ..Default::default() };
        let bytes =
            |scratch| parameters(&Problem { scratch, ..problem(65521, 1) }, &options, &Machine::reference()).unwrap();
        let (none, some) = (bytes(0), bytes(1_000_000));
        assert_eq!(some.bytes - none.bytes, 1_000_000 * 2 * none.block as u64);
    }

    #[test]
    fn blocks_fit_the_grid() {
        for p in [2, 65521, (1 << 61) - 1] {
            assert_eq!(parameters(&problem(p, 16), &Options::default(), &Machine::reference()).unwrap().block % 16, 0);
            let five = Options { block: Some(5), ..Default::default() };
            assert_eq!(parameters(&problem(p, 16), &five, &Machine::reference()).unwrap().block, 16);
            assert_eq!(parameters(&problem(p, 1), &five, &Machine::reference()).unwrap().block, 5);
        }
    }
}
