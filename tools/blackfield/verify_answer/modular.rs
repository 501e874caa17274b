//! Answers mod a prime, null spaces and echelon forms over the rationals.

use super::exact::{first_difference, first_rational_difference, first_row_beyond, primes};
use super::{Check, Work, refuted};
use blackfield::answers::{self, RankOptions};
use blackfield::field::Modulus;
use blackfield::report::Certainty;
use blackfield::sparse::{Fraction, RationalMatrix, SparseMatrix};
use blackfield::{Error, Result};

/// The seed of what is computed again: another one than by default.
pub const SEED: u64 = 0x5eed_c4ec;

/// The rank if it is not above `claimed`, which it may be shown to be: a lower bound for certain.
///
/// # Errors
/// [`Error::Refuted`] if it is another one.
pub fn check_rank(a: SparseMatrix, claimed: usize, work: &Work<'_>) -> Result<Certainty> {
    let options = RankOptions::default().seed(SEED);
    let found = answers::rank(&a, &options, work.bars)?;
    let found = match found.rank < claimed && found.certainty != Certainty::Proven {
        true => answers::rank(&a, &options.proven(true), work.bars)?,
        false => found,
    };
    if found.rank != claimed {
        return refuted(format!("the rank is {}, not {claimed}", found.rank));
    }
    Ok(found.certainty)
}

/// A matrix mod p, upright or turned.
fn reduced(a: &RationalMatrix, p: Modulus) -> Result<SparseMatrix> {
    a.residues(p)?.into_reduced(p)
}

/// A null space.
pub fn kernel(work: &Work<'_>) -> Result<Vec<Check>> {
    let answer = &work.answer;
    let (left, rational) = (answer.text("side")? == "left", answer.has("field"));
    let (dimension, rank, random) = (answer.count("dimension")?, answer.count("rank")?, answer.flag("random")?);
    let (written, vectors) = (answer.has("output"), answer.count("vectors")?);
    work.expect_files(1 + usize::from(written), if written { "A N" } else { "A" })?;
    let a = work.matrix(0)?;
    let a = if left { a.transpose()? } else { a };
    // Over the rationals, the rank mod a large prime is a lower bound.
    let p = if rational { primes(&a.digest())[0] } else { answer.modulus()? };
    let mut checks = vec![];
    if dimension.checked_add(rank) != Some(a.cols()) {
        return refuted(format!("a null space of dimension {dimension} and rank {rank} in {} coordinates", a.cols()));
    }
    if written {
        let n = work.matrix(1)?;
        let n = if left { n.transpose()? } else { n };
        if (n.rows(), n.cols()) != (a.cols(), vectors) || !random && vectors != dimension {
            let (rows, cols) = (n.rows(), n.cols());
            return refuted(format!("{cols} vectors of {rows} coordinates, {vectors} of {} are claimed", a.cols()));
        }
        let differs = match rational {
            true => first_rational_difference(&a, &n, None)?,
            false => first_difference(&reduced(&a, p)?, &reduced(&n, p)?, None),
        };
        if let Some(i) = differs {
            return refuted(format!("the vectors are not mapped to zero by line {}", i + 1));
        }
        checks.push(Check::proven("A·N = 0", "multiplied out"));
        if !random {
            let _ = check_rank(reduced(&n, p)?, dimension, work)?;
            checks.push(Check::proven(format!("{dimension} independent vectors"), "the rank of N, no smaller"));
        }
    }
    let certainty = check_rank(reduced(&a, p)?, rank, work)?;
    let complete = written && !random;
    checks.push(match complete {
        true => Check::proven(format!("dimension {dimension}"), "the rank of A, no smaller, leaves no more"),
        false if rational => Check::expected(format!("dimension {dimension}"), "the rank of A mod a large prime"),
        false => Check::as_sure(format!("dimension {dimension}"), "the rank of A, computed again", certainty),
    });
    Ok(checks)
}

