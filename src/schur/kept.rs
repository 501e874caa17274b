//! Rows of a sketch that the next, wider one begins with, so that no pass is made twice for them.

use super::fold::narrow;
use crate::dense::{Echelon, GpuDense, GpuField};
use crate::field::Modulus;
use crate::parallel::Each;
use crate::spmv::{Block, Lane, Lanes};
use crate::{DeviceReason, Error, Observer, Result};
use rayon::prelude::*;

/// Bytes that are kept at most.
pub(super) const MOST_BYTES: usize = 512 << 20;
/// The same where a GPU makes them, which has little else to keep.
pub(super) const MOST_ON_GPU: usize = 32 << 30;

/// Some rows.
#[derive(Debug)]
enum Rows {
    Processor(Block),
    Gpu(GpuDense),
}

/// Rows folded to more columns than are absorbed now: the first that were independent, as many as memory is meant for.
/// They are the same for every number of threads.
#[derive(Debug)]
pub(super) struct Kept {
    width: usize,
    most_bytes: usize,
    blocks: Vec<Rows>,
    /// The numbers of the rows in the echelon form that absorbed them, ascending.
    numbers: Vec<usize>,
}

impl Kept {
    /// None yet, of `width` columns; later, rows of at most `most_bytes` in all.
    pub fn new(width: usize, most_bytes: usize) -> Self {
        Kept { width, most_bytes, blocks: vec![], numbers: vec![] }
    }
    /// What was kept; from now on, rows of another width are.
    pub fn widen(&mut self, width: usize) -> Kept {
        let next = Kept::new(width, self.most_bytes);
        std::mem::replace(self, next)
    }
    /// How many rows of so many columns these bytes hold.
    pub fn most(bytes: usize, width: usize, lane_bytes: usize) -> usize {
        bytes / (width * lane_bytes)
    }
    /// Columns of a row.
    pub fn width(&self) -> usize {
        self.width
    }
    /// The numbers of the rows in the echelon form that absorbed them, ascending.
    pub fn numbers(&self) -> &[usize] {
        &self.numbers
    }
    /// How many more are kept.
    pub fn room(&self, lane: Lane) -> usize {
        Self::most(self.most_bytes, self.width, lane.bytes()).saturating_sub(self.numbers.len())
    }
    /// Keeps those rows of a panel whose `numbers` these are, ascending, as far as there is room; the first row of the
    /// panel has the number `first`.
    ///
    /// # Errors
    /// [`crate::Error::Memory`].
    fn keep(&mut self, panel: &Block, first: usize, numbers: &[usize]) -> Result<()> {
        let numbers = &numbers[..numbers.len().min(self.room(panel.lane()))];
        let mut block = Block::zeros(panel.lane(), numbers.len(), self.width)?;
        let width = self.width;
        macro_rules! copy {
            ($($lane:ident)*) => {
                match (&mut block.lanes, &panel.lanes) {
                    $((Lanes::$lane(to), Lanes::$lane(from)) => {
                        let rows = to.par_chunks_exact_mut(width).zip(numbers);
                        rows.each(|(to, number)| to.copy_from_slice(&from[(number - first) * width..][..width]));
                    })*
                    _ => unreachable!("a block of the panel's lane"),
                }
            };
        }
        copy!(U8 U16 U32 U64);
        self.blocks.push(Rows::Processor(block));
        self.numbers.extend_from_slice(numbers);
        Ok(())
    }
    /// Has `echelon` absorb the first `count` rows of a panel, narrowed to `width` columns, and keeps those that it
    /// finds independent.
    ///
    /// # Errors
    /// Those of [`Echelon::absorb`].
    pub fn absorb(
        &mut self,
        p: Modulus,
        (panel, count): (&Block, usize),
        width: usize,
        echelon: &mut Echelon,
        observer: &dyn Observer,
    ) -> Result<()> {
        let narrow = narrowed(p, panel, count, width)?;
        let (rank, first) = (echelon.rank(), echelon.rows_seen());
        absorb_rows(&narrow, count, echelon, observer)?;
        self.keep(panel, first, &echelon.pivot_rows()[rank..])
    }
    /// [`Kept::absorb`] of a panel that is on the GPU where the basis is. Where the GPU has little room beside the next
    /// basis, no more are kept; beside this one, none.
    ///
    /// # Errors
    /// Those of [`Echelon::absorb_on_gpu`].
    pub fn absorb_on_gpu(
        &mut self,
        field: &GpuField,
        panel: &GpuDense,
        width: usize,
        echelon: &mut Echelon,
        observer: &dyn Observer,
    ) -> Result<()> {
        let narrow = field.narrowed(panel, width)?;
        let (rank, first) = (echelon.rank(), echelon.rows_seen());
        echelon.absorb_on_gpu(&narrow, observer)?;
        let lane = Lane::narrowest(field.modulus());
        if self.most_bytes > 0 {
            let of_width = |width: usize| (echelon.rank() * width * lane.bytes()) as u64;
            let free = field.stream().free_memory()?;
            if free < 2 * of_width(width) {
                // The basis, which keeps its rows as they came, too, and has to be copied to grow, comes first.
                *self = Kept::new(self.width, 0);
            } else if free < 3 * of_width(self.width) {
                self.most_bytes = 0;
            }
        }
        let numbers = &echelon.pivot_rows()[rank..];
        let numbers = &numbers[..numbers.len().min(self.room(lane))];
        let lines: Vec<u32> = numbers.iter().map(|number| (number - first) as u32).collect();
        match field.chosen(panel, &lines) {
            Ok(rows) => {
                self.blocks.push(Rows::Gpu(rows));
                self.numbers.extend_from_slice(numbers);
            }
            Err(Error::Device(no)) if no.reason == DeviceReason::NoMemory => self.most_bytes = 0,
            Err(other) => return Err(other),
        }
        Ok(())
    }
    /// Has `echelon` absorb what was kept, and forgets it.
    ///
    /// # Errors
    /// Those of [`Echelon::absorb`].
    ///
    /// # Panics
    /// If rows are on a GPU, and the basis is not.
    pub fn hand_over(self, echelon: &mut Echelon, observer: &dyn Observer) -> Result<()> {
        self.blocks.into_iter().try_for_each(|rows| match rows {
            Rows::Processor(block) => absorb_rows(&block, block.rows(), echelon, observer),
            Rows::Gpu(rows) => echelon.absorb_on_gpu(&rows, observer).map(drop),
        })
    }
}

