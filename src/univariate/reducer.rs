//! Arithmetic modulo a fixed polynomial, whose inverse is prepared once.

use super::arithmetic::{divide, divide_with, inverse_of_reversed, multiply};
use crate::field::Modulus;
use crate::{Result, memory};

/// What the memory is for.
const WHAT: &str = "a polynomial";

/// Below this degree, divisions need no preparation.
const PREPARED: usize = 48;

/// GF(p)\[x\] / f.
#[derive(Clone, Debug)]
pub struct Reducer {
    modulus: Modulus,
    f: Vec<u64>,
    /// The inverse of the reversed f, as long as products need it; empty for small f.
    inverse: Vec<u64>,
}

impl Reducer {
    /// Prepares reductions modulo `f`. Panics if it is zero.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    pub fn new(modulus: Modulus, f: Vec<u64>) -> Result<Self> {
        assert!(!f.is_empty(), "residues modulo the zero polynomial");
        let inverse = if f.len() > PREPARED { inverse_of_reversed(modulus, &f, f.len())? } else { vec![] };
        Ok(Reducer { modulus, f, inverse })
    }
    /// f.
    pub fn polynomial(&self) -> &[u64] {
        &self.f
    }
    /// a mod f.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    pub fn reduce(&self, a: &[u64]) -> Result<Vec<u64>> {
        let (p, f) = (self.modulus, &self.f);
        if a.len() < f.len() {
            return memory::copy(a, WHAT);
        }
        match a.len() - f.len() < self.inverse.len() {
            true => Ok(divide_with(p, a, f, &self.inverse)?.1),
            false => Ok(divide(p, a, f)?.1),
        }
    }
    /// a·b mod f.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    pub fn multiply(&self, a: &[u64], b: &[u64]) -> Result<Vec<u64>> {
        self.reduce(&multiply(self.modulus, a, b)?)
    }
    /// aᵉ mod f.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    pub fn power(&self, a: &[u64], e: u64) -> Result<Vec<u64>> {
        let mut result = self.reduce(&[1])?;
        for bit in (0..u64::BITS - e.leading_zeros()).rev() {
            result = self.multiply(&result, &result)?;
            if e >> bit & 1 == 1 {
                result = self.multiply(&result, a)?;
            }
        }
        Ok(result)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::Rng;
    use rand::{RngExt, SeedableRng};

    #[test]
    fn residues_are_those_of_division() {
        let mut rng = Rng::seed_from_u64(33);
        for p in [2, 7, (1 << 63) - 25].map(|p| Modulus::new(p).unwrap()) {
            for len in [1, 2, 10, 60, 130] {
                let mut f: Vec<u64> = (1..len).map(|_| rng.random_range(0..p.get())).collect();
                f.push(1);
                let ring = Reducer::new(p, f.clone()).unwrap();
                for long in [0, 1, len - 1, len, 2 * len, 2 * len + 40] {
                    let mut a: Vec<u64> = (0..long).map(|_| rng.random_range(0..p.get())).collect();
                    a.push(1);
                    assert_eq!(ring.reduce(&a).unwrap(), divide(p, &a, &f).unwrap().1);
                    let cube = ring.multiply(&ring.multiply(&a, &a).unwrap(), &a).unwrap();
                    assert_eq!(ring.power(&a, 3).unwrap(), cube, "{len} {long} mod {p}");
                }
            }
        }
    }
}
