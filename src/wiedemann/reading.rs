//! How a run reads its sequence: the generator is looked at as the terms arrive, until it has settled.
//!
//! On several threads the generator of the terms so far is searched for beside the making of the next ones (where a GPU
//! makes them and the run does not stop early, in the end: there are no next ones): a search leaves most threads
//! without work most of the time, and so does a product of a narrow block; on a GPU most of a search is the work of one
//! multiprocessor. If the generator turns out to have settled, the terms that are under way are given up. What is
//! found, and in how many terms, does not depend on that.

use super::options::Route;
use super::searches::{STABLE_TERMS, Searches};
use super::state::{Counted, Saved};
use crate::certify::Domain;
use crate::field::{Field, Rng};
use crate::parallel;
use crate::report::{Keeper, Phases, Quiet};
use crate::sequence::SequenceSource;
use crate::spmv::GpuMatrix;
use crate::{Error, Observer, Result, memory};
use std::sync::atomic::{AtomicBool, Ordering};

/// Each time the sequence grows by this fraction before the generator is looked at again.
pub(super) const GROWTH: usize = 8;
/// The same where a GPU makes the generator: a look costs little there, while the terms beyond those that are needed,
/// half of a step in the mean, take as long as others.
const GROWTH_ON_GPU: usize = 16;
/// A sequence that does not stop early is not looked at before it has so many terms.
const FIRST_LOOK: usize = 64;

/// What one run found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Run {
    /// The rank as this run sees it. By the shortcut it never exceeds the rank; by the co-degree route that holds once
    /// the generator annihilates the whole sequence.
    pub value: usize,
    /// Terms of the sequence that were computed.
    pub terms: usize,
    /// Whether the generator had stood still when the sequence ended.
    pub settled: bool,
}

/// How a sequence is read, wherever it comes from.
pub(super) struct Reading<'a, F> {
    pub field: &'a F,
    /// The order n of B.
    pub order: usize,
    /// Terms after which the generator is settled for generic projections.
    pub expected: usize,
    /// Whether a generator that stands still ends the sequence before.
    pub early: bool,
    pub route: Route,
    /// The kind of the projection.
    pub projection: &'static str,
    /// The matrix on the GPU that makes the σ-basis, beside the terms.
    pub gpu: Option<&'a GpuMatrix>,
}

/// Passes everything on, and asks to stop as soon as `done` is set.
struct Until<'a> {
    observer: &'a dyn Observer,
    done: &'a AtomicBool,
}

impl Observer for Until<'_> {
    fn progress(&self, done: u64) {
        self.observer.progress(done);
    }
    fn restored(&self, done: u64) {
        self.observer.restored(done);
    }
    fn warning(&self, message: &str) {
        self.observer.warning(message);
    }
    fn keeper(&self) -> Option<&dyn Keeper> {
        self.observer.keeper()
    }
    fn cancelled(&self) -> bool {
        self.done.load(Ordering::Relaxed) || self.observer.cancelled()
    }
}

