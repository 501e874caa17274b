//! M-Basis: an order basis one order at a time, in O(m n σ² min(m, n)) operations.
//!
//! Source: Beckermann and Labahn, *A uniform approach for the fast computation of matrix-type Padé approximants*, SIAM
//! J. Matrix Anal. Appl. 15 (1994); in the form of Giorgi, Jeannerod and Villard, ISSAC 2003, algorithm M-Basis. Step k
//! takes the constant matrix R = coefficient k of P·F and eliminates it from the rows of small shifted degree to those
//! of large: a row that is not a combination of the rows before it becomes a *pivot* and is multiplied by x; every
//! other row gets the combination of pivots before it that makes its residual vanish.
//!
//! Invariant: after step k, P is an order basis of order k + 1 in ordered weak Popov form (see [`OrderBasis`]): rows
//! are ordered by (shifted degree, index), so that a combination never reaches a row's pivot entry.
//!
//! A row is stored with the coefficients k … σ-1 of its residual, on which a step acts alike; keeping the residual up
//! to date costs r·n·(σ-k) a row, where computing its one coefficient afresh from P would cost m·n·deg P: more, at all
//! orders a leaf has. Multiplication by x moves nothing: it changes where a row's coefficient 0 is said to lie.
//!
//! The combinations of a step are shared among threads, pieces of rows; the elimination is not.

use super::kernel::{FieldKernel, Kernel, Target};
use super::order_basis::OrderBasis;
use super::products::trim;
use super::word_kernel::WordKernel;
use crate::field::Field;
use crate::parallel::Each;
use crate::poly::PolyMatrix;
use crate::{Result, memory};
use rayon::prelude::*;

/// From this many multiply-adds on, a step is worth sharing among threads: about 20 µs of one thread's work in vectors.
const PARALLEL_WORK: usize = 1 << 18;
/// Elements of a row that are combined by one task, with those of three other rows beside them that share the loads of
/// the pivots.
const PIECE: usize = 256;
/// Elements that one task loads or stores, or more.
const COPIED: usize = 1 << 13;
/// What the memory is for.
const BASIS: &str = "an order basis";

/// The minimal order basis of `series` (m×n; coefficients beyond its length count as zero) at `order`, for the given
/// shift.
///
/// Quadratic in the order: [`pm_basis`](super::pm_basis) is the way to large ones.
///
/// # Errors
/// [`Error::Memory`](crate::Error::Memory).
///
/// # Panics
/// If `shift` has not one entry for each row of the series.
pub fn m_basis<F: Field>(
    field: &F,
    series: &PolyMatrix<F::Elem>,
    order: usize,
    shift: &[i64],
) -> Result<OrderBasis<F::Elem>> {
    match word_kernel(field) {
        Some(kernel) => iterate(field, &kernel, series, order, shift),
        None => iterate(field, &FieldKernel(field), series, order, shift),
    }
}

/// The vector kernel, for the fields that have it.
pub(super) fn word_kernel<F: Field>(field: &F) -> Option<WordKernel> {
    if field.degree() == 1 { WordKernel::new(field.modulus()) } else { None }
}

/// The iteration over a given kernel.
fn iterate<F: Field, K: Kernel<F>>(
    field: &F,
    kernel: &K,
    series: &PolyMatrix<F::Elem>,
    order: usize,
    shift: &[i64],
) -> Result<OrderBasis<F::Elem>> {
    let mut state = Iteration::new(field, kernel, series, order, shift)?;
    for k in 0..order {
        let step = state.eliminate(k);
        state.apply(k, step);
    }
    state.finish(field)
}

/// What elimination found out about one step.
#[derive(Default)]
struct Step {
    /// The rows that become pivots, in the order of elimination.
    pivots: Vec<usize>,
    /// For each row, whether it changes without being a pivot.
    combined: Vec<bool>,
}

struct Iteration<'a, K, T> {
    kernel: &'a K,
    m: usize,
    n: usize,
    order: usize,
    /// Elements from one row to the next: n·order of the residual, m·(2·order + 1) of the basis.
    stride: usize,
    rows: Vec<T>,
    /// For each row, how often it was multiplied by x: see [`Iteration::residual`] and [`Iteration::basis`].
    shifts: Vec<usize>,
    /// How many coefficients of the basis are in use.
    len: usize,
    /// For each row, a bound on its number of coefficients.
    row_len: Vec<usize>,
    degrees: Vec<i64>,
    last_change: Vec<usize>,
    /// Elimination matrix: for each row in order of shifted degree, its residual and the factors of the pivots in it.
    work: Vec<T>,
    /// For each row, in the order of the rows, the factors of the pivots in it.
    factors: Vec<T>,
    sorted: Vec<usize>,
}

