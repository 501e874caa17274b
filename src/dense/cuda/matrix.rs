//! Dense matrices in the memory of a GPU.

use super::kernels::GpuField;
use super::product::{Part, Scratch, Sign};
use crate::dense::entry::{Entry, Residue};
use crate::gpu::Buffer;
use crate::parallel::Each;
use crate::{Result, memory};
use rayon::prelude::*;

/// What the memory is for.
const COPY: &str = "a copy of a dense matrix for a GPU";

/// A dense matrix over GF(p), p < 2³², in the memory of a GPU: row-major, residues of 8, 16 or 32 bits, rows filled up
/// to 16 bytes with zeros.
#[derive(Debug)]
pub struct GpuDense {
    pub(super) words: Buffer<u32>,
    pub(super) rows: usize,
    pub(super) cols: usize,
    pub(super) stride: usize,
    bytes: usize,
}

impl GpuField {
    /// A zero matrix.
    ///
    /// # Errors
    /// [`crate::Error::Device`].
    pub fn zeros(&self, rows: usize, cols: usize) -> Result<GpuDense> {
        let form = self.0.form;
        let (stride, bytes) = (form.stride(cols), form.bytes());
        let words = self.stream().zeros((rows * stride * bytes / 4).max(4))?;
        Ok(GpuDense { words, rows, cols, stride, bytes })
    }
    /// A copy of a row-major matrix of residues.
    ///
    /// # Errors
    /// [`crate::Error::Device`], [`crate::Error::Memory`].
    ///
    /// # Panics
    /// If `data` has not `rows` × `cols` entries.
    pub fn upload<R: Residue>(&self, rows: usize, cols: usize, data: &[R]) -> Result<GpuDense> {
        assert_eq!(data.len(), rows * cols, "entries of {rows} rows of {cols}");
        let form = self.0.form;
        let (stride, bytes) = (form.stride(cols), form.bytes());
        let mut words = memory::zeros::<u32>((rows * stride * bytes / 4).max(4), COPY)?;
        if cols > 0 {
            fn fill<R: Residue, T: Entry + bytemuck::Pod>(from: &[R], to: &mut [u32], cols: usize, stride: usize) {
                let to: &mut [T] = bytemuck::cast_slice_mut(to);
                let rows = to.par_chunks_exact_mut(stride).zip(from.par_chunks_exact(cols));
                rows.each(|(to, from)| {
                    to.iter_mut().zip(from).for_each(|(to, &x)| *to = T::from_residue(x.into()));
                });
            }
            match bytes {
                1 => fill::<R, u8>(data, &mut words, cols, stride),
                2 => fill::<R, u16>(data, &mut words, cols, stride),
                _ => fill::<R, u32>(data, &mut words, cols, stride),
            }
        }
        Ok(GpuDense { words: self.stream().upload(&words)?, rows, cols, stride, bytes })
    }
    /// C ← A·B.
    ///
    /// The work is only begun: an error in it shows later, at the latest when something is copied back.
    ///
    /// # Errors
    /// [`crate::Error::Device`].
    ///
    /// # Panics
    /// If the sizes do not fit.
    pub fn multiply(&self, scratch: &mut GpuScratch, c: &mut GpuDense, a: &GpuDense, b: &GpuDense) -> Result<()> {
        self.product(scratch, Sign::Set, c, a, b)
    }
    /// C ← C - A·B, likewise.
    ///
    /// # Errors
    /// As [`GpuField::multiply`].
    ///
    /// # Panics
    /// As [`GpuField::multiply`].
    pub fn subtract_product(
        &self,
        scratch: &mut GpuScratch,
        c: &mut GpuDense,
        a: &GpuDense,
        b: &GpuDense,
    ) -> Result<()> {
        self.product(scratch, Sign::Subtract, c, a, b)
    }
    pub(super) fn product(
        &self,
        scratch: &mut GpuScratch,
        sign: Sign,
        c: &mut GpuDense,
        a: &GpuDense,
        b: &GpuDense,
    ) -> Result<()> {
        let shape = (c.rows, a.cols, c.cols);
        assert_eq!(((a.rows, b.rows), b.cols), ((c.rows, a.cols), c.cols), "sizes of a product");
        assert!([&*c, a, b].iter().all(|m| m.bytes == self.0.form.bytes()), "matrices over another field");
        self.0.product(&mut scratch.0, shape, sign, (&mut c.words, 0, c.stride), a.part(), b.part())
    }
}

/// Memory of a GPU for packed operands of products, kept for the next product.
#[derive(Debug, Default)]
pub struct GpuScratch(pub(super) Scratch);

impl GpuDense {
    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }
    /// Number of columns.
    pub fn cols(&self) -> usize {
        self.cols
    }
    /// All of it.
    fn part(&self) -> Part<'_> {
        Part { words: &self.words, offset: 0, stride: self.stride, terms: None }
    }
    /// The residues, row-major.
    ///
    /// # Errors
    /// [`crate::Error::Device`], [`crate::Error::Memory`].
    pub fn download(&self, field: &GpuField) -> Result<Vec<u64>> {
        let words = field.stream().download(&self.words)?;
        let mut residues = memory::zeros::<u64>(self.rows * self.cols, COPY)?;
        for (i, to) in residues.chunks_exact_mut(self.cols.max(1)).enumerate() {
            let row = i * self.stride..i * self.stride + self.cols;
            match self.bytes {
                1 => copy::<u8>(&words, row, to),
                2 => copy::<u16>(&words, row, to),
                _ => copy::<u32>(&words, row, to),
            }
        }
        Ok(residues)
    }
}

/// Copies residues of a type as they lie in words.
fn copy<T: bytemuck::Pod + Into<u64>>(words: &[u32], range: std::ops::Range<usize>, to: &mut [u64]) {
    let from: &[T] = bytemuck::cast_slice(words);
    to.iter_mut().zip(&from[range]).for_each(|(to, &x)| *to = x.into());
}
