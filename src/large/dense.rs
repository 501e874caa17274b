//! Dense elimination over GF(p): which columns depend on which.

use super::arithmetic::Arithmetic;
use super::state::{Residues, elements};
use crate::parallel::Each;
use crate::report::Kept;
use crate::{Observer, Result, memory};
use num_bigint::BigUint;
use rayon::prelude::*;

/// What the memory is for.
const DENSE: &str = "a dense matrix mod a large prime";
/// Elements of rows that one task changes, or more.
const ELEMENTS: usize = 1 << 9;

/// The solutions x of M·x = 0: `x[pivots[k]] = Σ coefficients[k][l] · x[free[l]]`.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Solved<E> {
    /// The columns that are determined by the others, ascending; as many as the rank.
    pub(crate) pivots: Vec<u32>,
    /// The columns in which x may be anything, ascending.
    pub(crate) free: Vec<u32>,
    /// Row-major, a row for each pivot and a column for each free one.
    pub(crate) coefficients: Vec<E>,
}

/// Solves M·x = 0 for the row-major matrix `data` with `cols` > 0 columns. Pivots are in the first columns possible.
///
/// # Errors
/// [`Error::Memory`](crate::Error::Memory), [`Error::Interrupted`](crate::Error::Interrupted).
pub(crate) fn solve<F: Arithmetic>(
    field: &F,
    cols: usize,
    mut data: Vec<F::Element>,
    observer: &dyn Observer,
) -> Result<Solved<F::Element>> {
    let rows = data.len() / cols;
    observer.phase("dense elimination", cols.min(rows) as u64);
    let kept = Kept::of("large-dense", || (cols, Residues(field, &data)), observer)?;
    let (mut pivots, mut first) = (vec![], 0);
    let state: Option<(usize, Vec<u32>, Vec<BigUint>)> = kept.load()?;
    if let Some((next, found, all)) = state.filter(|(_, _, all)| all.len() == data.len()) {
        (first, pivots, data) = (next, found, elements(field, &all)?);
        observer.restored(pivots.len() as u64);
    }
    for c in first..cols {
        observer.check()?;
        if kept.is_due() {
            kept.store(&(c, &pivots, Residues(field, &data)))?;
        }
        let rank = pivots.len();
        let Some(found) = (rank..rows).find(|&i| !field.is_zero(&data[i * cols + c])) else { continue };
        let (above, below) = data.split_at_mut((rank + 1) * cols);
        let pivot = &mut above[rank * cols..];
        if found > rank {
            pivot.swap_with_slice(&mut below[(found - rank - 1) * cols..][..cols]);
        }
        let scale = field.inverse(&pivot[c]);
        pivot[c..].iter_mut().for_each(|x| *x = field.mul(x, &scale));
        let pivot = &pivot[c..];
        below.par_chunks_mut(cols).with_min_len(ELEMENTS.div_ceil(pivot.len())).each(|row| {
            let row = &mut row[c..];
            if !field.is_zero(&row[0]) {
                let factor = row[0].clone();
                row.iter_mut().zip(pivot).for_each(|(x, y)| *x = field.sub(x, &field.mul(&factor, y)));
            }
        });
        pivots.push(c as u32);
        observer.progress(pivots.len() as u64);
    }
    substitute(field, cols, &data, pivots, observer)
}

/// From rows in echelon form with pivots 1 to the coefficients.
fn substitute<F: Arithmetic>(
    field: &F,
    cols: usize,
    data: &[F::Element],
    pivots: Vec<u32>,
    observer: &dyn Observer,
) -> Result<Solved<F::Element>> {
    let mut next = pivots.iter().peekable();
    let free: Vec<u32> = (0..cols as u32).filter(|j| next.next_if_eq(&j).is_none()).collect();
    let (rank, width) = (pivots.len(), free.len());
    let mut coefficients = memory::filled(field.zero(), rank * width, DENSE)?;
    if width == 0 {
        return Ok(Solved { pivots, free, coefficients });
    }
    for k in (0..rank).rev() {
        observer.check()?;
        let row = &data[k * cols..][..cols];
        let (own, known) = coefficients[k * width..].split_at_mut(width);
        own.par_iter_mut().enumerate().with_min_len(ELEMENTS.div_ceil(rank - k)).each(|(l, own)| {
            let mut sum = field.products();
            for (&j, known) in pivots[k + 1..].iter().zip(known.chunks_exact(width)) {
                field.plus_product(&mut sum, &row[j as usize], &known[l]);
            }
            let sum = field.add(&field.reduced_products(sum), &row[free[l] as usize]);
            *own = field.neg(&sum);
        });
    }
    Ok(Solved { pivots, free, coefficients })
}

/// The same for the space that `vectors` span, row-major with `cols` > 0 coordinates: its vectors are the solutions.
/// The free columns are the last ones possible; there are as many as independent vectors.
///
/// # Errors
/// As [`solve`].
pub(crate) fn span<F: Arithmetic>(
    field: &F,
    cols: usize,
    mut vectors: Vec<F::Element>,
    observer: &dyn Observer,
) -> Result<Solved<F::Element>> {
    vectors.chunks_exact_mut(cols).for_each(<[F::Element]>::reverse);
    // Vector k is 1 in pivot k and -c in the free columns.
    let turned = solve(field, cols, vectors, observer)?;
    let [pivots, free] = [&turned.free, &turned.pivots]
        .map(|list| list.iter().rev().map(|&j| cols as u32 - 1 - j).collect::<Vec<u32>>());
    let mut coefficients = memory::with_capacity(turned.coefficients.len(), DENSE)?;
    for k in (0..pivots.len()).rev() {
        let column = (0..free.len()).rev().map(|l| &turned.coefficients[l * pivots.len() + k]);
        coefficients.extend(column.map(|c| field.neg(c)));
    }
    Ok(Solved { pivots, free, coefficients })
}
