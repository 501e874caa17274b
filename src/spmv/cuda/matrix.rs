//! A matrix and its transpose on a GPU, and their products.

use super::adjoint::Adjoint;
use super::block::{GpuBlock, GpuDiagonal, GpuPlaces};
use super::kernels::GpuKernels;
use super::layout::{Kinds, Layout};
use super::locality::Products;
use super::map::{GpuMap, value_bytes};
use super::source::GpuShape;
use crate::Result;
use crate::gpu::{Device, Stream};
use crate::parallel::{self, Each};
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
    transposed: Transposed,
}

/// Where products with the transpose come from.
#[derive(Debug)]
enum Transposed {
    /// A second copy.
    Copy(Box<GpuMap>),
    /// The storage of the matrix: slower, in less memory.
    Shared(Adjoint),
}

impl GpuMatrix {
    /// Compiles the kernels and copies `a`, in both directions, to the device; in one direction alone where both do not
    /// fit ([`GpuMatrix::shares_storage`]).
    ///
    /// # Errors
    /// [`Error::Device`](crate::Error::Device), with
    /// [`DeviceReason::NoMemory`](crate::DeviceReason::NoMemory) if the matrix and three blocks do not fit the
    /// device's free memory either way; [`Error::Memory`](crate::Error::Memory).
    ///
    /// # Panics
    /// If the moduli differ, or a row of a block is empty.
    pub fn new(device: &Device, a: &SparseMatrix, shape: GpuShape) -> Result<GpuMatrix> {
        Self::with_kinds(device, a, shape, Kinds::of(a), 0)
    }
    /// [`GpuMatrix::new`] for so many products in each direction: where they are worth it, rows are made in an order
    /// that suits the cache of the GPU, which takes time to find. Results are the same.
    ///
    /// # Errors
    /// As [`GpuMatrix::new`].
    ///
    /// # Panics
    /// As [`GpuMatrix::new`].
    pub fn for_products(device: &Device, a: &SparseMatrix, shape: GpuShape, products: u64) -> Result<GpuMatrix> {
        Self::with_kinds(device, a, shape, Kinds::of(a), products)
    }
    /// [`GpuMatrix::new`] with entries ±1 as values like others, to see what keeping them apart gains.
    ///
    /// # Errors
    /// As [`GpuMatrix::new`].
    ///
    /// # Panics
    /// As [`GpuMatrix::new`].
    pub fn without_signs(device: &Device, a: &SparseMatrix, shape: GpuShape) -> Result<GpuMatrix> {
        Self::with_kinds(device, a, shape, Kinds { signs: false, others: a.nnz() > 0 }, 0)
    }
    fn with_kinds(
        device: &Device,
        a: &SparseMatrix,
        shape: GpuShape,
        kinds: Kinds,
        products: u64,
    ) -> Result<GpuMatrix> {
        assert_eq!(a.modulus(), shape.modulus, "kernels for another modulus");
        let products = Products { count: products, row_bytes: shape.row_bytes() };
        let layouts = || Layout::of_both(a, kinds, shape.pieces(), products);
        Ok(Self::on_each(&[(device, shape)], kinds, layouts, true)?.swap_remove(0))
    }
    /// A linear map and its transpose on each of these devices, for blocks of the shape there; with `may_share`, the
    /// map alone where both do not fit.
    ///
    /// # Errors
    /// As [`GpuMatrix::new`].
    pub(super) fn on_each(
        places: &[(&Device, GpuShape)],
        kinds: Kinds,
        layouts: impl FnOnce() -> Result<(Layout, Layout)> + Send,
        may_share: bool,
    ) -> Result<Vec<GpuMatrix>> {
        // The driver, the compiler and the layouts take about as long.
        let (kernels, layouts) = parallel::join(|| GpuKernels::load_each(places, kinds), layouts);
        let (kernels, (forward, transposed)) = (kernels?, layouts?);
        let upload = |kernels| Self::upload_maps(kernels, &forward, &transposed, may_share);
        kernels.into_par_iter().try_make(upload)
    }
    /// The maps that the kernels are for, copied to their GPU; with `may_share`, one of them where both do not fit.
    ///
    /// # Errors
    /// As [`GpuMatrix::new`].
    pub(super) fn upload_maps(
        kernels: GpuKernels,
        forward: &Layout,
        transposed: &Layout,
        may_share: bool,
    ) -> Result<GpuMatrix> {
        let (shape, kernels) = (kernels.shape, Arc::new(kernels));
        let row = shape.row_bytes() as u64;
        let entries = |layout: &Layout| layout.bytes(value_bytes(shape));
        // Three blocks: two of the larger operand, one of the smaller.
        let blocks = |a: usize, b: usize| row * (2 * a.max(b) + a.min(b)) as u64;
        let copied = entries(forward) + entries(transposed) + blocks(forward.operand(), transposed.operand());
        let shared = match may_share {
            true => {
                let sums = Adjoint::bytes(shape, forward.operand());
                entries(forward) + sums + blocks(forward.operand(), forward.rows.max(1))
            }
            false => u64::MAX,
        };
        let free = kernels.stream.free_memory()?;
        if copied > free && shared <= free {
            return Self::sharing(&kernels, forward);
        }
        kernels.require(copied.min(shared), "the matrix and its blocks")?;
        let (forward, transposed) = (GpuMap::upload(&kernels, forward)?, GpuMap::upload(&kernels, transposed)?);
        Ok(GpuMatrix { kernels, forward, transposed: Transposed::Copy(Box::new(transposed)) })
    }
    /// The transpose from the storage of the matrix.
    fn sharing(kernels: &Arc<GpuKernels>, forward: &Layout) -> Result<GpuMatrix> {
        let forward = GpuMap::upload(kernels, forward)?;
        let transposed = Transposed::Shared(Adjoint::new(&forward)?);
        Ok(GpuMatrix { kernels: kernels.clone(), forward, transposed })
    }
    /// [`GpuMatrix::for_products`] with the transpose from the storage of the matrix, whatever fits.
    #[cfg(test)]
    pub(super) fn in_one_copy(device: &Device, a: &SparseMatrix, shape: GpuShape, products: u64) -> Result<GpuMatrix> {
        let (kinds, places) = (Kinds::of(a), [(device, shape)]);
        let kernels = GpuKernels::load_each(&places, kinds)?.swap_remove(0);
        let products = Products { count: products, row_bytes: shape.row_bytes() };
        let layout = Layout::of_matrix(a, || a.transpose(), kinds, shape.pieces(), products)?;
        Self::sharing(&Arc::new(kernels), &layout)
    }

