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
//! A row is stored as `[coefficients k … σ-1 of the residual | coefficients of P]`, one contiguous strip on which a
//! step acts alike; keeping the residual up to date costs r·n·(σ-k) a row, where computing its one coefficient afresh
//! from P would cost m·n·deg P: more, at all orders a leaf has.

use super::kernel::{FieldKernel, Kernel, Target};
use super::order_basis::OrderBasis;
use super::products::trim;
use super::word_kernel::WordKernel;
use crate::field::Field;
use crate::poly::PolyMatrix;
use crate::{Result, memory};
use rayon::prelude::*;

/// From this many multiply-adds on, a step is worth sharing among threads: about 50 µs of one thread's work.
const PARALLEL_WORK: usize = 1 << 20;
/// What memory is asked for.
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
    /// Elements from one row to the next: n·order of the residual, m·(order + 1) of the basis.
    stride: usize,
    rows: Vec<T>,
    /// How many coefficients of the basis are in use.
    len: usize,
    /// For each row, a bound on its number of coefficients.
    row_len: Vec<usize>,
    degrees: Vec<i64>,
    last_change: Vec<usize>,
    one: T,
    /// Elimination matrix: for each row in order of shifted degree, its residual and the factors of the pivots in it.
    work: Vec<T>,
    /// For each row, in the order of the rows, the factors of the pivots in it.
    factors: Vec<T>,
    panel: Vec<T>,
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
        let stride = n * order + m * (order + 1);
        let mut rows = memory::filled(T::default(), m * stride, BASIS)?;
        let one = kernel.one(field);
        for (i, row) in rows.chunks_exact_mut(stride).enumerate() {
            for k in 0..order.min(series.len()) {
                let from = &series.coefficient(k)[i * n..][..n];
                row[k * n..][..n].iter_mut().zip(from).for_each(|(to, &a)| *to = kernel.load(field, a));
            }
            row[n * order + i] = one;
        }
        Ok(Iteration {
            kernel,
            m,
            n,
            order,
            stride,
            rows,
            len: 1,
            row_len: vec![1; m],
            degrees: shift.to_vec(),
            last_change: vec![0; m],
            one,
            work: memory::filled(T::default(), m * (n + m.min(n)), BASIS)?,
            factors: memory::filled(T::default(), m * m.min(n), BASIS)?,
            panel: memory::with_capacity(m.min(n) * stride, BASIS)?,
            sorted: (0..m).collect(),
        })
    }

    /// Eliminates the residuals of step k; leaves each row's factors in `factors`.
    fn eliminate<F: Field>(&mut self, k: usize) -> Step
    where
        K: Kernel<F, Elem = T>,
    {
        let (m, n, zero) = (self.m, self.n, T::default());
        let most = m.min(n);
        let width = n + most;
        let degrees = &self.degrees;
        self.sorted.sort_unstable_by_key(|&i| (degrees[i], i));
        let mut step = Step { pivots: Vec::with_capacity(most), combined: vec![false; m] };
        for (line, &i) in self.work.chunks_exact_mut(width).zip(&self.sorted) {
            line[..n].copy_from_slice(&self.rows[i * self.stride + k * n..][..n]);
            line[n..].fill(zero);
            if line[..n].iter().any(|&a| a != zero) {
                self.last_change[i] = k + 1;
                step.combined[i] = true;
            }
        }
        for at in 0..m {
            let line = &mut self.work[at * width..][..width];
            let Some(col) = line[..n].iter().position(|&a| a != zero) else { continue };
            line[n + step.pivots.len()] = self.one;
            step.pivots.push(self.sorted[at]);
            step.combined[self.sorted[at]] = false;
            self.kernel.clear_below(&mut self.work, width, at, col);
        }
        let count = step.pivots.len();
        for (line, &i) in self.work.chunks_exact(width).zip(&self.sorted) {
            self.factors[i * count..][..count].copy_from_slice(&line[n..][..count]);
        }
        self.kernel.prepare(&mut self.factors[..m * count]);
        step
    }

    /// Carries step k out on the rows: combinations, then multiplication of the pivots by x.
    fn apply<F: Field>(&mut self, k: usize, step: Step)
    where
        K: Kernel<F, Elem = T>,
    {
        let (n, m, count) = (self.n, self.m, step.pivots.len());
        if count == 0 {
            return;
        }
        // The live part of a row: residuals from k on (from k + 1 on for a row whose residual k has vanished), basis.
        let (from, basis, to) = (k * n, self.order * n, self.order * n + self.len * m);
        self.panel.clear();
        for &i in &step.pivots {
            self.panel.extend_from_slice(&self.rows[i * self.stride..][from..to]);
        }
        let mut targets: Vec<Target<'_, T>> = self
            .rows
            .chunks_exact_mut(self.stride)
            .zip(self.factors.chunks_exact(count))
            .zip(&step.combined)
            .filter(|&(_, &combined)| combined)
            .map(|((row, factors), _)| Target { row: &mut row[from + n..to], factors })
            .collect();
        let live = to - from;
        if targets.len() * count * live >= PARALLEL_WORK && rayon::current_num_threads() > 1 {
            // Four rows share the loads of a panel row.
            targets.par_chunks_mut(4).for_each(|group| self.kernel.combine(group, &self.panel, live));
        } else {
            self.kernel.combine(&mut targets, &self.panel, live);
        }
        let longest = step.pivots.iter().map(|&i| self.row_len[i]).max().unwrap_or(0);
        for (len, _) in self.row_len.iter_mut().zip(&step.combined).filter(|&(_, &combined)| combined) {
            *len = longest.max(*len);
        }
        for (&i, old) in step.pivots.iter().zip(self.panel.chunks_exact(live)) {
            let row = &mut self.rows[i * self.stride..][..self.stride];
            let (residual, polynomial) = old.split_at(basis - from);
            row[from + n..basis].copy_from_slice(&residual[..residual.len() - n]);
            row[basis..basis + m].fill(T::default());
            row[basis + m..][..polynomial.len()].copy_from_slice(polynomial);
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
        for (i, row) in self.rows.chunks_exact(self.stride).enumerate() {
            let polynomial = &row[self.order * self.n..];
            for (k, from) in polynomial.chunks_exact(m).take(self.len).enumerate() {
                let to = &mut basis.coefficient_mut(k)[i * m..][..m];
                to.iter_mut().zip(from).for_each(|(to, &a)| *to = self.kernel.store(field, a));
            }
        }
        trim(&mut basis);
        Ok(OrderBasis { basis, degrees: self.degrees, order: self.order, last_change: self.last_change })
    }
}
