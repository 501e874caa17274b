//! The multimodular driver: an integer from its residues modulo primes, one after the other or many at once.
//!
//! **Until the bound** ([`Multimodular::proven`]): |x| ≤ 2ʰ and M = Π pᵢ > 2ʰ⁺¹ leave exactly one integer.
//!
//! **Until primes agree** ([`Multimodular::agreed`]): the candidate v is the representative mod M of least absolute
//! value. While M ≤ 2ʰ⁺¹, it is at most 2ʰ in absolute value. If v ≠ x, a further prime agrees, v ≡ x mod p, only if it
//! divides v - x ≠ 0, which is at most 2ʰ⁺¹ in absolute value: a random prime of b bits with probability δ at most
//! ([`bad_prime`] for h + 1 bits), whatever the primes before it were. The candidate changes only with a prime that
//! does not agree, which makes M at least 2^(b-1) times as large: there are at most n = ⌊(h+1)/(b-1)⌋ + 1 wrong
//! candidates. Hence the first candidate with which k primes in a row agree is wrong with probability at most
//!
//! **n·δᵏ**, and k is the least number that makes this acceptable to the caller
//!
//! (E. Kaltofen, *An output-sensitive variant of the baby steps/giant steps determinant algorithm*, ISSAC 2002, for the
//! idea). Hypothesis: the primes are drawn independently of x. If M exceeds the bound first, the integer is proven.

use super::{Bound, Crt, Product, bad_prime, primes_for};
use crate::field::{Modulus, Rng, random_prime};
use crate::parallel::Each;
use crate::report::ErrorBound;
use crate::{Error, Observer, Result};
use num_bigint::{BigInt, BigUint};
use num_traits::One;
use rayon::prelude::*;
use std::sync::atomic::{AtomicU64, Ordering};

/// An unknown integer x, and the primes that determine it.
#[derive(Clone, Copy)]
pub struct Multimodular<'o> {
    /// Of |x|.
    pub bound: Bound,
    /// The size of the primes, at most 63 bits: the largest below 2^prime_bits, or random ones with that many bits.
    pub prime_bits: u32,
    /// How many residues are computed at once.
    pub group: usize,
    /// The name of the phase that the observer sees, with the number of primes.
    pub phase: &'static str,
    /// Is notified of the number of primes done, and may stop the work.
    pub observer: &'o dyn Observer,
}

/// An integer reconstructed from its residues.
#[derive(Clone, Debug, PartialEq)]
pub struct Assembled {
    /// The integer.
    pub value: BigInt,
    /// The primes, in the order taken.
    pub moduli: Vec<Modulus>,
    /// A bound on the probability that it is wrong; `None` if it is proven.
    pub error: Option<ErrorBound>,
}

impl Multimodular<'_> {
    /// The integer, proven by the largest primes below 2^prime_bits: as many as the bound requires. `residues` returns
    /// x modulo each prime of a group. Groups run in parallel on the current rayon pool.
    ///
    /// # Errors
    /// [`Error::Interrupted`], and those of `residues`.
    ///
    /// # Panics
    /// If there are not enough such primes, or `residues` returns the wrong number of residues.
    pub fn proven(&self, residues: impl Fn(&[Modulus]) -> Result<Vec<u64>> + Sync) -> Result<Assembled> {
        let primes = primes_for(self.bound.bits + 1, &BigUint::one(), 1 << self.prime_bits);
        let moduli: Vec<Modulus> = primes.into_iter().map(Modulus::new).collect::<Result<_>>()?;
        self.observer.phase(self.phase, moduli.len() as u64);
        let done = AtomicU64::new(0);
        let groups: Vec<Vec<u64>> = moduli.par_chunks(self.group).try_make(|group| {
            self.observer.check()?;
            let values = residues(group)?;
            assert_eq!(values.len(), group.len(), "a residue for each prime");
            let count = group.len() as u64;
            self.observer.progress(count + done.fetch_add(count, Ordering::Relaxed));
            Ok::<_, Error>(values)
        })?;
        let mut known = Crt::new();
        moduli.iter().zip(groups.iter().flatten()).for_each(|(&p, &residue)| known.add(p, residue));
        Ok(Assembled { value: known.signed(), moduli, error: None })
    }

    /// The integer by random primes of prime_bits bits: once enough in a row agree for it to be wrong with probability
    /// at most `error`, or once it is proven. `residues` returns x modulo each prime of a group, one group after the
    /// other.
    ///
    /// # Errors
    /// As [`Multimodular::proven`].
    ///
    /// # Panics
    /// Unless 6 ≤ prime_bits ≤ 63; if an integer within twice the bound may be a multiple of all primes of that size;
    /// if `residues` returns the wrong number of residues.
    ///
    /// This is meant for integers far below their bound, such as determinants; permanents are close to theirs, and are
    /// proven.
    pub fn agreed(
        &self,
        error: ErrorBound,
        rng: &mut Rng,
        mut residues: impl FnMut(&[Modulus]) -> Result<Vec<u64>>,
    ) -> Result<Assembled> {
        let enough = agreement(self.bound.bits, self.prime_bits, error);
        self.observer.phase(self.phase, 0);
        let (mut known, mut product, mut moduli) = (Crt::new(), Product::new(), vec![]);
        let (mut value, mut in_a_row) = (BigInt::ZERO, 0);
        loop {
            self.observer.check()?;
            let drawn: Vec<Modulus> = (0..self.group).map(|_| random_prime(self.prime_bits, rng)).collect();
            let mut fresh = vec![];
            for &p in &drawn {
                if !product.contains(p.get()) && !fresh.contains(&p) {
                    fresh.push(p);
                }
            }
            let values = if fresh.is_empty() { vec![] } else { residues(&fresh)? };
            assert_eq!(values.len(), fresh.len(), "a residue for each prime");
            let mut fresh = fresh.into_iter().zip(values).peekable();
            for p in drawn {
                // A prime that was drawn before agrees: it divides v - x.
                let new = fresh.next_if(|(q, _)| *q == p);
                let agrees = new.is_none_or(|(_, residue)| residue == p.reduce_bigint(&value));
                in_a_row = if agrees { in_a_row + 1 } else { 0 };
                if let Some((_, residue)) = new {
                    known.add(p, residue);
                    product.add(p.get());
                    moduli.push(p);
                    if !agrees {
                        value = known.signed();
                    }
                }
                if product.exceeds((self.bound.bits + 1) as f64) {
                    return Ok(Assembled { value, moduli, error: None });
                }
                if let Some((_, error)) = enough.filter(|(k, _)| in_a_row >= *k) {
                    return Ok(Assembled { value, moduli, error: Some(error) });
                }
            }
            self.observer.progress(moduli.len() as u64);
        }
    }
}

