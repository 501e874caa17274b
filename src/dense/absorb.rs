//! Rows join a basis, panel by panel. A panel P is cleared by the blocks of the basis, `P[behind] -= P[pivots]·T`: in
//! the pivots of a few blocks by one after the other, behind these by all of them in one sum of matrix products. What
//! is left of it is brought to reduced echelon form ([`panel`](super::panel)) and extends the basis.
//!
//! Part of the reduction is the work of one thread. On several, the next panel is cleared at the same time by the
//! blocks that are there, and afterwards by the rows that the reduction added. Sums mod p are the same in any order, so
//! that the basis is the same. The coefficients that a panel leaves in its pivot columns are the multipliers, where
//! these are kept; where new rows N join a block of rows O with entries C in their pivot columns, those rows become O -
//! C·N, and a panel cleared by x·O + y·N before is one cleared by x·(O - C·N) + (y + x·C)·N.

use super::Row;
use super::entry::Entry;
use super::gemm::{Place, Summand};
use super::panel::{PANEL, Panel};
use super::panels::{Own, Panels, ROWS, gather};
use super::parallel::for_each_chunk;
use crate::parallel;
use crate::{Result, memory};
use std::ops::Range;

/// Panels of rows that are taken at a time.
const PANELS: usize = 4;
/// Multiply-adds beyond which it is one: seconds of a thread, after which a user is heard.
const WORK: u128 = 1 << 37;

