//! Checking a certificate against the matrix.

use super::{Certainty, Certificate, Challenge, Claim, ErrorBound, Lanes, Upper, repetitions};
use crate::sparse::SparseMatrix;
use crate::{Error, Observer, Result};
use rayon::prelude::*;

/// What a certificate that holds has shown.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Verdict {
    /// The rank mod p.
    pub rank: usize,
    /// The probability that random vectors miss a smaller rank; `None` where the minor is a chain.
    pub lower_error: Option<ErrorBound>,
    /// The probability that random vectors miss a larger rank; `None` where lines bound it.
    pub upper_error: Option<ErrorBound>,
}

impl Verdict {
    /// Proven, or the sum of both probabilities.
    pub fn certainty(&self) -> Certainty {
        let of = |error: Option<ErrorBound>| error.map_or(Certainty::Proven, Certainty::with_bound);
        of(self.lower_error).and(of(self.upper_error))
    }
}

/// Rows whose products are checked by one task.
const ROWS: usize = 1 << 12;

/// Checks every statement of a certificate for the matrix `a` mod p, whose integer form has the given
/// [digest](crate::sparse::Triplets::digest). Cost: 2k inner products with each row.
///
/// That `digest` belongs to `a` is the caller's word; `certificate.digest` is compared with it.
///
/// # Errors
/// [`Error::Check`] that names the first statement found wrong; [`Error::Interrupted`].
pub fn verify(certificate: &Certificate, a: &SparseMatrix, digest: &str, observer: &dyn Observer) -> Result<Verdict> {
    let c = certificate;
    let same = c.digest == digest && (c.modulus, c.rows, c.cols) == (a.modulus(), a.rows(), a.cols());
    demand(same, || "the certificate is for another matrix or modulus".into())?;
    if let Some(flaw) = c.flaw() {
        return Err(Error::Check(flaw));
    }
    observer.phase("verify", 2);
    check_chain(c, a)?;
    observer.check()?;
    let p = a.modulus();
    let failure = ErrorBound::negative_power(p.get(), repetitions(p));
    let lower_error = (c.beyond_chain() > 0).then_some(failure);
    if c.beyond_chain() > 0 {
        check_minor(c, a)?;
    }
    observer.progress(1);
    observer.check()?;
    let upper_error = match &c.upper {
        Upper::Lines { rows, cols } => {
            check_lines(a, rows, cols)?;
            None
        }
        Upper::Combinations(w) => {
            check_combinations(c, w, a)?;
            Some(failure)
        }
    };
    observer.progress(2);
    Ok(Verdict { rank: c.rank(), lower_error, upper_error })
}

fn demand(holds: bool, otherwise: impl FnOnce() -> String) -> Result<()> {
    if holds { Ok(()) } else { Err(Error::Check(otherwise())) }
}

/// A\[I₁, J₁\] is upper triangular with a diagonal of units. The lines are in range.
pub(crate) fn check_chain(c: &Certificate, a: &SparseMatrix) -> Result<()> {
    let t = c.triangular;
    let mut place = vec![usize::MAX; a.cols()];
    c.minor_cols[..t].iter().enumerate().for_each(|(l, &j)| place[j as usize] = l);
    c.minor_rows[..t].iter().enumerate().try_for_each(|(k, &i)| {
        let first = a.row(i as usize).0.iter().map(|&j| place[j as usize]).min();
        demand(first == Some(k), || format!("row {i} breaks the triangular chain at its place {k} (0-based)"))
    })
}

/// M·x = (0, b).
fn check_minor(c: &Certificate, a: &SparseMatrix) -> Result<()> {
    let (t, k) = (c.triangular, repetitions(c.modulus));
    let mut x = Lanes::zeros(c.modulus, a.cols(), k);
    for (&j, values) in c.minor_cols[t..].iter().zip(c.lower.chunks_exact(k)) {
        x.set(j, values);
    }
    x.substitute(a, &c.minor_rows[..t], &c.minor_cols[..t]);
    let mut challenge = Challenge::new(c, Claim::Lower);
    let (mut b, mut product) = (vec![0; k], vec![0; k]);
    for (place, &i) in c.minor_rows.iter().enumerate() {
        if place >= t {
            challenge.fill(&mut b);
        }
        x.product(a, i, &mut product);
        demand(product == b, || {
            format!("the minor is not shown to be invertible: wrong product with row {i} (0-based)")
        })?;
    }
    Ok(())
}

/// Every entry lies on one of the lines.
fn check_lines(a: &SparseMatrix, rows: &[u32], cols: &[u32]) -> Result<()> {
    let (mut on_row, mut on_col) = (vec![false; a.rows()], vec![false; a.cols()]);
    rows.iter().for_each(|&i| on_row[i as usize] = true);
    cols.iter().for_each(|&j| on_col[j as usize] = true);
    (0..a.rows()).filter(|&i| !on_row[i]).try_for_each(|i| {
        let open = a.row(i).0.iter().find(|&&j| !on_col[j as usize]);
        demand(open.is_none(), || {
            format!("no line meets the entry in row {i}, column {} (0-based)", open.unwrap_or(&0))
        })
    })
}

/// A·w = 0.
fn check_combinations(c: &Certificate, values: &[u64], a: &SparseMatrix) -> Result<()> {
    let (t, k) = (c.triangular, repetitions(c.modulus));
    let mut w = Challenge::on_free_columns(c);
    for (&j, values) in c.minor_cols[t..].iter().zip(values.chunks_exact(k)) {
        w.set(j, values);
    }
    w.substitute(a, &c.minor_rows[..t], &c.minor_cols[..t]);
    let wrong = (0..a.rows().div_ceil(ROWS)).into_par_iter().find_map_first(|task| {
        let mut product = vec![0; k];
        (task * ROWS..a.rows().min((task + 1) * ROWS)).find(|&i| {
            w.product(a, i as u32, &mut product);
            product.iter().any(|&x| x != 0)
        })
    });
    match wrong {
        None => Ok(()),
        Some(i) => Err(Error::Check(format!("a larger rank is not excluded: wrong product with row {i} (0-based)"))),
    }
}
