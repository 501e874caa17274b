//! det A/d for a known divisor d, from determinants mod primes.

use super::{RankOptions, modular};
use crate::elimination::{self, LANES, Replay};
use crate::field::{Modulus, Rng, random_prime};
use crate::integers::{Crt, Residues, bad_prime, primes_below};
use crate::parallel::Each;
use crate::report::{Certainty, ErrorBound, Phases, Quiet};
use crate::sparse::Triplets;
use crate::{Error, Observer, Result, memory};
use num_bigint::BigInt;
use rayon::prelude::*;

/// Bits of the primes: those of the fastest arithmetic.
pub(super) const PRIME_BITS: u32 = 31;
/// The most random primes that must agree in a row.
const MOST: u64 = 64;
/// Fewest primes for which the elimination is learnt and repeated …
const REPEATED: usize = 8;
/// … where the triangular chain leaves at most one line in so many.
const CORE: usize = 20;

/// What is sought: |det A| ≤ 2^hadamard_bits is a multiple of d.
pub(super) struct Cofactor<'a> {
    pub a: &'a Triplets,
    /// That of A.
    pub digest: &'a str,
    pub divisor: &'a BigInt,
    pub hadamard_bits: f64,
    /// The length of the triangular chain of a nonsingular minor: how sparse an elimination stays.
    pub chain: usize,
    pub options: &'a RankOptions,
    pub observer: &'a dyn Observer,
}

/// det A/d.
pub(super) struct Assembled {
    pub value: BigInt,
    pub primes: usize,
    pub certainty: Certainty,
}

impl Cofactor<'_> {
    /// Bits of the cofactor.
    pub fn bits(&self) -> u64 {
        // d ≥ 2^(its bits - 1).
        (self.hadamard_bits - (self.divisor.bits() - 1) as f64).max(0.0) as u64 + 1
    }

    /// The cofactor from its residue mod p and those mod further primes: random ones, until they agree or `error` is
    /// undercut, or with none the largest, until their product exceeds the bound. What was `learnt` before is repeated.
    pub fn assemble(
        &self,
        (p, residue): (Modulus, u64),
        error: Option<ErrorBound>,
        learnt: Option<Replay>,
        rng: &mut Rng,
        phases: &mut Phases,
    ) -> Result<Assembled> {
        let mut known = Crt::new();
        known.add(p, self.quotient(p, residue).expect("p does not divide the determinant"));
        let bits = self.bits();
        let is_enough = |known: &Crt| known.modulus().bits() >= bits + 2;
        let missing = ((bits + 2).saturating_sub(known.modulus().bits()) as usize).div_ceil(PRIME_BITS as usize - 1);
        let agreement = error.and_then(|error| self.agreement(error)).filter(|(k, _)| *k < missing);
        let learnt = match &agreement {
            None if learnt.is_some() => learnt,
            None if missing >= REPEATED => self.learn(missing, phases)?,
            _ => None,
        };
        self.observer.phase("determinants mod p", agreement.map_or(missing, |(k, _)| k) as u64);
        // Determinants mod a prime do not depend on how it was chosen.
        let group = learnt.as_ref().map_or(1, |_| LANES * rayon::current_num_threads());
        let residues = Residues::kept("determinants", || self.digest, group, self.observer)?;
        let mut largest = primes_below(1 << PRIME_BITS);
        let (mut value, mut in_a_row, mut primes) = (known.signed(), 0, 1);
        while !is_enough(&known) {
            self.observer.check()?;
            let group = match (&agreement, &learnt) {
                (Some((k, _)), _) => k - in_a_row,
                (None, Some(_)) => (LANES * rayon::current_num_threads()).min(missing),
                (None, None) => 1,
            };
            let mut fresh: Vec<Modulus> = vec![];
            while fresh.len() < group {
                let q = match &agreement {
                    Some(_) => random_prime(PRIME_BITS, rng),
                    None => Modulus::new(largest.next().expect("enough primes of 31 bits"))?,
                };
                // p has 30 bits; of random ones, those that were drawn twice are skipped.
                let used = known.modulus() % q.get() == 0u32.into() || fresh.contains(&q);
                if !used && q.reduce_bigint(self.divisor) != 0 {
                    fresh.push(q);
                }
            }
            let found = phases.time("determinants mod p", || {
                residues.modulo(&fresh, |primes| self.determinants(primes, learnt.as_ref()))
            })?;
            for (q, residue) in fresh.into_iter().zip(found) {
                // They come in order: no more are taken than it needs, however many were made together.
                if agreement.is_none() && is_enough(&known) {
                    break;
                }
                let residue = self.quotient(q, residue).expect("primes that divide d were skipped");
                let agrees = q.reduce_bigint(&value) == residue;
                known.add(q, residue);
                primes += 1;
                in_a_row = if agrees { in_a_row + 1 } else { 0 };
                if !agrees && agreement.is_some() {
                    value = known.signed();
                }
            }
            self.observer.progress(primes as u64);
            if let Some((_, error_bound)) = agreement.filter(|(k, _)| in_a_row >= *k && !is_enough(&known)) {
                let certainty = Certainty::with_bound(error_bound);
                return Ok(Assembled { value, primes, certainty });
            }
        }
        Ok(Assembled { value: known.signed(), primes, certainty: Certainty::Proven })
    }

    /// det/d mod q; `None` if q divides d.
    fn quotient(&self, q: Modulus, det: u64) -> Option<u64> {
        let d = q.reduce_bigint(self.divisor);
        (d != 0).then(|| q.mul(det, q.inv(d)))
    }

    /// How many random primes must agree in a row, and the probability that they do so with a wrong number: n·δᵏ, as in
    /// [`Multimodular`](crate::integers::Multimodular). Primes that divide d, or were drawn before, are skipped; so δ
    /// is the share of those that divide a wrong number's difference among the others: the primes that are skipped
    /// divide an integer of as many bits as d and the cofactor together, and some more.
    fn agreement(&self, error: ErrorBound) -> Option<(usize, ErrorBound)> {
        let bits = self.bits();
        let candidates = ((bits + 1) / u64::from(PRIME_BITS - 1) + 2) as usize;
        let excluded = bad_prime((self.divisor.bits() + bits + 1 + MOST * u64::from(PRIME_BITS)) as f64, PRIME_BITS)
            .map_or(0.0, ErrorBound::value);
        let delta = bad_prime((bits + 1) as f64, PRIME_BITS).map_or(0.0, ErrorBound::value) / (1.0 - excluded);
        let delta = ErrorBound::new(delta * (1.0 + 1e-9)).filter(|delta| !delta.is_vacuous())?;
        (1..=MOST as usize).map(|k| (k, delta.all(k).any(candidates))).find(|(_, chance)| *chance <= error)
    }

    /// The determinants mod some primes.
    fn determinants(&self, primes: &[Modulus], learnt: Option<&Replay>) -> Result<Vec<u64>> {
        let by_itself = |q: Modulus| -> Result<u64> {
            let (reduced, observer) = (self.a.try_reduce(q)?, Quiet(self.observer));
            let found = modular::determinant(&reduced, self.options, &observer)?;
            if found.certainty == Certainty::Proven {
                return Ok(found.value);
            }
            // A 0 is as sure as a rank, and here it has to be certain.
            Ok(modular::determinant(&reduced, &self.options.clone().proven(true), &observer)?.value)
        };
        let Some(replay) = learnt else { return primes.iter().map(|&q| by_itself(q)).collect() };
        let mut start = memory::zeros::<usize>(self.a.rows() + 1, "the offsets of the rows")?;
        self.a.entries().for_each(|(i, _, _)| start[i + 1] += 1);
        (0..self.a.rows()).for_each(|i| start[i + 1] += start[i]);
        let groups: Vec<Vec<u64>> = primes.par_chunks(LANES).try_make(|group| {
            self.observer.check()?;
            let found = replay.determinants(group, |i, each| {
                for (_, j, v) in self.a.entries_in(start[i as usize]..start[i as usize + 1]) {
                    match v {
                        crate::sparse::Integer::Small(v) => each(j as u32, &|q| q.reduce_i64(v)),
                        crate::sparse::Integer::Big(v) => each(j as u32, &|q| q.reduce_bigint(&v)),
                    }
                }
            })?;
            found.into_iter().zip(group).map(|(det, &q)| det.map_or_else(|| by_itself(q), Ok)).collect()
        })?;
        Ok(groups.concat())
    }

    /// The pivots of an elimination that stays sparse, to be repeated mod so many other primes.
    fn learn(&self, primes: usize, phases: &mut Phases) -> Result<Option<Replay>> {
        phases.time("determinants mod p", || learn(self.a, self.chain, primes, self.observer))
    }
}

