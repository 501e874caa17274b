//! Connected components of the bipartite graph of a matrix: the blocks of its finest block diagonal form.
//!
//! [`Split`] cuts a matrix along them; its rank is the sum of the ranks of the parts.

use super::NONE;
pub use crate::sparse::Components;
use crate::sparse::{Pattern, SparseMatrix};
use crate::{Result, memory};

/// What the memory is for.
const GROUPS: &str = "the blocks of a matrix";

/// The connected components of the graph whose edges are the entries of the pattern.
///
/// # Errors
/// [`Error::Memory`](crate::Error::Memory).
pub fn components(pattern: &Pattern) -> Result<Components> {
    Components::of_lines(pattern.rows(), pattern.cols(), |i| pattern.row(i))
}

/// The connected components of the graph whose edges are the entries of the matrix.
///
/// # Errors
/// [`Error::Memory`](crate::Error::Memory).
pub fn components_of(a: &SparseMatrix) -> Result<Components> {
    Components::of_lines(a.rows(), a.cols(), |i| a.row(i).0)
}

/// Sorts `items` stably by their labels below `count` ([`NONE`] is dropped): offsets of the groups, and the items.
pub(super) fn grouped(
    count: usize,
    labels: &[u32],
    items: impl Iterator<Item = u32> + Clone,
) -> Result<(Vec<usize>, Vec<u32>)> {
    let label = |v: u32| Some(labels[v as usize]).filter(|&l| l != NONE);
    let mut start = memory::zeros::<usize>(count + 1, GROUPS)?;
    items.clone().filter_map(label).for_each(|l| start[l as usize + 1] += 1);
    for l in 0..count {
        start[l + 1] += start[l];
    }
    let mut next = memory::copy(&start, GROUPS)?;
    let mut sorted = memory::zeros::<u32>(start[count], GROUPS)?;
    for v in items {
        if let Some(l) = label(v) {
            sorted[next[l as usize]] = v;
            next[l as usize] += 1;
        }
    }
    Ok((start, sorted))
}

/// A matrix cut along its connected components. Parts are built one at a time, on demand.
pub struct Split<'a> {
    matrix: &'a SparseMatrix,
    components: &'a Components,
    row_start: Vec<usize>,
    rows: Vec<u32>,
    col_start: Vec<usize>,
    cols: Vec<u32>,
    /// For each column, its number within its part.
    place: Vec<u32>,
}

/// The submatrix of one component, without empty rows and columns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// The entries, with rows and columns renumbered in their old order.
    pub matrix: SparseMatrix,
    /// For each row of the part, its number in the whole matrix, ascending.
    pub rows: Vec<u32>,
    /// For each column of the part, its number in the whole matrix, ascending.
    pub cols: Vec<u32>,
}

impl<'a> Split<'a> {
    /// Prepares the cut; `components` must be those of the pattern of `matrix`.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    ///
    /// # Panics
    /// If the shapes differ.
    pub fn new(matrix: &'a SparseMatrix, components: &'a Components) -> Result<Self> {
        assert_eq!((matrix.rows(), matrix.cols()), (components.row.len(), components.col.len()), "shape");
        let (row_start, rows) = grouped(components.count, &components.row, 0..matrix.rows() as u32)?;
        let (col_start, cols) = grouped(components.count, &components.col, 0..matrix.cols() as u32)?;
        let mut place = memory::filled(NONE, matrix.cols(), GROUPS)?;
        for (k, &j) in cols.iter().enumerate() {
            place[j as usize] = (k - col_start[components.col[j as usize] as usize]) as u32;
        }
        Ok(Split { matrix, components, row_start, rows, col_start, cols, place })
    }

    /// Number of parts.
    pub fn count(&self) -> usize {
        self.components.count
    }

    /// The numbers of rows and columns of part k, without building it.
    pub fn shape(&self, k: usize) -> (usize, usize) {
        (self.row_start[k + 1] - self.row_start[k], self.col_start[k + 1] - self.col_start[k])
    }

    /// The number of entries of part k, without building it.
    pub(crate) fn nnz(&self, k: usize) -> usize {
        self.rows[self.row_start[k]..self.row_start[k + 1]].iter().map(|&i| self.matrix.row(i as usize).0.len()).sum()
    }

    /// Part k, in time linear in its size.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    ///
    /// # Panics
    /// If one of its entries turns out to join two components.
    pub fn part(&self, k: usize) -> Result<Part> {
        let rows = memory::copy(&self.rows[self.row_start[k]..self.row_start[k + 1]], GROUPS)?;
        let cols = memory::copy(&self.cols[self.col_start[k]..self.col_start[k + 1]], GROUPS)?;
        let nnz = rows.iter().map(|&i| self.matrix.row(i as usize).0.len()).sum();
        let mut matrix = SparseMatrix::empty(self.matrix.modulus, cols.len(), rows.len(), nnz)?;
        for &i in &rows {
            let (js, vs) = self.matrix.row(i as usize);
            for &j in js {
                assert_eq!(self.components.col[j as usize], k as u32, "components of another matrix");
                matrix.col.push(self.place[j as usize]);
            }
            matrix.value.extend_from_slice(vs);
            matrix.start.push(matrix.col.len());
        }
        Ok(Part { matrix, rows, cols })
    }
}
