//! The powers of primes in the invariant factors, from a multiple of the last one that is taken apart.
//!
//! For each prime first its rank, which says all if it divides no factor, or each once. Then, at primes where the
//! factors are those of the minor ([`super::beside`]), projections of its inverse ([`super::projection`]); and
//! elimination for what these leave: in ℤ/pᵏ ([`super::local`]), or mod what nobody factored ([`super::modular`]).

use super::RankOptions;
use super::beside::denominator;
use super::cyclic::cyclic;
use super::diagonal::Powers;
use super::local::valuations;
use super::minors::{Chosen, Minors};
use super::modular::smith_mod;
use super::parts::{Parts, Prime, is_coprime, shared_part};
use super::projection::{Open, Projection};
use crate::answers::rank;
use crate::certify::Certainty;
use crate::field::Modulus;
use crate::report::once;
use crate::sparse::Triplets;
use crate::{Error, Observer, Result, memory};
use num_bigint::BigUint;
use num_traits::One;

/// Bytes of a number of any size beside its digits.
const BIG: u64 = 32;
/// Primes for which it is worth looking at the lines beside a minor.
const SEVERAL: usize = 3;

/// The powers of all primes that may divide an invariant factor, for a matrix with this minor; at primes that do
/// not divide `beside`, if that is known, the minor has the same.
///
/// # Errors
/// [`Error::Check`] if a computation contradicts itself, [`Error::Interrupted`], [`Error::Memory`].
pub(super) fn all_powers(
    &Minors { a, digest, r, bits, options, observer }: &Minors,
    chosen: &Chosen,
    parts: &mut Parts,
    beside: Option<BigUint>,
) -> Result<Vec<Powers>> {
    let Chosen { rows, cols, b, multiple } = chosen;
    let mut powers = vec![];
    if !parts.cyclic.is_one() {
        let (s, missing) = cyclic(a, (rows, cols), multiple, &parts.cyclic)?;
        parts.give_up(&missing);
        if !s.is_one() {
            powers.push(vec![(s, 1)]);
        }
    }
    let mut open: Open = vec![];
    for &prime in &parts.primes {
        let Prime { p, exponent, .. } = prime;
        let form = || by_rank(a, prime, r, options, observer);
        match once("multiples", || (digest, p, exponent, r), observer, form)? {
            (Some(told), _) => powers.push(told),
            (None, multiples) => open.push((prime, multiples)),
        }
    }
    let beside = match multiple.cofactor.is_some() && beside.is_none() && open.len() >= SEVERAL {
        true => denominator(a, (digest, options.seed), chosen, bits, (options.max_memory, observer))?,
        false => beside,
    };
    // At primes where the factors are those of the minor, whose determinant is known.
    let beside = beside.filter(|_| multiple.cofactor.is_some());
    let beside = beside.as_ref();
    let hard = if is_coprime(beside, &parts.hard) { parts.hard.clone() } else { BigUint::one() };
    let (mut inside, outside): (Open, Open) =
        open.into_iter().partition(|(prime, _)| is_coprime(beside, &prime.p.into()));
    let mut settled = None;
    if !(inside.is_empty() && hard.is_one()) {
        let primes = inside.iter().fold(hard.clone(), |all, (prime, _)| all * prime.p);
        let mut projection =
            Projection::new((b, bits), (digest, options.seed), multiple, &primes, (options.max_memory, observer))?;
        let (told, left) = projection.tell_apart(inside, a.rows() * a.cols())?;
        powers.extend(told);
        inside = left;
        if !hard.is_one() {
            settled = projection.parts(&shared_part(&multiple.whole(), &hard))?;
        }
    }
    for (Prime { p, exponent, .. }, _) in inside.into_iter().chain(outside) {
        let form = || {
            check_table(a, 4, options.max_memory)?;
            local(a, p, exponent, r, observer)
        };
        powers.push(once("local-form", || (digest, p, exponent, r), observer, form)?);
    }
    if !parts.hard.is_one() {
        let hard = || by_elimination(a, &parts.hard, r, options, observer);
        powers.push(match settled {
            Some(settled) => settled,
            None => once("local-form", || (digest, &parts.hard, r), observer, hard)?,
        });
    }
    Ok(powers)
}

