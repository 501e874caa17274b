//! Products with the transpose of a map, from the storage of the map itself: where a second copy does not fit.
//!
//! Entries add to rows of sums by atomics (`kernels/adjoint.cu`), a word of the block at a time. That moves a multiple
//! of what products with a copy move; the sums take 64 bytes or so for each row of X. The residues are the same.

use super::block::{Entries, GpuBlock, GpuDiagonal};
use super::kernels::grid_of;
use super::layout::Kinds;
use super::map::GpuMap;
use super::source::GpuShape;
use crate::gpu::{Buffer, Cubin, In, Kernel, Out};
use crate::spmv::Block;
use crate::{Error, Result};
use std::sync::Mutex;

const KERNELS: &str = include_str!("../../../kernels/adjoint.cu");
/// Bits of a word of a block.
const WORD_BITS: usize = 128;

/// x, sums, targets, lengths, bases, indices, value_bases, value_indices, values, first, slots, which.
type Push = (In<u32>, Out<u64>, In<u32>, In<u32>, In<u32>, In<u32>, In<u32>, In<u32>, In<u32>, u32, u32, u32);
/// y, sums, rows, piece.
type Gather = (Out<u32>, Out<u64>, u32, u32);
/// y, sums, diagonal, rows, piece.
type GatherScaled = (Out<u32>, Out<u64>, In<u32>, u32, u32);

/// What the transpose of a map needs beside the map.
#[derive(Debug)]
pub(super) struct Adjoint {
    push: Kernel<Push>,
    gather: Kernel<Gather>,
    gather_scaled: Kernel<GatherScaled>,
    /// Zeros but while a product is made.
    sums: Mutex<Buffer<u64>>,
}

/// Threads of a word, and sums.
fn parts(shape: GpuShape) -> (usize, usize) {
    match shape.bits() {
        1 => (2, 2),
        64 => (2, 4),
        bits => (WORD_BITS / bits, WORD_BITS / bits),
    }
}

impl Adjoint {
    /// Bytes of the sums, for a map whose X has so many rows.
    pub fn bytes(shape: GpuShape, operand: usize) -> u64 {
        8 * (operand as u64).max(1) * parts(shape).1 as u64
    }

    /// Of this map.
    ///
    /// # Errors
    /// [`Error::Device`].
    pub fn new(map: &GpuMap) -> Result<Adjoint> {
        let kernels = map.kernels();
        let module = kernels.stream.load(&compile(kernels.shape, kernels.kinds, kernels.capability)?)?;
        let sums = Self::bytes(kernels.shape, map.operand()) as usize / 8;
        Ok(Adjoint {
            push: module.kernel("push")?,
            gather: module.kernel("gather")?,
            gather_scaled: module.kernel("gather_scaled")?,
            sums: Mutex::new(kernels.stream.zeros(sums)?),
        })
    }

    /// A zero block X of the transpose.
    ///
    /// # Errors
    /// [`Error::Device`].
    pub fn zeros(map: &GpuMap) -> Result<GpuBlock> {
        map.zeros_of_result()
    }
    /// A copy of the columns of `block` from column `first` on, X of the transpose.
    ///
    /// # Errors
    /// [`Error::Device`], [`Error::Memory`].
    ///
    /// # Panics
    /// If there are too few of them, or its number of rows is another.
    pub fn upload_block(map: &GpuMap, block: &Block, first: usize) -> Result<GpuBlock> {
        assert_eq!(block.rows(), map.rows(), "a block of another number of rows");
        GpuBlock::upload(&map.kernels().stream, map.kernels().shape, (block, first), map.rows())
    }

    /// Y ← D·(the transpose of the map)·X; without D if there is none.
    ///
    /// # Errors
    /// [`Error::Device`].
    ///
    /// # Panics
    /// As [`GpuMap::apply`].
    pub fn apply(&self, map: &GpuMap, diagonal: Option<&GpuDiagonal>, x: &GpuBlock, y: &mut GpuBlock) -> Result<()> {
        let (kernels, cols) = (map.kernels(), map.cols());
        let (stream, shape) = (&kernels.stream, kernels.shape);
        assert!(x.rows >= map.rows() && y.rows >= cols, "blocks of too few rows");
        assert!(diagonal.is_none_or(|d| d.len == cols), "a diagonal of the wrong length");
        let shapes = [Some(x.shape), Some(y.shape), diagonal.map(|d| d.shape)];
        assert!(shapes.into_iter().flatten().all(|other| other == shape), "blocks of another shape");
        let mut sums = self.sums.lock().map_err(|_| Error::Check("a product on a GPU was left half done".into()))?;
        let threads = |rows: u32| grid_of(u64::from(rows) * parts(shape).0 as u64);
        let (targets, lengths, s, o) = map.entries();
        for piece in 0..shape.pieces() as u32 {
            // Y's rows first, then what they need, from the last to the first.
            for (number, (first, slots)) in map.slot_groups().rev().enumerate() {
                let which = 2 * piece + u32::from(number > 0);
                let arguments = (
                    &x.words, &mut *sums, targets, lengths, &s.bases, &s.indices, &o.bases, &o.indices, &o.values,
                    first, slots, which,
                );
                stream.enqueue(&self.push, threads(slots), arguments)?;
            }
            let (rows, y) = (cols as u32, &mut y.words);
            match diagonal {
                Some(GpuDiagonal { entries: Entries::Prime(d), .. }) => {
                    stream.enqueue(&self.gather_scaled, threads(rows), (y, &mut *sums, d, rows, piece))?;
                }
                _ => stream.enqueue(&self.gather, threads(rows), (y, &mut *sums, rows, piece))?,
            }
        }
        match diagonal {
            Some(diagonal) => kernels.scale_digits(diagonal, y),
            None => Ok(()),
        }
    }
}

/// The kernels for blocks of this shape and these kinds of entries.
pub(super) fn compile(shape: GpuShape, kinds: Kinds, capability: (u32, u32)) -> Result<Cubin> {
    shape.compile("adjoint.cu", KERNELS, &kinds.defines(), capability)
}
