//! Products of polynomial matrices, each by the way that shows its price most.

use super::search::Search;
use crate::cost::Poly;
use crate::field::{Field, Modulus, PrimeField, Rng};
use crate::poly::{Method, PolyMatrix, ProductPlan, ProductShape};
use crate::{Error, Result};
use rand::SeedableRng;

/// A way to a product, whatever its size.
type Way = fn(&Method) -> bool;

const SCHOOLBOOK: Way = |method| matches!(method, Method::Schoolbook);
const TRANSFORM: Way = |method| matches!(method, Method::Transform { .. });
const FOURIER: Way = |method| matches!(method, Method::Fourier { .. });

/// Price, modulus, way; rows, inner dimension, columns and length of the factors. Most are products as PM-Basis makes
/// them: smaller ones take what a call costs. Moving and transforming entries are told from each other by short
/// polynomials and long ones; testing entries is not, and keeps its price.
const PRODUCTS: [(&str, u64, Way, [usize; 4]); 7] = [
    ("poly.multiply_add", 65521, SCHOOLBOOK, [32, 32, 32, 16]),
    ("poly.movement", 65521, TRANSFORM, [64, 4, 64, 16]),
    ("poly.field_multiply_add", (1 << 61) - 1, SCHOOLBOOK, [16, 16, 16, 8]),
    ("poly.butterfly", 65521, TRANSFORM, [32, 16, 16, 2048]),
    ("poly.fourier_multiply_add", 251, FOURIER, [64, 64, 32, 16]),
    ("poly.fourier_butterfly", 251, FOURIER, [16, 16, 16, 2048]),
    ("poly.fourier_movement", 251, FOURIER, [64, 4, 64, 16]),
];

pub(super) fn time(search: &mut Search) -> Result<()> {
    let mut rng = Rng::seed_from_u64(4);
    for (price, p, way, [rows, inner, cols, len]) in PRODUCTS {
        let len = search.effort.pick(len.min(16), len);
        let field = PrimeField(Modulus::new(p)?);
        let mut random = |rows: usize, cols: usize| {
            PolyMatrix::from_coefficients(rows, cols, (0..rows * cols * len).map(|_| field.random(&mut rng)).collect())
        };
        let (a, b) = (random(rows, inner), random(inner, cols));
        let shape = ProductShape::of(&a, &b, 0, 2 * len - 1);
        let plan = ProductPlan::at(&Poly::default(), &field, shape);
        // Without floating-point transforms there is nothing to measure of them.
        let Some(&(method, _)) = plan.candidates.iter().find(|(method, _)| way(method)) else { continue };
        let plan = plan.with_method(method);
        // The constant term, by the definition.
        let term =
            |i: usize, j: usize| (0..inner).fold(0, |sum, l| field.add(sum, field.mul(a.get(i, l, 0), b.get(l, j, 0))));
        let expected = term(rows - 1, cols - 1);
        search.time(
            price,
            format!("{plan}"),
            move |machine| {
                let candidates = ProductPlan::at(&machine.poly, &field, shape).candidates;
                candidates.iter().find(|(method, _)| way(method)).map_or(0.0, |(_, seconds)| *seconds)
            },
            || match plan.execute(&field, &a, &b)?.get(rows - 1, cols - 1, 0) {
                found if found == expected => Ok(()),
                found => Err(Error::Check(format!("{found} instead of {expected}: {plan}"))),
            },
        )?;
    }
    Ok(())
}
