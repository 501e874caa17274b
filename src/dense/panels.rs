//! Blocked elimination mod p, row panel by row panel: the basis of the row space grows, the rows themselves are not kept.
//!
//! Positions are a running order of the columns: pivot columns first, in the order they were found, the others behind
//! them in ascending order. Block i of the basis holds kᵢ rows; in their own pivot columns they are the identity (not
//! stored), before them they are zero, behind them lies T. A new panel P of rows is cleared by every block in turn,
//! `P[behind] -= P[pivots]·T`, one matrix product each; what is left of it is brought to reduced echelon form by halves, and
//! its non-zero rows are the next block.
//!
//! Invariant: each basis row is 0 left of its pivot in the *original* column order. Hence the pivot columns are the
//! column rank profile, as the pivot rows, met in order, are the row rank profile.

use super::Row;
use super::entry::Entry;
use super::gemm::Place;
use crate::field::Modulus;
use rayon::prelude::*;

/// Rows of a panel, and so the depth k of most matrix products.
const PANEL: usize = 256;
/// Ranges of rows up to this length are eliminated row by row.
const BASE: usize = 8;

/// Rows k of a reduced echelon form, without their pivot columns.
#[derive(Debug)]
struct Block<T> {
    /// Positions of the pivots: start … start + rows.
    start: usize,
    rows: usize,
    /// rows × (cols - start - rows), row-major.
    behind: Vec<T>,
}

/// A basis of the row space of the rows met so far.
#[derive(Debug)]
pub(super) struct Panels<T: Entry> {
    modulus: Modulus,
    context: T::Context,
    /// The column at each position.
    order: Vec<u32>,
    /// The position of each column.
    position: Vec<u32>,
    blocks: Vec<Block<T>>,
    pub(super) pivot_rows: Vec<usize>,
    rows_seen: usize,
}

impl<T: Entry> Panels<T> {
    pub(super) fn new(modulus: Modulus, cols: usize) -> Self {
        let order: Vec<u32> = (0..cols as u32).collect();
        let position = order.clone();
        let context = T::context(modulus);
        Panels { modulus, context, order, position, blocks: vec![], pivot_rows: vec![], rows_seen: 0 }
    }
    pub(super) fn pivot_cols(&self) -> &[u32] {
        &self.order[..self.pivot_rows.len()]
    }
    /// Rows that one call of [`Panels::absorb`] should bring.
    pub(super) const STEP: usize = PANEL;

