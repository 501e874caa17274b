//! Greatest common divisors, and the unimodular transformation that leads to them.

use super::arithmetic::{divide, monic, multiply, scale, subtract};
use crate::field::Modulus;
use crate::{Result, memory};

/// What the memory is for.
const WHAT: &str = "a polynomial";

/// g = gcd(a, b), monic, with g = u·a + v·b, a = g·a₁ and b = g·b₁: the matrix (u v; -b₁ a₁) has determinant 1 and
/// carries (a, b) to (g, 0).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bezout {
    /// The greatest common divisor; zero if both are.
    pub gcd: Vec<u64>,
    /// The cofactor of a.
    pub u: Vec<u64>,
    /// The cofactor of b.
    pub v: Vec<u64>,
    /// a / g.
    pub a: Vec<u64>,
    /// b / g.
    pub b: Vec<u64>,
}

/// The monic greatest common divisor; zero if both are.
///
/// # Errors
/// [`Error::Memory`](crate::Error::Memory).
pub fn gcd(p: Modulus, a: &[u64], b: &[u64]) -> Result<Vec<u64>> {
    let (mut a, mut b) = (memory::copy(a, WHAT)?, memory::copy(b, WHAT)?);
    while !b.is_empty() {
        let (_, rest) = divide(p, &a, &b)?;
        (a, b) = (b, rest);
    }
    Ok(monic(p, a))
}

/// The monic least common multiple; zero if one is.
///
/// # Errors
/// [`Error::Memory`](crate::Error::Memory).
pub fn lcm(p: Modulus, a: &[u64], b: &[u64]) -> Result<Vec<u64>> {
    if a.is_empty() || b.is_empty() {
        return Ok(vec![]);
    }
    let common = gcd(p, a, b)?;
    Ok(monic(p, multiply(p, &divide(p, a, &common)?.0, b)?))
}

/// The greatest common divisor with its cofactors.
///
/// # Errors
/// [`Error::Memory`](crate::Error::Memory).
pub fn bezout(p: Modulus, a: &[u64], b: &[u64]) -> Result<Bezout> {
    // r = u·a + v·b, for two rows; v follows from u at the end.
    let (mut r, mut s) = (memory::copy(a, WHAT)?, memory::copy(b, WHAT)?);
    let (mut u, mut t) = (vec![1], vec![]);
    while !s.is_empty() {
        let (quotient, rest) = divide(p, &r, &s)?;
        let next = subtract(p, &u, &multiply(p, &quotient, &t)?)?;
        (r, s, u, t) = (s, rest, t, next);
    }
    let Some(&last) = r.last() else {
        return Ok(Bezout { gcd: vec![], u: vec![1], v: vec![], a: vec![1], b: vec![] });
    };
    let lead = p.inv(last);
    let (gcd, u) = (scale(p, lead, r), scale(p, lead, u));
    let (v, b_over) = match b.is_empty() {
        true => (vec![], vec![]),
        false => {
            let rest = subtract(p, &gcd, &multiply(p, &u, a)?)?;
            (divide(p, &rest, b)?.0, divide(p, b, &gcd)?.0)
        }
    };
    Ok(Bezout { a: divide(p, a, &gcd)?.0, b: b_over, gcd, u, v })
}

#[cfg(test)]
mod tests {
    use super::super::arithmetic::{add, trim};
    use super::*;
    use crate::field::Rng;
    use rand::{RngExt, SeedableRng};

    #[test]
    fn cofactors_make_a_unimodular_transformation() {
        let mut rng = Rng::seed_from_u64(32);
        for p in [2, 3, 65521, (1 << 63) - 25].map(|p| Modulus::new(p).unwrap()) {
            let mut random = |len: usize| {
                let mut f: Vec<u64> = (0..len).map(|_| rng.random_range(0..p.get())).collect();
                trim(&mut f);
                f
            };
            for (a, b, c) in [(0, 0, 0), (0, 3, 1), (3, 0, 1), (1, 1, 1), (8, 5, 3), (5, 8, 4), (120, 90, 60)] {
                let (a, b, c) = (random(a), random(b), random(c));
                let (a, b) = (multiply(p, &a, &c).unwrap(), multiply(p, &b, &c).unwrap());
                let found = bezout(p, &a, &b).unwrap();
                let times = |x: &[u64], y: &[u64]| multiply(p, x, y).unwrap();
                assert_eq!(found.gcd, gcd(p, &a, &b).unwrap());
                assert_eq!(add(p, &times(&found.u, &a), &times(&found.v, &b)).unwrap(), found.gcd);
                assert_eq!((times(&found.gcd, &found.a), times(&found.gcd, &found.b)), {
                    if a.is_empty() && b.is_empty() { (vec![], vec![]) } else { (a.clone(), b.clone()) }
                });
                let determinant = add(p, &times(&found.u, &found.a), &times(&found.v, &found.b)).unwrap();
                assert_eq!(determinant, [1], "{a:?} {b:?} mod {p}");
                if !c.is_empty() && !found.gcd.is_empty() {
                    assert!(divide(p, &found.gcd, &c).unwrap().1.is_empty());
                }
                let common = lcm(p, &a, &b).unwrap();
                if !a.is_empty() && !b.is_empty() {
                    assert_eq!(times(&common, &found.gcd), monic(p, times(&a, &b)));
                }
            }
        }
    }
}