impl<F: Field> Reading<'_, F> {
    /// Reads the sequence of the source. The observer sees the phase `sequence` in units of terms.
    ///
    /// Of the time in which terms and generator are made beside each other, `sequence` is what passes until there are
    /// terms, `sigma_basis` the rest.
    pub fn run(
        &self,
        source: &mut dyn SequenceSource<F::Elem>,
        stream: &dyn Fn(Domain) -> Rng,
        phases: &mut Phases,
        observer: &dyn Observer,
    ) -> Result<Run> {
        let (n, s, expected, together) = (self.order, source.block(), self.expected, source.together());
        let last_resort = 2 * n + 2 + STABLE_TERMS;
        observer.phase("sequence", expected as u64);
        let searches = || Searches::new(self.field, s, self.route, self.gpu);
        // Kernels are compiled.
        let mut searches = if self.gpu.is_some() { phases.time("device", searches) } else { searches() }?;
        let elsewhere = source.is_elsewhere();
        let growth = if searches.are_on_gpu() { GROWTH_ON_GPU } else { GROWTH };
        let beside = rayon::current_num_threads() > 1;
        let mut saved = Saved::of(source, self.field.degree(), self.projection, observer)?;
        let mut terms_from = |length: usize, done: &AtomicBool| {
            let target = if self.early || elsewhere {
                next_length(length, expected, self.early.then_some(growth))
            } else {
                next_half(length, expected)
            };
            let target = target.next_multiple_of(together);
            let mut terms = memory::with_capacity((target - length).saturating_mul(s * s), "the terms of a sequence")?;
            let counted = Counted { observer: &Until { observer, done }, before: length, expected };
            saved.extend(self.field, source, (length, target), &mut terms, &counted)?;
            Ok::<_, Error>(terms)
        };
        let (mut length, mut ready) = (0, None);
        loop {
            let done = AtomicBool::new(false);
            let terms: Vec<F::Elem> = match ready.take() {
                // A failure is none where the generator has settled without these terms.
                Some(terms) => terms?,
                None => phases.time("sequence", || terms_from(length, &done))?,
            };
            length += terms.len() / (s * s);
            let mut search = |shown: &dyn Observer| {
                let searched = searches.extend(&terms, shown);
                let settled = || searches.full(n) || searches.settled() && (length >= expected || self.early);
                // A search that failed needs no further terms.
                done.store(searched.is_err() || settled(), Ordering::Relaxed);
                searched
            };
            if beside && length < expected {
                let (searched, next) = both(|| search(&Quiet(observer)), || terms_from(length, &done), phases);
                searched?;
                ready = Some(next);
            } else {
                // What is done between terms belongs to the sequence.
                let (quiet, last) = (Quiet(observer), !self.early && length >= expected);
                if last {
                    observer.phase("σ-basis", length as u64);
                }
                phases.time("sigma_basis", || search(if last { observer } else { &quiet }))?;
            }
            if done.load(Ordering::Relaxed) {
                break;
            }
            if length >= last_resort {
                observer.warning("the generator has not settled at twice the order of the matrix");
                break;
            }
        }
        observer.phase("σ-basis checked", 0);
        phases.time("sigma_basis", || searches.verify(&mut stream(Domain::Verification)))?;
        observer.check()?;
        let value = phases.time("codegree", || searches.value(self.field, observer))?;
        Ok(Run { value, terms: length, settled: searches.settled() })
    }
}

/// A search beside terms.
fn both<T: Send>(
    search: impl FnOnce() -> Result<()> + Send,
    terms: impl FnOnce() -> Result<T> + Send,
    phases: &mut Phases,
) -> (Result<()>, Result<T>) {
    phases.two(["sequence", "sigma_basis"], |begins| {
        let terms = || {
            let terms = terms();
            begins();
            terms
        };
        parallel::join(search, terms)
    })
}

/// The length up to which the sequence is computed next: all that is expected, unless it may end early and is looked at
/// each time it has grown by that fraction.
pub(super) fn next_length(length: usize, expected: usize, early: Option<usize>) -> usize {
    if length >= expected {
        return length + (length / GROWTH).max(STABLE_TERMS);
    }
    let Some(growth) = early else { return expected };
    let target = length + (length / growth).max(32);
    // No short last piece.
    if target + target / (2 * growth) >= expected { expected } else { target }
}

