//! PM-Basis: an order basis by divide and conquer, in O(m² (m + n) M(σ)/σ · σ log σ) operations.
//!
//! Source: Giorgi, Jeannerod and Villard, *On the complexity of polynomial matrix computations*, ISSAC 2003, algorithm
//! PM-Basis. With σ = h + h': P₁ is the order basis of F at order h; the coefficients h … σ-1 of P₁·F (a middle
//! product) are a series R, whose order basis P₂ at order h', for the shifted degrees of P₁ as shift, gives P = P₂·P₁.
//!
//! Invariant: both factors are in ordered weak Popov form for their shifts, hence so is the product. Entry point:
//! [`pm_basis`].

use super::m_basis::{m_basis, word_kernel};
use super::order_basis::OrderBasis;
use super::products::{compose, residual};
use super::trail::Trail;
use crate::Result;
use crate::field::Field;
use crate::poly::PolyMatrix;
use crate::report::Observer;
use std::collections::VecDeque;

/// The thresholds of the σ-basis algorithms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Params {
    /// Orders up to this one go to [`m_basis`]; at least 1.
    pub leaf: usize,
}

impl Params {
    /// Defaults measured on an AMD Zen-5-class processor with `cargo bench --bench sigma_basis -- m n order leaf`: 16
    /// to 64 differ by little where leaves work in vectors of 32-bit residues (p = 65521); 4 is best where they work in
    /// the field's own arithmetic (p = 2⁶¹ - 1: 16 takes half as long again).
    pub fn for_field<F: Field>(field: &F) -> Self {
        Params { leaf: if word_kernel(field).is_some() { 32 } else { 4 } }
    }
}

/// The minimal order basis of `series` (m×n; coefficients beyond its length count as zero) at `order`, for the given
/// shift. Progress is reported in orders.
///
/// # Errors
/// [`Error::Interrupted`](crate::Error::Interrupted) when the observer asks to stop;
/// [`Error::Memory`](crate::Error::Memory).
///
/// # Panics
/// If `shift` has not one entry for each row of the series, or `params.leaf` is 0.
pub fn pm_basis<F: Field>(
    field: &F,
    series: &PolyMatrix<F::Elem>,
    order: usize,
    shift: &[i64],
    params: &Params,
    observer: &dyn Observer,
) -> Result<OrderBasis<F::Elem>> {
    go_on(field, series, (0, order), shift, params, &mut Trail::new(None, VecDeque::new()), observer)
}

/// The same of a series of which so many orders, `start`, are done with: what is finished is left in the `trail`, and
/// found there.
pub(super) fn go_on<F: Field>(
    field: &F,
    series: &PolyMatrix<F::Elem>,
    (start, order): (usize, usize),
    shift: &[i64],
    params: &Params,
    trail: &mut Trail<'_, F>,
    observer: &dyn Observer,
) -> Result<OrderBasis<F::Elem>> {
    assert!(params.leaf > 0, "a leaf takes at least one order");
    observer.check()?;
    if order <= params.leaf {
        let basis = m_basis(field, series, order, shift)?;
        observer.progress((start + order) as u64);
        return Ok(basis);
    }
    let half = order.div_ceil(2);
    let first = match trail.finished(start, half) {
        Some(first) => first,
        None => go_on(field, series, (start, half), shift, params, trail, observer)?,
    };
    trail.push(start, first)?;
    let rest = residual(field, &trail.last().basis, series, half, order - half)?;
    let degrees = trail.last().degrees.clone();
    let second = go_on(field, &rest, (start + half, order - half), &degrees, params, trail, observer)?;
    drop(rest);
    observer.check()?;
    let first = trail.pop();
    let basis = compose(field, &second.basis, &first.basis)?;
    let last_change = later(&first.last_change, &second.last_change, half);
    Ok(OrderBasis { basis, degrees: second.degrees, order, last_change })
}

/// The last changes of rows over two stretches, of which the first one takes `first_order` terms.
pub(super) fn later(first: &[usize], second: &[usize], first_order: usize) -> Vec<usize> {
    first.iter().zip(second).map(|(&a, &b)| if b > 0 { first_order + b } else { a }).collect()
}