/// A linear system.
pub fn solve(work: &Work<'_>) -> Result<Vec<Check>> {
    let (answer, p) = (&work.answer, work.answer.modulus()?);
    let consistent = answer.flag("consistent")?;
    let count = if consistent { 3 } else { 2 };
    work.expect_files(count, if consistent { "A B X" } else { "A B" })?;
    let (a, b) = (work.matrix(0)?, work.matrix(1)?);
    answer.check_digest("rhs_digest", &b.digest(), &work.args.files[1])?;
    let (a, b) = (reduced(&a, p)?, reduced(&b, p)?);
    if !consistent {
        let column = answer.get("contradiction")?;
        let y = column["y"].as_array().ok_or_else(|| answer.refuse("a contradiction without y"))?;
        let column = column["column"].as_u64().filter(|&column| column < b.cols() as u64);
        let column = column.ok_or_else(|| answer.refuse("a contradiction without a column of B"))? as u32;
        let mut sums = vec![0; a.cols()];
        let mut value = 0;
        for entry in y {
            let row = entry[0].as_u64().and_then(|row| usize::try_from(row).ok()).filter(|&row| row < a.rows());
            let row = row.ok_or_else(|| answer.refuse("y names a row that is not there"))?;
            let by = p.reduce_bigint(&answer.integer(&entry[1])?);
            let (cols, values) = a.row(row);
            cols.iter().zip(values).for_each(|(&j, &v)| sums[j as usize] = p.add(sums[j as usize], p.mul(v, by)));
            let (cols, values) = b.row(row);
            value = p.add(value, cols.binary_search(&column).map_or(0, |k| p.mul(values[k], by)));
        }
        if sums.iter().any(|&sum| sum != 0) || value == 0 {
            return refuted("y does not contradict: y·A is not 0, or y·b is");
        }
        return Ok(vec![Check::proven(format!("no solution for right side {}", column + 1), "y·A = 0, y·b ≠ 0")]);
    }
    let x = reduced(&work.matrix(2)?, p)?;
    if (x.rows(), x.cols()) != (a.cols(), b.cols()) {
        return refuted(format!("{} x {} solutions for {} right sides", x.rows(), x.cols(), b.cols()));
    }
    if let Some(i) = first_difference(&a, &x, Some(&b)) {
        return refuted(format!("the solutions do not solve equation {}", i + 1));
    }
    Ok(vec![Check::proven(format!("{} right sides are solved", b.cols()), "A·X = B, multiplied out")])
}

/// A reduced row echelon form mod p or over the rationals.
pub fn rref(work: &Work<'_>) -> Result<Vec<Check>> {
    let answer = &work.answer;
    let (rational, written) = (answer.has("field"), answer.has("output"));
    work.expect_files(1 + usize::from(written), if written { "A R" } else { "A" })?;
    let over_q = work.matrix(0)?;
    let p = if rational { primes(&over_q.digest())[0] } else { answer.modulus()? };
    let a = reduced(&over_q, p)?;
    let pivots: Vec<usize> = answer.list("pivots")?.iter().filter_map(|j| usize::try_from(j.as_u64()?).ok()).collect();
    let rank = answer.count("rank")?;
    if pivots.len() != rank || pivots.iter().any(|&j| j >= a.cols()) {
        return refuted(format!("{} pivots for rank {rank}", pivots.len()));
    }
    if !pivots.is_sorted_by(|a, b| a < b) {
        return Err(answer.refuse("pivots of columns in another order are not verified by this program"));
    }
    if !written {
        // The columns of the pivots are independent; that they are the first ones is left to the form itself.
        let certainty = check_rank(columns(&a, &pivots)?, rank, work)?.and(check_rank(a, rank, work)?);
        let claim = "rank, and independent columns";
        return Ok(vec![match rational {
            true => Check::expected(claim, "ranks mod a large prime"),
            false => Check::as_sure(claim, "ranks, computed again", certainty),
        }]);
    }
    let of_form = work.matrix(1)?;
    let r = match rational {
        true => SparseMatrix::from_triplets(p, of_form.rows(), of_form.cols(), &shape(&of_form)),
        false => reduced(&of_form, p)?,
    };
    if (r.rows(), r.cols()) != (rank, a.cols()) {
        return refuted(format!("a form of {} x {} for rank {rank}", r.rows(), r.cols()));
    }
    for (i, &pivot) in pivots.iter().enumerate() {
        let (cols, values) = r.row(i);
        let leading = cols.first().map(|&j| j as usize) == Some(pivot) && values.first() == Some(&1);
        let others = cols.iter().skip(1).any(|&j| pivots.binary_search(&(j as usize)).is_ok());
        if !leading || others {
            return refuted(format!("row {} of the form does not begin with 1 in its own column", i + 1));
        }
    }
    let differs = match rational {
        true => first_row_beyond(&over_q, &pivots, &of_form),
        false => first_difference(&columns(&a, &pivots)?, &r, Some(&a)),
    };
    if let Some(i) = differs {
        return refuted(format!("row {} of A is no combination of the rows of the form", i + 1));
    }
    let _ = check_rank(a, rank, work)?;
    Ok(vec![
        Check::proven("R is in reduced row echelon form", "its entries"),
        Check::proven("the row space of A is that of R", "A = A[pivots]·R, and the rank of A, no smaller"),
    ])
}

