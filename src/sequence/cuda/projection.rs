//! Projections on a GPU: Yᵀ·V for blocks V that stay there.

use super::terms::Terms;
use crate::field::Field;
use crate::gpu::{Buffer, Cubin, In, Kernel, Out};
use crate::sequence::projection::combine_digits;
use crate::sequence::{Buckets, Projection};
use crate::spmv::{Block, GPU_THREADS, GpuBlock, GpuMatrix, GpuShape, grid_of};
use crate::{Result, memory};

const KERNELS: &str = include_str!("../../../kernels/project.cu");
/// Rows that a part has at least, if there are so many, and the most parts: of a bucket, of a dense Y.
const LEAST_PART: usize = 256;
const BUCKET_PARTS: usize = 64;
const DENSE_PARTS: usize = 256;
/// The most terms that are copied back together.
const TERMS: usize = 128;

/// v, rows, starts, partial, parts: as `bucket_sums` names them.
type BucketSums = (In<u32>, In<u32>, In<u32>, Out<u64>, u32);
/// partial, weights, terms, parts, number.
type Weigh = (In<u64>, In<u64>, Out<u64>, u32, u32);
/// partial, terms, parts, number.
type Totals = (In<u64>, Out<u64>, u32, u32);
/// v, y, partial, rows, parts.
type DenseSums = (In<u32>, In<u32>, Out<u64>, u32, u32);

/// Yᵀ on the GPU of a matrix, with room for some terms of the columns there.
#[derive(Debug)]
pub(super) struct GpuProjection {
    kind: Kind,
    partial: Buffer<u64>,
    parts: u32,
    /// What the kernels make of a block.
    terms: Terms,
    /// Columns of Y, elements.
    rows: usize,
}

#[derive(Debug)]
enum Kind {
    /// Terms, or over GF(pᵏ), k > 1, the sums of all buckets.
    Sparse {
        /// How many.
        count: usize,
        rows: Buffer<u32>,
        starts: Buffer<u32>,
        weights: Buffer<u64>,
        bucket_sums: Kernel<BucketSums>,
        weigh: Kernel<Weigh>,
        totals: Kernel<Totals>,
    },
    /// Products of digits.
    Dense { y: GpuBlock, rows: u32, dense_sums: Kernel<DenseSums>, dense_totals: Kernel<Totals> },
}

impl GpuProjection {
    /// `projection` by an n × s matrix Y, for blocks of the matrix: all s columns, or some of them.
    pub fn new(matrix: &GpuMatrix, projection: &Projection, (n, down): (usize, usize)) -> Result<GpuProjection> {
        let (stream, shape) = (matrix.stream(), matrix.shape());
        let pool = if let Projection::Sparse(buckets) = projection { buckets.pool() } else { 1 };
        let y_shape = GpuShape { block: down, ..shape };
        let module = stream.load(&compile(shape, y_shape, pool, matrix.capability())?)?;
        let (kind, parts, partial, words) = match projection {
            Projection::Sparse(buckets) => {
                assert_eq!(buckets.weights().len(), down * pool * shape.degree, "a projection of another block size");
                let (starts, rows) = buckets.lists()?;
                let parts = (rows.len() / (down * pool) / LEAST_PART).clamp(1, BUCKET_PARTS);
                let sums = down * pool * shape.padded();
                let kind = Kind::Sparse {
                    count: down * pool,
                    rows: stream.upload(&rows)?,
                    starts: stream.upload(&starts)?,
                    weights: stream.upload(buckets.weights())?,
                    bucket_sums: module.kernel("bucket_sums")?,
                    weigh: module.kernel("weigh")?,
                    totals: module.kernel("totals")?,
                };
                (kind, parts, sums, if shape.degree == 1 { down * shape.block } else { sums })
            }
            Projection::Dense { transposed } => {
                assert_eq!(transposed.len(), n * y_shape.width(), "a projection of another size");
                let mut y = Block::zeros(shape.lane(), n, y_shape.width())?;
                for (l, column) in transposed.chunks_exact(n).enumerate() {
                    column.iter().enumerate().for_each(|(i, &x)| y.set(i, l, x));
                }
                let kind = Kind::Dense {
                    y: matrix.upload_beside(&y, y_shape)?,
                    rows: n as u32,
                    dense_sums: module.kernel("dense_sums")?,
                    dense_totals: module.kernel("dense_totals")?,
                };
                let products = y_shape.width() * shape.width();
                (kind, (n / LEAST_PART).clamp(1, DENSE_PARTS), products, products)
            }
        };
        let (partial, terms) = (stream.zeros(parts * partial)?, Terms::new(stream, words, TERMS)?);
        Ok(GpuProjection { kind, partial, parts: parts as u32, terms, rows: down })
    }

