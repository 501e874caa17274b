//! A linear map on a GPU: a matrix, or what a triangular solve makes of its inputs.

use super::block::{Entries, GpuBlock, GpuDiagonal, GpuPlaces};
use super::kernels::{GpuKernels, grid_of};
use super::layout::{Kinds, LONGEST, Layout};
use super::slices::{SLICE, Slices};
use super::source::{CHAIN_THREADS, GpuShape};
use crate::field::Modulus;
use crate::gpu::{Buffer, Device, Grid, Stream};
use crate::parallel;
use crate::sparse::SparseMatrix;
use crate::spmv::{Block, Lane};
use crate::{Result, memory};
use std::ops::Range;
use std::sync::Arc;

/// Words of rows up to which a group is left to one block of threads: a launch takes longer than it.
const CHAINED: u64 = 4 * CHAIN_THREADS as u64;

/// A linear map X ↦ Y on one GPU: for rows of a sparse L that are computed one after the other, each from X and the
/// rows before it, Y are the last of them ([`TriangularSolve`](crate::spmv::TriangularSolve)); for a matrix, all.
#[derive(Debug)]
pub(crate) struct GpuMap {
    kernels: Arc<GpuKernels>,
    /// Rows of Y, …
    rows: usize,
    /// … and which of them the map makes.
    own: Range<usize>,
    /// Rows of X, …
    cols: usize,
    /// … with those that the map writes behind them.
    operand: usize,
    targets: Buffer<u32>,
    lengths: Buffer<u32>,
    signs: Parts,
    others: Parts,
    groups: Buffer<u32>,
    /// Where each group of slots begins, and the end.
    starts: Vec<u32>,
    /// What makes rows of X, in order.
    inner: Vec<Launch>,
    /// The slots of Y: the first, and how many.
    last: (u32, u32),
}

#[derive(Debug)]
pub(super) struct Parts {
    pub bases: Buffer<u32>,
    pub indices: Buffer<u32>,
    pub values: Buffer<u32>,
}

/// Groups of rows of X.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Launch {
    /// A large one: its first slot, and how many.
    Wide(u32, u32),
    /// Small ones, one after the other: the first group, and the one after the last.
    Chain(u32, u32),
}

/// Large groups by themselves, the small ones between them together.
fn launches(groups: &[u32], pieces: usize) -> Vec<Launch> {
    let mut all: Vec<Launch> = vec![];
    for (number, pair) in (0..).zip(groups.windows(2)).take(groups.len() - 2) {
        let slots = pair[1] - pair[0];
        match all.last_mut() {
            _ if u64::from(slots) * pieces as u64 > CHAINED => all.push(Launch::Wide(pair[0], slots)),
            Some(Launch::Chain(_, end)) if *end == number => *end += 1,
            _ => all.push(Launch::Chain(number, number + 1)),
        }
    }
    all
}

/// What a map is made of: the rows of X, L, and how many rows of it are Y.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Solve<'a> {
    pub inputs: usize,
    pub l: &'a SparseMatrix,
    pub outputs: usize,
}

impl<'a> Solve<'a> {
    /// A product with `a`.
    pub fn product(a: &'a SparseMatrix) -> Self {
        Solve { inputs: a.cols(), l: a, outputs: a.rows() }
    }
    pub(super) fn layout(&self, kinds: Kinds) -> Result<Layout> {
        Layout::new(self.inputs, self.l, self.outputs, kinds, LONGEST)
    }
}

