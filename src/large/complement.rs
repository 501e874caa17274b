//! The Schur complement S = A₂₂ - A₂₁·U⁻¹·A₁₂ of structural pivots, by its products with vectors: S is never formed.
//!
//! For y = S·v the pivotal coordinates of x = (-U⁻¹·A₁₂·v, v) are solved one after the other, and y is A·x in the other
//! rows; so a product costs the entries of A, whatever fill-in S has, and there are only as many coordinates as columns
//! without a pivot. Sᵀ is the complement of the same pivots of Aᵀ in the opposite order.

use super::arithmetic::Arithmetic;
use super::matrix::Matrix;
use super::products::Product;
use super::value::Value;
use crate::pivots::Pivots;
use crate::{Result, memory};

/// What the memory is for.
const COMPLEMENT: &str = "a Schur complement mod a large prime";

/// S and Sᵀ.
#[derive(Debug)]
pub(crate) struct Complement<F: Arithmetic> {
    forward: Solver<F>,
    backward: Solver<F>,
    /// The columns of A without a pivot, ascending: those of S.
    pub(crate) names: Vec<u32>,
}

/// Products with S, or with Sᵀ.
#[derive(Debug)]
struct Solver<F: Arithmetic> {
    /// The pivotal rows in the order in which they are solved, without their pivots, then the others. Pivotal columns
    /// come first, in the same order.
    product: Product<F>,
    pivots: usize,
    /// Which of the pivots are not 1 or -1, ascending, with their inverses.
    inverses: Vec<(usize, F::Element)>,
}

impl<F: Arithmetic> Complement<F> {
    /// The complement of these pivots of `a`.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    pub(crate) fn new(field: &F, a: &Matrix, pivots: &Pivots) -> Result<Self> {
        let transpose = a.transpose()?;
        let pairs = || pivots.rows.iter().copied().zip(pivots.cols.iter().copied());
        let rows = free(a.rows(), &pivots.rows)?;
        let names = free(a.cols, &pivots.cols)?;
        let forward = Solver::new(field, a, &memory::collect(pairs().rev(), COMPLEMENT)?, [&rows, &names])?;
        let turned = memory::collect(pairs().map(|(i, j)| (j, i)), COMPLEMENT)?;
        let backward = Solver::new(field, &transpose, &turned, [&names, &rows])?;
        Ok(Complement { forward, backward, names })
    }

    /// The number of rows of S.
    pub(crate) fn rows(&self) -> usize {
        self.forward.product.rows() - self.forward.pivots
    }
    /// The number of its columns.
    pub(crate) fn cols(&self) -> usize {
        self.names.len()
    }
    /// Room for vectors on which S acts, and for those on which Sᵀ does.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    pub(crate) fn room(&self, field: &F) -> Result<[Vec<F::Loose>; 2]> {
        let room = |solver: &Solver<F>| memory::filled(field.nothing(), solver.product.cols(), COMPLEMENT);
        Ok([room(&self.forward)?, room(&self.backward)?])
    }
    /// The coordinates of a vector with one for each column of S, in its room.
    pub(crate) fn columns<'a>(&self, room: &'a mut [F::Loose]) -> &'a mut [F::Loose] {
        &mut room[self.forward.pivots..]
    }
    /// The same with one for each row.
    pub(crate) fn lines<'a>(&self, room: &'a mut [F::Loose]) -> &'a mut [F::Loose] {
        &mut room[self.backward.pivots..]
    }
    /// y = S·x, from room to room.
    pub(crate) fn apply(&self, field: &F, x: &mut [F::Loose], y: &mut [F::Loose]) {
        self.forward.apply(field, x, self.lines(y));
    }
    /// x = Sᵀ·y, from room to room.
    pub(crate) fn apply_transpose(&self, field: &F, y: &mut [F::Loose], x: &mut [F::Loose]) {
        self.backward.apply(field, y, self.columns(x));
    }
}

impl<F: Arithmetic> Solver<F> {
    /// Of the pivots (row, column) in the order in which they are solved, and the other rows and columns.
    fn new(field: &F, a: &Matrix, pivots: &[(u32, u32)], [rows, cols]: [&[u32]; 2]) -> Result<Self> {
        let mut place = memory::zeros::<u32>(a.cols, COMPLEMENT)?;
        let order = pivots.iter().map(|pivot| pivot.1).chain(cols.iter().copied());
        order.zip(0..).for_each(|(j, k)| place[j as usize] = k);
        let mut turned = Matrix {
            cols: a.cols,
            start: memory::with_capacity(a.rows() + 1, COMPLEMENT)?,
            col: memory::with_capacity(a.nnz(), COMPLEMENT)?,
            value: memory::with_capacity(a.nnz(), COMPLEMENT)?,
            residues: a.residues.clone(),
        };
        turned.start.push(0);
        let mut inverses = vec![];
        for (t, &(i, own)) in pivots.iter().enumerate() {
            let pivot = a.row(i as usize).find(|entry| entry.0 == own).expect("a pivot is an entry").1;
            if !pivot.is_unit() {
                let inverse = field.inverse(&field.element(&a.residues.integer(pivot)));
                memory::push(&mut inverses, (t, inverse), COMPLEMENT)?;
            }
            // x = -Σ / 1, Σ / -1, or -Σ times the inverse.
            let keep = pivot.small() == Some(-1);
            for (j, v) in a.row(i as usize).filter(|entry| entry.0 != own) {
                turned.col.push(place[j as usize]);
                let v = if keep { v } else { negative(&mut turned, v)? };
                turned.value.push(v);
            }
            turned.start.push(turned.col.len());
        }
        for &i in rows {
            for (j, v) in a.row(i as usize) {
                turned.col.push(place[j as usize]);
                turned.value.push(v);
            }
            turned.start.push(turned.col.len());
        }
        Ok(Solver { product: Product::new(field, &turned)?, pivots: pivots.len(), inverses })
    }

    fn apply(&self, field: &F, x: &mut [F::Loose], y: &mut [F::Loose]) {
        let mut inverses = self.inverses.iter().peekable();
        for t in 0..self.pivots {
            let mut value = self.product.row(field, t, x);
            if let Some((_, inverse)) = inverses.next_if(|of| of.0 == t) {
                value = field.loose(&field.mul(&field.tight(&value), inverse));
            }
            x[t] = value;
        }
        self.product.apply(field, self.pivots, x, y);
    }
}

/// -v.
fn negative(a: &mut Matrix, v: Value) -> Result<Value> {
    Ok(a.residues.minus_times(None, 1, v)?.expect("no value is 0"))
}

/// The numbers below `count` that are not in the list.
pub(crate) fn free(count: usize, list: &[u32]) -> Result<Vec<u32>> {
    let mut taken = memory::filled(false, count, COMPLEMENT)?;
    list.iter().for_each(|&i| taken[i as usize] = true);
    memory::collect((0..count as u32).filter(|&i| !taken[i as usize]), COMPLEMENT)
}
