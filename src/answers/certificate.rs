//! Making a certificate of a rank mod p: from a nonsingular minor to vectors that a [verifier](crate::certify) can
//! check.
//!
//! Let I = I₁ ∪ I₂ and J = J₁ ∪ J₂ be rows and columns of the minor, A\[I₁, J₁\] its triangular chain, F the other
//! columns. Both kinds of vectors come from one dense system with the Schur complement S = A\[I₂, J₂\] -
//! A\[I₂, J₁\]·A\[I₁, J₁\]⁻¹·A\[I₁, J₂\], whose order s is that of what the chain leaves:
//!
//! - x with M·x = (0, b): S·x\[J₂\] = b;
//! - w with A·w = 0 and w\[F\] given: with w\[J₂\] = 0 and w\[J₁\] by substitution the rows I₂ give some ρ, and
//!   S·w\[J₂\] = -ρ.
//!
//! The factors that the computation of the minor left of S solve both: s² multiply-adds for each vector. Where it left
//! none, over GF(2) or for a minor that somebody names, [`Columns`] writes S down, s products with the rows
//! of the minor, and it is eliminated, s³/3 more. Entry: [`certificate`].

use super::Minor;
use crate::certify::{self, Certificate, Challenge, Claim, Upper, repetitions};
use crate::dense::Echelon;
use crate::matching::{VertexCover, matching_of_size, minimum_vertex_cover};
use crate::pivots::Pivots;
use crate::schur::{Columns, Split};
use crate::sparse::{LineMaps, Pattern, SparseMatrix};
use crate::{Error, Observer, Result, memory};

/// A certificate that `a` has the rank of `minor`, checked by [`certify::verify`] before it is returned. `digest` is
/// that of the integer matrix ([`Triplets::digest`](crate::sparse::Triplets::digest)).
///
/// Where as many lines as the rank meet every entry (the rank is the structural rank), these prove the upper bound.
///
/// ```
/// use blackfield::{Silent, answers::{RankOptions, certificate, rank}, certify, families, field::Modulus};
/// let triplets = families::generate("ch4-4-b2")?;
/// let (a, digest) = (triplets.reduce(Modulus::new(65521)?), triplets.digest());
/// let answer = rank(&a, &RankOptions::default().minor(true), &Silent)?;
/// let certificate = certificate(&a, &digest, &answer.minor.expect("asked for"), &Silent)?;
/// assert_eq!(certify::verify(&certificate, &a, &digest, &Silent)?.rank, answer.rank);
/// # Ok::<(), blackfield::Error>(())
/// ```
///
/// # Errors
/// [`Error::Refuted`] if the minor is singular, not triangular in its claimed chain, or smaller than the rank;
/// [`Error::Interrupted`].
///
/// # Panics
/// If `minor` has not as many rows as columns, names lines out of range or twice, or a chain longer than itself.
pub fn certificate(a: &SparseMatrix, digest: &str, minor: &Minor, observer: &dyn Observer) -> Result<Certificate> {
    certificate_compact(a, &LineMaps::identity(a.rows(), a.cols()), digest, minor, observer)
}

/// [`certificate`] for a matrix of which `a` has the rows and columns `whole`, all others being empty
/// ([`Triplets::compact`](crate::sparse::Triplets::compact)). `minor` is one of `a`; the certificate is for the whole
/// matrix, as `digest` is.
///
/// # Errors
/// As [`certificate`], and [`Error::Memory`].
///
/// # Panics
/// As [`certificate`], and if `a` has not as many rows and columns as `whole`.
pub fn certificate_compact(
    a: &SparseMatrix,
    whole: &LineMaps,
    digest: &str,
    minor: &Minor,
    observer: &dyn Observer,
) -> Result<Certificate> {
    assert!(minor.rows.len() == minor.cols.len() && minor.triangular <= minor.rows.len(), "a minor with its chain");
    let lines = lines(a, minor)?;
    let by_lines = lines.is_some();
    let rows_of = |rows: &[u32]| memory::collect(rows.iter().map(|&i| whole.rows.number(i)), LINES);
    let cols_of = |cols: &[u32]| memory::collect(cols.iter().map(|&j| whole.cols.number(j)), LINES);
    let upper = match lines {
        Some(VertexCover { rows, cols }) => Upper::Lines { rows: rows_of(&rows)?, cols: cols_of(&cols)? },
        None => Upper::Combinations(vec![]),
    };
    let mut certificate = Certificate {
        digest: digest.to_owned(),
        modulus: a.modulus(),
        rows: whole.rows.whole(),
        cols: whole.cols.whole(),
        triangular: minor.triangular,
        minor_rows: rows_of(&minor.rows)?,
        minor_cols: cols_of(&minor.cols)?,
        lower: vec![],
        upper,
    };
    let (t, s) = (minor.triangular, certificate.beyond_chain());
    if s > 0 {
        certify::check_chain(a, whole, &minor.rows[..t], &minor.cols[..t])?;
        observer.phase("certificate", s as u64);
        let system = system(a, &certificate, minor, !by_lines)?;
        let solved = match minor.solve_beyond_chain(&system.right, system.width)? {
            Some(solution) => solution,
            None => by_elimination(a, minor, &system, observer)?,
        };
        let k = repetitions(a.modulus());
        let half = |first: usize| {
            let mut half = memory::with_capacity(s * k, SYSTEM)?;
            solved.chunks_exact(system.width).for_each(|row| half.extend_from_slice(&row[first..first + k]));
            Ok::<_, Error>(half)
        };
        certificate.lower = half(0)?;
        if !by_lines {
            certificate.upper = Upper::Combinations(half(k)?);
        }
    }
    let _ = certify::verify_compact(&certificate, a, whole, digest, observer)?;
    Ok(certificate)
}

