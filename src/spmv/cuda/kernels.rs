//! The kernels for blocks of one shape, loaded on a GPU.

use super::block::{Entries, GpuBlock, GpuDiagonal};
use super::layout::Kinds;
use super::source::{GpuShape, THREADS};
use crate::gpu::{Cubin, Device, Grid, In, Kernel, Out, Stream};
use crate::parallel::{self, Each};
use crate::{DeviceReason, Error, Result};
use rayon::prelude::*;

/// targets, lengths, bases, indices, value_bases, value_indices, values: what the kernels name so; then what is
/// particular to each, first and slots (or groups).
type Product = (In<u32>, Out<u32>, In<u32>, In<u32>, In<u32>, In<u32>, In<u32>, In<u32>, In<u32>, u32, u32);
type ProductScaled =
    (In<u32>, Out<u32>, In<u32>, In<u32>, In<u32>, In<u32>, In<u32>, In<u32>, In<u32>, In<u32>, u32, u32);
/// Before first and slots also where the blocks of other GPUs are: their number, and the address of each.
type ProductShared =
    (In<u32>, Out<u32>, In<u32>, In<u32>, In<u32>, In<u32>, In<u32>, In<u32>, In<u32>, In<u32>, In<u64>, u32, u32);
type Inner = (Out<u32>, In<u32>, In<u32>, In<u32>, In<u32>, In<u32>, In<u32>, In<u32>, u32, u32);
type Chain = (Out<u32>, In<u32>, In<u32>, In<u32>, In<u32>, In<u32>, In<u32>, In<u32>, In<u32>, u32, u32);
/// x, rows, lanes, residues, count, keep.
type Scatter = (Out<u32>, In<u32>, In<u32>, In<u64>, u32, u32);
/// x, part, words, count, back.
type Columns = (Out<u32>, Out<u32>, u32, u64, u32);
type Digits = (Out<u32>, In<u64>, u32);

/// The kernels of `kernels/sparse.cu` for blocks of one shape, and the stream of all work with them.
#[derive(Debug)]
pub(crate) struct GpuKernels {
    pub(super) stream: Stream,
    pub(super) capability: (u32, u32),
    pub(super) multiprocessors: u32,
    pub(super) shape: GpuShape,
    /// Entries that maps may have.
    pub(super) kinds: Kinds,
    pub(super) product: Kernel<Product>,
    pub(super) product_scaled: Kernel<ProductScaled>,
    pub(super) product_shared: Kernel<ProductShared>,
    pub(super) inner: Kernel<Inner>,
    pub(super) chain: Kernel<Chain>,
    pub(super) scatter: Kernel<Scatter>,
    pub(super) columns: Kernel<Columns>,
    pub(super) digits: Option<Kernel<Digits>>,
}

impl GpuKernels {
    /// Opens the device, and compiles and loads the kernels for blocks of this shape and these kinds of entries.
    ///
    /// # Errors
    /// [`Error::Device`].
    pub(super) fn load(device: &Device, shape: GpuShape, kinds: Kinds) -> Result<GpuKernels> {
        Ok(Self::load_each(&[(device, shape)], kinds)?.swap_remove(0))
    }

    /// The same on each of these devices, for blocks of the shape there.
    ///
    /// # Errors
    /// [`Error::Device`].
    pub(super) fn load_each(places: &[(&Device, GpuShape)], kinds: Kinds) -> Result<Vec<GpuKernels>> {
        assert!(places.iter().all(|(_, shape)| shape.width() > 0), "blocks of at least one column");
        // Kernels that several have in common are compiled once.
        let what = |&(device, shape): &(&Device, GpuShape)| (shape, device.compute_capability);
        let mut different: Vec<_> = places.iter().map(what).collect();
        different.dedup();
        let compiled = || -> Result<Vec<Cubin>> {
            different.par_iter().try_make(|&(shape, capability)| shape.sparse(kinds, capability))
        };
        let opened = || -> Result<Vec<Stream>> { places.par_iter().try_make(|(device, _)| Stream::alone(device)) };
        let (streams, cubins) = parallel::join(opened, compiled);
        let (streams, cubins) = (streams?, cubins?);
        let loaded = |(place, stream)| {
            let (shape, capability) = what(place);
            let which = different.iter().position(|other| *other == (shape, capability)).expect("all were compiled");
            Self::loaded(stream, &cubins[which], place, kinds)
        };
        places.iter().zip(streams).map(loaded).collect()
    }

    fn loaded(
        stream: Stream,
        cubin: &Cubin,
        &(device, shape): &(&Device, GpuShape),
        kinds: Kinds,
    ) -> Result<GpuKernels> {
        let module = stream.load(cubin)?;
        Ok(GpuKernels {
            capability: device.compute_capability,
            multiprocessors: device.multiprocessors,
            shape,
            kinds,
            product: module.kernel("product")?,
            product_scaled: module.kernel("product_scaled")?,
            product_shared: module.kernel("product_shared")?,
            inner: module.kernel("inner")?,
            chain: module.kernel("chain")?,
            scatter: module.kernel("scatter")?,
            columns: module.kernel("columns")?,
            digits: if shape.degree > 1 { Some(module.kernel("digits")?) } else { None },
            stream,
        })
    }

    /// Refuses `what` if it needs more bytes than the device has free.
    ///
    /// # Errors
    /// [`Error::Device`] with [`DeviceReason::NoMemory`].
    pub(crate) fn require(&self, needed: u64, what: &str) -> Result<()> {
        let free = self.stream.free_memory()?;
        if needed <= free {
            return Ok(());
        }
        let (needed, free) = (needed.div_ceil(1 << 20), free >> 20);
        let message = format!("{what} need {needed} MB on the device, {free} MB are free");
        Err(Error::device(DeviceReason::NoMemory, message))
    }

    /// Multiplies elements of an extension by those of the diagonal; residues are scaled where they are made.
    ///
    /// # Errors
    /// [`Error::Device`].
    pub(super) fn scale_digits(&self, diagonal: &GpuDiagonal, y: &mut GpuBlock) -> Result<()> {
        let (Entries::Extension(matrices), Some(digits)) = (&diagonal.entries, &self.digits) else { return Ok(()) };
        // Packed, a row has one thread.
        let threads = if self.shape.bits() == 1 { 1 } else { self.shape.block };
        let grid = grid_of(diagonal.len as u64 * threads as u64);
        self.stream.enqueue(digits, grid, (&mut y.words, matrices, diagonal.len as u32))
    }

    /// A thread for each word of so many rows.
    pub(super) fn grid(&self, slots: u32) -> Grid {
        grid_of(u64::from(slots) * self.shape.pieces() as u64)
    }
}

/// At least so many threads.
pub(crate) fn grid_of(threads: u64) -> Grid {
    let blocks = threads.div_ceil(u64::from(THREADS)).max(1);
    Grid { blocks: (u32::try_from(blocks).expect("fewer than 2^32 blocks"), 1), threads: THREADS }
}
