//! Polynomial matrices in the memory of a GPU.

use super::roots;
use super::source;
use crate::field::{Field, Modulus};
use crate::gpu::{Buffer, Device, In, Kernel, Out, Stream};
use crate::parallel::{self, Each};
use crate::poly::PolyMatrix;
use crate::{DeviceReason, Error, Result, memory};
use rayon::prelude::*;
use std::ops::Range;

/// What the memory is for.
const COPY: &str = "a copy of a polynomial matrix for a GPU";
/// Elements that one task converts, or more.
const SHARE: usize = 1 << 15;
/// Words of a buffer at least; small ones are powers of two, so that they fit each other.
const LEAST: usize = 1 << 10;
const SMALL: usize = 1 << 22;

/// to, from, offset, tables, table, points, entries, len, levels, last.
type Enter = (Out<u32>, In<u32>, u64, In<u32>, u32, u32, u32, u32, u32, u32);
/// values, tables, table, points, entries, size, levels, last.
type Forward = (Out<u32>, In<u32>, u32, u32, u32, u32, u32, u32);
/// values, tables, table, points, entries, size, levels.
type Inverse = (Out<u32>, In<u32>, u32, u32, u32, u32, u32);
/// c, a, b, points, rows, inner, cols.
type Multiply = (Out<u32>, In<u32>, In<u32>, u32, u32, u32, u32);
/// to, values, log_points, entries, lo, len, primes.
type Leave = (Out<u32>, In<u32>, u32, u32, u32, u32, u32);
/// c, a, b, a_offset, b_offset, rows, inner, cols, a_len, b_len, lo.
type Convolve = (Out<u32>, In<u32>, In<u32>, u64, u64, u32, u32, u32, u32, u32, u32);
/// to, entries, at.
type Unwrap = (Out<u32>, u32, u32);

#[derive(Debug)]
pub(super) struct Kernels {
    pub enter: Kernel<Enter>,
    pub forward: Kernel<Forward>,
    pub inverse: Kernel<Inverse>,
    pub multiply: Kernel<Multiply>,
    pub leave: Kernel<Leave>,
    pub convolve: Kernel<Convolve>,
    pub unwrap: Kernel<Unwrap>,
}

/// Roots of unity on a GPU, and how many of each prime.
#[derive(Debug)]
pub(super) struct Roots {
    pub forward: Buffer<u32>,
    pub inverse: Buffer<u32>,
    pub entries: usize,
}

/// Arithmetic of polynomial matrices mod p < 2³¹ on one GPU: kernels, the stream of all work with them, and memory that
/// is used again.
#[derive(Debug)]
pub struct GpuPolys {
    pub(super) stream: Stream,
    pub(super) modulus: Modulus,
    pub(super) kernels: Kernels,
    pub(super) roots: Option<Roots>,
    free: Vec<Buffer<u32>>,
}

/// A polynomial matrix in the memory of a GPU: coefficient by coefficient, each row-major, residues of 32 bits. The
/// buffer may be longer.
#[derive(Debug)]
pub struct GpuPoly {
    pub(super) words: Buffer<u32>,
    pub(super) rows: usize,
    pub(super) cols: usize,
    pub(super) len: usize,
}

impl GpuPolys {
    /// Opens the device, and compiles and loads the kernels.
    ///
    /// # Errors
    /// [`Error::Device`]; with [`DeviceReason::NoKernel`] for p ≥ 2³¹.
    pub fn open(device: &Device, modulus: Modulus) -> Result<GpuPolys> {
        Self::on(Stream::alone(device)?, device.compute_capability, modulus)
    }
    /// The same on a stream, of a device of this compute capability.
    ///
    /// # Errors
    /// As [`GpuPolys::open`].
    pub fn on(stream: Stream, capability: (u32, u32), modulus: Modulus) -> Result<GpuPolys> {
        let module = stream.load(&source::products(modulus, capability)?)?;
        let kernels = Kernels {
            enter: module.kernel("enter")?,
            forward: module.kernel("forward")?,
            inverse: module.kernel("inverse")?,
            multiply: module.kernel("multiply")?,
            leave: module.kernel("leave")?,
            convolve: module.kernel("convolve")?,
            unwrap: module.kernel("unwrap")?,
        };
        Ok(GpuPolys { stream, modulus, kernels, roots: None, free: Vec::new() })
    }
    /// The modulus p.
    pub fn modulus(&self) -> Modulus {
        self.modulus
    }
    /// The stream of all work.
    pub fn stream(&self) -> &Stream {
        &self.stream
    }

