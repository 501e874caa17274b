//! Sums, products, quotients, values.

use crate::field::Modulus;
use crate::poly::{middle_polynomial, multiply_polynomials};
use crate::{Result, memory};

/// What the memory is for.
const WHAT: &str = "a polynomial";

/// Up to this length of the shorter operand, the textbook's product is used.
const SHORT: usize = 128;
/// Up to this length of the quotient or the divisor, the textbook's division is used: the other takes several products.
const SHORT_QUOTIENT: usize = 320;

/// Drops zeros at the high end.
pub fn trim(f: &mut Vec<u64>) {
    while f.last() == Some(&0) {
        f.pop();
    }
}

/// The degree, none for the zero polynomial.
pub fn degree(f: &[u64]) -> Option<usize> {
    f.len().checked_sub(1)
}

/// f ← f + c·g, of the same length. Sums are reduced without a branch, which would be mispredicted half of the time.
pub(super) fn add_multiple(p: Modulus, f: &mut [u64], c: u64, g: &[u64]) {
    assert_eq!(f.len(), g.len(), "operands of different lengths");
    let by = p.multiplier(c);
    for (x, &y) in f.iter_mut().zip(g) {
        // Below 2p < 2⁶⁴; the difference wraps where the sum is a residue.
        let sum = *x + p.mul_by(y, by);
        *x = sum.min(sum.wrapping_sub(p.get()));
    }
}

/// f + c·g.
fn combine(p: Modulus, f: &[u64], c: u64, g: &[u64]) -> Result<Vec<u64>> {
    let mut sum = memory::zeros(f.len().max(g.len()), WHAT)?;
    sum[..f.len()].copy_from_slice(f);
    add_multiple(p, &mut sum[..g.len()], c, g);
    trim(&mut sum);
    Ok(sum)
}

/// f + g.
///
/// # Errors
/// [`Error::Memory`](crate::Error::Memory).
pub fn add(p: Modulus, f: &[u64], g: &[u64]) -> Result<Vec<u64>> {
    combine(p, f, 1, g)
}

/// f - g.
///
/// # Errors
/// [`Error::Memory`](crate::Error::Memory).
pub fn subtract(p: Modulus, f: &[u64], g: &[u64]) -> Result<Vec<u64>> {
    combine(p, f, p.get() - 1, g)
}

/// c·f for a residue c.
pub fn scale(p: Modulus, c: u64, mut f: Vec<u64>) -> Vec<u64> {
    let by = p.multiplier(c);
    f.iter_mut().for_each(|x| *x = p.mul_by(*x, by));
    trim(&mut f);
    f
}

/// f divided by its leading coefficient; the zero polynomial is itself.
pub fn monic(p: Modulus, f: Vec<u64>) -> Vec<u64> {
    match f.last() {
        None | Some(1) => f,
        Some(&last) => scale(p, p.inv(last), f),
    }
}

/// f·g.
///
/// # Errors
/// [`Error::Memory`](crate::Error::Memory).
pub fn multiply(p: Modulus, f: &[u64], g: &[u64]) -> Result<Vec<u64>> {
    let (short, long) = if f.len() < g.len() { (f, g) } else { (g, f) };
    if short.len() > SHORT {
        return multiply_polynomials(p, f, g);
    }
    if short.is_empty() {
        return Ok(vec![]);
    }
    let mut product = memory::zeros(f.len() + g.len() - 1, WHAT)?;
    for (k, &c) in short.iter().enumerate() {
        add_multiple(p, &mut product[k..k + long.len()], c, long);
    }
    Ok(product)
}

/// The product of all factors, multiplied in pairs of like degree; 1 for none.
///
/// # Errors
/// [`Error::Memory`](crate::Error::Memory).
pub fn product(p: Modulus, mut factors: Vec<Vec<u64>>) -> Result<Vec<u64>> {
    while factors.len() > 1 {
        factors.sort_unstable_by_key(Vec::len);
        let pair = |pair: &[Vec<u64>]| match pair {
            [f, g] => multiply(p, f, g),
            other => memory::copy(&other[0], WHAT),
        };
        factors = factors.chunks(2).map(pair).collect::<Result<_>>()?;
    }
    Ok(factors.pop().unwrap_or_else(|| vec![1]))
}

/// fᵉ; 1 for e = 0.
///
/// # Errors
/// [`Error::Memory`](crate::Error::Memory).
pub fn power(p: Modulus, f: &[u64], mut e: usize) -> Result<Vec<u64>> {
    let (mut square, mut result) = (memory::copy(f, WHAT)?, vec![1]);
    while e > 0 {
        if e & 1 == 1 {
            result = multiply(p, &result, &square)?;
        }
        e >>= 1;
        if e > 0 {
            square = multiply(p, &square, &square)?;
        }
    }
    Ok(result)
}

/// The value of f at x.
pub fn evaluate(p: Modulus, f: &[u64], x: u64) -> u64 {
    f.iter().rev().fold(0, |value, &c| p.add(p.mul(value, x), c))
}

/// (q, r) with f = q·g + r and deg r < deg g. Panics if g = 0.
///
/// # Errors
/// [`Error::Memory`](crate::Error::Memory).
pub fn divide(p: Modulus, f: &[u64], g: &[u64]) -> Result<(Vec<u64>, Vec<u64>)> {
    assert!(!g.is_empty(), "division of polynomials by zero");
    if f.len() < g.len() {
        return Ok((vec![], memory::copy(f, WHAT)?));
    }
    let quotient = f.len() - g.len() + 1;
    if quotient.min(g.len()) <= SHORT_QUOTIENT {
        return textbook(p, f, g);
    }
    let inverse = inverse_of_reversed(p, g, quotient)?;
    divide_with(p, f, g, &inverse)
}