impl<'a, K, T: Copy + Default + Eq + Send + Sync> Iteration<'a, K, T> {
    fn new<F: Field>(
        field: &F,
        kernel: &'a K,
        series: &PolyMatrix<F::Elem>,
        order: usize,
        shift: &[i64],
    ) -> Result<Self>
    where
        K: Kernel<F, Elem = T>,
    {
        let (m, n) = (series.rows(), series.cols());
        assert_eq!(shift.len(), m, "one shift for each row of the series");
        let stride = n * order + m * (2 * order + 1);
        let mut rows = memory::filled(T::default(), m * stride, BASIS)?;
        let one = kernel.one(field);
        rows.par_chunks_exact_mut(stride).with_min_len(together(n * order)).enumerate().each(|(i, row)| {
            for k in 0..order.min(series.len()) {
                let from = &series.coefficient(k)[i * n..][..n];
                row[k * n..][..n].iter_mut().zip(from).for_each(|(to, &a)| *to = kernel.load(field, a));
            }
            row[n * order + m * order + i] = one;
        });
        Ok(Iteration {
            kernel,
            m,
            n,
            order,
            stride,
            rows,
            shifts: vec![0; m],
            len: 1,
            row_len: vec![1; m],
            degrees: shift.to_vec(),
            last_change: vec![0; m],
            work: memory::filled(T::default(), m * (n + m.min(n)), BASIS)?,
            factors: memory::filled(T::default(), m * m.min(n), BASIS)?,
            sorted: (0..m).collect(),
        })
    }

    /// Where coefficient c of the residual of row i begins in the row, c at least as large as the next step's number.
    fn residual(&self, i: usize, c: usize) -> usize {
        // A row is multiplied by x at most once a step, so that this is not negative.
        (c - self.shifts[i]) * self.n
    }

    /// Where coefficient 0 of row i of the basis begins in the row. What lies before it is zero.
    fn basis(&self, i: usize) -> usize {
        self.order * self.n + (self.order - self.shifts[i]) * self.m
    }

    /// Eliminates the residuals of step k; leaves each row's factors in `factors`.
    fn eliminate<F: Field>(&mut self, k: usize) -> Step
    where
        K: Kernel<F, Elem = T>,
    {
        let (m, n, zero) = (self.m, self.n, T::default());
        let width = n + m.min(n);
        let degrees = &self.degrees;
        self.sorted.sort_unstable_by_key(|&i| (degrees[i], i));
        let mut combined = vec![false; m];
        for at in 0..m {
            let i = self.sorted[at];
            let from = i * self.stride + self.residual(i, k);
            let line = &mut self.work[at * width..][..width];
            line[..n].copy_from_slice(&self.rows[from..][..n]);
            line[n..].fill(zero);
            if line[..n].iter().any(|&a| a != zero) {
                self.last_change[i] = k + 1;
                combined[i] = true;
            }
        }
        let pivots = self.kernel.eliminate(&mut self.work, width, n);
        let pivots: Vec<usize> = pivots.into_iter().map(|at| self.sorted[at]).collect();
        pivots.iter().for_each(|&i| combined[i] = false);
        let count = pivots.len();
        for (line, &i) in self.work.chunks_exact(width).zip(&self.sorted) {
            self.factors[i * count..][..count].copy_from_slice(&line[n..][..count]);
        }
        self.kernel.prepare(&mut self.factors[..m * count]);
        Step { pivots, combined }
    }

