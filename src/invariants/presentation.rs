//! A module K\[x\]ˢ / F, and what F says about it.

use super::determinant::determinant;
use super::smith::{first_invariants, multiple};
use crate::field::{Modulus, Rng};
use crate::poly::PolyMatrix;
use crate::univariate::{degree, divide, monic};
use crate::{Error, Observer, Result, memory};

/// The module K\[x\]ˢ modulo the rows of F.
#[derive(Clone, Debug)]
pub struct Presentation {
    pub(super) modulus: Modulus,
    pub(super) matrix: PolyMatrix<u64>,
    /// deg det F.
    pub(super) dimension: usize,
    /// How many random vectors generate the module: s, or fewer where others are zero.
    pub(super) vectors: usize,
}

impl Presentation {
    /// The dimension of the module over K: the degree of the determinant.
    pub fn dimension(&self) -> usize {
        self.dimension
    }
    /// The number of random vectors that generate the module.
    pub fn vectors(&self) -> usize {
        self.vectors
    }
    /// F.
    pub fn relations(&self) -> &PolyMatrix<u64> {
        &self.matrix
    }

    /// det F, monic: the characteristic polynomial of x on the module. Where GF(p) has too few points, `rng` finds an
    /// extension; the answer does not depend on it.
    ///
    /// # Errors
    /// [`Error::Check`] if its degree is not the dimension, [`Error::Interrupted`], [`Error::Memory`].
    pub fn determinant(&self, rng: &mut Rng, observer: &dyn Observer) -> Result<Vec<u64>> {
        let found = determinant(self.modulus, &self.matrix, self.dimension, rng, observer)?;
        match degree(&found) {
            Some(degree) if degree == self.dimension => Ok(monic(self.modulus, found)),
            other => {
                let found = other.map_or("that is 0".into(), |degree| format!("of degree {degree}"));
                let dimension = self.dimension;
                Err(Error::Check(format!("relations of a module of dimension {dimension} with a determinant {found}")))
            }
        }
    }

    /// All s invariant factors, monic, each a divisor of the next; `determinant` is that of F. The first s - 1 are
    /// found modulo a multiple of their product (module `smith`), the last is what is left of the determinant.
    ///
    /// # Errors
    /// [`Error::Check`] if they contradict the determinant, [`Error::Interrupted`], [`Error::Memory`].
    pub fn invariant_factors(
        &self,
        determinant: &[u64],
        rng: &mut Rng,
        observer: &dyn Observer,
    ) -> Result<Vec<Vec<u64>>> {
        let p = self.modulus;
        let mut factors = first_invariants(p, &self.matrix, determinant, rng, observer)?;
        let mut last = memory::copy(determinant, "an invariant factor")?;
        for factor in &factors {
            let (quotient, rest) = divide(p, &last, factor)?;
            if !rest.is_empty() {
                return Err(Error::Check("invariant factors whose product is not the determinant".into()));
            }
            last = quotient;
        }
        if let Some(before) = factors.last()
            && !divide(p, &last, before)?.1.is_empty()
        {
            return Err(Error::Check("an invariant factor that does not divide the next".into()));
        }
        factors.push(last);
        Ok(factors)
    }

    /// A divisor of the last invariant factor, monic, without the others: mostly all of it, but for small p.
    /// `determinant` is that of F.
    ///
    /// # Errors
    /// [`Error::Interrupted`], [`Error::Memory`].
    pub(crate) fn most_of_the_last(
        &self,
        determinant: &[u64],
        rng: &mut Rng,
        observer: &dyn Observer,
    ) -> Result<Vec<u64>> {
        let others = multiple(self.modulus, &self.matrix, determinant, rng, observer)?;
        Ok(divide(self.modulus, determinant, &others)?.0)
    }
}
