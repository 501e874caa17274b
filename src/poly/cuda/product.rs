//! Products of polynomial matrices on a GPU.

use super::matrix::{GpuPoly, GpuPolys};
use super::roots::MAX_LOG;
use super::source::primes_needed;
use crate::gpu::{Buffer, Grid};
use crate::{DeviceReason, Error, Result};
use std::ops::Range;

/// Threads of a block, and of those that multiply: as in poly.cu.
const THREADS: u64 = 256;
const MULTIPLIERS: u32 = 128;
/// Levels of a pass.
const LEVELS: usize = 5;
/// Products of which one factor has fewer coefficients go by the definition: a launch instead of six, whose sums take
/// as long as these do on an H100.
const SHORT: usize = 24;

/// Some coefficients of a matrix.
#[derive(Clone, Copy, Debug)]
pub struct GpuPart<'a> {
    matrix: &'a GpuPoly,
    from: usize,
    len: usize,
}

impl GpuPoly {
    /// Some of its coefficients.
    ///
    /// # Panics
    /// If there are not so many.
    pub fn part(&self, coefficients: Range<usize>) -> GpuPart<'_> {
        assert!(coefficients.start <= coefficients.end && coefficients.end <= self.len, "coefficients of a matrix");
        GpuPart { matrix: self, from: coefficients.start, len: coefficients.len() }
    }
    /// All of it.
    pub fn all(&self) -> GpuPart<'_> {
        self.part(0..self.len)
    }
}

impl<'a> GpuPart<'a> {
    /// For kernels: residues, the place of the first one, how many coefficients there are.
    pub fn raw(self) -> (&'a Buffer<u32>, u64, usize) {
        (&self.matrix.words, self.offset(), self.len)
    }
    fn entries(&self) -> usize {
        self.matrix.rows * self.matrix.cols
    }
    fn offset(&self) -> u64 {
        (self.from * self.entries()) as u64
    }
}

/// Blocks for so many threads.
fn blocks(threads: usize) -> u32 {
    (threads as u64).div_ceil(THREADS).max(1) as u32
}

/// The levels of the passes of a transform of 2ˡ points: as few passes as possible, of about the same size.
fn passes(log: usize) -> Vec<usize> {
    let count = log.div_ceil(LEVELS).max(1);
    (0..count).map(|k| (log + k) / count).rev().collect()
}

impl GpuPolys {
    /// The coefficients lo … lo + len - 1 of A·B; those beyond its degree are zero.
    ///
    /// The work is only begun: an error in it shows later, at the latest when something is copied back.
    ///
    /// # Errors
    /// [`Error::Device`]: too little memory, or a product that is too large for the kernels.
    ///
    /// # Panics
    /// If the sizes do not fit.
    pub fn product(&mut self, a: GpuPart<'_>, b: GpuPart<'_>, lo: usize, len: usize) -> Result<GpuPoly> {
        assert_eq!(a.matrix.cols, b.matrix.rows, "columns of the left and rows of the right factor");
        let (rows, inner, cols) = (a.matrix.rows, a.matrix.cols, b.matrix.cols);
        let [a, b] = [a, b].map(|part| GpuPart { len: part.len.min(lo + len), ..part });
        if [rows, inner, cols, len, a.len, b.len].contains(&0) {
            return self.zeros(rows, cols, len);
        }
        // Whole products of 2ᵏ + 1 coefficients are cyclic ones of 2ᵏ points whose last coefficient falls on the first.
        let whole = a.len + b.len - 1;
        let wraps = lo == 0 && len == whole && (len - 1).is_power_of_two() && a.len.min(b.len) >= SHORT;
        let cyclic = (lo + len).max(whole.saturating_sub(lo)).max(a.len).max(b.len) - usize::from(wraps);
        let log = cyclic.next_power_of_two().trailing_zeros() as usize;
        let entries = a.entries().max(b.entries()).max(rows * cols);
        let primes = primes_needed(self.modulus, inner.saturating_mul(a.len.min(b.len)));
        let fits = log <= MAX_LOG && (entries as u64) << log < 1 << 32 && (len * rows * cols) as u64 <= u32::MAX.into();
        let (Some(primes), true) = (primes, fits) else {
            let message = format!("a product of {rows} x {inner} by {inner} x {cols} polynomials of 2^{log} points");
            return Err(Error::device(DeviceReason::NoMemory, format!("{message} is too large for a GPU")));
        };
        let mut out = self.uninitialised(rows, cols, len)?;
        if a.len.min(b.len) < SHORT {
            self.convolve(&mut out, a, b, lo, len)?;
            return Ok(out);
        }
        self.prepare(log)?;
        let at_a = self.transform(a, log, primes)?;
        let at_b = self.transform(b, log, primes)?;
        let mut values = self.take((primes * rows * cols) << log)?;
        let tiles = rows.div_ceil(64) * cols.div_ceil(32);
        self.stream.enqueue(
            &self.kernels.multiply,
            Grid { blocks: ((tiles << log) as u32, primes as u32), threads: MULTIPLIERS },
            (&mut values, &at_a, &at_b, 1 << log, rows as u32, inner as u32, cols as u32),
        )?;
        self.give(at_a);
        self.give(at_b);
        self.inverse(&mut values, log, rows * cols, primes)?;
        self.stream.enqueue(
            &self.kernels.leave,
            Grid { blocks: (blocks(len * rows * cols), 1), threads: THREADS as u32 },
            (&mut out.words, &values, log as u32, (rows * cols) as u32, lo as u32, len as u32, primes as u32),
        )?;
        self.give(values);
        if wraps {
            self.convolve(&mut out, GpuPart { len: 1, ..a }, GpuPart { len: 1, ..b }, 0, 1)?;
            let entries = rows * cols;
            let grid = Grid { blocks: (blocks(entries), 1), threads: THREADS as u32 };
            self.stream.enqueue(&self.kernels.unwrap, grid, (&mut out.words, entries as u32, 1 << log))?;
        }
        Ok(out)
    }