/// The powers at the primes of a number that nobody factored.
fn by_elimination(
    a: &Triplets,
    hard: &BigUint,
    r: usize,
    options: &RankOptions,
    observer: &dyn Observer,
) -> Result<Powers> {
    // Each prime twice as often as in any invariant factor.
    check_table(a, BIG + hard.bits().div_ceil(4), options.max_memory)?;
    let found = smith_mod(a, &hard.pow(2), r, observer)?;
    let other = || Error::Check(format!("the form mod N of a matrix of rank {r} has another rank"));
    Ok(as_powers(found.ok_or_else(other)?))
}

/// Refuses a table of all places of the component that takes more than is allowed.
fn check_table(a: &Triplets, place: u64, limit: Option<u64>) -> Result<()> {
    let needed = memory::saturated(u128::from(place) * a.rows() as u128 * a.cols() as u128);
    match limit.filter(|&limit| needed > limit) {
        None => Ok(()),
        Some(limit) => Err(Error::Memory(format!(
            "a table of {} x {} takes {} MB, {} MB are allowed",
            a.rows(),
            a.cols(),
            needed.div_ceil(1 << 20),
            limit >> 20
        ))),
    }
}

/// The powers of p by the rank mod p, where that says all, and how many invariant factors are multiples of p: r - rank,
/// or fewer if the rank is not proven.
fn by_rank(
    a: &Triplets,
    Prime { p, exponent, of_product }: Prime,
    r: usize,
    options: &RankOptions,
    observer: &dyn Observer,
) -> Result<(Option<Powers>, usize)> {
    let found = rank(
        &a.try_reduce(Modulus::new(p)?)?,
        &RankOptions { minor: false, proven: false, ..options.clone() },
        observer,
    )?;
    let multiples = r.checked_sub(found.rank);
    let multiples = multiples.ok_or_else(|| Error::Check(format!("rank {} mod {p}, but {r} over Q", found.rank)))?;
    // No rank that is found exceeds the true one.
    if multiples == 0 {
        return Ok((Some(vec![]), 0));
    }
    let once_each = exponent == 1 || (of_product && exponent as usize == multiples);
    let told = (once_each && found.certainty == Certainty::Proven).then(|| vec![(p.into(), multiples)]);
    Ok((told, multiples))
}

/// The powers of p in the invariant factors of a matrix of rank r, none above p^most.
fn local(a: &Triplets, p: u64, most: u32, r: usize, observer: &dyn Observer) -> Result<Powers> {
    let power = |e: u32| BigUint::from(p).pow(e);
    // As many digits as words have: rounds beyond the last pivot cost next to nothing.
    let mut k = 0;
    while k <= most && p.checked_pow(k + 1).is_some_and(|q| q < 1 << 31) {
        k += 1;
    }
    if k > 0 {
        let counts = valuations(a, p as u32, k, observer)?;
        let seen: usize = counts.iter().sum();
        let mut powers: Powers = vec![];
        for (e, &count) in (0..).zip(&counts).skip(1).filter(|e| *e.1 > 0) {
            powers.insert(0, (power(e), count));
        }
        if seen == r {
            return Ok(powers);
        }
        if k == most && seen < r {
            // None has more.
            powers.insert(0, (power(most), r - seen));
            return Ok(powers);
        }
        if k > most || seen > r {
            return Err(Error::Check(format!("{seen} invariant factors of a matrix of rank {r} mod {p}^{k}")));
        }
    }
    let mut k = 2 * k.max(1);
    loop {
        if let Some(found) = smith_mod(a, &power(k), r, observer)? {
            return Ok(as_powers(found));
        }
        if k > most {
            return Err(Error::Check(format!("the form mod {p}^{k} of a matrix of rank {r} has another rank")));
        }
        k *= 2;
    }
}

/// Invariant factors as powers: descending, without those that are 1.
fn as_powers(mut factors: Vec<(BigUint, usize)>) -> Powers {
    factors.reverse();
    factors.retain(|(power, _)| !power.is_one());
    factors
}
