//! Blocks of vectors and diagonals in the memory of a GPU.

use super::source::GpuShape;
use crate::gpu::{Buffer, Stream};
use crate::spmv::{Block, Lane, Lanes};
use crate::{Result, memory};
use std::ops::Range;

/// A block of vectors on a GPU, row-major, its rows filled up to whole words. It may have more rows than the vectors
/// have entries: those are scratch of products.
#[derive(Debug)]
pub struct GpuBlock {
    pub(crate) words: Buffer<u32>,
    pub(super) rows: usize,
    pub(super) shape: GpuShape,
}

/// Where blocks on other GPUs are that get the rows of a product as they are made.
#[derive(Debug)]
pub(crate) struct GpuPlaces {
    /// Rows that each of them has.
    pub(super) rows: usize,
    /// How many there are, and where each begins.
    pub(super) addresses: Buffer<u64>,
}

/// A diagonal matrix over GF(pᵏ) on a GPU.
#[derive(Debug)]
pub struct GpuDiagonal {
    pub(super) len: usize,
    pub(super) entries: Entries,
    pub(super) shape: GpuShape,
}

/// k = 1: residues, as the products' kernels multiply by them; k > 1: k × k matrices, of bits a mask for each row.
#[derive(Debug)]
pub(super) enum Entries {
    Prime(Buffer<u32>),
    Extension(Buffer<u64>),
}

impl GpuBlock {
    /// Zeros.
    pub(super) fn zeros(stream: &Stream, shape: GpuShape, rows: usize) -> Result<GpuBlock> {
        Ok(GpuBlock { words: stream.zeros((rows * shape.row_bytes() / 4).max(4))?, rows, shape })
    }

    /// A copy of the columns of a block from one of them on, followed by zeros up to `rows` rows.
    pub(super) fn upload(
        stream: &Stream,
        shape: GpuShape,
        (block, first): (&Block, usize),
        rows: usize,
    ) -> Result<GpuBlock> {
        assert!(first + shape.width() <= block.width(), "a block of fewer columns");
        assert!(block.rows() <= rows, "a block of more rows");
        let (bytes, residue) = (shape.row_bytes(), shape.lane().bytes());
        let mut words = memory::zeros::<u32>((rows * bytes / 4).max(4), "a block for a GPU")?;
        if let (1, Lanes::U8(from)) = (shape.bits(), &block.lanes) {
            let lines = words.chunks_exact_mut(bytes / 4).zip(from.chunks_exact(block.width()));
            let columns = first..first + shape.width();
            for (to, bits) in lines.flat_map(|(row, from)| row.iter_mut().zip(from[columns.clone()].chunks(32))) {
                *to = bits.iter().rev().fold(0, |word, &bit| word << 1 | u32::from(bit));
            }
            return Ok(GpuBlock { words: stream.upload(&words)?, rows, shape });
        }
        let image: &mut [u8] = bytemuck::cast_slice_mut(&mut words);
        for i in 0..block.rows() {
            let row = &mut image[i * bytes..(i + 1) * bytes];
            for (l, to) in row.chunks_exact_mut(residue).take(shape.width()).enumerate() {
                to.copy_from_slice(&block.get(i, first + l).to_le_bytes()[..residue]);
            }
        }
        Ok(GpuBlock { words: stream.upload(&words)?, rows, shape })
    }

    /// Begins to copy rows from a block of the same shape on another GPU, or this one, to the same rows of this one;
    /// `stream` is that of this block's GPU.
    ///
    /// # Errors
    /// [`Error::Device`](crate::Error::Device).
    ///
    /// # Panics
    /// If one of them has fewer rows, or the shapes differ.
    pub(crate) fn pull(&mut self, stream: &Stream, from: &GpuBlock, rows: Range<usize>) -> Result<()> {
        assert!(rows.end <= self.rows.min(from.rows) && self.shape == from.shape, "blocks of other shapes");
        let words = self.shape.row_bytes() / 4;
        stream.copy_between(&mut self.words, &from.words, rows.start * words..rows.end * words)
    }

