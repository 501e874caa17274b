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
mod tests {
    use super::*;
    use crate::field::Rng;
    use rand::{RngExt, SeedableRng};

    /// A random recurrence of `rows` rows; a third of the entries ±1, some rows empty, one heavy.
    fn random(p: Modulus, inputs: usize, rows: usize, rng: &mut Rng) -> SparseMatrix {
        let mut entries = Vec::new();
        for q in 0..rows {
            let known = inputs + q;
            let weight = if q == rows / 2 { 300 } else { rng.random_range(0..6) };
            for _ in 0..if known == 0 { 0 } else { weight } {
                // Far rows more often than near ones, so that some segments are long.
                let j =
                    if rng.random_range(0..8) > 0 { rng.random_range(0..known.min(inputs.max(1))) } else { known - 1 };
                let value = [1, p.get() - 1, rng.random_range(0..p.get())][rng.random_range(0..3)];
                entries.push((q, j, value));
            }
        }
        SparseMatrix::from_triplets(p, rows, inputs + rows, &entries)
    }

    fn naive(inputs: usize, l: &SparseMatrix, scales: &[u64], w: &Block) -> Vec<u64> {
        let (p, width) = (l.modulus(), w.width());
        let mut w = w.to_residues().unwrap();
        for q in 0..l.rows() {
            for lane in 0..width {
                let (cols, values) = l.row(q);
                let term = |(&j, &v): (&u32, &u64)| p.mul(v, w[j as usize * width + lane]);
                let sum = cols.iter().zip(values).map(term).fold(0, |s, t| p.add(s, t));
                let scale = (q + scales.len()).checked_sub(l.rows()).map_or(1, |k| scales[k]);
                w[(inputs + q) * width + lane] = p.mul(scale, sum);
            }
        }
        w
    }

    #[test]
    fn completes_blocks_as_the_definition_does_on_any_number_of_threads() {
        let mut rng = Rng::seed_from_u64(5);
        let primes = [2, 3, 7, 251, 257, 65521, 65537, 67108859, (1 << 31) - 1, 4294967291, (1 << 61) - 1];
        for p in primes.into_iter().chain([9223372036854775783]) {
            let p = Modulus::new(p).unwrap();
            for (inputs, rows) in [(0, 0), (3, 0), (0, 4), (1, 1), (17, 90), (400, 5000)] {
                let l = random(p, inputs, rows, &mut rng);
                let recurrence = Recurrence::new(inputs, &l).unwrap();
                for width in [0, 16, 48, 64] {
                    let mut start = Block::random(recurrence.lane(), inputs + rows, width, p, &mut rng).unwrap();
                    (0..inputs.min(1) * width).for_each(|lane| start.set(0, lane, p.get() - 1));
                    // Half of what may be scaled is.
                    let scales: Vec<u64> =
                        (0..recurrence.unneeded.div_ceil(2)).map(|_| rng.random_range(0..p.get())).collect();
                    let expected = naive(inputs, &l, &scales, &start);
                    for threads in [1, 3] {
                        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                        let mut w = start.clone();
                        pool.install(|| recurrence.run_scaled(&scales, &mut w));
                        assert!(
                            w.to_residues().unwrap() == expected,
                            "p = {p}, {inputs} + {rows}, width {width}, {threads} threads"
                        );
                    }
                }
            }
        }
    }

    /// The bits of packed lanes as residues of a block 32 times as wide.
    fn unpacked(w: &Block) -> Block {
        let words = w.to_residues().unwrap();
        let bits: Vec<u64> = words.iter().flat_map(|word| (0..32).map(move |b| word >> b & 1)).collect();
        Block::from_residues(Lane::U8, w.rows(), 32 * w.width(), &bits).unwrap()
    }

