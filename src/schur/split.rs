//! A cut by its pivots, and the two straight-line programs that apply the Schur complement.
//!
//! Let a(iₖ, jₖ) be pivot k of t, with a(iₖ, jₗ) = 0 for l < k, and w a vector with one entry for each column of A.
//! Given w in the other columns, wⱼₖ = -Σ a(iₖ, j)·wⱼ / a(iₖ, jₖ) for k = t-1, …, 0 makes the pivot rows of A·w vanish;
//! then the other rows of A·w are S times what was given. Every step is a row of a [`TriangularSolve`]. Read backwards
//! on Aᵀ, from the other rows to the other columns, the same steps are Sᵀ.
//!
//! Pivots are taken by levels (the longest chain of pivots that a pivot waits for), so that those of a level can be
//! computed in parallel.

use super::levels::Levels;
use crate::field::Modulus;
use crate::pivots::Pivots;
use crate::sparse::{SparseMatrix, row_lists, write_sorted};
use crate::spmv::TriangularSolve;
use crate::{Error, Result, memory};
use rayon::prelude::*;
use std::ops::Deref;
use std::sync::{Arc, OnceLock};

/// Rows that one task counts, or more.
const TASK: usize = 1 << 13;
/// What the memory is for.
const LINES: &str = "the lines of a Schur complement";

/// The program that makes combinations of rows, once one was made: steps that follow each other on the same pivots
/// share it.
#[derive(Clone, Debug, Default)]
pub struct SharedSolve(Arc<OnceLock<TriangularSolve>>);

/// # Panics
/// Before one was made.
impl Deref for SharedSolve {
    type Target = TriangularSolve;
    fn deref(&self) -> &TriangularSolve {
        self.0.get().expect("a program that was made")
    }
}

/// The rows and columns of a matrix that are in no pivot.
#[derive(Clone, Debug)]
pub struct Split<'a> {
    pub(super) a: &'a SparseMatrix,
    pub(super) pivots: &'a Pivots,
    /// Rows without a pivot, ascending.
    pub rows: Vec<u32>,
    /// Columns without a pivot, ascending.
    pub cols: Vec<u32>,
    mixing: SharedSolve,
}

