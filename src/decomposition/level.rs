//! A matrix, its pivots and the lines of the complement that was formed of them: one step of a triangular solve.
//!
//! Let A₁₁ be the triangle of the pivots. A·X = B means A₁₁·X₁ + A₁₂·X₂ = B₁ and A₂₁·X₁ + A₂₂·X₂ = B₂; without X₁, S·X₂
//! = B₂ - A₂₁·A₁₁⁻¹·B₁, which is the way down; the way up is X₁ = A₁₁⁻¹·(B₁ - A₁₂·X₂). Nothing but A itself is needed:
//! it is its own multipliers.

use super::{Lines, is_odd};
use crate::field::{Accumulator, DelayBudget, Modulus};
use crate::pivots::Pivots;
use crate::sparse::SparseMatrix;
use crate::{Result, memory};

/// What the memory is for.
const SIDES: &str = "right sides of a sparse system";

/// What the lines of a complement were divided by, one residue each.
#[derive(Debug)]
pub(super) enum Divisors {
    /// They were not.
    None,
    Rows(Vec<u64>),
    Cols(Vec<u64>),
}

impl Divisors {
    /// The product of all.
    pub fn product(&self, p: Modulus) -> u64 {
        match self {
            Divisors::None => 1,
            Divisors::Rows(by) | Divisors::Cols(by) => by.iter().fold(1, |product, &by| p.mul(product, by)),
        }
    }
    /// Those of the transpose.
    pub fn transposed(self) -> Divisors {
        match self {
            Divisors::None => Divisors::None,
            Divisors::Rows(by) => Divisors::Cols(by),
            Divisors::Cols(by) => Divisors::Rows(by),
        }
    }
}

/// One step.
#[derive(Debug)]
pub struct Level {
    /// The matrix.
    pub matrix: SparseMatrix,
    /// Its pivots.
    pub pivots: Pivots,
    /// The lines of `matrix` that those of the complement come from, which are in no pivot.
    pub rest: Lines,
    pub(super) divisors: Divisors,
}

