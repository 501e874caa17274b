//! A row of S to be: sums by column, and which of them are not 0.

use super::arithmetic::Arithmetic;
use super::pivot_rows::Entry;
use crate::{Result, memory};

/// What the memory is for.
const WORKSPACE: &str = "the workspace of a solver";
const SOLVED: &str = "rows of a Schur complement";

/// Sums by column of S, and where they are.
#[derive(Debug)]
pub(super) struct RowSums {
    sums: Vec<u64>,
    /// The first `count` are the columns whose sums are not 0. One place more than columns.
    touched: Vec<u32>,
    count: usize,
}

impl RowSums {
    /// No sums of so many columns.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    pub(super) fn new(cols: usize) -> Result<Self> {
        let touched = memory::zeros(cols + 1, WORKSPACE)?;
        Ok(RowSums { sums: memory::zeros(cols, WORKSPACE)?, touched, count: 0 })
    }

    /// Adds `coefficient` times the entries.
    #[inline(always)]
    pub(super) fn add<K: Arithmetic>(&mut self, k: K, coefficient: u64, entries: &[Entry<K>]) {
        k.products(coefficient, entries, |s, product| {
            let sum = &mut self.sums[s as usize];
            // Written down always and counted if it is new: no branch to predict.
            self.touched[self.count] = s;
            self.count += (*sum == 0) as usize;
            *sum = k.add(*sum, product);
        });
    }

    /// Empties the sums into `out`: non-zero residues, in no order.
    pub(super) fn drain<K: Arithmetic>(&mut self, k: K, out: &mut Vec<Entry<K>>) -> Result<()> {
        memory::reserve(out, self.count, SOLVED)?;
        for &s in &self.touched[..self.count] {
            let v = k.modulus().reduce(std::mem::take(&mut self.sums[s as usize]));
            if v != 0 {
                out.push((s, K::value(v)));
            }
        }
        self.count = 0;
        Ok(())
    }

    /// Empties the sums into `out`: non-zero residues by ascending column.
    pub(super) fn drain_sorted<K: Arithmetic>(&mut self, k: K, out: &mut Vec<Entry<K>>) -> Result<()> {
        let before = out.len();
        // A sort costs some nanoseconds for each entry and bit of their number, the walk about one for each column.
        if self.count * 16 <= self.sums.len() {
            self.drain(k, out)?;
            out[before..].sort_unstable_by_key(|e| e.0);
            return Ok(());
        }
        // Every column is written down, and kept if it is not zero: no branch to predict.
        let mut end = before;
        memory::reserve(out, self.sums.len(), SOLVED)?;
        out.resize(before + self.sums.len(), (0, K::value(0)));
        for (s, sum) in self.sums.iter_mut().enumerate() {
            let v = k.modulus().reduce(std::mem::take(sum));
            out[end] = (s as u32, K::value(v));
            end += (v != 0) as usize;
        }
        out.truncate(end);
        self.count = 0;
        Ok(())
    }
}
