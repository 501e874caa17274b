//! The canonical order basis: the one in shifted Popov form.
//!
//! Source: Jeannerod, Neiger and Villard, *Fast computation of approximant bases in canonical form*, J. Symb. Comput.
//! 98 (2020), section 3.2. Once the pivot degrees d_i of the Popov form are known, the shift -d makes it easy: every
//! basis that is reduced for -d has all its shifted row degrees 0, hence row i of the leading matrix Λ is the
//! coefficients of x^(d_j) in column j, and Λ⁻¹·P is the Popov form for the original shift. Bases in ordered weak Popov
//! form show d_i = δ_i - s_i.

use super::order_basis::OrderBasis;
use super::pm_basis::{Params, pm_basis};
use super::products::compose;
use crate::field::Field;
use crate::poly::PolyMatrix;
use crate::report::Observer;
use crate::{Error, Result};

/// The order basis of `series` at `order` in shifted Popov form: the only one, whatever algorithm finds it.
///
/// Twice the work of [`pm_basis`]. The result's `last_change` is `order` for each row that is not one of the identity.
///
/// # Errors
/// [`Error::Interrupted`] when the observer asks to stop.
pub fn popov<F: Field>(
    field: &F,
    series: &PolyMatrix<F::Elem>,
    order: usize,
    shift: &[i64],
    params: &Params,
    observer: &dyn Observer,
) -> Result<OrderBasis<F::Elem>> {
    let m = series.rows();
    let degrees = pm_basis(field, series, order, shift, params, observer)?.degrees;
    let pivot_degrees: Vec<i64> = degrees.iter().zip(shift).map(|(d, s)| d - s).collect();
    let opposite: Vec<i64> = pivot_degrees.iter().map(|d| -d).collect();
    let reduced = pm_basis(field, series, order, &opposite, params, observer)?;
    if reduced.degrees.iter().any(|&d| d != 0) {
        return Err(Error::Check("the pivot degrees of an order basis are not those of its Popov form".into()));
    }
    let leading = super::order_basis::leading_matrix(&reduced.basis, &opposite, &reduced.degrees);
    let inverse = PolyMatrix::from_coefficients(m, m, inverse_of_lower(field, leading, m));
    let basis = compose(field, &inverse, &reduced.basis)?;
    let last_change = pivot_degrees.iter().map(|_| order).collect();
    Ok(OrderBasis { basis, degrees, order, last_change })
}

/// The inverse of a lower triangular matrix with a non-zero diagonal, as the leading matrix of an ordered weak Popov
/// form is.
fn inverse_of_lower<F: Field>(field: &F, lower: Vec<F::Elem>, m: usize) -> Vec<F::Elem> {
    let mut inverse = vec![field.zero(); m * m];
    for i in 0..m {
        let (done, row) = inverse.split_at_mut(i * m);
        let row = &mut row[..m];
        row[i] = field.one();
        for (j, known) in done.chunks_exact(m).enumerate() {
            field.axpy(row, field.neg(lower[i * m + j]), known);
        }
        let scale = field.inv(lower[i * m + i]);
        row.iter_mut().for_each(|a| *a = field.mul(*a, scale));
    }
    inverse
}
