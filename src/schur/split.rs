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
use super::substitution::substitution_lines;
use crate::field::Modulus;
use crate::parallel::{self, Each};
use crate::pivots::Pivots;
use crate::sparse::SparseMatrix;
use crate::spmv::{SolveLines, TriangularSolve};
use crate::{Error, Result, memory};
use rayon::prelude::*;
use std::ops::Deref;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
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
            let other = memory::collect((0..len).map(|_| AtomicBool::new(true)), LINES)?;
            taken.par_iter().with_min_len(TASK).each(|&x| other[x as usize].store(false, Relaxed));
            let mut lines = memory::with_capacity(len.saturating_sub(taken.len()), LINES)?;
            lines.extend((0..).zip(other).filter(|(_, other)| other.load(Relaxed)).map(|(x, _)| x));
            Ok::<_, Error>(lines)
        };
        let (rows, cols) = parallel::join(|| others(a.rows(), &pivots.rows), || others(a.cols(), &pivots.cols));
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
    /// The same unless it is packed.
    pub(super) fn mixing_of_residues(&self) -> Result<Option<SharedSolve>> {
        if self.modulus().get() == 2 { Ok(None) } else { self.mixing().map(Some) }
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
        TriangularSolve::new(self.cols.len(), self.forward_lines()?)
    }
    /// Those of [`Split::forward`], for the columns of S as inputs and its rows as outputs.
    pub(super) fn forward_lines(&self) -> Result<SolveLines> {
        let Pivots { rows, cols } = self.pivots;
        let order = Levels::of(self.a, rows, cols, (0..rows.len() as u32).rev())?.order;
        let pivots = order.iter().map(|&k| (rows[k as usize], cols[k as usize]));
        Ok(substitution_lines(self.a, pivots, &self.cols, &self.rows)?.1)
    }
    /// The same as a matrix.
    pub(super) fn forward_coefficients(&self) -> Result<SparseMatrix> {
        let lines = self.forward_lines()?;
        lines.matrix(self.cols.len() + lines.len())
    }
    /// Y ↦ (multipliers of the pivot rows, Sᵀ·Y).
    pub(super) fn backward(&self) -> Result<TriangularSolve> {
        TriangularSolve::new(self.rows.len(), self.backward_lines()?)
    }
    /// The same on packed blocks over GF(2).
    pub(super) fn packed_backward(&self) -> Result<TriangularSolve> {
        TriangularSolve::packed(self.rows.len(), self.backward_lines()?)
    }
    /// Those of [`Split::backward`], for the rows of S as inputs and its columns as outputs. Read by columns they are
    /// those of the forward solve: x in a column is pushed into the rows.
    pub(super) fn backward_lines(&self) -> Result<SolveLines> {
        let Pivots { rows, cols } = self.pivots;
        let (t, levels) = parallel::join(|| self.a.transpose(), || Levels::of_transpose(self.a, rows, cols));
        let order = levels?.order;
        let pivots = order.iter().map(|&k| (cols[k as usize], rows[k as usize]));
        Ok(substitution_lines(&t?, pivots, &self.rows, &self.cols)?.1)
    }
    /// The same as a matrix.
    pub(super) fn backward_coefficients(&self) -> Result<SparseMatrix> {
        let lines = self.backward_lines()?;
        lines.matrix(self.rows.len() + lines.len())
    }
    /// The modulus p.
    pub fn modulus(&self) -> Modulus {
        self.a.modulus()
    }
}
