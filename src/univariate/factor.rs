//! Irreducible factors over GF(p): square-free parts, then factors of one degree, then Cantor and Zassenhaus; with
//! traces in place of powers for p = 2 (D. G. Cantor, H. Zassenhaus, Math. Comp. 36, 1981).

use super::arithmetic::{divide, monic, subtract, trim};
use super::euclid::gcd;
use super::reducer::Reducer;
use crate::field::{Modulus, Rng};
use crate::report::Observer;
use crate::{Result, memory};
use rand::RngExt;

/// What the memory is for.
const WHAT: &str = "a polynomial";

/// The monic irreducible factors of f with their multiplicities, by degree, then by coefficients. Panics if f = 0.
///
/// The factors do not depend on `rng`; the time hardly does.
///
/// # Errors
/// [`Error::Memory`](crate::Error::Memory), [`Error::Interrupted`](crate::Error::Interrupted).
pub fn factor(p: Modulus, f: &[u64], rng: &mut Rng, observer: &dyn Observer) -> Result<Vec<(Vec<u64>, usize)>> {
    let mut factors = vec![];
    for (part, multiplicity) in square_free(p, monic(p, memory::copy(f, WHAT)?))? {
        for (equal, degree) in by_degree(p, part, observer)? {
            let mut found = vec![];
            split(p, equal, degree, rng, &mut found, observer)?;
            factors.extend(found.into_iter().map(|factor| (factor, multiplicity)));
        }
    }
    factors.sort_by(|(f, _), (g, _)| f.len().cmp(&g.len()).then_with(|| f.iter().rev().cmp(g.iter().rev())));
    Ok(factors)
}

/// Square-free polynomials, prime to each other, with their exponents in f.
fn square_free(p: Modulus, mut f: Vec<u64>) -> Result<Vec<(Vec<u64>, usize)>> {
    assert!(!f.is_empty(), "the factors of zero");
    let (mut parts, mut root) = (vec![], 1);
    while f.len() > 1 {
        let derivative = derivative(p, &f)?;
        // c holds the primes with an exponent e not divisible by p, e - 1 times, and the others.
        let mut c = gcd(p, &f, &derivative)?;
        let mut w = divide(p, &f, &c)?.0;
        let mut exponent = 1;
        while w.len() > 1 {
            let common = gcd(p, &w, &c)?;
            let once = divide(p, &w, &common)?.0;
            if once.len() > 1 {
                parts.push((monic(p, once), exponent * root));
            }
            c = divide(p, &c, &common)?.0;
            (w, exponent) = (common, exponent + 1);
        }
        // What is left is a p-th power; coefficients of GF(p) are their own p-th roots.
        if c.len() == 1 {
            break;
        }
        let step = p.get() as usize;
        f = memory::collect(c.iter().step_by(step).copied(), WHAT)?;
        root *= step;
    }
    Ok(parts)
}

fn derivative(p: Modulus, f: &[u64]) -> Result<Vec<u64>> {
    let terms = f.iter().enumerate().skip(1).map(|(k, &c)| p.mul(p.reduce(k as u64), c));
    let mut derivative = memory::collect(terms, WHAT)?;
    trim(&mut derivative);
    Ok(derivative)
}

/// The products of the irreducible factors of each degree, for a square-free f.
fn by_degree(p: Modulus, mut f: Vec<u64>, observer: &dyn Observer) -> Result<Vec<(Vec<u64>, usize)>> {
    let mut parts = vec![];
    let mut ring = Reducer::new(p, memory::copy(&f, WHAT)?)?;
    let mut frobenius = ring.reduce(&[0, 1])?;
    for degree in 1.. {
        if f.len() <= 2 * degree {
            break;
        }
        observer.check()?;
        frobenius = ring.power(&frobenius, p.get())?;
        let found = gcd(p, &f, &subtract(p, &frobenius, &[0, 1])?)?;
        if found.len() > 1 {
            f = divide(p, &f, &found)?.0;
            parts.push((found, degree));
            ring = Reducer::new(p, memory::copy(&f, WHAT)?)?;
            frobenius = ring.reduce(&frobenius)?;
        }
    }
    if let Some(degree) = f.len().checked_sub(1).filter(|&degree| degree > 0) {
        parts.push((f, degree));
    }
    Ok(parts)
}

