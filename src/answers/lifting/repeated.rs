//! The determinant of a sparse matrix of which a divisor is known to others.

use super::RankOptions;
use super::cofactor::{Assembled, Cofactor, PRIME_BITS, learn};
use super::minor::{Primes, decompose, determinant_mod};
use crate::certify::{Domain, Streams};
use crate::elimination::Replay;
use crate::field::Modulus;
use crate::integers::hadamard_log2;
use crate::report::Phases;
use crate::sparse::Triplets;
use crate::{Error, Observer, Result};
use num_bigint::{BigInt, BigUint};

/// A nonsingular matrix whose elimination stays sparse: it is learnt mod one prime and repeated mod many at once.
pub(in crate::answers) struct Repeated<'a> {
    a: &'a Triplets,
    digest: String,
    options: RankOptions,
    observer: &'a dyn Observer,
    /// A prime and the determinant mod it.
    known: (Modulus, u64),
    chain: usize,
    hadamard_bits: f64,
    replay: Replay,
}

impl<'a> Repeated<'a> {
    /// `None` if elimination does not stay sparse enough for that. The matrix is square and nonsingular, its
    /// determinant at most 2^bits.
    ///
    /// # Errors
    /// [`Error::Check`] if it looks singular, [`Error::Interrupted`], [`Error::Memory`].
    pub fn of(a: &'a Triplets, bits: f64, options: &RankOptions, observer: &'a dyn Observer) -> Result<Option<Self>> {
        let (n, digest) = (a.rows(), a.digest());
        let options = RankOptions { proven: false, error: None, ..options.clone() };
        let mut primes = Primes::new(&digest, options.seed, vec![]);
        let (hadamard_bits, mut phases) = (hadamard_log2(a, n)?.min(bits), Phases::default());
        loop {
            let p = primes.next()?;
            let (rank, minor) = decompose(a, p, &options, &mut phases, observer)?;
            if rank.rank < n {
                continue;
            }
            let chain = minor.triangular();
            let Some(replay) = learn(a, chain, (hadamard_bits / f64::from(PRIME_BITS)) as usize, observer)? else {
                return Ok(None);
            };
            let residue = determinant_mod(a, (&digest, p), &minor, &options, &mut phases, observer)?;
            if residue == 0 {
                return Err(Error::Check(format!("a matrix that is nonsingular mod {p} with determinant 0")));
            }
            return Ok(Some(Repeated {
                a,
                digest,
                options,
                observer,
                known: (p, residue),
                chain,
                hadamard_bits,
                replay,
            }));
        }
    }

    /// det A/d for a divisor d, proven, and the number of primes that took.
    ///
    /// # Errors
    /// [`Error::Interrupted`], [`Error::Memory`].
    pub fn cofactor(self, divisor: &BigUint) -> Result<(BigInt, usize)> {
        let Repeated { a, digest, options, observer, known, chain, hadamard_bits, replay } = self;
        let (digest, options, divisor) = (&digest[..], &options, &BigInt::from(divisor.clone()));
        let mut rng = Streams::of_integers(digest, options.seed).stream(Domain::Primes, 2);
        let cofactor = Cofactor { a, digest, divisor, hadamard_bits, chain, options, observer };
        let found = cofactor.assemble(known, None, Some(replay), &mut rng, &mut Phases::default())?;
        let Assembled { value, primes, .. } = found;
        Ok((value, primes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Silent;
    use crate::answers::integer_determinant;
    use crate::field::Rng;
    use num_traits::Zero;
    use rand::{RngExt, SeedableRng};

    /// Five diagonals, in any order of the rows.
    fn banded(n: usize, rng: &mut Rng) -> Triplets {
        let near = |i: usize| i.saturating_sub(2)..(i + 3).min(n);
        let entries: Vec<_> = (0..n)
            .flat_map(|i| near(i).map(move |j| (i * 7 % n, j)))
            .map(|(i, j)| (i, j, [-3i64, -2, 2, 3, 5][rng.random_range(0..5)]))
            .collect();
        Triplets::from_entries(n, n, entries)
    }

    #[test]
    fn banded_matrices_are_learnt_and_full_ones_are_not() {
        let (mut rng, options) = (Rng::seed_from_u64(61), RankOptions::default());
        let mut learnt = 0;
        for n in [20, 60, 101, 200, 300] {
            let a = banded(n, &mut rng);
            let expected = integer_determinant(&a, &options, &Silent).unwrap();
            if expected.value.is_zero() {
                continue;
            }
            for divisor in [BigInt::from(1), expected.divisor.clone(), expected.value.clone()] {
                let Some(repeated) = Repeated::of(&a, f64::INFINITY, &options, &Silent).unwrap() else { continue };
                learnt += 1;
                let (cofactor, primes) = repeated.cofactor(divisor.magnitude()).unwrap();
                assert_eq!(cofactor * BigInt::from(divisor.magnitude().clone()), expected.value, "{n}");
                assert!(primes > 0);
            }
        }
        assert!(learnt >= 6, "{learnt}");
        let n = 150;
        let places = (0..n * n).map(|k| (k / n, k % n, rng.random_range(2..9i64)));
        let full = Triplets::from_entries(n, n, places.collect::<Vec<_>>());
        assert!(Repeated::of(&full, f64::INFINITY, &options, &Silent).unwrap().is_none());
    }
}
