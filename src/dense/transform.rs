//! Rows brought to reduced echelon form by one matrix product: R = T·P.
//!
//! P has m long rows. Its columns are looked at window by window, the first little wider than m, since m random rows
//! have their pivots there. In a window the rows without a pivot yet, T·P for the T known so far, are eliminated
//! together with T: (T·P | T) to (R | T'). What rows have in later columns is not touched before T is known.
//!
//! The pivots, and so the form, are those of an elimination row by row: a row without a pivot in a window is 0 there
//! once the rows before it are subtracted, so that rows behind it, which may have theirs there, leave it as it is.

use super::entry::Entry;
use super::gemm::Place;
use super::panel::Panel;
use super::parallel::for_each_chunk;
use crate::{Result, memory};
use std::ops::Range;

/// Columns of the first window, beyond as many as there are rows.
const MARGIN: usize = 64;
/// Within a window, ranges of rows up to this length are transformed at once.
const AT_ONCE: usize = 32;
/// The most columns of a window, and that a transform is applied to at a time.
pub(super) const STRIP: usize = 1 << 12;
/// What the memory is for.
const TRANSFORM: &str = "a panel of a dense elimination";

/// T, on its way.
struct Transform<T> {
    /// Rows of P.
    rows: usize,
    /// T, rows × rows.
    by: Vec<T>,
    /// The position of the pivot of each row that has one.
    pivots: Vec<Option<usize>>,
    /// What the rows are in the window, if that was the only one.
    window: Option<(Range<usize>, Vec<T>)>,
}

impl<T: Entry> Panel<T> {
    /// Brings the rows lo … hi to reduced echelon form, as [`Panel::echelon`] does; `None` if they are too short for it
    /// to pay.
    ///
    /// # Errors
    /// [`crate::Error::Memory`], after which the panel is good for nothing.
    pub(super) fn echelon_by_transform(&mut self, lo: usize, hi: usize) -> Result<Option<Vec<usize>>> {
        // Rows without an entry go behind the others, and are left alone.
        let (cols, mut m, mut first) = (self.cols, 0, usize::MAX);
        for i in lo..hi {
            let row = &self.data[i * cols..(i + 1) * cols];
            if let Some(lead) = row[self.from..self.end].iter().position(|x| *x != T::default()) {
                first = first.min(self.from + lead);
                self.swap_rows(i, lo + m);
                m += 1;
            }
        }
        if m == 0 {
            return Ok(Some(vec![]));
        }
        let mut width = m + (m / 2).min(MARGIN);
        if self.end - first < 4 * width {
            return Ok(None);
        }
        let mut by = memory::zeros::<T>(m * m, TRANSFORM)?;
        (0..m).for_each(|i| by[i * m + i] = T::from_residue(1));
        let pivots = memory::filled(None, m, TRANSFORM)?;
        let (mut transform, mut start) = (Transform { rows: m, by, pivots, window: None }, first);
        while start < self.end && transform.pivots.contains(&None) {
            let window = start..self.end.min(start + width);
            (start, width) = (window.end, (2 * width).min(STRIP.max(width)));
            self.find_pivots(lo, window, first, &mut transform)?;
        }
        self.apply(lo, first, transform).map(Some)
    }

