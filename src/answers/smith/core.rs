//! A component without units: its rank, a nonsingular minor B of that order, a multiple of its last invariant factor,
//! and the local forms at what divides that.
//!
//! **The cyclic part.** Let det B = s̃·c and m | s̃ be coprime to c. Localised at a prime q | m, B ~ diag(1, …, 1, qᵉ),
//! and m has exactly qᵉ. Let y/s̃ and x/s̃ be solutions of y·B = s̃·(…) and B·x = s̃·(…) whose denominators have all of
//! m, so that y spans the left null space of B mod m and x the right one. In coordinates in which B is diagonal, y·A
//! and A·x are, up to units, the last row and column of the whole matrix A mod m. So with g and g' the greatest common
//! divisors of m with the entries of y·A\[I, ·\] and of A\[·, J\]·x, that last row and column have contents g and g',
//! what is left of A beside them is their product over m, and **the m-part of s_r(A) is g·g'/m**; all others are 1.

use super::beside::denominator;
use super::bound::{Ask, Multiple, by_determinant};
use super::diagonal::{Powers, join};
use super::lift::{Solution, System};
use super::local::valuations;
use super::minors::{Chosen, Minors, places};
use super::modular::smith_mod;
use super::parts::{Parts, Prime, shared_part};
use super::projection::by_solutions;
use super::unproven::{SMALL, Unproven};
use super::{RankOptions, SmithOptions};
use crate::answers::{RationalOptions, rank, rational_rank};
use crate::certify::Certainty;
use crate::field::Modulus;
use crate::integers::{hadamard_log2, large_gcd};
use crate::report::{Kept, once};
use crate::sparse::Triplets;
use crate::words::counted;
use crate::{Error, Observer, Result, Step, memory};
use num_bigint::{BigInt, BigUint};
use num_traits::{One, Zero};
use std::time::Instant;

/// Minors that are taken, at most, as long as something is left that nobody can factor.
const MINORS: u64 = 3;
/// Bytes of a number of any size beside its digits.
const BIG: u64 = 32;

/// The invariant factors of a component, and how sure they are.
pub(super) struct Core {
    pub factors: Vec<(BigUint, usize)>,
    pub certainty: Certainty,
    /// How sure it is that no prime was missed, if the rank is right.
    pub primes: Certainty,
    pub reason: String,
    pub path: Vec<Step>,
}

/// The invariant factors of a component, from what was kept of it or now.
///
/// # Errors
/// Those of [`rational_rank`], [`Error::Check`] if a computation contradicts itself; those of the observer's keeper.
pub(super) fn invariant_factors(a: &Triplets, options: &SmithOptions, observer: &dyn Observer) -> Result<Core> {
    let key = || (a.digest(), options.rank.seed, options.rank.proven, options.error.log2());
    let kept = Kept::of("component", key, observer)?;
    if let Some((factors, (certainty, primes), reason)) = kept.load()? {
        return Ok(Core { factors, certainty, primes, reason, path: vec![] });
    }
    let core = compute(a, options, observer)?;
    kept.complete(&(&core.factors, (core.certainty, core.primes), &core.reason))?;
    Ok(core)
}

