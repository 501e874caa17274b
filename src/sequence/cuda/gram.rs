//! Gram matrices on a GPU: the terms of a sequence that is projected by itself.

use super::terms::Terms;
use crate::field::Modulus;
use crate::gpu::{Buffer, Cubin, Device, Event, Grid, In, Kernel, Out, Stream};
use crate::sequence::Gram;
use crate::spmv::{GpuBlock, GpuCopies, GpuMatrix, GpuShape, grid_of};
use crate::{Result, memory};
use std::ops::Range;

const KERNELS: &str = include_str!("../../../kernels/gram.cu");
/// Threads of a block.
const TEAM: u32 = 256;
/// Columns of a tile, of narrow blocks and of wide ones with residues of up to 16 bits.
const NARROW: usize = 32;
const WIDE: usize = 64;
/// Rows of a part for each digit of a residue, so that sums stay below 2³² (`kernels/gram.cu`).
const MOST_ROWS: usize = 1 << 16;
/// The first compute capability whose tensor cores multiply bytes so.
const LEAST_CAPABILITY: u32 = 8;
/// Rows of a part at least, if there are so many.
const LEAST_ROWS: usize = 256;
/// The most pairs of terms that are copied back together.
const PAIRS: usize = 64;

/// x, z, weights, sums, first, rows, number: as `gram` names them.
type GramSums = (In<u32>, In<u32>, In<u32>, Out<u64>, u32, u32, u32);
/// sums, first, count.
type Clear = (Out<u64>, u32, u32);

/// XᵀD₁⁻¹Z and ZᵀD₁⁻¹Z over the rows of blocks that one GPU makes, with room for some such pairs of terms: beside the
/// products, which wait for the link to other GPUs, or for rows of blocks at random.
#[derive(Debug)]
pub struct GpuGram {
    stream: Stream,
    /// The end of what was begun last.
    end: Option<Event>,
    rows: Range<usize>,
    weights: Buffer<u32>,
    parts: u32,
    tiles: u32,
    gram: Kernel<GramSums>,
    clear: Kernel<Clear>,
    /// Sums of residues below 2⁶⁴, of a pair of terms.
    sums: Terms,
}

impl GpuGram {
    /// Whether there are kernels for the blocks of a matrix, all columns of them on each GPU.
    pub fn is_for(matrix: &GpuCopies) -> bool {
        Self::has_kernels(matrix.shape(), matrix.devices()) && matrix.parts().count() == 1
    }
    /// Whether there are kernels for such blocks, of residues of 8 to 32 bits, on all of these devices.
    pub fn has_kernels(shape: GpuShape, devices: &[Device]) -> bool {
        let runs_on = |device: &Device| {
            let capability = device.compute_capability;
            capability.0 >= LEAST_CAPABILITY && tile(shape).1 <= Device::shared_memory(capability)
        };
        shape.degree == 1 && (8..=32).contains(&shape.bits()) && devices.iter().all(runs_on)
    }

    /// That of `gram` on the GPU of a matrix, over the rows that a product makes there (with Aᵀ, if `transpose`).
    pub(super) fn new(matrix: &GpuMatrix, gram: &Gram, transpose: bool) -> Result<GpuGram> {
        let (stream, shape) = (matrix.stream().beside()?, matrix.shape());
        let own = matrix.own(transpose);
        let rows = own.start..own.end.min(gram.order());
        let (tile, shared) = tile(shape);
        let module = stream.load(&compile(shape, matrix.capability())?)?;
        let weights: Vec<u32> = memory::collect(gram.weights().iter().map(|&x| x as u32), "a diagonal for a GPU")?;
        Ok(GpuGram {
            weights: stream.upload(&weights)?,
            parts: parts(rows.len(), shape, matrix.multiprocessors()),
            tiles: shape.padded().div_ceil(tile) as u32,
            gram: module.kernel_with_shared("gram", shared as u32)?,
            clear: module.kernel("clear")?,
            sums: Terms::new(&stream, 2 * shape.block * shape.block, PAIRS)?,
            stream,
            end: None,
            rows,
        })
    }

    /// Room for pairs, in each half.
    pub(super) fn capacity(&self) -> usize {
        self.sums.slots
    }

    /// Begins to add up what X and Z make of pair `number` in a half, once the work of the matrix that was begun before
    /// has made them; the first one begins anew. They must stay until [`GpuGram::wait`].
    pub(super) fn add(
        &mut self,
        matrix: &GpuMatrix,
        (x, z): (&GpuBlock, &GpuBlock),
        (half, number): (usize, usize),
    ) -> Result<()> {
        let GpuGram { stream, rows, weights, parts, tiles, gram, clear, sums, .. } = self;
        let (first, count, slot) = (rows.start as u32, rows.len() as u32, sums.first(half) + number);
        if number == 0 {
            let (from, all) = ((slot * sums.each) as u32, (sums.slots * sums.each) as u32);
            stream.enqueue(clear, grid_of(u64::from(all)), (&mut sums.words, from, all))?;
        }
        if count == 0 {
            return Ok(());
        }
        stream.wait(&matrix.stream().mark()?)?;
        let grid = Grid { blocks: (*parts, *tiles * *tiles), threads: TEAM };
        stream.enqueue(gram, grid, (&x.words, &z.words, &*weights, &mut sums.words, first, count, slot as u32))?;
        self.end = Some(stream.mark()?);
        Ok(())
    }

