//! Hybrid matrices: a list of parts, each in its format, with +1 and -1 entries in parts without values (source paper,
//! sections 2.4.2 and 2.4.4).

use super::formats::{Coo, CooS, Csr, Dia, Ell, EllR, Format, Rows};
use super::matrix::SparseMatrix;
use super::row_lists::row_lists;
use crate::Result;
use crate::field::Modulus;
use bytemuck::Zeroable;
use rayon::prelude::*;
use std::ops::Range;

/// Rows that one task looks at.
const TASK: usize = 1 << 12;

/// Which entries a part holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "lowercase"))]
pub enum Entries {
    /// Entries +1, without values.
    Plus,
    /// Entries -1, without values.
    Minus,
    /// Entries with values.
    Valued,
}

impl std::fmt::Display for Entries {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Entries::Plus => "+1",
            Entries::Minus => "-1",
            Entries::Valued => "values",
        })
    }
}

/// The entries of a part in one of the formats.
#[derive(Clone, Debug, PartialEq)]
pub enum Body<V> {
    /// See [`Coo`].
    Coo(Coo<V>),
    /// See [`CooS`].
    CooS(CooS<V>),
    /// See [`Csr`].
    Csr(Csr<V>),
    /// See [`Ell`].
    Ell(Ell<V>),
    /// See [`EllR`].
    EllR(EllR<V>),
    /// See [`Dia`].
    Dia(Dia<V>),
}

impl<V: Copy> Body<V> {
    /// Entries of the matrix in this part.
    pub fn nnz(&self) -> usize {
        match self {
            Body::Coo(b) => b.columns().len(),
            Body::CooS(b) => b.columns().len(),
            Body::Csr(b) => b.columns().len(),
            Body::Ell(b) => b.columns().len(),
            Body::EllR(b) => b.nnz(),
            Body::Dia(b) => b.nnz(),
        }
    }
    /// The format's name.
    pub fn format(&self) -> Format {
        match self {
            Body::Coo(_) => Format::Coo,
            Body::CooS(_) => Format::CooS,
            Body::Csr(_) => Format::Csr,
            Body::Ell(_) => Format::Ell,
            Body::EllR(_) => Format::EllR,
            Body::Dia(_) => Format::Dia,
        }
    }
}

/// For a visitor that does not know the format: rows are asked for theirs one by one. Diagonals have no slots.
impl<V: Copy> Rows<V> for Body<V> {
    #[inline(always)]
    fn columns(&self) -> &[u32] {
        match self {
            Body::Coo(b) => b.columns(),
            Body::CooS(b) => b.columns(),
            Body::Csr(b) => b.columns(),
            Body::Ell(b) => b.columns(),
            Body::EllR(b) => b.columns(),
            Body::Dia(_) => &[],
        }
    }
    #[inline(always)]
    fn values(&self) -> &[V] {
        match self {
            Body::Coo(b) => b.values(),
            Body::CooS(b) => b.values(),
            Body::Csr(b) => b.values(),
            Body::Ell(b) => b.values(),
            Body::EllR(b) => b.values(),
            Body::Dia(_) => &[],
        }
    }
    fn seek(&self, row: usize) -> usize {
        match self {
            Body::Coo(b) => b.seek(row),
            Body::CooS(b) => b.seek(row),
            Body::Csr(b) => b.seek(row),
            Body::Ell(b) => b.seek(row),
            Body::EllR(b) => b.seek(row),
            Body::Dia(_) => 0,
        }
    }
    #[inline(always)]
    fn span(&self, row: usize, cursor: &mut usize) -> Range<usize> {
        match self {
            Body::Coo(b) => b.span(row, cursor),
            Body::CooS(b) => b.span(row, cursor),
            Body::Csr(b) => b.span(row, cursor),
            Body::Ell(b) => b.span(row, cursor),
            Body::EllR(b) => b.span(row, cursor),
            Body::Dia(_) => 0..0,
        }
    }
    fn bytes(&self) -> usize {
        match self {
            Body::Coo(b) => b.bytes(),
            Body::CooS(b) => b.bytes(),
            Body::Csr(b) => b.bytes(),
            Body::Ell(b) => b.bytes(),
            Body::EllR(b) => b.bytes(),
            Body::Dia(b) => b.bytes(),
        }
    }
}

/// A part of a hybrid matrix.
#[derive(Clone, Debug, PartialEq)]
pub struct Part<V> {
    /// What it holds.
    pub entries: Entries,
    /// Where.
    pub body: Body<V>,
}

/// The kind of an entry v mod p; all are [`Entries::Valued`] without segregation.
#[inline]
pub fn kind(p: Modulus, segregate: bool, v: u64) -> Entries {
    match v {
        _ if !segregate => Entries::Valued,
        // Mod 2 the two coincide: +1.
        1 => Entries::Plus,
        _ if v == p.get() - 1 => Entries::Minus,
        _ => Entries::Valued,
    }
}

/// The maximum number of entries without values in a row, and of entries with values.
pub fn heaviest_row(a: &SparseMatrix, segregate: bool) -> (u64, u64) {
    let weights = |i: usize| {
        let (_, values) = a.row(i);
        let products = values.iter().filter(|&&v| kind(a.modulus(), segregate, v) == Entries::Valued).count();
        ((values.len() - products) as u64, products as u64)
    };
    let rows = (0..a.rows()).into_par_iter().with_min_len(TASK);
    rows.map(weights).reduce(|| (0, 0), |a, b| (a.0.max(b.0), a.1.max(b.1)))
}

/// The entries of `a` of one kind, as compressed rows; `value` prepares a residue and is not called for sign parts.
/// Without segregation, ask for `Valued` with `segregate = false`: all entries.
///
/// # Errors
/// [`Error::Memory`](crate::Error::Memory).
pub(crate) fn select<V: Copy + Zeroable + Send>(
    a: &SparseMatrix,
    entries: Entries,
    segregate: bool,
    value: impl Fn(u64) -> V + Sync,
) -> Result<Csr<V>> {
    let (p, valued) = (a.modulus(), entries == Entries::Valued);
    let wanted = |v: u64| kind(p, segregate, v) == entries;
    let len = |i: usize| a.row(i).1.iter().filter(|&&v| wanted(v)).count();
    let fill = |i: usize, _: &mut Vec<_>, columns: &mut [u32], values: &mut [V]| {
        let (cols, residues) = a.row(i);
        let chosen = || cols.iter().zip(residues).filter(|&(_, &v)| wanted(v));
        columns.iter_mut().zip(chosen()).for_each(|(to, (&j, _))| *to = j);
        values.iter_mut().zip(chosen()).for_each(|(to, (_, &v))| *to = value(v));
    };
    let (start, col, value) = row_lists(a.rows(), valued, "the layout of a matrix", len, fill)?;
    Ok(Csr::new(start, col, value))
}