    /// The first `rows` rows.
    pub(super) fn download(&self, stream: &Stream, shape: GpuShape, rows: usize) -> Result<Block> {
        assert!(rows <= self.rows && shape == self.shape, "a block of fewer rows, or of another shape");
        let words = stream.download(&self.words)?;
        let mut block = Block::zeros(shape.lane(), rows, shape.width())?;
        let (width, padded) = (shape.width(), shape.padded());
        if let (1, Lanes::U8(to)) = (shape.bits(), &mut block.lanes) {
            for (row, from) in to.chunks_exact_mut(width).zip(words.chunks_exact(padded / 32)) {
                row.iter_mut().enumerate().for_each(|(l, x)| *x = (from[l / 32] >> (l % 32) & 1) as u8);
            }
            return Ok(block);
        }
        macro_rules! copy {
            ($($lane:ident $number:ty,)*) => {
                match &mut block.lanes {
                    $(Lanes::$lane(to) => {
                        let from: &[$number] = bytemuck::cast_slice(&words);
                        for i in 0..rows {
                            to[i * width..(i + 1) * width].copy_from_slice(&from[i * padded..i * padded + width]);
                        }
                    })*
                    _ => unreachable!("the narrowest lane is an integer"),
                }
            };
        }
        // A u64 wants an alignment of its own.
        if shape.lane() == Lane::U64 {
            for i in 0..rows {
                for l in 0..width {
                    let at = 2 * (i * padded + l);
                    block.set(i, l, u64::from(words[at]) | u64::from(words[at + 1]) << 32);
                }
            }
            return Ok(block);
        }
        copy!(U8 u8, U16 u16, U32 u32,);
        Ok(block)
    }
}

impl GpuPlaces {
    /// Those of these blocks, each with the stream of its own GPU, for products on `stream`, whose GPU reaches theirs.
    /// The blocks must live as long as the places are used.
    ///
    /// # Errors
    /// [`Error::Device`](crate::Error::Device).
    pub(crate) fn of<'a>(
        stream: &Stream,
        blocks: impl Iterator<Item = (&'a Stream, &'a GpuBlock)>,
    ) -> Result<GpuPlaces> {
        let (mut rows, mut addresses) = (usize::MAX, vec![0]);
        for (other, block) in blocks {
            rows = rows.min(block.rows);
            addresses.push(other.address(&block.words));
            addresses[0] += 1;
        }
        Ok(GpuPlaces { rows, addresses: stream.upload(&addresses)? })
    }
}

impl GpuDiagonal {
    /// Whether products are scaled where they are made.
    pub(crate) fn is_of_residues(&self) -> bool {
        matches!(self.entries, Entries::Prime(_))
    }
    /// Of the residues of its entries; for k > 1 of the digits of eᵢ·tᵃ, k rows of k for each.
    pub(super) fn new(stream: &Stream, shape: GpuShape, residues: &[u64]) -> Result<GpuDiagonal> {
        let what = "a diagonal for a GPU";
        let k = shape.degree;
        assert!(residues.len().is_multiple_of(k * k), "k x k digits for each entry");
        let len = residues.len() / (k * k);
        let entries = if k > 1 && shape.bits() == 1 {
            // A mask for each row of a matrix.
            let masks = residues.chunks_exact(k).map(|row| row.iter().rev().fold(0u64, |mask, &x| mask << 1 | x));
            let masks = memory::collect(masks, what)?;
            let pairs = masks.chunks(2).map(|pair| pair[0] | pair.get(1).map_or(0, |high| high << 32));
            Entries::Extension(stream.upload(&memory::collect(pairs, what)?)?)
        } else if k > 1 {
            Entries::Extension(stream.upload(residues)?)
        } else if shape.lane() == Lane::U64 {
            let halves = |&x: &u64| {
                let x = shape.montgomery(x);
                [x as u32, (x >> 32) as u32]
            };
            let mut words = memory::with_capacity(2 * len, what)?;
            words.extend(residues.iter().flat_map(halves));
            Entries::Prime(stream.upload(&words)?)
        } else {
            Entries::Prime(stream.upload(&memory::collect(residues.iter().map(|&x| x as u32), what)?)?)
        };
        Ok(GpuDiagonal { len, entries, shape })
    }
}
