//! A component without units: its rank, a nonsingular minor B of that order, a multiple of its last invariant factor,
//! and the local forms at what divides that.
//!
//! **The cyclic part.** Let det B = s̃·c and m | s̃ be coprime to c. Localised at a prime q | m, B ~ diag(1, …, 1, qᵉ),
//! and m has exactly qᵉ. Let y/s̃ and x/s̃ be solutions of y·B = s̃·(…) and B·x = s̃·(…) whose denominators have all of
//! m, so that y spans the left null space of B mod m and x the right one. In coordinates in which B is diagonal, y·A
//! and A·x are, up to units, the last row and column of the whole matrix A mod m. So with g and g' the greatest common
//! divisors of m with the entries of y·A\[I, ·\] and of A\[·, J\]·x, that last row and column have contents g and g',
//! what is left of A beside them is their product over m, and **the m-part of s_r(A) is g·g'/m**; all others are 1.

use super::bound::{Multiple, by_determinant, last_factor};
use super::diagonal::{Powers, join};
use super::lift::{Solution, System};
use super::local::valuations;
use super::modular::smith_mod;
use super::{RankOptions, SmithOptions};
use crate::answers::{RationalOptions, rank, rational_rank};
use crate::certify::{Certainty, Domain, Streams};
use crate::cost::Machine;
use crate::field::{Modulus, Rng, is_prime, prime_factors, random_prime};
use crate::integers::large_gcd;
use crate::report::{Kept, once};
use crate::sparse::Triplets;
use crate::words::counted;
use crate::{Error, Observer, Result, Step, memory};
use num_bigint::{BigInt, BigUint};
use num_traits::{One, ToPrimitive, Zero};
use std::time::Instant;

/// Primes below are divided out one by one; what is left is factored if it has so many bits at most.
const TRIAL: u64 = 1 << 12;
const FACTORED: u64 = 63;
/// What the memory is for.
const LINES: &str = "the lines of a minor";
/// Bytes of a number of any size beside its digits.
const BIG: u64 = 32;

/// The invariant factors of a component, and how sure its rank is.
pub(super) struct Core {
    pub factors: Vec<(BigUint, usize)>,
    pub certainty: Certainty,
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
    if let Some((factors, certainty, reason)) = kept.load()? {
        return Ok(Core { factors, certainty, reason, path: vec![] });
    }
    let core = compute(a, options, observer)?;
    kept.complete(&(&core.factors, core.certainty, &core.reason))?;
    Ok(core)
}

fn compute(a: &Triplets, options: &SmithOptions, observer: &dyn Observer) -> Result<Core> {
    let rational = RationalOptions::default().rank(options.rank.clone()).error(options.error);
    let over_q = rational_rank(a, &rational, observer)?;
    let (start, r, mut path) = (Instant::now(), over_q.rank, over_q.path);
    if let Some(limit) = options.rank.max_memory.filter(|&limit| 2 * System::memory(r) > limit) {
        let needed = (2 * System::memory(r)).div_ceil(1 << 20);
        return Err(Error::Memory(format!("systems of order {r} need {needed} MB, {} MB are allowed", limit >> 20)));
    }
    let digest = a.digest();
    let mut rng = Streams::of_integers(&digest, options.rank.seed).stream(Domain::Solutions, 0);
    // The rank mod a random prime is smaller for few of them.
    let (rows, cols, b, mut multiple) = loop {
        let p = random_prime(31, &mut rng);
        let minor = || minor_mod(a, p, r, &options.rank, observer);
        let Some((rows, cols)) = once("lines", || (&digest, p.get(), r), observer, minor)? else { continue };
        let b = restricted(a, &rows, &cols)?;
        let make = || multiple_of(&b, p, &options.rank.machine, &mut rng, observer);
        let multiple = once("multiple", || (&digest, p.get(), &rows, &cols, options.rank.seed), observer, make)?;
        if let Some(multiple) = multiple {
            break (rows, cols, b, multiple);
        }
    };
    let mut parts = Parts::of(&multiple);
    if !parts.hard.is_one() && multiple.cofactor.is_none() {
        multiple = by_determinant(&b, multiple, observer)?;
        parts = Parts::of(&multiple);
    }
    path.push(Step {
        name: "last invariant factor",
        found: multiple.words.clone(),
        why: String::new(),
        rank: Some(0),
        predicted: None,
        seconds: start.elapsed().as_secs_f64(),
    });
    let powers = all_powers(a, &digest, (&rows, &cols), &multiple, &mut parts, (r, &options.rank), observer)?;
    path.push(Step {
        name: "local forms",
        found: format!(
            "{}, {} cyclic, {} not factored",
            counted(parts.primes.len(), "prime"),
            counted(parts.cyclic.bits() - 1, "bit"),
            counted(parts.hard.bits() - 1, "bit")
        ),
        why: String::new(),
        rank: Some(0),
        predicted: None,
        seconds: start.elapsed().as_secs_f64(),
    });
    Ok(Core { factors: join(r, powers, observer)?, certainty: over_q.certainty, reason: over_q.reason, path })
}

