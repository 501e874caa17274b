//! The first half of Euclid's algorithm in quasi-linear time: the leading halves of two polynomials determine the first
//! half of their quotients (J. von zur Gathen, J. Gerhard, *Modern Computer Algebra*, 11.1).
//!
//! Whatever quotients are found, the steps are products of matrices (0 1; 1 -q), which are unimodular, and are applied
//! to the whole polynomials: no common divisor is lost or won. Steps meet steps and polynomials as matrices of order 2
//! do, whose transforms serve several products and are made eight at a time.

use super::arithmetic::{add_multiple, divide, multiply, trim};
use crate::field::{Modulus, PrimeField};
use crate::poly::{PolyMatrix, ProductPlan, ProductShape};
use crate::report::Observer;
use crate::{Error, Result, memory};

/// What the memory is for.
const WHAT: &str = "a polynomial";
/// From this length on, half of the steps at a time take less than one after the other.
pub(super) const LONG: usize = 3000;
/// Up to this length, quotients are found one after the other.
const TEXTBOOK: usize = 500;
/// Quotients up to this length are applied coefficient by coefficient.
const SHORT: usize = 8;
/// Products with a matrix of entries up to this length are made so.
const SHORT_STEPS: usize = 48;

/// What quotients do: (a, b) becomes (m₀₀·a + m₀₁·b, m₁₀·a + m₁₁·b).
struct Steps([[Vec<u64>; 2]; 2]);

/// A pair of polynomials, the first of larger degree.
type Pair = (Vec<u64>, Vec<u64>);

/// Euclid's pair for (a, b) about half way through the degrees of a, deg a > deg b; or a little further.
///
/// # Errors
/// [`Error::Memory`](crate::Error::Memory), [`Error::Interrupted`](crate::Error::Interrupted).
pub(super) fn halved(p: Modulus, a: &[u64], b: &[u64], observer: &dyn Observer) -> Result<Pair> {
    Ok(half(p, a, b, observer)?.1)
}

/// The steps that bring deg b below ⌈deg a / 2⌉ for the first time, and where they lead.
fn half(p: Modulus, a: &[u64], b: &[u64], observer: &dyn Observer) -> Result<(Steps, Pair)> {
    let middle = a.len() / 2;
    if b.len() <= middle {
        return Ok((Steps::none(), (memory::copy(a, WHAT)?, memory::copy(b, WHAT)?)));
    }
    if a.len() <= TEXTBOOK {
        return textbook(p, a, b, middle);
    }
    observer.check()?;
    let (mut steps, high) = half(p, &a[middle..], &b[middle..], observer)?;
    let low = steps.times(p, vec![[&a[..middle], &b[..middle]]])?.pop().expect("one column");
    let (c, d) = joined(p, middle, high, low)?;
    if d.len() <= middle {
        return Ok((steps, (c, d)));
    }
    let (quotient, rest) = divide(p, &c, &d)?;
    steps.then(p, &quotient)?;
    let (c, d) = (d, rest);
    if d.len() <= middle {
        return Ok((steps, (c, d)));
    }
    // deg c > deg d ≥ middle: what is below 2·middle - deg c has no say in the steps to there.
    let skipped = (2 * middle + 1).saturating_sub(c.len());
    let (next, high) = half(p, &c[skipped..], &d[skipped..], observer)?;
    let Steps([[m, n], [r, s]]) = &steps;
    let mut columns = next.times(p, vec![[m, r], [n, s], [&c[..skipped], &d[..skipped]]])?;
    let low = columns.pop().expect("three columns");
    let [n, s] = columns.pop().expect("three columns");
    let [m, r] = columns.pop().expect("three columns");
    Ok((Steps([[m, n], [r, s]]), joined(p, skipped, high, low)?))
}

/// The sums of x^skipped times the first pair and the second.
fn joined(p: Modulus, skipped: usize, (c, d): Pair, [low_c, low_d]: [Vec<u64>; 2]) -> Result<Pair> {
    let join = |high: &[u64], mut low: Vec<u64>| {
        let len = low.len().max(if high.is_empty() { 0 } else { skipped + high.len() });
        extend(&mut low, len)?;
        low.iter_mut().skip(skipped).zip(high).for_each(|(x, &y)| *x = p.add(*x, y));
        trim(&mut low);
        Ok::<_, Error>(low)
    };
    Ok((join(&c, low_c)?, join(&d, low_d)?))
}

/// With zeros up to this length.
fn extend(f: &mut Vec<u64>, len: usize) -> Result<()> {
    if f.len() < len {
        memory::reserve(f, len - f.len(), WHAT)?;
        f.resize(len, 0);
    }
    Ok(())
}

/// One division after the other.
fn textbook(p: Modulus, a: &[u64], b: &[u64], middle: usize) -> Result<(Steps, Pair)> {
    let (mut a, mut b, mut steps) = (memory::copy(a, WHAT)?, memory::copy(b, WHAT)?, Steps::none());
    while b.len() > middle {
        let (quotient, rest) = divide(p, &a, &b)?;
        steps.then(p, &quotient)?;
        (a, b) = (b, rest);
    }
    Ok((steps, (a, b)))
}

impl Steps {
    fn none() -> Self {
        Steps([[vec![1], vec![]], [vec![], vec![1]]])
    }

    /// One more step, with this quotient.
    fn then(&mut self, p: Modulus, quotient: &[u64]) -> Result<()> {
        let [upper, lower] = &mut self.0;
        for (m, n) in upper.iter_mut().zip(lower) {
            subtract_product(p, m, quotient, n)?;
            std::mem::swap(m, n);
        }
        Ok(())
    }

