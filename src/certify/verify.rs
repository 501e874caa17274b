//! Checking a certificate against the matrix.

use super::{Certainty, Certificate, Challenge, Claim, ErrorBound, Lanes, Upper, repetitions};
use crate::sparse::{LineMap, LineMaps, SparseMatrix};
use crate::{Error, Observer, Result, memory};
use rayon::prelude::*;

/// What a certificate that holds has shown.
///
/// Serialised together with its certainty; a claim that holds unconditionally has error 0.
#[derive(Clone, Copy, Debug, PartialEq)]
#[must_use]
#[non_exhaustive]
pub struct Verdict {
    /// The rank mod p.
    pub rank: usize,
    /// The probability that random vectors miss a smaller rank; `None` if the minor is a chain.
    pub lower_error: Option<ErrorBound>,
    /// The probability that random vectors miss a larger rank; `None` if lines bound it.
    pub upper_error: Option<ErrorBound>,
}

impl Verdict {
    /// Proven, or the sum of both probabilities.
    pub fn certainty(&self) -> Certainty {
        let of = |error: Option<ErrorBound>| error.map_or(Certainty::Proven, Certainty::with_bound);
        of(self.lower_error).and(of(self.upper_error))
    }
}

#[cfg(feature = "serde")]
impl serde::Serialize for Verdict {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        #[derive(serde::Serialize)]
        struct Document {
            rank: usize,
            #[serde(flatten)]
            certainty: Certainty,
            lower_error: f64,
            upper_error: f64,
        }
        let Verdict { rank, lower_error, upper_error } = *self;
        let of = |error: Option<ErrorBound>| error.map_or(0.0, ErrorBound::value);
        let certainty = self.certainty();
        Document { rank, certainty, lower_error: of(lower_error), upper_error: of(upper_error) }.serialize(serializer)
    }
}

/// Rows whose products are checked by one task.
const ROWS: usize = 1 << 12;

/// Checks every statement of a certificate for the matrix `a` mod p, whose integer form has the given
/// [digest](crate::sparse::Triplets::digest). Cost: 2k inner products with each row.
///
/// The caller vouches that `digest` belongs to `a`; `certificate.digest` is compared with it.
///
/// # Errors
/// [`Error::Refuted`], which names the first statement found wrong; [`Error::Interrupted`].
pub fn verify(certificate: &Certificate, a: &SparseMatrix, digest: &str, observer: &dyn Observer) -> Result<Verdict> {
    verify_compact(certificate, a, &LineMaps::identity(a.rows(), a.cols()), digest, observer)
}

/// [`verify`] for a matrix of which `a` has the rows and columns `lines`, all others being empty
/// ([`Triplets::compact`](crate::sparse::Triplets::compact)). The certificate is that of the whole matrix.
///
/// # Errors
/// As [`verify`], and [`Error::Memory`].
///
/// # Panics
/// If `a` does not have as many rows and columns as `lines`.
pub fn verify_compact(
    certificate: &Certificate,
    a: &SparseMatrix,
    lines: &LineMaps,
    digest: &str,
    observer: &dyn Observer,
) -> Result<Verdict> {
    assert_eq!((a.rows(), a.cols()), (lines.rows.len(), lines.cols.len()), "the lines that were kept");
    let c = certificate;
    let shape = (lines.rows.whole(), lines.cols.whole());
    let same = c.digest == digest && (c.modulus, (c.rows, c.cols)) == (a.modulus(), shape);
    demand(same, || "the certificate is for another matrix or modulus".into())?;
    if let Some(flaw) = c.flaw() {
        return Err(Error::Refuted(flaw));
    }
    observer.phase("verify", 2);
    let work = Work {
        c,
        a,
        lines,
        rows: places(&c.minor_rows, &lines.rows, "row")?,
        cols: places(&c.minor_cols, &lines.cols, "column")?,
    };
    let t = c.triangular;
    check_chain(a, lines, &work.rows[..t], &work.cols[..t])?;
    observer.check()?;
    let p = a.modulus();
    let failure = ErrorBound::negative_power(p.get(), repetitions(p));
    let lower_error = (c.beyond_chain() > 0).then_some(failure);
    if c.beyond_chain() > 0 {
        work.check_minor()?;
    }
    observer.progress(1);
    observer.check()?;
    let upper_error = match &c.upper {
        Upper::Lines { rows, cols } => {
            work.check_lines(rows, cols)?;
            None
        }
        Upper::Combinations(w) => {
            work.check_combinations(w)?;
            Some(failure)
        }
    };
    observer.progress(2);
    Ok(Verdict { rank: c.rank(), lower_error, upper_error })
}

fn demand(holds: bool, otherwise: impl FnOnce() -> String) -> Result<()> {
    if holds { Ok(()) } else { Err(Error::Refuted(otherwise())) }
}

