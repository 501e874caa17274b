//! Products of transformed factors: point by point modulo each prime, back by the inverse transform and the Chinese
//! remainder theorem. Entry point: [`write_rows`].

use super::Transformed;
use super::buffer::{Buffer, padded};
use super::chunks::{for_each_chunk, steps};
use super::kronecker::Fold;
use super::ntt::{Inverse, MAX_PRIMES, Prime, Twiddles};
use super::residues::Leaving;
use super::shape::ProductShape;
use super::simd::{Isa, Kernel, Row, Simd};
use super::sums::{One, Shape, Sink, SumReducer, sum_of_products};
use crate::Result;
use crate::field::Field;
use std::sync::Mutex;

/// Points whose products are computed together: as many as a second-level cache has room for, since the lists of the
/// groups are read in pieces of that many rows and longer pieces come faster.
fn tile_points(shape: Shape) -> usize {
    let groups = shape.rows * shape.lda / 8 + shape.width * (shape.inner + shape.rows);
    ((512 << 10) / (groups * size_of::<Row>()).max(1)).clamp(8, 32) / 8 * 8
}

/// The most coefficients that one task brings back from the residues.
const SCATTER: usize = 64;

/// The rows of the product from `first` on, as many as `a` has, in all coefficients that `out` has.
pub(super) fn write_rows<F: Field>(
    isa: Isa,
    field: &F,
    (a, b): (&Transformed, &Transformed),
    (shape, primes): (&ProductShape, usize),
    first: usize,
    out: &mut [F::Elem],
) -> Result<()> {
    let (_, _, wanted) = shape.effective();
    if wanted == 0 || a.rows * b.cols == 0 {
        return Ok(());
    }
    let points = a.points;
    let residues: Vec<Buffer> = (0..primes).map(|t| residues_of_product(isa, a, b, t)).collect::<Result<_>>()?;
    let leaving = Leaving::new(field.modulus().get(), primes, points);
    let fold = Fold::new(field);
    let size = shape.rows * shape.cols;
    let scatter = steps(wanted, SCATTER);
    for_each_chunk(&mut out[..wanted * size], size * scatter, |i, out| {
        let slot = (shape.lo + i * scatter) * fold.stride;
        isa.run(Leave { fold: &fold, leaving: &leaving, residues: &residues, points, slot, shape, first, out });
    });
    Ok(())
}

/// N times the cyclic product modulo prime number `t`: for every group of the result its N rows.
fn residues_of_product(isa: Isa, a: &Transformed, b: &Transformed, t: usize) -> Result<Buffer> {
    let (points, prime) = (a.points, Prime::get(t));
    let shape = Shape { rows: a.rows, inner: a.cols, lda: a.cols.div_ceil(8) * 8, width: b.cols.div_ceil(8) };
    let groups = shape.rows * shape.width;
    // Tile after tile; within one, group after group; within that, its points. So every task writes one piece.
    let mut tiles = Buffer::new(groups * points)?;
    let (reducer, tile) = (SumReducer::new(prime.q), tile_points(shape));
    let refused = Mutex::new(None);
    for_each_chunk(&mut tiles, groups * tile, |i, out| {
        let done = isa.run(TileProduct {
            a: &a.values[t],
            b: &b.values[t],
            out,
            first: i * tile,
            points,
            shape,
            reducer: &reducer,
        });
        if let Err(error) = done {
            *refused.lock().expect("no task panics") = Some(error);
        }
    });
    if let Some(error) = refused.into_inner().expect("no task panics") {
        return Err(error);
    }
    let twiddles = Twiddles::get(prime, points);
    let stride = padded(points);
    let mut values = Buffer::new(groups * stride)?;
    for_each_chunk(&mut values, stride, |group, data| {
        let data = &mut data[..points];
        for (products, data) in tiles.chunks(groups * tile).zip(data.chunks_mut(tile)) {
            data.copy_from_slice(&products[group * data.len()..][..data.len()]);
        }
        isa.run(Inverse { data, twiddles: &twiddles });
    });
    Ok(values)
}

