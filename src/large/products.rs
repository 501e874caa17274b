//! Y = A·X for blocks of vectors over GF(p), each row a delayed sum.
//!
//! The entries of a row are sorted by what they cost: 1, -1, other small integers, residues of full size. Rows are
//! shared among threads; sums are exact, so that their number changes nothing.

use super::arithmetic::{Arithmetic, BUDGET};
use super::matrix::Matrix;
use super::value::Kind;
use crate::{Result, memory};
use rayon::prelude::*;

/// What the memory is for.
const PRODUCT: &str = "a matrix ready for products";
/// Rows that one task multiplies, or more.
const ROWS: usize = 64;

/// A matrix ready for products.
#[derive(Debug)]
pub(crate) struct Product<F: Arithmetic> {
    rows: Vec<Row>,
    cols: usize,
    col: Vec<u32>,
    small: Vec<i32>,
    big: Vec<F::Element>,
}

/// Where the entries of a row end, by kind; they begin where the row before ends.
#[derive(Clone, Copy, Debug, Default)]
struct Row {
    plus: usize,
    minus: usize,
    small: usize,
    big: usize,
    /// Where the factors of its small entries and of its big ones begin.
    factors: [usize; 2],
}

impl<F: Arithmetic> Product<F> {
    /// The matrix `a`.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    pub(crate) fn new(field: &F, a: &Matrix) -> Result<Self> {
        let mut rows = memory::with_capacity(a.rows(), PRODUCT)?;
        let mut col = memory::with_capacity(a.nnz(), PRODUCT)?;
        let (mut small, mut big) = (vec![], vec![]);
        for i in 0..a.rows() {
            let factors = [small.len(), big.len()];
            let weight: u64 = a.row(i).map(|(_, v)| v.small().map_or(1, |v| u64::from(v.unsigned_abs()))).sum();
            assert!(weight <= BUDGET, "row {i} is beyond the budget of a sum");
            let ends = [Some(1), Some(-1), Some(0), None].map(|kind| {
                for (j, v) in a.row(i) {
                    let own = match v.kind() {
                        Kind::Small(v @ (1 | -1)) => Some(v),
                        Kind::Small(_) => Some(0),
                        Kind::Big(_) => None,
                    };
                    if own == kind {
                        col.push(j);
                        match v.kind() {
                            Kind::Small(1 | -1) => {}
                            Kind::Small(v) => small.push(v),
                            Kind::Big(at) => big.push(field.element(&a.residues.list()[at])),
                        }
                    }
                }
                col.len()
            });
            rows.push(Row { plus: ends[0], minus: ends[1], small: ends[2], big: ends[3], factors });
        }
        Ok(Product { rows, cols: a.cols, col, small, big })
    }

    /// The number of rows.
    pub(crate) fn rows(&self) -> usize {
        self.rows.len()
    }
    /// The number of columns.
    pub(crate) fn cols(&self) -> usize {
        self.cols
    }

    /// Y = A·X for `count` vectors side by side: `x` and `y` have `count` elements for each column, each row.
    pub(crate) fn apply(&self, field: &F, x: &[F::Element], y: &mut [F::Element], count: usize) {
        assert!(x.len() == self.cols * count && y.len() == self.rows.len() * count);
        if count == 0 {
            return;
        }
        y.par_chunks_mut(ROWS * count).enumerate().for_each(|(piece, y)| {
            let mut sums = vec![field.sum(); count];
            for (k, y) in y.chunks_exact_mut(count).enumerate() {
                self.row(field, ROWS * piece + k, x, &mut sums);
                for (y, sum) in y.iter_mut().zip(&mut sums) {
                    *y = field.reduced(std::mem::replace(sum, field.sum()));
                }
            }
        });
    }

    /// Adds row i of A·X to the sums, one for each vector.
    #[inline(always)]
    pub(crate) fn row(&self, field: &F, i: usize, x: &[F::Element], sums: &mut [F::Sum]) {
        let (row, count) = (self.rows[i], sums.len());
        let begin = if i == 0 { 0 } else { self.rows[i - 1].big };
        let of = |j: &u32| &x[*j as usize * count..][..count];
        for j in &self.col[begin..row.plus] {
            sums.iter_mut().zip(of(j)).for_each(|(sum, x)| field.plus(sum, x));
        }
        for j in &self.col[row.plus..row.minus] {
            sums.iter_mut().zip(of(j)).for_each(|(sum, x)| field.minus(sum, x));
        }
        for (j, &v) in self.col[row.minus..row.small].iter().zip(&self.small[row.factors[0]..]) {
            sums.iter_mut().zip(of(j)).for_each(|(sum, x)| field.plus_times(sum, v, x));
        }
        for (j, v) in self.col[row.small..row.big].iter().zip(&self.big[row.factors[1]..]) {
            sums.iter_mut().zip(of(j)).for_each(|(sum, x)| field.plus(sum, &field.mul(v, x)));
        }
    }
}
