//! The values that are summed: integers modulo 2⁶⁴ᴷ as K wrapping machine words, integers of any size, or residues
//! modulo one prime.
//!
//! The program only adds and multiplies, so everything may be done modulo M = 2⁶⁴ᴷ; the permanent is then the residue
//! in [-M/2, M/2), or in [0, M) if no entry is negative, provided that a bound on its absolute value places it there.
//! Partial sums may wrap freely.

use crate::field::Modulus;
use num_bigint::{BigInt, Sign};

/// A commutative ring with the image of the integers.
pub(super) trait Ring: Sync {
    /// Its elements.
    type Value: Clone + Send + Sync;
    /// Bytes that one value takes (at least).
    const BYTES: usize;
    /// Whether it consists of a few machine words, so that a product is cheaper than a mispredicted branch.
    const WORDS: bool;
    fn zero(&self) -> Self::Value;
    fn image(&self, v: &BigInt) -> Self::Value;
    fn is_zero(&self, v: &Self::Value) -> bool;
    fn add(&self, to: &mut Self::Value, v: &Self::Value);
    /// The product of a value, a word and a weight.
    fn times(&self, v: &Self::Value, count: u64, weight: &Self::Value) -> Self::Value;
    /// The product with a word.
    fn times_word(&self, v: &Self::Value, count: u64) -> Self::Value;
    /// The integer of which a value is the image: the least non-negative one, or the least in absolute value.
    fn to_integer(&self, v: &Self::Value, nonnegative: bool) -> BigInt;
}

/// Integers modulo 2⁶⁴ᴷ, lowest word first.
pub(super) struct Words<const K: usize>;

impl<const K: usize> Ring for Words<K> {
    type Value = [u64; K];
    const BYTES: usize = 8 * K;
    const WORDS: bool = true;

    fn zero(&self) -> [u64; K] {
        [0; K]
    }
    fn image(&self, v: &BigInt) -> [u64; K] {
        let (sign, digits) = v.to_u64_digits();
        let mut words = [0; K];
        words.iter_mut().zip(digits).for_each(|(w, d)| *w = d);
        if sign == Sign::Minus {
            let mut carry = true;
            for w in &mut words {
                (*w, carry) = (!*w).overflowing_add(u64::from(carry));
            }
        }
        words
    }
    #[inline(always)]
    fn is_zero(&self, v: &[u64; K]) -> bool {
        v.iter().all(|&w| w == 0)
    }
    #[inline(always)]
    fn add(&self, to: &mut [u64; K], v: &[u64; K]) {
        let mut carry = false;
        for k in 0..K {
            let (s, c1) = to[k].overflowing_add(v[k]);
            let (s, c2) = s.overflowing_add(u64::from(carry));
            to[k] = s;
            carry = c1 | c2;
        }
    }
    #[inline(always)]
    fn times(&self, v: &[u64; K], count: u64, weight: &[u64; K]) -> [u64; K] {
        let mut product = [0u64; K];
        for i in 0..K {
            let mut carry = 0u128;
            for j in 0..K - i {
                let t = u128::from(v[i]) * u128::from(weight[j]) + u128::from(product[i + j]) + carry;
                product[i + j] = t as u64;
                carry = t >> 64;
            }
        }
        self.times_word(&product, count)
    }
    #[inline(always)]
    fn times_word(&self, v: &[u64; K], count: u64) -> [u64; K] {
        let mut carry = 0u128;
        v.map(|w| {
            let t = u128::from(w) * u128::from(count) + carry;
            carry = t >> 64;
            t as u64
        })
    }
    fn to_integer(&self, v: &[u64; K], nonnegative: bool) -> BigInt {
        let digits: Vec<u32> = v.iter().flat_map(|&w| [w as u32, (w >> 32) as u32]).collect();
        let negative = !nonnegative && v[K - 1] >> 63 == 1;
        let v = BigInt::from_slice(Sign::Plus, &digits);
        if negative { v - (BigInt::from(1) << (64 * K)) } else { v }
    }
}

/// The integers.
pub(super) struct Integers;

impl Ring for Integers {
    type Value = BigInt;
    const BYTES: usize = size_of::<BigInt>() + 8;
    const WORDS: bool = false;