    /// Adds rows to the span.
    pub(super) fn absorb(&mut self, rows: &[Row<'_>]) {
        let (cols, rank) = (self.order.len(), self.pivot_rows.len());
        let first = self.rows_seen;
        self.rows_seen += rows.len();
        if rank == cols || rows.is_empty() {
            return;
        }
        let mut panel = vec![T::default(); rows.len() * cols];
        for (line, (columns, values)) in panel.chunks_mut(cols).zip(rows) {
            for (&j, &v) in columns.iter().zip(*values) {
                line[self.position[j as usize] as usize] = T::from_residue(v);
            }
        }
        for block in &self.blocks {
            let coefficients = gather(&panel, cols, 0..rows.len(), block.start..block.start + block.rows);
            if coefficients.iter().any(|c| *c != T::default()) {
                let behind = block.start + block.rows;
                T::subtract_product(
                    self.context,
                    (rows.len(), block.rows, cols - behind),
                    (&mut panel, Place { offset: behind, stride: cols }),
                    (&coefficients, Place::packed(block.rows)),
                    (&block.behind, Place::packed(cols - behind)),
                );
            }
        }
        let mut local = Panel {
            modulus: self.modulus,
            context: self.context,
            data: panel,
            cols,
            from: rank,
            row: (first..self.rows_seen).collect(),
        };
        let pivots = local.echelon(0, rows.len());
        if !pivots.is_empty() {
            self.pivot_rows.extend(&local.row[..pivots.len()]);
            self.extend(&local.data, &pivots);
        }
    }

    /// Appends the block whose reduced rows lead `panel` and have their pivots at the positions `pivots`.
    fn extend(&mut self, panel: &[T], pivots: &[usize]) {
        let (cols, start) = (self.order.len(), self.pivot_rows.len() - pivots.len());
        let mut is_pivot = vec![false; cols];
        pivots.iter().for_each(|&j| is_pivot[j] = true);
        let rest: Vec<usize> = (start..cols).filter(|&j| !is_pivot[j]).collect();
        let behind = panel.chunks(cols).take(pivots.len()).flat_map(|row| rest.iter().map(|&j| row[j])).collect();
        // The running order changes behind `start`: older blocks follow.
        let moved: Vec<usize> = pivots.iter().chain(&rest).copied().collect();
        self.blocks.par_iter_mut().for_each(|block| {
            let origin = block.start + block.rows;
            let mut old = vec![T::default(); moved.len()];
            for row in block.behind.chunks_mut(cols - origin) {
                let tail = &mut row[start - origin..];
                old.copy_from_slice(tail);
                tail.iter_mut().zip(&moved).for_each(|(x, &j)| *x = old[j - start]);
            }
        });
        let order: Vec<u32> = moved.iter().map(|&j| self.order[j]).collect();
        self.order[start..].copy_from_slice(&order);
        self.order.iter().enumerate().for_each(|(at, &j)| self.position[j as usize] = at as u32);
        self.blocks.push(Block { start, rows: pivots.len(), behind });
    }
}

/// The entries at `rows × cols` of a row-major matrix.
fn gather<T: Copy>(data: &[T], stride: usize, rows: std::ops::Range<usize>, cols: std::ops::Range<usize>) -> Vec<T> {
    rows.flat_map(|i| &data[i * stride..][cols.clone()]).copied().collect()
}

/// A panel on its way to reduced echelon form in the columns from `from` on.
struct Panel<T: Entry> {
    modulus: Modulus,
    context: T::Context,
    data: Vec<T>,
    cols: usize,
    from: usize,
    /// The number of the row that now lies in each place.
    row: Vec<usize>,
}

impl<T: Entry> Panel<T> {
    /// Brings the rows lo … hi to reduced echelon form, their non-zero rows to the front of the range, in the order of
    /// their numbers; returns the positions of the pivots.
    fn echelon(&mut self, lo: usize, hi: usize) -> Vec<usize> {
        if hi - lo <= BASE {
            return self.echelon_by_rows(lo, hi);
        }
        let middle = lo + (hi - lo) / 2;
        let mut pivots = self.echelon(lo, middle);
        self.clear(middle..hi, lo, &pivots);
        let lower = self.echelon(middle, hi);
        self.clear(lo..lo + pivots.len(), middle, &lower);
        for t in 0..lower.len() {
            self.swap_rows(middle + t, lo + pivots.len() + t);
        }
        pivots.extend(lower);
        pivots
    }

    fn echelon_by_rows(&mut self, lo: usize, hi: usize) -> Vec<usize> {
        let mut pivots: Vec<usize> = vec![];
        for i in lo..hi {
            for (t, &j) in pivots.iter().enumerate() {
                self.subtract(i, lo + t, j);
            }
            let row = &mut self.data[i * self.cols..][..self.cols];
            let Some(j) = (self.from..self.cols).find(|&j| row[j] != T::default()) else { continue };
            let inverse = self.modulus.multiplier(self.modulus.inv(row[j].residue()));
            for x in &mut row[j..] {
                *x = T::from_residue(self.modulus.mul_by(x.residue(), inverse));
            }
            let end = lo + pivots.len();
            self.swap_rows(i, end);
            for t in 0..pivots.len() {
                self.subtract(lo + t, end, j);
            }
            pivots.push(j);
        }
        pivots
    }

    /// Row `target` -= its entry at j times row `source`, whose entry at j is 1.
    fn subtract(&mut self, target: usize, source: usize, j: usize) {
        let a = self.data[target * self.cols + j];
        if a == T::default() {
            return;
        }
        let (low, high) = self.data.split_at_mut(target.max(source) * self.cols);
        let first = &mut low[target.min(source) * self.cols..][self.from..self.cols];
        let second = &mut high[self.from..self.cols];
        let (y, x) = if target < source { (first, second) } else { (second, first) };
        T::subtract_multiple(self.context, y, a, x);
    }

    /// Subtracts from the `targets` what makes them zero at the pivots of the reduced rows source, source + 1, ….
    fn clear(&mut self, targets: std::ops::Range<usize>, source: usize, pivots: &[usize]) {
        if targets.is_empty() || pivots.is_empty() {
            return;
        }
        let (k, cols, from) = (pivots.len(), self.cols, self.from);
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
        T::subtract_product(
            self.context,
            (targets.len(), k, cols - from),
            (c, place(targets.start)),
            (&coefficients, Place::packed(k)),
            (b, place(source)),
        );
    }

    fn swap_rows(&mut self, i: usize, j: usize) {
        if i != j {
            let (low, high) = self.data.split_at_mut(i.max(j) * self.cols);
            low[i.min(j) * self.cols..][..self.cols].swap_with_slice(&mut high[..self.cols]);
            self.row.swap(i, j);
        }
    }
}
