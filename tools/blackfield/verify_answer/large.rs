//! Null spaces and systems modulo primes beyond 2⁶³: multiplied out in integers, ranks computed again.

use super::exact::first_difference_modulo;
use super::{Check, Work, refuted};
use blackfield::answers::{self, RankOptions};
use blackfield::large::LargeModulus;
use blackfield::num_bigint::BigInt;
use blackfield::report::Certainty;
use blackfield::sparse::{RationalMatrix, Triplets};
use blackfield::{Error, Result};
use std::collections::BTreeMap;

/// The seed of what is computed again: another one than by default.
const SEED: u64 = 0x5eed_c4ec;

/// The modulus of the document, if it is one that is written in digits.
///
/// # Errors
/// [`Error::Input`] if it is no prime.
pub fn modulus(work: &Work<'_>) -> Result<Option<LargeModulus>> {
    if !work.answer.has("modulus") {
        return Ok(None);
    }
    let Some(digits) = work.answer.get("modulus")?.as_str() else { return Ok(None) };
    let parsed: Result<LargeModulus> = digits.parse();
    parsed.map(Some).map_err(|error| work.answer.refuse(error.to_string()))
}

/// A matrix of integers.
fn integers(matrix: RationalMatrix, work: &Work<'_>) -> Result<Triplets> {
    let refusal = || work.answer.refuse("there are no fractions modulo a prime beyond 2^63");
    matrix.into_integers().ok_or_else(refusal)
}

/// How sure it is that the rank is `claimed`.
///
/// # Errors
/// [`Error::Refuted`] if it is another one.
fn check_rank(a: &Triplets, p: &LargeModulus, claimed: usize, work: &Work<'_>) -> Result<Certainty> {
    let options = RankOptions::default().seed(SEED);
    let found = answers::large_rank(a, p, &options, work.bars)?;
    let found = match found.rank < claimed && found.certainty != Certainty::Proven {
        true => answers::large_rank(a, p, &options.proven(true), work.bars)?,
        false => found,
    };
    if found.rank == claimed {
        Ok(found.certainty)
    } else {
        refuted(format!("the rank is {}, not {claimed}", found.rank))
    }
}

/// A null space.
pub fn kernel(work: &Work<'_>, p: &LargeModulus) -> Result<Vec<Check>> {
    let answer = &work.answer;
    let left = answer.text("side")? == "left";
    let (dimension, rank, random) = (answer.count("dimension")?, answer.count("rank")?, answer.flag("random")?);
    let (written, vectors) = (answer.has("output"), answer.count("vectors")?);
    work.expect_files(1 + usize::from(written), if written { "A N" } else { "A" })?;
    let turned = |matrix: RationalMatrix| Ok::<_, Error>(if left { matrix.transpose()? } else { matrix });
    let a = integers(turned(work.matrix(0)?)?, work)?;
    if dimension.checked_add(rank) != Some(a.cols()) {
        return refuted(format!("a null space of dimension {dimension} and rank {rank} in {} coordinates", a.cols()));
    }
    let mut checks = vec![];
    if written {
        let n = integers(turned(work.matrix(1)?)?, work)?;
        if (n.rows(), n.cols()) != (a.cols(), vectors) || !random && vectors != dimension {
            let (rows, cols) = (n.rows(), n.cols());
            return refuted(format!("{cols} vectors of {rows} coordinates, {vectors} of {} are claimed", a.cols()));
        }
        if let Some(i) = first_difference_modulo(&a, &n, None, p) {
            return refuted(format!("the vectors are not mapped to zero by line {}", i + 1));
        }
        checks.push(Check::proven("A·N = 0", "multiplied out"));
        if !random {
            let _ = check_rank(&n, p, dimension, work)?;
            checks.push(Check::proven(format!("{dimension} independent vectors"), "the rank of N, no smaller"));
        }
    }
    let certainty = check_rank(&a, p, rank, work)?;
    checks.push(match written && !random {
        true => Check::proven(format!("dimension {dimension}"), "the rank of A, no smaller, leaves no more"),
        false => Check::as_sure(format!("dimension {dimension}"), "the rank of A, computed again", certainty),
    });
    Ok(checks)
}

/// A linear system.
pub fn solve(work: &Work<'_>, p: &LargeModulus) -> Result<Vec<Check>> {
    let answer = &work.answer;
    let consistent = answer.flag("consistent")?;
    work.expect_files(if consistent { 3 } else { 2 }, if consistent { "A B X" } else { "A B" })?;
    let (a, b) = (work.matrix(0)?, work.matrix(1)?);
    answer.check_digest("rhs_digest", &b.digest(), &work.args.files[1])?;
    let (a, b) = (integers(a, work)?, integers(b, work)?);
    if !consistent {
        return contradiction(work, (&a, &b), p);
    }
    let x = integers(work.matrix(2)?, work)?;
    if (x.rows(), x.cols()) != (a.cols(), b.cols()) {
        return refuted(format!("{} x {} solutions for {} right sides", x.rows(), x.cols(), b.cols()));
    }
    if let Some(i) = first_difference_modulo(&a, &x, Some(&b), p) {
        return refuted(format!("the solutions do not solve equation {}", i + 1));
    }
    Ok(vec![Check::proven(format!("{} right sides are solved", b.cols()), "A·X = B, multiplied out")])
}

/// The y of the document, with y·A = 0 and y·b ≠ 0.
fn contradiction(work: &Work<'_>, (a, b): (&Triplets, &Triplets), p: &LargeModulus) -> Result<Vec<Check>> {
    let answer = &work.answer;
    let found = answer.get("contradiction")?;
    let column = found["column"].as_u64().filter(|&column| column < b.cols() as u64);
    let column = column.ok_or_else(|| answer.refuse("a contradiction without a column of B"))? as usize;
    let mut y = BTreeMap::new();
    for entry in found["y"].as_array().ok_or_else(|| answer.refuse("a contradiction without y"))? {
        let row = entry[0].as_u64().and_then(|row| usize::try_from(row).ok()).filter(|&row| row < a.rows());
        let row = row.ok_or_else(|| answer.refuse("y names a row that is not there"))?;
        *y.entry(row).or_insert(BigInt::ZERO) += answer.integer(&entry[1])?;
    }
    let p = BigInt::from(p.get().clone());
    let mut sums = BTreeMap::<usize, BigInt>::new();
    for (i, j, v) in a.entries() {
        if let Some(y) = y.get(&i) {
            *sums.entry(j).or_default() += y * v.to_bigint();
        }
    }
    let own = b.entries().filter(|(_, j, _)| *j == column);
    let value: BigInt = own.filter_map(|(i, _, v)| Some(y.get(&i)? * v.to_bigint())).sum();
    if sums.values().any(|sum| sum % &p != BigInt::ZERO) || value % &p == BigInt::ZERO {
        return refuted("y does not contradict: y·A is not 0, or y·b is");
    }
    Ok(vec![Check::proven(format!("no solution for right side {}", column + 1), "y·A = 0, y·b ≠ 0")])
}
