//! The sequence on a GPU: matrix, blocks and projection stay there from the first term to the last.
//!
//! What comes back is a term, s × s residues, or over GF(pᵏ), k > 1, the sums of the projection's buckets, which are
//! weighted here. The terms are those of [`Krylov`](super::Krylov) bit for bit: the same diagonals, projection and
//! first block, and canonical residues in both places.
//!
//! A term takes a launch for each factor of B (and for each level of pieces of long rows, `spmv::GpuMatrix`) and two
//! for the projection (`kernels/project.cu`), all on one stream; the processor waits once for many terms.

use super::{Buckets, Projection, SequenceSource, Start};
use crate::blackbox::Diagonals;
use crate::field::{Field, Rng};
use crate::gpu::{Buffer, In, Kernel, Out};
use crate::spmv::{Block, GpuBlock, GpuDiagonal, GpuMatrix, GpuShape, grid_of};
use crate::{DeviceReason, Error, Observer, Result, memory};

const PROJECT: &str = include_str!("../../kernels/project.cu");
/// Rows that a part of a bucket has at least, if there are so many.
const LEAST_PART: usize = 256;
/// The most parts of a bucket.
const PARTS: usize = 64;
/// Bytes of the terms that are computed before they are copied back, and the most terms.
const TERM_BYTES: usize = 16 << 20;
const TERMS: usize = 256;

/// v, rows, starts, partial, parts: as `bucket_sums` names them.
type BucketSums = (In<u32>, In<u32>, In<u32>, Out<u64>, u32);
/// partial, weights, terms, parts, number.
type Weigh = (In<u64>, In<u64>, Out<u64>, u32, u32);
/// partial, terms, parts, number.
type Totals = (In<u64>, Out<u64>, u32, u32);

/// The terms of a block Krylov sequence over K, one after the other, by a matrix on a GPU.
#[derive(Debug)]
pub struct GpuKrylov<'a, F: Field> {
    field: F,
    matrix: &'a GpuMatrix,
    /// The factors of B: whether it is Aᵀ, and what scales the product.
    factors: Vec<(bool, GpuDiagonal)>,
    projection: OnGpu,
    current: GpuBlock,
    next: GpuBlock,
    between: Option<GpuBlock>,
}

impl<'a, F: Field> GpuKrylov<'a, F> {
    /// The sequence of B, `diagonals` about the matrix A, from `start`, with X drawn from `rng`.
    ///
    /// # Errors
    /// [`Error::Device`], with [`DeviceReason::NoKernel`] for a dense projection; [`Error::Memory`].
    ///
    /// # Panics
    /// If field, diagonals and matrix are not of one degree, or the projection is not for B and its blocks.
    pub fn new(
        field: &F,
        matrix: &'a GpuMatrix,
        diagonals: &Diagonals,
        projection: Projection,
        start: Start,
        rng: &mut Rng,
    ) -> Result<Self> {
        let shape = matrix.shape();
        assert_eq!((field.degree(), diagonals.degree()), (shape.degree, shape.degree), "fields of different degrees");
        let Projection::Sparse(buckets) = projection else {
            return Err(Error::device(DeviceReason::NoKernel, "no CUDA kernel for dense projections yet"));
        };
        let x = Block::random(shape.lane(), diagonals.order(), shape.width(), shape.modulus, rng)?;
        let factors = diagonals.factors();
        let first = factors[0].0;
        let upload = |&(transpose, d): &(bool, &[u64])| Ok((transpose, matrix.diagonal(d)?));
        let mut krylov = GpuKrylov {
            field: field.clone(),
            matrix,
            factors: factors.iter().map(upload).collect::<Result<_>>()?,
            projection: OnGpu::new(matrix, buckets)?,
            current: matrix.upload(&x, first)?,
            next: matrix.zeros(first)?,
            between: if factors.len() == 2 { Some(matrix.zeros(!first)?) } else { None },
        };
        if start == Start::Bx {
            krylov.step()?;
        }
        Ok(krylov)
    }