/// The same for a sequence that does not stop early and has a generator made beside it: by the halves at which the
/// search divides all terms, so that it takes no longer for them.
fn next_half(length: usize, expected: usize) -> usize {
    if length >= expected {
        return next_length(length, expected, None);
    }
    let mut target = expected;
    while target.div_ceil(2) > length.max(FIRST_LOOK) {
        target = target.div_ceil(2);
    }
    target
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Silent;
    use crate::blackbox::{Diagonals, Preconditioned};
    use crate::field::{Modulus, PrimeField};
    use crate::oracles::dense_rank;
    use crate::sequence::{Krylov, Projection, Start};
    use crate::sparse::SparseMatrix;
    use crate::spmv::{Plan, PlanOptions, Product};
    use rand::{RngExt, SeedableRng};

    /// A sequence that says that it is made elsewhere.
    struct Elsewhere<'a>(&'a mut dyn SequenceSource<u64>);

    impl SequenceSource<u64> for Elsewhere<'_> {
        fn block(&self) -> usize {
            self.0.block()
        }
        fn is_elsewhere(&self) -> bool {
            true
        }
        fn together(&self) -> usize {
            self.0.together()
        }
        fn extend(&mut self, count: usize, terms: &mut Vec<u64>, observer: &dyn Observer) -> Result<()> {
            self.0.extend(count, terms, observer)
        }
        fn state(&self) -> Result<Option<std::borrow::Cow<'_, crate::spmv::Block>>> {
            self.0.state()
        }
        fn restore(&mut self, residues: &[u64]) -> Result<()> {
            self.0.restore(residues)
        }
    }

    /// What one run finds in a sequence on so many threads, with `elsewhere` as if a GPU made it.
    fn found(a: &SparseMatrix, block: usize, early: bool, (threads, elsewhere): (usize, bool)) -> Run {
        let product = Product::new(a, &Plan::choose(a, &PlanOptions::default()).unwrap()).unwrap();
        let field = PrimeField(a.modulus());
        let rng = &mut Rng::seed_from_u64(5);
        let diagonals = Diagonals::random(&field, a.rows(), a.cols(), false, rng).unwrap();
        let n = diagonals.order();
        let projection = Projection::sparse(&field, n, block, rng).unwrap();
        let operator = Preconditioned::new(&product, diagonals).unwrap();
        let mut source = Krylov::new(&field, &operator, projection, block, Start::Bx, rng).unwrap();
        let expected = 2 * n.div_ceil(block) + 2;
        let reading = Reading {
            field: &field,
            order: n,
            expected,
            early,
            route: Route::Shortcut,
            projection: "sparse",
            gpu: None,
        };
        let stream = |_| Rng::seed_from_u64(6);
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let mut there = Elsewhere(&mut source);
        let source: &mut dyn SequenceSource<u64> = if elsewhere { &mut there } else { there.0 };
        let (run, phases) = pool.install(|| {
            let mut phases = Phases::default();
            (reading.run(source, &stream, &mut phases, &Silent).unwrap(), phases)
        });
        assert!(
            phases.iter().any(|(name, _)| name == "sequence") && phases.processor().count() == phases.iter().count()
        );
        run
    }

    /// Of full and of low rank, with few rows and with none: what is found, and in how many terms, is the same on any
    /// number of threads.
    #[test]
    fn threads_do_not_show() {
        let (p, mut rng) = (Modulus::new(65521).unwrap(), Rng::seed_from_u64(4));
        for (rows, cols, low) in [(1, 1, 1), (40, 300, 300), (900, 800, 800), (900, 800, 150)] {
            // Rows drawn from a few are of low rank.
            let few: Vec<Vec<(usize, u64)>> = (0..low)
                .map(|_| (0..5).map(|_| (rng.random_range(0..cols), rng.random_range(1..p.get()))).collect())
                .collect();
            let of_row = |i: usize| few[i % low].iter().map(move |&(j, v)| (i, j, v));
            let entries: Vec<_> = (0..rows).flat_map(of_row).collect();
            let a = SparseMatrix::from_triplets(p, rows, cols, &entries);
            let rank = dense_rank(&a);
            for (block, early) in [(1, true), (4, true), (4, false)] {
                let one = found(&a, block, early, (1, false));
                let is_full = rank == rows.min(cols);
                assert!(one.value == rank && (one.settled || is_full), "{rows} x {cols}, blocks of {block}: {one:?}");
                assert_eq!([2, 5].map(|threads| found(&a, block, early, (threads, false))), [one, one]);
                // Nor does it where terms are made; other lengths are looked at where all terms are expected.
                for there in [1, 2, 5].map(|threads| found(&a, block, early, (threads, true))) {
                    assert!(there.value == one.value && there.settled == one.settled, "{there:?}, {one:?}");
                    assert!(!early || there == one, "{there:?}, {one:?}");
                }
            }
        }
    }

    #[test]
    fn halves_reach_what_is_expected() {
        for expected in [0, 1, 63, 64, 65, 129, 1000, 12_041] {
            let mut lengths = vec![next_half(0, expected)];
            while lengths[lengths.len() - 1] < expected {
                lengths.push(next_half(lengths[lengths.len() - 1], expected));
            }
            assert!(lengths.windows(2).all(|pair| pair[1].div_ceil(2) == pair[0]), "{lengths:?}");
            assert!(expected == 0 || lengths[0] <= 2 * FIRST_LOOK && lengths.contains(&expected), "{lengths:?}");
            assert!(next_half(expected, expected) >= expected + STABLE_TERMS);
        }
    }
}
