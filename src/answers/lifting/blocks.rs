//! The determinant over ℤ as the product over the diagonal blocks of the block triangular form.

use super::RankOptions;
use super::cofactor::check_square;
use super::determinant::{ERROR, IntegerDeterminant, determinant_with, step};
use super::form::{Blocks, Form};
use super::minor::{Primes, decompose};
use super::small::{self, SMALL, Small};
use crate::integers::hadamard_log2;
use crate::report::{Certainty, ErrorBound, Phases};
use crate::sparse::Triplets;
use crate::words::counted;
use crate::{Error, Observer, Result, Step};
use num_bigint::BigInt;
use num_traits::{One, Zero};
use std::time::Instant;

/// Large blocks whose reasons are told, in addition to the first that is not proven: there may be thousands.
const REASONS: usize = 4;
/// Bytes of an entry of a block that is cut out.
const ENTRY: u64 = 16;

/// det `a`; 1 for the 0 × 0 matrix. Of the options, the seed, the memory, the prices, the patience, `proven` and
/// `error` count; block Wiedemann is refused. Without `proven`, an error bound of 10⁻¹² is enough where a proof takes
/// longer; 0 is always proven.
///
/// Where the block triangular form has several diagonal blocks, the answer is put together from theirs: the product of
/// their determinants and divisors, the most primes that one took, and the steps of all. Hadamard's bound is that of
/// `a`.
///
/// ```
/// use blackfield::{Silent, answers::{RankOptions, integer_determinant}, families};
/// let a = families::generate("redheffer_100")?; // the Mertens function: Σ μ(k), k ≤ 100
/// assert_eq!(integer_determinant(&a, &RankOptions::default(), &Silent)?.value, 1.into());
/// # Ok::<(), blackfield::Error>(())
/// ```
///
/// # Errors
/// [`Error::Matrix`] unless `a` is square, [`Error::Usage`] for options out of range, [`Error::Memory`] if no way fits
/// or memory ends, [`Error::Interrupted`] when the observer says so, and [`Error::Check`] if a computation contradicts
/// itself.
pub fn integer_determinant(a: &Triplets, options: &RankOptions, observer: &dyn Observer) -> Result<IntegerDeterminant> {
    super::super::kernel::check(options)?;
    check_square(a)?;
    let (mut phases, start) = (Phases::default(), Instant::now());
    let form = phases.shown("matching", observer, || Form::of(a, observer));
    let seconds = start.elapsed().as_secs_f64();
    let n = a.rows();
    match form {
        // The form only saves work: where there is no memory for it, the matrix is taken as a whole.
        Ok(Form::Whole) | Err(Error::Memory(_)) => {
            let mut found = determinant_with(a, vec![], options, observer)?;
            phases.extend(&found.phases);
            found.phases = phases;
            Ok(found)
        }
        Ok(Form::Singular(size)) => {
            let path = vec![step("matching", format!("at most {size} of {n} rows are matched"), seconds)];
            let reason = format!("at most {size} of {n} rows are matched: all terms of the expansion are 0");
            zero(a, one(a, path, phases)?, reason, options, observer)
        }
        Ok(Form::Blocks(blocks)) => {
            let path = vec![step("block triangular form", counted(blocks.count(), "diagonal block"), seconds)];
            product(a, &blocks, one(a, path, phases)?, options, observer)
        }
        Err(error) => Err(error),
    }
}

/// The product of no determinants, as an answer for `a`.
fn one(a: &Triplets, path: Vec<Step>, mut phases: Phases) -> Result<IntegerDeterminant> {
    let hadamard_bits = phases.time("bounds", || hadamard_log2(a, a.rows()))?;
    Ok(IntegerDeterminant {
        value: BigInt::one(),
        certainty: Certainty::Proven,
        reason: String::new(),
        rank: a.rows(),
        divisor: BigInt::one(),
        primes: 0,
        hadamard_bits,
        path,
        phases,
    })
}

