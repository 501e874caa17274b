//! GF(9) = GF(3)[t]/(t² + 1), by the definition: the smallest field in which degree and characteristic differ from
//! GF(p)'s.

use crate::field::{Field, Modulus, Rng};
use rand::RngExt;

#[derive(Clone, Copy, Debug)]
pub(super) struct Gf9;

impl Field for Gf9 {
    type Elem = [u8; 2];

    fn modulus(&self) -> Modulus {
        Modulus::new(3).expect("3 is prime")
    }
    fn degree(&self) -> usize {
        2
    }
    fn one(&self) -> [u8; 2] {
        [1, 0]
    }
    fn add(&self, a: [u8; 2], b: [u8; 2]) -> [u8; 2] {
        [(a[0] + b[0]) % 3, (a[1] + b[1]) % 3]
    }
    fn sub(&self, a: [u8; 2], b: [u8; 2]) -> [u8; 2] {
        [(a[0] + 3 - b[0]) % 3, (a[1] + 3 - b[1]) % 3]
    }
    fn mul(&self, a: [u8; 2], b: [u8; 2]) -> [u8; 2] {
        [(a[0] * b[0] + 2 * a[1] * b[1]) % 3, (a[0] * b[1] + a[1] * b[0]) % 3]
    }
    fn inv(&self, a: [u8; 2]) -> [u8; 2] {
        assert!(a != [0, 0], "inverse of 0");
        // The group of units has order 8.
        (0..6).fold(a, |power, _| self.mul(power, a))
    }
    fn write_digits(&self, a: [u8; 2], digits: &mut [u64]) {
        digits.copy_from_slice(&a.map(u64::from));
    }
    fn from_digits(&self, digits: &[u64]) -> [u8; 2] {
        [digits[0] as u8, digits[1] as u8]
    }
    fn random(&self, rng: &mut Rng) -> [u8; 2] {
        [rng.random_range(0..3), rng.random_range(0..3)]
    }
}
