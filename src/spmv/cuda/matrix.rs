//! A matrix and its transpose on a GPU, and their products.

use super::block::{Entries, GpuBlock, GpuDiagonal};
use super::layout::{Kinds, Layout, SLICE, Slices, Stage};
use super::source::{GpuShape, THREADS};
use crate::gpu::{Buffer, Device, Grid, In, Kernel, Out, Stream};
use crate::sparse::SparseMatrix;
use crate::spmv::{Block, Lane};
use crate::{DeviceReason, Error, Result, memory};

/// targets, lengths, bases, indices, value_bases, value_indices, values: what the kernels name so.
type Product = (In<u32>, Out<u32>, In<u32>, In<u32>, In<u32>, In<u32>, In<u32>, In<u32>, In<u32>, u32);
type ProductScaled = (In<u32>, Out<u32>, In<u32>, In<u32>, In<u32>, In<u32>, In<u32>, In<u32>, In<u32>, In<u32>, u32);
type Pieces = (Out<u32>, In<u32>, In<u32>, In<u32>, In<u32>, In<u32>, In<u32>, In<u32>, u32);
type Digits = (Out<u32>, In<u64>, u32);

/// A sparse matrix A over GF(p) and its transpose on one GPU, for products with blocks of one shape.
#[derive(Debug)]
pub struct GpuMatrix {
    stream: Stream,
    capability: (u32, u32),
    shape: GpuShape,
    forward: Side,
    transposed: Side,
    kernels: Kernels,
}

#[derive(Debug)]
struct Kernels {
    product: Kernel<Product>,
    product_scaled: Kernel<ProductScaled>,
    pieces: Kernel<Pieces>,
    digits: Option<Kernel<Digits>>,
}

/// A matrix in one direction.
#[derive(Debug)]
struct Side {
    rows: usize,
    /// Rows of X, those for pieces counted.
    operand: usize,
    stages: Vec<OnGpu>,
}

/// A stage of a layout.
#[derive(Debug)]
struct OnGpu {
    slots: u32,
    targets: Buffer<u32>,
    lengths: Buffer<u32>,
    signs: Parts,
    others: Parts,
}

#[derive(Debug)]
struct Parts {
    bases: Buffer<u32>,
    indices: Buffer<u32>,
    values: Buffer<u32>,
}

impl GpuMatrix {
    /// Compiles the kernels and copies `a`, in both directions, to the device.
    ///
    /// # Errors
    /// [`Error::Device`](crate::Error::Device), with [`DeviceReason::NoMemory`] if the matrix and three blocks do not
    /// fit the device's free memory; [`Error::Memory`](crate::Error::Memory).
    ///
    /// # Panics
    /// If the moduli differ, or a row of a block is empty.
    pub fn new(device: &Device, a: &SparseMatrix, shape: GpuShape) -> Result<GpuMatrix> {
        assert_eq!(a.modulus(), shape.modulus, "kernels for another modulus");
        assert!(shape.width() > 0, "blocks of at least one column");
        let kinds = Kinds::of(a);
        // The driver, the compiler and the layouts take about as long.
        let (opened, (cubin, layouts)) = rayon::join(
            || Stream::alone(device),
            || {
                rayon::join(
                    || shape.sparse(kinds, device.compute_capability),
                    || rayon::join(|| Layout::new(a, kinds), || Layout::new(&a.transpose()?, kinds)),
                )
            },
        );
        let (stream, cubin, forward, transposed) = (opened?, cubin?, layouts.0?, layouts.1?);
        let value = if shape.lane() == Lane::U64 { 8 } else { 4 };
        let blocks = |layout: &Layout| (layout.cols + layout.extra) as u64 * shape.row_bytes() as u64;
        let sides = forward.bytes(value) + transposed.bytes(value);
        let needed = sides + 2 * blocks(&forward).max(blocks(&transposed)) + blocks(&transposed).min(blocks(&forward));
        let free = stream.free_memory()?;
        if needed > free {
            let (needed, free) = (needed.div_ceil(1 << 20), free >> 20);
            let message = format!("the matrix and its blocks need {needed} MB on the device, {free} MB are free");
            return Err(Error::device(DeviceReason::NoMemory, message));
        }
        let module = stream.load(&cubin)?;
        let kernels = Kernels {
            product: module.kernel("product")?,
            product_scaled: module.kernel("product_scaled")?,
            pieces: module.kernel("pieces")?,
            digits: if shape.degree > 1 { Some(module.kernel("digits")?) } else { None },
        };
        let (forward, transposed) =
            (Side::upload(&stream, shape, &forward)?, Side::upload(&stream, shape, &transposed)?);
        Ok(GpuMatrix { capability: device.compute_capability, stream, shape, forward, transposed, kernels })
    }

