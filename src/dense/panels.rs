//! Blocked elimination mod p, row panel by row panel: the basis of the row space grows, the rows themselves are not
//! kept.
//!
//! Positions are a running order of the columns: pivot columns first, in the order they were found, the others behind
//! them in ascending order. Block i of the basis holds kᵢ rows; in their own pivot columns they are the identity (not
//! stored), before them they are zero, behind them lies T. A new panel of rows is cleared by all blocks, a few at a
//! time, and reduced ([`absorb`](super::absorb)); its non-zero rows are the next block, or join the last one while that
//! is short.
//!
//! Invariant: each basis row is 0 left of its pivot in the *original* column order. Hence the pivot columns are the
//! column rank profile, as the pivot rows, met in order, are the row rank profile.

use super::entry::Entry;
use super::factors::{Multipliers, Triangles};
use super::gemm::{Arithmetic, Place};
use super::panel::PANEL;
use super::parallel::for_each_chunk;
use super::transform::STRIP;
use crate::field::{Modulus, Rng};
use crate::parallel::Each;
use crate::{Error, Result, memory};
use rand::RngExt;
use rayon::prelude::*;
use std::ops::Range;

/// What the memory is for.
pub(super) const ROWS: &str = "a panel of a dense elimination";
const BASIS: &str = "the basis of a dense elimination";
/// Rows of a panel or a block that one task brings to another order of columns.
const ROWS_AT_ONCE: usize = 16;
const REDUCED: &str = "a reduced echelon form";
const ORDER: &str = "the order of the columns of a dense elimination";
const ORTHOGONAL: &str = "vectors orthogonal to a basis";

/// Rows k of a reduced echelon form, without their pivot columns.
#[derive(Debug)]
pub(super) struct Block<T> {
    /// Positions of the pivots: start … start + rows.
    pub(super) start: usize,
    pub(super) rows: usize,
    /// rows × (cols - start - rows), row-major.
    pub(super) behind: Vec<T>,
}

/// A basis of the row space of the rows met so far.
#[derive(Debug)]
pub(super) struct Panels<T: Entry> {
    pub(super) modulus: Modulus,
    pub(super) arithmetic: Arithmetic,
    /// The column at each position.
    pub(super) order: Vec<u32>,
    /// The position of each column.
    pub(super) position: Vec<u32>,
    pub(super) blocks: Vec<Block<T>>,
    pub(super) pivot_rows: Vec<usize>,
    pub(super) rows_seen: usize,
    /// If they are wanted.
    pub(super) multipliers: Option<Multipliers<T>>,
    /// Storage of the next panels.
    pub(super) spare: Vec<Vec<T>>,
}

impl<T: Entry> Panels<T> {
    pub(super) fn new(modulus: Modulus, cols: usize) -> Result<Self> {
        Ok(Panels {
            modulus,
            arithmetic: Arithmetic::new(modulus),
            order: memory::collect(0..cols as u32, ORDER)?,
            position: memory::collect(0..cols as u32, ORDER)?,
            blocks: vec![],
            pivot_rows: vec![],
            rows_seen: 0,
            multipliers: None,
            spare: vec![],
        })
    }
    /// A basis in reduced row echelon form: the columns in the order of positions, pivots first; the row rank profile
    /// and the number of rows seen; and what the rows have behind their pivots.
    ///
    /// # Errors
    /// [`crate::Error::Memory`].
    pub(super) fn of_reduced(
        modulus: Modulus,
        order: Vec<u32>,
        (pivot_rows, rows_seen): (Vec<usize>, usize),
        behind: Vec<T>,
    ) -> Result<Self> {
        let (cols, rows) = (order.len(), pivot_rows.len());
        assert_eq!(behind.len(), rows * (cols - rows), "entries behind {rows} pivots");
        let mut panels = Self::new(modulus, cols)?;
        order.iter().enumerate().for_each(|(at, &j)| panels.position[j as usize] = at as u32);
        (panels.order, panels.pivot_rows, panels.rows_seen) = (order, pivot_rows, rows_seen);
        panels.blocks.push(Block { start: 0, rows, behind });
        Ok(panels)
    }
    pub(super) fn pivot_cols(&self) -> &[u32] {
        &self.order[..self.pivot_rows.len()]
    }
    pub(super) fn cols(&self) -> usize {
        self.order.len()
    }

