//! Nonsingular minors whose order is the rank, and what the computation knows of them.

use super::{Factored, Lines, is_odd};
use crate::sparse::SparseMatrix;
use crate::{Result, memory};
use std::sync::Arc;

/// What the memory is for.
const LINES: &str = "the lines of a minor";
const SIDES: &str = "right sides of a system";

/// Rows and columns of a nonsingular minor whose order is the rank:
/// [`RankOptions::minor`](crate::answers::RankOptions::minor) asks for one.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Minor {
    pub(crate) rows: Vec<u32>,
    pub(crate) cols: Vec<u32>,
    pub(crate) triangular: usize,
    solvers: Solvers,
}

impl Minor {
    /// The minor in these lines, the first `triangular` of which are a chain.
    pub fn new(rows: Vec<u32>, cols: Vec<u32>, triangular: usize) -> Self {
        Minor { rows, cols, triangular, solvers: Solvers::default() }
    }
    /// The same with the factors of what is beyond the chain.
    pub(super) fn of(Lines { rows, cols }: Lines, triangular: usize, factored: Option<Factored>) -> Self {
        let solvers = Solvers(factored.map(|factored| (0, Arc::new(factored))).into_iter().collect());
        Minor { rows, cols, triangular, solvers }
    }
    /// Its rows, those of the triangular chain first.
    pub fn rows(&self) -> &[u32] {
        &self.rows
    }
    /// Its columns, those of the triangular chain first.
    pub fn cols(&self) -> &[u32] {
        &self.cols
    }
    /// The length t of the chain: row k of it has no entry in column l for l < k < t, and one in column k.
    pub fn triangular(&self) -> usize {
        self.triangular
    }
    /// With S the Schur complement of the chain in the lines beyond it: X with S·X = `right`, both row-major with
    /// `count` columns; `None` where the computation of the minor left no factors of S.
    ///
    /// # Errors
    /// [`crate::Error::Memory`].
    ///
    /// # Panics
    /// If `right` has another size.
    pub fn solve_beyond_chain(&self, right: &[u64], count: usize) -> Result<Option<Vec<u64>>> {
        let order = self.rows.len() - self.triangular;
        assert_eq!(right.len(), order * count, "right sides of a system of order {order}");
        let Solvers(blocks) = &self.solvers;
        if blocks.iter().map(|(_, factored)| factored.order()).sum::<usize>() != order {
            return Ok(None);
        }
        let mut solution = memory::zeros(right.len(), SIDES)?;
        for (first, factored) in blocks {
            let own = first * count..(first + factored.order()) * count;
            solution[own.clone()].copy_from_slice(&factored.solve(&right[own], count)?);
        }
        Ok(Some(solution))
    }
    /// det A, if the minor is all of the square matrix A; `None` where the computation of the minor left no factors.
    ///
    /// # Errors
    /// [`crate::Error::Memory`].
    ///
    /// # Panics
    /// If the minor is not one of A with all of its lines, or the chain does not consist of entries.
    pub fn determinant(&self, a: &SparseMatrix) -> Result<Option<u64>> {
        let (p, n, t) = (a.modulus(), self.rows.len(), self.triangular);
        assert_eq!((a.rows(), a.cols()), (n, n), "a minor with all lines");
        let Solvers(blocks) = &self.solvers;
        if blocks.iter().map(|(_, factored)| factored.order()).sum::<usize>() != n - t {
            return Ok(None);
        }
        let mut product = 1;
        for (&i, &j) in self.rows[..t].iter().zip(&self.cols) {
            let (cols, values) = a.row(i as usize);
            product = p.mul(product, values[cols.binary_search(&j).expect("a chain of entries")]);
        }
        for (_, factored) in blocks {
            product = p.mul(product, factored.determinant(p)?);
        }
        let lines = self.rows.iter().zip(&self.cols).map(|(&i, &j)| (i, j));
        let odd = is_odd(&memory::collect(lines, LINES)?)?;
        Ok(Some(if odd { p.neg(product) } else { product }))
    }
    /// The minor of the transpose.
    ///
    /// # Errors
    /// [`crate::Error::Memory`].
    ///
    /// # Panics
    /// If it is one of a direct sum.
    pub(super) fn transposed(self) -> Result<Minor> {
        let Minor { rows, cols, triangular, solvers: Solvers(blocks) } = self;
        let (mut rows, mut cols) = (cols, rows);
        rows[..triangular].reverse();
        cols[..triangular].reverse();
        let turn = |(first, factored): (usize, Arc<Factored>)| {
            let factored = Arc::into_inner(factored).expect("nobody else has a minor that is being made");
            Ok((first, Arc::new(factored.transposed()?)))
        };
        let solvers = Solvers(blocks.into_iter().map(turn).collect::<Result<_>>()?);
        Ok(Minor { rows, cols, triangular, solvers })
    }
    /// The minor of a direct sum from those of its summands: all chains first.
    ///
    /// # Errors
    /// [`crate::Error::Memory`].
    pub(crate) fn direct_sum(minors: &[Minor]) -> Result<Minor> {
        let all = |lines: fn(&Minor) -> &[u32]| {
            let chains = minors.iter().flat_map(|m| &lines(m)[..m.triangular]);
            let beyond = minors.iter().flat_map(|m| &lines(m)[m.triangular..]);
            memory::collect(chains.chain(beyond).copied(), LINES)
        };
        let (mut blocks, mut first) = (vec![], 0);
        for minor in minors {
            blocks.extend(minor.solvers.0.iter().map(|(at, factored)| (first + at, factored.clone())));
            first += minor.rows.len() - minor.triangular;
        }
        let triangular = minors.iter().map(|m| m.triangular).sum();
        Ok(Minor { rows: all(|m| &m.rows)?, cols: all(|m| &m.cols)?, triangular, solvers: Solvers(blocks) })
    }
    /// Row i becomes `rows[i]`, column j `cols[j]`.
    pub(crate) fn renumber(&mut self, rows: &[u32], cols: &[u32]) {
        self.rows.iter_mut().for_each(|i| *i = rows[*i as usize]);
        self.cols.iter_mut().for_each(|j| *j = cols[*j as usize]);
    }
}

/// The factors of what is beyond the chain: blocks on the diagonal, by the places of their first lines. They say
/// nothing about which minor it is.
#[derive(Clone, Debug, Default)]
struct Solvers(Vec<(usize, Arc<Factored>)>);

impl PartialEq for Solvers {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Solvers {}