    /// BⁱX becomes Bⁱ⁺¹X.
    fn step(&mut self) -> Result<()> {
        let GpuKrylov { matrix, factors, current, next, between, .. } = self;
        match (&factors[..], between) {
            ([(transpose, d)], _) => matrix.apply(*transpose, Some(d), current, next)?,
            ([(first, d2), (second, d1)], Some(between)) => {
                matrix.apply(*first, Some(d2), current, between)?;
                matrix.apply(*second, Some(d1), between, next)?;
            }
            _ => unreachable!("B has one factor, or two with a block between them"),
        }
        std::mem::swap(current, next);
        Ok(())
    }
}

impl<F: Field> SequenceSource<F::Elem> for GpuKrylov<'_, F> {
    fn block(&self) -> usize {
        self.matrix.shape().block
    }
    fn extend(&mut self, count: usize, terms: &mut Vec<F::Elem>, observer: &dyn Observer) -> Result<()> {
        let s = self.block();
        let mut done = 0;
        while done < count {
            observer.check()?;
            let some = self.projection.capacity.min(count - done);
            for number in 0..some {
                self.projection.project(self.matrix, &self.current, number as u32)?;
                self.step()?;
            }
            memory::reserve(terms, some * s * s, "the terms of a sequence")?;
            self.projection.collect(&self.field, self.matrix, some, terms)?;
            done += some;
            observer.progress(done as u64);
        }
        Ok(())
    }
}

/// A sparse projection on a GPU.
#[derive(Debug)]
struct OnGpu {
    buckets: Buckets,
    rows: Buffer<u32>,
    starts: Buffer<u32>,
    weights: Buffer<u64>,
    partial: Buffer<u64>,
    parts: u32,
    /// Terms, or sums of all buckets, `capacity` times.
    terms: Buffer<u64>,
    capacity: usize,
    bucket_sums: Kernel<BucketSums>,
    weigh: Kernel<Weigh>,
    totals: Kernel<Totals>,
}

/// Words of a term as it is copied back.
fn words(shape: GpuShape, pool: usize) -> usize {
    if shape.degree == 1 { shape.block * shape.block } else { shape.block * pool * shape.padded() }
}

impl OnGpu {
    fn new(matrix: &GpuMatrix, buckets: Buckets) -> Result<OnGpu> {
        let (stream, shape) = (matrix.stream(), matrix.shape());
        let pool = buckets.pool();
        assert_eq!(buckets.weights().len(), shape.block * pool * shape.degree, "a projection of another block size");
        let cubin = compile(shape, pool, matrix.capability())?;
        let module = stream.load(&cubin)?;
        let (starts, rows) = buckets.lists()?;
        let count = shape.block * pool;
        let parts = (rows.len() / count / LEAST_PART).clamp(1, PARTS);
        let capacity = (TERM_BYTES / 8 / words(shape, pool)).clamp(1, TERMS);
        Ok(OnGpu {
            rows: stream.upload(&rows)?,
            starts: stream.upload(&starts)?,
            weights: stream.upload(buckets.weights())?,
            partial: stream.zeros(parts * count * shape.padded())?,
            parts: parts as u32,
            terms: stream.zeros(capacity * words(shape, pool))?,
            capacity,
            bucket_sums: module.kernel("bucket_sums")?,
            weigh: module.kernel("weigh")?,
            totals: module.kernel("totals")?,
            buckets,
        })
    }