/// An elimination of A, to be repeated mod so many primes: `None` if it does not stay sparse.
///
/// # Errors
/// [`Error::Interrupted`], [`Error::Memory`].
pub(super) fn learn(a: &Triplets, chain: usize, primes: usize, observer: &dyn Observer) -> Result<Option<Replay>> {
    let products = if is_repeated(a.rows(), chain) { u64::MAX } else { worth_learning(a.rows(), primes) };
    // Each entry beyond one a row is met once at least, as a rule.
    if (a.nnz() as u64).saturating_sub(a.rows() as u64) > products {
        return Ok(None);
    }
    let p = Modulus::new((1 << PRIME_BITS) - 1)?;
    let reduced = a.try_reduce(p)?;
    let Some(found) = elimination::determinant_within(&reduced, products, observer)? else { return Ok(None) };
    // A prime that hides entries or the rank teaches nothing.
    if found.value == 0 || reduced.nnz() < a.nnz() {
        return Ok(None);
    }
    Replay::new(&found.pivots, |i| reduced.row(i as usize).0).map(Some)
}

/// Multiply-adds of a sparse elimination of order n that is worth learning: it takes an eighth of the time of dense
/// eliminations mod so many primes at most, and repeating it a quarter of theirs. Those take n³/3 multiply-adds, each
/// 200 times as fast as those of an elimination that is learnt, and five times as fast as those that are repeated.
fn worth_learning(n: usize, primes: usize) -> u64 {
    let cubed = (n as u128).pow(3);
    memory::saturated((cubed * primes as u128 / (3 * 8 * 200)).min(cubed / (3 * 4 * 5)))
}

/// Whether an elimination of order n is learnt and repeated, if its triangular chain is so long.
pub(super) fn is_repeated(n: usize, chain: usize) -> bool {
    (n - chain) * CORE <= n
}

/// # Errors
/// [`Error::Matrix`] unless the matrix is square.
pub(super) fn check_square(a: &Triplets) -> Result<()> {
    let (rows, cols) = (a.rows(), a.cols());
    if rows == cols {
        Ok(())
    } else {
        Err(Error::Matrix(format!("{rows} x {cols}: a determinant is of a square matrix")))
    }
}
