//! Reduction of one panel of rows to reduced echelon form. Long rows are eliminated in a few columns at a time, and a
//! matrix product does the same to the others ([`transform`](super::transform)); short ones by halves, so that nearly
//! all of the work is matrix products in any case.

use super::entry::Entry;
use super::gemm::{Arithmetic, Place};
use crate::Result;
use crate::field::Modulus;

/// Rows of a panel, and so the depth k of most matrix products.
pub(super) const PANEL: usize = 256;
/// Ranges of rows up to this length are not halved.
const BASE: usize = 16;

/// A panel on its way to reduced echelon form in the columns from `from` on.
pub(super) struct Panel<T: Entry> {
    pub(super) modulus: Modulus,
    pub(super) arithmetic: Arithmetic,
    pub(super) data: Vec<T>,
    pub(super) cols: usize,
    pub(super) from: usize,
    /// Pivots lie in columns before this one.
    pub(super) end: usize,
    /// Up to so many rows are brought to their form by a transform, if they are long enough.
    pub(super) at_once: usize,
    /// The number of the row that now lies in each place.
    pub(super) row: Vec<usize>,
}

impl<T: Entry> Panel<T> {
    /// Brings the rows lo … hi to reduced echelon form, their non-zero rows to the front of the range, in the order of
    /// their numbers; returns the positions of the pivots.
    ///
    /// # Errors
    /// [`crate::Error::Memory`], after which the panel is good for nothing.
    pub(super) fn echelon(&mut self, lo: usize, hi: usize) -> Result<Vec<usize>> {
        if hi - lo <= self.at_once.max(BASE)
            && let Some(pivots) = self.echelon_by_transform(lo, hi)?
        {
            return Ok(pivots);
        }
        self.echelon_by_halves(lo, hi)
    }

    /// The same by halves, or row by row where these are few.
    pub(super) fn echelon_by_halves(&mut self, lo: usize, hi: usize) -> Result<Vec<usize>> {
        if hi - lo <= BASE {
            return self.echelon_by_rows(lo, hi);
        }
        let middle = lo + (hi - lo) / 2;
        let mut pivots = self.echelon(lo, middle)?;
        self.clear(middle..hi, lo, &pivots)?;
        let lower = self.echelon(middle, hi)?;
        self.clear(lo..lo + pivots.len(), middle, &lower)?;
        for t in 0..lower.len() {
            self.swap_rows(middle + t, lo + pivots.len() + t);
        }
        pivots.extend(lower);
        Ok(pivots)
    }

    /// Row by row.
    pub(super) fn echelon_by_rows(&mut self, lo: usize, hi: usize) -> Result<Vec<usize>> {
        let mut pivots: Vec<usize> = vec![];
        for i in lo..hi {
            for (t, &j) in pivots.iter().enumerate() {
                self.subtract(i, lo + t, j);
            }
            let row = &mut self.data[i * self.cols..][..self.cols];
            let Some(j) = (self.from..self.end).find(|&j| row[j] != T::default()) else { continue };
            let inverse = self.modulus.inv(row[j].into());
            self.arithmetic.scale(&mut row[j..], inverse)?;
            let place = lo + pivots.len();
            self.swap_rows(i, place);
            for t in 0..pivots.len() {
                self.subtract(lo + t, place, j);
            }
            pivots.push(j);
        }
        Ok(pivots)
    }

    /// Row `target` -= its entry at j times row `source`, whose first entry is a 1 at j.
    fn subtract(&mut self, target: usize, source: usize, j: usize) {
        let a = self.data[target * self.cols + j];
        if a == T::default() {
            return;
        }
        let (low, high) = self.data.split_at_mut(target.max(source) * self.cols);
        let first = &mut low[target.min(source) * self.cols..][j..self.cols];
        let second = &mut high[j..self.cols];
        let (y, x) = if target < source { (first, second) } else { (second, first) };
        self.arithmetic.subtract_multiple(y, a, x);
    }

    /// Subtracts from the `targets` what makes them zero at the pivots of the reduced rows source, source + 1, ….
    fn clear(&mut self, targets: std::ops::Range<usize>, source: usize, pivots: &[usize]) -> Result<()> {
        if targets.is_empty() || pivots.is_empty() {
            return Ok(());
        }
        // Reduced rows are zero before their pivots.
        let (k, cols, from) = (pivots.len(), self.cols, *pivots.iter().min().expect("there are pivots"));
        let coefficients: Vec<T> = targets
            .clone()
            .flat_map(|i| pivots.iter().map(move |&j| (i, j)))
            .map(|(i, j)| self.data[i * cols + j])
            .collect();
        let (low, high) = self.data.split_at_mut(targets.start.max(source) * cols);
        let split = targets.start.max(source);
        let (c, b) = if source < targets.start { (high, low) } else { (low, high) };
        let place =
            |row: usize| Place { offset: (row - if row >= split { split } else { 0 }) * cols + from, stride: cols };
        self.arithmetic.subtract_product(
            (targets.len(), k, cols - from),
            (c, place(targets.start)),
            (&coefficients, Place::packed(k)),
            (b, place(source)),
        )
    }

    pub(super) fn swap_rows(&mut self, i: usize, j: usize) {
        if i != j {
            let (low, high) = self.data.split_at_mut(i.max(j) * self.cols);
            low[i.min(j) * self.cols..][..self.cols].swap_with_slice(&mut high[..self.cols]);
            self.row.swap(i, j);
        }
    }
}