    /// Finds the pivots that lie in a window, of which the `first` column of all is the first one of the first window.
    fn find_pivots(&self, lo: usize, window: Range<usize>, first: usize, transform: &mut Transform<T>) -> Result<()> {
        let Transform { rows: m, by, pivots, window: only } = transform;
        let (m, cols, packed) = (*m, self.cols, Place::packed);
        let rows = &self.data[lo * cols..(lo + m) * cols];
        let (open, done): (Vec<usize>, Vec<usize>) = (0..m).partition(|&i| pivots[i].is_none());
        let (in_window, width) = (window.len(), window.len() + m);
        // (T·P | T) of the rows without a pivot.
        let mut data = memory::zeros::<T>(open.len() * width, TRANSFORM)?;
        for (to, &i) in data.chunks_mut(width).zip(&open) {
            to[in_window..].copy_from_slice(&by[i * m..(i + 1) * m]);
        }
        let is_first = window.start == first;
        if is_first {
            let from = rows.chunks(cols).map(|row| &row[window.clone()]);
            data.chunks_mut(width).zip(from).for_each(|(to, row)| to[..in_window].copy_from_slice(row));
        } else {
            let own = gather(by, m, &open, 0..m)?;
            self.arithmetic.add_product(
                (open.len(), m, in_window),
                (&mut data, Place { offset: 0, stride: width }),
                (&own, packed(m)),
                (rows, Place { offset: window.start, stride: cols }),
            )?;
        }
        let at_once = (open.len() / 2).min(AT_ONCE);
        let mut small = Panel {
            modulus: self.modulus,
            arithmetic: self.arithmetic,
            data,
            cols: width,
            from: 0,
            end: in_window,
            at_once,
            row: (0..open.len()).collect(),
        };
        let found = small.echelon_by_halves(0, open.len())?;
        for (line, &k) in small.data.chunks(width).zip(&small.row) {
            by[open[k] * m..][..m].copy_from_slice(&line[in_window..]);
        }
        if !found.is_empty() && !done.is_empty() {
            // What the rows with a pivot have in the new ones.
            let (count, new) =
                (found.len(), small.data.chunks(width).take(found.len()).flat_map(|line| &line[in_window..]));
            let new: Vec<T> = memory::collect(new.copied(), TRANSFORM)?;
            let columns = rows.chunks(cols).flat_map(|row| found.iter().map(|&j| row[window.start + j]));
            let columns: Vec<T> = memory::collect(columns, TRANSFORM)?;
            let mut old = gather(by, m, &done, 0..m)?;
            let mut there = memory::zeros::<T>(done.len() * count, TRANSFORM)?;
            let shape = (done.len(), m, count);
            self.arithmetic.add_product(
                shape,
                (&mut there, packed(count)),
                (&old, packed(m)),
                (&columns, packed(count)),
            )?;
            let shape = (done.len(), count, m);
            self.arithmetic.subtract_product(
                shape,
                (&mut old, packed(m)),
                (&there, packed(count)),
                (&new, packed(m)),
            )?;
            for (line, &i) in old.chunks(m).zip(&done) {
                by[i * m..][..m].copy_from_slice(line);
            }
        }
        for (&j, &k) in found.iter().zip(&small.row) {
            pivots[open[k]] = Some(window.start + j);
        }
        *only = (is_first && found.len() == m).then_some((window, small.data));
        Ok(())
    }

    /// Replaces the rows by T·P: those with a pivot, and behind them the others, which are zero before `end`; returns
    /// the positions of the pivots.
    fn apply(&mut self, lo: usize, first: usize, transform: Transform<T>) -> Result<Vec<usize>> {
        let Transform { rows: m, by, pivots, window } = transform;
        let (cols, arithmetic) = (self.cols, self.arithmetic);
        let (mut order, without): (Vec<usize>, Vec<usize>) = (0..m).partition(|&i| pivots[i].is_some());
        order.extend(without);
        let by = gather(&by, m, &order, 0..m)?;
        let rows = &mut self.data[lo * cols..(lo + m) * cols];
        let behind = window.as_ref().map_or(first, |(window, _)| window.end);
        let mut made = memory::cleared::<T>(m * (cols - behind).min(STRIP), TRANSFORM)?;
        for start in (behind..cols).step_by(STRIP) {
            let count = STRIP.min(cols - start);
            let made = &mut made[..m * count];
            if start > behind {
                for_each_chunk(made, count, count * size_of::<T>(), |_, row| row.fill(T::default()));
            }
            arithmetic.add_product(
                (m, m, count),
                (made, Place::packed(count)),
                (&by, Place::packed(m)),
                (rows, Place { offset: start, stride: cols }),
            )?;
            for_each_chunk(rows, cols, count * size_of::<T>(), |i, row| {
                row[start..start + count].copy_from_slice(&made[i * count..][..count]);
            });
        }
        if let Some((window, data)) = window {
            // All rows have a pivot there, and are in order.
            for (row, line) in rows.chunks_mut(cols).zip(data.chunks(window.len() + m)) {
                row[window.clone()].copy_from_slice(&line[..window.len()]);
            }
        }
        let numbers: Vec<usize> = order.iter().map(|&i| self.row[lo + i]).collect();
        self.row[lo..lo + m].copy_from_slice(&numbers);
        Ok(pivots.into_iter().flatten().collect())
    }
}

