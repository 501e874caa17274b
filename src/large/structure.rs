//! Structural pivots of what elimination leaves: they need no fill-in, and each takes a coordinate off the rest.

use super::eliminate::Eliminated;
use super::matrix::Matrix;
use crate::field::Modulus;
use crate::pivots::{Effort, Pivots, Rule, find_by};
use crate::sparse::SparseMatrix;
use crate::{Observer, Result, memory};

/// What the memory is for.
const PATTERN: &str = "the positions of a matrix mod a large prime";
/// Entries that the search may visit without success, for each entry: a pivot saves two products.
const SEARCH: u64 = 16;

/// Finds pivots in the rest, none in the last `aside` columns of the matrix, and appends their rows to those that are
/// eliminated; the rest keeps its entries.
///
/// # Errors
/// [`Error::Memory`](crate::Error::Memory), [`Error::Interrupted`](crate::Error::Interrupted).
pub(crate) fn structural(done: &mut Eliminated, aside: usize, observer: &dyn Observer) -> Result<Pivots> {
    let rest = &done.rest;
    let first = done.rows.cols - aside;
    let aside = done.names.len() - done.names.partition_point(|&j| (j as usize) < first);
    let pattern = SparseMatrix::from_csr_parts(
        Modulus::new(3)?,
        rest.cols,
        memory::copy(&rest.start, PATTERN)?,
        memory::copy(&rest.col, PATTERN)?,
        memory::filled(1, rest.nnz(), PATTERN)?,
    )?;
    let nnz = rest.nnz() as u64;
    let effort = Effort { covers: 16 * nnz, search: SEARCH * nnz, reward: 1 };
    let found = find_by(&pattern, Rule::Aside(aside), &effort, observer)?.pivots;
    let Eliminated { rows, pivots, rest, names, .. } = done;
    append(rows, rest, &found, names)?;
    memory::reserve(pivots, found.len(), PATTERN)?;
    pivots.extend(found.cols.iter().map(|&j| names[j as usize]));
    Ok(found)
}

/// Appends the pivotal rows of the rest, whose columns have these names.
fn append(rows: &mut Matrix, rest: &Matrix, found: &Pivots, names: &[u32]) -> Result<()> {
    let entries = found.rows.iter().map(|&i| rest.row(i as usize).count()).sum();
    memory::reserve(&mut rows.col, entries, PATTERN)?;
    memory::reserve(&mut rows.value, entries, PATTERN)?;
    memory::reserve(&mut rows.start, found.len(), PATTERN)?;
    for &i in &found.rows {
        for (j, v) in rest.row(i as usize) {
            rows.col.push(names[j as usize]);
            rows.value.push(v);
        }
        rows.start.push(rows.col.len());
    }
    Ok(())
}
