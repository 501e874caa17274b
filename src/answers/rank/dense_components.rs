//! Components that are dense: many blocks on a diagonal, say. They are eliminated as they stand, all of them beside
//! each other, so that nothing looks for pivots in blocks that have none to give, and no thread waits where a block is
//! too small to be shared.
//!
//! An elimination is exact: what is found is proven.

use super::plan::ENTRY;
use super::{Method, RankOptions};
use crate::decomposition::Keep;
use crate::dense::{Echelon, Row};
use crate::matching::Split;
use crate::report::Quiet;
use crate::sparse::SparseMatrix;
use crate::{Forecast, Observer, Result, memory};
use rayon::prelude::*;
use std::ops::RangeInclusive;
use std::sync::atomic::{AtomicU64, Ordering};

/// A component is dense if it has at least one entry in so many places …
const SPARSE: usize = 4;
/// … and so many places: smaller ones take no time, and larger ones occupy all threads one by one.
const PLACES: RangeInclusive<usize> = 1 << 6..=1 << 20;
/// Entries of dense components from which on they are taken apart from the others.
const MANY: usize = if cfg!(test) { 1 << 10 } else { 1 << 14 };
/// Predicted seconds for each component beside its arithmetic.
const EACH: f64 = 5e-5;
/// What the memory is for.
const NUMBERS: &str = "the numbers of dense components";
const ROWS: &str = "the rows of a dense component";

/// The dense components of a matrix.
pub(super) struct DenseComponents {
    /// Their numbers, ascending, and the predicted seconds of each.
    components: Vec<(usize, f64)>,
    /// Bytes of so many as there are threads, at most.
    bytes: u64,
}

impl DenseComponents {
    /// Those of the components that `split` cuts `core` into, if they are worth it: where pivots are not asked for, and
    /// no other way to the rank is.
    ///
    /// # Errors
    /// [`crate::Error::Memory`].
    pub fn of(core: &SparseMatrix, split: &Split<'_>, options: &RankOptions) -> Result<Option<Self>> {
        if options.keep() != Keep::Nothing || !matches!(options.method, Method::Auto | Method::Elimination) {
            return Ok(None);
        }
        let (modulus, prices) = (core.modulus(), &options.machine.dense);
        let mut found = DenseComponents { components: vec![], bytes: 0 };
        let mut entries = 0;
        for k in 0..split.count() {
            let (rows, cols) = split.shape(k);
            // Shapes first: of most components nobody counts the entries.
            let nnz = if PLACES.contains(&(rows * cols)) { split.nnz(k) } else { 0 };
            if nnz == 0 || nnz * SPARSE < rows * cols {
                continue;
            }
            entries += nnz;
            let rank = rows.min(cols);
            let seconds = EACH
                + Echelon::absorbing_seconds(prices, modulus, rows, cols)
                + Echelon::seconds(prices, modulus, rank, cols)
                + Echelon::dependent_seconds(prices, modulus, rows - rank, rank, cols);
            memory::push(&mut found.components, (k, seconds), NUMBERS)?;
            // The component is a matrix of its own, rows of which are named.
            let copy = ENTRY * nnz as u64 + (rows * size_of::<Row<'_>>()) as u64;
            found.bytes = found.bytes.max(Echelon::memory(modulus, rank, cols).saturating_add(copy));
        }
        let threads = rayon::current_num_threads().min(found.components.len()) as u64;
        found.bytes = found.bytes.saturating_mul(threads);
        let fits = options.max_memory.is_none_or(|limit| found.bytes <= limit);
        Ok((entries >= MANY && fits).then_some(found))
    }
    /// How many there are.
    pub fn count(&self) -> usize {
        self.components.len()
    }
    /// Whether component `k` is one of them.
    pub fn contain(&self, k: usize) -> bool {
        self.components.binary_search_by_key(&k, |&(k, _)| k).is_ok()
    }
    /// What their ranks are predicted to take.
    pub fn forecast(&self) -> Forecast {
        Forecast { name: "dense components", why: self.why(), seconds: self.seconds(), bytes: self.bytes }
    }
    /// Predicted seconds of one thread.
    pub fn seconds(&self) -> f64 {
        self.components.iter().map(|(_, seconds)| seconds).sum()
    }
    /// Why they are eliminated so.
    pub fn why(&self) -> String {
        format!("at least one place in {SPARSE} of these {} is filled: they are eliminated as they stand", self.count())
    }

    /// The sum of their ranks, exactly.
    ///
    /// # Errors
    /// [`crate::Error::Interrupted`], [`crate::Error::Memory`].
    pub fn rank(&self, split: &Split<'_>, observer: &dyn Observer) -> Result<usize> {
        observer.phase("dense components", self.count() as u64);
        let done = AtomicU64::new(0);
        let ranks = self.components.par_iter().map(|&(k, _)| {
            let rank = rank_of(split, k, observer)?;
            observer.progress(1 + done.fetch_add(1, Ordering::Relaxed));
            Ok(rank)
        });
        ranks.try_reduce(|| 0, |a, b| Ok(a + b))
    }
}

/// The rank of a component.
fn rank_of(split: &Split<'_>, k: usize, observer: &dyn Observer) -> Result<usize> {
    let a = split.part(k)?.matrix;
    let mut echelon = Echelon::new(a.modulus(), a.cols())?;
    let rows: Vec<Row<'_>> = memory::collect((0..a.rows()).map(|i| a.row(i)), ROWS)?;
    echelon.absorb(&rows, &Quiet(observer))
}

#[cfg(test)]
mod tests {
    use super::super::plan::Left;
    use super::*;
    use crate::answers::{Rank, RankPlan, rank, rank_plan};
    use crate::certify::Certainty;
    use crate::field::{Modulus, Rng};
    use crate::oracles::dense_rank;
    use crate::{Silent, Step};
    use rand::seq::SliceRandom;
    use rand::{RngExt, SeedableRng};
    use std::borrow::Cow;

