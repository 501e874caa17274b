//! Order bases mod p < 2³¹ on a CUDA GPU: PM-Basis driven from the processor, the same bits as [`pm_basis`].
//!
//! Series and bases of the recursion stay on the GPU. Products are those of `poly/cuda`; a leaf is M-Basis by one
//! thread block in shared memory, which leaves degrees and last changes there for the next leaf: leaves follow each
//! other from the first order to the last. Only the degrees come back after each, since the lengths of products depend
//! on them: no row of a basis is longer than max δ - min s + 1.
//!
//! Two kernels: `kernels/pairs.cu` for p < 2¹⁶, at most 64 columns and compute capability 8.0 or more (pivots guessed
//! two at a time, rows combined by tensor cores), `kernels/basis.cu` otherwise.
//!
//! The basis is unique: its pivots are the rows that are no combinations of those before them, and these are
//! independent, so that the factors are determined whatever the elimination.
//!
//! **Roofline.** A step of a leaf of m = 2n rows takes n dependent updates of an m × n matrix, n/2 where pivots go two
//! at a time, and n²·(n·h/2 + m·h/4) multiply-adds on one multiprocessor for leaves of order h, by tensor cores beside
//! the next step's elimination; everything else is products.
//!
//! [`pm_basis`]: super::pm_basis::pm_basis

mod resident;
mod source;

pub(super) use resident::Resident;

use super::order_basis::OrderBasis;
use super::products::trim;
use crate::Result;
use crate::field::{Field, Modulus};
use crate::gpu::{Buffer, Device, Grid, In, Kernel, Out, Stream};
use crate::parallel;
use crate::poly::{GpuPart, GpuPoly, GpuPolys, PolyMatrix};
use crate::report::Observer;
use crate::{DeviceReason, Error};
use source::Form;

/// basis, degrees, changes, series, offset, given, inverses, order, before.
type LeafKernel = (Out<u32>, Out<u64>, Out<u32>, In<u32>, u64, u32, In<u32>, u32, u32);

/// Order bases of m×n series mod p < 2³¹ on one GPU: kernels, and the stream of all work with them.
#[derive(Debug)]
pub struct GpuBases {
    polys: GpuPolys,
    form: Form,
    /// Orders up to this one are a launch.
    order: usize,
    leaf: Kernel<LeafKernel>,
    /// 1/a mod p for a ≤ p/2, where residues are two digits.
    inverses: Buffer<u32>,
}

/// An order basis of which the matrix is on a GPU: see [`OrderBasis`]. There may be trailing zero coefficients.
#[derive(Debug)]
pub struct GpuBasis {
    /// The m×m matrix P.
    pub basis: GpuPoly,
    /// The shifted row degrees.
    pub degrees: Vec<i64>,
    /// How many leading terms it took to know each row.
    pub last_change: Vec<usize>,
}

/// Where the recursion is.
struct Run<'a> {
    degrees: Buffer<u64>,
    changes: Buffer<u32>,
    /// The degrees on the processor.
    known: Vec<u64>,
    observer: &'a dyn Observer,
}

impl Run<'_> {
    fn least(&self) -> u64 {
        self.known.iter().copied().min().unwrap_or(0)
    }
    /// Coefficients of a basis of this order for a shift whose least entry this is: no row of degree δ is longer.
    fn length(&self, order: usize, least: u64) -> usize {
        let most = self.known.iter().copied().max().unwrap_or(0);
        usize::try_from(most - least).unwrap_or(usize::MAX).min(order) + 1
    }
}

impl GpuBases {
    /// Whether there are kernels for series of `rows` × `cols` matrices on a device of compute capability 9.0, for
    /// plans that know of none.
    pub(crate) fn has_kernels(modulus: Modulus, rows: usize, cols: usize) -> bool {
        rows * cols > 0 && Form { modulus, rows, cols, capability: (9, 0) }.largest().is_ok()
    }
    /// Opens the device, and compiles and loads the kernels, for series of `rows` × `cols` matrices.
    ///
    /// # Errors
    /// [`Error::Device`]; with [`DeviceReason::NoKernel`] for p ≥ 2³¹, and for matrices too large for the memory of a
    /// thread block.
    pub fn open(device: &Device, modulus: Modulus, rows: usize, cols: usize) -> Result<GpuBases> {
        Self::on(Stream::alone(device)?, device.compute_capability, modulus, rows, cols)
    }
    /// The same beside the work of a stream of a device of this compute capability, before which it goes.
    ///
    /// # Errors
    /// As [`GpuBases::open`].
    pub fn beside(
        stream: &Stream,
        capability: (u32, u32),
        modulus: Modulus,
        rows: usize,
        cols: usize,
    ) -> Result<GpuBases> {
        Self::on(stream.beside()?, capability, modulus, rows, cols)
    }
    fn on(stream: Stream, capability: (u32, u32), modulus: Modulus, rows: usize, cols: usize) -> Result<GpuBases> {
        if rows * cols == 0 {
            return Err(Error::device(DeviceReason::NoKernel, "order bases of empty matrices need no GPU"));
        }
        let form = Form { modulus, rows, cols, capability };
        let order = form.largest()?;
        let (leaf, polys) = parallel::join(|| form.leaf(order), || GpuPolys::on(stream.clone(), capability, modulus));
        let leaf = stream.load(&leaf?)?.kernel_with_shared("leaf", form.shared(order) as u32)?;
        Ok(GpuBases { polys: polys?, form, order, leaf, inverses: stream.upload(&form.inverses())? })
    }
    /// The stream of all work.
    pub fn stream(&self) -> &Stream {
        self.polys.stream()
    }
    /// The modulus p.
    pub fn modulus(&self) -> Modulus {
        self.form.modulus
    }
    /// Rows and columns of the series.
    pub fn shape(&self) -> (usize, usize) {
        (self.form.rows, self.form.cols)
    }