/// The same, with at least deg f - deg g + 1 coefficients of the inverse of the reversed g.
pub(super) fn divide_with(p: Modulus, f: &[u64], g: &[u64], inverse: &[u64]) -> Result<(Vec<u64>, Vec<u64>)> {
    let len = f.len() - g.len() + 1;
    let top = memory::collect(f[g.len() - 1..].iter().rev().copied(), WHAT)?;
    let mut quotient = middle_polynomial(p, &top, &inverse[..len], 0, len)?;
    quotient.reverse();
    let below = middle_polynomial(p, &quotient, g, 0, g.len() - 1)?;
    let mut rest = memory::copy(&f[..g.len() - 1], WHAT)?;
    rest.iter_mut().zip(&below).for_each(|(x, &y)| *x = p.sub(*x, y));
    trim(&mut rest);
    Ok((quotient, rest))
}

fn textbook(p: Modulus, f: &[u64], g: &[u64]) -> Result<(Vec<u64>, Vec<u64>)> {
    let (mut rest, lead) = (memory::copy(f, WHAT)?, p.multiplier(p.inv(g[g.len() - 1])));
    let mut quotient = memory::zeros(f.len() - g.len() + 1, WHAT)?;
    for k in (0..quotient.len()).rev() {
        let c = p.mul_by(rest[k + g.len() - 1], lead);
        quotient[k] = c;
        add_multiple(p, &mut rest[k..k + g.len()], p.neg(c), g);
    }
    rest.truncate(g.len() - 1);
    trim(&mut rest);
    Ok((quotient, rest))
}

/// `len` coefficients of the power series 1 / (x^deg g · g(1/x)), by Newton's iteration v ← v·(2 - v·g).
pub(super) fn inverse_of_reversed(p: Modulus, g: &[u64], len: usize) -> Result<Vec<u64>> {
    let reversed = memory::collect(g.iter().rev().take(len).copied(), WHAT)?;
    let mut inverse = vec![p.inv(reversed[0])];
    while inverse.len() < len {
        let next = (2 * inverse.len()).min(len);
        let mut error = middle_polynomial(p, &inverse, &reversed[..next.min(reversed.len())], 0, next)?;
        error.iter_mut().for_each(|x| *x = p.neg(*x));
        error[0] = p.add(error[0], p.reduce(2));
        inverse = middle_polynomial(p, &inverse, &error, 0, next)?;
    }
    Ok(inverse)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::Rng;
    use rand::{RngExt, SeedableRng};

    fn random(p: Modulus, len: usize, rng: &mut Rng) -> Vec<u64> {
        let mut f: Vec<u64> = (0..len).map(|_| rng.random_range(0..p.get())).collect();
        trim(&mut f);
        f
    }

    #[test]
    fn multiples_are_added_as_the_field_does() {
        let mut rng = Rng::seed_from_u64(40);
        for p in [2, 3, 65521, (1 << 63) - 25].map(|p| Modulus::new(p).unwrap()) {
            for c in [0, 1, p.get() / 2, p.get() - 1] {
                let mut entries = |n| (0..n).map(|_| rng.random_range(0..p.get())).chain([0, p.get() - 1]).collect();
                let (mut f, g): (Vec<u64>, Vec<u64>) = (entries(40), entries(40));
                let expected: Vec<u64> = f.iter().zip(&g).map(|(&x, &y)| p.add(x, p.mul(c, y))).collect();
                add_multiple(p, &mut f, c, &g);
                assert_eq!(f, expected, "{c} mod {p}");
            }
        }
    }

    /// q·g + r = f with deg r < deg g determines both; the value at a point is that of all parts.
    #[test]
    fn division_undoes_multiplication() {
        let mut rng = Rng::seed_from_u64(31);
        for p in [2, 3, 251, 65521, (1 << 63) - 25].map(|p| Modulus::new(p).unwrap()) {
            for (a, b) in
                [(0, 1), (1, 1), (5, 9), (9, 5), (80, 3), (80, 70), (200, 90), (301, 40), (1200, 350), (900, 500)]
            {
                let f = random(p, a, &mut rng);
                let mut g = random(p, b, &mut rng);
                g.push(rng.random_range(1..p.get()));
                let (q, r) = divide(p, &f, &g).unwrap();
                assert!(r.len() < g.len());
                assert_eq!(add(p, &multiply(p, &q, &g).unwrap(), &r).unwrap(), f, "{a} by {b} mod {p}");
                let x = rng.random_range(0..p.get());
                let value = p.add(p.mul(evaluate(p, &q, x), evaluate(p, &g, x)), evaluate(p, &r, x));
                assert_eq!(value, evaluate(p, &f, x));
                let product = multiply(p, &f, &g).unwrap();
                assert_eq!(divide(p, &product, &g).unwrap(), (f.clone(), vec![]));
                assert!(subtract(p, &f, &f).unwrap().is_empty());
                if !f.is_empty() {
                    assert_eq!(monic(p, f.clone()).last(), Some(&1));
                    assert_eq!(power(p, &g, 3).unwrap(), product_of(p, &[&g, &g, &g]));
                }
            }
        }
    }

    fn product_of(p: Modulus, factors: &[&Vec<u64>]) -> Vec<u64> {
        product(p, factors.iter().map(|f| f.to_vec()).collect()).unwrap()
    }
}
