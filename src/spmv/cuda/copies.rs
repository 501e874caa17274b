//! A matrix on several GPUs: copies of it, each for some columns of the blocks, or some of its rows on each.
//!
//! **By columns.** The columns of B·X are those of B times the columns of X: a GPU with the whole matrix makes its
//! columns of every block of a sequence, and none waits for another. What is lost is that narrower rows of a block
//! take more of each byte that is read (see the [roofline](super)).
//!
//! **By rows.** Each GPU has rows of A and rows of Aᵀ, with about the same work, and whole blocks: it makes its rows of
//! a product and writes them to the blocks of the others, too, as it makes them, or, where its kernels do not reach
//! these, others copy them when they are made. A product with n rows of R bytes moves n·R·(g-1)/g bytes to each of g
//! GPUs.
//!
//! [`rows_are_sooner`] says which.

use super::kernels::GpuKernels;
use super::layout::{Kinds, Layout};
use super::locality::Products;
use super::map::Solve;
use super::matrix::GpuMatrix;
use super::shares::{column_shares, row_shares, rows_are_sooner};
use super::source::GpuShape;
use crate::field::Modulus;
use crate::gpu::{Device, Stream};
use crate::parallel::{self, Each};
use crate::sparse::SparseMatrix;
use crate::{DeviceReason, Error, Result};
use rayon::prelude::*;
use std::ops::Range;

/// Words that are copied from one GPU to another to see how long it takes, and how often, after one to warm up.
const COPIED: usize = 4 << 20;
const COPIES: usize = 3;

/// A matrix, or another linear map, with its transpose on one GPU or several, for products with blocks of one shape.
#[derive(Debug)]
pub struct GpuCopies {
    shape: GpuShape,
    parts: Vec<Part>,
    /// Those of the parts.
    devices: Vec<Device>,
}

/// The matrix for some columns of the blocks: on one GPU, or the rows of it on several.
#[derive(Debug)]
struct Part {
    columns: Range<usize>,
    team: Vec<GpuMatrix>,
    /// Whether kernels of each GPU of the team reach the memory of the others.
    open: bool,
}