    /// Appends the block whose reduced rows lead `panel` and have their pivots at the positions `pivots`; what the rows
    /// were before, if multipliers are wanted. The rows of the panel that comes `next` follow the order of the columns.
    /// Where the rows join the last block, returns the entries that its rows had in the pivots.
    pub(super) fn extend(
        &mut self,
        panel: &[T],
        pivots: &[usize],
        own: Option<Own<T>>,
        next: Option<&mut [T]>,
    ) -> Result<Option<Vec<T>>> {
        let (cols, start) = (self.cols(), self.pivot_rows.len() - pivots.len());
        let runs = runs(start..cols, pivots);
        let rest = cols - start - pivots.len();
        let mut behind = memory::cleared::<T>(pivots.len() * rest, BASIS)?;
        if rest > 0 {
            for_each_chunk(&mut behind, rest, rest * size_of::<T>(), |i, to| copy_runs(&runs, &panel[i * cols..], to));
        }
        // The running order changes behind `start`, unless the pivots are the first columns there: older blocks follow.
        if pivots.iter().enumerate().any(|(t, &j)| j != start + t) {
            permute(pivots, &runs, 0, &mut memory::with_capacity(cols, ORDER)?, &mut self.order);
            self.order.iter().enumerate().for_each(|(at, &j)| self.position[j as usize] = at as u32);
            let all = |rows: &mut [T], origin: usize| {
                let width = (cols - origin).max(1);
                rows.par_chunks_mut(ROWS_AT_ONCE * width).try_each(|rows| {
                    let mut old = memory::with_capacity(width, ORDER)?;
                    rows.chunks_mut(width).for_each(|row| permute(pivots, &runs, origin, &mut old, row));
                    Ok::<_, Error>(())
                })
            };
            self.blocks.par_iter_mut().try_each(|block| all(&mut block.behind, block.start + block.rows))?;
            next.map_or(Ok(()), |rows| all(rows, 0))?;
        }
        match self.blocks.last_mut().filter(|last| last.rows + pivots.len() <= PANEL) {
            Some(last) => {
                let joined = last.join(self.arithmetic, pivots.len(), &behind, rest)?;
                if let (Some(multipliers), Some(Own { before, diagonal })) = (&mut self.multipliers, own) {
                    multipliers.join(self.arithmetic, pivots.len(), &before, &diagonal, &joined)?;
                }
                Ok(Some(joined))
            }
            None => {
                self.blocks.push(Block { start, rows: pivots.len(), behind });
                if let (Some(multipliers), Some(Own { before, diagonal })) = (&mut self.multipliers, own) {
                    multipliers.push(pivots.len(), before, diagonal)?;
                }
                Ok(None)
            }
        }
    }

    /// From the first row on, keeps what [`Panels::triangles`] needs.
    pub(super) fn keep_multipliers(&mut self) {
        assert_eq!(self.rows_seen, 0, "multipliers of all rows are kept");
        self.multipliers = Some(Multipliers::new());
    }
    /// The factors of the rows that are independent, in the pivot columns, if multipliers are kept.
    pub(super) fn triangles(&self) -> Result<Option<Triangles<T>>> {
        let Some(multipliers) = &self.multipliers else { return Ok(None) };
        let behind = |i: usize| {
            let Block { start, rows, behind } = &self.blocks[i];
            (&behind[..], self.cols() - start - rows)
        };
        multipliers.triangles(self.modulus, self.pivot_rows.len(), behind).map(Some)
    }

