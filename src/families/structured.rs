//! Matrices defined in one line: all-ones, circulant, tridiagonal, with permanents and determinants in closed form.
//!
//! | name | matrix | known |
//! | --- | --- | --- |
//! | `ones_n` | J | permanent n! |
//! | `circulant_n` | I + P + P², P the cyclic shift | permanent Lₙ + 2 (Lucas; H. Minc, *Permanents*, 1978) |
//! | `menage_n` | J - I - P | permanent = the ménage number (Touchard 1934) |
//! | `tridiagonal_n` | ones on three diagonals | permanent F_{n+1} (Fibonacci), determinant of period 6 |
//! | `fibonacci_n` | the same with -1 below the diagonal | determinant F_{n+1} |
//!
//! The rank of a circulant f(P) is n - deg gcd(f, xⁿ - 1).

use super::assemble::{Shape, by_rows, constant_rows};
use super::combinatorics::product;
use crate::field::Modulus;
use crate::sparse::Triplets;
use crate::{Error, Result};

fn square(n: usize, least: usize, weight: usize) -> Result<Shape> {
    if n < least {
        return Err(Error::Usage(format!("a matrix of size {n}: at least {least} is needed")));
    }
    let n = Some(n as u128);
    Shape::checked(n, n, product([n, Some(weight as u128)]))
}

/// The n × n matrix of ones.
pub(super) fn ones(n: usize) -> Result<Triplets> {
    let fill = |_: &mut (), _, cols: &mut [u32], values: &mut [i64]| {
        cols.iter_mut().zip(0..).for_each(|(c, j)| *c = j);
        values.fill(1);
    };
    constant_rows(square(n, 1, n)?, || (), fill)
}

/// I + P + P², n ≥ 3.
pub(super) fn circulant(n: usize) -> Result<Triplets> {
    by_rows(square(n, 3, 3)?, |i, row| row.extend((0..3).map(|d| ((i + d) % n, 1))))
}

/// n - deg gcd(x² + x + 1, xⁿ - 1): the primitive cube roots of unity are roots of both where 3 | n; mod 3 both are 1.
pub(super) fn circulant_rank(n: usize, p: Option<Modulus>) -> Option<usize> {
    let common = match (n % 3, p.map(Modulus::get)) {
        (0, _) => 2,
        (_, Some(3)) => 1,
        _ => 0,
    };
    (n >= 3).then(|| n - common)
}

/// J - I - P, n ≥ 3.
pub(super) fn menage(n: usize) -> Result<Triplets> {
    by_rows(square(n, 3, n - n.min(2))?, |i, row| row.extend((2..n).map(|d| ((i + d) % n, 1))))
}

/// n - deg gcd(f, xⁿ - 1) for f = x² + … + xⁿ⁻¹ = (xⁿ - 1)/(x - 1) - (1 + x). At an n-th root of unity w ≠ 1, f(w) =
/// -(1 + w): the simple common root -1 where n is even. At 1, f(1) = n - 2. Mod 2 the two meet: 1 is then a root of f
/// of multiplicity 2 where n ≡ 2 mod 4, of multiplicity 1 where 4 | n.
pub(super) fn menage_rank(n: usize, p: Option<Modulus>) -> Option<usize> {
    if n < 3 {
        return None;
    }
    let common = match p.map(Modulus::get) {
        Some(2) => [1, 0, 2, 0][n % 4],
        Some(p) => usize::from(n.is_multiple_of(2)) + usize::from((n as u64 - 2).is_multiple_of(p)),
        None => usize::from(n.is_multiple_of(2)),
    };
    Some(n - common)
}

/// The tridiagonal matrix with ones on and above the diagonal and `below` under it.
pub(super) fn tridiagonal(n: usize, below: i64) -> Result<Triplets> {
    let shape = square(n, 1, 3)?;
    by_rows(Shape { nnz: shape.nnz - 2, ..shape }, |i, row| {
        row.extend((i > 0).then(|| (i - 1, below)));
        row.push((i, 1));
        row.extend((i + 1 < n).then_some((i + 1, 1)));
    })
}

/// Ones on three diagonals: Dₙ = Dₙ₋₁ - Dₙ₋₂ is 1, 1, 0, -1, -1, 0, …, over every field; the first n - 1 rows are
/// independent.
pub(super) fn tridiagonal_rank(n: usize, _p: Option<Modulus>) -> Option<usize> {
    (n >= 1).then(|| n - usize::from(n % 3 == 2))
}

/// -1 below the diagonal: the determinant is F_{n+1}; the first n - 1 rows are independent.
pub(super) fn fibonacci_rank(n: usize, p: Option<Modulus>) -> Option<usize> {
    let vanishes = p.is_some_and(|p| fibonacci_mod(n as u64 + 1, p) == 0);
    (n >= 1).then(|| n - usize::from(vanishes))
}

/// F_n mod p by doubling: F_{2m} = F_m (2 F_{m+1} - F_m), F_{2m+1} = F_m² + F_{m+1}².
fn fibonacci_mod(n: u64, p: Modulus) -> u64 {
    let (mut a, mut b) = (0, 1);
    for bit in (0..64).rev() {
        let even = p.mul(a, p.sub(p.add(b, b), a));
        let odd = p.add(p.mul(a, a), p.mul(b, b));
        (a, b) = if n >> bit & 1 == 0 { (even, odd) } else { (odd, p.add(even, odd)) };
    }
    a
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fibonacci_numbers() {
        let p = Modulus::new((1 << 61) - 1).unwrap();
        let (mut a, mut b) = (0u64, 1u64);
        for n in 0..80 {
            assert_eq!(fibonacci_mod(n, p), p.reduce(a), "F_{n}");
            (a, b) = (b, a + b);
        }
    }
}