    /// What becomes of pairs, which may have zeros at the high end; the result has none.
    fn times(&self, p: Modulus, pairs: Vec<[&[u64]; 2]>) -> Result<Vec<[Vec<u64>; 2]>> {
        let longest = |all: &mut dyn Iterator<Item = usize>| all.max().unwrap_or(0);
        let (left, right) = (
            longest(&mut self.0.iter().flatten().map(Vec::len)),
            longest(&mut pairs.iter().flatten().map(|f| f.len())),
        );
        if left.min(right) <= SHORT_STEPS {
            let sum = |row: &[Vec<u64>; 2], pair: &[&[u64]; 2]| {
                let mut sum = memory::zeros(left + right, WHAT)?;
                for (m, f) in row.iter().zip(pair) {
                    let (short, long) = if m.len() < f.len() { (&m[..], *f) } else { (*f, &m[..]) };
                    let add = |(k, &c): (usize, &u64)| add_multiple(p, &mut sum[k..k + long.len()], c, long);
                    short.iter().enumerate().for_each(add);
                }
                trim(&mut sum);
                Ok::<_, Error>(sum)
            };
            return pairs.iter().map(|pair| Ok([sum(&self.0[0], pair)?, sum(&self.0[1], pair)?])).collect();
        }
        let mut steps = PolyMatrix::zeros(2, 2, left)?;
        for (at, f) in self.0.iter().flatten().enumerate() {
            f.iter().enumerate().for_each(|(k, &c)| steps.coefficient_mut(k)[at] = c);
        }
        let columns = pairs.len();
        let mut with = PolyMatrix::zeros(2, columns, right)?;
        for (j, pair) in pairs.iter().enumerate() {
            for (i, f) in pair.iter().enumerate() {
                f.iter().enumerate().for_each(|(k, &c)| with.coefficient_mut(k)[i * columns + j] = c);
            }
        }
        let shape = ProductShape::of(&steps, &with, 0, left + right - 1);
        // Exact arithmetic alone.
        let plan = ProductPlan::new(&PrimeField(p), shape).without_rounding();
        let product = plan.execute(&PrimeField(p), &steps, &with)?;
        let entry = |i: usize, j: usize| {
            let mut f = memory::collect((0..product.len()).map(|k| product.coefficient(k)[i * columns + j]), WHAT)?;
            trim(&mut f);
            Ok::<_, Error>(f)
        };
        (0..columns).map(|j| Ok([entry(0, j)?, entry(1, j)?])).collect()
    }
}

/// f ← f - q·g.
fn subtract_product(p: Modulus, f: &mut Vec<u64>, q: &[u64], g: &[u64]) -> Result<()> {
    if q.is_empty() || g.is_empty() {
        return Ok(());
    }
    let len = q.len() + g.len() - 1;
    extend(f, len)?;
    match q.len() <= SHORT {
        true => q.iter().enumerate().for_each(|(k, &c)| add_multiple(p, &mut f[k..k + g.len()], p.neg(c), g)),
        false => f.iter_mut().zip(&multiply(p, q, g)?).for_each(|(x, &y)| *x = p.sub(*x, y)),
    }
    trim(f);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::arithmetic::{power, subtract};
    use super::*;
    use crate::Silent;
    use crate::field::Rng;
    use rand::{RngExt, SeedableRng};

    fn random(p: Modulus, len: usize, rng: &mut Rng) -> Vec<u64> {
        (1..len).map(|_| rng.random_range(0..p.get())).chain([1]).collect()
    }

    /// The pair is one of Euclid's: the first whose second member is short. The steps lead there, determinant ±1.
    #[test]
    fn half_the_steps_are_those_of_the_textbook() {
        let mut rng = Rng::seed_from_u64(36);
        for p in [2, 3, 65521, (1 << 63) - 25].map(|p| Modulus::new(p).unwrap()) {
            let mut cases = vec![];
            for (a, b, c) in [(300, 299, 1), (301, 300, 1), (900, 550, 1), (1700, 1690, 1), (400, 300, 700)] {
                let common = random(p, c, &mut rng);
                let [a, b] = [a, b].map(|len| multiply(p, &random(p, len, &mut rng), &common).unwrap());
                cases.push((a, b));
            }
            // Quotients of large degree: powers of x, and remainders with a gap.
            cases.push((power(p, &[0, 1], 900).unwrap(), random(p, 600, &mut rng)));
            cases.push((power(p, &[1, 1], 901).unwrap(), power(p, &[0, 1], 899).unwrap()));
            for (a, b) in cases {
                let (steps, pair) = half(p, &a, &b, &Silent).unwrap();
                let (mut c, mut d) = (a.clone(), b.clone());
                while d.len() > a.len() / 2 {
                    let rest = divide(p, &c, &d).unwrap().1;
                    (c, d) = (d, rest);
                }
                assert_eq!(pair, (c, d), "{} and {} mod {p}", a.len(), b.len());
                let times = |x: &[u64], y: &[u64]| multiply(p, x, y).unwrap();
                let Steps([[m, n], [r, s]]) = &steps;
                let row =
                    |x: &[u64], y: &[u64]| super::super::arithmetic::add(p, &times(x, &a), &times(y, &b)).unwrap();
                assert_eq!((row(m, n), row(r, s)), pair);
                let determinant = subtract(p, &times(m, s), &times(n, r)).unwrap();
                assert!(determinant == [1] || determinant == [p.get() - 1]);
            }
        }
    }
}
