//! Rows computed one after the other, each from the rows before it: sparse triangular solves on blocks of vectors.
//!
//! For a sparse L with L[q, j] = 0 wherever j ≥ inputs + q, a block W whose first `inputs` rows are given is completed by
//! w[inputs + q] = Σⱼ L[q, j]·w[j] for q = 0, 1, …. With the coefficients of a triangular system, divided by their diagonal,
//! that is its solution; the last rows may be ordinary products with what was solved. The sums are those of
//! [`super::Product`]: ±1 without multiplications, one reduction a row.
//!
//! Rows in sequence that do not need each other form a *segment*; long segments are computed in parallel, so an order by
//! levels pays. The arithmetic is exact: the same bits for every number of threads.

#![allow(
    clippy::needless_range_loop,
    reason = "loops over lanes index several arrays alike and become vector instructions"
)]

use super::arithmetic::{Arithmetic, Long, Narrow, Packed, Split, Wide};
use super::choose::arithmetic;
use super::engines::engines;
use super::finish::{Finish, close, close_sum};
use super::kernel::{Strip, Terms, add_columns, negate};
use super::options::ArithmeticKind;
use super::{Block, Lane, Lanes};
use crate::Result;
use crate::field::Modulus;
use crate::isa::{Isa, Kernel};
use crate::sparse::SparseMatrix;
use crate::sparse::formats::{Csr, Rows};
use crate::sparse::hybrid::{Entries, heaviest_row, select};
use rayon::prelude::*;
use std::ops::Range;

/// Entries and rows of a segment from which on it is shared out, and of its tiles.
const TILE_WORK: usize = 1 << 12;
/// What finishing a row costs, in entries.
const ROW_WORK: usize = 4;
/// A block's width is a multiple of this: rows are whole strips.
const GRID: usize = 16;

/// A sparse linear recurrence on the rows of a block.
#[derive(Debug)]
pub struct Recurrence {
    modulus: Modulus,
    inputs: usize,
    rows: usize,
    /// Rows at the end that no other row needs.
    unneeded: usize,
    lane: Lane,
    engine: Way,
}

/// What the lanes of a block hold.
#[derive(Debug)]
enum Way {
    /// A residue each.
    Residues(Engine),
    /// 32 residues mod 2 each.
    Bits(Coefficients<Packed>),
}

impl Recurrence {
    /// The widths of blocks that [`Recurrence::run`] takes are multiples of this.
    pub const GRID: usize = GRID;
    /// Vectors over GF(2) in a lane of a packed block.
    pub const PACKED: usize = 32;

