//! Enough primes: from above, until their product exceeds a bound.

use crate::field::is_prime;
use num_bigint::BigUint;
use num_traits::One;

/// The primes below `limit` in descending order.
pub fn primes_below(limit: u64) -> impl Iterator<Item = u64> {
    (2..limit).rev().filter(|&p| is_prime(p))
}

/// The largest primes below `limit`, as many as it takes for their product with `known` to exceed 2^bits; none if
/// `known` already does.
///
/// # Panics
/// If the primes below `limit` do not suffice, or `known` is 0.
pub fn primes_for(bits: u64, known: &BigUint, limit: u64) -> Vec<u64> {
    let mut product = Product { primes: vec![], product: known.clone() };
    let mut candidates = primes_below(limit);
    while !product.exceeds(bits as f64) {
        product.push(candidates.next().expect("enough primes below the limit"));
    }
    product.primes
}

/// Distinct primes and their product.
#[derive(Clone, Debug)]
pub struct Product {
    primes: Vec<u64>,
    product: BigUint,
}

impl Default for Product {
    fn default() -> Self {
        Product::new()
    }
}

impl Product {
    /// No prime: 1.
    pub fn new() -> Self {
        Product { primes: vec![], product: BigUint::one() }
    }
    /// Adds a prime unless it is already there.
    pub fn add(&mut self, p: u64) {
        self.add_power(p, 1);
    }
    /// Adds a power of a prime of which none is there already.
    pub(crate) fn add_power(&mut self, p: u64, exponent: u32) {
        if !self.contains(p) {
            self.primes.push(p);
            self.product *= BigUint::from(p).pow(exponent);
        }
    }
    /// Adds a prime that must not be there yet.
    fn push(&mut self, p: u64) {
        self.primes.push(p);
        self.product *= p;
    }
    /// Whether the prime is there.
    pub fn contains(&self, p: u64) -> bool {
        self.primes.contains(&p)
    }
    /// The next prime of a stream that is not there yet.
    pub fn next(&self, stream: &mut impl Iterator<Item = u64>) -> Option<u64> {
        stream.find(|&p| !self.contains(p))
    }
    /// The number of primes.
    pub fn count(&self) -> usize {
        self.primes.len()
    }
    /// ⌊log₂⌋ of the product.
    pub fn bits(&self) -> f64 {
        (self.product.bits() - 1) as f64
    }
    /// Whether the product exceeds 2^bits (where bits lies between two integers: 2 to the larger one), so that every
    /// integer D,
    /// |D| ≤ 2^bits, that all primes divide is 0.
    pub fn exceeds(&self, bits: f64) -> bool {
        let power_of_two = || self.product.trailing_zeros() == Some(self.product.bits() - 1);
        self.bits() > bits || (self.bits() == bits && !power_of_two())
    }
    /// How many more primes, each above 2^(size - 1/8), this takes: all primes counted down from 2^size are that large.
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
    fn a_product_is_enough_once_it_exceeds() {
        let mut product = Product::new();
        assert!(!product.exceeds(0.0) && product.missing(0.5, 31) == 1);
        for p in [1_073_741_827, 2_147_483_647, 2_147_483_647] {
            product.add(p);
        }
        // 2³⁰ < 1073741827 and 2³¹ - 1: between 2⁶¹ - 2³⁰ and 2⁶¹ + 3·2³¹.
        let exact = BigUint::from(1_073_741_827u64) * 2_147_483_647u64;
        assert_eq!((product.count(), product.bits()), (2, (exact.bits() - 1) as f64));
        assert_eq!(product.bits(), 61.0);
        // 2^61.0000000x.
        assert!(product.exceeds(60.999) && product.exceeds(61.0) && !product.exceeds(61.001));
        assert_eq!((product.missing(60.0, 31), product.missing(61.001, 31), product.missing(200.0, 31)), (0, 1, 5));
        let mut powers = Product::new();
        powers.add_power(3, 40);
        powers.add_power(3, 5);
        assert!(powers.exceeds(63.0) && !powers.exceeds(64.0) && powers.count() == 1, "3^40 has 64 bits");
        let mut two = Product::new();
        two.add(2);
        assert!(two.exceeds(0.999) && !two.exceeds(1.0), "2 does not exceed 2");
    }

    #[test]
    fn enough_primes_and_no_more() {
        assert!(primes_for(10, &(BigUint::one() << 11u32), 100).is_empty());
        assert_eq!(primes_for(0, &BigUint::one(), 100), [97], "a product of 1 does not exceed 2^0");
        assert_eq!(primes_for(7, &BigUint::one(), 100), [97, 89]);
        assert_eq!(primes_for(6, &BigUint::one(), 100), [97], "97 exceeds 2^6, by less than a bit");
        assert_eq!(primes_for(8, &(BigUint::one() << 8u32), 3), [2], "2^8 does not exceed 2^8");
        assert_eq!(primes_below(12).collect::<Vec<_>>(), [11, 7, 5, 3, 2]);
    }

    #[test]
    fn no_prime_twice() {
        let mut product = Product::new();
        [31, 23].into_iter().for_each(|p| product.add(p));
        let mut stream = primes_below(1 << 5);
        assert_eq!((product.next(&mut stream), product.next(&mut stream)), (Some(29), Some(19)));
        assert_eq!(product.next(&mut primes_below(2)), None);
    }
}