    /// The shape of the blocks.
    pub fn shape(&self) -> GpuShape {
        self.shape
    }
    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.forward.rows
    }
    /// Number of columns.
    pub fn cols(&self) -> usize {
        self.transposed.rows
    }
    /// The stream of all work with the matrix.
    pub fn stream(&self) -> &Stream {
        &self.stream
    }
    /// The compute capability of the device.
    pub(crate) fn capability(&self) -> (u32, u32) {
        self.capability
    }

    /// A zero block, X of A·X (of Aᵀ·X with `transpose`); it may also be Y of a product with the other.
    ///
    /// # Errors
    /// [`Error::Device`](crate::Error::Device).
    pub fn zeros(&self, transpose: bool) -> Result<GpuBlock> {
        GpuBlock::zeros(&self.stream, self.shape, self.side(transpose).operand)
    }
    /// A copy of `block`, X of A·X (of Aᵀ·X with `transpose`).
    ///
    /// # Errors
    /// [`Error::Device`](crate::Error::Device), [`Error::Memory`](crate::Error::Memory).
    ///
    /// # Panics
    /// If its width or its number of rows is another.
    pub fn upload(&self, block: &Block, transpose: bool) -> Result<GpuBlock> {
        let rows = if transpose { self.rows() } else { self.cols() };
        assert_eq!(block.rows(), rows, "a block of another number of rows");
        GpuBlock::upload(&self.stream, self.shape, block, self.side(transpose).operand)
    }
    /// The first `rows` rows of a block.
    ///
    /// # Errors
    /// [`Error::Device`](crate::Error::Device), [`Error::Memory`](crate::Error::Memory).
    pub fn download(&self, block: &GpuBlock, rows: usize) -> Result<Block> {
        block.download(&self.stream, self.shape, rows)
    }
    /// The diagonal matrix of these entries, residues; for k > 1 of the digits of e·tᵃ, a = 0 … k - 1, for each entry
    /// e.
    ///
    /// # Errors
    /// [`Error::Device`](crate::Error::Device), [`Error::Memory`](crate::Error::Memory).
    pub fn diagonal(&self, residues: &[u64]) -> Result<GpuDiagonal> {
        GpuDiagonal::new(&self.stream, self.shape, residues)
    }

    /// Y ← D·A·X, or Y ← D·Aᵀ·X with `transpose`; without D if there is none. What X has beyond its entries is
    /// overwritten.
    ///
    /// The work is only begun: an error in it shows later, at the latest when something is copied back.
    ///
    /// # Errors
    /// [`Error::Device`](crate::Error::Device).
    ///
    /// # Panics
    /// If a block or the diagonal has too few rows, or another shape than [`GpuMatrix::shape`].
    pub fn apply(
        &self,
        transpose: bool,
        diagonal: Option<&GpuDiagonal>,
        x: &mut GpuBlock,
        y: &mut GpuBlock,
    ) -> Result<()> {
        let side = self.side(transpose);
        assert!(x.rows >= side.operand && y.rows >= side.rows, "blocks of too few rows");
        assert!(diagonal.is_none_or(|d| d.len == side.rows), "a diagonal of the wrong length");
        let shapes = [Some(x.shape), Some(y.shape), diagonal.map(|d| d.shape)];
        assert!(shapes.into_iter().flatten().all(|shape| shape == self.shape), "blocks of another shape");
        let (last, pieces) = side.stages.split_last().expect("a layout has a stage");
        for stage in pieces {
            let OnGpu { slots, targets, lengths, signs: s, others: o } = stage;
            let arguments =
                (&mut x.words, targets, lengths, &s.bases, &s.indices, &o.bases, &o.indices, &o.values, *slots);
            self.stream.enqueue(&self.kernels.pieces, self.grid(*slots), arguments)?;
        }
        let OnGpu { slots, targets, lengths, signs: s, others: o } = last;
        if *slots == 0 {
            return Ok(());
        }
        let (x, to, grid) = (&x.words, &mut y.words, self.grid(*slots));
        if let Some(GpuDiagonal { entries: Entries::Prime(d), .. }) = diagonal {
            let arguments = (x, to, targets, lengths, &s.bases, &s.indices, &o.bases, &o.indices, &o.values, d, *slots);
            return self.stream.enqueue(&self.kernels.product_scaled, grid, arguments);
        }
        let arguments = (x, to, targets, lengths, &s.bases, &s.indices, &o.bases, &o.indices, &o.values, *slots);
        self.stream.enqueue(&self.kernels.product, grid, arguments)?;
        if let (Some(GpuDiagonal { entries: Entries::Extension(matrices), len, .. }), Some(digits)) =
            (diagonal, &self.kernels.digits)
        {
            let grid = grid_of(*len as u64 * self.shape.block as u64);
            self.stream.enqueue(digits, grid, (&mut y.words, matrices, *len as u32))?;
        }
        Ok(())
    }

    fn side(&self, transpose: bool) -> &Side {
        if transpose { &self.transposed } else { &self.forward }
    }

    /// A thread for each word of so many rows.
    fn grid(&self, slots: u32) -> Grid {
        grid_of(u64::from(slots) * self.shape.pieces() as u64)
    }
}

