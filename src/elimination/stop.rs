//! When sparse elimination stops: what is left, and what a dense elimination of it costs compared with another window
//! of sparse pivots.

use super::active::{Active, Work};
use super::options::{EliminationOptions, Finish};
use super::residue::Residue;
use crate::cost;
use crate::dense::Echelon;
use crate::field::Modulus;
use crate::{Error, Result};

/// Pivots between two looks at costs, memory and the observer.
pub(super) const WINDOW: usize = 16;

/// The shape of what is left.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rest {
    pub rows: usize,
    pub cols: usize,
    pub nnz: usize,
    pub memory: u64,
}

impl Rest {
    pub(super) fn of<V: Residue>(active: &Active<V>) -> Self {
        Rest { rows: active.rows_left, cols: active.cols_left, nnz: active.nnz, memory: active.memory() }
    }

    /// Bytes of the dense elimination; the sparse rows stay until it has read them.
    fn dense_memory(self, modulus: Modulus) -> u64 {
        Echelon::memory(modulus, self.rows.min(self.cols), self.cols).saturating_add(self.memory)
    }

    /// An error if neither way fits; else whether the sparse way does.
    pub(super) fn must_fit(self, modulus: Modulus, options: &EliminationOptions) -> Result<bool> {
        let fits = |bytes: u64| options.max_memory.is_none_or(|limit| bytes <= limit);
        if !fits(self.memory) {
            return Err(Error::Memory(format!(
                "elimination needs {} MB with {} x {} left ({} MB to finish densely)",
                self.memory >> 20,
                self.rows,
                self.cols,
                self.dense_memory(modulus) >> 20
            )));
        }
        Ok(fits(self.dense_memory(modulus)))
    }

    /// Whether to finish densely, `before` being the state one window of sparse pivots ago.
    pub(super) fn wants_dense(
        self,
        modulus: Modulus,
        options: &EliminationOptions,
        before: (Rest, Work),
        work: Work,
    ) -> Result<bool> {
        if self.nnz == 0 {
            return Ok(false);
        }
        let dense_fits = self.must_fit(modulus, options)?;
        let density = self.nnz as f64 / (self.rows as f64 * self.cols as f64);
        let saved = before.0.dense_seconds(modulus, options) - self.dense_seconds(modulus, options);
        let wanted = self.rows.min(self.cols) <= options.dense_size
            || density >= options.dense_threshold
            || sparse_seconds(&options.sparse, before.1, work) > saved
            || self.near_limit(modulus, options, before.0);
        Ok(wanted && dense_fits || self.nnz > options.max_nnz)
    }

    /// Whether the dense way is about to be lost: it takes most of the memory allowed, and more than a window ago.
    fn near_limit(self, modulus: Modulus, options: &EliminationOptions, before: Rest) -> bool {
        let bytes = self.dense_memory(modulus);
        options.max_memory.is_some_and(|limit| bytes > limit / 4 * 3) && bytes > before.dense_memory(modulus)
    }

    /// Predicted seconds of one thread for the dense elimination of full rank r of the independent rows, and of each of
    /// the others, or a pass over the entries for each combination.
    fn dense_seconds(self, modulus: Modulus, options: &EliminationOptions) -> f64 {
        let (m, n) = (self.rows, self.cols);
        let r = m.min(n);
        // The price of words even where there are tiles of bytes: the prices of sparse steps were fitted against those.
        let prices = &cost::Dense { byte_tiles: false, ..options.dense };
        let others = match options.finish {
            Finish::Rows => Echelon::dependent_seconds(prices, modulus, m - r, r, n),
            Finish::Combinations => r as f64 * self.nnz as f64 * options.sparse.combination,
        };
        Echelon::seconds(prices, modulus, r, n) + others
    }
}

/// Predicted seconds of one thread for the sparse steps between two states of the count.
fn sparse_seconds(prices: &cost::Elimination, before: Work, now: Work) -> f64 {
    prices.scan * (now.scanned - before.scanned) as f64
        + prices.change * (now.changed - before.changed) as f64
        + prices.row * (now.rows - before.rows) as f64
}
