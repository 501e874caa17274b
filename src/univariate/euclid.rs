//! Greatest common divisors, and the unimodular transformation that leads to them.

use super::arithmetic::{divide, monic, multiply, scale, subtract};
use super::half::{LONG, halved};
use crate::field::Modulus;
use crate::parallel::Each;
use crate::report::{Observer, Silent};
use crate::{Result, memory};
use rayon::prelude::*;

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
    common(p, a, b, &Silent)
}

fn common(p: Modulus, a: &[u64], b: &[u64], observer: &dyn Observer) -> Result<Vec<u64>> {
    let (mut a, mut b) = (memory::copy(a, WHAT)?, memory::copy(b, WHAT)?);
    while !b.is_empty() {
        let (_, rest) = divide(p, &a, &b)?;
        (a, b) = (b, rest);
        // Of like degrees: half of all steps are to come.
        if b.len() > LONG && 2 * b.len() > a.len() {
            (a, b) = halved(p, &a, &b, observer)?;
        }
    }
    Ok(monic(p, a))
}

/// The monic least common multiple; zero if one is.
///
/// # Errors
/// [`Error::Memory`](crate::Error::Memory).
pub fn lcm(p: Modulus, a: &[u64], b: &[u64]) -> Result<Vec<u64>> {
    multiple(p, a, b, &Silent)
}

fn multiple(p: Modulus, a: &[u64], b: &[u64], observer: &dyn Observer) -> Result<Vec<u64>> {
    if a.is_empty() || b.is_empty() {
        return Ok(vec![]);
    }
    let common = common(p, a, b, observer)?;
    Ok(monic(p, multiply(p, &divide(p, a, &common)?.0, b)?))
}

/// The monic least common multiple of all, by pairs of like degree; 1 for none, zero if one is.
///
/// # Errors
/// [`Error::Memory`](crate::Error::Memory), [`Error::Interrupted`](crate::Error::Interrupted).
pub fn lcm_of_all(p: Modulus, mut all: Vec<Vec<u64>>, observer: &dyn Observer) -> Result<Vec<u64>> {
    loop {
        // What occurs again is found at once.
        all.par_sort_unstable_by(|f, g| f.len().cmp(&g.len()).then_with(|| f.cmp(g)));
        all.dedup();
        if all.len() < 2 {
            return Ok(all.pop().map_or_else(|| vec![1], |f| monic(p, f)));
        }
        let pair = |pair: &[Vec<u64>]| {
            observer.check()?;
            match pair {
                [f, g] => multiple(p, f, g, observer),
                other => memory::copy(&other[0], WHAT),
            }
        };
        all = all.par_chunks(2).try_make(pair)?;
    }
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

    /// The textbook's divisions, one after the other.
    fn naive_gcd(p: Modulus, a: &[u64], b: &[u64]) -> Vec<u64> {
        let (mut a, mut b) = (a.to_vec(), b.to_vec());
        while !b.is_empty() {
            let rest = divide(p, &a, &b).unwrap().1;
            (a, b) = (b, rest);
        }
        monic(p, a)
    }

    fn naive_lcm(p: Modulus, a: &[u64], b: &[u64]) -> Vec<u64> {
        monic(p, divide(p, &multiply(p, a, b).unwrap(), &naive_gcd(p, a, b)).unwrap().0)
    }

    #[test]
    fn long_common_divisors_are_those_of_the_textbook() {
        let mut rng = Rng::seed_from_u64(37);
        for p in [2, 3, 65521, (1 << 63) - 25].map(|p| Modulus::new(p).unwrap()) {
            let mut random = |len: usize| -> Vec<u64> {
                (1..len).map(|_| rng.random_range(0..p.get())).chain([p.get() - 1]).collect()
            };
            for (a, b, c) in [(LONG + 9, LONG + 9, 1), (400, 399, LONG), (30, 900, 2600), (1, 1, 3100), (1, LONG, 1)] {
                let common = random(c);
                let [a, b] = [a, b].map(|len| multiply(p, &random(len), &common).unwrap());
                let found = gcd(p, &a, &b).unwrap();
                assert_eq!(found, naive_gcd(p, &a, &b), "{} and {} mod {p}", a.len(), b.len());
                assert!(divide(p, &found, &common).unwrap().1.is_empty());
                assert_eq!(gcd(p, &a, &a).unwrap(), monic(p, a.clone()));
                assert_eq!(gcd(p, &a, &[]).unwrap(), monic(p, a.clone()));
                let multiple = monic(p, divide(p, &multiply(p, &a, &b).unwrap(), &found).unwrap().0);
                assert_eq!(lcm(p, &a, &b).unwrap(), multiple);
                assert_eq!(lcm_of_all(p, vec![a, common, b], &Silent).unwrap(), multiple);
            }
        }
    }

    #[test]
    fn least_common_multiples_of_lists_with_common_and_repeated_factors() {
        let mut rng = Rng::seed_from_u64(38);
        for p in [2, 3, 65521, (1 << 63) - 25].map(|p| Modulus::new(p).unwrap()) {
            for (count, kinds, most) in [(0, 1, 1), (1, 1, 3), (2, 1, 3), (300, 40, 4), (60, 60, 30), (9, 9, 400)] {
                let mut random =
                    |len: usize| -> Vec<u64> { (1..len).map(|_| rng.random_range(0..p.get())).chain([1]).collect() };
                let factors: Vec<Vec<u64>> = (0..kinds).map(|k| random(2 + k * most / kinds)).collect();
                let mut list = vec![];
                for _ in 0..count {
                    let some = (0..rng.random_range(1..4)).map(|_| factors[rng.random_range(0..kinds)].clone());
                    list.push(super::super::arithmetic::product(p, some.collect()).unwrap());
                }
                let expected = list.iter().fold(vec![1], |all, f| naive_lcm(p, &all, f));
                assert_eq!(lcm_of_all(p, list.clone(), &Silent).unwrap(), expected, "{count} of {kinds} mod {p}");
                list.reverse();
                let alone = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
                assert_eq!(alone.install(|| lcm_of_all(p, list, &Silent)).unwrap(), expected);
            }
            assert!(lcm_of_all(p, vec![vec![1, 1], vec![]], &Silent).unwrap().is_empty());
        }
    }

    /// Wants an end at some question.
    struct Ends(std::sync::atomic::AtomicUsize, usize);

    impl Observer for Ends {
        fn cancelled(&self) -> bool {
            self.0.fetch_add(1, std::sync::atomic::Ordering::Relaxed) >= self.1
        }
    }

    #[test]
    fn one_long_common_divisor_may_be_interrupted() {
        let p = Modulus::new(65521).unwrap();
        let mut rng = Rng::seed_from_u64(39);
        let [f, g] = [0, 1].map(|_| (0..4000).map(|_| rng.random_range(1..p.get())).collect::<Vec<u64>>());
        for n in [0, 1, 3, 5] {
            let found = lcm_of_all(p, vec![f.clone(), g.clone()], &Ends(0.into(), n));
            assert!(matches!(found, Err(crate::Error::Interrupted)), "{n}");
        }
    }
}
