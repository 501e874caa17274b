//! Reduction of one panel of rows to reduced echelon form. Rows that are independent in their first columns, as random
//! combinations mostly are, are eliminated there, and one matrix product does the same to the others; else by halves,
//! so that nearly all of the work is matrix products in any case.

use super::entry::Entry;
use super::gemm::{Arithmetic, Place};
use super::parallel::for_each_chunk;
use crate::field::Modulus;
use crate::{Result, memory};

/// Rows of a panel, and so the depth k of most matrix products.
pub(super) const PANEL: usize = 256;
/// Ranges of rows up to this length are not halved.
const BASE: usize = 16;
/// Columns that rows are looked at in, beyond as many as there are rows.
const MARGIN: usize = 64;
/// Within the first columns, ranges of rows up to this length are eliminated by their own first columns.
const HALVES: usize = 32;
/// Columns that a transform is applied to at a time.
pub(super) const STRIP: usize = 1 << 12;
/// What the memory is for.
const TRANSFORM: &str = "a panel of a dense elimination";

/// A panel on its way to reduced echelon form in the columns from `from` on.
pub(super) struct Panel<T: Entry> {
    pub(super) modulus: Modulus,
    pub(super) arithmetic: Arithmetic,
    pub(super) data: Vec<T>,
    pub(super) cols: usize,
    pub(super) from: usize,
    /// Pivots lie in columns before this one.
    pub(super) end: usize,
    /// Up to so many rows are taken to be independent in their first few columns, until they are seen not to be.
    pub(super) generic: usize,
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
        let m = hi - lo;
        if m <= self.generic.max(BASE)
            && let Some(pivots) = self.echelon_by_transform(lo, hi)?
        {
            return Ok(pivots);
        }
        if m <= BASE {
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

    /// The same for rows that are independent in their first few columns already, `None` otherwise: the elimination of
    /// (these columns | I) finds the matrix that brings the rows to their form in one product.
    fn echelon_by_transform(&mut self, lo: usize, hi: usize) -> Result<Option<Vec<usize>>> {
        let (m, cols) = (hi - lo, self.cols);
        let rows = &self.data[lo * cols..hi * cols];
        let lead = |row: &[T]| row[self.from..self.end].iter().position(|x| *x != T::default());
        let Some(first) = rows.chunks(cols).filter_map(lead).min() else { return Ok(Some(vec![])) };
        let first = self.from + first;
        let window = m + (m / 2).min(MARGIN);
        if self.end - first < 4 * window {
            return Ok(None);
        }
        let width = window + m;
        let mut data = memory::zeros::<T>(m * width, TRANSFORM)?;
        for (i, (to, row)) in data.chunks_mut(width).zip(rows.chunks(cols)).enumerate() {
            to[..window].copy_from_slice(&row[first..first + window]);
            to[window + i] = T::from_residue(1);
        }
        let (modulus, arithmetic) = (self.modulus, self.arithmetic);
        // Halves: the whole would be the same once more.
        let generic = (m / 2).min(HALVES);
        let row = (lo..hi).collect();
        let mut small = Panel { modulus, arithmetic, data, cols: width, from: 0, end: window, generic, row };
        let mut pivots = if m <= BASE { small.echelon_by_rows(0, m)? } else { small.echelon(0, m)? };
        if pivots.len() < m {
            self.generic = self.generic.min(m / 2);
            return Ok(None);
        }
        let strip = (cols - first - window).min(STRIP);
        let mut made = memory::zeros::<T>(m * strip, TRANSFORM)?;
        for start in (first + window..cols).step_by(STRIP) {
            let count = STRIP.min(cols - start);
            let made = &mut made[..m * count];
            made.fill(T::default());
            arithmetic.add_product(
                (m, m, count),
                (made, Place::packed(count)),
                (&small.data, Place { offset: window, stride: width }),
                (&self.data[lo * cols..hi * cols], Place { offset: start, stride: cols }),
            )?;
            let rows = &mut self.data[lo * cols..hi * cols];
            for_each_chunk(rows, cols, count * size_of::<T>(), |i, row| {
                row[start..start + count].copy_from_slice(&made[i * count..][..count]);
            });
        }
        for (row, small) in self.data[lo * cols..hi * cols].chunks_mut(cols).zip(small.data.chunks(width)) {
            row[first..first + window].copy_from_slice(&small[..window]);
        }
        pivots.iter_mut().for_each(|j| *j += first);
        Ok(Some(pivots))
    }

    /// Row by row.
    fn echelon_by_rows(&mut self, lo: usize, hi: usize) -> Result<Vec<usize>> {
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

    fn swap_rows(&mut self, i: usize, j: usize) {
        if i != j {
            let (low, high) = self.data.split_at_mut(i.max(j) * self.cols);
            low[i.min(j) * self.cols..][..self.cols].swap_with_slice(&mut high[..self.cols]);
            self.row.swap(i, j);
        }
    }
}
