//! A component without units: its rank, a nonsingular minor B of that order, a multiple of its last invariant factor,
//! and the local forms at what divides that.

use super::SmithOptions;
use super::beside::denominator;
use super::bound::{Ask, by_determinant};
use super::diagonal::join;
use super::lift::System;
use super::minors::{Chosen, Minors};
use super::parts::{Parts, is_coprime};
use super::powers::all_powers;
use super::unproven::{SMALL, Unproven};
use crate::answers::{RationalOptions, rational_rank};
use crate::certify::Certainty;
use crate::integers::hadamard_log2;
use crate::report::Kept;
use crate::sparse::Triplets;
use crate::words::counted;
use crate::{Error, Observer, Result, Step};
use num_bigint::BigUint;
use num_traits::One;
use std::time::Instant;

/// Minors that are taken, at most, as long as something is left that nobody can factor.
const MINORS: u64 = 3;

/// The invariant factors of a component, and how sure they are.
pub(super) struct Core {
    pub factors: Vec<(BigUint, usize)>,
    pub certainty: Certainty,
    /// How sure it is that no prime was missed, if the rank is right.
    pub primes: Certainty,
    pub reason: String,
    pub path: Vec<Step>,
}

/// The invariant factors of a component, from what was kept of it or now. `minors` is log₂ of a bound on its minors of
/// each order, of which more may be known than it shows itself.
///
/// # Errors
/// Those of [`rational_rank`], [`Error::Check`] if a computation contradicts itself; those of the observer's keeper.
pub(super) fn invariant_factors(
    a: &Triplets,
    minors: impl Fn(usize) -> f64,
    options: &SmithOptions,
    observer: &dyn Observer,
) -> Result<Core> {
    let key = || (a.digest(), options.rank.seed, options.rank.proven, options.error.log2());
    let kept = Kept::of("component", key, observer)?;
    if let Some((factors, (certainty, primes), reason)) = kept.load()? {
        return Ok(Core { factors, certainty, primes, reason, path: vec![] });
    }
    let core = compute(a, minors, options, observer)?;
    kept.complete(&(&core.factors, (core.certainty, core.primes), &core.reason))?;
    Ok(core)
}

fn compute(
    a: &Triplets,
    minors: impl Fn(usize) -> f64,
    options: &SmithOptions,
    observer: &dyn Observer,
) -> Result<Core> {
    // Half of the error is for the rank, half for the primes that matter.
    let error = options.error.share(2);
    let rational = RationalOptions::default().rank(options.rank.clone()).error(error);
    let over_q = rational_rank(a, &rational, observer)?;
    let (start, r, mut path) = (Instant::now(), over_q.rank, over_q.path);
    if let Some(limit) = options.rank.max_memory.filter(|&limit| 2 * System::memory(r) > limit) {
        let needed = (2 * System::memory(r)).div_ceil(1 << 20);
        return Err(Error::Memory(format!("systems of order {r} need {needed} MB, {} MB are allowed", limit >> 20)));
    }
    let digest = a.digest();
    let bits = hadamard_log2(a, r)?.min(minors(r));
    let minors = Minors { a, digest: &digest, r, bits, options: &options.rank, observer };
    let unproven = (minors.are_several() && !options.rank.proven)
        .then(|| Unproven::within(error, bits, MINORS as usize))
        .flatten();
    let Candidates { chosen, mut parts, words, beside } = candidates(&minors, unproven)?;
    path.push(step("last invariant factor", words, start));
    let powers = all_powers(&minors, &chosen, &mut parts, beside)?;
    let found = format!(
        "{}, {} cyclic, {} not factored",
        counted(parts.primes.len(), "prime"),
        counted(parts.cyclic.bits() - 1, "bit"),
        counted(parts.hard.bits() - 1, "bit")
    );
    path.push(step("local forms", found, start));
    let (mut primes, mut reason) = (Certainty::Proven, over_q.reason);
    if let Some(unproven) = unproven.filter(|_| !chosen.multiple.proven) {
        primes = Certainty::with_bound(unproven.error);
        let solutions = counted(unproven.solutions, "random system");
        reason += &format!(
            "; other primes than those seen: {solutions} of each of several minors, error <= {:.1e}",
            unproven.error.value()
        );
    }
    let certainty = over_q.certainty.and(primes);
    Ok(Core { factors: join(r, powers, observer)?, certainty, primes, reason, path })
}

fn step(name: &'static str, found: String, start: Instant) -> Step {
    let seconds = start.elapsed().as_secs_f64();
    Step { name, found, why: String::new(), rank: Some(0), predicted: None, seconds }
}

/// A minor and what may divide an invariant factor.
struct Candidates {
    chosen: Chosen,
    parts: Parts,
    words: String,
    /// At primes that do not divide this number, if it is known, the minor has the factors of the matrix.
    beside: Option<BigUint>,
}

/// Multiples of the last invariant factor: of one minor, and of others as long as something is left that nobody can
/// factor and that others do not have.
fn candidates(minors: &Minors, unproven: Option<Unproven>) -> Result<Candidates> {
    let mut ask = Ask { options: minors.options, unproven, bits: minors.bits };
    let mut chosen = minors.choose(0, &ask)?;
    let mut words = chosen.multiple.words.clone();
    if chosen.multiple.proven {
        ask.unproven = None;
    }
    let (mut parts, mut others) = (Parts::of(&chosen.multiple), vec![]);
    let Minors { a, digest, bits, options, observer, .. } = *minors;
    let beside = match parts.hard.is_one() {
        true => None,
        false => denominator(a, (digest, options.seed), &chosen, bits, (options.max_memory, observer))?,
    };
    while !parts.hard.is_one() && !is_coprime(beside.as_ref(), &parts.hard) && others.len() + 1 < MINORS as usize {
        let other = minors.choose(others.len() as u64 + 1, &ask)?.multiple;
        let before = parts.hard.bits();
        parts.narrow(&other);
        words += &format!("; of another minor {}", other.words);
        others.push(other);
        if parts.hard.bits() == before {
            break;
        }
    }
    if !chosen.multiple.proven {
        // No power of p that divides a minor exceeds the minor.
        SMALL.iter().for_each(|&p| parts.include(p, bits as u32 + 1));
    } else if !parts.hard.is_one() && chosen.multiple.cofactor.is_none() {
        let last = chosen.multiple.last.clone();
        chosen.multiple = by_determinant(&chosen.b, chosen.multiple, (&last, bits), observer)?;
        words.clone_from(&chosen.multiple.words);
        parts = Parts::of(&chosen.multiple);
        others.iter().for_each(|other| parts.narrow(other));
    }
    Ok(Candidates { chosen, parts, words, beside })
}