/// The answer for a matrix that is singular by this `reason`: 0, and the rank mod a prime.
fn zero(
    a: &Triplets,
    mut found: IntegerDeterminant,
    reason: String,
    options: &RankOptions,
    observer: &dyn Observer,
) -> Result<IntegerDeterminant> {
    let digest = found.phases.shown("digest", observer, || a.digest());
    let p = Primes::new(&digest, options.seed, vec![]).next()?;
    // What is proven does not rest on the rank.
    let options = RankOptions { proven: false, error: None, ..options.clone() };
    let (rank, _) = decompose(a, p, &options, &mut found.phases, observer)?;
    if rank.rank == a.rows() {
        return Err(Error::Check(format!("a matrix with determinant 0 that is nonsingular mod {p}")));
    }
    found.path.extend(rank.path);
    let (value, divisor) = (BigInt::ZERO, BigInt::one());
    Ok(IntegerDeterminant { value, divisor, certainty: Certainty::Proven, reason, rank: rank.rank, ..found })
}

/// The answer for a matrix with these diagonal blocks.
fn product(
    a: &Triplets,
    blocks: &Blocks<'_>,
    mut found: IntegerDeterminant,
    options: &RankOptions,
    observer: &dyn Observer,
) -> Result<IntegerDeterminant> {
    let start = Instant::now();
    let small = found.phases.time("small blocks", || small::determinants(blocks, observer))?;
    let Small { value, count, primes, singular, large } = small;
    found.reason = counted(blocks.count(), "diagonal block");
    if count > 0 {
        let each = format!("{count} of at most {SMALL} rows");
        found.reason += &format!(", {each} over Z or by primes beyond twice Hadamard's bound");
        let seconds = start.elapsed().as_secs_f64();
        found.path.push(step("small blocks", format!("{each}, {} at most", counted(primes, "prime")), seconds));
    }
    (found.value, found.primes) = (value, primes);
    let why = match singular {
        Some(b) => Some((b, "its determinant by itself is 0".into())),
        None => multiply(&mut found, blocks, &large, options, observer)?,
    };
    if let Some((b, why)) = why {
        let reason = format!("a singular diagonal block of {}: {why}", counted(blocks.order(b), "row"));
        return zero(a, found, reason, options, observer);
    }
    if blocks.odd {
        found.value = -found.value;
    }
    Ok(found)
}

/// Multiplies by the determinants of large blocks. One that is singular, and why, ends it.
fn multiply(
    found: &mut IntegerDeterminant,
    blocks: &Blocks<'_>,
    large: &[usize],
    options: &RankOptions,
    observer: &dyn Observer,
) -> Result<Option<(usize, String)>> {
    let count = large.len();
    // Error bounds add up.
    let acceptable = options.error.or_else(|| ErrorBound::new(ERROR));
    let error = if options.proven || count < 2 { options.error } else { acceptable.map(|error| error.share(count)) };
    let mut told = 0;
    for (k, &b) in large.iter().enumerate() {
        if count > 1 {
            observer.part("block", k as u64 + 1, count as u64);
        }
        let matrix = blocks.matrix(b)?;
        let max_memory = options.max_memory.map(|limit| limit.saturating_sub(matrix.nnz() as u64 * ENTRY));
        let own = RankOptions { error, max_memory, ..options.clone() };
        let part = determinant_with(&matrix, vec![], &own, observer)?;
        found.phases.extend(&part.phases);
        found.path.extend(part.path);
        found.primes = found.primes.max(part.primes);
        if part.value.is_zero() {
            return Ok(Some((b, part.reason)));
        }
        if told < REASONS || (found.certainty == Certainty::Proven && part.certainty != Certainty::Proven) {
            found.reason += &format!("; one of {} rows: {}", blocks.order(b), part.reason);
            told += 1;
        }
        found.certainty = found.certainty.and(part.certainty);
        found.value *= part.value;
        found.divisor *= part.divisor;
    }
    if told < count {
        found.reason += &format!("; and so on for {} more", count - told);
    }
    Ok(None)
}
