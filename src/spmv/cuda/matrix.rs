//! A matrix and its transpose on a GPU, and their products.

use super::block::{GpuBlock, GpuDiagonal};
use super::kernels::GpuKernels;
use super::layout::{Kinds, Layout};
use super::map::{GpuMap, Solve, value_bytes};
use super::source::GpuShape;
use crate::Result;
use crate::gpu::{Device, Stream};
use crate::sparse::SparseMatrix;
use crate::spmv::Block;
use rayon::prelude::*;
use std::ops::Range;
use std::sync::Arc;

/// A sparse matrix A over GF(p) and its transpose on one GPU, for products with blocks of one shape; or another linear
/// map that triangular solves describe, such as a Schur complement.
#[derive(Debug)]
pub struct GpuMatrix {
    kernels: Arc<GpuKernels>,
    forward: GpuMap,
    transposed: GpuMap,
}

impl GpuMatrix {
    /// Compiles the kernels and copies `a`, in both directions, to the device.
    ///
    /// # Errors
    /// [`Error::Device`](crate::Error::Device), with
    /// [`DeviceReason::NoMemory`](crate::DeviceReason::NoMemory) if the matrix and three blocks do not fit the
    /// device's free memory; [`Error::Memory`](crate::Error::Memory).
    ///
    /// # Panics
    /// If the moduli differ, or a row of a block is empty.
    pub fn new(device: &Device, a: &SparseMatrix, shape: GpuShape) -> Result<GpuMatrix> {
        assert_eq!(a.modulus(), shape.modulus, "kernels for another modulus");
        let kinds = Kinds::of(a);
        let transposed = || Solve::product(&a.transpose()?).layout(kinds);
        let layouts = || rayon::join(|| Solve::product(a).layout(kinds), transposed);
        Ok(Self::on_each(&[(device, shape)], kinds, layouts)?.swap_remove(0))
    }
    /// A linear map and its transpose on each of these devices, for blocks of the shape there.
    ///
    /// # Errors
    /// As [`GpuMatrix::new`].
    pub(super) fn on_each(
        places: &[(&Device, GpuShape)],
        kinds: Kinds,
        layouts: impl FnOnce() -> (Result<Layout>, Result<Layout>) + Send,
    ) -> Result<Vec<GpuMatrix>> {
        // The driver, the compiler and the layouts take about as long.
        let (kernels, layouts) = rayon::join(|| GpuKernels::load_each(places, kinds), layouts);
        let (kernels, forward, transposed) = (kernels?, layouts.0?, layouts.1?);
        kernels.into_par_iter().map(|kernels| Self::upload_maps(kernels, &forward, &transposed)).collect()
    }
    /// The maps that the kernels are for, copied to their GPU.
    ///
    /// # Errors
    /// As [`GpuMatrix::new`].
    pub(super) fn upload_maps(kernels: GpuKernels, forward: &Layout, transposed: &Layout) -> Result<GpuMatrix> {
        let (shape, kernels) = (kernels.shape, Arc::new(kernels));
        let blocks = |layout: &Layout| layout.operand() as u64 * shape.row_bytes() as u64;
        let sides = forward.bytes(value_bytes(shape)) + transposed.bytes(value_bytes(shape));
        let needed = sides + 2 * blocks(forward).max(blocks(transposed)) + blocks(transposed).min(blocks(forward));
        kernels.require(needed, "the matrix and its blocks")?;
        let (forward, transposed) = (GpuMap::upload(&kernels, forward)?, GpuMap::upload(&kernels, transposed)?);
        Ok(GpuMatrix { kernels, forward, transposed })
    }

    /// The shape of the blocks.
    pub fn shape(&self) -> GpuShape {
        self.kernels.shape
    }
    /// Which rows of a product the matrix makes (of one with Aᵀ with `transpose`): all of them, or those left to this
    /// GPU.
    pub(crate) fn own(&self, transpose: bool) -> Range<usize> {
        self.side(transpose).own()
    }
    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.forward.rows()
    }
    /// Number of columns.
    pub fn cols(&self) -> usize {
        self.transposed.rows()
    }
    /// The stream of all work with the matrix.
    pub fn stream(&self) -> &Stream {
        &self.kernels.stream
    }
    /// The compute capability of the device.
    pub(crate) fn capability(&self) -> (u32, u32) {
        self.kernels.capability
    }

    /// A zero block, X of A·X (of Aᵀ·X with `transpose`); it may also be Y of a product with the other.
    ///
    /// # Errors
    /// [`Error::Device`](crate::Error::Device).
    pub fn zeros(&self, transpose: bool) -> Result<GpuBlock> {
        self.side(transpose).zeros()
    }
    /// A copy of `block`, X of A·X (of Aᵀ·X with `transpose`).
    ///
    /// # Errors
    /// [`Error::Device`](crate::Error::Device), [`Error::Memory`](crate::Error::Memory).
    ///
    /// # Panics
    /// If its width or its number of rows is another.
    pub fn upload(&self, block: &Block, transpose: bool) -> Result<GpuBlock> {
        assert_eq!(block.width(), self.shape().width(), "a block of another width");
        self.upload_columns(block, 0, transpose)
    }
    /// [`GpuMatrix::upload`] of the columns of a wider block from element `first` on, as many as blocks have here.
    ///
    /// # Errors
    /// As [`GpuMatrix::upload`].
    ///
    /// # Panics
    /// If there are not so many, or its number of rows is another.
    pub(crate) fn upload_columns(&self, block: &Block, first: usize, transpose: bool) -> Result<GpuBlock> {
        self.side(transpose).upload_block(block, first * self.shape().degree)
    }
    /// A copy of a block of any width and number of rows, for other kernels than those of products.
    ///
    /// # Errors
    /// As [`GpuMatrix::upload`].
    pub(crate) fn upload_beside(&self, block: &Block, shape: GpuShape) -> Result<GpuBlock> {
        GpuBlock::upload(&self.kernels.stream, shape, (block, 0), block.rows())
    }
    /// The first `rows` rows of a block.
    ///
    /// # Errors
    /// [`Error::Device`](crate::Error::Device), [`Error::Memory`](crate::Error::Memory).
    pub fn download(&self, block: &GpuBlock, rows: usize) -> Result<Block> {
        self.forward.download(block, rows)
    }
    /// The diagonal matrix of these entries, residues; for k > 1 of the digits of e·tᵃ, a = 0 … k - 1, for each entry
    /// e.
    ///
    /// # Errors
    /// [`Error::Device`](crate::Error::Device), [`Error::Memory`](crate::Error::Memory).
    pub fn diagonal(&self, residues: &[u64]) -> Result<GpuDiagonal> {
        GpuDiagonal::new(&self.kernels.stream, self.kernels.shape, residues)
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
        self.side(transpose).apply(diagonal, x, y)
    }

    fn side(&self, transpose: bool) -> &GpuMap {
        if transpose { &self.transposed } else { &self.forward }
    }
}
