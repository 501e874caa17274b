//! The reduced row echelon form of a panel of rows on a GPU: pivots in windows of columns, from the left.

use super::kernels::{Kernels, grid};
use super::product::{Part, Scratch};
use crate::Result;
use crate::gpu::{Buffer, Grid};

/// Rows of a panel at most: as many as the threads that hold a strip.
pub(super) const HEIGHT: usize = 1024;
/// Columns of a window, and of what a thread block eliminates at once: as in echelon.cu.
const WINDOW: usize = 256;
const STRIP: usize = 32;
/// No position.
const NONE: u32 = u32::MAX;

/// A panel of rows on a GPU, and what its elimination needs.
#[derive(Debug)]
pub(super) struct Panel {
    /// HEIGHT rows.
    pub words: Buffer<u32>,
    pub stride: usize,
    /// The window, and what was done to rows beside it.
    window: Buffer<u32>,
    lines: Buffer<u32>,
    multipliers: Buffer<u32>,
    guess: Buffer<u32>,
    found: Buffer<u32>,
}

/// The pivots of a panel: rows and positions, in the order in which they were found.
#[derive(Debug, Default)]
pub(super) struct Found {
    pub rows: Vec<u32>,
    pub positions: Vec<u32>,
}

impl Panel {
    /// Of rows of `stride` residues.
    ///
    /// # Errors
    /// [`crate::Error::Device`].
    pub fn new(kernels: &Kernels, stride: usize) -> Result<Panel> {
        let words = |residues: usize| kernels.stream.zeros((residues * kernels.form.bytes() / 4).max(4));
        let mut found = vec![NONE; 2 + 2 * WINDOW];
        found[0] = 0;
        Ok(Panel {
            words: words(HEIGHT * stride)?,
            stride,
            window: words(HEIGHT * 2 * WINDOW)?,
            lines: words(STRIP * 2 * WINDOW)?,
            multipliers: words(HEIGHT * STRIP)?,
            guess: kernels.stream.zeros(2 + STRIP + STRIP * STRIP)?,
            found: kernels.stream.upload(&found)?,
        })
    }

    /// Brings the first `rows` rows to reduced row echelon form in the positions from `first` on, and puts zeros to the
    /// pivots' positions, where the pivot rows are the identity. Pivots are the leftmost, and in the first rows that
    /// have them: those of the rank profile matrix.
    ///
    /// # Errors
    /// [`crate::Error::Device`], [`crate::Error::Memory`].
    pub fn reduce(&mut self, kernels: &Kernels, scratch: &mut Scratch, rows: usize, first: usize) -> Result<Found> {
        let stream = &kernels.stream;
        let (height, stride, end) = (rows as u32, self.stride as u32, self.stride as u32);
        let mut taken = stream.zeros::<u32>(HEIGHT)?;
        let (mut found, mut from) = (Found::default(), first as u32);
        while found.rows.len() < rows && from < end {
            let a_block_each = grid(rows, 1);
            let leads = (&self.words, &taken, &mut self.found, stride, from, end);
            stream.enqueue(&kernels.leads, a_block_each, leads)?;
            let lead = stream.download(&self.found)?[1];
            if lead == NONE {
                break;
            }
            let start = lead - lead % kernels.form.lanes() as u32;
            let window = (&mut self.window, &self.words, &mut self.found, stride, start, end);
            stream.enqueue(&kernels.open_window, a_block_each, window)?;
            for number in 0..(end - start).div_ceil(STRIP as u32).min((WINDOW / STRIP) as u32) {
                self.eliminate(kernels, &mut taken, height, number)?;
            }
            let window = (&mut self.words, &mut self.window, &self.found, stride, start, end);
            stream.enqueue(&kernels.close_window, a_block_each, window)?;
            let known = stream.download(&self.found)?;
            let count = known[0] as usize;
            let pivots = &known[2..2 + count];
            found.rows.extend_from_slice(pivots);
            found.positions.extend(known[2 + WINDOW..2 + WINDOW + count].iter().map(|j| start + j));
            from = start + WINDOW as u32;
            if from < end {
                self.spread(kernels, scratch, rows, (from as usize, end as usize), &stream.upload(pivots)?, count)?;
            }
        }
        Ok(found)
    }

    /// A strip of the window.
    fn eliminate(&mut self, kernels: &Kernels, taken: &mut Buffer<u32>, height: u32, number: u32) -> Result<()> {
        let Panel { window, lines, multipliers, guess, found, .. } = self;
        let (stream, bands) = (&kernels.stream, (height as usize).div_ceil(STRIP));
        let one = Grid { blocks: (1, 1), threads: HEIGHT as u32 };
        stream.enqueue(&kernels.corner, one, (&*window, &*taken, &mut *guess, height, number))?;
        let lift = (&*window, &*taken, &mut *guess, &mut *multipliers, height, number);
        stream.enqueue(&kernels.lift, grid(bands, 1), lift)?;
        let strip = (&mut *window, &*guess, &mut *lines, &mut *multipliers, taken, found, height, number);
        stream.enqueue(&kernels.strip, one, strip)?;
        stream.enqueue(&kernels.apply, grid(2 * WINDOW / STRIP, bands), (window, &*lines, &*multipliers, height))
    }

    /// Does to the positions behind a window what was done to the rows within it: adds multiples of the pivot rows as
    /// they were, which are packed before they change.
    fn spread(
        &mut self,
        kernels: &Kernels,
        scratch: &mut Scratch,
        rows: usize,
        (from, end): (usize, usize),
        pivots: &Buffer<u32>,
        count: usize,
    ) -> Result<()> {
        let Panel { words, window, stride, .. } = self;
        let multipliers = Part { words: window, offset: WINDOW, stride: 2 * WINDOW, terms: None };
        let lines = Part { words, offset: from, stride: *stride, terms: Some(pivots) };
        let shape = (rows, end - from);
        let packed = kernels.pack(scratch, shape, 0..count, false, (multipliers, lines))?;
        kernels.multiply_packed(scratch, packed, shape, (words, from, *stride), true)
    }
}
