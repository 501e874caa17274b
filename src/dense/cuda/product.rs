//! Products on a GPU: both operands packed, then multiplied, so many terms at a time.

use super::kernels::{Kernels, grid_of};
use crate::Result;
use crate::gpu::{Buffer, Grid};
use std::ops::Range;

/// Packed rows and columns of a tile.
const TILE: usize = 128;
const ACROSS: usize = 256;
/// Bytes of the depth in a step.
const STEP: usize = 128;
/// Columns that a block packs.
const BAND: usize = 64;
/// Threads of the kernels that pack.
const PIECES: usize = 8;

/// A part of a matrix on a GPU: residues from `offset` on, rows `stride` apart.
#[derive(Clone, Copy, Debug)]
pub(super) struct Part<'a> {
    pub words: &'a Buffer<u32>,
    pub offset: usize,
    pub stride: usize,
    /// The numbers of the terms, columns of A or rows of B, if they are not 0, 1, ….
    pub terms: Option<&'a Buffer<u32>>,
}

/// What a product does to C.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sign {
    /// C ← A·B
    Set,
    /// C ← C - A·B
    Subtract,
}

/// Packed operands, kept for the next product.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    a: Option<Buffer<u32>>,
    b: Option<Buffer<u32>>,
}

impl Kernels {
    /// C ← A·B or C - A·B for A m × k and B k × n; C lies in `c` from the residue `offset` on, rows `stride`
    /// apart. What C has beyond n, up to whole words, becomes or remains 0.
    ///
    /// # Errors
    /// [`crate::Error::Device`].
    pub fn product(
        &self,
        scratch: &mut Scratch,
        (m, k, n): (usize, usize, usize),
        sign: Sign,
        c: (&mut Buffer<u32>, usize, usize),
        a: Part<'_>,
        b: Part<'_>,
    ) -> Result<()> {
        let (words, offset, stride) = c;
        let lanes = self.form.lanes();
        assert!(offset.is_multiple_of(lanes) && stride.is_multiple_of(lanes), "C is aligned to words");
        if m == 0 || n == 0 {
            return Ok(());
        }
        let most = self.form.terms();
        for begin in (0..k.max(1)).step_by(most) {
            let terms = begin..k.min(begin + most);
            let packed = self.pack(scratch, (m, n), terms, sign == Sign::Subtract, (a, b))?;
            let add = begin > 0 || sign != Sign::Set;
            self.multiply_packed(scratch, packed, (m, n), (&mut *words, offset, stride), add)?;
        }
        Ok(())
    }

    /// Packs some terms of both operands.
    pub fn pack(
        &self,
        scratch: &mut Scratch,
        (m, n): (usize, usize),
        terms: Range<usize>,
        negative: bool,
        (a, b): (Part<'_>, Part<'_>),
    ) -> Result<Packed> {
        self.pack_a(&mut scratch.a, m, terms.clone(), negative, a)?;
        self.pack_b(&mut scratch.b, n, terms.clone(), b)?;
        Ok(self.packed((m, n), terms.len()))
    }
    /// The sizes of operands m × k and k × n when they are packed.
    pub fn packed(&self, (m, n): (usize, usize), k: usize) -> Packed {
        let digits = self.form.digits();
        let steps = (k * digits).div_ceil(STEP).max(1);
        Packed { steps, rows: (m * digits).next_multiple_of(TILE), cols: n.next_multiple_of(ACROSS) }
    }
    /// Packs some terms of the m rows of A, or of -A.
    ///
    /// # Errors
    /// [`crate::Error::Device`].
    pub fn pack_a(
        &self,
        to: &mut Option<Buffer<u32>>,
        m: usize,
        terms: Range<usize>,
        negative: bool,
        a: Part<'_>,
    ) -> Result<()> {
        let packed = self.packed((m, 0), terms.len());
        let to = self.room(to, packed.words_of_a())?;
        let threads = (packed.steps * PIECES * (packed.rows / self.form.digits())) as u64;
        self.stream.enqueue(
            &self.pack_a,
            grid_of(threads),
            (
                to,
                a.words,
                a.offset as u64,
                a.stride as u32,
                a.terms.unwrap_or(a.words),
                u32::from(a.terms.is_some()),
                m as u32,
                terms.start as u32,
                terms.end as u32,
                packed.rows as u32,
                packed.steps as u32,
                u32::from(negative),
            ),
        )
    }
    /// Packs some terms of the n columns of B.
    ///
    /// # Errors
    /// [`crate::Error::Device`].
    pub fn pack_b(&self, to: &mut Option<Buffer<u32>>, n: usize, terms: Range<usize>, b: Part<'_>) -> Result<()> {
        let packed = self.packed((0, n), terms.len());
        let to = self.room(to, packed.steps * packed.cols * STEP / 4)?;
        let blocks = packed.steps * (packed.cols / BAND);
        self.stream.enqueue(
            &self.pack_b,
            Grid { blocks: (blocks as u32, 1), threads: super::kernels::THREADS },
            (
                to,
                b.words,
                b.offset as u64,
                b.stride as u32,
                b.terms.unwrap_or(b.words),
                u32::from(b.terms.is_some()),
                terms.start as u32,
                terms.end as u32,
                n as u32,
                packed.cols as u32,
                packed.steps as u32,
            ),
        )
    }
    /// A buffer of at least so many words of 32 bits.
    pub fn room<'b>(&self, buffer: &'b mut Option<Buffer<u32>>, words: usize) -> Result<&'b mut Buffer<u32>> {
        if buffer.as_ref().is_none_or(|buffer| buffer.len() < words) {
            *buffer = None;
            *buffer = Some(self.stream.zeros(words)?);
        }
        Ok(buffer.as_mut().expect("there is one now"))
    }

    /// The product of what was packed.
    pub fn multiply_packed(
        &self,
        scratch: &Scratch,
        packed: Packed,
        shape: (usize, usize),
        c: (&mut Buffer<u32>, usize, usize),
        add: bool,
    ) -> Result<()> {
        let (Some(a), Some(b)) = (&scratch.a, &scratch.b) else { unreachable!("operands were packed") };
        self.multiply_these((a, b), packed, shape, c, add)
    }
    /// The same of operands wherever they are.
    pub fn multiply_these(
        &self,
        (a, b): (&Buffer<u32>, &Buffer<u32>),
        packed: Packed,
        (m, n): (usize, usize),
        (c, offset, stride): (&mut Buffer<u32>, usize, usize),
        add: bool,
    ) -> Result<()> {
        let tiles = packed.rows / TILE * n.div_ceil(self.tiles.wide);
        let blocks = (tiles as u64).min(u64::from(self.tiles.blocks)) as u32;
        self.stream.enqueue(
            &self.multiply,
            Grid { blocks: (blocks, 1), threads: self.tiles.threads },
            (
                a,
                b,
                c,
                offset as u64,
                stride as u32,
                m as u32,
                n as u32,
                packed.steps as u32,
                packed.rows as u32,
                packed.cols as u32,
                u32::from(add),
            ),
        )
    }
}

/// Sizes of packed operands.
#[derive(Clone, Copy, Debug)]
pub(super) struct Packed {
    steps: usize,
    rows: usize,
    cols: usize,
}

impl Packed {
    /// Words of 32 bits of the packed rows of A.
    pub fn words_of_a(self) -> usize {
        self.steps * self.rows * STEP / 4
    }
}
