//! The Smith form of a diagonal matrix, from its entries with multiplicities.
//!
//! If they form a chain of divisors, they are the invariant factors. Otherwise small primes are divided out, and what
//! they leave is written as products of powers of pairwise coprime numbers b ([`coprime_base`]); every prime divides
//! one b at most, so that sorting the exponents of each b sorts those of its primes. Nothing is factored further.

use crate::field::is_prime;
use crate::integers::{coprime_base, exponents, large_gcd, product};
use crate::parallel::Each;
use crate::{Error, Observer, Result, memory};
use num_bigint::BigUint;
use num_traits::{One, ToPrimitive, Zero};
use rayon::prelude::*;
use std::collections::BTreeMap;

/// What the memory is for.
const FACTORS: &str = "invariant factors";
/// Primes below are divided out one by one.
const SMALL: u32 = 1 << 12;

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
        observer.phase("invariant factors", 0);
        let mut powers = small_primes(&mut chain, observer)?;
        chain.retain(|e| !e.0.is_one());
        // Equal ones are one number.
        chain.sort_unstable();
        chain.dedup_by(|next, kept| {
            next.0 == kept.0 && {
                kept.1 += next.1;
                true
            }
        });
        let (numbers, counts): (Vec<BigUint>, Vec<usize>) = chain.into_iter().unzip();
        let base = coprime_base(&numbers, observer)?;
        let found = exponents(&numbers, &base, observer)?
            .ok_or_else(|| Error::Check("a number is no product of its coprime base".into()))?;
        let mut often: Vec<BTreeMap<u32, usize>> = memory::with_capacity(base.len(), FACTORS)?;
        often.resize_with(base.len(), BTreeMap::new);
        for (list, count) in found.into_iter().zip(counts) {
            list.into_iter().for_each(|(k, exponent)| *often[k].entry(exponent).or_default() += count);
        }
        powers.par_extend(base.par_iter().zip(often).map(|(b, often)| as_powers(b, often)));
        join(rank, powers, observer)
    }
}

/// The powers of one of several coprime numbers in the invariant factors, descending, with multiplicities: without
/// those that are 1.
pub(super) type Powers = Vec<(BigUint, usize)>;

/// The powers of b, which occurs so often with each exponent.
fn as_powers(b: &BigUint, often: BTreeMap<u32, usize>) -> Powers {
    often.into_iter().rev().map(|(exponent, count)| (b.pow(exponent), count)).collect()
}

/// Divides the primes below [`SMALL`] out of numbers with multiplicities: their powers.
fn small_primes(numbers: &mut [(BigUint, usize)], observer: &dyn Observer) -> Result<Vec<Powers>> {
    let primes: Vec<u32> = (2..SMALL).filter(|&p| is_prime(p.into())).collect();
    let all = product(&primes.iter().map(|&p| p.into()).collect::<Vec<_>>());
    let mut powers = vec![];
    let mut often: Vec<BTreeMap<u32, usize>> = vec![BTreeMap::new(); primes.len()];
    for batch in numbers.chunks_mut(SMALL as usize) {
        observer.check()?;
        let divide = |(d, count): &mut (BigUint, usize)| {
            let mut radical = large_gcd(d.clone(), &all % &*d);
            let mut own = vec![];
            for (k, &p) in primes.iter().enumerate() {
                if radical.is_one() {
                    break;
                }
                let divides =
                    radical.to_u64().map_or_else(|| (&radical % p).is_zero(), |word| word % u64::from(p) == 0);
                if divides {
                    radical /= p;
                    let mut exponent = 0;
                    while (&*d % p).is_zero() {
                        *d /= p;
                        exponent += 1;
                    }
                    own.push((k, exponent, *count));
                }
            }
            own
        };
        let found: Vec<Vec<(usize, u32, usize)>> = batch.par_iter_mut().make(divide);
        found.into_iter().flatten().for_each(|(k, exponent, count)| *often[k].entry(exponent).or_default() += count);
    }
    for (&p, often) in primes.iter().zip(often).filter(|e| !e.1.is_empty()) {
        powers.push(as_powers(&p.into(), often));
    }
    Ok(powers)
}

