//! A check of an order basis that does not depend on how it was found.
//!
//! Source for the minimality part: Giorgi and Neiger, *Certification of minimal approximant bases*, ISSAC 2018, theorem 1.2: rows
//! of order σ with det P = c·x^e, c ≠ 0, and with [P(0) | C] of full rank, C the coefficient of x^σ of P·F,
//! generate the whole module.

use super::order_basis::{OrderBasis, leading_matrix, rank, row_degrees};
use crate::field::{Field, Rng};
use crate::poly::{self, PolyMatrix};
use crate::{Error, Result};

/// Checks that `basis` is a minimal order basis of `series` for the shift, in O(m(m + n)σ) operations and m³.
///
/// 1. Its shifted row degrees are those claimed and its leading matrix is invertible: it is reduced (exact).
/// 2. (u·P)·(F·v) ≡ 0 mod x^σ for random u, v. If P·F ≢ 0, one trial misses it with probability at most 2/q.
/// 3. [P(0) | C] has full rank (exact).
/// 4. det P(α) = det P(1)·α^e with e = Σ δ_i - Σ s_i, for random α. If det P ≠ c·x^e, one trial misses it with probability at most
///    e/q: this says something only where the field is larger than e.
///
/// So with q = pᵏ elements a basis whose order is wrong passes with probability at most (2/q)^`trials`, and rows of right order
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
    let mut random = |len: usize| (0..len).map(|_| field.random(rng)).collect::<Vec<_>>();
    for _ in 0..trials {
        let u = PolyMatrix::from_coefficients(1, m, random(m));
        let v = PolyMatrix::from_coefficients(n, 1, random(n));
        let (left, right) = (poly::multiply(field, &u, p), poly::multiply(field, series, &v));
        if poly::middle_product(field, &left, &right, 0, order).data().iter().any(|&a| a != field.zero()) {
            return failed("its product with the series has terms below the order");
        }
    }
    // [P(0) | C], C = Σ_k P_k F_(σ-k).
    let at_order = poly::middle_product(field, p, series, order, 1);
    let mut joined = Vec::with_capacity(m * (m + n));
    for (constant, next) in p.coefficient(0).chunks_exact(m).zip(at_order.data().chunks_exact(n)) {
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