    /// Begins to compute YᵀV as number `number` of those that are collected together.
    fn project(&mut self, matrix: &GpuMatrix, v: &GpuBlock, number: u32) -> Result<()> {
        let (stream, shape, parts) = (matrix.stream(), matrix.shape(), self.parts);
        let count = (shape.block * self.buckets.pool()) as u64;
        let blocks = grid_of(count * u64::from(parts) * u64::from(crate::spmv::GPU_THREADS));
        stream.enqueue(&self.bucket_sums, blocks, (&v.words, &self.rows, &self.starts, &mut self.partial, parts))?;
        let (partial, terms) = (&self.partial, &mut self.terms);
        if shape.degree == 1 {
            let grid = grid_of((shape.block * shape.block) as u64);
            return stream.enqueue(&self.weigh, grid, (partial, &self.weights, terms, parts, number));
        }
        stream.enqueue(&self.totals, grid_of(count * shape.padded() as u64), (partial, terms, parts, number))
    }

    /// Appends the first `count` of the terms begun.
    fn collect<F: Field>(&self, field: &F, matrix: &GpuMatrix, count: usize, terms: &mut Vec<F::Elem>) -> Result<()> {
        let shape = matrix.shape();
        let words = matrix.stream().download(&self.terms)?;
        if shape.degree == 1 {
            let some = &words[..count * shape.block * shape.block];
            terms.extend(some.iter().map(|&x| field.from_digits(&[x])));
            return Ok(());
        }
        let (pool, padded, width) = (self.buckets.pool(), shape.padded(), shape.width());
        for sums in words.chunks_exact(shape.block * pool * padded).take(count) {
            let rows = sums.chunks_exact(padded).flat_map(|row| &row[..width]).copied();
            self.buckets.weigh(field, &memory::collect(rows, "the sums of a sparse projection")?, terms)?;
        }
        Ok(())
    }
}