    /// The recurrence with the coefficients `l`, of which column j names row j of the block: given rows first.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    ///
    /// # Panics
    /// If a row of `l` needs itself or a later one, or `l.cols()` is less than `inputs + l.rows()`.
    pub fn new(inputs: usize, l: &SparseMatrix) -> Result<Self> {
        let (signs, products) = heaviest_row(l, true);
        let lane = Lane::narrowest(l.modulus());
        let engine = || Engine::new(lane, arithmetic(l.modulus(), lane, signs, products), inputs, l);
        Self::of(inputs, l, lane, || engine().map(Way::Residues))
    }
    /// The recurrence on packed blocks over GF(2): bit b of lane l in a row of [`Lane::U32`] belongs to the vector
    /// [`PACKED`](Self::PACKED)·l + b.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    ///
    /// # Panics
    /// As [`Recurrence::new`], and for another modulus than 2.
    pub fn packed(inputs: usize, l: &SparseMatrix) -> Result<Self> {
        Self::of(inputs, l, Lane::U32, || Coefficients::new(inputs, l).map(Way::Bits))
    }
    fn of(inputs: usize, l: &SparseMatrix, lane: Lane, engine: impl FnOnce() -> Result<Way>) -> Result<Self> {
        assert!(l.cols() >= inputs + l.rows(), "columns for all rows of the block");
        let engine = engine()?;
        let needed = (0..l.rows()).filter_map(|q| l.row(q).0.last()).max().map_or(0, |&j| j as usize + 1);
        let unneeded = l.rows() - needed.saturating_sub(inputs);
        Ok(Recurrence { modulus: l.modulus(), inputs, rows: l.rows(), unneeded, lane, engine })
    }
    /// The modulus p.
    pub fn modulus(&self) -> Modulus {
        self.modulus
    }
    /// The storage type of the blocks: the narrowest for p, or words of bits.
    pub fn lane(&self) -> Lane {
        self.lane
    }
    /// Rows that are given.
    pub fn inputs(&self) -> usize {
        self.inputs
    }
    /// Rows that are computed.
    pub fn rows(&self) -> usize {
        self.rows
    }
    /// Bytes of the coefficients.
    pub fn bytes(&self) -> usize {
        self.engine.bytes()
    }
    /// Completes `w`, of `inputs + rows` rows.
    ///
    /// # Panics
    /// If `w` has another lane or number of rows, or a width that is not a multiple of [`Recurrence::GRID`].
    pub fn run(&self, w: &mut Block) {
        self.run_scaled(&[], w);
    }
    /// The same, and the last rows, as many as there are `scales`, are multiplied by these residues as they are finished.
    ///
    /// # Panics
    /// As [`Recurrence::run`]; if there are more scales than rows; if a row that is scaled is needed by another.
    pub fn run_scaled(&self, scales: &[u64], w: &mut Block) {
        assert_eq!(w.rows(), self.inputs + self.rows, "a block of the wrong height");
        assert!(w.width().is_multiple_of(GRID), "the width {} is not a multiple of {GRID}", w.width());
        assert!(scales.len() <= self.unneeded, "{} scales for {} rows at the end", scales.len(), self.unneeded);
        if w.width() > 0 {
            self.engine.run(scales, w);
        }
    }
    /// Completes `w`, which has no room for the `last` rows, and says whether those would be zero. Everything on the
    /// caller's thread.
    ///
    /// # Panics
    /// As [`Recurrence::run`]; if one of the last rows is needed by another.
    pub fn vanishes(&self, last: usize, w: &mut Block) -> bool {
        assert!(last <= self.unneeded, "{last} rows at the end, {} are not needed", self.unneeded);
        assert_eq!(w.rows(), self.inputs + self.rows - last, "a block of the wrong height");
        assert!(w.width().is_multiple_of(GRID), "the width {} is not a multiple of {GRID}", w.width());
        w.width() == 0 || self.engine.vanishes(self.rows - last, w)
    }
}

/// The coefficients in one arithmetic.
#[derive(Debug)]
struct Coefficients<A: Arithmetic> {
    arithmetic: A,
    inputs: usize,
    plus: Csr<A::Value>,
    minus: Csr<A::Value>,
    valued: Csr<A::Value>,
    stretches: Vec<Stretch>,
    terms: Terms,
    fold: bool,
    isa: Isa,
}

/// Rows in sequence and how they are computed.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Stretch {
    /// One after the other.
    Serial(Range<usize>),
    /// Independent of each other: tiles of about equal work.
    Parallel(Vec<Range<usize>>),
}

impl<A: Arithmetic> Coefficients<A> {
    fn new(inputs: usize, l: &SparseMatrix) -> Result<Self> {
        let arithmetic = A::new(l.modulus());
        let part = |entries| select(l, entries, true, |v| arithmetic.value(v));
        let budget = A::budget(l.modulus()).expect("an arithmetic for p");
        let clamp = |terms: u64| usize::try_from(terms).unwrap_or(usize::MAX);
        let (signs, products) = heaviest_row(l, true);
        Ok(Coefficients {
            arithmetic,
            inputs,
            plus: part(Entries::Plus)?,
            minus: part(Entries::Minus)?,
            valued: part(Entries::Valued)?,
            stretches: stretches(inputs, l),
            terms: Terms { sums: clamp(budget.sums()), products: clamp(budget.products()) },
            fold: !budget.holds(signs, products),
            isa: Isa::best(),
        })
    }
    fn bytes(&self) -> usize {
        self.plus.bytes() + self.minus.bytes() + self.valued.bytes()
    }

