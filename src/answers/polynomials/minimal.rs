//! The minimal polynomial: the last invariant factor of the relations of random vectors, and how sure that is.

use super::super::kernel::check;
use super::super::rank::RankOptions;
use super::answer::MatrixPolynomial;
use super::parts::Parts;
use super::work::{ATTEMPTS, Found, SMALL, Work, shape};
use crate::certify::{Certainty, Domain, ErrorBound, Streams};
use crate::field::Modulus;
use crate::invariants::{RUNS, WIDTH, annihilates, annihilates_units, missing};
use crate::report::{Kept, Phases};
use crate::sparse::SparseMatrix;
use crate::spmv::Product;
use crate::univariate::{divide, lcm, lcm_of_all, multiply, product};
use crate::{Error, Observer, Result, memory};
use std::time::Instant;

/// A theorem about the vectors with a larger probability of an error than this calls for a check with others.
const ENOUGH: ErrorBound = ErrorBound::of_bits(40);
/// The check lets a wrong answer pass with at most this probability.
const CHECK: ErrorBound = ErrorBound::of_bits(64);
/// A proof may take so many times the seconds of the answer, by prediction.
const CHEAP: f64 = 1.0;
/// What the memory is for.
const PARTS: &str = "polynomials of the parts of a matrix";
/// The invariant factors of a direct sum of more parts than this are not put together.
const MOST_PARTS: usize = 64;

/// The minimal polynomial of `a`, monic; 1 for the 0 × 0 matrix. Of the options, the seed, the memory, the prices and
/// `proven` count; block Wiedemann as a method is refused.
///
/// What is returned divides the minimal polynomial for certain. It is proven to be the whole if the vectors generated
/// the whole space or m(A) = 0 was computed, and otherwise with an error bound.
///
/// ```
/// use blackfield::{Silent, answers::{RankOptions, minimal_polynomial}, field::Modulus, sparse::SparseMatrix};
/// // diag(2, 2, 3)
/// let a = SparseMatrix::from_csr(Modulus::new(7)?, 3, &[0, 1, 2, 3], &[0, 1, 2], &[2, 2, 3])?;
/// let found = minimal_polynomial(&a, &RankOptions::default(), &Silent)?;
/// assert_eq!(found.coefficients, [6, 2, 1]); // (x - 2)(x - 3) = x² - 5x + 6
/// # Ok::<(), blackfield::Error>(())
/// ```
///
/// # Errors
/// [`Error::Matrix`] unless `a` is square, [`Error::Usage`] for options out of range, [`Error::Memory`] if no way fits
/// or memory ends, [`Error::Interrupted`] when the observer says so, and [`Error::Check`] if a computation contradicts
/// itself.
pub fn minimal_polynomial(
    a: &SparseMatrix,
    options: &RankOptions,
    observer: &dyn Observer,
) -> Result<MatrixPolynomial> {
    check(options)?;
    if a.rows() != a.cols() {
        return Err(Error::Matrix(format!("{} x {}: a minimal polynomial is of a square matrix", a.rows(), a.cols())));
    }
    let p = a.modulus();
    let streams = Streams::of(a, options.seed);
    let mut work = Work { options, streams: &streams, phases: Phases::default(), path: vec![], observer };
    let parts = work.phases.shown("components", observer, || Parts::weak(a))?;
    let (mut certainty, mut reasons) = (Certainty::Proven, vec![]);
    let mut summands: Option<Vec<Vec<Vec<u64>>>> = Some(vec![]);
    let mut all: Vec<Vec<u64>> = vec![];
    let mut singles = vec![];
    let take = |number, part: SparseMatrix| {
        let one = kept_part(&mut work, &part, number)?;
        certainty = certainty.and(one.certainty);
        if !reasons.contains(&one.reason) {
            reasons.push(one.reason);
        }
        summands = summands.take().zip(one.factors).filter(|(summands, _)| summands.len() < MOST_PARTS).map(
            |(mut summands, factors)| {
                summands.push(factors);
                summands
            },
        );
        memory::push(&mut all, one.polynomial, PARTS)
    };
    parts.each(|v| memory::push(&mut singles, v, PARTS), take)?;
    let mut summands = summands.filter(|summands| summands.len() + singles.len() <= MOST_PARTS);
    if let Some(summands) = &mut summands {
        summands.extend(singles.iter().map(|&v| vec![vec![p.neg(v), 1]]));
    }
    singles.sort_unstable();
    singles.dedup();
    if !singles.is_empty() {
        // Prime to each other: their least common multiple is their product.
        all.push(product(p, singles.iter().map(|&v| vec![p.neg(v), 1]).collect())?);
    }
    let (coefficients, invariant_factors) = work.phases.shown("least common multiple", observer, || {
        let joint = match summands {
            Some(summands) => Some(summands.into_iter().try_fold(vec![], |sum, next| direct_sum(p, sum, next))?),
            None => None,
        };
        Ok::<_, Error>((lcm_of_all(p, all, observer)?, joint))
    })?;
    if reasons.is_empty() {
        reasons.push("every part has order 1".into());
    }
    let Work { path, phases, .. } = work;
    Ok(MatrixPolynomial { coefficients, certainty, reason: reasons.join("; "), invariant_factors, path, phases })
}

