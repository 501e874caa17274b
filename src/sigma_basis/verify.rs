//! A check of an order basis that does not depend on how it was found.
//!
//! Source for the minimality part: Giorgi and Neiger, *Certification of minimal approximant bases*, ISSAC 2018, theorem
//! 1.2: rows of order σ with det P = c·x^e, c ≠ 0, and with [P(0) | C] of full rank, C the coefficient of x^σ of P·F,
//! generate the whole module.

use super::order_basis::{OrderBasis, leading_matrix, rank, row_degrees};
use super::residuals::first_residual;
use crate::field::{Field, Rng};
use crate::poly::PolyMatrix;
use crate::report::ErrorBound;
use crate::{Error, Result};

/// A basis of wrong order passes with at most this probability.
const MISSED: ErrorBound = ErrorBound::of_bits(32);

/// Checks that `basis` is a minimal order basis of `series` for the shift, in O(m(m + n)σ) operations of an extension
/// of the field and m³.
///
/// 1. Its shifted row degrees are those claimed and its leading matrix is invertible: it is reduced (exact).
/// 2. P·F ≡ 0 mod x^σ, by its value at a random point of an extension of the field and a random column (the module
///    `residuals`). If P·F ≢ 0, this misses it with probability at most 2⁻³².
/// 3. [P(0) | C] has full rank (exact).
/// 4. det P(α) = det P(1)·α^e with e = Σ δ_i - Σ s_i, for random α. If det P ≠ c·x^e, one trial misses it with
///    probability at most e/q: this says something only where the field is larger than e.
///
/// So with q = pᵏ elements a basis whose order is wrong passes with probability at most 2⁻³², and rows of right order
/// that generate too little pass with probability at most (e/q)^`trials`.
///
/// # Errors
/// [`Error::Check`] with what failed.
///
/// # Panics
/// If the shapes do not fit.
pub fn verify<F: Field>(
    field: &F,
    series: &PolyMatrix<F::Elem>,
    shift: &[i64],
    basis: &OrderBasis<F::Elem>,
    trials: usize,
    rng: &mut Rng,
) -> Result<()> {
    let (m, n, order, p) = (series.rows(), series.cols(), basis.order, &basis.basis);
    assert!(p.rows() == m && p.cols() == m && shift.len() == m, "an order basis of {m} rows is {m} x {m}");
    let failed = |what: &str| Err(Error::Check(format!("order basis of order {order}: {what}")));

    let claimed = basis.degrees.iter().map(|&d| Some(d));
    if !claimed.eq(row_degrees(p, shift)) {
        return failed("the row degrees are not those claimed");
    }
    if rank(field, leading_matrix(p, shift, &basis.degrees), m) != m {
        return failed("it is not reduced");
    }
    if first_residual(field, p, series, &vec![(0, order); m], MISSED, rng).is_some() {
        return failed("its product with the series has terms below the order");
    }
    // [P(0) | C], C = Σ_k P_k F_(σ-k).
    let mut at_order = vec![field.zero(); m * n];
    for k in (0..p.len().min(order + 1)).filter(|&k| order - k < series.len()) {
        for (out, row) in at_order.chunks_exact_mut(n).zip(p.coefficient(k).chunks_exact(m)) {
            row.iter().zip(series.coefficient(order - k).chunks_exact(n)).for_each(|(&a, f)| field.axpy(out, a, f));
        }
    }
    let mut joined = Vec::with_capacity(m * (m + n));
    for (constant, next) in p.coefficient(0).chunks_exact(m).zip(at_order.chunks_exact(n)) {
        joined.extend_from_slice(constant);
        joined.extend_from_slice(next);
    }
    if rank(field, joined, m + n) != m {
        return failed("it lacks a row of the module: P(0) and the next residual are dependent");
    }
    let e = basis.codimension(shift) as u64;
    let at_one = determinant(field, value(field, p, field.one()), m);
    for _ in 0..trials {
        let alpha = field.random(rng);
        if determinant(field, value(field, p, alpha), m) != field.mul(at_one, power(field, alpha, e)) {
            return failed("its determinant is not a power of x");
        }
    }
    if at_one == field.zero() { failed("its determinant vanishes at 1") } else { Ok(()) }
}

/// P(α), row-major.
fn value<F: Field>(field: &F, matrix: &PolyMatrix<F::Elem>, alpha: F::Elem) -> Vec<F::Elem> {
    let mut sum = vec![field.zero(); matrix.rows() * matrix.cols()];
    for k in (0..matrix.len()).rev() {
        for (s, &a) in sum.iter_mut().zip(matrix.coefficient(k)) {
            *s = field.add(field.mul(*s, alpha), a);
        }
    }
    sum
}

/// aᵉ.
fn power<F: Field>(field: &F, a: F::Elem, mut e: u64) -> F::Elem {
    let (mut base, mut power) = (a, field.one());
    while e > 0 {
        if e & 1 == 1 {
            power = field.mul(power, base);
        }
        base = field.mul(base, base);
        e >>= 1;
    }
    power
}

/// The determinant of a row-major m×m matrix.
fn determinant<F: Field>(field: &F, mut a: Vec<F::Elem>, m: usize) -> F::Elem {
    let mut det = field.one();
    for c in 0..m {
        let Some(at) = (c..m).find(|&i| a[i * m + c] != field.zero()) else { return field.zero() };
        if at != c {
            (0..m).for_each(|j| a.swap(at * m + j, c * m + j));
            det = field.neg(det);
        }
        let (above, below) = a.split_at_mut((c + 1) * m);
        let pivot = &above[c * m..];
        det = field.mul(det, pivot[c]);
        let factor = field.neg(field.inv(pivot[c]));
        for row in below.chunks_exact_mut(m) {
            field.axpy(row, field.mul(row[c], factor), pivot);
        }
    }
    det
}
