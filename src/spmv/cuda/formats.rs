//! Matrices in the formats of the source paper (section 2) on a GPU: what sliced ELL ([`GpuMatrix`](super::GpuMatrix))
//! is measured against. All work on a matrix goes through that; these are for `blackfield bench formats`.

use super::block::GpuBlock;
use super::kernels::grid_of;
use super::layout::{Kinds, MINUS};
use super::slices::LAYOUT;
use super::source::GpuShape;
use crate::gpu::{Buffer, Cubin, Device, Grid, In, Kernel, Module, Out, Stream};
use crate::sparse::SparseMatrix;
use crate::spmv::{Block, Lane};
use crate::{DeviceReason, Error, Result, memory};

const KERNELS: &str = include_str!("../../../kernels/formats.cu");
/// No entry; entries that a thread of COO adds up: as in formats.cu.
const NONE: u32 = u32::MAX;
const CHUNK: usize = 32;
/// The most entries, padding counted, for one of the matrix: beyond, a format is refused.
const MOST_PADDING: usize = 64;

/// A format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GpuFormat {
    /// Rows, columns, values; a thread for 32 entries.
    Coo,
    /// Rows one after the other; a thread for each word of a row of the result.
    Csr,
    /// The same; a warp for each row.
    CsrWarp,
    /// Rows of one length, by columns.
    Ell,
    /// The same with the length of each row.
    EllR,
    /// By diagonals.
    Dia,
}

/// x, y, starts or lengths or offsets, indices, values, rows, width.
type ByRow = (In<u32>, Out<u32>, In<u32>, In<u32>, In<u32>, u32, u32);
/// x, sums, which, indices, values, nnz.
type Coo = (In<u32>, Out<u64>, In<u32>, In<u32>, In<u32>, u32);
/// y, sums, rows.
type CooEnd = (Out<u32>, Out<u64>, u32);

#[derive(Debug)]
enum Kernels {
    ByRow(Kernel<ByRow>),
    Coo(Kernel<Coo>, Kernel<CooEnd>, Buffer<u64>),
}

/// A matrix in a format on a GPU, for products with blocks of one shape.
#[derive(Debug)]
pub struct GpuFormatted {
    stream: Stream,
    shape: GpuShape,
    format: GpuFormat,
    rows: usize,
    cols: usize,
    nnz: usize,
    width: usize,
    kernels: Kernels,
    lines: Buffer<u32>,
    indices: Buffer<u32>,
    values: Buffer<u32>,
}

/// What is copied: starts, lengths, offsets or rows; indices; values.
#[derive(Debug, Default, PartialEq)]
struct Arrays {
    lines: Vec<u32>,
    indices: Vec<u32>,
    values: Vec<u64>,
    width: usize,
}

impl GpuFormat {
    /// All of them.
    pub const ALL: [GpuFormat; 6] =
        [GpuFormat::Coo, GpuFormat::Csr, GpuFormat::CsrWarp, GpuFormat::Ell, GpuFormat::EllR, GpuFormat::Dia];