    /// The shape of the blocks.
    pub fn shape(&self) -> GpuShape {
        self.kernels.shape
    }
    /// Which rows of a product the matrix makes (of one with Aᵀ with `transpose`): all of them, or those left to this
    /// GPU.
    pub(crate) fn own(&self, transpose: bool) -> Range<usize> {
        match (&self.transposed, transpose) {
            (Transposed::Copy(map), true) => map.own(),
            (Transposed::Shared(_), true) => 0..self.cols(),
            (_, false) => self.forward.own(),
        }
    }
    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.forward.rows()
    }
    /// Number of columns.
    pub fn cols(&self) -> usize {
        self.forward.cols()
    }
    /// Whether products with the transpose are made from the storage of the matrix, since there was no memory for a
    /// second copy: slower.
    pub fn shares_storage(&self) -> bool {
        matches!(self.transposed, Transposed::Shared(_))
    }
    /// The stream of all work with the matrix.
    pub fn stream(&self) -> &Stream {
        &self.kernels.stream
    }
    /// The compute capability of the device.
    pub(crate) fn capability(&self) -> (u32, u32) {
        self.kernels.capability
    }
    /// The multiprocessors of the device.
    pub(crate) fn multiprocessors(&self) -> u32 {
        self.kernels.multiprocessors
    }

    /// A zero block, X of A·X (of Aᵀ·X with `transpose`); it may also be Y of a product with the other.
    ///
    /// # Errors
    /// [`Error::Device`](crate::Error::Device).
    pub fn zeros(&self, transpose: bool) -> Result<GpuBlock> {
        match (&self.transposed, transpose) {
            (Transposed::Copy(map), true) => map.zeros(),
            (Transposed::Shared(_), true) => Adjoint::zeros(&self.forward),
            (_, false) => self.forward.zeros(),
        }
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
        let first = first * self.shape().degree;
        match (&self.transposed, transpose) {
            (Transposed::Copy(map), true) => map.upload_block(block, first),
            (Transposed::Shared(_), true) => Adjoint::upload_block(&self.forward, block, first),
            (_, false) => self.forward.upload_block(block, first),
        }
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
        match (&self.transposed, transpose) {
            (Transposed::Copy(map), true) => map.apply(diagonal, x, y),
            (Transposed::Shared(adjoint), true) => adjoint.apply(&self.forward, diagonal, x, y),
            (_, false) => self.forward.apply(diagonal, x, y),
        }
    }
    /// Y ← D·A·X, or Y ← D·Aᵀ·X with `transpose`, over GF(p), of the rows left to this GPU, which are also written to
    /// blocks on other GPUs.
    ///
    /// # Errors
    /// [`Error::Device`](crate::Error::Device).
    ///
    /// # Panics
    /// As [`GpuMatrix::apply`]; if the storage is shared, or the field an extension.
    pub(crate) fn apply_to(
        &self,
        transpose: bool,
        diagonal: &GpuDiagonal,
        (x, y): (&mut GpuBlock, &mut GpuBlock),
        others: &GpuPlaces,
    ) -> Result<()> {
        match (&self.transposed, transpose) {
            (Transposed::Copy(map), true) => map.apply_to(Some(diagonal), x, y, Some(others)),
            (Transposed::Shared(_), true) => unreachable!("rows are shared where there are two copies"),
            (_, false) => self.forward.apply_to(Some(diagonal), x, y, Some(others)),
        }
    }
}