/// Which entries are there, 1 where they are 1 and 2 elsewhere.
fn shape(a: &RationalMatrix) -> Vec<(usize, usize, u64)> {
    let is_one = |v: &Fraction<'_>| v.is_integer() && v.numerator().to_bigint() == 1.into();
    a.entries().map(|(i, j, v)| (i, j, if is_one(&v) { 1 } else { 2 })).collect()
}

/// The columns `which`, ascending, of a matrix.
fn columns(a: &SparseMatrix, which: &[usize]) -> Result<SparseMatrix> {
    let (mut start, mut cols, mut values) = (vec![0], vec![], vec![]);
    for i in 0..a.rows() {
        for (&j, &v) in a.row(i).0.iter().zip(a.row(i).1) {
            if let Ok(k) = which.binary_search(&(j as usize)) {
                cols.push(k as u32);
                values.push(v);
            }
        }
        start.push(cols.len());
    }
    SparseMatrix::from_csr(a.modulus(), which.len(), &start, &cols, &values)
}

/// A determinant mod p or a polynomial, computed again.
pub fn again(work: &Work<'_>, kind: &str) -> Result<Vec<Check>> {
    work.expect_files(1, "A")?;
    let (answer, p) = (&work.answer, work.answer.modulus()?);
    let a = reduced(&work.matrix(0)?, p)?;
    let options = RankOptions::default().seed(SEED);
    let by = "computed again with other random choices";
    if kind == "det" {
        let found = answers::determinant(&a, &options, work.bars)?;
        let claimed = answer.text("det")?;
        if found.value.to_string() != claimed {
            return refuted(format!("the determinant is {}, not {claimed}", found.value));
        }
        return Ok(vec![Check::as_sure(format!("determinant {claimed}"), by, found.certainty)]);
    }
    let found = match kind {
        "minpoly" => answers::minimal_polynomial(&a, &options, work.bars)?,
        _ => answers::characteristic_polynomial(&a, &options, work.bars)?,
    };
    let claimed = answer.list("coefficients")?.iter().map(|c| answer.integer(c)).collect::<Result<Vec<_>>>()?;
    if claimed != found.coefficients.iter().map(|&c| c.into()).collect::<Vec<_>>() {
        return Err(Error::Refuted("the polynomial has other coefficients".into()));
    }
    Ok(vec![Check::as_sure(format!("polynomial of degree {}", claimed.len().saturating_sub(1)), by, found.certainty)])
}

/// A system over the rationals that has solutions.
pub fn rational_solutions(work: &Work<'_>) -> Result<Vec<Check>> {
    work.expect_files(3, "A B X")?;
    let (a, b, x) = (work.matrix(0)?, work.matrix(1)?, work.matrix(2)?);
    work.answer.check_digest("rhs_digest", &b.digest(), &work.args.files[1])?;
    if (x.rows(), x.cols()) != (a.cols(), b.cols()) {
        return refuted(format!("{} x {} solutions for {} right sides", x.rows(), x.cols(), b.cols()));
    }
    if let Some(i) = first_rational_difference(&a, &x, Some(&b))? {
        return refuted(format!("the solutions do not solve equation {}", i + 1));
    }
    Ok(vec![Check::proven(format!("{} right sides are solved", b.cols()), "A·X = B, multiplied out over Q")])
}