/// The irreducible factors of f, all different and of this degree. Half of the random attempts split it or more, p = 3
/// and degree 1 excepted (4 in 9).
fn split(
    p: Modulus,
    f: Vec<u64>,
    degree: usize,
    rng: &mut Rng,
    found: &mut Vec<Vec<u64>>,
    observer: &dyn Observer,
) -> Result<()> {
    let mut open = vec![f];
    while let Some(f) = open.pop() {
        if f.len() == degree + 1 {
            found.push(f);
            continue;
        }
        observer.check()?;
        let ring = Reducer::new(p, memory::copy(&f, WHAT)?)?;
        let mut random = memory::collect((1..f.len()).map(|_| rng.random_range(0..p.get())), WHAT)?;
        trim(&mut random);
        // Of a random element of each residue field GF(p^degree): its trace to GF(2), or its quadratic character.
        let value = if p.get() == 2 {
            let (mut power, mut trace) = (memory::copy(&random, WHAT)?, random);
            for _ in 1..degree {
                power = ring.multiply(&power, &power)?;
                trace = subtract(p, &trace, &power)?;
            }
            trace
        } else {
            let (mut power, mut norm) = (memory::copy(&random, WHAT)?, random);
            for _ in 1..degree {
                power = ring.power(&power, p.get())?;
                norm = ring.multiply(&norm, &power)?;
            }
            subtract(p, &ring.power(&norm, (p.get() - 1) / 2)?, &[1])?
        };
        let part = gcd(p, &f, &value)?;
        if part.len() > 1 && part.len() < f.len() {
            open.push(divide(p, &f, &part)?.0);
            open.push(part);
        } else {
            open.push(f);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::arithmetic::{multiply, power, product};
    use super::*;
    use crate::Silent;
    use rand::SeedableRng;

    /// Irreducible by Rabin's test: x^(p^n) = x mod f, and x^(p^(n/q)) - x is prime to f for each prime q that divides
    /// n.
    fn is_irreducible(p: Modulus, f: &[u64]) -> bool {
        let n = f.len() - 1;
        let ring = Reducer::new(p, f.to_vec()).unwrap();
        let x = ring.reduce(&[0, 1]).unwrap();
        let frobenius = |times: usize| {
            let step = |power: Vec<u64>, _| ring.power(&power, p.get()).unwrap();
            subtract(p, &(0..times).fold(x.clone(), step), &x).unwrap()
        };
        let primes = (2..=n).filter(|q| n.is_multiple_of(*q) && (2..*q).all(|d| !q.is_multiple_of(d)));
        frobenius(n).is_empty() && primes.into_iter().all(|q| gcd(p, f, &frobenius(n / q)).unwrap() == [1])
    }

    #[test]
    fn factors_are_irreducible_and_multiply_to_the_whole() {
        let mut rng = Rng::seed_from_u64(34);
        for p in [2, 3, 5, 251, 65521, (1 << 63) - 25].map(|p| Modulus::new(p).unwrap()) {
            for case in 0..30 {
                // A product of random polynomials with random exponents, p-th powers among them.
                let mut whole = vec![1];
                for _ in 0..case % 5 {
                    let degree = rng.random_range(0..8);
                    let f: Vec<u64> = (0..degree).map(|_| rng.random_range(0..p.get())).chain([1]).collect();
                    let most = if p.get() < 6 { 2 * p.get() as usize + 1 } else { 4 };
                    let f = power(p, &f, rng.random_range(1..=most)).unwrap();
                    whole = multiply(p, &whole, &f).unwrap();
                }
                let factors = factor(p, &whole, &mut rng, &Silent).unwrap();
                let mut all = vec![];
                for (f, exponent) in &factors {
                    assert!(is_irreducible(p, f), "{f:?} mod {p}");
                    all.push(power(p, f, *exponent).unwrap());
                }
                assert_eq!(product(p, all).unwrap(), whole, "mod {p}");
                assert!(factors.windows(2).all(|pair| pair[0].0 != pair[1].0), "{factors:?}");
            }
        }
    }

    /// x^(p^k) - x is the product of all monic irreducible polynomials of degrees that divide k.
    #[test]
    fn all_irreducible_polynomials_of_a_degree() {
        let mut rng = Rng::seed_from_u64(35);
        for (p, k, counts) in [(2, 6, [2, 1, 2, 0, 0, 9]), (3, 4, [3, 3, 0, 18, 0, 0]), (7, 2, [7, 21, 0, 0, 0, 0])] {
            let modulus = Modulus::new(p).unwrap();
            let mut f = vec![0; (p as usize).pow(k) + 1];
            (f[1], f[(p as usize).pow(k)]) = (p - 1, 1);
            let mut found = [0; 6];
            for (factor, exponent) in factor(modulus, &f, &mut rng, &Silent).unwrap() {
                assert_eq!(exponent, 1);
                found[factor.len() - 2] += 1;
            }
            assert_eq!(found, counts, "GF({p}^{k})");
        }
    }
}
