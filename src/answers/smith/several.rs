//! Divisors of the last invariant factors of a nonsingular matrix B from a few solutions of systems with it.
//!
//! Let X be the solutions of B·X = R for k right sides, s̃ a common denominator of them, L a matrix of k rows, and T =
//! L·(s̃·X), a k × k matrix of integers with the invariant factors t₁ | t₂ | …. At a prime q, v its valuation, e =
//! v(s̃) and E = v(sₙ(B)): qᴱ⁻ᵉ·T = L·(qᴱ·B⁻¹)·R up to a unit, and qᴱ·B⁻¹ has the invariant factors
//! qᴱ⁻ᵛ⁽ˢ⁾ for s = sₙ, sₙ₋₁, … in this order. The invariant factors of a product are multiples of those of each factor
//! (M. Newman, *Integral Matrices*, 1972, theorem II.14), the i-th of the i-th, so
//!
//! **s̃/gcd(tᵢ, s̃) divides sₙ₊₁₋ᵢ(B)**, i = 1 … k, whatever L and R are.
//!
//! So their product divides det B.

use super::diagonal::Powers;
use super::lift::Solution;
use super::modular::factors_mod;
use crate::field::Rng;
use crate::parallel::Each;
use crate::{Observer, Result, memory};
use num_bigint::{BigInt, BigUint};
use num_traits::One;
use rand::RngExt;
use rayon::prelude::*;

/// What the memory is for.
const SOLUTIONS: &str = "solutions mod N";

/// s̃·x mod N of each solution x, for a common denominator s̃.
///
/// # Errors
/// [`Error::Memory`](crate::Error::Memory).
pub(super) fn columns(solutions: &[Solution], last: &BigUint, n: &BigUint) -> Result<Vec<Vec<BigInt>>> {
    let modulus = BigInt::from(n.clone());
    let column = |Solution { numerators, denominator }: &Solution| {
        let factor = BigInt::from(last / denominator);
        memory::collect(numerators.iter().map(|y| y * &factor % &modulus), SOLUTIONS)
    };
    solutions.iter().map(column).collect()
}

/// N/gcd(tᵢ, N), the N-parts of divisors of the last factors, for the factors t of L·X, L a random matrix of as many
/// rows as X has columns: descending, without those that are 1. By columns, which changes no invariant factor.
///
/// # Errors
/// [`Error::Interrupted`](crate::Error::Interrupted), [`Error::Memory`](crate::Error::Memory).
pub(super) fn divisors(columns: &[Vec<BigInt>], n: &BigUint, rng: &mut Rng, observer: &dyn Observer) -> Result<Powers> {
    let modulus = BigInt::from(n.clone());
    let order = columns.first().map_or(0, Vec::len);
    let mut table: Vec<Vec<BigInt>> = memory::with_capacity(columns.len(), SOLUTIONS)?;
    table.resize_with(columns.len(), Vec::new);
    for _ in 0..columns.len() {
        observer.check()?;
        let row: Vec<i32> = memory::collect((0..order).map(|_| rng.random_range(i32::MIN..=i32::MAX)), SOLUTIONS)?;
        let dot = |column: &Vec<BigInt>| {
            let sum = column.iter().zip(&row).fold(BigInt::ZERO, |sum, (x, &l)| sum + x * l);
            sum % &modulus
        };
        let values: Vec<BigInt> = columns.par_iter().make(dot);
        table.iter_mut().zip(values).for_each(|(line, value)| line.push(value));
    }
    let factors = factors_mod(table, n, observer)?;
    let divisors = factors.into_iter().map(|(t, count)| (n / t, count));
    Ok(divisors.filter(|(s, _)| !s.is_one()).collect())
}

#[cfg(test)]
mod tests {
    use super::super::bound::common_denominator;
    use super::super::lift::System;
    use super::super::tests::scrambled;
    use super::*;
    use crate::Silent;
    use num_traits::Zero;
    use rand::SeedableRng;

    /// Also where the common denominator lacks a part of the last factor: of one solution, as long as it is of all.
    #[test]
    fn divisors_divide_the_last_factors() {
        let mut rng = Rng::seed_from_u64(8);
        let mut whole = 0;
        for round in 0..40u32 {
            let n = 12;
            let mut form = vec![1u32; n - 4];
            form.extend([2, 2 * 3, 2 * 3 * 5, [4 * 9 * 5 * 101, 2 * 3 * 5 * 7][round as usize % 2]]);
            let b = scrambled(n, n, &form.iter().map(|&s| s.into()).collect::<Vec<_>>(), 40, &mut rng);
            let system = System::of_nonsingular(&b, &mut rng, &Silent).unwrap();
            let solutions = system.solve(1 + round as usize % 5, 200.0, &mut rng, &Silent).unwrap();
            let last = common_denominator(&solutions);
            let found = divisors(&columns(&solutions, &last, &last).unwrap(), &last, &mut rng, &Silent).unwrap();
            let flat = found.iter().flat_map(|(s, count)| std::iter::repeat_n(s, *count));
            let mut product = BigUint::one();
            for (s, &factor) in flat.zip(form.iter().rev()) {
                assert!((BigUint::from(factor) % s).is_zero(), "{found:?}");
                product *= s;
            }
            whole += usize::from(product == form.iter().map(|&s| BigUint::from(s)).product());
        }
        assert!(whole > 0, "{whole}");
    }
}