    /// A copy of some coefficients of a matrix over GF(p).
    ///
    /// # Errors
    /// [`Error::Device`], [`Error::Memory`].
    ///
    /// # Panics
    /// If the field is not GF(p), or there are not so many.
    pub fn upload<F: Field>(
        &self,
        field: &F,
        matrix: &PolyMatrix<F::Elem>,
        coefficients: Range<usize>,
    ) -> Result<GpuPoly> {
        let words = self.words(field, matrix, coefficients.clone())?;
        let (rows, cols) = (matrix.rows(), matrix.cols());
        Ok(GpuPoly { words: self.stream.upload(&words)?, rows, cols, len: coefficients.len() })
    }
    /// Copies some coefficients of a matrix over GF(p) to the same places of another one on the GPU, which then ends
    /// with them.
    ///
    /// # Errors
    /// [`Error::Device`], [`Error::Memory`].
    ///
    /// # Panics
    /// If the field is not GF(p), the matrices have different shapes, or there is no room for them or a gap before
    /// them.
    pub fn write<F: Field>(
        &self,
        field: &F,
        to: &mut GpuPoly,
        matrix: &PolyMatrix<F::Elem>,
        coefficients: Range<usize>,
    ) -> Result<()> {
        assert_eq!((matrix.rows(), matrix.cols()), (to.rows, to.cols), "matrices of different shapes");
        assert!(coefficients.start <= to.len && coefficients.end <= to.room(), "no room for the coefficients");
        let words = self.words(field, matrix, coefficients.clone())?;
        self.stream.overwrite(&mut to.words, to.rows * to.cols * coefficients.start, &words)?;
        to.len = coefficients.end;
        Ok(())
    }
    /// A copy of a matrix, with room for so many coefficients.
    ///
    /// # Errors
    /// [`Error::Device`].
    pub fn longer(&self, matrix: &GpuPoly, room: usize) -> Result<GpuPoly> {
        let mut copy = self.zeros(matrix.rows, matrix.cols, room.max(matrix.len))?;
        self.stream.copy_between(&mut copy.words, &matrix.words, 0..matrix.rows * matrix.cols * matrix.len)?;
        copy.len = matrix.len;
        Ok(copy)
    }
    /// Some coefficients as they are on a GPU.
    fn words<F: Field>(&self, field: &F, matrix: &PolyMatrix<F::Elem>, coefficients: Range<usize>) -> Result<Vec<u32>> {
        assert_eq!((field.modulus(), field.degree()), (self.modulus, 1), "another field");
        let entries = matrix.rows() * matrix.cols();
        let from = &matrix.data()[entries * coefficients.start..entries * coefficients.end];
        let mut words = memory::zeros::<u32>(from.len(), COPY)?;
        words.par_iter_mut().with_min_len(SHARE).zip(from).each(|(word, &x)| {
            let mut digit = [0];
            field.write_digits(x, &mut digit);
            *word = digit[0] as u32;
        });
        Ok(words)
    }
    /// The matrix on the processor.
    ///
    /// # Errors
    /// [`Error::Device`], [`Error::Memory`].
    ///
    /// # Panics
    /// If the field is not GF(p).
    pub fn download<F: Field>(&self, field: &F, matrix: &GpuPoly) -> Result<PolyMatrix<F::Elem>> {
        assert_eq!((field.modulus(), field.degree()), (self.modulus, 1), "another field");
        let mut copy = PolyMatrix::zeros(matrix.rows, matrix.cols, matrix.len)?;
        let words = self.stream.download_part(&matrix.words, 0..matrix.rows * matrix.cols * matrix.len)?;
        let to = copy.data_mut().par_iter_mut().with_min_len(SHARE);
        to.zip(&words).each(|(x, &word)| *x = field.from_digits(&[u64::from(word)]));
        Ok(copy)
    }

    /// A matrix of `len` coefficients that are whatever they are, all to be written.
    ///
    /// # Errors
    /// [`Error::Device`].
    pub fn uninitialised(&mut self, rows: usize, cols: usize, len: usize) -> Result<GpuPoly> {
        Ok(GpuPoly { words: self.take(rows * cols * len)?, rows, cols, len })
    }
    /// The zero matrix of `len` coefficients.
    ///
    /// # Errors
    /// [`Error::Device`].
    pub fn zeros(&self, rows: usize, cols: usize, len: usize) -> Result<GpuPoly> {
        Ok(GpuPoly { words: self.stream.zeros((rows * cols * len).max(LEAST))?, rows, cols, len })
    }
    /// Keeps the memory of a matrix for another.
    pub fn recycle(&mut self, matrix: GpuPoly) {
        self.free.push(matrix.words);
    }

    /// At least so many words, whatever they are: those of a matrix that is not needed any more, if not much longer.
    pub(super) fn take(&mut self, words: usize) -> Result<Buffer<u32>> {
        let rounded = if words <= SMALL { words.max(LEAST).next_power_of_two() } else { words };
        let fits = |buffer: &Buffer<u32>| (rounded..=2 * rounded).contains(&buffer.len());
        let best = self.free.iter().enumerate().filter(|(_, buffer)| fits(buffer)).min_by_key(|(_, b)| b.len());
        if let Some((number, _)) = best {
            return Ok(self.free.swap_remove(number));
        }
        match self.stream.zeros(rounded) {
            Err(Error::Device(no)) if no.reason == DeviceReason::NoMemory && !self.free.is_empty() => {
                self.free.clear();
                self.stream.zeros(rounded)
            }
            done => done,
        }
    }
    pub(super) fn give(&mut self, words: Buffer<u32>) {
        self.free.push(words);
    }

    /// Makes roots of unity for transforms of 2ˡ points.
    pub(super) fn prepare(&mut self, log: usize) -> Result<()> {
        let entries = 1 << log.saturating_sub(1);
        if self.roots.as_ref().is_none_or(|roots| roots.entries < entries) {
            self.roots = None;
            let (forward, inverse) = parallel::join(|| roots::table(entries, false), || roots::table(entries, true));
            let (forward, inverse) = (self.stream.upload(&forward?)?, self.stream.upload(&inverse?)?);
            self.roots = Some(Roots { forward, inverse, entries });
        }
        Ok(())
    }
}

impl GpuPoly {
    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }
    /// Number of columns.
    pub fn cols(&self) -> usize {
        self.cols
    }
    /// Number of coefficients.
    pub fn len(&self) -> usize {
        self.len
    }
    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }
    /// How many coefficients its buffer has room for.
    pub fn room(&self) -> usize {
        self.words.len() / (self.rows * self.cols).max(1)
    }
    /// The residues, to be written by a kernel.
    pub fn words_mut(&mut self) -> &mut Buffer<u32> {
        &mut self.words
    }
    /// Drops coefficients from `len` on, if there are any.
    pub fn truncate(&mut self, len: usize) {
        self.len = self.len.min(len);
    }
}