/// The invariant factors other than 1 of a direct sum.
fn direct_sum(p: Modulus, a: Vec<Vec<u64>>, b: Vec<Vec<u64>>) -> Result<Vec<Vec<u64>>> {
    let mut all = a;
    for mut next in b {
        // From the largest down: (f, next) becomes (lcm, gcd).
        for f in all.iter_mut().rev() {
            let larger = lcm(p, f, &next)?;
            next = divide(p, &multiply(p, f, &next)?, &larger)?.0;
            *f = larger;
        }
        if next.len() > 1 {
            all.insert(0, next);
        }
    }
    Ok(all)
}

/// What is known of one part.
struct One {
    polynomial: Vec<u64>,
    certainty: Certainty,
    reason: String,
    factors: Option<Vec<Vec<u64>>>,
}

/// What was kept of a part, or is found now.
fn kept_part(work: &mut Work<'_>, a: &SparseMatrix, number: u64) -> Result<One> {
    if a.rows() <= SMALL {
        return of_part(work, a, number);
    }
    let kept = Kept::of("minimal", || (work.key(a), number, work.options.proven), work.observer)?;
    if let Some((polynomial, certainty, reason, factors)) = kept.load()? {
        return Ok(One { polynomial, certainty, reason, factors });
    }
    let one = of_part(work, a, number)?;
    kept.complete(&(&one.polynomial, one.certainty, &one.reason, one.factors.as_ref()))?;
    Ok(one)
}

/// Whether f(A) = 0, from what was kept of the answer on.
fn vanishes(work: &Work<'_>, a: &SparseMatrix, product: &Product, f: &[u64]) -> Result<bool> {
    let kept = Kept::of("annihilated", || (work.key(a), f), work.observer)?;
    let done: usize = kept.load()?.unwrap_or(0);
    work.observer.phase("annihilation", a.rows() as u64);
    work.observer.restored(done.min(a.rows()) as u64);
    for first in (done..a.rows()).step_by(WIDTH) {
        if !annihilates_units(product, f, first, work.observer)? {
            return Ok(false);
        }
        work.observer.progress(a.rows().min(first + WIDTH) as u64);
        if kept.is_due() {
            kept.store(&(first + WIDTH))?;
        }
    }
    Ok(true)
}

fn of_part(work: &mut Work<'_>, a: &SparseMatrix, number: u64) -> Result<One> {
    let mut refuted = 0;
    loop {
        let found = work.relations(a, number, refuted)?;
        if !found.is_all()
            && let Some(one) = without_others(work, a, &found, (number, refuted))?
        {
            return Ok(one);
        }
        let mut factors = work.invariant_factors(&found, number)?;
        if found.is_all() {
            let polynomial = factors.last().expect("at least one vector").clone();
            factors.retain(|f| f.len() > 1);
            let reason = "vectors whose relations are proven generate the whole space".into();
            return Ok(One { polynomial, certainty: Certainty::Proven, reason, factors: Some(factors) });
        }
        let polynomial = factors.pop().expect("at least one vector");
        if let Some((certainty, reason)) = assess(work, a, &found, (&polynomial, true), (number, refuted))? {
            return Ok(One { polynomial, certainty, reason, factors: None });
        }
        refuted += 1;
        if refuted >= ATTEMPTS {
            return Err(Error::Check(format!(
                "the minimal polynomials of random vectors under a matrix of order {} were refuted {refuted} times",
                a.rows()
            )));
        }
    }
}