    /// Coefficients by the definition.
    fn convolve(&self, out: &mut GpuPoly, a: GpuPart<'_>, b: GpuPart<'_>, lo: usize, len: usize) -> Result<()> {
        let (rows, inner, cols) = (out.rows, a.matrix.cols, out.cols);
        let tiles = rows.div_ceil(16) * cols.div_ceil(32);
        self.stream.enqueue(
            &self.kernels.convolve,
            Grid { blocks: ((tiles * len) as u32, 1), threads: MULTIPLIERS },
            (
                &mut out.words,
                &a.matrix.words,
                &b.matrix.words,
                a.offset(),
                b.offset(),
                rows as u32,
                inner as u32,
                cols as u32,
                a.len as u32,
                b.len as u32,
                lo as u32,
            ),
        )
    }

    /// The values at 2ˡ roots of unity modulo each prime.
    fn transform(&mut self, part: GpuPart<'_>, log: usize, primes: usize) -> Result<Buffer<u32>> {
        let entries = part.entries();
        let mut values = self.take((primes * entries) << log)?;
        let Some(roots) = &self.roots else { unreachable!("the roots are prepared") };
        let (table, points) = (roots.entries as u32, 1 << log);
        let passes = passes(log);
        let mut size = log;
        for (number, &levels) in passes.iter().enumerate() {
            let last = u32::from(number + 1 == passes.len());
            let grid = Grid { blocks: (blocks(entries << (log - levels)), primes as u32), threads: THREADS as u32 };
            let (entries, levels_of_pass) = (entries as u32, levels as u32);
            if number == 0 {
                let from = (&part.matrix.words, part.offset());
                let arguments = (
                    &mut values,
                    from.0,
                    from.1,
                    &roots.forward,
                    table,
                    points,
                    entries,
                    part.len as u32,
                    levels_of_pass,
                    last,
                );
                self.stream.enqueue(&self.kernels.enter, grid, arguments)?;
            } else {
                let arguments =
                    (&mut values, &roots.forward, table, points, entries, size as u32, levels_of_pass, last);
                self.stream.enqueue(&self.kernels.forward, grid, arguments)?;
            }
            size -= levels;
        }
        Ok(values)
    }

    /// Undoes a transform of `entries` entries, up to a factor 2ˡ.
    fn inverse(&self, values: &mut Buffer<u32>, log: usize, entries: usize, primes: usize) -> Result<()> {
        let Some(roots) = &self.roots else { unreachable!("the roots are prepared") };
        let mut size = 0;
        for levels in passes(log).into_iter().filter(|&levels| levels > 0) {
            size += levels;
            let grid = Grid { blocks: (blocks(entries << (log - levels)), primes as u32), threads: THREADS as u32 };
            let table = roots.entries as u32;
            let arguments = (&mut *values, &roots.inverse, table, 1 << log, entries as u32, size as u32, levels as u32);
            self.stream.enqueue(&self.kernels.inverse, grid, arguments)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passes_make_up_the_transform() {
        assert_eq!(passes(0), [0]);
        for log in 1..=MAX_LOG {
            let passes = passes(log);
            assert_eq!((passes.iter().sum::<usize>(), passes.len()), (log, log.div_ceil(LEVELS)));
            assert!(passes.iter().all(|&levels| (1..=LEVELS).contains(&levels)), "{passes:?}");
        }
    }
}