/// Lines that meet every entry, if as many as the order r of the minor are enough: the non-empty rows or columns, or
/// else a minimum vertex cover.
fn lines(a: &SparseMatrix, minor: &Minor) -> Result<Option<VertexCover>> {
    let r = minor.rows.len();
    let (rows, cols) = (a.non_empty_rows()?, a.non_empty_cols()?);
    if rows.len() == r {
        return Ok(Some(VertexCover { rows, cols: vec![] }));
    }
    if cols.len() == r {
        return Ok(Some(VertexCover { rows: vec![], cols }));
    }
    if has_entry_outside(a, minor)? {
        return Ok(None);
    }
    let pattern = Pattern::of(a)?;
    let matching = matching_of_size(&pattern, r)?;
    matching.map(|matching| minimum_vertex_cover(&pattern, &matching)).transpose()
}

/// Whether some entry lies outside all lines of a nonsingular minor: together with r entries on a transversal of the
/// minor it gives r + 1 entries, no two in a line, which no r lines can cover.
fn has_entry_outside(a: &SparseMatrix, minor: &Minor) -> Result<bool> {
    let (mut rows, mut cols) = (memory::zeros::<bool>(a.rows(), LINES)?, memory::zeros::<bool>(a.cols(), LINES)?);
    minor.rows.iter().for_each(|&i| rows[i as usize] = true);
    minor.cols.iter().for_each(|&j| cols[j as usize] = true);
    Ok((0..a.rows()).any(|i| !rows[i] && a.row(i).0.iter().any(|&j| !cols[j as usize])))
}

/// What the memory is for.
const LINES: &str = "the lines of a certificate";
const SYSTEM: &str = "the system of a certificate";
/// Rows of the system that are written down before they are eliminated.
const PANEL: usize = 256;

/// Right sides of S·(x | w) = (b | -ρ).
struct System {
    /// Residues of a row: k, or 2k with those of w.
    width: usize,
    /// s × width, row-major.
    right: Vec<u64>,
}

/// The system for the vectors x on J₂, and for the vectors w if `both`. `c` is what the challenges are drawn from,
/// `minor` its minor as one of `a`.
fn system(a: &SparseMatrix, c: &Certificate, minor: &Minor, both: bool) -> Result<System> {
    let (t, s, k) = (c.triangular, c.beyond_chain(), repetitions(c.modulus));
    // w on F and J₁, with zeros on J₂.
    let mut w = None;
    if both {
        let w = w.insert(Challenge::on_free_columns(c, a, &minor.cols)?);
        w.substitute(a, &minor.rows[..t], &minor.cols[..t]);
    }
    let width = if both { 2 * k } else { k };
    let mut right = memory::zeros(s * width, SYSTEM)?;
    let mut challenge = Challenge::new(c, Claim::Lower);
    for (&i, row) in minor.rows[t..].iter().zip(right.chunks_exact_mut(width)) {
        let (b, rho) = row.split_at_mut(k);
        challenge.fill(b);
        if let Some(w) = &w {
            w.product(a, i, rho);
            rho.iter_mut().for_each(|x| *x = c.modulus.neg(*x));
        }
    }
    Ok(System { width, right })
}

/// The solution by elimination: the reduced echelon form (I T) of (S | right sides).
fn by_elimination(a: &SparseMatrix, minor: &Minor, system: &System, observer: &dyn Observer) -> Result<Vec<u64>> {
    let columns = complement(a, minor, observer)?;
    let (s, width) = (columns.rows(), system.width);
    observer.phase("certificate", s as u64);
    let mut echelon = Echelon::new(a.modulus(), s + width)?;
    let mut panel = memory::zeros(PANEL.min(s) * (s + width), SYSTEM)?;
    for (number, right) in system.right.chunks(PANEL * width).enumerate() {
        let rows = right.len() / width;
        let panel = &mut panel[..rows * (s + width)];
        let places = number * PANEL..;
        for ((place, right), row) in places.zip(right.chunks_exact(width)).zip(panel.chunks_exact_mut(s + width)) {
            columns.write_row(place, &mut row[..s]);
            row[s..].copy_from_slice(right);
        }
        echelon.absorb_block(rows, panel, observer)?;
    }
    let reduced = echelon.reduced()?;
    if !reduced.pivot_cols().iter().copied().eq(0..s as u32) {
        return Err(Error::Refuted("the minor that should show the rank is singular".into()));
    }
    reduced.column_block(0..width)
}

/// S: its rows are the rows of the minor outside the chain.
fn complement(a: &SparseMatrix, minor: &Minor, observer: &dyn Observer) -> Result<Columns> {
    let (t, r) = (minor.triangular, minor.rows.len());
    let nnz = minor.rows.iter().map(|&i| a.row(i as usize).0.len()).sum();
    let mut rows = SparseMatrix::empty(a.modulus(), a.cols(), r, nnz)?;
    let mut entries = Vec::new();
    for &i in &minor.rows {
        let (cols, values) = a.row(i as usize);
        entries.extend(cols.iter().copied().zip(values.iter().copied()));
        rows.push_row(&mut entries);
    }
    let chain = Pivots { rows: memory::collect(0..t as u32, LINES)?, cols: memory::copy(&minor.cols[..t], LINES)? };
    let split = Split::new(&rows, &chain)?;
    let place = |j: &u32| split.cols.binary_search(j).expect("a column of the minor stands once in it") as u32;
    Columns::new(&split, &memory::collect(minor.cols[t..].iter().map(place), LINES)?, observer)
}