impl GpuCopies {
    /// Compiles the kernels and copies `a`, in both directions, to each device that gets a column of the blocks; if
    /// there are several and that is sooner, or it does not fit one of them, some of its rows to each; if there is one,
    /// in one direction alone where both do not fit ([`GpuCopies::shares_storage`]). It is for so many products in each
    /// direction ([`GpuMatrix::for_products`]). With `whole`, a product makes two terms of a sequence where each device
    /// has whole blocks, one elsewhere.
    ///
    /// # Errors
    /// As [`GpuMatrix::new`].
    ///
    /// # Panics
    /// As [`GpuMatrix::new`]; if there is no device.
    pub fn new(devices: &[Device], a: &SparseMatrix, shape: GpuShape, products: u64, whole: bool) -> Result<GpuCopies> {
        // Over extensions, rows are copied when they are made: slower than narrow blocks.
        let direct = devices.len() > 1 && shape.degree == 1;
        let (lines, terms) = ([a.rows(), a.cols()], if whole { 2 } else { 1 });
        let sooner = |link| rows_are_sooner(a.nnz(), lines, shape.row_bytes(), devices.len(), terms, link);
        // No link is looked for where none would do.
        if direct && sooner(f64::INFINITY) && link(&devices[0], &devices[1])?.is_some_and(sooner) {
            match Self::by_rows(devices, a, shape, products) {
                Ok(copies) if copies.parts.iter().all(|part| part.open) => return Ok(copies),
                // Whole blocks may not fit where their columns do.
                Err(Error::Device(no)) if no.reason == DeviceReason::NoMemory => {}
                Ok(_) => {}
                Err(other) => return Err(other),
            }
        }
        match Self::in_copies(devices, a, shape, (products, devices.len() == 1)) {
            Err(Error::Device(no)) if no.reason == DeviceReason::NoMemory && devices.len() > 1 => {
                Self::by_rows(devices, a, shape, products)
            }
            done => done,
        }
    }
    /// The whole of `a` on each device that gets a column, for so many products in each direction.
    ///
    /// # Errors
    /// As [`GpuMatrix::new`].
    ///
    /// # Panics
    /// As [`GpuCopies::new`].
    pub fn by_columns(devices: &[Device], a: &SparseMatrix, shape: GpuShape, products: u64) -> Result<GpuCopies> {
        Self::in_copies(devices, a, shape, (products, true))
    }
    fn in_copies(
        devices: &[Device],
        a: &SparseMatrix,
        shape: GpuShape,
        (products, may_share): (u64, bool),
    ) -> Result<GpuCopies> {
        let kinds = Kinds::of(a);
        // Each has about so many columns.
        let row_bytes = shape.row_bytes().div_ceil(devices.len().min(shape.most_gpus()));
        let layouts = || Layout::of_both(a, kinds, shape.pieces(), Products { count: products, row_bytes });
        Self::copied(devices, shape, (a.modulus(), kinds), layouts, may_share)
    }
    /// Rows of `a` and of its transpose on each device, with about the same work, for so many products in each
    /// direction.
    ///
    /// # Errors
    /// As [`GpuMatrix::new`].
    ///
    /// # Panics
    /// As [`GpuCopies::new`].
    pub fn by_rows(devices: &[Device], a: &SparseMatrix, shape: GpuShape, products: u64) -> Result<GpuCopies> {
        assert_eq!(a.modulus(), shape.modulus, "kernels for another modulus");
        let (kinds, speeds) = (Kinds::of(a), speeds(devices));
        let products = Products { count: products, row_bytes: shape.row_bytes() };
        let places: Vec<(&Device, GpuShape)> = devices.iter().map(|device| (device, shape)).collect();
        let (kernels, transposed) = parallel::join(|| GpuKernels::load_each(&places, kinds), || a.transpose());
        let (kernels, transposed) = (kernels?, transposed?);
        let rows_of = |a: &SparseMatrix| {
            let one = |rows: Range<usize>| {
                let (first, part) = (rows.start, a.row_range(rows)?);
                let layout = Layout::of_matrix(&part, || part.transpose(), kinds, shape.pieces(), products)?;
                Ok(layout.at(first, a.rows()))
            };
            row_shares(a.row_starts(), &speeds).into_par_iter().try_make(one)
        };
        let (forward, backward) = parallel::join(|| rows_of(a), || rows_of(&transposed));
        let (forward, backward) = (forward?, backward?);
        drop(transposed);
        let sides = forward.into_par_iter().zip(backward);
        let upload = |(kernels, (forward, backward))| GpuMatrix::upload_maps(kernels, &forward, &backward, false);
        let team = kernels.into_par_iter().zip(sides).try_make(upload)?;
        let mut open = true;
        for one in &team {
            team.iter().for_each(|other| open &= one.stream().open_to(other.stream()));
        }
        Ok(GpuCopies { shape, parts: vec![Part { columns: 0..shape.block, team, open }], devices: devices.to_vec() })
    }
    /// A linear map and its transpose, as triangular solves describe them, on each device that gets a column.
    ///
    /// # Errors
    /// As [`GpuMatrix::new`]; [`Error::Device`] with [`DeviceReason::NoKernel`] for long chains of rows that need each
    /// other.
    ///
    /// # Panics
    /// As [`GpuCopies::new`] and [`TriangularSolve::new`](crate::spmv::TriangularSolve::new).
    pub(crate) fn of_solves(
        devices: &[Device],
        shape: GpuShape,
        forward: &Solve,
        transposed: &Solve,
    ) -> Result<GpuCopies> {
        let kinds = Kinds::of(forward.l).or(Kinds::of(transposed.l));
        let layouts = || {
            let (forward, transposed) = parallel::join(|| forward.layout(kinds), || transposed.layout(kinds));
            Ok((forward?, transposed?))
        };
        Self::copied(devices, shape, (forward.l.modulus(), kinds), layouts, true)
    }
    fn copied(
        devices: &[Device],
        shape: GpuShape,
        (modulus, kinds): (Modulus, Kinds),
        layouts: impl FnOnce() -> Result<(Layout, Layout)> + Send,
        may_share: bool,
    ) -> Result<GpuCopies> {
        assert_eq!(modulus, shape.modulus, "kernels for another modulus");
        let devices = &devices[..devices.len().min(shape.most_gpus())];
        let shares = column_shares(shape, &speeds(devices));
        let places: Vec<(&Device, GpuShape)> =
            shares.iter().map(|(k, columns)| (&devices[*k], GpuShape { block: columns.len(), ..shape })).collect();
        let matrices = GpuMatrix::on_each(&places, kinds, layouts, may_share)?;
        let part = |((_, columns), matrix)| Part { columns, team: vec![matrix], open: true };
        let devices = places.iter().map(|(device, _)| (*device).clone()).collect();
        Ok(GpuCopies { shape, parts: shares.into_iter().zip(matrices).map(part).collect(), devices })
    }

