//! Components that are dense: many blocks on a diagonal, say. They are eliminated as they stand, all of them beside
//! each other, so that nothing looks for pivots in blocks that have none to give, and no thread waits where a block is
//! too small to be shared.
//!
//! An elimination is exact: what is found is proven.

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
            if !PLACES.contains(&(rows * cols)) || split.nnz(k) * SPARSE < rows * cols {
                continue;
            }
            entries += split.nnz(k);
            let rank = rows.min(cols);
            let seconds = EACH
                + Echelon::absorbing_seconds(prices, modulus, rows, cols)
                + Echelon::seconds(prices, modulus, rank, cols)
                + Echelon::dependent_seconds(prices, modulus, rows - rank, rank, cols);
            memory::push(&mut found.components, (k, seconds), NUMBERS)?;
            found.bytes = found.bytes.max(Echelon::memory(modulus, rank, cols));
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
        format!("one place in {SPARSE} or more of these {} is filled: they are eliminated as they stand", self.count())
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