    #[test]
    fn packed_blocks_are_completed_bit_by_bit() {
        let (mut rng, two) = (Rng::seed_from_u64(6), Modulus::new(2).unwrap());
        for (inputs, rows) in [(0, 0), (3, 0), (0, 4), (1, 1), (17, 90), (400, 5000)] {
            let l = random(two, inputs, rows, &mut rng);
            let (packed, plain) = (Recurrence::packed(inputs, &l).unwrap(), Recurrence::new(inputs, &l).unwrap());
            assert_eq!((packed.lane(), packed.inputs(), packed.rows()), (Lane::U32, inputs, rows));
            for width in [0, 16, 48] {
                let mut w = Block::zeros(Lane::U32, inputs + rows, width).unwrap();
                w.fill_bits(0..inputs, &mut rng);
                let mut expected = unpacked(&w);
                let scales: Vec<u64> = (0..plain.unneeded.div_ceil(2)).map(|_| rng.random_range(0..2)).collect();
                plain.run_scaled(&scales, &mut expected);
                packed.run_scaled(&scales, &mut w);
                assert_eq!(unpacked(&w), expected, "{inputs} + {rows}, width {width}");
                let last = plain.unneeded;
                let mut short = Block::zeros(Lane::U32, inputs + rows - last, width).unwrap();
                short.copy_rows(0, &w, 0, inputs);
                let zero = (inputs + rows - last..inputs + rows).all(|i| (0..width).all(|l| w.get(i, l) == 0));
                // Of what is not scaled.
                if scales.iter().all(|&s| s == 1) {
                    assert_eq!(packed.vanishes(last, &mut short), zero || last == 0);
                }
            }
        }
    }

    #[test]
    fn rows_that_nothing_needs_are_known_to_vanish_or_not() {
        for p in [2, 7, 65521, (1 << 31) - 1, 9223372036854775783] {
            let p = Modulus::new(p).unwrap();
            let m = p.get();
            // w2 = w0 - w1 and w3 = w2 - w0 + w1 = 0; in the other, w4 = w2 besides.
            let rows = [(0, 0, 1), (0, 1, m - 1), (1, 2, 1), (1, 0, m - 1), (1, 1, 1)];
            let zero = Recurrence::new(2, &SparseMatrix::from_triplets(p, 2, 4, &rows)).unwrap();
            let others: Vec<_> = rows.iter().copied().chain([(2, 2, 1)]).collect();
            let other = Recurrence::new(2, &SparseMatrix::from_triplets(p, 3, 5, &others)).unwrap();
            for (recurrence, last, difference) in [(&zero, 1, false), (&other, 2, true)] {
                for (value, expected) in [(0, true), (1, !difference)] {
                    let mut w = Block::zeros(recurrence.lane(), 3, 48).unwrap();
                    w.set(0, 47, value);
                    assert_eq!(recurrence.vanishes(last, &mut w), expected, "p = {p}, {difference}");
                }
            }
        }
    }

    #[test]
    fn long_segments_are_shared_out_and_short_ones_strung_together() {
        let p = Modulus::new(7).unwrap();
        // A chain of 10, then 20000 rows that need only the chain's end.
        let chain = (0..10).map(|q| (q, q, 1));
        let wide = (10..20010).map(|q| (q, 10, 2));
        let l = SparseMatrix::from_triplets(p, 20010, 20011, &chain.chain(wide).collect::<Vec<_>>());
        let found = stretches(1, &l);
        assert_eq!(found[0], Stretch::Serial(0..10));
        let Stretch::Parallel(tiles) = &found[1] else { panic!("{found:?}") };
        assert!(tiles.len() > 10 && tiles[0].start == 10 && tiles[tiles.len() - 1].end == 20010);
        assert_eq!(found.len(), 2);
    }

    #[test]
    #[should_panic(expected = "row 1 needs row 3")]
    fn a_row_that_needs_itself_is_refused() {
        let p = Modulus::new(7).unwrap();
        Recurrence::new(2, &SparseMatrix::from_triplets(p, 2, 4, &[(1, 3, 1)])).unwrap();
    }
}
