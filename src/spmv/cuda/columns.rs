//! Few columns of a block on a GPU that has more: to it, and back.

use super::block::GpuBlock;
use super::kernels::grid_of;
use super::map::GpuMap;
use crate::spmv::{Block, Lane, Lanes};
use crate::{Result, memory};

/// What the memory is for.
const COLUMNS: &str = "columns of a block for a GPU";

impl GpuMap {
    /// Copies a block of few columns to the first columns of X; the others stay as they are.
    ///
    /// # Errors
    /// [`Error::Device`](crate::Error::Device), [`Error::Memory`](crate::Error::Memory).
    ///
    /// # Panics
    /// If it has more columns or rows than X, other lanes, or rows that are no multiple of four bytes.
    pub(crate) fn upload_columns(&self, x: &mut GpuBlock, block: &Block) -> Result<()> {
        assert!(block.rows() <= x.rows, "a block of more rows");
        let words = self.words_of_columns(block.lane(), block.width());
        let bytes: &[u8] = match &block.lanes {
            Lanes::U8(residues) => residues,
            Lanes::U16(residues) => bytemuck::cast_slice(residues),
            Lanes::U32(residues) => bytemuck::cast_slice(residues),
            Lanes::U64(residues) => bytemuck::cast_slice(residues),
            Lanes::F32(_) | Lanes::F64(_) => panic!("lanes of integers"),
        };
        let count = block.rows() * words;
        let mut part = memory::zeros::<u32>(count, COLUMNS)?;
        bytemuck::cast_slice_mut(&mut part).copy_from_slice(&bytes[..4 * count]);
        let mut part = self.kernels().stream.upload(&part)?;
        let arguments = (&mut x.words, &mut part, words as u32, count as u64, 0);
        self.kernels().stream.enqueue(&self.kernels().columns, grid_of(count as u64), arguments)
    }
    /// The first `width` columns of Y.
    ///
    /// # Errors
    /// [`Error::Device`](crate::Error::Device), [`Error::Memory`](crate::Error::Memory).
    ///
    /// # Panics
    /// If it has fewer of them, or `width` residues are no multiple of four bytes.
    pub(crate) fn download_columns(&self, y: &mut GpuBlock, width: usize) -> Result<Block> {
        let lane = self.kernels().shape.lane();
        let words = self.words_of_columns(lane, width);
        let count = self.rows() * words;
        let mut part = self.kernels().stream.zeros::<u32>(count.max(1))?;
        let arguments = (&mut y.words, &mut part, words as u32, count as u64, 1);
        self.kernels().stream.enqueue(&self.kernels().columns, grid_of(count as u64), arguments)?;
        let part = self.kernels().stream.download_part(&part, 0..count)?;
        let mut block = Block::zeros(lane, self.rows(), width)?;
        let to: &mut [u8] = match &mut block.lanes {
            Lanes::U8(residues) => residues,
            Lanes::U16(residues) => bytemuck::cast_slice_mut(residues),
            Lanes::U32(residues) => bytemuck::cast_slice_mut(residues),
            Lanes::U64(residues) => bytemuck::cast_slice_mut(residues),
            Lanes::F32(_) | Lanes::F64(_) => unreachable!("the narrowest lane is an integer"),
        };
        to[..4 * count].copy_from_slice(bytemuck::cast_slice(&part));
        Ok(block)
    }
    /// Words of 32 bits of so many columns.
    fn words_of_columns(&self, lane: Lane, width: usize) -> usize {
        let (shape, bytes) = (self.kernels().shape, width * lane.bytes());
        assert!(lane == shape.lane() && width <= shape.width() && bytes.is_multiple_of(4), "{width} columns");
        assert!(shape.bits() == 8 * lane.bytes(), "columns of packed blocks");
        bytes / 4
    }
}