    /// A block of rank at most `rank`, of which about one place in `sparse` is filled, the first row and column all.
    fn block(p: u64, rows: usize, cols: usize, rank: usize, sparse: u32, rng: &mut Rng) -> Vec<(usize, usize, u64)> {
        let mut random = |n: usize| (0..n).map(|_| rng.random_range(1..p)).collect::<Vec<_>>();
        let (left, right) = (random(rows * rank), random(rank * cols));
        let entry = |i: usize, j: usize| {
            let terms = (0..rank).map(|k| left[i * rank + k] as u128 * right[k * cols + j] as u128 % p as u128);
            (terms.sum::<u128>() % p as u128) as u64
        };
        let places = (0..rows).flat_map(|i| (0..cols).map(move |j| (i, j)));
        places
            .filter(|&(i, j)| i == 0 || j == 0 || rng.random_ratio(1, sparse))
            .map(|(i, j)| (i, j, if sparse > 1 { 1 } else { entry(i, j) }))
            .filter(|e| e.2 != 0)
            .collect()
    }

    /// A block: rows, columns, entries.
    type Block = (usize, usize, Vec<(usize, usize, u64)>);

    /// The blocks on the diagonal of a matrix whose lines are shuffled.
    fn diagonal(p: u64, blocks: &[Block], rng: &mut Rng) -> SparseMatrix {
        let modulus = Modulus::new(p).unwrap();
        let [rows, cols] = [0, 1].map(|k| blocks.iter().map(|b| if k == 0 { b.0 } else { b.1 }).sum::<usize>());
        let mut order = |n: usize| {
            let mut all: Vec<usize> = (0..n).collect();
            all.shuffle(rng);
            all
        };
        let (row, col) = (order(rows), order(cols));
        let (mut entries, mut at) = (vec![], (0, 0));
        for (m, n, own) in blocks {
            entries.extend(own.iter().map(|&(i, j, v)| (row[at.0 + i], col[at.1 + j], v)));
            at = (at.0 + m, at.1 + n);
        }
        SparseMatrix::from_triplets(modulus, rows, cols, &entries)
    }

    fn sum_of_ranks(p: u64, blocks: &[Block]) -> usize {
        let modulus = Modulus::new(p).unwrap();
        blocks.iter().map(|(m, n, own)| dense_rank(&SparseMatrix::from_triplets(modulus, *m, *n, own))).sum()
    }

    fn is_dense(a: &SparseMatrix) -> bool {
        let (core, options) = (a.without_empty_lines().unwrap(), RankOptions::default());
        Left::of(Cow::Borrowed(&core), &options, &options.machine).unwrap().dense
    }

    fn is_taken(path: &[Step]) -> bool {
        path.iter().any(|step| step.name == "dense components")
    }

    fn found(a: &SparseMatrix, options: &RankOptions) -> Rank {
        let answer = rank(a, options, &Silent).unwrap();
        assert_eq!(answer.path.iter().filter_map(|step| step.rank).sum::<usize>(), answer.rank, "{:?}", answer.path);
        answer
    }