/// What is mostly the last invariant factor of the vectors, held against the matrix instead of the other factors, where
/// that is predicted to take less time than those; `None` if it is not, or fails.
fn without_others(work: &mut Work<'_>, a: &SparseMatrix, found: &Found, place: (u64, u64)) -> Result<Option<One>> {
    let (machine, width) = (&work.options.machine, found.presentation.vectors());
    if ErrorBound::negative_power(a.modulus().get(), width).any(ATTEMPTS as usize) > CHECK {
        return Ok(None);
    }
    let (rng, observer) =
        (&mut work.streams.part(place.0 + 1).stream(Domain::Extension, (1 << 33) + place.1), work.observer);
    let polynomial = work
        .phases
        .time("invariant factors", || found.presentation.most_of_the_last(&found.determinant, rng, observer))?;
    let others = found.determinant.len() - polynomial.len();
    let seconds = polynomial.len() as f64 * shape(a).pass_seconds(machine, width);
    if seconds >= shape(a).factors_seconds(machine, width, others) {
        return Ok(None);
    }
    let sure = assess(work, a, found, (&polynomial, false), place)?;
    Ok(sure.map(|(certainty, reason)| One { polynomial, certainty, reason, factors: None }))
}

/// How sure it is that a divisor of the minimal polynomial is all of it; `None` if it is not. `all`: whether it is all
/// of that of the vectors.
fn assess(
    work: &mut Work<'_>,
    a: &SparseMatrix,
    found: &Found,
    (polynomial, all): (&[u64], bool),
    (number, attempt): (u64, u64),
) -> Result<Option<(Certainty, String)>> {
    let (n, p, start) = (a.rows(), a.modulus(), Instant::now());
    let (machine, observer) = (&work.options.machine, work.observer);
    let slabs = n.div_ceil(64) as f64;
    let seconds = polynomial.len() as f64 * slabs * shape(a).pass_seconds(machine, 64);
    if work.options.proven || seconds <= CHEAP * found.way.seconds {
        let clock = Instant::now();
        let zero = vanishes(work, a, &found.product, polynomial)?;
        work.phases.add("proof", clock.elapsed().as_secs_f64());
        if n > SMALL {
            work.step("proof", format!("m(A) is {}zero", if zero { "" } else { "not " }), Some(seconds), start);
        }
        return Ok(zero.then(|| (Certainty::Proven, "it divides the minimal polynomial, and m(A) = 0".into())));
    }
    // Runs that fail are made again, and one that succeeds may do so for the little that its vectors see.
    let draws = if found.way.elimination { 1 } else { RUNS as usize };
    let bound = missing(p, n, found.presentation.vectors()).any(draws);
    if all && bound <= ENOUGH {
        let reason = format!("random vectors see all of it except with probability n/p^s <= {bound}");
        return Ok(Some((Certainty::with_bound(bound), reason)));
    }
    let least = (1..).find(|&k| ErrorBound::negative_power(p.get(), k) <= CHECK).expect("a power of p");
    let width = if all { least } else { found.presentation.vectors() };
    let rng = &mut work.streams.part(number + 1).stream(Domain::Checks, attempt);
    let zero =
        work.phases.shown("check", observer, || annihilates(&found.product, polynomial, width, rng, observer))?;
    let bound = ErrorBound::negative_power(p.get(), width).any(ATTEMPTS as usize);
    let reason = format!("it divides the minimal polynomial, and m(A)v = 0 for {width} random vectors v");
    if n > SMALL {
        work.step("check", format!("m(A)v is {}zero", if zero { "" } else { "not " }), None, start);
    }
    Ok(zero.then(|| (Certainty::with_bound(bound), reason)))
}
