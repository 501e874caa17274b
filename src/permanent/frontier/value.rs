//! What is summed: integers modulo 2⁶⁴ᴷ, as K wrapping machine words, or integers of any size.
//!
//! The programme only adds and multiplies, so everything may be done modulo M = 2⁶⁴ᴷ; the permanent is then the residue in
//! [-M/2, M/2), or in [0, M) where no entry is negative, as soon as a bound of its absolute value says that it lies there.
//! Partial sums may wrap as they like.

use num_bigint::{BigInt, Sign};

/// A commutative ring with the integers' image.
pub(super) trait Value: Clone + Send + Sync {
    /// Bytes that one value takes (at least).
    const BYTES: usize;
    /// Whether it is a few machine words, so that a product is cheaper than a branch that goes wrong.
    const WORDS: bool;
    fn zero() -> Self;
    fn from_integer(v: &BigInt) -> Self;
    fn is_zero(&self) -> bool;
    fn add(&mut self, other: &Self);
    /// The product with a word and a weight.
    fn times(&self, count: u64, weight: &Self) -> Self;
    /// The product with a word.
    fn times_word(&self, count: u64) -> Self;
    /// The integer that this is the image of: the least nonnegative, or the least in absolute value.
    fn to_integer(&self, nonnegative: bool) -> BigInt;
}

/// An integer modulo 2⁶⁴ᴷ, lowest word first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Wrapping<const K: usize>(pub [u64; K]);

impl<const K: usize> Value for Wrapping<K> {
    const BYTES: usize = 8 * K;
    const WORDS: bool = true;

    fn zero() -> Self {
        Wrapping([0; K])
    }
    fn from_integer(v: &BigInt) -> Self {
        let (sign, digits) = v.to_u64_digits();
        let mut words = [0; K];
        words.iter_mut().zip(digits).for_each(|(w, d)| *w = d);
        if sign == Sign::Minus {
            let mut carry = true;
            for w in &mut words {
                (*w, carry) = (!*w).overflowing_add(u64::from(carry));
            }
        }
        Wrapping(words)
    }
    #[inline(always)]
    fn is_zero(&self) -> bool {
        self.0.iter().all(|&w| w == 0)
    }
    #[inline(always)]
    fn add(&mut self, other: &Self) {
        let mut carry = false;
        for k in 0..K {
            let (s, c1) = self.0[k].overflowing_add(other.0[k]);
            let (s, c2) = s.overflowing_add(u64::from(carry));
            self.0[k] = s;
            carry = c1 | c2;
        }
    }
    #[inline(always)]
    fn times(&self, count: u64, weight: &Self) -> Self {
        let mut product = [0u64; K];
        for i in 0..K {
            let mut carry = 0u128;
            for j in 0..K - i {
                let t = u128::from(self.0[i]) * u128::from(weight.0[j]) + u128::from(product[i + j]) + carry;
                product[i + j] = t as u64;
                carry = t >> 64;
            }
        }
        Wrapping(product).times_word(count)
    }
    #[inline(always)]
    fn times_word(&self, count: u64) -> Self {
        let mut carry = 0u128;
        Wrapping(self.0.map(|w| {
            let t = u128::from(w) * u128::from(count) + carry;
            carry = t >> 64;
            t as u64
        }))
    }
    fn to_integer(&self, nonnegative: bool) -> BigInt {
        let digits: Vec<u32> = self.0.iter().flat_map(|&w| [w as u32, (w >> 32) as u32]).collect();
        let v = BigInt::from_slice(Sign::Plus, &digits);
        let negative = !nonnegative && self.0[K - 1] >> 63 == 1;
        if negative { v - (BigInt::from(1) << (64 * K)) } else { v }
    }
}

impl Value for BigInt {
    const BYTES: usize = size_of::<BigInt>() + 8;
    const WORDS: bool = false;

    fn zero() -> Self {
        BigInt::ZERO
    }
    fn from_integer(v: &BigInt) -> Self {
        v.clone()
    }
    fn is_zero(&self) -> bool {
        self.sign() == Sign::NoSign
    }
    fn add(&mut self, other: &Self) {
        *self += other;
    }
    fn times(&self, count: u64, weight: &Self) -> Self {
        self * weight * count
    }
    fn times_word(&self, count: u64) -> Self {
        self * count
    }
    fn to_integer(&self, _nonnegative: bool) -> BigInt {
        self.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn integer() -> impl Strategy<Value = BigInt> {
        (any::<i128>(), 0u32..127).prop_map(|(v, s)| BigInt::from(v >> s))
    }

    fn ring<V: super::Value>(a: &BigInt, b: &BigInt, c: u64, bits: u64) -> Result<(), TestCaseError> {
        let modulus = BigInt::from(1) << bits;
        let same = |v: V, exact: BigInt| (v.to_integer(false) - exact) % &modulus == BigInt::ZERO;
        let (x, y) = (V::from_integer(a), V::from_integer(b));
        prop_assert!(same(x.times(c, &y), a * b * c));
        prop_assert!(same(x.times_word(c), a * c));
        let mut sum = x.clone();
        sum.add(&y);
        prop_assert_eq!(sum.is_zero(), (a + b) % &modulus == BigInt::ZERO);
        prop_assert!(same(sum, a + b));
        Ok(())
    }

    proptest! {
        #[test]
        fn images_of_integers(a in integer(), b in integer(), c in any::<u64>()) {
            ring::<Wrapping<1>>(&a, &b, c, 64)?;
            ring::<Wrapping<2>>(&a, &b, c, 128)?;
            ring::<Wrapping<3>>(&a, &b, c, 192)?;
            ring::<Wrapping<4>>(&a, &b, c, 256)?;
            prop_assert_eq!(BigInt::from_integer(&a).times(c, &b), &a * &b * c);
            prop_assert_eq!(Wrapping::<2>::from_integer(&a).to_integer(false), a);
        }
    }

    #[test]
    fn residues_at_the_edge() {
        let edge = BigInt::from(1u64 << 63);
        assert_eq!(Wrapping::<1>::from_integer(&edge).to_integer(true), edge);
        assert_eq!(Wrapping::<1>::from_integer(&edge).to_integer(false), -edge);
    }
}
