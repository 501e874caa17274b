//! From residues to the integer: the Chinese remainder theorem by incremental (Garner) steps.
//!
//! A [`Crt`] holds an integer x modulo M, the product of the moduli added so far. If |x| ≤ 2^bits and M > 2^(bits+1),
//! then x is the representative of least absolute value: [`Crt::signed`]. If 0 ≤ x ≤ 2^bits and M > 2^bits, it is the
//! least non-negative one: [`Crt::unsigned`].

use crate::field::Modulus;
use num_bigint::{BigInt, BigUint, Sign};
use num_traits::{One, ToPrimitive, Zero};

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

    /// Adds x ≡ residue modulo the prime p: with x = r + M t, t ≡ (residue - r) / M (mod p).
    ///
    /// # Panics
    /// If p divides the modulus so far.
    pub fn add(&mut self, p: Modulus, residue: u64) {
        let low = |x: &BigUint| (x % p.get()).to_u64().expect("below p");
        let (m, r) = (low(&self.modulus), low(&self.residue));
        assert!(m != 0, "{p} was used before");
        let t = p.mul(p.sub(p.reduce(residue), r), p.inv(m));
        self.residue += &self.modulus * t;
        self.modulus *= p.get();
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
        least(self.residue.clone().into(), &self.modulus.clone().into())
    }
}

/// x mod 2⁶⁴: the lowest 64 bits of the two's complement.
pub(crate) fn low_bits(x: &BigInt) -> u64 {
    let low = x.iter_u64_digits().next().unwrap_or(0);
    if x.sign() == Sign::Minus { low.wrapping_neg() } else { low }
}

/// The representative of x mod m of least absolute value, -m/2 ≤ r ≤ m/2.
pub(crate) fn least(x: BigInt, m: &BigInt) -> BigInt {
    let r = if x.magnitude() < m.magnitude() { x } else { x % m };
    if r.bits() + 1 < m.bits() {
        return r;
    }
    match &r << 1u32 {
        double if double > *m => r - m,
        double if -&double > *m => r + m,
        _ => r,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::integers::primes_for;

    fn modulus(p: u64) -> Modulus {
        Modulus::new(p).unwrap()
    }

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
                        crt.add(modulus(p), residue(&x, p));
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
            crt.add(modulus(p), residue(&x, p));
        }
        assert_eq!(crt.signed(), x);
        assert!(crt.modulus().bits() > 90);
    }

    #[test]
    #[should_panic(expected = "was used before")]
    fn a_modulus_twice_is_refused() {
        let mut crt = Crt::new();
        crt.add(modulus(7), 3);
        crt.add(modulus(7), 3);
    }
}
