//! GF(p) for p of any size, 2 included, on integers of any length: slower than limbs in a fixed number, with the same
//! results.

use super::arithmetic::Arithmetic;
use num_bigint::{BigInt, BigUint};
use num_integer::Integer as _;
use num_traits::{One, Zero};

/// GF(p) on integers 0 … p-1.
#[derive(Clone, Debug)]
pub(crate) struct Unbounded {
    modulus: BigUint,
    signed: BigInt,
}

impl Unbounded {
    /// The field of this prime.
    pub(crate) fn new(modulus: &BigUint) -> Self {
        Unbounded { modulus: modulus.clone(), signed: BigInt::from(modulus.clone()) }
    }
}

impl Arithmetic for Unbounded {
    type Element = BigUint;
    type Loose = BigInt;
    type Products = BigUint;

    fn modulus(&self) -> &BigUint {
        &self.modulus
    }
    fn element(&self, n: &BigUint) -> BigUint {
        n % &self.modulus
    }
    fn integer(&self, a: &BigUint) -> BigUint {
        a.clone()
    }
    fn zero(&self) -> BigUint {
        BigUint::zero()
    }
    fn one(&self) -> BigUint {
        BigUint::one()
    }
    fn add(&self, a: &BigUint, b: &BigUint) -> BigUint {
        let sum = a + b;
        if sum < self.modulus { sum } else { sum - &self.modulus }
    }
    fn sub(&self, a: &BigUint, b: &BigUint) -> BigUint {
        if a >= b { a - b } else { &self.modulus - b + a }
    }
    fn mul(&self, a: &BigUint, b: &BigUint) -> BigUint {
        a * b % &self.modulus
    }
    fn times_word(&self, a: &BigUint, k: u64) -> BigUint {
        a * k % &self.modulus
    }
    fn loose(&self, a: &BigUint) -> BigInt {
        BigInt::from(a.clone())
    }
    fn tight(&self, a: &BigInt) -> BigUint {
        a.magnitude().clone()
    }
    fn nothing(&self) -> BigInt {
        BigInt::zero()
    }
    fn budget(&self) -> u64 {
        1 << 62
    }
    fn plus(&self, sum: &mut BigInt, a: &BigInt) {
        *sum += a;
    }
    fn minus(&self, sum: &mut BigInt, a: &BigInt) {
        *sum -= a;
    }
    fn plus_times(&self, sum: &mut BigInt, k: i32, a: &BigInt) {
        *sum += a * k;
    }
    fn reduce(&self, sum: &mut BigInt) {
        *sum = sum.mod_floor(&self.signed);
    }
    fn products(&self) -> BigUint {
        BigUint::zero()
    }
    fn plus_product(&self, products: &mut BigUint, a: &BigUint, b: &BigUint) {
        *products += a * b;
    }
    fn reduced_products(&self, products: BigUint) -> BigUint {
        products % &self.modulus
    }
}
