//! The determinant of a sparse matrix of which a divisor is known to others.

use super::cofactor::{Assembled, Cofactor, is_repeated};
use super::minor::{Primes, decompose};
use super::{Determinant, RankOptions, modular};
use crate::certify::{Domain, Streams};
use crate::field::Modulus;
use crate::integers::hadamard_log2;
use crate::report::{Phases, once};
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
}

impl<'a> Repeated<'a> {
    /// `None` if elimination does not stay sparse enough for that. The matrix is square and nonsingular.
    ///
    /// # Errors
    /// [`Error::Check`] if it looks singular, [`Error::Interrupted`], [`Error::Memory`].
    pub fn of(a: &'a Triplets, options: &RankOptions, observer: &'a dyn Observer) -> Result<Option<Self>> {
        let (n, digest) = (a.rows(), a.digest());
        let options = RankOptions { proven: false, error: None, ..options.clone() };
        let mut primes = Primes::new(&digest, options.seed, vec![]);
        let mut phases = Phases::default();
        loop {
            let p = primes.next()?;
            let (rank, minor) = decompose(a, p, &options, &mut phases, observer)?;
            if !is_repeated(n, minor.triangular()) {
                return Ok(None);
            }
            if rank.rank < n {
                continue;
            }
            let reduced = a.try_reduce(p)?;
            let determinant = || match minor.determinant(&reduced)? {
                Some(value) => Ok(value),
                None => {
                    let Determinant { value, .. } = modular::determinant(&reduced, &options, observer)?;
                    Ok(value)
                }
            };
            let residue = once("determinant", || (&digest, p.get()), observer, determinant)?;
            if residue == 0 {
                return Err(Error::Check(format!("a matrix that is nonsingular mod {p} with determinant 0")));
            }
            let chain = minor.triangular();
            return Ok(Some(Repeated { a, digest, options, observer, known: (p, residue), chain }));
        }
    }

    /// det A/d for a divisor d, proven, and the number of primes that took.
    ///
    /// # Errors
    /// [`Error::Interrupted`], [`Error::Memory`].
    pub fn cofactor(&self, divisor: &BigUint) -> Result<(BigInt, usize)> {
        let Repeated { a, digest, options, observer, known, chain } = self;
        let divisor = BigInt::from(divisor.clone());
        let hadamard_bits = hadamard_log2(a, a.rows())?;
        let cofactor =
            Cofactor { a, digest, divisor: &divisor, hadamard_bits, chain: *chain, options, observer: *observer };
        let mut rng = Streams::of_integers(digest, options.seed).stream(Domain::Primes, 2);
        let Assembled { value, primes, .. } = cofactor.assemble(*known, None, &mut rng, &mut Phases::default())?;
        Ok((value, primes))
    }
}
