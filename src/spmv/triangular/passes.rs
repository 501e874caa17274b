//! A triangular solve run: stretch by stretch, strip by strip of the block.

use super::GRID;
use super::coefficients::{Coefficients, Scales};
use super::stretches::Stretch;
use crate::isa::Kernel;
use crate::parallel::Each;
use crate::spmv::arithmetic::Arithmetic;
use crate::spmv::kernel::Strip;
use rayon::prelude::*;
use std::ops::Range;

impl<A: Arithmetic> Coefficients<A> {
    pub(super) fn run(&self, stretches: &[Stretch], scales: &[u64], lanes: &mut [A::Lane], width: usize) {
        let scales = Scales { scales, first: self.lines() - scales.len() };
        let parallel = rayon::current_num_threads() > 1;
        for stretch in stretches {
            match stretch {
                Stretch::Serial(rows) => self.serial(rows.clone(), scales, lanes, width),
                Stretch::Parallel(tiles) if !parallel => {
                    self.serial(tiles[0].start..tiles[tiles.len() - 1].end, scales, lanes, width);
                }
                Stretch::Parallel(tiles) => {
                    let (known, mut left) = lanes.split_at_mut((self.inputs + tiles[0].start) * width);
                    let known: &[A::Lane] = known;
                    let mut jobs = Vec::with_capacity(tiles.len());
                    for tile in tiles {
                        let (own, rest) = left.split_at_mut(tile.len() * width);
                        jobs.push((tile.clone(), own));
                        left = rest;
                    }
                    jobs.into_par_iter().each(|(rows, out)| self.tile(rows, scales, known, out, width));
                }
            }
        }
    }
    /// Completes the first `needed` rows; whether all others are zero.
    pub(super) fn vanishes(&self, needed: usize, lanes: &mut [A::Lane], width: usize) -> bool {
        self.serial(0..needed, Scales { scales: &[], first: 0 }, lanes, width);
        let lanes: &[A::Lane] = lanes;
        strips(width).all(|(offset, wide)| match (wide, self.fold) {
            (32, false) => self.isa.run(Vanish::<A, 32, false> { l: self, needed, lanes, width, offset }),
            (32, true) => self.isa.run(Vanish::<A, 32, true> { l: self, needed, lanes, width, offset }),
            (_, false) => self.isa.run(Vanish::<A, 16, false> { l: self, needed, lanes, width, offset }),
            (_, true) => self.isa.run(Vanish::<A, 16, true> { l: self, needed, lanes, width, offset }),
        })
    }
    /// Rows one after the other, in a block of which all before them are known.
    fn serial(&self, rows: Range<usize>, scales: Scales, lanes: &mut [A::Lane], width: usize) {
        for (offset, wide) in strips(width) {
            let rows = rows.clone();
            match (wide, self.fold) {
                (32, false) => self.isa.run(Serial::<A, 32, false> { l: self, rows, scales, lanes, width, offset }),
                (32, true) => self.isa.run(Serial::<A, 32, true> { l: self, rows, scales, lanes, width, offset }),
                (_, false) => self.isa.run(Serial::<A, 16, false> { l: self, rows, scales, lanes, width, offset }),
                (_, true) => self.isa.run(Serial::<A, 16, true> { l: self, rows, scales, lanes, width, offset }),
            }
        }
    }
    /// Independent rows into `out`; `known` holds all that they need.
    fn tile(&self, rows: Range<usize>, scales: Scales, known: &[A::Lane], out: &mut [A::Lane], width: usize) {
        for (offset, wide) in strips(width) {
            let (rows, out) = (rows.clone(), &mut *out);
            match (wide, self.fold) {
                (32, false) => self.isa.run(Tile::<A, 32, false> { l: self, rows, scales, known, out, width, offset }),
                (32, true) => self.isa.run(Tile::<A, 32, true> { l: self, rows, scales, known, out, width, offset }),
                (_, false) => self.isa.run(Tile::<A, 16, false> { l: self, rows, scales, known, out, width, offset }),
                (_, true) => self.isa.run(Tile::<A, 16, true> { l: self, rows, scales, known, out, width, offset }),
            }
        }
    }
}

/// The strips of a row as (offset, lanes): of 32 lanes where that divides the width, else of 16.
fn strips(width: usize) -> impl Iterator<Item = (usize, usize)> {
    let wide = if width.is_multiple_of(2 * GRID) { 2 * GRID } else { GRID };
    (0..width).step_by(wide).map(move |offset| (offset, wide))
}

/// The rows of one strip, one after the other.
struct Serial<'a, A: Arithmetic, const W: usize, const FOLD: bool> {
    l: &'a Coefficients<A>,
    rows: Range<usize>,
    scales: Scales<'a>,
    lanes: &'a mut [A::Lane],
    width: usize,
    offset: usize,
}

impl<A: Arithmetic, const W: usize, const FOLD: bool> Kernel for Serial<'_, A, W, FOLD> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self { l, rows, scales, lanes, width, offset } = self;
        for q in rows {
            let (known, out) = lanes.split_at_mut((l.inputs + q) * width);
            if let Some(out) = out[offset..width].first_chunk_mut() {
                l.row::<W, FOLD>(q, scales, Strip::new(known, width, offset), out);
            }
        }
    }
}

/// The rows of one strip of a tile.
struct Tile<'a, A: Arithmetic, const W: usize, const FOLD: bool> {
    l: &'a Coefficients<A>,
    rows: Range<usize>,
    scales: Scales<'a>,
    known: &'a [A::Lane],
    out: &'a mut [A::Lane],
    width: usize,
    offset: usize,
}

impl<A: Arithmetic, const W: usize, const FOLD: bool> Kernel for Tile<'_, A, W, FOLD> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self { l, rows, scales, known, out, width, offset } = self;
        for (q, out) in rows.zip(out.chunks_exact_mut(width)) {
            if let Some(out) = out[offset..].first_chunk_mut() {
                l.row::<W, FOLD>(q, scales, Strip::new(known, width, offset), out);
            }
        }
    }
}

/// Whether the rows from `needed` on are zero in one strip.
struct Vanish<'a, A: Arithmetic, const W: usize, const FOLD: bool> {
    l: &'a Coefficients<A>,
    needed: usize,
    lanes: &'a [A::Lane],
    width: usize,
    offset: usize,
}

impl<A: Arithmetic, const W: usize, const FOLD: bool> Kernel for Vanish<'_, A, W, FOLD> {
    type Output = bool;

    #[inline(always)]
    fn run(self) -> bool {
        let Self { l, needed, lanes, width, offset } = self;
        let (unscaled, zero) = (Scales { scales: &[], first: 0 }, [A::Lane::default(); W]);
        let mut out = zero;
        for q in needed..l.lines() {
            l.row::<W, FOLD>(q, unscaled, Strip::new(lanes, width, offset), &mut out);
            if out != zero {
                return false;
            }
        }
        true
    }
}
