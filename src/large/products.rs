//! y = A·x over GF(p), each row a delayed sum.
//!
//! The entries of a row are sorted by what they cost: 1, -1, other small integers, residues of full size. Rows are
//! shared among threads; sums are exact, so that their number changes nothing.

use super::arithmetic::Arithmetic;
use super::matrix::Matrix;
use super::value::{Kind, Value};
use crate::parallel::Each;
use crate::{Result, memory};
use rayon::prelude::*;

/// What the memory is for.
const PRODUCT: &str = "a matrix ready for products";
/// Rows that one task multiplies, or more.
const ROWS: usize = 256;

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
    /// Whether its sum stays within the budget.
    light: bool,
}

/// How an entry is multiplied.
#[derive(Clone, Copy, PartialEq)]
enum Class {
    Plus,
    Minus,
    Small,
    Big,
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
        let budget = field.budget();
        let class = |v: Value| match v.kind() {
            Kind::Small(1) => Class::Plus,
            Kind::Small(-1) => Class::Minus,
            Kind::Small(v) if u64::from(v.unsigned_abs()) < budget / 2 => Class::Small,
            _ => Class::Big,
        };
        for i in 0..a.rows() {
            let factors = [small.len(), big.len()];
            let ends = [Class::Plus, Class::Minus, Class::Small, Class::Big].map(|kind| {
                for (j, v) in a.row(i).filter(|entry| class(entry.1) == kind) {
                    col.push(j);
                    match kind {
                        Class::Plus | Class::Minus => {}
                        Class::Small => small.push(v.small().expect("a small value")),
                        Class::Big => big.push(field.element(&a.residues.integer(v))),
                    }
                }
                col.len()
            });
            let weight = |(_, v): (u32, Value)| match class(v) {
                Class::Big => 1,
                _ => u64::from(v.small().map_or(1, i32::unsigned_abs)),
            };
            let light = a.row(i).map(weight).sum::<u64>() <= budget;
            rows.push(Row { plus: ends[0], minus: ends[1], small: ends[2], big: ends[3], factors, light });
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

    /// The rows of A·x from number `first` on.
    pub(crate) fn apply(&self, field: &F, first: usize, x: &[F::Loose], y: &mut [F::Loose]) {
        assert!(x.len() == self.cols && first + y.len() == self.rows.len());
        y.par_iter_mut().enumerate().with_min_len(ROWS).each(|(i, y)| *y = self.row(field, first + i, x));
    }

    /// Row i of A·x, reduced.
    #[inline]
    pub(crate) fn row(&self, field: &F, i: usize, x: &[F::Loose]) -> F::Loose {
        let row = self.rows[i];
        let begin = if i == 0 { 0 } else { self.rows[i - 1].big };
        if !row.light {
            return self.heavy(field, begin, row, x);
        }
        let mut sum = field.nothing();
        self.col[begin..row.plus].iter().for_each(|&j| field.plus(&mut sum, &x[j as usize]));
        self.col[row.plus..row.minus].iter().for_each(|&j| field.minus(&mut sum, &x[j as usize]));
        for (&j, &k) in self.col[row.minus..row.small].iter().zip(&self.small[row.factors[0]..]) {
            field.plus_times(&mut sum, k, &x[j as usize]);
        }
        if row.small < row.big {
            field.plus(&mut sum, &self.products(field, row, x));
        }
        field.reduce(&mut sum);
        sum
    }

    /// The part of a row with big entries.
    fn products(&self, field: &F, row: Row, x: &[F::Loose]) -> F::Loose {
        let mut sum = field.products();
        for (&j, v) in self.col[row.small..row.big].iter().zip(&self.big[row.factors[1]..]) {
            field.plus_product(&mut sum, v, &field.tight(&x[j as usize]));
        }
        field.loose(&field.reduced_products(sum))
    }

    /// A row whose sum has to be reduced on the way.
    fn heavy(&self, field: &F, begin: usize, row: Row, x: &[F::Loose]) -> F::Loose {
        let (mut sum, mut used) = (self.products(field, row, x), 1);
        let units = [1, -1].into_iter().zip([begin..row.plus, row.plus..row.minus]);
        let units = units.flat_map(|(k, range)| self.col[range].iter().map(move |&j| (j, k)));
        let small = self.col[row.minus..row.small].iter().copied().zip(self.small[row.factors[0]..].iter().copied());
        for (j, k) in units.chain(small) {
            let weight = u64::from(i32::unsigned_abs(k));
            if used + weight > field.budget() {
                field.reduce(&mut sum);
                used = 1;
            }
            used += weight;
            field.plus_times(&mut sum, k, &x[j as usize]);
        }
        field.reduce(&mut sum);
        sum
    }
}
