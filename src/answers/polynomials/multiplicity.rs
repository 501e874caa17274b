//! Multiplicities of irreducible factors that the relations of s vectors leave open: those that occur in all of their s
//! invariant factors, so that A may have more.
//!
//! dim ker f(A)ᵉ = m·deg f for the multiplicity m of f in the characteristic polynomial, if e is its exponent in the
//! minimal polynomial: n less a rank, of a sparse matrix where f(A)ᵉ has few entries.

use super::super::rank::{RankOptions, rank};
use super::powers::{PolynomialOf, expand};
use super::work::{Found, Work};
use crate::certify::{Certainty, Domain};
use crate::field::Modulus;
use crate::report::once;
use crate::sparse::SparseMatrix;
use crate::univariate::{divide, factor, power, product};
use crate::wiedemann::{self, Options, Place, Problem, parameters};
use crate::{Error, Result, memory};
use std::time::Instant;

/// What the memory is for.
const FACTORS: &str = "factors of a characteristic polynomial";
/// Powers that have more times the entries of A are applied rather than computed.
const GROWTH: usize = 32;
/// Bytes for each entry of such a power: two powers, and what a rank makes of one.
const ENTRY: u64 = 48;
/// Invariant factors of a larger degree than this (with exponents in the minimal polynomial) are not taken apart.
const MOST: usize = 64;

/// The characteristic polynomial of `a` from relations of vectors that do not generate everything, with the certainty
/// of the ranks it took; `None` if they do not determine it, or not in reasonable time.
pub(super) fn complete(
    work: &mut Work<'_>,
    a: &SparseMatrix,
    found: &Found,
    number: u64,
) -> Result<Option<(Vec<u64>, Certainty)>> {
    let (n, p) = (a.rows(), a.modulus());
    let factors = work.invariant_factors(found, number)?;
    let minimal = factors.last().expect("at least one vector");
    let (mut rest, mut known) = (memory::copy(&found.determinant, FACTORS)?, vec![]);
    let (mut degree, mut certainty) = (0, Certainty::Proven);
    for candidate in &factors {
        if candidate.len() == 1 {
            // Nothing occurs in all of them, and still something is missing: chance, or a small field.
            continue;
        }
        if candidate.len() > MOST {
            return Ok(None);
        }
        let rng = &mut work.streams.part(number + 1).stream(Domain::Splitting, 0);
        let (phases, observer) = (&mut work.phases, work.observer);
        for (f, _) in phases.shown("factors", observer, || factor(p, candidate, rng, observer))? {
            let (after, occurred) = without(p, rest, &f)?;
            rest = after;
            if occurred == 0 {
                continue; // done before
            }
            let (_, exponent) = without(p, memory::copy(minimal, FACTORS)?, &f)?;
            if exponent * (f.len() - 1) > MOST {
                return Ok(None);
            }
            let power_of_f = power(p, &f, exponent)?;
            let observer = work.observer;
            let (key, proven) = (observer.keeper().map(|_| work.key(a)), work.options.proven);
            let make = || nullity(work, a, found, &power_of_f, number);
            let nullity = once("nullity", || (key, number, proven, &power_of_f), observer, make)?;
            let Some((nullity, sure)) = nullity else { return Ok(None) };
            if !nullity.is_multiple_of(f.len() - 1) && sure != Certainty::Proven {
                return Ok(None); // a rank that fell short
            }
            if !nullity.is_multiple_of(f.len() - 1) {
                return Err(Error::Check(format!(
                    "the kernel of a polynomial of degree {} has {nullity} dimensions",
                    f.len() - 1
                )));
            }
            certainty = certainty.and(sure);
            degree += nullity;
            known.push(power(p, &f, nullity / (f.len() - 1))?);
        }
        if degree + rest.len() - 1 == n {
            known.push(rest);
            return Ok(Some((product(p, known)?, certainty)));
        }
    }
    Ok(None)
}

/// f without a prime, and how often it occurred.
fn without(p: Modulus, mut f: Vec<u64>, prime: &[u64]) -> Result<(Vec<u64>, usize)> {
    let mut count = 0;
    loop {
        let (quotient, rest) = divide(p, &f, prime)?;
        if !rest.is_empty() {
            return Ok((f, count));
        }
        (f, count) = (quotient, count + 1);
    }
}

/// dim ker f(A); `None` if a proof is demanded and f(A) has too many entries for one.
fn nullity(
    work: &mut Work<'_>,
    a: &SparseMatrix,
    found: &Found,
    f: &[u64],
    number: u64,
) -> Result<Option<(usize, Certainty)>> {
    let (n, start, observer) = (a.rows(), Instant::now(), work.observer);
    let allowed = work.options.max_memory.map_or(usize::MAX, |limit| (limit / ENTRY) as usize);
    let most = (GROWTH * (a.nnz() + n)).min(n.saturating_mul(n)).min(allowed);
    let expanded = work.phases.time("powers", || expand(a, f, most, observer))?;
    let (rank, certainty) = match expanded {
        Some(matrix) => {
            let options = RankOptions { minor: false, ..work.options.clone() };
            let rank = rank(&matrix, &options, observer)?;
            work.phases.extend(&rank.phases);
            (rank.rank, rank.certainty)
        }
        None if work.options.proven => return Ok(None),
        None => {
            let problem = Problem {
                modulus: a.modulus(),
                rows: n,
                cols: n,
                nnz: a.nnz() * (f.len() - 1),
                valued: a.valued() * (f.len() - 1),
                symmetric: false,
                grid: 1,
                scratch: n,
                levels: 0,
                gpu: None,
            };
            let wanted = Options { error: work.options.error, memory: work.options.max_memory, ..Options::default() };
            let chosen = parameters(&problem, &wanted, &work.options.machine)?;
            if work.options.max_memory.is_some_and(|limit| chosen.bytes > limit) {
                return Ok(None);
            }
            let operator = PolynomialOf { product: &found.product, coefficients: f };
            // Choices of their own: those of the part have found f.
            let streams = work.streams.part(u64::MAX - number);
            let place = Place::Processor(&operator);
            let outcome = wiedemann::trials(place, &chosen, &wanted, &streams, &mut work.phases, observer)?;
            (outcome.rank, outcome.certainty)
        }
    };
    work.step("multiplicity", format!("a factor's power has a kernel of {} dimensions", n - rank), None, start);
    Ok(Some((n - rank, certainty)))
}