    /// Room for terms, in each half.
    pub fn capacity(&self) -> usize {
        self.terms.slots
    }

    /// Begins to compute YᵀV as term `number` in a half.
    pub fn project(&mut self, matrix: &GpuMatrix, v: &GpuBlock, (half, number): (usize, usize)) -> Result<()> {
        let (stream, shape) = (matrix.stream(), matrix.shape());
        let GpuProjection { kind, partial, parts, terms, .. } = self;
        let (words, number) = (terms.each, (terms.first(half) + number) as u32);
        let (parts, elements, terms) = (*parts, grid_of(words as u64), &mut terms.words);
        let blocks = |count: u64| grid_of(count * u64::from(parts) * u64::from(GPU_THREADS));
        match kind {
            Kind::Sparse { count, rows, starts, weights, bucket_sums, weigh, totals } => {
                stream.enqueue(bucket_sums, blocks(*count as u64), (&v.words, rows, starts, partial, parts))?;
                match shape.degree {
                    1 => stream.enqueue(weigh, elements, (&self.partial, weights, terms, parts, number)),
                    _ => stream.enqueue(totals, elements, (&self.partial, terms, parts, number)),
                }
            }
            Kind::Dense { y, rows, dense_sums, dense_totals } => {
                let tiles = (words as u64).div_ceil(u64::from(GPU_THREADS));
                stream.enqueue(dense_sums, blocks(tiles), (&v.words, &y.words, partial, *rows, parts))?;
                stream.enqueue(dense_totals, elements, (&self.partial, terms, parts, number))
            }
        }
    }

    /// All terms of a half have been begun.
    pub fn filled(&mut self, half: usize, matrix: &GpuMatrix) -> Result<()> {
        self.terms.filled(half, matrix.stream())
    }

    /// Appends the columns here of the first `count` terms of a half; `buckets` are those of a sparse projection.
    pub fn collect<F: Field>(
        &mut self,
        (field, shape): (&F, GpuShape),
        buckets: Option<&Buckets>,
        (half, count): (usize, usize),
        terms: &mut Vec<F::Elem>,
    ) -> Result<()> {
        let words = self.terms.take(half, count)?;
        for term in words.chunks_exact(self.terms.each) {
            match (&self.kind, buckets) {
                (Kind::Sparse { .. }, Some(buckets)) if shape.degree > 1 => {
                    let rows = term.chunks_exact(shape.padded()).flat_map(|row| &row[..shape.width()]);
                    let sums = memory::collect(rows.copied(), "the sums of a sparse projection")?;
                    buckets.weigh(field, shape.block, &sums, terms)?;
                }
                (Kind::Sparse { .. }, _) => terms.extend(term.iter().map(|&x| field.from_digits(&[x]))),
                (Kind::Dense { .. }, _) => terms.extend(combine_digits(field, (self.rows, shape.block), term)),
            }
        }
        Ok(())
    }
}

/// The kernels for blocks of this shape, with Y of the other, and pools of so many weights.
pub(super) fn compile(shape: GpuShape, y: GpuShape, pool: usize, capability: (u32, u32)) -> Result<Cubin> {
    let more = format!("#define POOL {pool}\n#define ROWS {}\n#define Y_WIDTH {}\n", y.block, y.padded());
    shape.compile("project.cu", KERNELS, &more, capability)
}
