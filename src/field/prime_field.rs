//! GF(p) as a [`Field`]: elements are plain residues in `u64`.

use super::{Field, Modulus, Rng};
use rand::RngExt;

/// The prime field GF(p).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PrimeField(pub Modulus);

impl Field for PrimeField {
    type Elem = u64;

    fn modulus(&self) -> Modulus {
        self.0
    }
    fn degree(&self) -> usize {
        1
    }
    fn one(&self) -> u64 {
        1
    }
    #[inline(always)]
    fn add(&self, a: u64, b: u64) -> u64 {
        self.0.add(a, b)
    }
    #[inline(always)]
    fn sub(&self, a: u64, b: u64) -> u64 {
        self.0.sub(a, b)
    }
    #[inline(always)]
    fn mul(&self, a: u64, b: u64) -> u64 {
        self.0.mul(a, b)
    }
    fn inv(&self, a: u64) -> u64 {
        self.0.inv(a)
    }
    fn write_digits(&self, a: u64, digits: &mut [u64]) {
        digits[0] = a;
    }
    fn from_digits(&self, digits: &[u64]) -> u64 {
        digits[0]
    }
    fn random(&self, rng: &mut Rng) -> u64 {
        rng.random_range(0..self.0.get())
    }
}