/// A multiple of the last invariant factor of the minor B; `None` if B is singular mod p.
fn multiple_of(
    b: &Triplets,
    p: Modulus,
    machine: &Machine,
    rng: &mut Rng,
    observer: &dyn Observer,
) -> Result<Option<Multiple>> {
    let Some(system) = System::new(b, p, observer)? else { return Ok(None) };
    let turned = System::new(&b.try_transpose()?, p, observer)?;
    let turned = turned.ok_or_else(|| Error::Check("the transpose of a nonsingular matrix is singular".into()))?;
    last_factor(b, [&system, &turned], machine, rng, observer).map(Some)
}

/// The powers of all primes that may divide an invariant factor, for a matrix of rank r with a minor in these lines.
fn all_powers(
    a: &Triplets,
    digest: &str,
    lines: (&[u32], &[u32]),
    multiple: &Multiple,
    parts: &mut Parts,
    (r, options): (usize, &RankOptions),
    observer: &dyn Observer,
) -> Result<Vec<Powers>> {
    let mut powers = vec![];
    if !parts.cyclic.is_one() {
        match cyclic(a, lines, multiple, &parts.cyclic)? {
            Some(s) if s.is_one() => {}
            Some(s) => powers.push(vec![(s, 1)]),
            // The whole power of each of its primes that the multiple may have.
            None => parts.hard = &parts.hard * &parts.cyclic,
        }
    }
    for &(p, exponent) in &parts.primes {
        let form = || {
            if let Some(powers) = by_rank(a, p, (exponent, multiple), r, options, observer)? {
                return Ok(powers);
            }
            check_table(a, 4, options.max_memory)?;
            local(a, p, exponent, r, observer)
        };
        powers.push(once("local-form", || (digest, p, exponent, r), observer, form)?);
    }
    if !parts.hard.is_one() {
        // Each prime twice as often as in any invariant factor.
        check_table(a, BIG + parts.hard.bits().div_ceil(4), options.max_memory)?;
        let n = parts.hard.pow(2);
        let other = || Error::Check(format!("the form mod N of a matrix of rank {r} has another rank"));
        let form = || Ok(as_powers(smith_mod(a, &n, r, observer)?.ok_or_else(other)?));
        powers.push(once("local-form", || (digest, &n, r), observer, form)?);
    }
    Ok(powers)
}