    /// See [`Echelon::orthogonal`](super::Echelon::orthogonal).
    pub(super) fn orthogonal(&self, count: usize, rng: &mut Rng) -> Result<Vec<u64>> {
        let (cols, rank, p) = (self.cols(), self.pivot_rows.len(), self.modulus.get());
        // By positions: a block gives its own from what lies behind it.
        let mut x = memory::zeros::<T>(cols * count, ORTHOGONAL)?;
        x[rank * count..].iter_mut().for_each(|x| *x = T::from_residue(rng.random_range(0..p)));
        for block in self.blocks.iter().rev() {
            let end = block.start + block.rows;
            let (own, behind) = x[block.start * count..].split_at_mut(block.rows * count);
            self.arithmetic.subtract_product(
                (block.rows, cols - end, count),
                (own, Place::packed(count)),
                (&block.behind, Place::packed(cols - end)),
                (behind, Place::packed(count)),
            )?;
        }
        let mut vectors = memory::zeros(cols * count, ORTHOGONAL)?;
        for (&j, x) in self.order.iter().zip(x.chunks_exact(count.max(1))) {
            vectors[j as usize * count..].iter_mut().zip(x).for_each(|(to, &x)| *to = x.into());
        }
        Ok(vectors)
    }

    /// Bytes of a basis of `rank` rows in blocks as high as they get.
    pub(super) fn basis_memory(rank: usize, cols: usize) -> u64 {
        let blocks = (0..rank).step_by(PANEL).map(|start| (start, rank.min(start + PANEL)));
        let entries: u128 = blocks.map(|(start, end)| (end - start) as u128 * (cols - end) as u128).sum();
        let numbers = rank * size_of::<usize>() + 2 * cols * size_of::<u32>();
        memory::saturated(entries * size_of::<T>() as u128 + numbers as u128)
    }
    /// Bytes that [`Panels::absorb`] needs in addition: two panels, the coefficients and operands of the products that
    /// clear one, and those of a product with what a transform makes, or a copy of the block that grows.
    pub(super) fn working_memory(modulus: Modulus, cols: usize) -> u64 {
        let panel = PANEL * cols * size_of::<T>();
        // As many coefficients as bytes have, whatever this machine's form: plans do not depend on it. A transform has
        // a window of columns, and six matrices as large as itself.
        let together = Arithmetic::of_bytes(modulus).map_or(1, Arithmetic::slices);
        let made = PANEL * (STRIP.min(cols) + 6 * PANEL + together * PANEL) * size_of::<T>();
        let packed = Arithmetic::new(modulus).packed_memory(PANEL, together * PANEL, cols);
        (2 * panel + packed + (made + packed).max(panel)) as u64
    }
    /// Bytes that the basis holds.
    #[cfg(test)]
    pub(super) fn held(&self) -> u64 {
        let entries: usize = self.blocks.iter().map(|block| block.behind.capacity()).sum();
        let positions = self.order.capacity() + self.position.capacity();
        (entries * size_of::<T>() + self.pivot_rows.len() * size_of::<usize>() + positions * size_of::<u32>()) as u64
    }

    /// The free columns of the reduced row echelon form, rank × free row-major, rows in the order of
    /// [`Panels::pivot_cols`].
    pub(super) fn into_reduced(mut self) -> Result<Vec<T>> {
        (self.spare, self.multipliers) = (vec![], None);
        let rank = self.pivot_rows.len();
        let free = self.cols() - rank;
        let mut reduced = memory::zeros::<T>(rank * free, REDUCED)?;
        if free == 0 {
            return Ok(reduced);
        }
        while let Some(block) = self.blocks.pop() {
            let (end, width) = (block.start + block.rows, self.order.len() - block.start - block.rows);
            let later = rank - end;
            let (low, done) = reduced.split_at_mut(end * free);
            let own = &mut low[block.start * free..];
            for_each_chunk(own, free, free * size_of::<T>(), |i, to| {
                to.copy_from_slice(&block.behind[i * width + later..(i + 1) * width]);
            });
            self.arithmetic.subtract_product(
                (block.rows, later, free),
                (own, Place::packed(free)),
                (&block.behind, Place::packed(width)),
                (done, Place::packed(free)),
            )?;
        }
        Ok(reduced)
    }
}