    /// What it is called.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            GpuFormat::Coo => "COO",
            GpuFormat::Csr => "CSR",
            GpuFormat::CsrWarp => "CSR by warps",
            GpuFormat::Ell => "ELL",
            GpuFormat::EllR => "ELL_R",
            GpuFormat::Dia => "DIA",
        }
    }

    /// The arrays of `a`; with `signs`, which all its entries must be, without values.
    fn arrays(self, a: &SparseMatrix, signs: bool) -> Result<Arrays> {
        let (rows, p) = (a.rows(), a.modulus().get());
        let index = |j: u32, v: u64| if signs && v != 1 { j | MINUS } else { j };
        let each = || (0..rows).flat_map(|i| a.row(i).0.iter().zip(a.row(i).1).map(move |(&j, &v)| (i, j, v)));
        debug_assert!(!signs || each().all(|(_, _, v)| v == 1 || v == p - 1), "entries that are not ±1");
        let mut arrays = Arrays::default();
        match self {
            GpuFormat::Coo | GpuFormat::Csr | GpuFormat::CsrWarp => {
                arrays.indices = memory::collect(each().map(|(_, j, v)| index(j, v)), LAYOUT)?;
                if !signs {
                    arrays.values = memory::collect(each().map(|(_, _, v)| v), LAYOUT)?;
                }
                arrays.lines = match self {
                    GpuFormat::Coo => memory::collect(each().map(|(i, _, _)| i as u32), LAYOUT)?,
                    _ => memory::collect(a.row_starts().iter().map(|&at| at as u32), LAYOUT)?,
                };
            }
            GpuFormat::Ell | GpuFormat::EllR => {
                arrays.width = (0..rows).map(|i| a.row(i).0.len()).max().unwrap_or(0);
                let len = self.padded(rows, arrays.width, a.nnz())?;
                arrays.lines = memory::collect((0..rows).map(|i| a.row(i).0.len() as u32), LAYOUT)?;
                arrays.indices = memory::filled(NONE, len, LAYOUT)?;
                arrays.values = memory::zeros(if signs { 0 } else { len }, LAYOUT)?;
                for i in 0..rows {
                    for (e, (&j, &v)) in a.row(i).0.iter().zip(a.row(i).1).enumerate() {
                        arrays.indices[e * rows + i] = index(j, v);
                        if !signs {
                            arrays.values[e * rows + i] = v;
                        }
                    }
                }
            }
            GpuFormat::Dia => {
                let mut offsets = memory::collect(each().map(|(i, j, _)| j.wrapping_sub(i as u32) as i32), LAYOUT)?;
                offsets.sort_unstable();
                offsets.dedup();
                arrays.width = offsets.len();
                let len = self.padded(rows, arrays.width, a.nnz())?;
                arrays.indices = memory::zeros(if signs { len } else { 0 }, LAYOUT)?;
                arrays.values = memory::zeros(if signs { 0 } else { len }, LAYOUT)?;
                for (i, j, v) in each() {
                    let offset = j.wrapping_sub(i as u32) as i32;
                    let at = offsets.binary_search(&offset).expect("each offset is there") * rows + i;
                    match signs {
                        true => arrays.indices[at] = if v == 1 { 1 } else { 2 },
                        false => arrays.values[at] = v,
                    }
                }
                arrays.lines = memory::collect(offsets.iter().map(|&offset| offset as u32), LAYOUT)?;
            }
        }
        Ok(arrays)
    }

    /// The entries of `rows` rows of `width`.
    fn padded(self, rows: usize, width: usize, nnz: usize) -> Result<usize> {
        match rows.checked_mul(width) {
            Some(len) if len <= MOST_PADDING * nnz.max(rows) => Ok(len),
            _ => {
                let message = format!("{} stores {rows} x {width} entries for {nnz}: too many", self.name());
                Err(Error::device(DeviceReason::NoKernel, message))
            }
        }
    }
}