    /// The minimal order basis of `series` (m×n; coefficients beyond its length count as zero) at `order`, for the
    /// given shift: that of [`pm_basis`](super::pm_basis::pm_basis), bit for bit.
    ///
    /// # Errors
    /// [`Error::Interrupted`] when the observer asks to stop; [`Error::Device`], [`Error::Memory`].
    ///
    /// # Panics
    /// If the field is not GF(p), or series and shift have not the shape that the kernels are for.
    pub fn pm_basis<F: Field>(
        &mut self,
        field: &F,
        series: &PolyMatrix<F::Elem>,
        order: usize,
        shift: &[i64],
        observer: &dyn Observer,
    ) -> Result<OrderBasis<F::Elem>> {
        assert_eq!((series.rows(), series.cols()), self.shape(), "a series of another shape");
        let given = self.polys.upload(field, series, 0..series.len().min(order))?;
        let found = self.basis_of(&given, order, shift, observer)?;
        self.polys.recycle(given);
        let mut basis = self.polys.download(field, &found.basis)?;
        self.polys.recycle(found.basis);
        trim(&mut basis);
        Ok(OrderBasis { basis, degrees: found.degrees, order, last_change: found.last_change })
    }

    /// The same of a series on the GPU, left there.
    ///
    /// # Errors
    /// [`Error::Interrupted`], [`Error::Device`].
    ///
    /// # Panics
    /// As [`GpuBases::pm_basis`].
    pub fn basis_of(
        &mut self,
        series: &GpuPoly,
        order: usize,
        shift: &[i64],
        observer: &dyn Observer,
    ) -> Result<GpuBasis> {
        let (m, _) = self.shape();
        assert_eq!(((series.rows(), series.cols()), shift.len()), (self.shape(), m), "a series of another shape");
        let base = shift.iter().copied().min().unwrap_or(0);
        let known: Vec<u64> = shift.iter().map(|&s| s.wrapping_sub(base) as u64).collect();
        let stream = self.polys.stream();
        let degrees = stream.upload(&known)?;
        let mut run = Run { degrees, changes: stream.zeros(m)?, known, observer };
        let basis = self.recurse(&mut run, series, 0..series.len().min(order), order, 0)?;
        let changes = self.polys.stream().download(&run.changes)?;
        Ok(GpuBasis {
            basis,
            degrees: run.known.iter().map(|&d| base.wrapping_add(d as i64)).collect(),
            last_change: changes.into_iter().map(|change| change as usize).collect(),
        })
    }
    /// Arithmetic of polynomial matrices beside it.
    pub fn polys(&mut self) -> &mut GpuPolys {
        &mut self.polys
    }

    /// The basis of some coefficients of a series, `before` orders after the first leaf's begin.
    fn recurse(
        &mut self,
        run: &mut Run<'_>,
        series: &GpuPoly,
        coefficients: std::ops::Range<usize>,
        order: usize,
        before: usize,
    ) -> Result<GpuPoly> {
        run.observer.check()?;
        let least = run.least();
        if order <= self.order {
            return self.leaf(run, series.part(coefficients), order, before);
        }
        let (begin, given) = (coefficients.start, coefficients.len().min(order));
        let half = order.div_ceil(2);
        let first = self.recurse(run, series, begin..begin + given.min(half), half, before)?;
        let unused = (half + 1).saturating_sub(first.len()).min(given);
        let used = series.part(begin + unused..begin + given);
        let rest = self.polys.product(first.all(), used, half - unused, order - half)?;
        let second = self.recurse(run, &rest, 0..order - half, order - half, before + half)?;
        self.polys.recycle(rest);
        let len = run.length(order, least).min(second.len() + first.len() - 1);
        let basis = self.polys.product(second.all(), first.all(), 0, len)?;
        self.polys.recycle(first);
        self.polys.recycle(second);
        Ok(basis)
    }

    fn leaf(&mut self, run: &mut Run<'_>, series: GpuPart<'_>, order: usize, before: usize) -> Result<GpuPoly> {
        let (m, least) = (self.form.rows, run.least());
        let mut basis = self.polys.uninitialised(m, m, order + 1)?;
        let (words, offset, given) = series.raw();
        self.polys.stream().enqueue(
            &self.leaf,
            Grid { blocks: (1, 1), threads: self.form.threads() },
            (
                basis.words_mut(),
                &mut run.degrees,
                &mut run.changes,
                words,
                offset,
                given as u32,
                &self.inverses,
                order as u32,
                before as u32,
            ),
        )?;
        run.known = self.polys.stream().download(&run.degrees)?;
        basis.truncate(run.length(order, least));
        Ok(basis)
    }
}

#[cfg(test)]
mod tests;