impl<T: Entry> Block<T> {
    /// Appends `count` reduced rows with `rest` entries behind their pivots, which are the first columns behind this
    /// block, and clears their pivots from the rows that are here; returns the entries that were there.
    fn join(&mut self, arithmetic: Arithmetic, count: usize, behind: &[T], rest: usize) -> Result<Vec<T>> {
        let width = count + rest;
        let coefficients = gather(&self.behind, width, 0..self.rows, 0..count)?;
        arithmetic.subtract_product(
            (self.rows, count, rest),
            (&mut self.behind, Place { offset: count, stride: width }),
            (&coefficients, Place::packed(count)),
            (behind, Place::packed(rest)),
        )?;
        let mut grown = memory::cleared::<T>((self.rows + count) * rest, BASIS)?;
        if rest > 0 {
            for_each_chunk(&mut grown, rest, rest * size_of::<T>(), |i, to| match i.checked_sub(self.rows) {
                None => to.copy_from_slice(&self.behind[i * width + count..][..rest]),
                Some(new) => to.copy_from_slice(&behind[new * rest..][..rest]),
            });
        }
        (self.behind, self.rows) = (grown, self.rows + count);
        Ok(coefficients)
    }
}

/// What the independent rows of a panel were before it was eliminated.
pub(super) struct Own<T> {
    /// Their coefficients of the blocks of the basis: rows × pivots before.
    before: Vec<T>,
    /// What these left of them, in their pivot columns.
    diagonal: Vec<T>,
}

impl<T: Entry> Own<T> {
    /// From a panel whose rows, the first being numbered `first`, were cleared by `rank` pivots, which left their
    /// coefficients in place; `row` are the numbers of the rows of the pivots.
    pub(super) fn gather(
        panel: &[T],
        cols: usize,
        rank: usize,
        first: usize,
        row: &[usize],
        pivots: &[usize],
    ) -> Result<Own<T>> {
        let line = |i: usize| &panel[(row[i] - first) * cols..][..cols];
        let mut before = memory::cleared(pivots.len() * rank, ROWS)?;
        if rank > 0 {
            for_each_chunk(&mut before, rank, rank * size_of::<T>(), |i, to| to.copy_from_slice(&line(i)[..rank]));
        }
        let mut diagonal = memory::with_capacity(pivots.len() * pivots.len(), ROWS)?;
        (0..pivots.len()).for_each(|i| diagonal.extend(pivots.iter().map(|&j| line(i)[j])));
        Ok(Own { before, diagonal })
    }
}

/// The maximal ranges of positions that hold no pivot.
fn runs(positions: Range<usize>, pivots: &[usize]) -> Vec<Range<usize>> {
    let mut sorted = pivots.to_vec();
    sorted.sort_unstable();
    let starts = std::iter::once(positions.start).chain(sorted.iter().map(|j| j + 1));
    let ends = sorted.iter().copied().chain([positions.end]);
    starts.zip(ends).map(|(start, end)| start..end).filter(|run| !run.is_empty()).collect()
}

fn copy_runs<T: Copy>(runs: &[Range<usize>], from: &[T], to: &mut [T]) {
    let mut at = 0;
    for run in runs {
        to[at..at + run.len()].copy_from_slice(&from[run.clone()]);
        at += run.len();
    }
}

/// Brings the pivots to the front of the positions they share with `runs`; `row` begins at position `origin`, and `old`
/// has room for it.
fn permute<T: Copy>(pivots: &[usize], runs: &[Range<usize>], origin: usize, old: &mut Vec<T>, row: &mut [T]) {
    old.clear();
    old.extend_from_slice(row);
    let start = origin + row.len() - pivots.len() - runs.iter().map(|run| run.len()).sum::<usize>();
    let (front, back) = row[start - origin..].split_at_mut(pivots.len());
    front.iter_mut().zip(pivots).for_each(|(x, &j)| *x = old[j - origin]);
    let shifted: Vec<Range<usize>> = runs.iter().map(|run| run.start - origin..run.end - origin).collect();
    copy_runs(&shifted, old, back);
}

/// The entries at `rows × cols` of a row-major matrix.
pub(super) fn gather<T: Entry>(data: &[T], stride: usize, rows: Range<usize>, cols: Range<usize>) -> Result<Vec<T>> {
    let width = cols.len();
    let mut part = memory::cleared(rows.len() * width, ROWS)?;
    if width > 0 {
        for_each_chunk(&mut part, width, width * size_of::<T>(), |i, to| {
            to.copy_from_slice(&data[(rows.start + i) * stride..][cols.clone()]);
        });
    }
    Ok(part)
}