    /// Blocks of all shapes and ranks, alone and beside others that are sparse or have one entry.
    #[test]
    fn dense_blocks_are_eliminated_beside_each_other() {
        let (mut rng, mut taken) = (Rng::seed_from_u64(92), 0);
        for p in [2, 3, 251, 65521, (1 << 31) - 1, (1 << 61) - 1] {
            let mut blocks: Vec<_> = [(30, 30, 30), (20, 45, 7), (50, 9, 9), (8, 8, 1), (33, 32, 31)]
                .iter()
                .cycle()
                .take(30)
                .map(|&(m, n, r)| (m, n, block(p, m, n, r, 1, &mut rng)))
                .collect();
            let (alone, expected) = (diagonal(p, &blocks, &mut rng), sum_of_ranks(p, &blocks));
            // Over GF(2) every product is a block of ones: of rank 1, and dense.
            let answer = found(&alone, &RankOptions::default());
            assert!(answer.rank == expected && answer.certainty == Certainty::Proven, "{answer:?}");
            // Where dense work costs least the matrix is eliminated as a whole.
            let whole = !is_taken(&answer.path);
            assert_eq!(whole, is_dense(&alone), "{answer:?}");
            assert!(whole || answer.path.len() == 2, "{answer:?}");
            taken += usize::from(!whole);
            blocks.extend((0..3).map(|_| (60, 60, block(p, 60, 60, 0, 40, &mut rng))));
            blocks.push((220, 230, block(p, 220, 230, 0, 60, &mut rng)));
            blocks.extend((0..40).map(|_| (1, 1, vec![(0, 0, 1)])));
            let (mixed, expected) = (diagonal(p, &blocks, &mut rng), sum_of_ranks(p, &blocks));
            for method in [Method::Auto, Method::Elimination, Method::Hybrid] {
                let answer = found(&mixed, &RankOptions { method, ..Default::default() });
                assert_eq!(answer.rank, expected, "{method:?}: {answer:?}");
                assert_eq!(is_taken(&answer.path), method != Method::Hybrid && !is_dense(&mixed), "{answer:?}");
            }
            // A minor has pivots of all of it, and of each other.
            let minor = found(&mixed, &RankOptions { minor: true, ..Default::default() });
            assert!(minor.rank == expected && !is_taken(&minor.path));
            assert_eq!(minor.minor.unwrap().rows.len(), expected);
            // A plan names them, and the parts after them.
            let RankPlan { next, seconds, bytes, .. } = rank_plan(&mixed, &RankOptions::default(), &Silent).unwrap();
            assert_eq!(next[0].name == "dense components", !is_dense(&mixed));
            assert!(next[0].seconds > 0.0 && seconds >= next[0].seconds && bytes >= next[0].bytes.unwrap());
        }
        assert!(taken >= 3, "{taken}");
    }

    /// A component is dense from one place in four on, and of a few places.
    #[test]
    fn what_is_dense_has_its_edges() {
        let mut rng = Rng::seed_from_u64(93);
        let mut count = |sizes: &[(usize, usize, usize)]| {
            let mut blocks = vec![];
            for &(m, n, nnz) in sizes {
                // Connected: a first row and a first column, and the places that follow.
                let all = (0..n).map(|j| (0, j)).chain((1..m).map(|i| (i, 0)));
                let all = all.chain((1..m).flat_map(|i| (1..n).map(move |j| (i, j))));
                blocks.push((m, n, all.take(nnz).map(|(i, j)| (i, j, 1)).collect::<Vec<_>>()));
            }
            let a = diagonal(65521, &blocks, &mut rng);
            let found = crate::matching::components_of(&a).unwrap();
            assert_eq!(found.count, sizes.len());
            let split = Split::new(&a, &found).unwrap();
            let dense = |options: &RankOptions| {
                DenseComponents::of(&a, &split, options).unwrap().map_or(0, |dense| {
                    assert_eq!((0..split.count()).filter(|&k| dense.contain(k)).count(), dense.count());
                    dense.count()
                })
            };
            // Not where there is no room for them.
            assert_eq!(dense(&RankOptions { max_memory: Some(1000), ..Default::default() }), 0);
            dense(&RankOptions::default())
        };
        // Entries enough come from two blocks of 30 x 30.
        let full = (30, 30, 900);
        assert_eq!(count(&[full, full]), 2);
        assert_eq!(count(&[full, (5, 5, 25)]), 0, "too few entries in all");
        assert_eq!(count(&[full, full, (40, 40, 400), (40, 40, 399), (8, 8, 64), (7, 9, 63), (9, 7, 63)]), 4);
        assert_eq!(count(&[full, full, (1024, 1024, 1 << 18), (1025, 1024, 1 << 19)]), 3);
    }
}