/// The products at the points `first ..`, as many as `out` has room for.
struct TileProduct<'a> {
    a: &'a [Row],
    b: &'a [Row],
    out: &'a mut [Row],
    first: usize,
    points: usize,
    shape: Shape,
    reducer: &'a SumReducer,
}

impl Kernel for TileProduct<'_> {
    type Output = Result<()>;
    #[inline(always)]
    fn run<S: Simd>(self, s: S) -> Result<()> {
        let width = self.shape.width;
        let count = self.out.len() / (self.shape.rows * width);
        let a = tile(self.a, self.first, count, self.points)?;
        let b = tile(self.b, self.first, count, self.points)?;
        let (a_size, b_size) = (a.len() / count, b.len() / count);
        for p in 0..count {
            let a = words(&a[p * a_size..][..a_size]);
            let b = &b[p * b_size..][..b_size];
            let mut sink = TilePoint { out: self.out, width, count, p };
            sum_of_products(s, self.shape, One(a, b), self.reducer, &mut sink);
        }
        Ok(())
    }
}

/// Point p of a tile of `count` points.
struct TilePoint<'a> {
    out: &'a mut [Row],
    width: usize,
    count: usize,
    p: usize,
}

impl Sink for TilePoint<'_> {
    #[inline(always)]
    fn put(&mut self, i: usize, g: usize, lanes: Row) {
        self.out[(i * self.width + g) * self.count + self.p] = lanes;
    }
}

/// The values of all groups at `count` points, point by point.
#[inline(always)]
fn tile(values: &[Row], first: usize, count: usize, points: usize) -> Result<Buffer> {
    let groups = values.len() / padded(points);
    let mut tile = Buffer::new(groups * count)?;
    for (g, group) in values.chunks_exact(padded(points)).enumerate() {
        for (p, row) in group[first..first + count].iter().enumerate() {
            tile[p * groups + g] = *row;
        }
    }
    Ok(tile)
}

/// Rows as words.
fn words(rows: &[Row]) -> &[u64] {
    bytemuck::cast_slice(rows)
}

/// Brings a few coefficients back.
struct Leave<'a, F: Field> {
    fold: &'a Fold<'a, F>,
    leaving: &'a Leaving,
    residues: &'a [Buffer],
    points: usize,
    /// The slot of the first digit.
    slot: usize,
    shape: &'a ProductShape,
    /// The row of the result to which the first group belongs.
    first: usize,
    /// The coefficients, each row-major.
    out: &'a mut [F::Elem],
}

impl<F: Field> Kernel for Leave<'_, F> {
    type Output = ();
    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        let stride = self.fold.stride;
        let cols = self.shape.cols;
        let width = cols.div_ceil(8);
        let groups = self.residues[0].len() / padded(self.points);
        let size = self.shape.rows * cols;
        let residues: Vec<&[Row]> = self.residues.iter().map(|r| &r[..]).collect();
        let mut lanes = [s.splat(0); MAX_PRIMES];
        let mut slots = vec![Row::default(); stride];
        let mut digits = vec![0; stride];
        for group in 0..groups {
            let (row, within) = (self.first + group / width, group % width);
            for (c, out) in self.out.chunks_exact_mut(size).enumerate() {
                let at = group * padded(self.points) + self.slot + c * stride;
                for (d, slot) in slots.iter_mut().enumerate() {
                    for (lanes, residues) in lanes.iter_mut().zip(&residues) {
                        *lanes = s.load(&residues[at + d]);
                    }
                    *slot = self.leaving.map(s, &lanes);
                }
                let out = &mut out[row * cols..][8 * within..cols.min(8 * within + 8)];
                if stride == 1 {
                    for (&digit, out) in slots[0].0.iter().zip(out) {
                        *out = self.fold.field.from_digits(&[digit]);
                    }
                    continue;
                }
                for (lane, out) in out.iter_mut().enumerate() {
                    for (digit, slot) in digits.iter_mut().zip(&slots) {
                        *digit = slot.0[lane];
                    }
                    *out = self.fold.element(&mut digits);
                }
            }
        }
    }
}