/// Where the lines of a minor are in a compact matrix.
fn places(list: &[u32], map: &LineMap, what: &str) -> Result<Vec<u32>> {
    let mut places = memory::with_capacity(list.len(), "the lines of the minor")?;
    for &line in list {
        let place = map.place(line);
        demand(place.is_some(), || format!("{what} {line} (0-based) of the minor is empty"))?;
        places.extend(place);
    }
    Ok(places)
}

/// The rows and columns, numbered as in `a`, are those of an upper triangular minor with a diagonal of units; messages
/// name the rows of the whole matrix.
pub(crate) fn check_chain(a: &SparseMatrix, lines: &LineMaps, rows: &[u32], cols: &[u32]) -> Result<()> {
    let mut place = memory::filled(usize::MAX, a.cols(), "the places of the chain")?;
    cols.iter().enumerate().for_each(|(l, &j)| place[j as usize] = l);
    rows.iter().enumerate().try_for_each(|(k, &i)| {
        let first = a.row(i as usize).0.iter().map(|&j| place[j as usize]).min();
        let row = lines.rows.number(i);
        demand(first == Some(k), || format!("row {row} breaks the triangular chain at position {k} (0-based)"))
    })
}

/// A certificate, and its minor in the given matrix.
struct Work<'a> {
    c: &'a Certificate,
    a: &'a SparseMatrix,
    lines: &'a LineMaps,
    /// The minor's rows in `a`.
    rows: Vec<u32>,
    /// Its columns in `a`.
    cols: Vec<u32>,
}

impl Work<'_> {
    /// M·x = (0, b).
    fn check_minor(&self) -> Result<()> {
        let Work { c, a, lines, rows, cols } = self;
        let (t, k) = (c.triangular, repetitions(c.modulus));
        let mut x = Lanes::zeros(c.modulus, a.cols(), k)?;
        for (&j, values) in cols[t..].iter().zip(c.lower.chunks_exact(k)) {
            x.set(j, values);
        }
        x.substitute(a, &rows[..t], &cols[..t]);
        let mut challenge = Challenge::new(c, Claim::Lower);
        let (mut b, mut product) = (vec![0; k], vec![0; k]);
        // The rows of the chain are orthogonal to x by substitution.
        for &i in &rows[t..] {
            challenge.fill(&mut b);
            x.product(a, i, &mut product);
            demand(product == b, || {
                let row = lines.rows.number(i);
                format!("the minor is not shown to be invertible: wrong product with row {row} (0-based)")
            })?;
        }
        Ok(())
    }

    /// Every entry lies on one of the lines.
    fn check_lines(&self, rows: &[u32], cols: &[u32]) -> Result<()> {
        let Work { a, lines, .. } = self;
        let mut on_row = memory::zeros::<bool>(a.rows(), "the rows that meet entries")?;
        let mut on_col = memory::zeros::<bool>(a.cols(), "the columns that meet entries")?;
        // Empty lines may be among them, and cover nothing.
        rows.iter().filter_map(|&i| lines.rows.place(i)).for_each(|i| on_row[i as usize] = true);
        cols.iter().filter_map(|&j| lines.cols.place(j)).for_each(|j| on_col[j as usize] = true);
        (0..a.rows()).filter(|&i| !on_row[i]).try_for_each(|i| {
            let open = a.row(i).0.iter().find(|&&j| !on_col[j as usize]);
            demand(open.is_none(), || {
                let (row, col) = (lines.rows.number(i as u32), open.map_or(0, |&j| lines.cols.number(j)));
                format!("no line meets the entry in row {row}, column {col} (0-based)")
            })
        })
    }

    /// A·w = 0.
    fn check_combinations(&self, values: &[u64]) -> Result<()> {
        let Work { c, a, lines, rows, cols } = self;
        let (t, k) = (c.triangular, repetitions(c.modulus));
        let mut w = Challenge::on_free_columns(c, a, cols)?;
        for (&j, values) in cols[t..].iter().zip(values.chunks_exact(k)) {
            w.set(j, values);
        }
        w.substitute(a, &rows[..t], &cols[..t]);
        // The rows of the chain are orthogonal to w by substitution.
        let mut in_chain = memory::zeros::<bool>(a.rows(), "the rows of the chain")?;
        rows[..t].iter().for_each(|&i| in_chain[i as usize] = true);
        let wrong = (0..a.rows().div_ceil(ROWS)).into_par_iter().find_map_first(|task| {
            let mut product = vec![0; k];
            (task * ROWS..a.rows().min((task + 1) * ROWS)).filter(|&i| !in_chain[i]).find(|&i| {
                w.product(a, i as u32, &mut product);
                product.iter().any(|&x| x != 0)
            })
        });
        match wrong.map(|i| lines.rows.number(i as u32)) {
            None => Ok(()),
            Some(row) => {
                Err(Error::Refuted(format!("a larger rank is not excluded: wrong product with row {row} (0-based)")))
            }
        }
    }
}
