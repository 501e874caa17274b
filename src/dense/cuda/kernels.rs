//! The kernels for one modulus, loaded on a GPU.

use super::source::Form;
use crate::field::Modulus;
use crate::gpu::{Device, Grid, In, Kernel, Out, Stream};
use crate::parallel;
use crate::{DeviceReason, Error, Result};
use std::sync::Arc;

/// to, from, offset, stride, columns, gathered, rows, begin, end, a_rows, steps, negative.
type PackA = (Out<u32>, In<u32>, u64, u32, In<u32>, u32, u32, u32, u32, u32, u32, u32);
/// to, from, offset, stride, lines, gathered, begin, end, cols, b_cols, steps.
type PackB = (Out<u32>, In<u32>, u64, u32, In<u32>, u32, u32, u32, u32, u32, u32);
/// a, b, c, offset, stride, rows, cols, steps, a_rows, b_cols, add.
type Multiply = (In<u32>, In<u32>, Out<u32>, u64, u32, u32, u32, u32, u32, u32, u32);
/// panel, rows, order, offset, panel_stride, rows_stride, cols.
type Arrange = (Out<u32>, In<u32>, In<u32>, u64, u32, u32, u32);
/// panel, taken, found, stride, from, end.
type Leads = (In<u32>, In<u32>, Out<u32>, u32, u32, u32);
/// window, panel, found, stride, from, end.
type OpenWindow = (Out<u32>, In<u32>, Out<u32>, u32, u32, u32);
/// window, taken, guess, rows, number.
type Corner = (In<u32>, In<u32>, Out<u32>, u32, u32);
/// window, taken, guess, multipliers, rows, number.
type Lift = (In<u32>, In<u32>, Out<u32>, Out<u32>, u32, u32);
/// window, guess, lines, multipliers, taken, found, rows, number.
type Strip = (Out<u32>, In<u32>, Out<u32>, Out<u32>, Out<u32>, Out<u32>, u32, u32);
/// window, lines, multipliers, rows.
type Apply = (Out<u32>, In<u32>, In<u32>, u32);
/// panel, window, found, stride, from, end.
type CloseWindow = (Out<u32>, Out<u32>, In<u32>, u32, u32, u32);
/// to, from, lines, stride, first, begin, end.
type Gather = (Out<u32>, In<u32>, In<u32>, u32, u32, u32, u32);
/// rows, columns, stride, count, height.
type Clear = (Out<u32>, In<u32>, u32, u32, u32);
/// rows, stride, offset, count.
type Units = (Out<u32>, u32, u32, u32);

/// to, from, to_stride, from_stride, rows, cols.
type Turn = (Out<u32>, In<u32>, u32, u32, u32, u32);
/// whole, part, whole_stride, part_stride, cols, band, parts, number, back.
type Deal = (Out<u32>, Out<u32>, u32, u32, u32, u32, u32, u32, u32);
/// to, from, to_stride, from_stride, width, wide.
type Narrow = (Out<u32>, In<u32>, u32, u32, u32, u32);

/// How `multiply` is launched.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tiles {
    pub threads: u32,
    /// Columns of a tile.
    pub wide: usize,
    /// Blocks of a launch at most.
    pub blocks: u32,
}

/// Dense linear algebra mod p < 2³² on one GPU: its kernels, and the stream of all work with them.
#[derive(Clone, Debug)]
pub struct GpuField(pub(super) Arc<Kernels>);

#[derive(Debug)]
pub(super) struct Kernels {
    pub stream: Stream,
    pub form: Form,
    pub tiles: Tiles,
    pub pack_a: Kernel<PackA>,
    pub pack_b: Kernel<PackB>,
    pub multiply: Kernel<Multiply>,
    pub arrange: Kernel<Arrange>,
    pub leads: Kernel<Leads>,
    pub open_window: Kernel<OpenWindow>,
    pub corner: Kernel<Corner>,
    pub lift: Kernel<Lift>,
    pub strip: Kernel<Strip>,
    pub apply: Kernel<Apply>,
    pub close_window: Kernel<CloseWindow>,
    pub gather: Kernel<Gather>,
    pub clear: Kernel<Clear>,
    pub units: Kernel<Units>,
    pub turn: Kernel<Turn>,
    pub deal: Kernel<Deal>,
    pub narrow: Kernel<Narrow>,
}

impl GpuField {
    /// Opens the device, and compiles and loads the kernels.
    ///
    /// # Errors
    /// [`Error::Device`]; with [`DeviceReason::NoKernel`] for p ≥ 2³², and for GPUs before compute capability 8.0.
    pub fn open(device: &Device, modulus: Modulus) -> Result<GpuField> {
        Self::with(device, modulus, Form::is_hopper(device.compute_capability))
    }
    /// The same with the instructions that all architectures have, if not `hopper`.
    pub(super) fn with(device: &Device, modulus: Modulus, hopper: bool) -> Result<GpuField> {
        let form = Form::new(modulus).ok_or_else(|| {
            let message = format!("dense matrices on a GPU are for primes below 2^32, not {modulus}");
            Error::device(DeviceReason::NoKernel, message)
        })?;
        let capability = device.compute_capability;
        let cubins = || parallel::join(|| form.products(capability, hopper), || form.echelon(capability));
        let (stream, (products, echelon)) = parallel::join(|| Stream::alone(device), cubins);
        let stream = stream?;
        let (products, echelon) = (stream.load(&products?)?, stream.load(&echelon?)?);
        // The stages of operands, a tile of C with gaps, and barriers: as in gemm.cu.
        let (shared, tiles) = match hopper {
            true => (4 * 48 * 1024 + 34816 + 64, Tiles { threads: 384, wide: 256, blocks: device.multiprocessors }),
            false => (3 * 32 * 1024, Tiles { threads: 256, wide: 128, blocks: 2 * device.multiprocessors }),
        };
        Ok(GpuField(Arc::new(Kernels {
            stream,
            form,
            tiles,
            pack_a: products.kernel("pack_a")?,
            pack_b: products.kernel("pack_b")?,
            multiply: products.kernel_with_shared("multiply", shared)?,
            arrange: echelon.kernel("arrange")?,
            leads: echelon.kernel("leads")?,
            open_window: echelon.kernel("open_window")?,
            corner: echelon.kernel("corner")?,
            lift: echelon.kernel("lift")?,
            strip: echelon.kernel("strip")?,
            apply: echelon.kernel("apply")?,
            close_window: echelon.kernel("close_window")?,
            gather: echelon.kernel("gather")?,
            clear: echelon.kernel("clear")?,
            units: echelon.kernel("units")?,
            turn: echelon.kernel("turn")?,
            deal: echelon.kernel("deal")?,
            narrow: echelon.kernel("narrow")?,
        })))
    }
    /// The modulus p.
    pub fn modulus(&self) -> Modulus {
        self.0.form.modulus
    }
    /// The stream of all work.
    pub fn stream(&self) -> &Stream {
        &self.0.stream
    }
}

/// Threads of the kernels that have as many as that.
pub(super) const THREADS: u32 = 256;

/// Blocks of [`THREADS`] threads, at least so many threads in all.
pub(super) fn grid_of(threads: u64) -> Grid {
    let blocks = threads.div_ceil(u64::from(THREADS)).max(1);
    Grid { blocks: (u32::try_from(blocks).expect("fewer than 2^32 blocks"), 1), threads: THREADS }
}
/// A block for each of so many rows and columns of blocks.
pub(super) fn grid(across: usize, down: usize) -> Grid {
    Grid { blocks: (across as u32, down as u32), threads: THREADS }
}