impl GpuFormatted {
    /// Compiles the kernels and copies `a`; entries ±1 as signs if all are and `segregate` says so.
    ///
    /// # Errors
    /// [`Error::Device`], with [`DeviceReason::NoKernel`] where the format does not suit: too much padding, COO and CSR
    /// by warps for residues of 64 bits or one, rows of more than 512 bytes in CSR by warps; [`Error::Memory`].
    ///
    /// # Panics
    /// If the moduli differ.
    pub fn new(
        device: &Device,
        a: &SparseMatrix,
        shape: GpuShape,
        format: GpuFormat,
        segregate: bool,
    ) -> Result<GpuFormatted> {
        assert_eq!(a.modulus(), shape.modulus, "kernels for another modulus");
        let signs = segregate && a.valued() == 0;
        let kinds = Kinds { signs, others: !signs };
        let arrays = format.arrays(a, signs)?;
        // Few kernels for many matrices.
        let longest = (0..a.rows()).map(|i| a.row(i).0.len()).max().unwrap_or(0).max(CHUNK).next_power_of_two();
        let none = || Error::device(DeviceReason::NoKernel, format!("no kernel for {} and {shape:?}", format.name()));
        let atomic = matches!(shape.bits(), 8 | 16 | 32);
        let cubin = compile(shape, kinds, longest, device.compute_capability)?;
        let stream = Stream::alone(device)?;
        let module = stream.load(&cubin)?;
        let kernels = match format {
            GpuFormat::Coo if !atomic => return Err(none()),
            GpuFormat::Coo => Self::coo(&module, stream.zeros((a.rows() * shape.padded()).max(1))?)?,
            GpuFormat::CsrWarp if shape.bits() == 1 || shape.pieces() > 32 => return Err(none()),
            GpuFormat::CsrWarp => Kernels::ByRow(module.kernel("csr_warp")?),
            GpuFormat::Csr => Kernels::ByRow(module.kernel("csr")?),
            GpuFormat::Ell => Kernels::ByRow(module.kernel("ell")?),
            GpuFormat::EllR => Kernels::ByRow(module.kernel("ell_r")?),
            GpuFormat::Dia => Kernels::ByRow(module.kernel("dia")?),
        };
        let halves = shape.lane() == Lane::U64;
        let mut values = memory::with_capacity(arrays.values.len() * (1 + usize::from(halves)), LAYOUT)?;
        for &v in &arrays.values {
            values.push(v as u32);
            if halves {
                values.push((v >> 32) as u32);
            }
        }
        Ok(GpuFormatted {
            shape,
            format,
            rows: a.rows(),
            cols: a.cols(),
            nnz: a.nnz(),
            width: arrays.width,
            kernels,
            lines: stream.upload(&arrays.lines)?,
            indices: stream.upload(&arrays.indices)?,
            values: stream.upload(&values)?,
            stream,
        })
    }
    fn coo(module: &Module, sums: Buffer<u64>) -> Result<Kernels> {
        Ok(Kernels::Coo(module.kernel("coo")?, module.kernel("coo_end")?, sums))
    }

    /// The stream of all work with it.
    pub fn stream(&self) -> &Stream {
        &self.stream
    }
    /// A copy of `block`, X.
    ///
    /// # Errors
    /// [`Error::Device`], [`Error::Memory`].
    ///
    /// # Panics
    /// If its width or its number of rows is another.
    pub fn upload(&self, block: &Block) -> Result<GpuBlock> {
        assert_eq!(block.rows(), self.cols, "a block of another number of rows");
        GpuBlock::upload(&self.stream, self.shape, (block, 0), self.cols)
    }
    /// A zero block Y.
    ///
    /// # Errors
    /// [`Error::Device`].
    pub fn zeros(&self) -> Result<GpuBlock> {
        GpuBlock::zeros(&self.stream, self.shape, self.rows)
    }
    /// What is in a block Y.
    ///
    /// # Errors
    /// [`Error::Device`], [`Error::Memory`].
    pub fn download(&self, y: &GpuBlock) -> Result<Block> {
        y.download(&self.stream, self.shape, self.rows)
    }

    /// Begins Y ← A·X.
    ///
    /// # Errors
    /// [`Error::Device`].
    ///
    /// # Panics
    /// If a block has too few rows, or another shape.
    pub fn apply(&mut self, x: &GpuBlock, y: &mut GpuBlock) -> Result<()> {
        assert!(x.rows >= self.cols && y.rows >= self.rows, "blocks of too few rows");
        assert!(x.shape == self.shape && y.shape == self.shape, "blocks of another shape");
        let (rows, width, pieces) = (self.rows as u32, self.width as u32, self.shape.pieces() as u64);
        if rows == 0 {
            return Ok(());
        }
        let words = grid_of(u64::from(rows) * pieces);
        match &mut self.kernels {
            Kernels::ByRow(kernel) => {
                let grid: Grid = if self.format == GpuFormat::CsrWarp { grid_of(32 * u64::from(rows)) } else { words };
                let arguments = (&x.words, &mut y.words, &self.lines, &self.indices, &self.values, rows, width);
                self.stream.enqueue(kernel, grid, arguments)
            }
            Kernels::Coo(add, end, sums) => {
                let chunks = grid_of(self.nnz.div_ceil(CHUNK) as u64 * pieces);
                let nnz = self.nnz as u32;
                let arguments = (&x.words, &mut *sums, &self.lines, &self.indices, &self.values, nnz);
                self.stream.enqueue(add, chunks, arguments)?;
                self.stream.enqueue(end, words, (&mut y.words, sums, rows))
            }
        }
    }
}