    /// Carries step k out on the rows: combinations, then multiplication of the pivots by x.
    fn apply<F: Field>(&mut self, k: usize, step: Step)
    where
        K: Kernel<F, Elem = T>,
    {
        let (n, count) = (self.n, step.pivots.len());
        if count == 0 {
            return;
        }
        // The live parts of a row: residuals from k + 1 on, and the basis. A combination's residual k has vanished, and
        // a pivot's becomes a residual k + 1.
        let lengths = [(self.order - k - 1) * n, self.len * self.m];
        let starts = |i: usize| [self.residual(i, k + 1), self.basis(i)];
        let parts: Vec<[usize; 2]> = (0..self.m).map(starts).collect();
        let mut panel = vec![&[][..]; count];
        let mut targets = Vec::with_capacity(self.m);
        let factors = self.factors.chunks_exact(count);
        for (i, (row, factors)) in self.rows.chunks_exact_mut(self.stride).zip(factors).enumerate() {
            if step.combined[i] {
                targets.push((row, factors, parts[i]));
            } else if let Some(at) = step.pivots.iter().position(|&pivot| pivot == i) {
                panel[at] = &*row;
            }
        }
        let work = targets.len() * count * (lengths[0] + lengths[1]);
        let starts: Vec<[usize; 2]> = step.pivots.iter().map(|&i| parts[i]).collect();
        let mut pieces = pieces(&panel, &starts, targets, lengths);
        let kernel = self.kernel;
        if work >= PARALLEL_WORK && rayon::current_num_threads() > 1 {
            // Four rows share the loads of a panel row.
            let tasks =
                pieces.par_iter_mut().flat_map(|(panel, rows)| rows.par_chunks_mut(4).map(|four| (&*panel, four)));
            tasks.for_each(|(panel, four)| kernel.combine(four, panel));
        } else {
            pieces.iter_mut().for_each(|(panel, rows)| kernel.combine(rows, panel));
        }
        let longest = step.pivots.iter().map(|&i| self.row_len[i]).max().unwrap_or(0);
        for (len, _) in self.row_len.iter_mut().zip(&step.combined).filter(|&(_, &combined)| combined) {
            *len = longest.max(*len);
        }
        for &i in &step.pivots {
            self.shifts[i] += 1;
            self.row_len[i] += 1;
            self.degrees[i] += 1;
        }
        self.len = self.row_len.iter().copied().max().unwrap_or(1);
    }

    fn finish<F: Field>(self, field: &F) -> Result<OrderBasis<F::Elem>>
    where
        K: Kernel<F, Elem = T>,
    {
        let m = self.m;
        let mut basis = PolyMatrix::zeros(m, m, self.len)?;
        let coefficients = basis.data_mut().par_chunks_exact_mut((m * m).max(1)).with_min_len(together(m * m));
        coefficients.enumerate().each(|(k, coefficient)| {
            for (i, to) in coefficient.chunks_exact_mut(m).enumerate() {
                let from = &self.rows[i * self.stride + self.basis(i) + k * m..][..m];
                to.iter_mut().zip(from).for_each(|(to, &a)| *to = self.kernel.store(field, a));
            }
        });
        trim(&mut basis);
        Ok(OrderBasis { basis, degrees: self.degrees, order: self.order, last_change: self.last_change })
    }
}

/// How many lists of so many elements one task loads or stores.
fn together(elements: usize) -> usize {
    COPIED.div_ceil(elements.max(1))
}

/// A piece of every row of the panel, and the same piece of the targets.
type Piece<'a, T> = (Vec<&'a [T]>, Vec<Target<'a, T>>);

/// The live parts of the rows, cut alike: those of the panel begin at `starts`, those of the targets at the last of
/// what is given of each, and all have these lengths.
fn pieces<'a, T>(
    panel: &[&'a [T]],
    starts: &[[usize; 2]],
    targets: Vec<(&'a mut [T], &'a [T], [usize; 2])>,
    lengths: [usize; 2],
) -> Vec<Piece<'a, T>> {
    let mut pieces: Vec<Piece<'a, T>> = Vec::new();
    for (part, length) in lengths.into_iter().enumerate() {
        for at in (0..length).step_by(PIECE) {
            let size = PIECE.min(length - at);
            let rows = panel.iter().zip(starts).map(|(row, starts)| &row[starts[part] + at..][..size]);
            pieces.push((rows.collect(), Vec::with_capacity(targets.len())));
        }
    }
    for (row, factors, starts) in targets {
        // The residual stands before the basis.
        let (residual, basis) = row.split_at_mut(starts[1]);
        let residual = residual[starts[0]..][..lengths[0]].chunks_mut(PIECE);
        let cut = residual.chain(basis[..lengths[1]].chunks_mut(PIECE));
        for (row, (_, targets)) in cut.zip(&mut pieces) {
            targets.push(Target { row, factors });
        }
    }
    pieces
}