impl GpuMap {
    /// Opens the device for maps like `first` and `second`, and copies the first to it.
    ///
    /// # Errors
    /// [`Error::Device`](crate::Error::Device), [`Error::Memory`](crate::Error::Memory).
    ///
    /// # Panics
    /// As [`TriangularSolve::new`](crate::spmv::TriangularSolve::new); if the moduli differ.
    pub(crate) fn open(device: &Device, shape: GpuShape, first: &Solve, second: &SparseMatrix) -> Result<GpuMap> {
        // Entries that meet in another map may be of the other kind.
        let kinds = Kinds::of(first.l).or(Kinds::of(second)).or(Kinds { signs: false, others: true });
        let (kernels, layout) = parallel::join(|| GpuKernels::load(device, shape, kinds), || first.layout(kinds));
        Self::upload(&Arc::new(kernels?), &layout?)
    }
    /// Another map for the same kernels.
    ///
    /// # Errors
    /// [`Error::Device`](crate::Error::Device), [`Error::Memory`](crate::Error::Memory).
    ///
    /// # Panics
    /// As [`GpuMap::open`].
    pub(crate) fn another(&self, solve: &Solve) -> Result<GpuMap> {
        assert_eq!(solve.l.modulus(), self.kernels.shape.modulus, "kernels for another modulus");
        Self::upload(&self.kernels, &solve.layout(self.kernels.kinds)?)
    }
    pub(super) fn upload(kernels: &Arc<GpuKernels>, layout: &Layout) -> Result<GpuMap> {
        let GpuKernels { stream, shape, .. } = &**kernels;
        kernels.require(layout.bytes(value_bytes(*shape)), "the entries of a sparse map")?;
        debug_assert!(layout.groups.iter().all(|at| (*at as usize).is_multiple_of(SLICE)));
        let (last, before) = (layout.groups[layout.groups.len() - 1], layout.groups[layout.groups.len() - 2]);
        Ok(GpuMap {
            kernels: kernels.clone(),
            rows: layout.whole,
            own: layout.first..layout.first + layout.rows,
            cols: layout.cols,
            operand: layout.operand(),
            targets: stream.upload(&layout.targets)?,
            lengths: stream.upload(&layout.lengths)?,
            signs: Parts::upload(stream, *shape, &layout.signs)?,
            others: Parts::upload(stream, *shape, &layout.others)?,
            groups: stream.upload(&layout.groups)?,
            inner: launches(&layout.groups, shape.pieces()),
            starts: memory::copy(&layout.groups, "the groups of a map for a GPU")?,
            last: (before, last - before),
        })
    }