/// The least k with n·δᵏ ≤ `error` for |x| ≤ 2^bits, and n·δᵏ; `None` where the bound is reached before that many
/// primes agree.
fn agreement(bits: u64, prime_bits: u32, error: ErrorBound) -> Option<(usize, ErrorBound)> {
    let bad = bad_prime((bits + 1) as f64, prime_bits)?;
    assert!(!bad.is_vacuous(), "integers of {bits} bits may be multiples of all primes of {prime_bits}");
    let candidates = ((bits + 1) / u64::from(prime_bits - 1) + 1) as usize;
    (1..=candidates).map(|k| (k, bad.all(k).any(candidates))).find(|(_, chance)| *chance <= error)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Silent;
    use rand::{RngExt, SeedableRng};
    use std::sync::Mutex;

    fn driver(bits: u64, prime_bits: u32, group: usize) -> Multimodular<'static> {
        let bound = Bound { bits, rule: "given" };
        Multimodular { bound, prime_bits, group, phase: "residues", observer: &Silent }
    }

    fn residues(x: &BigInt, primes: &[Modulus]) -> Result<Vec<u64>> {
        Ok(primes.iter().map(|p| p.reduce_bigint(x)).collect())
    }

    /// The integers at the edges of a bound, and 0.
    fn edges(bits: u64) -> Vec<BigInt> {
        let edge = BigInt::one() << bits;
        vec![edge.clone(), -edge.clone(), &edge - 1, 1 - &edge, BigInt::ZERO, BigInt::from(-1)]
    }

    #[test]
    fn integers_up_to_the_bound_come_back_and_are_proven() {
        for prime_bits in [8, 31, 63] {
            for bits in [0, 1, 29, 30, 31, 64, 150] {
                for x in edges(bits) {
                    for group in [1, 3, 16] {
                        let found = driver(bits, prime_bits, group).proven(|primes| residues(&x, primes)).unwrap();
                        assert_eq!((&found.value, found.error), (&x, None), "{bits} bits by {prime_bits}");
                        let product: BigUint = found.moduli.iter().map(|p| BigUint::from(p.get())).product();
                        let rest = &product / found.moduli.last().unwrap().get();
                        let enough = BigUint::one() << (bits + 1);
                        assert!(product > enough && rest <= enough, "as many primes as it takes");
                    }
                }
            }
        }
    }

    #[test]
    fn primes_come_in_groups_and_the_largest_first() {
        let groups = Mutex::new(vec![]);
        let found = driver(200, 31, 3)
            .proven(|primes| {
                groups.lock().unwrap().push(primes.len());
                residues(&7.into(), primes)
            })
            .unwrap();
        let mut sizes = groups.into_inner().unwrap();
        sizes.sort_unstable();
        assert_eq!((sizes, found.moduli.len(), found.moduli[0].get()), (vec![1, 3, 3], 7, (1 << 31) - 1));
        assert!(found.moduli.windows(2).all(|p| p[0].get() > p[1].get()));
    }

    #[test]
    fn primes_agree_long_before_the_bound() {
        let error = ErrorBound::of_bits(60);
        for (prime_bits, most) in [(31, 10), (62, 6)] {
            for seed in 0..40u64 {
                let mut rng = Rng::seed_from_u64(seed);
                let size = seed % 100;
                let x = (BigInt::one() << size) * rng.random_range(-5..6) + rng.random_range(-5..6);
                let group = 1 + seed as usize % 4;
                let found = driver(10_000, prime_bits, group).agreed(error, &mut rng, |p| residues(&x, p)).unwrap();
                assert_eq!(found.value, x);
                assert!(found.error.unwrap() <= error && found.moduli.len() <= most, "{found:?}");
            }
        }
    }

    #[test]
    fn what_is_as_large_as_its_bound_is_proven_by_random_primes_too() {
        for bits in [0, 1, 29, 30, 61, 64, 300] {
            for (seed, x) in (0..).zip(edges(bits)) {
                let mut rng = Rng::seed_from_u64(seed);
                let found =
                    driver(bits, 31, 2).agreed(ErrorBound::of_bits(100), &mut rng, |p| residues(&x, p)).unwrap();
                assert_eq!(found.value, x, "{bits} bits");
                assert!(found.error.is_none_or(|_| x.bits() < 2), "only 0 and -1 are found before their bound");
            }
        }
    }

    /// Small primes, so that accidents are frequent enough to observe: the fraction of wrong integers is below n·δᵏ.
    #[test]
    fn wrong_integers_are_as_rare_as_stated() {
        let (bits, prime_bits) = (40, 10);
        // All 75 primes of ten bits, that is from 512 on; a product of four of them stays below 2⁴⁰.
        let primes: Vec<u64> = (512..1024).filter(|&n| crate::field::is_prime(n)).collect();
        let x: BigInt = primes[..4].iter().map(|&p| BigInt::from(p)).product();
        assert!(x.bits() <= bits && primes.len() == 75);
        let (k, stated) = agreement(bits, prime_bits, ErrorBound::new(0.5).unwrap()).unwrap();
        let (mut wrong, rounds) = (0, 20_000);
        for seed in 0..rounds {
            let mut rng = Rng::seed_from_u64(seed);
            let found = driver(bits, prime_bits, 1)
                .agreed(ErrorBound::new(0.5).unwrap(), &mut rng, |p| residues(&x, p))
                .unwrap();
            assert!(found.value == x || found.error == Some(stated), "proven and wrong");
            wrong += u64::from(found.value != x);
        }
        // The candidate 0, with which exactly four of the 75 primes agree.
        let zero = (4.0 / 75.0f64).powi(k as i32);
        let share = wrong as f64 / rounds as f64;
        assert!(
            share > zero / 2.0 && share < stated.value(),
            "{share} of {} stated, {zero} by 0 alone",
            stated.value()
        );
    }

    #[test]
    fn the_number_of_primes_that_agree_is_the_least() {
        for (bits, prime_bits, error) in [(1000, 31, 60), (1000, 62, 60), (1000, 62, 500), (5, 6, 1), (100_000, 31, 40)]
        {
            let error = ErrorBound::of_bits(error);
            let Some((k, stated)) = agreement(bits, prime_bits, error) else {
                assert!(bits < 10, "{bits} bits");
                continue;
            };
            let n = ((bits + 1) / u64::from(prime_bits - 1) + 1) as usize;
            let delta = bad_prime((bits + 1) as f64, prime_bits).unwrap();
            assert!(stated <= error && stated == delta.all(k).any(n));
            assert!(k == 1 || delta.all(k - 1).any(n) > error);
        }
        // One prime is above twice the bound.
        assert_eq!(agreement(20, 31, ErrorBound::of_bits(10)), None);
    }

    #[test]
    fn errors_and_wishes_to_stop_come_through() {
        struct Stop;
        impl Observer for Stop {
            fn cancelled(&self) -> bool {
                true
            }
        }
        let stopped = Multimodular { observer: &Stop, ..driver(100, 31, 2) };
        let mut rng = Rng::seed_from_u64(1);
        let error = ErrorBound::of_bits(10);
        assert!(matches!(stopped.proven(|p| residues(&1.into(), p)), Err(Error::Interrupted)));
        assert!(matches!(stopped.agreed(error, &mut rng, |p| residues(&1.into(), p)), Err(Error::Interrupted)));
        let refuse = |_: &[Modulus]| Err(Error::Memory("none".into()));
        assert!(matches!(driver(100, 31, 2).proven(refuse), Err(Error::Memory(_))));
        assert!(matches!(driver(100, 31, 2).agreed(error, &mut rng, refuse), Err(Error::Memory(_))));
    }

    #[test]
    #[should_panic(expected = "a residue for each prime")]
    fn residues_that_are_missing_are_told() {
        let _ = driver(100, 31, 2).proven(|_| Ok(vec![1]));
    }
}