    /// What the first GPU has of it.
    pub(crate) fn first(&self) -> &GpuMatrix {
        &self.parts[0].team[0]
    }
    /// The shape of whole blocks.
    pub fn shape(&self) -> GpuShape {
        self.shape
    }
    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.parts[0].team[0].rows()
    }
    /// Number of columns.
    pub fn cols(&self) -> usize {
        self.parts[0].team[0].cols()
    }
    /// The matrix, where one GPU has it.
    #[cfg(test)]
    pub(crate) fn only(&self) -> &GpuMatrix {
        assert_eq!(self.devices.len(), 1, "a matrix on one GPU");
        &self.parts[0].team[0]
    }
    /// The GPUs that have a part: those for which no column is left have none.
    pub fn devices(&self) -> &[Device] {
        &self.devices
    }
    /// Whether a GPU makes products with the transpose from the storage of the matrix
    /// ([`GpuMatrix::shares_storage`]).
    pub fn shares_storage(&self) -> bool {
        self.parts.iter().flat_map(|part| &part.team).any(GpuMatrix::shares_storage)
    }
    /// Columns of the blocks, elements of GF(pᵏ), in order and all together, and the matrix for these: on one GPU, or
    /// some rows of it on each of several; and whether kernels of these reach each other's memory.
    pub(crate) fn parts(&self) -> impl Iterator<Item = (Range<usize>, &[GpuMatrix], bool)> {
        self.parts.iter().map(|part| (part.columns.clone(), &part.team[..], part.open))
    }
}

/// Bytes a second from one GPU to another; none where kernels of each do not reach the other's memory, or it is full.
fn link(from: &Device, to: &Device) -> Result<Option<f64>> {
    let (from, to) = (Stream::alone(from)?, Stream::alone(to)?);
    if !from.open_to(&to) || !to.open_to(&from) {
        return Ok(None);
    }
    match copied_from(&from, &to) {
        Err(Error::Device(no)) if no.reason == DeviceReason::NoMemory => Ok(None),
        done => done.map(Some),
    }
}
fn copied_from(from: &Stream, to: &Stream) -> Result<f64> {
    let (source, mut target) = (from.zeros::<u32>(COPIED)?, to.zeros::<u32>(COPIED)?);
    to.wait(&from.mark()?)?;
    to.copy_between(&mut target, &source, 0..COPIED)?;
    let begin = to.mark()?;
    for _ in 0..COPIES {
        to.copy_between(&mut target, &source, 0..COPIED)?;
    }
    let end = to.mark()?;
    from.wait(&end)?;
    Ok((COPIES * COPIED * size_of::<u32>()) as f64 / end.seconds_since(&begin)?.max(1e-9))
}

/// How fast devices are, compared with each other.
fn speeds(devices: &[Device]) -> Vec<u64> {
    devices.iter().map(|device| u64::from(device.multiprocessors.max(1))).collect()
}