    pub(crate) fn modulus(&self) -> Modulus {
        self.kernels.shape.modulus
    }
    /// Rows of Y.
    pub(crate) fn rows(&self) -> usize {
        self.rows
    }
    /// Which rows of Y the map makes: all of them, or those that are left to this GPU.
    pub(crate) fn own(&self) -> Range<usize> {
        self.own.clone()
    }
    /// Rows of X as it is given.
    pub(super) fn cols(&self) -> usize {
        self.cols
    }
    /// Rows of X with those that the map writes.
    pub(super) fn operand(&self) -> usize {
        self.operand
    }
    pub(super) fn kernels(&self) -> &GpuKernels {
        &self.kernels
    }
    /// Targets and lengths of the slots, entries ±1, others.
    pub(super) fn entries(&self) -> (&Buffer<u32>, &Buffer<u32>, &Parts, &Parts) {
        (&self.targets, &self.lengths, &self.signs, &self.others)
    }
    /// The slots of each group that has any, in order: the first, and how many.
    pub(super) fn slot_groups(&self) -> impl DoubleEndedIterator<Item = (u32, u32)> + '_ {
        self.starts.windows(2).map(|pair| (pair[0], pair[1] - pair[0]))
    }
    /// Bytes of a block X.
    pub(crate) fn operand_bytes(&self) -> u64 {
        self.operand as u64 * self.kernels.shape.row_bytes() as u64
    }
    /// Bytes of a block Y.
    pub(crate) fn result_bytes(&self) -> u64 {
        self.rows as u64 * self.kernels.shape.row_bytes() as u64
    }
    /// Refuses `what` if it needs more bytes than the device has free.
    ///
    /// # Errors
    /// [`Error::Device`](crate::Error::Device).
    pub(crate) fn require(&self, needed: u64, what: &str) -> Result<()> {
        self.kernels.require(needed, what)
    }
    /// A zero block X.
    ///
    /// # Errors
    /// [`Error::Device`](crate::Error::Device).
    pub(crate) fn zeros(&self) -> Result<GpuBlock> {
        GpuBlock::zeros(&self.kernels.stream, self.kernels.shape, self.operand)
    }
    /// A zero block Y.
    ///
    /// # Errors
    /// [`Error::Device`](crate::Error::Device).
    pub(crate) fn zeros_of_result(&self) -> Result<GpuBlock> {
        GpuBlock::zeros(&self.kernels.stream, self.kernels.shape, self.rows)
    }
    /// A copy of the columns of `block` from column `first` on, X.
    ///
    /// # Errors
    /// [`Error::Device`](crate::Error::Device), [`Error::Memory`](crate::Error::Memory).
    ///
    /// # Panics
    /// If there are too few of them, or its number of rows is another.
    pub(crate) fn upload_block(&self, block: &Block, first: usize) -> Result<GpuBlock> {
        assert_eq!(block.rows(), self.cols, "a block of another number of rows");
        GpuBlock::upload(&self.kernels.stream, self.kernels.shape, (block, first), self.operand)
    }
    /// The first `rows` rows of a block.
    ///
    /// # Errors
    /// [`Error::Device`](crate::Error::Device), [`Error::Memory`](crate::Error::Memory).
    pub(crate) fn download(&self, block: &GpuBlock, rows: usize) -> Result<Block> {
        block.download(&self.kernels.stream, self.kernels.shape, rows)
    }
    /// Begins to write residues at places (row, lane) of their own in X, or zeros.
    ///
    /// # Errors
    /// [`Error::Device`](crate::Error::Device).
    ///
    /// # Panics
    /// If a place is outside the rows of X.
    pub(crate) fn scatter(&self, x: &mut GpuBlock, residues: &Residues, keep: bool) -> Result<()> {
        assert!(residues.rows_end <= self.cols && x.rows >= self.cols, "a place outside the block");
        let Residues { rows, lanes, values, count, .. } = residues;
        let arguments = (&mut x.words, rows, lanes, values, *count, u32::from(keep));
        self.kernels.stream.enqueue(&self.kernels.scatter, grid_of(u64::from(*count)), arguments)
    }
    /// Residues (row, lane, residue) to be written into blocks.
    ///
    /// # Errors
    /// [`Error::Device`](crate::Error::Device), [`Error::Memory`](crate::Error::Memory).
    ///
    /// # Panics
    /// If a lane is beyond the width.
    pub(crate) fn residues(&self, residues: &[(u32, u32, u64)]) -> Result<Residues> {
        let (stream, what) = (&self.kernels.stream, "residues for a GPU");
        assert!(residues.iter().all(|r| (r.1 as usize) < self.kernels.shape.width()), "a lane beyond the width");
        Ok(Residues {
            rows: stream.upload(&memory::collect(residues.iter().map(|r| r.0), what)?)?,
            lanes: stream.upload(&memory::collect(residues.iter().map(|r| r.1), what)?)?,
            values: stream.upload(&memory::collect(residues.iter().map(|r| r.2), what)?)?,
            count: residues.len() as u32,
            rows_end: residues.iter().map(|r| r.0 as usize + 1).max().unwrap_or(0),
        })
    }

    /// Y ← D·(what the map makes of X); without D if there is none. What X has beyond its entries is overwritten.
    ///
    /// The work is only begun: an error in it shows later, at the latest when something is copied back.
    ///
    /// # Errors
    /// [`Error::Device`](crate::Error::Device).
    ///
    /// # Panics
    /// If a block or the diagonal has too few rows, or another shape.
    pub(crate) fn apply(&self, diagonal: Option<&GpuDiagonal>, x: &mut GpuBlock, y: &mut GpuBlock) -> Result<()> {
        self.apply_to(diagonal, x, y, None)
    }
    /// The same, with the rows that the map makes also written to blocks on other GPUs, at these places; only with a
    /// diagonal over GF(p).
    ///
    /// # Errors
    /// [`Error::Device`](crate::Error::Device).
    ///
    /// # Panics
    /// As [`GpuMap::apply`]; if there are other places without such a diagonal.
    pub(crate) fn apply_to(
        &self,
        diagonal: Option<&GpuDiagonal>,
        x: &mut GpuBlock,
        y: &mut GpuBlock,
        others: Option<&GpuPlaces>,
    ) -> Result<()> {
        let GpuKernels { stream, shape, .. } = &*self.kernels;
        assert!(x.rows >= self.operand && y.rows >= self.rows, "blocks of too few rows");
        assert!(diagonal.is_none_or(|d| d.len == self.rows), "a diagonal of the wrong length");
        let shapes = [Some(x.shape), Some(y.shape), diagonal.map(|d| d.shape)];
        assert!(shapes.into_iter().flatten().all(|other| other == *shape), "blocks of another shape");
        let GpuMap { targets, lengths, signs: s, others: o, kernels, .. } = self;
        for &launch in &self.inner {
            let w = &mut x.words;
            match launch {
                Launch::Wide(first, slots) => {
                    let arguments =
                        (w, targets, lengths, &s.bases, &s.indices, &o.bases, &o.indices, &o.values, first, slots);
                    stream.enqueue(&kernels.inner, kernels.grid(slots), arguments)?;
                }
                Launch::Chain(from, to) => {
                    let groups = &self.groups;
                    let arguments =
                        (w, targets, lengths, &s.bases, &s.indices, &o.bases, &o.indices, &o.values, groups, from, to);
                    let one = Grid { blocks: (1, 1), threads: CHAIN_THREADS };
                    stream.enqueue(&kernels.chain, one, arguments)?;
                }
            }
        }
        let (first, slots) = self.last;
        if slots == 0 {
            return Ok(());
        }
        let (x, to, grid) = (&x.words, &mut y.words, kernels.grid(slots));
        if let Some(GpuPlaces { rows, addresses: a }) = others {
            let Some(GpuDiagonal { entries: Entries::Prime(d), .. }) = diagonal else {
                unreachable!("places on other GPUs are for scaled products")
            };
            assert!(*rows >= self.rows, "blocks of too few rows on other GPUs");
            let arguments =
                (x, to, targets, lengths, &s.bases, &s.indices, &o.bases, &o.indices, &o.values, d, a, first, slots);
            return stream.enqueue(&kernels.product_shared, grid, arguments);
        }
        if let Some(GpuDiagonal { entries: Entries::Prime(d), .. }) = diagonal {
            let arguments =
                (x, to, targets, lengths, &s.bases, &s.indices, &o.bases, &o.indices, &o.values, d, first, slots);
            return stream.enqueue(&kernels.product_scaled, grid, arguments);
        }
        let arguments = (x, to, targets, lengths, &s.bases, &s.indices, &o.bases, &o.indices, &o.values, first, slots);
        stream.enqueue(&kernels.product, grid, arguments)?;
        match diagonal {
            Some(diagonal) => kernels.scale_digits(diagonal, y),
            None => Ok(()),
        }
    }
}