/// The kernels for blocks of this shape, and rows of so many entries.
pub(super) fn compile(shape: GpuShape, kinds: Kinds, longest: usize, capability: (u32, u32)) -> Result<Cubin> {
    shape.compile("formats.cu", KERNELS, &shape.sums(kinds, longest)?, capability)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::Modulus;

    /// Each format holds the entries, and nothing else.
    #[test]
    fn arrays_hold_the_entries() {
        let p = Modulus::new(7).unwrap();
        let a = SparseMatrix::from_triplets(p, 3, 4, &[(0, 1, 1), (0, 3, 6), (2, 0, 1)]);
        let of = |format: GpuFormat, signs| format.arrays(&a, signs).unwrap();
        let csr = of(GpuFormat::Csr, true);
        assert_eq!((csr.lines, csr.indices, csr.values), (vec![0, 2, 2, 3], vec![1, 3 | MINUS, 0], vec![]));
        let coo = of(GpuFormat::Coo, false);
        assert_eq!((coo.lines, coo.indices, coo.values), (vec![0, 0, 2], vec![1, 3, 0], vec![1, 6, 1]));
        let ell = of(GpuFormat::EllR, false);
        assert_eq!((ell.width, ell.lines), (2, vec![2, 0, 1]));
        assert_eq!(ell.indices, [1, NONE, 0, 3, NONE, NONE]);
        assert_eq!(ell.values, [1, 0, 1, 6, 0, 0]);
        let dia = of(GpuFormat::Dia, true);
        assert_eq!(dia.lines.iter().map(|&d| d as i32).collect::<Vec<_>>(), [-2, 1, 3]);
        assert_eq!(dia.indices, [0, 0, 1, 1, 0, 0, 2, 0, 0]);
        let wide: Vec<_> = (0..500).map(|j| (0, j, 1)).collect();
        let skewed = SparseMatrix::from_triplets(p, 500, 500, &wide);
        assert!(
            matches!(GpuFormat::Ell.arrays(&skewed, true), Err(Error::Device(no)) if no.reason == DeviceReason::NoKernel)
        );
        assert!(GpuFormat::Csr.arrays(&skewed, true).is_ok());
    }

    /// Where NVRTC is installed, the kernels compile for every storage, without warnings.
    #[test]
    fn kernels_compile_where_the_compiler_is() {
        for (p, block) in [(2, 64), (251, 32), (65521, 16), (65521, 512), (4294967291, 8), ((1 << 61) - 1, 8)] {
            let shape = GpuShape { modulus: Modulus::new(p).unwrap(), block, degree: 1 };
            for signs in [false, true] {
                let kinds = Kinds { signs, others: !signs };
                let adjoint = super::super::adjoint::compile(shape, kinds, (9, 0));
                for cubin in [compile(shape, kinds, 1000, (9, 0)), adjoint] {
                    match cubin {
                        Ok(cubin) => assert!(!cubin.log.contains("warning"), "p = {p}: {}", cubin.log),
                        Err(Error::Device(no)) if no.reason == DeviceReason::NoCompiler => eprintln!("skipped: {no}"),
                        Err(other) => panic!("p = {p}: {other}"),
                    }
                }
            }
        }
    }
}