/// The invariant factors of a matrix of that rank: in each place the product of the powers.
///
/// # Errors
/// [`Error::Interrupted`](crate::Error::Interrupted).
pub(super) fn join(rank: usize, powers: Vec<Powers>, observer: &dyn Observer) -> Result<Vec<(BigUint, usize)>> {
    // Those whose next power is not 1, and where that is.
    let mut lists: Vec<(Powers, usize)> =
        powers.into_iter().filter(|list| !list.is_empty()).map(|list| (list, 0)).collect();
    let (mut left, mut factors) = (rank, vec![]);
    while left > 0 {
        observer.check()?;
        let count = lists.iter().map(|(list, at)| list[*at].1).min().unwrap_or(left).min(left);
        let heads: Vec<BigUint> = lists.iter().map(|(list, at)| list[*at].0.clone()).collect();
        factors.push((product(&heads), count));
        for (list, at) in &mut lists {
            list[*at].1 -= count;
            *at += usize::from(list[*at].1 == 0);
        }
        lists.retain(|(list, at)| *at < list.len());
        left -= count;
    }
    factors.reverse();
    Ok(factors)
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

    #[test]
    fn numbers_that_nobody_factors_are_told_apart_where_they_differ() {
        // Products of few large primes and of their powers, in any combination, with small ones.
        let primes = [(1u128 << 61) - 1, (1 << 89) - 1, (1 << 107) - 1, (1 << 31) - 1, 4093, 4099, 2, 3];
        let mut rng = Rng::seed_from_u64(10);
        for _ in 0..100 {
            let mut diagonal = Diagonal::default();
            let mut sorted = vec![vec![]; primes.len()];
            let count = rng.random_range(1..30);
            for _ in 0..count {
                let mut d = BigUint::one();
                for (p, exponents) in primes.iter().zip(&mut sorted) {
                    let exponent = [0, 0, 0, 1, 1, 2, 5][rng.random_range(0..7)];
                    d *= BigUint::from(*p).pow(exponent);
                    exponents.push(exponent);
                }
                diagonal.add(d, 1);
            }
            sorted.iter_mut().for_each(|exponents| exponents.sort_unstable());
            let in_place = |k: usize| -> BigUint {
                primes.iter().zip(&sorted).map(|(p, exponents)| BigUint::from(*p).pow(exponents[k])).product()
            };
            let found = diagonal.invariant_factors(&crate::Silent).unwrap();
            let listed = found.iter().flat_map(|(s, count)| std::iter::repeat_n(s.clone(), *count));
            assert!(listed.eq((0..count).map(in_place)), "{found:?}");
        }
    }

    #[test]
    fn thousands_of_random_numbers() {
        // Neighbouring factors divide, the first has what all share, the product stays.
        let mut rng = Rng::seed_from_u64(11);
        let numbers: Vec<BigUint> =
            (0..2000).map(|_| BigUint::from(rng.random::<u128>() >> rng.random_range(0..100)) + 1u32).collect();
        let mut diagonal = Diagonal::default();
        numbers.iter().for_each(|d| diagonal.add(d.clone(), 1));
        let found = diagonal.invariant_factors(&crate::Silent).unwrap();
        assert!(found.windows(2).all(|pair| (&pair[1].0 % &pair[0].0).is_zero() && pair[0].0 < pair[1].0));
        assert_eq!(found.iter().map(|e| e.1).sum::<usize>(), numbers.len());
        let all: Vec<BigUint> = found.iter().map(|(s, count)| s.pow(*count as u32)).collect();
        assert_eq!(product(&all), product(&numbers));
        let common = numbers
            .iter()
            .fold(BigUint::ZERO, |l, d| if l.is_zero() { d.clone() } else { &l / large_gcd(l.clone(), d.clone()) * d });
        assert_eq!(found.last().unwrap().0, common);
    }
}