/// Some rows of a row-major matrix, in a range of columns.
fn gather<T: Copy>(data: &[T], stride: usize, rows: &[usize], cols: Range<usize>) -> Result<Vec<T>> {
    memory::collect(rows.iter().flat_map(|&i| &data[i * stride..][cols.clone()]).copied(), TRANSFORM)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dense::gemm::tests::in_every_form;
    use crate::field::{Modulus, Rng};
    use rand::{RngExt, SeedableRng};

    /// Rows of every kind: random from a column on, zero, equal to others, combinations of those before them, equal to
    /// these but for a late entry.
    fn rows(p: u64, m: usize, cols: usize, kinds: u32, rng: &mut Rng) -> Vec<u64> {
        let mut data = vec![0; m * cols];
        for i in 0..m {
            let (above, row) = data.split_at_mut(i * cols);
            let row = &mut row[..cols];
            match rng.random_range(0..kinds) {
                1 => {}
                2.. if i > 0 => {
                    let other = rng.random_range(0..i);
                    row.copy_from_slice(&above[other * cols..][..cols]);
                    if rng.random() {
                        let late = rng.random_range(0..cols);
                        row[late] = (row[late] + 1) % p;
                    }
                }
                kind => {
                    let first = if kind == 0 { 0 } else { rng.random_range(0..cols) };
                    row[first..].fill_with(|| rng.random_range(0..p));
                }
            }
        }
        data
    }

    /// Row by row, by halves and by a transform the form is the same, and so are the pivots and the rows that have
    /// them.
    #[test]
    fn transforms_make_the_form_of_an_elimination_row_by_row() {
        in_every_form(&[5, 251, 65521, (1 << 31) - 1, (1 << 61) - 1], |p| {
            let (modulus, mut rng) = (Modulus::new(p).unwrap(), Rng::seed_from_u64(63 ^ p));
            for (m, cols, kinds) in [(1, 40, 1), (1, 40, 2), (16, 300, 1), (17, 300, 4), (70, 700, 5), (130, 9000, 3)] {
                let data = rows(p, m, cols, kinds, &mut rng);
                // The first columns belong to pivots of before, the last ones are no place for one.
                let (from, end) = if m == 17 { (3, cols - 5) } else { (0, cols) };
                let panel = |at_once| Panel {
                    modulus,
                    arithmetic: super::super::gemm::Arithmetic::new(modulus),
                    data: data.clone(),
                    cols,
                    from,
                    end,
                    at_once,
                    row: (100..100 + m).collect(),
                };
                let mut twin = panel(0);
                let expected = twin.echelon_by_rows(0, m).unwrap();
                // A transform has no use for what is left of the columns it is about.
                let made = |panel: &Panel<u64>| -> Vec<Vec<u64>> {
                    panel.data.chunks(cols).take(expected.len()).map(|row| row[from..].to_vec()).collect()
                };
                let mut whole = panel(m);
                let found = whole.echelon_by_transform(0, m).unwrap().expect("long rows");
                let mut halves = panel(40);
                let by_halves = halves.echelon(0, m).unwrap();
                for (pivots, panel) in [(found, whole), (by_halves, halves)] {
                    assert_eq!(pivots, expected, "{m} x {cols} mod {p}");
                    assert_eq!(panel.row[..expected.len()], twin.row[..expected.len()], "{m} x {cols} mod {p}");
                    assert!(made(&panel) == made(&twin), "{m} x {cols} mod {p}");
                    let rest = panel.data.chunks(cols).skip(expected.len());
                    assert!(rest.into_iter().all(|row| row[from..end].iter().all(|&x| x == 0)));
                }
            }
        });
    }
}