impl Level {
    /// The step with these pivots of `matrix`, whose complement has the lines `rest` and was not divided by anything.
    pub fn new(matrix: SparseMatrix, pivots: Pivots, rest: Lines) -> Self {
        Level { matrix, pivots, rest, divisors: Divisors::None }
    }
    /// det B / det S for the square matrix B of this step, if its lines are those of the pivots and the `rest`, and
    /// its complement S in those before it was divided.
    pub(super) fn factor(&self) -> Result<u64> {
        let (p, pivots) = (self.matrix.modulus(), self.pivots.rows.iter().zip(&self.pivots.cols));
        let mut product = 1;
        for (&i, &j) in pivots.clone() {
            let (cols, values) = self.matrix.row(i as usize);
            product = p.mul(product, values[cols.binary_search(&j).expect("a pivot is an entry")]);
        }
        let pairs = pivots.chain(self.rest.rows.iter().zip(&self.rest.cols)).map(|(&i, &j)| (i, j));
        let odd = is_odd(&memory::collect(pairs, SIDES)?)?;
        Ok(p.mul(if odd { p.neg(product) } else { product }, self.divisors.product(p)))
    }
    /// The same step of the transpose.
    pub(super) fn transposed(self) -> Result<Level> {
        let Level { matrix, pivots, rest, divisors } = self;
        Ok(Level {
            matrix: matrix.transpose()?,
            pivots: pivots.transposed(),
            rest: rest.transposed(),
            divisors: divisors.transposed(),
        })
    }
    /// The right sides of the complement's system, from those of the matrix's: `count` columns, row-major.
    ///
    /// # Errors
    /// [`crate::Error::Memory`].
    pub(super) fn down(&self, right: &[u64], count: usize) -> Result<Vec<u64>> {
        let mut x = memory::zeros(self.matrix.cols() * count, SIDES)?;
        self.substitute(right, &mut x, count)?;
        let sums = Sums::new(self.matrix.modulus());
        let mut down = memory::zeros(self.rest.rows.len() * count, SIDES)?;
        for (&i, to) in self.rest.rows.iter().zip(down.chunks_exact_mut(count)) {
            sums.residual(self.matrix.row(i as usize), &x, &right[i as usize * count..][..count], to);
        }
        if let Divisors::Rows(by) = &self.divisors {
            divide(self.matrix.modulus(), &mut down, by, count);
        }
        Ok(down)
    }
    /// The solution for the right sides `right`, from that of the complement's system.
    ///
    /// # Errors
    /// [`crate::Error::Memory`].
    pub(super) fn up(&self, right: &[u64], mut of_rest: Vec<u64>, count: usize) -> Result<Vec<u64>> {
        if let Divisors::Cols(by) = &self.divisors {
            divide(self.matrix.modulus(), &mut of_rest, by, count);
        }
        let mut x = memory::zeros(self.matrix.cols() * count, SIDES)?;
        for (&j, from) in self.rest.cols.iter().zip(of_rest.chunks_exact(count)) {
            x[j as usize * count..][..count].copy_from_slice(from);
        }
        self.substitute(right, &mut x, count)?;
        Ok(x)
    }
    /// Sets X in the pivot columns, where it must be 0, so that the rows of the pivots have their right sides.
    fn substitute(&self, right: &[u64], x: &mut [u64], count: usize) -> Result<()> {
        let p = self.matrix.modulus();
        let sums = Sums::new(p);
        let mut sum = memory::zeros(count, SIDES)?;
        for (&i, &j) in self.pivots.rows.iter().zip(&self.pivots.cols).rev() {
            let (cols, values) = self.matrix.row(i as usize);
            let pivot = values[cols.binary_search(&j).expect("a pivot is an entry")];
            sums.residual((cols, values), x, &right[i as usize * count..][..count], &mut sum);
            let inverse = p.multiplier(p.inv(pivot));
            let to = &mut x[j as usize * count..][..count];
            to.iter_mut().zip(&sum).for_each(|(x, &sum)| *x = p.mul_by(sum, inverse));
        }
        Ok(())
    }
}

/// Divides each row of `count` residues by a residue of its own.
pub(super) fn divide(p: Modulus, rows: &mut [u64], by: &[u64], count: usize) {
    for (row, &by) in rows.chunks_exact_mut(count).zip(by) {
        let inverse = p.multiplier(p.inv(by));
        row.iter_mut().for_each(|x| *x = p.mul_by(*x, inverse));
    }
}

/// Sums of products with delayed reduction.
struct Sums {
    p: Modulus,
    /// Products that may be added to a residue in 64 bits.
    delay: usize,
}

impl Sums {
    fn new(p: Modulus) -> Self {
        Sums { p, delay: DelayBudget::plain(p, Accumulator::U64).products_above(u128::from(p.get() - 1)) }
    }
    /// `right` - row·X.
    fn residual(&self, (cols, values): (&[u32], &[u64]), x: &[u64], right: &[u64], to: &mut [u64]) {
        let (p, count) = (self.p, right.len());
        to.iter_mut().zip(right).for_each(|(to, &b)| *to = p.neg(b));
        let mut room = self.delay;
        for (&j, &v) in cols.iter().zip(values) {
            let terms = to.iter_mut().zip(&x[j as usize * count..][..count]);
            if self.delay == 0 {
                let by = p.multiplier(v);
                terms.for_each(|(sum, &x)| *sum = p.add(*sum, p.mul_by(x, by)));
                continue;
            }
            terms.for_each(|(sum, &x)| *sum += v * x);
            room -= 1;
            if room == 0 {
                to.iter_mut().for_each(|sum| *sum = p.reduce(*sum));
                room = self.delay;
            }
        }
        to.iter_mut().for_each(|sum| *sum = p.neg(p.reduce(*sum)));
    }
}
