//! Random primes, and minors that are nonsingular mod them.

use super::{Method, Rank, RankOptions, modular, rank};
use crate::certify::{Domain, Streams};
use crate::decomposition::Minor;
use crate::field::{Modulus, Rng, random_prime};
use crate::padic::{MAX_PRIME_BITS, System};
use crate::report::{Kept, Phases, once};
use crate::sparse::Triplets;
use crate::{Error, Observer, Result};

/// Primes in a row that may turn out to be bad: each is so with a probability of some 10⁻⁵ at most.
const MOST: usize = 100;

/// The share of the memory that the inverse of a minor may take: 1/2.
const INVERSE: u64 = 2;

/// The primes of one answer.
pub(super) struct Primes {
    /// Those that are taken before any is drawn.
    first: Vec<Modulus>,
    rng: Rng,
    taken: usize,
}

impl Primes {
    pub fn new(digest: &str, seed: u64, mut first: Vec<Modulus>) -> Primes {
        first.reverse();
        Primes { first, rng: Streams::of_integers(digest, seed).stream(Domain::Primes, 1), taken: 0 }
    }
    /// # Errors
    /// [`Error::Check`] after too many.
    pub fn next(&mut self) -> Result<Modulus> {
        self.taken += 1;
        if self.taken > MOST {
            return Err(Error::Check(format!("{MOST} primes in a row divide minors that are not 0")));
        }
        Ok(self.first.pop().unwrap_or_else(|| random_prime(MAX_PRIME_BITS, &mut self.rng)))
    }
}

/// The rank mod p with its minor.
pub(super) fn decompose(
    a: &Triplets,
    p: Modulus,
    options: &RankOptions,
    phases: &mut Phases,
    observer: &dyn Observer,
) -> Result<(Rank, Minor)> {
    let kept = Kept::of("minor", || (a.digest(), p.get()), observer)?;
    if let Some(((order, certainty, reason), lines)) = kept.load()? {
        let (rows, cols, chain): (Vec<u32>, Vec<u32>, usize) = lines;
        // What has no factors is inverted from its entries.
        let inverse = System::inverse_memory(rows.len().saturating_sub(chain));
        if options.max_memory.is_none_or(|limit| inverse <= limit / INVERSE) {
            let found = Rank::proven(order, Method::Elimination, reason, vec![], Phases::default());
            return Ok((Rank { certainty, ..found }, Minor::new(rows, cols, chain)));
        }
    }
    let reduced = phases.shown("reduce", observer, || a.try_reduce(p))?;
    let mut found = rank(&reduced, &RankOptions { minor: true, ..options.clone() }, observer)?;
    phases.extend(&found.phases);
    let minor = found.minor.take().ok_or_else(|| Error::Check("a rank without the minor asked for".into()))?;
    let lines = (minor.rows(), minor.cols(), minor.triangular());
    kept.complete(&((found.rank, found.certainty, &found.reason), lines))?;
    Ok((found, minor))
}

/// det A mod p, from a minor that is all of A.
pub(super) fn determinant_mod(
    a: &Triplets,
    (digest, p): (&str, Modulus),
    minor: &Minor,
    options: &RankOptions,
    phases: &mut Phases,
    observer: &dyn Observer,
) -> Result<u64> {
    let reduced = a.try_reduce(p)?;
    let make = || match phases.time("determinants mod p", || minor.determinant(&reduced))? {
        Some(value) => Ok(value),
        None => Ok(modular::determinant(&reduced, options, observer)?.value),
    };
    once("determinant", || (digest, p.get()), observer, make)
}

/// What is lifted.
pub(super) fn system(
    a: &Triplets,
    p: Modulus,
    minor: &Minor,
    options: &RankOptions,
    phases: &mut Phases,
    observer: &dyn Observer,
) -> Result<System> {
    observer.phase("inverse mod p", (minor.rows().len() - minor.triangular()) as u64);
    phases.time("inverse", || System::new(a, p, minor, options.max_memory.map(|bytes| bytes / INVERSE), observer))
}
