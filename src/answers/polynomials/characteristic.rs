//! The characteristic polynomial: the product over the diagonal blocks of the block triangular form.

use super::super::kernel::check;
use super::super::rank::RankOptions;
use super::answer::MatrixPolynomial;
use super::multiplicity::complete;
use super::parts::Parts;
use super::work::{ATTEMPTS, SMALL, Work, entries, forecast};
use crate::certify::{Certainty, Streams};
use crate::dense;
use crate::report::{Ahead, Phases, once};
use crate::sparse::SparseMatrix;
use crate::univariate::{power, product};
use crate::words::counted;
use crate::{Error, Observer, Result, memory};
use std::collections::BTreeMap;
use std::time::Instant;

/// det(x - A), monic; 1 for the 0 × 0 matrix. Of the options, the seed, the memory, the prices, the patience and
/// `proven` count; block Wiedemann as a method is refused.
///
/// ```
/// use blackfield::{Silent, answers::{RankOptions, characteristic_polynomial}, field::Modulus, sparse::SparseMatrix};
/// let a = SparseMatrix::from_csr(Modulus::new(7)?, 2, &[0, 2, 4], &[0, 1, 0, 1], &[1, 2, 3, 4])?;
/// let found = characteristic_polynomial(&a, &RankOptions::default(), &Silent)?;
/// assert_eq!(found.coefficients, [5, 2, 1]); // x² - 5x - 2
/// # Ok::<(), blackfield::Error>(())
/// ```
///
/// # Errors
/// [`Error::Matrix`] unless `a` is square, [`Error::Usage`] for options out of range, [`Error::Memory`] if no way fits
/// or memory ends, [`Error::Interrupted`] when the observer says so, and [`Error::Check`] if a computation contradicts
/// itself.
pub fn characteristic_polynomial(
    a: &SparseMatrix,
    options: &RankOptions,
    observer: &dyn Observer,
) -> Result<MatrixPolynomial> {
    check(options)?;
    if a.rows() != a.cols() {
        let shape = format!("{} x {}", a.rows(), a.cols());
        return Err(Error::Matrix(format!("{shape}: a characteristic polynomial is of a square matrix")));
    }
    let p = a.modulus();
    let streams = Streams::of(a, options.seed);
    let mut work = Work { options, streams: &streams, phases: Phases::default(), path: vec![], observer };
    let start = Instant::now();
    let parts = work.phases.shown("components", observer, || Parts::strong(a))?;
    let (mut certainty, mut singles, mut blocks, mut largest) = (Certainty::Proven, BTreeMap::new(), vec![], 1);
    let mut found = vec![];
    let single = |v: u64| {
        *singles.entry(p.neg(v)).or_insert(0usize) += 1;
        Ok(())
    };
    parts.each(single, |number, block| {
        largest = largest.max(block.rows());
        blocks.push((number, block.rows()));
        let (polynomial, sure) = match block.rows() > SMALL {
            true => {
                let key = observer.keeper().map(|_| work.key(&block));
                let key = || (key, number, options.proven);
                once("characteristic", key, observer, || of_block(&mut work, &block, number))?
            }
            false => of_block(&mut work, &block, number)?,
        };
        certainty = certainty.and(sure);
        found.push(polynomial);
        Ok(())
    })?;
    let count = singles.values().sum::<usize>();
    let more = match blocks.len() {
        0 => String::new(),
        1 => format!(" and one of order {largest}"),
        larger => format!(" and {larger} larger ones, up to order {largest}"),
    };
    let name = format!("{} of order 1{more}", counted(count, "diagonal block"));
    work.step("strong components", name, None, start);
    let coefficients = work.phases.shown("product", observer, || {
        for (&constant, &multiplicity) in &singles {
            found.push(power(p, &[constant, 1], multiplicity)?);
        }
        product(p, found)
    })?;
    if coefficients.len() != a.rows() + 1 {
        return Err(Error::Check(format!("a characteristic polynomial of degree {}", coefficients.len() - 1)));
    }
    let trace = (0..a.rows()).fold(0, |sum, i| {
        let (cols, values) = a.row(i);
        cols.binary_search(&(i as u32)).map_or(sum, |k| p.add(sum, values[k]))
    });
    if a.rows() > 0 && coefficients[a.rows() - 1] != p.neg(trace) {
        return Err(Error::Check("a characteristic polynomial that contradicts the trace".into()));
    }
    let reason = match certainty {
        Certainty::Proven => "each block by exact elimination, or by proven relations of vectors and ranks".into(),
        _ => "proven but for the ranks of polynomials of a block".into(),
    };
    let Work { path, phases, .. } = work;
    Ok(MatrixPolynomial { coefficients, certainty, reason, invariant_factors: None, path, phases })
}

/// That of one diagonal block.
fn of_block(work: &mut Work<'_>, a: &SparseMatrix, number: u64) -> Result<(Vec<u64>, Certainty)> {
    let n = a.rows();
    let price = work.options.machine.wiedemann.determinant;
    let hessenberg_seconds = (n as f64).powi(3) * price;
    let fits = work.options.max_memory.is_none_or(|limit| 16 * (n as u128).pow(2) <= u128::from(limit));
    let mut way = work.way(a, 0);
    for attempt in 0..ATTEMPTS {
        match &way {
            Ok(way) if !fits || way.seconds < hessenberg_seconds => {}
            Err(_) if !fits => {}
            _ => break,
        }
        let found = work.relations(a, number, attempt)?;
        if found.is_all() {
            return Ok((found.determinant, Certainty::Proven));
        }
        if let Some(whole) = complete(work, a, &found, number)? {
            return Ok(whole);
        }
        way = work.way(a, attempt + 1);
    }
    if !fits {
        return Err(Error::Memory(format!(
            "the characteristic polynomial of a block of order {n} takes a dense matrix of {} MB",
            (16 * (n as u128).pow(2)).div_ceil(1 << 20)
        )));
    }
    Ok((hessenberg(work, a, hessenberg_seconds)?, Certainty::Proven))
}

/// By a dense Hessenberg form.
fn hessenberg(work: &mut Work<'_>, a: &SparseMatrix, predicted: f64) -> Result<Vec<u64>> {
    let (n, start, observer) = (a.rows(), Instant::now(), work.observer);
    let mut entries = entries(a)?;
    let (why, bytes) = ("order, whatever the entries".into(), memory::saturated(16 * (n as u128).pow(2)));
    forecast(observer, "Hessenberg form", why, predicted, bytes)?;
    // One thread works on it: 5n³/6 multiply-adds, and n³/6.
    let parts = [("Hessenberg form", 5.0 / 6.0), ("minors", 1.0 / 6.0)];
    observer.ahead(&parts.map(|(phase, share)| Ahead::alone(phase, share * predicted)));
    let found =
        work.phases.time("hessenberg", || dense::characteristic_polynomial(a.modulus(), n, &mut entries, observer))?;
    if n > SMALL {
        work.step("Hessenberg form", format!("order {n}"), Some(predicted), start);
    }
    Ok(found)
}