/// Has `echelon` absorb the first `count` rows of a block.
///
/// # Errors
/// Those of [`Echelon::absorb`].
pub(super) fn absorb_rows(block: &Block, count: usize, echelon: &mut Echelon, observer: &dyn Observer) -> Result<()> {
    let entries = count * block.width();
    match &block.lanes {
        Lanes::U8(rows) => echelon.absorb_block(count, &rows[..entries], observer),
        Lanes::U16(rows) => echelon.absorb_block(count, &rows[..entries], observer),
        Lanes::U32(rows) => echelon.absorb_block(count, &rows[..entries], observer),
        Lanes::U64(rows) => echelon.absorb_block(count, &rows[..entries], observer),
        Lanes::F32(_) | Lanes::F64(_) => unreachable!("triangular solves have integer lanes"),
    }?;
    Ok(())
}

/// The first `count` rows of a panel, narrowed to `width` columns.
///
/// # Errors
/// [`crate::Error::Memory`].
fn narrowed(p: Modulus, wide: &Block, count: usize, width: usize) -> Result<Block> {
    let mut narrower = Block::zeros(wide.lane(), count, width)?;
    macro_rules! narrowed {
        ($($lane:ident)*) => {
            match (&mut narrower.lanes, &wide.lanes) {
                $((Lanes::$lane(to), Lanes::$lane(from)) => {
                    let rows = to.par_chunks_exact_mut(width).zip(from.par_chunks_exact(wide.width()));
                    rows.each(|(to, from)| narrow(p, from, to));
                })*
                _ => unreachable!("triangular solves have integer lanes"),
            }
        };
    }
    narrowed!(U8 U16 U32 U64);
    Ok(narrower)
}
