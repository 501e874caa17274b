//! Clearing: cells paired by a unit pivot of one boundary are left out of the neighbouring ones.
//!
//! Let (ρᵢ, τᵢ) be pivots of D_{k+1} with U = D_{k+1}[ρ, τ] triangular and ±1 on its diagonal, so that U⁻¹ is integral.
//! The rows ρ of D_{k+1}·D_k = 0 say U·D_k[τ, ·] + D_{k+1}[ρ, τᶜ]·D_k[τᶜ, ·] = 0: **the rows τ of D_k are integral
//! combinations of the other rows**. Without them, D_k has the same row lattice, so the same rank over every field and
//! the same non-zero invariant factors. What is left, D_k[τᶜ, ·], still has D_k[τᶜ, ·]·D_{k-1} = 0; the same argument
//! on columns, with pivots (σᵢ, υᵢ) of D_{k-1}, makes the columns σ of it combinations of the others: these go, too. If
//! ∂∂ = 0 holds modulo p only, so does all of this, over GF(p).
//!
//! Pivots are structural ([`pivots`]), found once, from positions, and serve ℤ and every field. They are sought from
//! the top degree downwards in the rows that are left, so that no cell is in two pairs: such pairs are an acyclic
//! matching of algebraic discrete Morse theory (E. Sköldberg, *Morse theory from an algebraic viewpoint*, 2006), what
//! is left are its critical cells and one partner of each pair. Where D_{k+1} has all of its rank in pivots, D_k keeps
//! rank D_k + β_k rows. Clearing by columns that reduced is C. Chen, M. Kerber, *Persistent homology computation with a
//! twist*, 2011.

use crate::field::Modulus;
use crate::pivots::{self, Effort};
use crate::sparse::{Integer, SparseMatrix, Triplets};
use crate::{Observer, Result, memory};
use std::borrow::Cow;

/// What the memory is for.
const CLEARED: &str = "boundary matrices without paired cells";

/// One cover and half a pass of search: a pair that is missed costs little, since ranks and Smith forms look for pivots
/// again in what is left. Measured on M₁₃ and the 7 × 8 chessboard complex: more effort takes longer than it saves.
const EFFORT: Effort = Effort { covers: 0, search: 0, reward: u64::MAX };

/// The boundaries without the rows and columns that others determine.
pub(super) struct Cleared<'a> {
    /// The matrices that are left, of the same rank and the same invariant factors as the boundaries.
    pub boundaries: Vec<Cow<'a, Triplets>>,
    /// How many pairs of cells there are.
    pub pairs: usize,
}

/// Pairs cells of a complex in neighbouring degrees, and drops what this determines.
///
/// # Errors
/// [`Error::Memory`](crate::Error::Memory), [`Error::Interrupted`](crate::Error::Interrupted).
pub(super) fn clear<'a>(cells: &[usize], boundaries: &'a [Triplets], observer: &dyn Observer) -> Result<Cleared<'a>> {
    let flags = || cells.iter().map(|&n| memory::zeros::<bool>(n, CLEARED)).collect::<Result<Vec<_>>>();
    // Cells that are the row, or the column, of a pivot.
    let (mut as_row, mut as_col) = (flags()?, flags()?);
    let mut pairs = 0;
    for (k, d) in boundaries.iter().enumerate().rev() {
        let (lower, upper) = (k, k + 1);
        let (rows, positions) = positions(d, &as_col[upper])?;
        let found = pivots::find(&positions, &EFFORT, observer)?.pivots;
        for (&i, &j) in found.rows.iter().zip(&found.cols) {
            let i = rows[i as usize];
            if is_unit(d, i, j) {
                as_row[upper][i as usize] = true;
                as_col[lower][j as usize] = true;
                pairs += 1;
            }
        }
    }
    let left = |(k, d): (usize, &'a Triplets)| without(d, &as_col[k + 1], &as_row[k]);
    let boundaries = boundaries.iter().enumerate().map(left).collect::<Result<_>>()?;
    Ok(Cleared { boundaries, pairs })
}

/// The positions of the entries in rows that are not `gone`, as a matrix of ones, and the numbers of its rows: those
/// that are not empty.
fn positions(d: &Triplets, gone: &[bool]) -> Result<(Vec<u32>, SparseMatrix)> {
    let mut a = SparseMatrix::empty(Modulus::new(2).expect("a prime"), d.cols(), 0, d.nnz())?;
    let mut rows = Vec::new();
    let mut line = Vec::new();
    let mut entries = d.row.iter().zip(&d.col).filter(|(i, _)| !gone[**i as usize]).peekable();
    while let Some((&i, &j)) = entries.next() {
        memory::push(&mut line, (j, 1), CLEARED)?;
        if entries.peek().is_none_or(|(next, _)| **next != i) {
            memory::push(&mut rows, i, CLEARED)?;
            a.reserve_row(line.len())?;
            a.push_row(&mut line);
        }
    }
    Ok((rows, a))
}

/// Whether the entry at a position is 1 or -1.
fn is_unit(d: &Triplets, row: u32, col: u32) -> bool {
    let from = d.row.partition_point(|&i| i < row);
    let to = from + d.row[from..].partition_point(|&i| i == row);
    let at = d.col[from..to].binary_search(&col);
    at.is_ok_and(|at| matches!(d.value.get(from + at), 1 | -1))
}

/// The matrix without these rows and columns, the others renumbered.
fn without<'a>(d: &'a Triplets, gone_rows: &[bool], gone_cols: &[bool]) -> Result<Cow<'a, Triplets>> {
    let ((rows, row_place), (cols, col_place)) = (places(gone_rows)?, places(gone_cols)?);
    if (rows, cols) == (d.rows(), d.cols()) {
        return Ok(Cow::Borrowed(d));
    }
    let stays = |(i, j, v): (usize, usize, Integer<'_>)| {
        let place = (row_place[i] as usize, col_place[j] as usize);
        (!gone_rows[i] && !gone_cols[j]).then(|| (place.0, place.1, owned(v)))
    };
    Ok(Cow::Owned(Triplets::try_from_entries(rows, cols, d.entries().filter_map(stays))?))
}

fn owned(v: Integer<'_>) -> Integer<'static> {
    match v {
        Integer::Small(v) => Integer::Small(v),
        Integer::Big(v) => Integer::Big(Cow::Owned(v.into_owned())),
    }
}

/// How many lines stay, and the number that each of these gets.
fn places(gone: &[bool]) -> Result<(usize, Vec<u32>)> {
    let mut place = memory::zeros::<u32>(gone.len(), CLEARED)?;
    let mut next = 0;
    for (place, gone) in place.iter_mut().zip(gone) {
        *place = next;
        next += u32::from(!gone);
    }
    Ok((next as usize, place))
}