impl<T: Entry> Panels<T> {
    /// Rows that the next call of [`Panels::absorb`] should bring: panels enough to overlap.
    pub(super) fn step(&self) -> usize {
        let rows = PANELS * PANEL;
        let work = rows as u128 * (self.pivot_rows.len() + rows) as u128 * self.cols() as u128;
        if rayon::current_num_threads() > 1 && work <= WORK { rows } else { PANEL }
    }
    /// Adds sparse rows to the span.
    pub(super) fn absorb(&mut self, rows: &[Row<'_>]) -> Result<()> {
        self.absorb_panels(rows.len(), |i, line, position, _| {
            for (&j, &v) in rows[i].0.iter().zip(rows[i].1) {
                line[position[j as usize] as usize] = T::from_residue(v);
            }
        })
    }
    /// Adds `rows` rows to the span that lie row-major in `data`.
    pub(super) fn absorb_dense<R: Copy + Into<u64> + Sync>(&mut self, rows: usize, data: &[R]) -> Result<()> {
        let cols = self.cols();
        self.absorb_panels(rows, |i, line, _, order| {
            let row = &data[i * cols..][..cols];
            line.iter_mut().zip(order).for_each(|(x, &j)| *x = T::from_residue(row[j as usize].into()));
        })
    }

    /// Adds rows to the span; `fill(i, row, position, order)` writes row i, which is zero before, by positions.
    fn absorb_panels(&mut self, rows: usize, fill: impl Fn(usize, &mut [T], &[u32], &[u32]) + Sync) -> Result<()> {
        let cols = self.cols();
        let range = |start: usize| start..rows.min(start + PANEL);
        let overlaps = rayon::current_num_threads() > 1;
        let mut next = None;
        for start in (0..rows).step_by(PANEL) {
            let (count, rank, first) = (range(start).len(), self.pivot_rows.len(), self.rows_seen);
            self.rows_seen += count;
            if rank == cols {
                continue;
            }
            let data = match next.take() {
                Some(panel) => panel,
                None => {
                    let room = self.spare.pop().unwrap_or_default();
                    self.cleared(range(start), &fill, room)?
                }
            };
            // What is to be factored: the entries before the elimination within the panel.
            let residual = self.multipliers.as_ref().map(|_| copied(&data, cols)).transpose()?;
            let mut local = Panel {
                modulus: self.modulus,
                arithmetic: self.arithmetic,
                data,
                cols,
                from: rank,
                end: cols,
                at_once: PANEL,
                row: (first..self.rows_seen).collect(),
            };
            let following = range(start + PANEL.min(rows - start));
            let (pivots, ahead) = if overlaps && !following.is_empty() {
                let room = self.spare.pop().unwrap_or_default();
                let basis = &*self;
                parallel::join(|| local.echelon(0, count), || basis.cleared(following, &fill, room).map(Some))
            } else {
                (local.echelon(0, count), Ok(None))
            };
            let pivots = pivots?;
            next = ahead?;
            if !pivots.is_empty() {
                memory::reserve(&mut self.pivot_rows, pivots.len(), ROWS)?;
                self.pivot_rows.extend(&local.row[..pivots.len()]);
                let own = residual.map(|residual| Own::gather(&residual, cols, rank, first, &local.row, &pivots));
                let joined = self.extend(&local.data, &pivots, own.transpose()?, next.as_deref_mut())?;
                if let Some(next) = &mut next {
                    self.clear(next, self.blocks.len() - 1, pivots.len())?;
                    if let (Some(_), Some(joined)) = (&self.multipliers, joined) {
                        self.correct(next, pivots.len(), &joined)?;
                    }
                }
            }
            self.spare.push(local.data);
        }
        Ok(())
    }

    /// A panel of the rows in a range, cleared by all blocks, in `panel`'s storage.
    fn cleared(
        &self,
        rows: Range<usize>,
        fill: &(impl Fn(usize, &mut [T], &[u32], &[u32]) + Sync),
        mut panel: Vec<T>,
    ) -> Result<Vec<T>> {
        let cols = self.cols();
        let (len, used) = (rows.len() * cols, panel.len() >= rows.len() * cols);
        if used {
            panel.truncate(len);
        } else {
            drop(panel);
            panel = memory::cleared(len, ROWS)?;
        }
        // Whoever writes a row touches its pages first, too.
        for_each_chunk(&mut panel, cols, cols * size_of::<T>(), |i, line| {
            if used {
                line.fill(T::default());
            }
            fill(rows.start + i, line, &self.position, &self.order);
        });
        let together = self.arithmetic.slices();
        for first in (0..self.blocks.len()).step_by(together) {
            self.clear_by_blocks(&mut panel, first..self.blocks.len().min(first + together))?;
        }
        Ok(panel)
    }

    /// Clears a panel by blocks that follow each other.
    fn clear_by_blocks(&self, panel: &mut [T], numbers: Range<usize>) -> Result<()> {
        let (cols, blocks) = (self.cols(), &self.blocks[numbers]);
        let Some(behind) = blocks.last().map(|last| last.start + last.rows) else { return Ok(()) };
        let rows = panel.len() / cols;
        let mut coefficients = Vec::with_capacity(blocks.len());
        for block in blocks {
            let (depth, end) = (block.rows, block.start + block.rows);
            let own = gather(panel, cols, 0..rows, block.start..end)?;
            if own.iter().all(|c| *c == T::default()) {
                continue;
            }
            // What the blocks that follow are to have for coefficients.
            self.arithmetic.subtract_product(
                (rows, depth, behind - end),
                (panel, Place { offset: end, stride: cols }),
                (&own, Place::packed(depth)),
                (&block.behind, Place::packed(cols - end)),
            )?;
            coefficients.push((block, own));
        }
        let summands = coefficients.iter().map(|(block, own)| {
            let end = block.start + block.rows;
            let b_at = Place { offset: behind - end, stride: cols - end };
            Summand { depth: block.rows, a: (own, Place::packed(block.rows)), b: (&block.behind, b_at) }
        });
        let summands: Vec<_> = summands.collect();
        self.arithmetic.subtract_products(
            (rows, cols - behind),
            (panel, Place { offset: behind, stride: cols }),
            &summands,
        )
    }

    /// Clears a panel by the last rows of a block, so many of them.
    fn clear(&self, panel: &mut [T], number: usize, last: usize) -> Result<()> {
        let (cols, block) = (self.cols(), &self.blocks[number]);
        let (rows, end) = (panel.len() / cols, block.start + block.rows);
        let coefficients = gather(panel, cols, 0..rows, end - last..end)?;
        if coefficients.iter().all(|c| *c == T::default()) {
            return Ok(());
        }
        self.arithmetic.subtract_product(
            (rows, last, cols - end),
            (panel, Place { offset: end, stride: cols }),
            (&coefficients, Place::packed(last)),
            (&block.behind, Place { offset: (block.rows - last) * (cols - end), stride: cols - end }),
        )
    }

    /// Gives a panel, cleared by the last block before `count` rows joined it and by these then, the coefficients of
    /// that block as it is now: `joined` are the entries that its older rows had in the pivots of those.
    fn correct(&self, panel: &mut [T], count: usize, joined: &[T]) -> Result<()> {
        let (cols, block) = (self.cols(), &self.blocks[self.blocks.len() - 1]);
        let (rows, older) = (panel.len() / cols, block.rows - count);
        let coefficients = gather(panel, cols, 0..rows, block.start..block.start + older)?;
        self.arithmetic.add_product(
            (rows, older, count),
            (panel, Place { offset: block.start + older, stride: cols }),
            (&coefficients, Place::packed(older)),
            (joined, Place::packed(count)),
        )
    }
}

/// A copy of a panel.
fn copied<T: Entry>(panel: &[T], cols: usize) -> Result<Vec<T>> {
    let mut copy = memory::cleared(panel.len(), ROWS)?;
    for_each_chunk(&mut copy, cols, cols * size_of::<T>(), |i, line| line.copy_from_slice(&panel[i * cols..][..cols]));
    Ok(copy)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dense::DenseMatrix;
    use crate::dense::gemm::tests::in_every_form;
    use crate::field::{Modulus, PrimeField, Rng};
    use rand::{RngExt, SeedableRng};

    /// Rows, of which each panel has few that are new, so that they join a block, with pivots anywhere; or nearly all.
    fn rows(p: u64, rows: usize, cols: usize, new: usize, rng: &mut Rng) -> Vec<u64> {
        let mut data = vec![0; rows * cols];
        for i in 0..rows {
            if i % PANEL < new {
                let first = rng.random_range(0..cols);
                data[i * cols + first..(i + 1) * cols].fill_with(|| rng.random_range(0..p));
            } else if i % 3 > 0 {
                data.copy_within((i - 1) * cols..i * cols, i * cols);
            }
        }
        data
    }

    /// Cleared by a few blocks at once, or by one after the other.
    #[test]
    fn blocks_clear_alike_together_and_alone() {
        in_every_form(&[5, 65521, (1 << 24) + 43, (1 << 40) + 15], |p| {
            let (modulus, cols, mut rng) = (Modulus::new(p).unwrap(), 1060, Rng::seed_from_u64(62 ^ p));
            let mut panels = Panels::<u64>::new(modulus, cols).unwrap();
            panels.absorb_dense(1040, &rows(p, 1040, cols, PANEL, &mut rng)).unwrap();
            let blocks = panels.blocks.len();
            assert!(blocks >= 4);
            // The last row has nothing in any pivot.
            let mut panel: Vec<u64> = (0..7 * cols).map(|_| rng.random_range(0..p)).collect();
            panel[6 * cols..][..panels.pivot_rows.len()].fill(0);
            for numbers in [0..0, 0..1, 0..blocks, 1..blocks, blocks - 2..blocks] {
                let (mut together, mut alone) = (panel.clone(), panel.clone());
                panels.clear_by_blocks(&mut together, numbers.clone()).unwrap();
                numbers
                    .clone()
                    .for_each(|number| panels.clear(&mut alone, number, panels.blocks[number].rows).unwrap());
                assert!(together == alone && together[6 * cols..] == panel[6 * cols..], "{numbers:?} mod {p}");
            }
        });
    }

    #[test]
    fn panels_that_overlap_make_the_same_basis() {
        fn check<T: Entry>(p: u64) {
            let (modulus, mut rng) = (Modulus::new(p).unwrap(), Rng::seed_from_u64(61 ^ p));
            for (count, cols, new) in
                [(1100, 260, 30), (1024, 700, 100), (1300, 600, 256), (600, 40, 256), (300, 90, 0)]
            {
                let data = rows(p, count, cols, new, &mut rng);
                let run = |threads, multipliers| {
                    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                    pool.install(|| {
                        let mut panels = Panels::<T>::new(modulus, cols).unwrap();
                        if multipliers {
                            panels.keep_multipliers();
                        }
                        panels.absorb_dense(count, &data).unwrap();
                        assert_eq!(panels.rows_seen, count);
                        // All rows are in the span.
                        let vectors = panels.orthogonal(2, &mut Rng::seed_from_u64(1)).unwrap();
                        for row in data.chunks(cols) {
                            for k in 0..2 {
                                let sum = row.iter().zip(vectors.chunks(2)).fold(0u128, |sum, (&x, v)| {
                                    (sum + u128::from(x) * u128::from(v[k])) % u128::from(p)
                                });
                                assert_eq!(sum, 0);
                            }
                        }
                        let (rows, order) = (panels.pivot_rows.clone(), panels.order.clone());
                        let right: Vec<u64> = (0..rows.len() as u64).map(|k| (7 * k + 1) % p).collect();
                        let solved = panels.triangles().unwrap().map(|factors| factors.solve(&right, 1).unwrap());
                        ((rows, order, vectors, panels.into_reduced().unwrap()), solved)
                    })
                };
                let (one, factored) = (run(1, false).0, run(1, true));
                assert!(factored.0 == one && factored.1.is_some());
                assert!(run(3, false).0 == one && run(3, true) == factored, "{count} x {cols} mod {p}");
                let rank = DenseMatrix::from_entries(count, cols, data.clone()).rank(&PrimeField(modulus));
                assert_eq!(one.0.len(), rank);
            }
        }
        let steps = |threads, cols| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| Panels::<u16>::new(Modulus::new(65521).unwrap(), cols).unwrap().step())
        };
        assert_eq!([steps(1, 260), steps(3, 260), steps(3, 200_000)], [PANEL, PANELS * PANEL, PANEL]);
        check::<u8>(5);
        check::<u16>(65521);
        check::<u32>(4_294_967_291);
        check::<u64>((1 << 63) - 25);
    }
}