    fn zero(&self) -> BigInt {
        BigInt::ZERO
    }
    fn image(&self, v: &BigInt) -> BigInt {
        v.clone()
    }
    fn is_zero(&self, v: &BigInt) -> bool {
        v.sign() == Sign::NoSign
    }
    fn add(&self, to: &mut BigInt, v: &BigInt) {
        *to += v;
    }
    fn times(&self, v: &BigInt, count: u64, weight: &BigInt) -> BigInt {
        v * weight * count
    }
    fn times_word(&self, v: &BigInt, count: u64) -> BigInt {
        v * count
    }
    fn to_integer(&self, v: &BigInt, _nonnegative: bool) -> BigInt {
        v.clone()
    }
}

/// Residues 0 … p-1; the integer of one is itself.
pub(super) struct Residues(pub Modulus);

impl Ring for Residues {
    type Value = u64;
    const BYTES: usize = 8;
    const WORDS: bool = true;

    fn zero(&self) -> u64 {
        0
    }
    fn image(&self, v: &BigInt) -> u64 {
        self.0.reduce_bigint(v)
    }
    #[inline(always)]
    fn is_zero(&self, v: &u64) -> bool {
        *v == 0
    }
    #[inline(always)]
    fn add(&self, to: &mut u64, v: &u64) {
        *to = self.0.add(*to, *v);
    }
    fn times(&self, v: &u64, count: u64, weight: &u64) -> u64 {
        self.0.mul(self.times_word(v, count), *weight)
    }
    fn times_word(&self, v: &u64, count: u64) -> u64 {
        // Counts are mostly 0 and 1, and mostly below p.
        let count = if count < self.0.get() { count } else { self.0.reduce(count) };
        if count <= 1 { *v * count } else { self.0.mul(*v, count) }
    }
    fn to_integer(&self, v: &u64, _nonnegative: bool) -> BigInt {
        BigInt::from(*v)
    }
}

/// No values, only the presence of states.
pub(super) struct Presence;

impl Ring for Presence {
    type Value = ();
    const BYTES: usize = 0;
    const WORDS: bool = true;

    fn zero(&self) {}
    fn image(&self, _: &BigInt) {}
    fn is_zero(&self, (): &()) -> bool {
        false
    }
    fn add(&self, (): &mut (), (): &()) {}
    fn times(&self, (): &(), _: u64, (): &()) {}
    fn times_word(&self, (): &(), _: u64) {}
    fn to_integer(&self, (): &(), _: bool) -> BigInt {
        BigInt::ZERO
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn integer() -> impl Strategy<Value = BigInt> {
        (any::<i128>(), 0u32..127).prop_map(|(v, s)| BigInt::from(v >> s))
    }

    fn laws<R: Ring>(ring: &R, a: &BigInt, b: &BigInt, c: u64, modulus: &BigInt) -> Result<(), TestCaseError> {
        let same = |v: R::Value, exact: BigInt| (ring.to_integer(&v, false) - exact) % modulus == BigInt::ZERO;
        let (x, y) = (ring.image(a), ring.image(b));
        prop_assert!(same(ring.times(&x, c, &y), a * b * c));
        prop_assert!(same(ring.times_word(&x, c), a * c));
        let mut sum = x.clone();
        ring.add(&mut sum, &y);
        prop_assert_eq!(ring.is_zero(&sum), (a + b) % modulus == BigInt::ZERO);
        prop_assert!(same(sum, a + b));
        Ok(())
    }

    proptest! {
        #[test]
        fn images_of_integers(a in integer(), b in integer(), c in any::<u64>()) {
            let two = |bits: u32| BigInt::from(1) << bits;
            laws(&Words::<1>, &a, &b, c, &two(64))?;
            laws(&Words::<2>, &a, &b, c, &two(128))?;
            laws(&Words::<3>, &a, &b, c, &two(192))?;
            laws(&Words::<4>, &a, &b, c, &two(256))?;
            for p in [2u64, 3, 65521, 9223372036854775783] {
                laws(&Residues(Modulus::new(p).unwrap()), &a, &b, c, &p.into())?;
            }
            prop_assert_eq!(Integers.times(&a, c, &b), &a * &b * c);
            prop_assert_eq!(Words::<2>.to_integer(&Words::<2>.image(&a), false), a);
        }
    }

    #[test]
    fn residues_at_the_edge() {
        let edge = BigInt::from(1u64 << 63);
        let ring = Words::<1>;
        assert_eq!(ring.to_integer(&ring.image(&edge), true), edge);
        assert_eq!(ring.to_integer(&ring.image(&edge), false), -edge);
    }
}
