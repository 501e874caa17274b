//! Interpolation at the points of a geometric progression, in the time of a few products.
//!
//! With x_i = rⁱ, M = Π_(i<n) (x - x_i) and wᵢ = vᵢ / M'(x_i), Lagrange's formula reads f = M · Σᵢ wᵢ / (x - x_i). The
//! sum, as a power series, is -Σⱼ W(r^(-j-1)) xʲ with W = Σ wᵢ yⁱ: one evaluation at a geometric progression; and n
//! terms of its product with M are all of f. With u_k = (r - 1)(r² - 1) ⋯ (rᵏ - 1) everything else is explicit:
//!
//! M'(rⁱ) = (-1)^(n-1-i) r^(C(i,2) + i(n-1-i)) uᵢ u_(n-1-i),
//! M = Σₖ (-1)^(n-k) r^C(n-k,2) uₙ / (uₖ u_(n-k)) xᵏ (the q-binomial theorem).
//!
//! Source: A. Bostan, É. Schost, *Polynomial evaluation and interpolation on special sets of points*, J. Complexity 21
//! (2005), section 5.

use super::evaluate::evaluate_geometric;
use super::{PolyMatrix, middle_polynomial};
use crate::field::Modulus;
use crate::{Result, memory};

/// The coefficients of the polynomial of degree below n = `values.len()` with f(`start` · `ratio`ⁱ) = `values[i]`.
///
/// # Errors
/// [`Error::Memory`](crate::Error::Memory).
///
/// # Panics
/// If `start` is zero and n > 1, or if the order of `ratio` is below n, so that two points coincide.
pub fn interpolate_geometric(modulus: Modulus, values: &[u64], start: u64, ratio: u64) -> Result<Vec<u64>> {
    let n = values.len();
    if n <= 1 {
        return memory::copy(values, "values of a polynomial");
    }
    assert!(start != 0 && ratio != 0, "the points {start} * {ratio}^i mod {modulus} coincide");
    let p = modulus;
    let signed = |odd: bool, x: u64| if odd { p.neg(x) } else { x };

    // rᵏ and r^C(k,2) for k ≤ n, u_k and 1/u_k for k < n; uₙ apart, as it may vanish.
    let powers: Vec<u64> = std::iter::successors(Some(1), |&x| Some(p.mul(x, ratio))).take(n + 1).collect();
    let triangular = running_product(p, &powers[..n]);
    let factors: Vec<u64> = powers[1..].iter().map(|&x| p.sub(x, 1)).collect();
    let mut u = running_product(p, &factors);
    let last = u.pop().expect("n + 1 products");
    assert!(u[n - 1] != 0, "the order of {ratio} mod {modulus} is below {n}: points coincide");
    let mut inverse = vec![p.inv(u[n - 1]); n];
    for k in (1..n).rev() {
        inverse[k - 1] = p.mul(inverse[k], factors[k - 1]);
    }

    // wᵢ = vᵢ / M'(rⁱ): the exponent of 1/r grows by n - 2 - i from i to i + 1.
    let back = p.inv(ratio);
    let (mut power, mut step) = (1, p.pow(back, n as u64 - 2));
    let mut weighted = Vec::with_capacity(n);
    for (i, &value) in values.iter().enumerate() {
        let weight = p.mul(power, p.mul(inverse[i], inverse[n - 1 - i]));
        weighted.push(signed((n - 1 - i) % 2 == 1, p.mul(value, weight)));
        power = p.mul(power, step);
        step = p.mul(step, ratio);
    }
    let weighted = PolyMatrix::from_coefficients(1, 1, weighted);
    let series: Vec<u64> =
        evaluate_geometric(p, &weighted, back, back, n)?.data().iter().map(|&value| p.neg(value)).collect();

    let master: Vec<u64> = (0..n)
        .map(|k| {
            let binomial = if k == 0 { 1 } else { p.mul(last, p.mul(inverse[k], inverse[n - k])) };
            signed((n - k) % 2 == 1, p.mul(triangular[n - k], binomial))
        })
        .collect();
    let mut coefficients = middle_polynomial(p, &master, &series, 0, n)?;
    if start != 1 {
        let step = p.inv(start);
        let mut scale = 1;
        for c in &mut coefficients {
            *c = p.mul(*c, scale);
            scale = p.mul(scale, step);
        }
    }
    Ok(coefficients)
}

/// 1, f₀, f₀f₁, …: one more than there are factors.
fn running_product(p: Modulus, factors: &[u64]) -> Vec<u64> {
    let mut products = Vec::with_capacity(factors.len() + 1);
    products.push(1);
    for &factor in factors {
        products.push(p.mul(products[products.len() - 1], factor));
    }
    products
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::{Field, PrimeField, Rng};
    use rand::SeedableRng;

    /// The first `n` of a random polynomial's coefficients come back from its values; also where the order of the ratio
    /// is n itself, and M = xⁿ - 1.
    #[test]
    fn interpolation_undoes_evaluation() {
        let mut rng = Rng::seed_from_u64(9);
        for (p, ratio, order) in [
            (2, 1, 1),
            (3, 2, 2),
            (7, 3, 6),
            (7, 2, 3),
            (65521, 17, 65520),
            ((1 << 31) - 1, 7, 1 << 30),
            (9223372036854775783, 5, 1 << 30),
        ] {
            let modulus = Modulus::new(p).unwrap();
            let field = PrimeField(modulus);
            for n in [0, 1, 2, 3, 5, 6, 64, 501] {
                if n > order {
                    continue;
                }
                for start in [1, field.random_nonzero(&mut rng)] {
                    let f: Vec<u64> = (0..n).map(|_| field.random(&mut rng)).collect();
                    let matrix = PolyMatrix::from_coefficients(1, 1, f.clone());
                    let values = evaluate_geometric(modulus, &matrix, start, ratio, n).unwrap();
                    assert_eq!(
                        interpolate_geometric(modulus, values.data(), start, ratio).unwrap(),
                        f,
                        "mod {p}, {n} points"
                    );
                }
            }
        }
    }

    #[test]
    #[should_panic(expected = "points coincide")]
    fn too_many_points_for_the_ratio() {
        interpolate_geometric(Modulus::new(7).unwrap(), &[1, 2, 3, 4], 1, 2).unwrap();
    }
}