/// The lines of a minor of order r that is nonsingular mod p; `None` if the rank mod p is smaller.
fn minor_mod(
    a: &Triplets,
    p: Modulus,
    r: usize,
    options: &RankOptions,
    observer: &dyn Observer,
) -> Result<Option<(Vec<u32>, Vec<u32>)>> {
    let options = RankOptions { minor: true, proven: false, ..options.clone() };
    let found = rank(&a.try_reduce(p)?, &options, observer)?;
    if found.rank < r {
        return Ok(None);
    }
    if found.rank > r {
        return Err(Error::Check(format!("rank {} mod {p}, but {r} over Q", found.rank)));
    }
    let minor = found.minor.ok_or_else(|| Error::Check("a rank without the minor asked for".into()))?;
    Ok(Some((memory::copy(minor.rows(), LINES)?, memory::copy(minor.cols(), LINES)?)))
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

/// The minor in these lines.
fn restricted(a: &Triplets, rows: &[u32], cols: &[u32]) -> Result<Triplets> {
    let (row, col) = (places(rows, a.rows())?, places(cols, a.cols())?);
    let inside = a.entries().map(|(i, j, v)| (row[i] as usize, col[j] as usize, v));
    let inside = inside.filter(|&(i, j, _)| i < rows.len() && j < cols.len());
    Triplets::try_from_entries(rows.len(), cols.len(), inside.map(|(i, j, v)| (i, j, v.to_bigint())))
}

/// The place of each line in a list, or `u32::MAX`.
fn places(lines: &[u32], len: usize) -> Result<Vec<u32>> {
    let mut place = memory::filled(u32::MAX, len, LINES)?;
    lines.iter().zip(0..).for_each(|(&line, k)| place[line as usize] = k);
    Ok(place)
}

/// A multiple of s_r, taken apart into coprime parts.
struct Parts {
    /// Primes with their exponents.
    primes: Vec<(u64, u32)>,
    /// At whose primes the minor is cyclic.
    cyclic: BigUint,
    /// What is neither.
    hard: BigUint,
}

impl Parts {
    fn of(multiple: &Multiple) -> Parts {
        let Multiple { last, cofactor, .. } = multiple;
        let whole = cofactor.as_ref().map_or_else(|| last.clone(), |c| last * c);
        // Primes that may divide more than one invariant factor.
        let mut open = cofactor.clone().unwrap_or_else(|| last.clone());
        let (mut primes, mut rest) = (vec![], whole);
        let mut divide = |p: u64, open: &mut BigUint| {
            let mut exponent = 0;
            while (&*open % p).is_zero() {
                *open /= p;
            }
            while (&rest % p).is_zero() {
                rest /= p;
                exponent += 1;
            }
            primes.push((p, exponent));
        };
        for p in (2..TRIAL).filter(|&p| is_prime(p)) {
            if open.is_one() {
                break;
            }
            if (&open % p).is_zero() {
                divide(p, &mut open);
            }
        }
        if let Some(small) = open.to_u64().filter(|small| *small > 1 && small.ilog2() < FACTORED as u32) {
            prime_factors(small).into_iter().for_each(|p| divide(p, &mut open));
        }
        // The part of the rest at primes of what nobody factored.
        let (mut hard, mut cyclic) = (BigUint::one(), rest);
        loop {
            let shared = large_gcd(cyclic.clone(), open.clone());
            if shared.is_one() {
                break;
            }
            cyclic /= &shared;
            hard *= shared;
        }
        Parts { primes, cyclic, hard }
    }
}

/// The powers of p by the rank mod p, where that says all: r - rank invariant factors are multiples of p. `exponent` is
/// that of p in the last invariant factor of a minor, or in the minor itself, which the product of all divides.
fn by_rank(
    a: &Triplets,
    p: u64,
    (exponent, multiple): (u32, &Multiple),
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
    let once_each = exponent == 1 || (multiple.cofactor.is_some() && exponent as usize == multiples);
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

/// The m-part of s_r(A), m coprime to the cofactor; `None` if no solution has all of m in its denominator.
fn cyclic(a: &Triplets, lines: (&[u32], &[u32]), multiple: &Multiple, m: &BigUint) -> Result<Option<BigUint>> {
    let (rows, cols) = lines;
    if rows.len() == a.rows() && cols.len() == a.cols() {
        return Ok(Some(m.clone()));
    }
    let full = |solutions: &[Solution]| -> Option<Vec<BigInt>> {
        let all = |solution: &&Solution| large_gcd(&multiple.last / &solution.denominator, m.clone()).is_one();
        let found = solutions.iter().find(all)?;
        let factor = BigInt::from(&multiple.last / &found.denominator);
        Some(found.numerators.iter().map(|y| y * &factor % BigInt::from(m.clone())).collect())
    };
    let (Some(y), Some(x)) = (full(&multiple.left), full(&multiple.right)) else { return Ok(None) };
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
    Ok(Some(product / m))
}