impl<'a> Split<'a> {
    /// The split of `a`.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    ///
    /// # Panics
    /// If `pivots` names a row or column out of range.
    pub fn new(a: &'a SparseMatrix, pivots: &'a Pivots) -> Result<Self> {
        let others = |len: usize, taken: &[u32]| {
            let mut other = memory::filled(true, len, LINES)?;
            taken.iter().for_each(|&x| other[x as usize] = false);
            let mut lines = memory::with_capacity(len.saturating_sub(taken.len()), LINES)?;
            lines.extend((0..len as u32).filter(|&x| other[x as usize]));
            Ok::<_, Error>(lines)
        };
        let (rows, cols) = rayon::join(|| others(a.rows(), &pivots.rows), || others(a.cols(), &pivots.cols));
        Ok(Split { a, pivots, rows: rows?, cols: cols?, mixing: SharedSolve::default() })
    }
    /// What identifies it: the digest of its matrix, and the lines of its pivots.
    pub fn name(&self) -> ([u8; 32], &[u32], &[u32]) {
        (self.a.digest(), &self.pivots.rows, &self.pivots.cols)
    }
    /// The same with a program that other splits by these pivots share.
    #[must_use]
    pub fn sharing(self, mixing: &SharedSolve) -> Self {
        Split { mixing: mixing.clone(), ..self }
    }
    /// The program that makes combinations of rows, over GF(2) of packed ones.
    pub(super) fn mixing(&self) -> Result<SharedSolve> {
        if self.mixing.0.get().is_none() {
            let made = if self.modulus().get() == 2 { self.packed_backward()? } else { self.backward()? };
            // Another one would be the same.
            let _ = self.mixing.0.set(made);
        }
        Ok(self.mixing.clone())
    }
    /// A split in which S has the rows `rows` alone (numbered as [`Split::rows`]), in this order, and all columns: its
    /// matrix, and the pivots of that, which are its first rows.
    pub(super) fn restricted(&self, rows: &[usize]) -> Result<(SparseMatrix, Pivots)> {
        let kept = self.pivots.rows.iter().copied().chain(rows.iter().map(|&i| self.rows[i]));
        let kept = memory::collect(kept.map(|i| i as usize), LINES)?;
        let nnz = kept.iter().map(|&i| self.a.row(i).0.len()).sum();
        let mut matrix = SparseMatrix::empty(self.modulus(), self.a.cols(), kept.len(), nnz)?;
        let mut entries = Vec::new();
        for i in kept {
            let (cols, values) = self.a.row(i);
            entries.extend(cols.iter().copied().zip(values.iter().copied()));
            matrix.push_row(&mut entries);
        }
        let pivots = Pivots {
            rows: memory::collect(0..self.pivots() as u32, LINES)?,
            cols: memory::copy(&self.pivots.cols, LINES)?,
        };
        Ok((matrix, pivots))
    }
    /// Non-zeros of the pivot rows, and of all rows.
    pub(super) fn entries(&self) -> [usize; 2] {
        let rows = self.pivots.rows.par_iter().with_min_len(TASK);
        [rows.map(|&i| self.a.row(i as usize).0.len()).sum(), self.a.nnz()]
    }
    /// The matrix A.
    pub fn matrix(&self) -> &'a SparseMatrix {
        self.a
    }
    /// The number of pivots t.
    pub fn pivots(&self) -> usize {
        self.pivots.len()
    }

    /// The levels of the pivots: those that a product waits for one after the other.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    pub fn levels(a: &SparseMatrix, pivots: &Pivots) -> Result<usize> {
        // A pivot needs later ones.
        Ok(Levels::of(a, &pivots.rows, &pivots.cols, (0..pivots.len() as u32).rev())?.count())
    }

    /// X ↦ (w in the pivot columns, S·X).
    pub(super) fn forward(&self) -> Result<TriangularSolve> {
        TriangularSolve::new(self.cols.len(), &self.forward_coefficients()?)
    }
    /// Those of [`Split::forward`], for the columns of S as inputs and its rows as outputs.
    pub(super) fn forward_coefficients(&self) -> Result<SparseMatrix> {
        let reversed = |v: &[u32]| memory::collect(v.iter().rev().copied(), LINES);
        let (rows, cols) = (reversed(&self.pivots.rows)?, reversed(&self.pivots.cols)?);
        coefficients(self.a, &rows, &cols, &self.rows, &self.cols)
    }
    /// Y ↦ (multipliers of the pivot rows, Sᵀ·Y).
    pub(super) fn backward(&self) -> Result<TriangularSolve> {
        TriangularSolve::new(self.rows.len(), &self.backward_coefficients()?)
    }
    /// The same on packed blocks over GF(2).
    pub(super) fn packed_backward(&self) -> Result<TriangularSolve> {
        TriangularSolve::packed(self.rows.len(), &self.backward_coefficients()?)
    }
    /// Those of [`Split::backward`], for the rows of S as inputs and its columns as outputs.
    pub(super) fn backward_coefficients(&self) -> Result<SparseMatrix> {
        coefficients(&self.a.transpose()?, &self.pivots.cols, &self.pivots.rows, &self.cols, &self.rows)
    }
    /// The modulus p.
    pub fn modulus(&self) -> Modulus {
        self.a.modulus()
    }
}

/// The coefficients of the triangular solve that solves the pivot equations in the order given, each for
/// its pivot column, and applies the `outputs` rows of `a`. Columns `inputs` are given.
fn coefficients(a: &SparseMatrix, rows: &[u32], cols: &[u32], outputs: &[u32], inputs: &[u32]) -> Result<SparseMatrix> {
    let p = a.modulus();
    let order = Levels::of(a, rows, cols, 0..rows.len() as u32)?.order;
    let mut slot = memory::zeros::<u32>(a.cols(), LINES)?;
    inputs.iter().zip(0..).for_each(|(&j, s)| slot[j as usize] = s);
    order.iter().zip(inputs.len() as u32..).for_each(|(&k, s)| slot[cols[k as usize] as usize] = s);
    let computed = order.len() + outputs.len();
    // Row q solves for a pivot column, or is an output.
    let row = |q: usize| match order.get(q) {
        Some(&k) => a.row(rows[k as usize] as usize),
        None => a.row(outputs[q - order.len()] as usize),
    };
    let len = |q: usize| row(q).0.len() - usize::from(q < order.len());
    let fill = |q: usize, entries: &mut Vec<(u32, u64)>, to: &mut [u32], values_to: &mut [u64]| {
        let (columns, values) = row(q);
        let placed = columns.iter().zip(values).map(|(&c, &v)| (slot[c as usize], v));
        if let Some(&k) = order.get(q) {
            let at = columns.binary_search(&cols[k as usize]).expect("a pivot is an entry");
            let factor = p.multiplier(p.neg(p.inv(values[at])));
            entries.extend(placed.map(|(s, v)| (s, p.mul_by(v, factor))));
            entries.swap_remove(at);
        } else {
            entries.extend(placed);
        }
        write_sorted(entries, to, values_to, |v| v);
    };
    let (start, col, value) = row_lists(computed, true, LINES, len, fill)?;
    Ok(SparseMatrix { modulus: p, cols: inputs.len() + computed, start, col, value })
}