/// Residues and their places in a block, on a GPU.
#[derive(Debug)]
pub(crate) struct Residues {
    rows: Buffer<u32>,
    lanes: Buffer<u32>,
    values: Buffer<u64>,
    count: u32,
    /// All rows are below.
    rows_end: usize,
}

/// Bytes of the value of an entry.
pub(super) fn value_bytes(shape: GpuShape) -> usize {
    if shape.lane() == Lane::U64 { 8 } else { 4 }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_groups_between_large_ones_go_together() {
        let wide = CHAINED as u32 + 32;
        // Small, small, wide, small, wide, small, small, and Y.
        let sizes = [32, 64, wide, 32, wide, 32, 32, 96];
        let groups: Vec<u32> = std::iter::once(0)
            .chain(sizes.iter().scan(0, |at, &n| {
                *at += n;
                Some(*at)
            }))
            .collect();
        let expected = [
            Launch::Chain(0, 2),
            Launch::Wide(96, wide),
            Launch::Chain(3, 4),
            Launch::Wide(128 + wide, wide),
            Launch::Chain(5, 7),
        ];
        assert_eq!(launches(&groups, 1), expected);
        assert_eq!(launches(&groups, 1 << 20).len(), 7);
        assert!(launches(&[0, 32], 1).is_empty());
    }
}