    fn run(&self, scales: &[u64], lanes: &mut [A::Lane], width: usize) {
        let scales = Scales { scales, first: self.plus.rows() - scales.len() };
        let parallel = rayon::current_num_threads() > 1;
        for stretch in &self.stretches {
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
                    jobs.into_par_iter().for_each(|(rows, out)| self.tile(rows, scales, known, out, width));
                }
            }
        }
    }
    /// Completes the first `needed` rows; whether all others are zero.
    fn vanishes(&self, needed: usize, lanes: &mut [A::Lane], width: usize) -> bool {
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

    /// W lanes of row q, from the rows before it.
    #[inline(always)]
    fn row<const W: usize, const FOLD: bool>(
        &self,
        q: usize,
        scales: Scales,
        x: Strip<A::Lane, W>,
        out: &mut [A::Lane; W],
    ) {
        let a = self.arithmetic;
        let mut sum = [a.zero(); W];
        self.add_signs::<W, FOLD>(&mut sum, &self.minus.columns()[self.minus.row(q)], x);
        negate(a, &mut sum);
        self.add_signs::<W, FOLD>(&mut sum, &self.plus.columns()[self.plus.row(q)], x);
        let span = self.valued.row(q);
        let (finish, i) = scales.finish(q);
        if span.is_empty() {
            return close_sum(a, &sum, finish, i, out);
        }
        let (columns, values) = (&self.valued.columns()[span.clone()], &self.valued.values()[span]);
        let mut acc = [a.widen(a.zero()); W];
        for l in 0..W {
            acc[l] = a.widen(if FOLD { a.fold_sum(sum[l]) } else { sum[l] });
        }
        let run = if FOLD { self.terms.products } else { columns.len() };
        if W > GRID {
            for (columns, values) in columns.chunks(run).zip(values.chunks(run)) {
                add_products(a, &mut acc, columns, values, x);
                if FOLD {
                    acc.iter_mut().for_each(|acc| *acc = a.fold(*acc));
                }
            }
        } else {
            // In registers.
            for first in (0..W).step_by(GRID) {
                let mut part = [a.widen(a.zero()); GRID];
                part.copy_from_slice(&acc[first..first + GRID]);
                for (columns, values) in columns.chunks(run).zip(values.chunks(run)) {
                    for (&j, &v) in columns.iter().zip(values) {
                        let x_row: &[_; GRID] = x.row(j as usize)[first..].first_chunk().expect("a part of the row");
                        for l in 0..GRID {
                            part[l] = a.multiply_add(part[l], v, x_row[l]);
                        }
                    }
                    if FOLD {
                        for l in 0..GRID {
                            part[l] = a.fold(part[l]);
                        }
                    }
                }
                acc[first..first + GRID].copy_from_slice(&part);
            }
        }
        close(a, &acc, finish, i, out);
    }
    #[inline(always)]
    fn add_signs<const W: usize, const FOLD: bool>(
        &self,
        sum: &mut [A::Sum; W],
        columns: &[u32],
        x: Strip<A::Lane, W>,
    ) {
        if !FOLD {
            return add_columns(self.arithmetic, sum, columns, x);
        }
        for run in columns.chunks(self.terms.sums) {
            add_columns(self.arithmetic, sum, run, x);
            for s in sum.iter_mut() {
                *s = self.arithmetic.fold_sum(*s);
            }
        }
    }
}

/// acc + the rows of x in `columns`, times the values, four of them at a time.
#[inline(always)]
fn add_products<A: Arithmetic, const W: usize>(
    a: A,
    acc: &mut [A::Acc; W],
    columns: &[u32],
    values: &[A::Value],
    x: Strip<A::Lane, W>,
) {
    let ((fours, columns), (four_values, values)) = (columns.as_chunks(), values.as_chunks());
    for (&columns, &values) in fours.iter().zip(four_values) {
        a.multiply_add_four(acc, values, columns.map(|j| x.row(j as usize)));
    }
    for (&j, &v) in columns.iter().zip(values) {
        a.multiply_add_all(acc, v, x.row(j as usize));
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
        for q in needed..l.plus.rows() {
            l.row::<W, FOLD>(q, unscaled, Strip::new(lanes, width, offset), &mut out);
            if out != zero {
                return false;
            }
        }
        true
    }
}