    /// All pairs of a half have been begun.
    pub(super) fn filled(&mut self, half: usize) -> Result<()> {
        self.sums.filled(half, &self.stream)
    }

    /// Later work of the matrix waits for the sums that were begun.
    pub(super) fn wait(&self, matrix: &GpuMatrix) -> Result<()> {
        self.end.as_ref().map_or(Ok(()), |end| matrix.stream().wait(end))
    }

    /// Adds what was added up for the first `pairs` pairs of a half to those of other GPUs.
    pub(super) fn collect(&mut self, p: Modulus, (half, pairs): (usize, usize), to: &mut [u64]) -> Result<()> {
        let sums = self.sums.take(half, pairs)?;
        to.iter_mut().zip(sums).for_each(|(to, sum)| *to = p.add(*to, p.reduce(sum)));
        Ok(())
    }
}

/// Columns of a tile, and the bytes of shared memory.
fn tile(shape: GpuShape) -> (usize, usize) {
    let digits = shape.bits() / 8;
    let tile = if digits < 4 && shape.padded() > NARROW { WIDE } else { NARROW };
    let step = 16 * TEAM as usize / tile;
    (tile, 2 * 3 * tile * digits * (step + 16))
}

/// Parts of so many rows: one for each of the multiprocessors at work, or more where sums need more, or fewer. With one
/// wide tile of two digits (33 to 64 vectors) half of them are at work, unless sums need more: a part has all registers
/// of a multiprocessor, and the others make rows of the next product meanwhile.
///
/// By `bench sequences`, before and after in one run, one H200 took 0.97, 0.99 and 1.00 of the time for a term of its
/// three matrices, two 1.16 (where other runs differ as much), 0.95 and 0.99. Halved as well, a term with 32 vectors
/// took one 1.01 to 1.10 of the time, one with 64 vectors mod 251 1.00 to 1.13.
fn parts(rows: usize, shape: GpuShape, multiprocessors: u32) -> u32 {
    let all = multiprocessors.max(1) as usize;
    let halved = shape.bits() == 16 && (NARROW + 1..=WIDE).contains(&shape.padded());
    let at_work = if halved { all.div_ceil(2) } else { all };
    let needed = rows.div_ceil(MOST_ROWS * 8 / shape.bits());
    let parts = if needed > all {
        all * needed.div_ceil(all)
    } else {
        at_work.min(rows.div_ceil(LEAST_ROWS)).max(needed).max(1)
    };
    parts as u32
}

/// The kernels for blocks of this shape.
pub(super) fn compile(shape: GpuShape, capability: (u32, u32)) -> Result<Cubin> {
    shape.compile("gram.cu", KERNELS, &format!("#define TILE {}\n", tile(shape).0), capability)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// No part has more rows than sums of 32 bits hold; all are at work together, or multiprocessors have equal numbers
    /// of them.
    #[test]
    fn parts_are_short_enough_and_equal() {
        let moduli = [(251, 1), (65521, 2), (2147483647, 4), (4294967291, 4)];
        for ((p, digits), block) in moduli.into_iter().flat_map(|of| [8, 32, 33, 64, 128].map(|block| (of, block))) {
            let shape = GpuShape { modulus: Modulus::new(p).unwrap(), block, degree: 1 };
            let most = MOST_ROWS / digits;
            let counts =
                [0, 1, 255, 256, most - 1, most, most + 1, 66 * most, 131 * most + 7, 132 * most, 132 * most + 1];
            for all in [1, 2, 3, 84, 132] {
                let at_work = if digits == 2 && [33, 64].contains(&block) { all / 2 + all % 2 } else { all };
                for rows in counts.into_iter().chain([1 << 25]) {
                    let parts = parts(rows, shape, all as u32) as usize;
                    let longest = rows.div_ceil(parts);
                    assert!(longest <= most && digits * 255 * 255 * longest < 1 << 32, "{rows} rows in {parts} parts");
                    assert!(parts <= all || parts.is_multiple_of(all));
                    assert!(parts >= at_work.min(rows.div_ceil(LEAST_ROWS)), "{rows} rows in {parts} parts");
                    assert!(rows.div_ceil(most) > at_work || parts <= at_work, "{rows} rows in {parts} parts");
                }
            }
        }
    }
}
