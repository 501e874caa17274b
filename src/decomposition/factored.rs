//! Systems of the complement of a chain in the other lines of a minor.

use super::core::Oriented;
use super::level::{Divisors, Level, divide};
use super::{Lines, is_odd};
use crate::field::Modulus;
use crate::{Result, memory};

/// What the memory is for.
const SIDES: &str = "right sides of a system";

/// A nonsingular matrix S as its factors: the complement of the first pivots, in the other lines of a minor.
#[derive(Debug)]
pub struct Factored {
    /// The lines of S in the first of the levels; in the order of the core where there is none.
    pub(super) places: Lines,
    /// What the lines of the first level were divided by.
    pub(super) divisors: Divisors,
    /// From the complement that was formed first to the one that was not.
    pub(super) levels: Vec<Level>,
    pub(super) core: Oriented,
}

impl Factored {
    /// The order of S.
    pub fn order(&self) -> usize {
        self.places.rows.len()
    }
    /// det S, if S has all lines of the complement that was formed first.
    ///
    /// # Errors
    /// [`crate::Error::Memory`].
    pub(super) fn determinant(&self, p: Modulus) -> Result<u64> {
        let mut product = p.mul(self.core.determinant(p)?, self.divisors.product(p));
        for level in &self.levels {
            product = p.mul(product, level.factor()?);
        }
        if self.levels.is_empty() {
            return Ok(product);
        }
        let places = self.places.rows.iter().zip(&self.places.cols).map(|(&i, &j)| (i, j));
        let odd = is_odd(&memory::collect(places, SIDES)?)?;
        Ok(if odd { p.neg(product) } else { product })
    }
    /// The transpose.
    ///
    /// # Errors
    /// [`crate::Error::Memory`].
    pub(super) fn transposed(self) -> Result<Factored> {
        let Factored { places, divisors, levels, core: Oriented { factors, transposed } } = self;
        Ok(Factored {
            places: places.transposed(),
            divisors: divisors.transposed(),
            levels: levels.into_iter().map(Level::transposed).collect::<Result<_>>()?,
            core: Oriented { factors, transposed: !transposed },
        })
    }
    /// X with S·X = `right`, both row-major with `count` columns. Cost: for each column s² multiply-adds for a core of
    /// order s, and two passes over the complements that were formed.
    ///
    /// # Errors
    /// [`crate::Error::Memory`].
    ///
    /// # Panics
    /// If `right` has another size.
    pub fn solve(&self, right: &[u64], count: usize) -> Result<Vec<u64>> {
        assert_eq!(right.len(), self.order() * count, "right sides of a system of order {}", self.order());
        let Some(first) = self.levels.first() else { return self.core.solve(right, count) };
        if count == 0 {
            return Ok(vec![]);
        }
        let mut all = memory::zeros(first.matrix.rows() * count, SIDES)?;
        for (&i, from) in self.places.rows.iter().zip(right.chunks_exact(count)) {
            all[i as usize * count..][..count].copy_from_slice(from);
        }
        if let Divisors::Rows(by) = &self.divisors {
            divide(first.matrix.modulus(), &mut all, by, count);
        }
        let mut rights = vec![all];
        for level in &self.levels {
            let down = level.down(&rights[rights.len() - 1], count)?;
            rights.push(down);
        }
        let mut x = self.core.solve(&rights.pop().expect("the core's"), count)?;
        for (level, right) in self.levels.iter().zip(rights).rev() {
            x = level.up(&right, x, count)?;
        }
        if let Divisors::Cols(by) = &self.divisors {
            divide(first.matrix.modulus(), &mut x, by, count);
        }
        let mut solution = memory::with_capacity(right.len(), SIDES)?;
        self.places.cols.iter().for_each(|&j| solution.extend_from_slice(&x[j as usize * count..][..count]));
        Ok(solution)
    }
}