/// What the rows from `first` on are multiplied by.
#[derive(Clone, Copy)]
struct Scales<'a> {
    scales: &'a [u64],
    first: usize,
}

impl<'a> Scales<'a> {
    /// What becomes of the sum of row q, and its number among the rows that are scaled.
    #[inline(always)]
    fn finish<A: Arithmetic>(self, q: usize) -> (Finish<'a, A>, usize) {
        let i = q.wrapping_sub(self.first);
        (if i < self.scales.len() { Finish::Diagonal(self.scales) } else { Finish::Set }, i)
    }
}

/// Segments of rows that do not need each other, the long ones cut into tiles, the short ones strung together.
fn stretches(inputs: usize, l: &SparseMatrix) -> Vec<Stretch> {
    let mut all = Vec::new();
    let mut close = |rows: Range<usize>, work: usize| {
        if work >= 2 * TILE_WORK {
            all.push(Stretch::Parallel(tiles(l, rows)));
        } else if let Some(Stretch::Serial(before)) = all.last_mut() {
            before.end = rows.end;
        } else if !rows.is_empty() {
            all.push(Stretch::Serial(rows));
        }
    };
    let (mut first, mut work) = (0, 0);
    for q in 0..l.rows() {
        let (cols, _) = l.row(q);
        let last = cols.last().map_or(0, |&j| j as usize + 1);
        assert!(last <= inputs + q, "row {q} needs row {} of the block", last.saturating_sub(1));
        if last > inputs + first {
            close(first..q, work);
            (first, work) = (q, 0);
        }
        work += cols.len() + ROW_WORK;
    }
    close(first..l.rows(), work);
    all
}

/// Ranges of about equal work.
fn tiles(l: &SparseMatrix, rows: Range<usize>) -> Vec<Range<usize>> {
    let (mut first, mut work, end) = (rows.start, 0, rows.end);
    let mut tiles = Vec::new();
    for q in rows {
        work += l.row(q).0.len() + ROW_WORK;
        if work >= TILE_WORK || q + 1 == end {
            tiles.push(first..q + 1);
            (first, work) = (q + 1, 0);
        }
    }
    tiles
}

engines!(enum of Coefficients);

impl Engine {
    fn new(lane: Lane, kind: ArithmeticKind, inputs: usize, l: &SparseMatrix) -> Result<Engine> {
        Ok(engines!(new (lane, kind) => Coefficients::new(inputs, l)?))
    }
}

impl Way {
    fn run(&self, scales: &[u64], w: &mut Block) {
        let width = w.width();
        match (self, &mut w.lanes) {
            (Way::Bits(l), Lanes::U32(lanes)) => l.run(scales, lanes, width),
            (Way::Bits(_), _) => panic!("the block is not packed"),
            (Way::Residues(engine), lanes) => engines!(match engine, lanes => |l, lanes| l.run(scales, lanes, width)),
        }
    }
    fn vanishes(&self, needed: usize, w: &mut Block) -> bool {
        let width = w.width();
        match (self, &mut w.lanes) {
            (Way::Bits(l), Lanes::U32(lanes)) => l.vanishes(needed, lanes, width),
            (Way::Bits(_), _) => panic!("the block is not packed"),
            (Way::Residues(engine), lanes) => {
                engines!(match engine, lanes => |l, lanes| l.vanishes(needed, lanes, width))
            }
        }
    }
    fn bytes(&self) -> usize {
        match self {
            Way::Bits(l) => l.bytes(),
            Way::Residues(engine) => engines!(match engine => |l| l.bytes()),
        }
    }
}

#[cfg(test)]
mod tests;