fn compute(a: &Triplets, options: &SmithOptions, observer: &dyn Observer) -> Result<Core> {
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
    let minors = Minors { a, digest: &digest, r, options: &options.rank, observer };
    let bits = hadamard_log2(a, r)?;
    let unproven = (minors.are_several() && !options.rank.proven)
        .then(|| Unproven::within(error, bits, MINORS as usize))
        .flatten();
    let Candidates { chosen, mut parts, words, beside } = candidates(&minors, unproven, bits)?;
    path.push(step("last invariant factor", words, start));
    let powers = all_powers(&minors, &chosen, &mut parts, beside.as_ref())?;
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
/// factor and that others do not have. `bits` is log₂ of a bound on all minors.
fn candidates(minors: &Minors, unproven: Option<Unproven>, bits: f64) -> Result<Candidates> {
    let mut ask = Ask { options: minors.options, unproven };
    let mut chosen = minors.choose(0, &ask)?;
    let mut words = chosen.multiple.words.clone();
    if chosen.multiple.proven {
        ask.unproven = None;
    }
    let (mut parts, mut others) = (Parts::of(&chosen.multiple), vec![]);
    let Minors { a, digest, options, observer, .. } = *minors;
    let beside = match parts.hard.is_one() {
        true => None,
        false => denominator(a, (digest, options.seed), &chosen, bits, observer)?,
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
        chosen.multiple = by_determinant(&chosen.b, chosen.multiple, minors.observer)?;
        words.clone_from(&chosen.multiple.words);
        parts = Parts::of(&chosen.multiple);
        others.iter().for_each(|other| parts.narrow(other));
    }
    Ok(Candidates { chosen, parts, words, beside })
}

/// The powers of all primes that may divide an invariant factor, for a matrix with this minor; `beside` as in
/// [`Candidates`].
fn all_powers(
    &Minors { a, digest, r, options, observer }: &Minors,
    chosen: &Chosen,
    parts: &mut Parts,
    beside: Option<&BigUint>,
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
    for &prime in &parts.primes {
        let Prime { p, exponent, .. } = prime;
        let form = || {
            if let Some(powers) = by_rank(a, prime, r, options, observer)? {
                return Ok(powers);
            }
            check_table(a, 4, options.max_memory)?;
            local(a, p, exponent, r, observer)
        };
        powers.push(once("local-form", || (digest, p, exponent, r), observer, form)?);
    }
    if !parts.hard.is_one() {
        let form = || {
            let found = match multiple.cofactor.is_some() && is_coprime(beside, &parts.hard) {
                true => {
                    let hard = shared_part(&multiple.whole(), &parts.hard);
                    by_solutions(b, (digest, options.seed), multiple, &hard, observer)?
                }
                false => None,
            };
            match found {
                Some(powers) => Ok(powers),
                None => by_elimination(a, &parts.hard, r, options, observer),
            }
        };
        powers.push(once("local-form", || (digest, &parts.hard, r), observer, form)?);
    }
    Ok(powers)
}

/// Whether a number is known and has no prime of n.
fn is_coprime(known: Option<&BigUint>, n: &BigUint) -> bool {
    known.is_some_and(|d| large_gcd(d.clone(), n.clone()).is_one())
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

/// The powers of p by the rank mod p, where that says all: r - rank invariant factors are multiples of p.
fn by_rank(
    a: &Triplets,
    Prime { p, exponent, of_product }: Prime,
    r: usize,
    options: &RankOptions,
    observer: &dyn Observer,
) -> Result<Option<Powers>> {
    let found = rank(
        &a.try_reduce(Modulus::new(p)?)?,
        &RankOptions { minor: false, proven: false, ..options.clone() },
        observer,
    )?;
    let multiples = r.checked_sub(found.rank);
    let multiples = multiples.ok_or_else(|| Error::Check(format!("rank {} mod {p}, but {r} over Q", found.rank)))?;
    // No rank that is found exceeds the true one.
    if multiples == 0 {
        return Ok(Some(vec![]));
    }
    let once_each = exponent == 1 || (of_product && exponent as usize == multiples);
    Ok((once_each && found.certainty == Certainty::Proven).then(|| vec![(p.into(), multiples)]))
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

/// The m-part of s_r(A), m coprime to the cofactor: without the part of m that is returned beside it, which no solution
/// has in its denominator.
fn cyclic(
    a: &Triplets,
    (rows, cols): (&[u32], &[u32]),
    multiple: &Multiple,
    m: &BigUint,
) -> Result<(BigUint, BigUint)> {
    if rows.len() == a.rows() && cols.len() == a.cols() {
        return Ok((m.clone(), BigUint::one()));
    }
    let ((y, of_left), (x, of_right)) =
        (null_vector(&multiple.left, multiple, m)?, null_vector(&multiple.right, multiple, m)?);
    let missing = shared_part(m, &(of_left * of_right));
    let m = &(m / &missing);
    let (row, col) = (places(rows, a.rows())?, places(cols, a.cols())?);
    let mut sums = [
        memory::filled(BigInt::ZERO, a.cols(), "null vectors")?,
        memory::filled(BigInt::ZERO, a.rows(), "null vectors")?,
    ];
    for (i, j, v) in a.entries() {
        let v = v.to_bigint();
        if row[i] != u32::MAX {
            sums[0][j] += &v * &y[row[i] as usize];
        }
        if col[j] != u32::MAX {
            sums[1][i] += &v * &x[col[j] as usize];
        }
    }
    let [g, h] = sums.map(|sums| sums.into_iter().fold(m.clone(), |g, v| large_gcd(v.magnitude() % &g, g)));
    let product = g * h;
    if !(&product % m).is_zero() {
        return Err(Error::Check("the contents of null vectors contradict each other".into()));
    }
    Ok((product / m, missing))
}

/// s̃ times a combination of solutions that has the denominator s̃ at the primes of m, as far as one of them has, mod
/// m, and the part of m where none has.
fn null_vector(solutions: &[Solution], multiple: &Multiple, m: &BigUint) -> Result<(Vec<BigInt>, BigUint)> {
    let order = solutions.first().map_or(0, |solution| solution.numerators.len());
    let mut sum = memory::filled(BigInt::ZERO, order, "null vectors")?;
    let (mut open, modulus) = (m.clone(), BigInt::from(m.clone()));
    for Solution { numerators, denominator } in solutions {
        let factor = &multiple.last / denominator;
        let left = shared_part(&open, &factor);
        let full = &open / &left;
        if full.is_one() {
            continue;
        }
        // 1 at these primes, 0 at the others of m.
        let others = m / &full;
        let inverse =
            (&others % &full).modinv(&full).ok_or_else(|| Error::Check("parts that are not coprime".into()))?;
        let factor = BigInt::from(factor * others * inverse % m);
        sum.iter_mut().zip(numerators).for_each(|(sum, y)| *sum = (&*sum + y * &factor) % &modulus);
        open = left;
    }
    Ok((sum, open))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of solutions that lack different primes, the null vector has all that one of them has.
    #[test]
    fn null_vectors_combine_solutions() {
        let solution =
            |x: [i32; 2], d: u32| Solution { numerators: x.map(BigInt::from).to_vec(), denominator: d.into() };
        let multiple = Multiple {
            last: 60u32.into(),
            cofactor: Some(BigUint::one()),
            // Without 5, without 4, and with a part of 4 alone.
            right: vec![solution([1, 0], 12), solution([0, 1], 15), solution([1, 1], 30)],
            left: vec![solution([1, 1], 15), solution([1, 2], 30)],
            words: String::new(),
            proven: true,
        };
        let m = BigUint::from(60u32);
        let (x, missing) = null_vector(&multiple.right, &multiple, &m).unwrap();
        assert!(missing.is_one());
        // 5·(1, 0) mod 4 and mod 3, 4·(0, 1) mod 5.
        let residues = |q: i32| -> Vec<BigInt> { x.iter().map(|v| ((v % q) + q) % q).collect() };
        assert_eq!(residues(4), [1, 0].map(BigInt::from));
        assert_eq!(residues(3), [2, 0].map(BigInt::from));
        assert_eq!(residues(5), [0, 4].map(BigInt::from));
        let (y, missing) = null_vector(&multiple.left, &multiple, &m).unwrap();
        assert_eq!(missing, 4u32.into());
        assert!(y.iter().all(|v| (v % 4i32).is_zero()));
        assert_eq!(null_vector(&[], &multiple, &m).unwrap(), (vec![], m));
    }
}
