//! What ranks modulo several primes say of the rank over ℚ.

use crate::answers::primes_of_size;
use crate::certify::ErrorBound;
use num_bigint::BigUint;
use num_traits::One;

/// δ: a bound of the probability that a random prime of `bits` bits divides an integer D ≠ 0, |D| ≤ 2^minor_bits. Each such
/// prime is at least 2^(bits-1), so that D is a multiple of at most ⌊minor_bits/(bits-1)⌋; `None` where that is 0, and no prime is bad.
pub(super) fn bad_prime(minor_bits: f64, bits: u32) -> Option<ErrorBound> {
    let most = (minor_bits / f64::from(bits - 1)).floor();
    let share = |most: f64| most / primes_of_size(bits) * (1.0 + 1e-12);
    (most > 0.0).then(|| ErrorBound::new(share(most).min(1.0)).expect("a prime among so many"))
}

/// Distinct primes and their product.
#[derive(Debug)]
pub(super) struct Product {
    primes: Vec<u64>,
    product: BigUint,
}

impl Product {
    pub fn new() -> Self {
        Product { primes: vec![], product: BigUint::one() }
    }
    /// Adds a prime, if it is not there.
    pub fn add(&mut self, p: u64) {
        if !self.contains(p) {
            self.primes.push(p);
            self.product *= p;
        }
    }
    pub fn contains(&self, p: u64) -> bool {
        self.primes.contains(&p)
    }
    /// How many primes.
    pub fn count(&self) -> usize {
        self.primes.len()
    }
    /// ⌊log₂⌋ of the product.
    pub fn bits(&self) -> f64 {
        (self.product.bits() - 1) as f64
    }
    /// Whether every integer D, |D| ≤ 2^bits, that all primes divide is 0: the product is at least 2^⌊log₂⌋ > 2^bits.
    pub fn exceeds(&self, bits: f64) -> bool {
        self.bits() > bits
    }
    /// How many more primes of a size, each above 2^(size - 1/8), that takes: all those that are counted down from 2^size are.
    pub fn missing(&self, bits: f64, size: u32) -> usize {
        match self.exceeds(bits) {
            true => 0,
            false => ((bits - self.bits() + 1.0) / (f64::from(size) - 0.125)).ceil() as usize,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_product_is_enough_from_one_bit_above_on() {
        let mut product = Product::new();
        assert!(!product.exceeds(0.0) && product.missing(0.5, 31) == 1);
        for p in [1_073_741_827, 2_147_483_647, 2_147_483_647] {
            product.add(p);
        }
        // 2³⁰ < 1073741827 and 2³¹ - 1: between 2⁶¹ - 2³⁰ and 2⁶¹ + 3·2³¹.
        let exact = BigUint::from(1_073_741_827u64) * 2_147_483_647u64;
        assert_eq!((product.count(), product.bits()), (2, (exact.bits() - 1) as f64));
        assert_eq!(product.bits(), 61.0);
        // A multiple of both as large as they: 2^61.0000000x, which bits of 61 do not exclude.
        assert!(product.exceeds(60.999) && !product.exceeds(61.0) && !product.exceeds(61.001));
        assert_eq!((product.missing(60.0, 31), product.missing(61.0, 31), product.missing(200.0, 31)), (0, 1, 5));
    }

    #[test]
    fn only_small_minors_have_no_bad_prime() {
        assert_eq!((bad_prime(29.99, 31), bad_prime(0.0, 31), bad_prime(30.0, 62)), (None, None, None));
        let one = bad_prime(30.0, 31).unwrap();
        assert!((1.0..1.0 + 1e-9).contains(&(one.value() * primes_of_size(31))), "{one}");
        // A thousand primes: far below the smallest number above 0.
        let all = one.all(1000);
        assert!((all.log2() - 1000.0 * one.log2()).abs() < 1e-6 && all.log2() < -20_000.0);
        // Minors of more bits than all primes of the size have together.
        assert!(bad_prime(1e12, 31).unwrap().is_vacuous());
    }
}
