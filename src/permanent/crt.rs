//! From residues to the integer: primes below a limit, and the Chinese remainder theorem by incremental (Garner) steps.
//!
//! A [`Crt`] knows an integer x modulo M, the product of the moduli it was given. If |x| ≤ 2^bits and M > 2^(bits+1), then x is
//! the representative of least absolute value: [`Crt::signed`]. If 0 ≤ x ≤ 2^bits and M > 2^bits, it is the least
//! non-negative one: [`Crt::unsigned`].

use crate::field::is_prime;
use num_bigint::{BigInt, BigUint};
use num_traits::{One, ToPrimitive, Zero};

/// The primes below `limit` in descending order.
pub fn primes_below(limit: u64) -> impl Iterator<Item = u64> {
    (2..limit).rev().filter(|&p| is_prime(p))
}

/// The largest primes below `limit` whose product with `known` exceeds 2^bits: as many as are needed, none if `known` does.
///
/// # Panics
/// If the primes below `limit` do not suffice.
pub fn primes_for(bits: u64, known: &BigUint, limit: u64) -> Vec<u64> {
    let mut product = known.clone();
    let mut primes = Vec::new();
    let mut candidates = primes_below(limit);
    while product.bits() <= bits || product == BigUint::one() << bits {
        let p = candidates.next().expect("enough primes below the limit");
        product *= p;
        primes.push(p);
    }
    primes
}

/// An integer known modulo the product of coprime moduli.
#[derive(Clone, Debug)]
pub struct Crt {
    modulus: BigUint,
    residue: BigUint,
}

impl Default for Crt {
    fn default() -> Self {
        Crt::new()
    }
}

impl Crt {
    /// Nothing is known: the modulus is 1.
    pub fn new() -> Self {
        Crt { modulus: BigUint::one(), residue: BigUint::zero() }
    }

    /// Starts with x ≡ residue modulo 2^bits.
    pub fn with_power_of_two(bits: u32, residue: u64) -> Self {
        let modulus = BigUint::one() << bits;
        Crt { residue: BigUint::from(residue) % &modulus, modulus }
    }

    /// Learns x ≡ residue modulo the prime p: with x = r + M t, t ≡ (residue - r) / M (mod p).
    ///
    /// # Panics
    /// If p divides the modulus so far, or p is 2⁶³ or more.
    pub fn add(&mut self, p: u64, residue: u64) {
        assert!(p < 1 << 63, "moduli stay below 2^63");
        let low = |x: &BigUint| (x % p).to_u64().expect("below p");
        let (m, r) = (low(&self.modulus), low(&self.residue));
        assert!(m != 0, "{p} was used before");
        let difference = (residue % p + p - r) % p;
        let t = u128::from(difference) * u128::from(power(m, p - 2, p)) % u128::from(p);
        self.residue += &self.modulus * t;
        self.modulus *= p;
    }

    /// The product of the moduli.
    pub fn modulus(&self) -> &BigUint {
        &self.modulus
    }
    /// The representative in 0..M.
    pub fn unsigned(&self) -> BigUint {
        self.residue.clone()
    }
    /// The representative x with -M/2 < x ≤ M/2.
    pub fn signed(&self) -> BigInt {
        let x = BigInt::from(self.residue.clone());
        if &self.residue * 2u32 > self.modulus { x - BigInt::from(self.modulus.clone()) } else { x }
    }
}

/// x^e mod p.
fn power(x: u64, mut e: u64, p: u64) -> u64 {
    let (mut x, mut y) = (u128::from(x), 1u128);
    let p = u128::from(p);
    while e > 0 {
        if e & 1 == 1 {
            y = y * x % p;
        }
        x = x * x % p;
        e >>= 1;
    }
    (y % p) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn residue(x: &BigInt, p: u64) -> u64 {
        let p = BigInt::from(p);
        (((x % &p) + &p) % &p).to_u64().unwrap()
    }

    #[test]
    fn residues_give_the_integer_back() {
        for limit in [60, 1 << 31, 1 << 50, 1 << 63] {
            for bits in [0u32, 1, 5, 31, 40] {
                let edge = BigInt::one() << bits;
                for x in [edge.clone(), -edge.clone(), &edge - 1, BigInt::zero(), BigInt::from(-1)] {
                    let mut crt = Crt::new();
                    for p in primes_for(u64::from(bits) + 1, crt.modulus(), limit) {
                        crt.add(p, residue(&x, p));
                    }
                    assert_eq!(crt.signed(), x, "{limit} {bits}");
                    if x >= BigInt::zero() {
                        assert_eq!(BigInt::from(crt.unsigned()), x);
                    }
                }
            }
        }
    }

    #[test]
    fn a_power_of_two_joins_odd_primes() {
        let x = BigInt::from(-123_456_789_012_345_678_901_234_567i128);
        let low = residue(&(&x % (BigInt::one() << 49)), 1 << 49);
        let mut crt = Crt::with_power_of_two(49, low);
        for p in primes_for(90, crt.modulus(), 1 << 31) {
            crt.add(p, residue(&x, p));
        }
        assert_eq!(crt.signed(), x);
        assert!(crt.modulus().bits() > 90);
    }

    #[test]
    fn enough_primes_and_no_more() {
        assert!(primes_for(10, &(BigUint::one() << 11u32), 100).is_empty());
        assert_eq!(primes_for(0, &BigUint::one(), 100), [97], "a product of 1 does not exceed 2^0");
        assert_eq!(primes_for(7, &BigUint::one(), 100), [97, 89]);
        assert_eq!(primes_below(12).collect::<Vec<_>>(), [11, 7, 5, 3, 2]);
    }

    #[test]
    #[should_panic(expected = "was used before")]
    fn a_modulus_twice_is_refused() {
        let mut crt = Crt::new();
        crt.add(7, 3);
        crt.add(7, 3);
    }
}
