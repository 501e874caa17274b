//! The two products of the divide-and-conquer step, cut to the lengths at which transforms are cheapest.
//!
//! Generic degrees make the sizes fall just wrong. With σ = 2h and an m×n series, m = 2n, the basis P₁ of the first
//! half has degree h/2:
//! - *Residual*: the coefficients h … 2h-1 of P₁·F need only those of F from h/2 on, 3h/2 of them, and a cyclic product
//!   of 3h/2 points.
//! - *Basis*: P₂·P₁ has h + 1 coefficients. A cyclic product of h points adds the last one onto the first; both are
//!   computed apart, as products of two constant matrices.

use crate::Result;
use crate::field::Field;
use crate::poly::{self, PolyMatrix, ProductPlan, ProductShape};

/// From this many coefficients of each factor on, the ends of a product are worth two products of constant matrices.
const SEPARATE_ENDS: usize = 16;

/// The coefficients `from .. from + count` of `basis`·`series`.
pub(super) fn residual<F: Field>(
    field: &F,
    basis: &PolyMatrix<F::Elem>,
    series: &PolyMatrix<F::Elem>,
    from: usize,
    count: usize,
) -> Result<PolyMatrix<F::Elem>> {
    let unused = (from + 1).saturating_sub(basis.len()).min(series.len());
    let used = series.part(unused..series.len().min(from + count).max(unused));
    let mut product = PolyMatrix::zeros(basis.rows(), series.cols(), count)?;
    poly::write_middle_product(field, basis.all(), used, from - unused, product.data_mut())?;
    Ok(product)
}

/// The same without floating point: exact, whatever happens.
pub(super) fn residual_without_rounding<F: Field>(
    field: &F,
    basis: &PolyMatrix<F::Elem>,
    series: &PolyMatrix<F::Elem>,
    from: usize,
    count: usize,
) -> Result<PolyMatrix<F::Elem>> {
    let shape = ProductShape::of(basis, series, from, count);
    ProductPlan::new(field, shape).without_rounding().execute(field, basis, series)
}

/// `second`·`first`, both without trailing zero coefficients, the result likewise.
pub(super) fn compose<F: Field>(
    field: &F,
    second: &PolyMatrix<F::Elem>,
    first: &PolyMatrix<F::Elem>,
) -> Result<PolyMatrix<F::Elem>> {
    if second.len().min(first.len()) < SEPARATE_ENDS {
        let mut product = poly::multiply(field, second, first)?;
        trim(&mut product);
        return Ok(product);
    }
    let last = second.len() + first.len() - 2;
    let mut product = PolyMatrix::zeros(second.rows(), first.cols(), last + 1)?;
    let constant = |a: usize, b: usize, out: &mut [F::Elem]| {
        poly::write_middle_product(field, second.part(a..a + 1), first.part(b..b + 1), 0, out)
    };
    constant(0, 0, product.coefficient_mut(0))?;
    constant(second.len() - 1, first.len() - 1, product.coefficient_mut(last))?;
    let size = second.rows() * first.cols();
    let between = &mut product.data_mut()[size..last * size];
    poly::write_middle_product(field, second.all(), first.all(), 1, between)?;
    trim(&mut product);
    Ok(product)
}

/// Drops trailing zero coefficients, down to one.
pub(super) fn trim<E: Copy + Default + Eq>(matrix: &mut PolyMatrix<E>) {
    let is_zero = |k: usize| matrix.coefficient(k).iter().all(|&a| a == E::default());
    let len = (1..matrix.len()).rev().find(|&k| !is_zero(k)).map_or(1, |k| k + 1);
    matrix.truncate(len);
}

#[cfg(test)]
mod tests {
    use super::super::tests::{prime, series};
    use super::*;
    use crate::field::Rng;
    use rand::{RngExt, SeedableRng};

    #[test]
    fn they_are_the_plain_products() {
        let (field, mut rng) = (prime(65521), Rng::seed_from_u64(4));
        for _ in 0..60 {
            let (a_len, b_len) = (rng.random_range(1..60), rng.random_range(1..60));
            let (a, b) = (series(&field, &mut rng, 3, 3, a_len), series(&field, &mut rng, 3, 2, b_len));
            let mut plain = poly::multiply(&field, &a, &b).unwrap();
            trim(&mut plain);
            assert_eq!(compose(&field, &a, &b).unwrap(), plain);
            let (from, count) = (rng.random_range(0..130), rng.random_range(1..40));
            plain.resize(from + count).unwrap();
            let expected = plain.slice(from, from + count).unwrap();
            assert_eq!(residual_without_rounding(&field, &a, &b, from, count).unwrap(), expected);
            assert_eq!(residual(&field, &a, &b, from, count).unwrap(), expected);
        }
    }
}
