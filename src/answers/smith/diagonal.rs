//! The Smith form of a diagonal matrix, from its entries with multiplicities.
//!
//! If they form a chain of divisors, they are the invariant factors. Otherwise they are written as products of powers
//! of pairwise coprime numbers b (E. Bach, J. Driscoll, J. Shallit, *Factor refinement*, J. Algorithms 15, 1993); every
//! prime divides one b at most, so that sorting the exponents of each b sorts those of its primes.

use crate::integers::large_gcd;
use crate::{Observer, Result, memory};
use num_bigint::BigUint;
use num_traits::{One, Zero};
use std::collections::BTreeMap;

/// What the memory is for.
const FACTORS: &str = "invariant factors";

/// Positive integers with multiplicities.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Diagonal(BTreeMap<BigUint, usize>);

impl Diagonal {
    /// Adds `count` times the entry d > 0.
    pub fn add(&mut self, d: BigUint, count: usize) {
        if count > 0 {
            *self.0.entry(d).or_default() += count;
        }
    }
    /// The entries, ascending, with multiplicities.
    pub fn entries(&self) -> impl ExactSizeIterator<Item = (&BigUint, usize)> {
        self.0.iter().map(|(d, &count)| (d, count))
    }
    /// How many entries there are.
    pub fn len(&self) -> usize {
        self.0.values().sum()
    }
    /// The invariant factors, ascending, with multiplicities.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory), [`Error::Interrupted`](crate::Error::Interrupted).
    pub fn invariant_factors(self, observer: &dyn Observer) -> Result<Vec<(BigUint, usize)>> {
        let mut chain: Vec<(BigUint, usize)> = memory::collect(self.0, FACTORS)?;
        if chain.windows(2).all(|pair| (&pair[1].0 % &pair[0].0).is_zero()) {
            return Ok(chain);
        }
        let rank = chain.iter().map(|e| e.1).sum();
        let mut base: Vec<BigUint> = vec![];
        for (d, _) in &chain {
            observer.check()?;
            refine(&mut base, d.clone());
        }
        let mut powers: Vec<Powers> = memory::with_capacity(base.len(), FACTORS)?;
        for b in &base {
            observer.check()?;
            powers.push(powers_of(b, &mut chain));
        }
        Ok(join(rank, powers))
    }
}

/// The powers of one of several coprime numbers in the invariant factors, descending, with multiplicities: without
/// those that are 1.
pub(super) type Powers = Vec<(BigUint, usize)>;

/// The invariant factors of a matrix of that rank: in each place the product of the powers.
pub(super) fn join(rank: usize, powers: Vec<Powers>) -> Vec<(BigUint, usize)> {
    let mut lists: Vec<_> = powers.into_iter().map(|list| list.into_iter().peekable()).collect();
    let (mut left, mut factors) = (rank, vec![]);
    while left > 0 {
        let heads = lists.iter_mut().filter_map(|list| list.peek());
        let (value, count) = heads.fold((BigUint::one(), left), |(v, count), e| (v * &e.0, count.min(e.1)));
        for list in &mut lists {
            if let Some(head) = list.peek_mut() {
                head.1 -= count;
            }
            list.next_if(|head| head.1 == 0);
        }
        factors.push((value, count));
        left -= count;
    }
    factors.reverse();
    factors
}

/// Adds the factors of d to pairwise coprime numbers above 1.
fn refine(base: &mut Vec<BigUint>, d: BigUint) {
    let mut open = vec![d];
    while let Some(x) = open.pop() {
        if x.is_one() {
            continue;
        }
        let shared = base.iter().enumerate().find_map(|(k, b)| {
            let g = large_gcd(b.clone(), x.clone());
            (!g.is_one()).then_some((k, g))
        });
        match shared {
            None => base.push(x),
            Some((k, g)) if g == base[k] => open.push(x / g),
            Some((k, g)) => {
                let b = base.swap_remove(k);
                open.extend([b / &g, x / &g, g]);
            }
        }
    }
}

/// The powers of b in numbers with multiplicities, of which they are divided out.
pub(super) fn powers_of(b: &BigUint, numbers: &mut [(BigUint, usize)]) -> Powers {
    let mut powers: BTreeMap<BigUint, usize> = BTreeMap::new();
    for (d, count) in numbers.iter_mut().filter(|number| !number.0.is_one()) {
        let mut power = BigUint::one();
        while (&*d % b).is_zero() {
            *d /= b;
            power *= b;
        }
        if !power.is_one() {
            *powers.entry(power).or_default() += *count;
        }
    }
    powers.into_iter().rev().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::Rng;
    use rand::{RngExt, SeedableRng};

    /// Greatest common divisors and least common multiples of all pairs.
    fn naive(mut d: Vec<u64>) -> Vec<u64> {
        for i in 0..d.len() {
            for j in i + 1..d.len() {
                let g = crate::integers::gcd(d[i], d[j]);
                (d[i], d[j]) = (g, d[i] / g * d[j]);
            }
        }
        d
    }

    #[test]
    fn diagonals_in_any_order() {
        let mut rng = Rng::seed_from_u64(9);
        for _ in 0..500 {
            let d: Vec<u64> = (0..rng.random_range(0..8)).map(|_| rng.random_range(1..200)).collect();
            let mut diagonal = Diagonal::default();
            d.iter().for_each(|&d| diagonal.add(d.into(), 1));
            assert_eq!(diagonal.len(), d.len());
            let found = diagonal.invariant_factors(&crate::Silent).unwrap();
            let listed = found.iter().flat_map(|(s, count)| std::iter::repeat_n(s.clone(), *count));
            assert!(listed.eq(naive(d.clone()).into_iter().map(BigUint::from)), "{d:?}: {found:?}");
            assert!(found.windows(2).all(|pair| pair[0].0 < pair[1].0));
        }
    }
}