/// At least so many threads.
pub(crate) fn grid_of(threads: u64) -> Grid {
    let blocks = threads.div_ceil(u64::from(THREADS)).max(1);
    Grid { blocks: (u32::try_from(blocks).expect("fewer than 2^32 blocks"), 1), threads: THREADS }
}

impl Side {
    fn upload(stream: &Stream, shape: GpuShape, layout: &Layout) -> Result<Side> {
        let stages = layout.stages.iter().map(|stage| OnGpu::upload(stream, shape, stage)).collect::<Result<_>>()?;
        Ok(Side { rows: layout.rows, operand: layout.cols + layout.extra, stages })
    }
}

impl OnGpu {
    fn upload(stream: &Stream, shape: GpuShape, stage: &Stage) -> Result<OnGpu> {
        debug_assert_eq!(stage.targets.len() % SLICE, 0);
        Ok(OnGpu {
            slots: stage.targets.len() as u32,
            targets: stream.upload(&stage.targets)?,
            lengths: stream.upload(&stage.lengths)?,
            signs: Parts::upload(stream, shape, &stage.signs)?,
            others: Parts::upload(stream, shape, &stage.others)?,
        })
    }
}

impl Parts {
    fn upload(stream: &Stream, shape: GpuShape, slices: &Slices) -> Result<Parts> {
        let what = "the values of a matrix for a GPU";
        let values = if shape.lane() == Lane::U64 {
            let mut words = memory::with_capacity(2 * slices.values.len(), what)?;
            words.extend(slices.values.iter().flat_map(|&v| [v as u32, (v >> 32) as u32]));
            words
        } else {
            memory::collect(slices.values.iter().map(|&v| v as u32), what)?
        };
        Ok(Parts {
            bases: stream.upload(&slices.bases)?,
            indices: stream.upload(&slices.indices)?,
            values: stream.upload(&values)?,
        })
    }
}
