//! From a rule for rows (or a list of entries) to canonical [`Triplets`], with the sizes checked first.
//!
//! Every family first computes its [`Shape`] in checked 128-bit arithmetic; only a shape within the limits leads to an
//! allocation.

use crate::sparse::{Numbers, Triplets};
use crate::{Error, Result, memory};
use rayon::prelude::*;

/// The maximum number of entries of a generated matrix: 2³², at 16 bytes each 64 GiB.
pub(super) const MAX_ENTRIES: u128 = 1 << 32;

/// What the memory is for.
const ENTRIES: &str = "the entries of a generated matrix";

/// Checked numbers of rows, columns and entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shape {
    pub rows: usize,
    pub cols: usize,
    pub nnz: usize,
}

impl Shape {
    /// The shape, if rows and columns are at most 2³² - 1 and the entries at most [`MAX_ENTRIES`]; `None` stands for a
    /// number beyond 128 bits.
    pub fn checked(rows: Option<u128>, cols: Option<u128>, nnz: Option<u128>) -> Result<Self> {
        let show = |x: Option<u128>| x.map_or("more than 2^128".to_string(), |x| x.to_string());
        if [rows, cols].iter().any(|x| x.is_none_or(|x| x > u128::from(u32::MAX))) {
            let message = format!("{} x {} is beyond the limit of 2^32 - 1 rows and columns", show(rows), show(cols));
            return Err(Error::Usage(message));
        }
        match (rows, cols, nnz) {
            (Some(rows), Some(cols), Some(nnz)) if nnz <= MAX_ENTRIES => {
                Ok(Shape { rows: rows as usize, cols: cols as usize, nnz: nnz as usize })
            }
            _ => Err(Error::Memory(format!("{} entries are beyond the limit of 2^32", show(nnz)))),
        }
    }
}

/// A matrix whose rows all have `shape.nnz / shape.rows` entries: `fill(scratch, i, cols, values)` writes row i,
/// columns ascending. Rows are filled in parallel; `scratch` makes the working space of a task.
///
/// # Errors
/// [`Error::Memory`].
///
/// # Panics
/// If the rows cannot be equally long, or would be empty.
pub(super) fn constant_rows<S>(
    shape: Shape,
    scratch: impl Fn() -> S + Sync + Send,
    fill: impl Fn(&mut S, usize, &mut [u32], &mut [i64]) + Sync + Send,
) -> Result<Triplets> {
    let weight = shape.nnz / shape.rows;
    assert!(weight > 0 && weight * shape.rows == shape.nnz, "rows of constant weight");
    let (mut row, mut col) = (memory::zeros::<u32>(shape.nnz, ENTRIES)?, memory::zeros::<u32>(shape.nnz, ENTRIES)?);
    let mut value = memory::zeros::<i64>(shape.nnz, ENTRIES)?;
    (row.par_chunks_exact_mut(weight), col.par_chunks_exact_mut(weight), value.par_chunks_exact_mut(weight))
        .into_par_iter()
        .enumerate()
        .with_min_len(256)
        .for_each_init(scratch, |scratch, (i, (row, col, value))| {
            row.fill(i as u32);
            fill(scratch, i, col, value);
            debug_assert!(col.is_sorted_by(|a, b| a < b), "columns of row {i} ascend");
        });
    Ok(Triplets { rows: shape.rows, cols: shape.cols, row, col, value: value.into(), big: vec![] })
}

/// A matrix row by row: `fill(i, row)` pushes the entries (column, value) of row i, in any order.
///
/// # Errors
/// [`Error::Memory`].
pub(super) fn by_rows(shape: Shape, mut fill: impl FnMut(usize, &mut Vec<(usize, i64)>)) -> Result<Triplets> {
    let mut a = Triplets { rows: shape.rows, cols: shape.cols, ..Default::default() };
    memory::reserve_exact(&mut a.row, shape.nnz, ENTRIES)?;
    memory::reserve_exact(&mut a.col, shape.nnz, ENTRIES)?;
    let mut line = Vec::new();
    for i in 0..shape.rows {
        line.clear();
        fill(i, &mut line);
        line.sort_unstable_by_key(|&(j, _)| j);
        for &(j, v) in &line {
            a.row.push(i as u32);
            a.col.push(j as u32);
            a.value.push(v);
        }
    }
    debug_assert_eq!(a.nnz(), shape.nnz, "as many entries as announced");
    Ok(a)
}

/// The 0–1 matrix with ones at the given distinct positions, in any order.
///
/// # Errors
/// [`Error::Memory`].
pub(super) fn ones_at(rows: usize, cols: usize, mut positions: Vec<(u32, u32)>) -> Result<Triplets> {
    positions.par_sort_unstable();
    let (row, col) = memory::unzip(positions.into_iter(), ENTRIES)?;
    let value = memory::filled(1i8, row.len(), ENTRIES)?;
    Ok(Triplets { rows, cols, row, col, value: Numbers::I8(value), big: vec![] })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_are_refused_at_the_edge() {
        let edge = u128::from(u32::MAX);
        assert_eq!(Shape::checked(Some(edge), Some(1), Some(MAX_ENTRIES)).unwrap().rows, u32::MAX as usize);
        for (rows, cols, nnz, memory) in [
            (Some(edge + 1), Some(1), Some(1), false),
            (Some(1), Some(edge + 1), Some(1), false),
            (None, Some(1), Some(1), false),
            (Some(1), Some(1), Some(MAX_ENTRIES + 1), true),
            (Some(1), Some(1), None, true),
        ] {
            let error = Shape::checked(rows, cols, nnz).unwrap_err();
            assert_eq!(matches!(error, Error::Memory(_)), memory, "{error}");
            assert!(error.to_string().contains("limit"), "{error}");
        }
    }
}