fn compile(shape: GpuShape, pool: usize, capability: (u32, u32)) -> Result<crate::gpu::Cubin> {
    shape.compile("project.cu", PROJECT, &format!("#define POOL {pool}\n"), capability)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Silent;
    use crate::blackbox::Preconditioned;
    use crate::field::{ExtensionField, Modulus, PrimeField};
    use crate::gpu::{Device, require_devices};
    use crate::sequence::Krylov;
    use crate::sparse::SparseMatrix;
    use crate::spmv::{Plan, PlanOptions, Product};
    use rand::{RngExt, SeedableRng};

    /// The sequences of A over `field`, here and there, from the same random choices.
    fn compare<F: Field>(device: &Device, field: &F, a: &SparseMatrix, block: usize, symmetric: bool, start: Start) {
        let (p, degree) = (a.modulus(), field.degree());
        let context = format!("p = {p}, k = {degree}, {} x {}, s = {block}", a.rows(), a.cols());
        let diagonals = Diagonals::random(field, a.rows(), a.cols(), symmetric, &mut Rng::seed_from_u64(11)).unwrap();
        let sparse = || Projection::sparse(field, diagonals.order(), block, &mut Rng::seed_from_u64(12)).unwrap();
        let product = Product::new(a, &Plan::choose(a, &PlanOptions::default()).unwrap()).unwrap();
        let b = Preconditioned::new(&product, diagonals.clone()).unwrap();
        let mut here = Krylov::new(field, &b, sparse(), block, start, &mut Rng::seed_from_u64(13)).unwrap();
        let matrix = GpuMatrix::new(device, a, GpuShape { modulus: p, block, degree }).unwrap();
        let mut there =
            GpuKrylov::new(field, &matrix, &diagonals, sparse(), start, &mut Rng::seed_from_u64(13)).unwrap();
        let (mut expected, mut found) = (Vec::new(), Vec::new());
        for count in [1, 0, 7, 260] {
            here.extend(count, &mut expected, &Silent).unwrap();
            there.extend(count, &mut found, &Silent).unwrap();
            assert!(found == expected, "{context}");
        }
        let dense = Projection::dense(field, diagonals.order(), block, &mut Rng::seed_from_u64(12)).unwrap();
        let refused = GpuKrylov::new(field, &matrix, &diagonals, dense, start, &mut Rng::seed_from_u64(13));
        assert!(matches!(refused, Err(Error::Device(no)) if no.reason == DeviceReason::NoKernel));
    }

    /// On a machine without a GPU the reason is printed.
    #[test]
    fn sequences_are_those_of_the_processor() {
        let device = match require_devices() {
            Ok(devices) => devices[0].clone(),
            Err(Error::Device(no)) if no.reason != DeviceReason::Failed => return eprintln!("skipped: {no}"),
            Err(other) => panic!("{other}"),
        };
        let mut rng = Rng::seed_from_u64(10);
        for (p, degree) in [(2, 16), (3, 11), (251, 3), (65521, 1), (65521, 2), (2147483647, 1), ((1 << 61) - 1, 1)] {
            let p = Modulus::new(p).unwrap();
            for (k, (rows, cols)) in [(700, 300), (300, 700), (400, 400)].into_iter().enumerate() {
                let mut entries = Vec::new();
                for _ in 0..5 * rows {
                    // A heavy row and a heavy column beside the others.
                    let i = if rng.random_bool(0.1) { 3 } else { rng.random_range(0..rows) };
                    let j = if rng.random_bool(0.1) { 5 } else { rng.random_range(0..cols) };
                    let v = [1, p.get() - 1, rng.random_range(0..p.get())][rng.random_range(0..3)];
                    entries.push((i, j, v));
                    if rows == cols {
                        entries.push((j, i, v));
                    }
                }
                let a = SparseMatrix::from_triplets(p, rows, cols, &entries);
                let symmetric = rows == cols && p.get() != 2;
                let (block, start) = ([4, 9, 16][k], [Start::Bx, Start::X, Start::Bx][k]);
                match degree {
                    1 => compare(&device, &PrimeField(p), &a, block, symmetric, start),
                    _ => {
                        let field = ExtensionField::new(p, degree, &mut rng);
                        compare(&device, &field, &a, block, symmetric, start);
                    }
                }
            }
        }
    }

    /// Where NVRTC is installed, the kernels compile for every storage, without warnings.
    #[test]
    fn kernels_compile_where_the_compiler_is() {
        for (p, block, degree) in
            [(2, 8, 16), (251, 16, 3), (65521, 32, 1), (65521, 512, 1), (4294967291, 5, 1), ((1 << 61) - 1, 512, 1)]
        {
            let shape = GpuShape { modulus: Modulus::new(p).unwrap(), block, degree };
            match compile(shape, (256 / block).max(1), (9, 0)) {
                Ok(cubin) => assert!(!cubin.log.contains("warning"), "p = {p}: {}", cubin.log),
                Err(Error::Device(no)) if no.reason == DeviceReason::NoCompiler => eprintln!("skipped: {no}"),
                Err(other) => panic!("p = {p}: {other}"),
            }
        }
    }

    /// The lists name each row in the buckets that it was given, and the product with them is the projection.
    #[test]
    fn lists_are_the_projection() {
        let (p, n, s) = (Modulus::new(65521).unwrap(), 5000, 7);
        let field = PrimeField(p);
        let mut rng = Rng::seed_from_u64(14);
        let buckets = Buckets::random(&field, n, s, &mut rng).unwrap();
        let v = Block::random(crate::spmv::Lane::U16, n, s, p, &mut rng).unwrap();
        let (starts, rows) = buckets.lists().unwrap();
        assert_eq!((starts.len(), rows.len()), (s * buckets.pool() + 1, 3 * n));
        let mut sums = Vec::new();
        for range in starts.windows(2) {
            let of_bucket = &rows[range[0] as usize..range[1] as usize];
            assert!(of_bucket.is_sorted_by(|a, b| a < b));
            sums.extend((0..s).map(|l| of_bucket.iter().map(|&i| v.get(i as usize, l)).sum::<u64>()));
        }
        let (mut found, mut expected) = (Vec::new(), Vec::new());
        buckets.weigh(&field, &sums, &mut found).unwrap();
        buckets.project(&field, &v, &mut expected).unwrap();
        assert_eq!(found, expected);
    }
}
