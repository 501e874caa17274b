//! Chinese remainders of many numbers modulo the same primes, in words.
//!
//! With M = Π pᵢ, x = Σ cᵢ·(M/pᵢ) - q·M, where cᵢ = xᵢ·(M/pᵢ)⁻¹ mod pᵢ, for some integer q; the nearest one to Σ cᵢ/pᵢ
//! gives the x of least absolute value (J. von zur Gathen, J. Gerhard, *Modern Computer Algebra*, 5.4, and D. J.
//! Bernstein, 2004, for q in floating point). What does not depend on x is prepared once, so that a number of k words
//! takes k² products of words.

use crate::field::{Modulus, Multiplier};
use crate::{Result, memory};
use num_bigint::{BigInt, BigUint, Sign};

/// What the memory is for.
const COFACTORS: &str = "the cofactors of Chinese remainders";

/// Some primes, ready to combine residues.
#[derive(Debug)]
pub(crate) struct Together {
    primes: Vec<Modulus>,
    product: BigInt,
    /// The words of M.
    words: Vec<u64>,
    /// Those of M/pᵢ, for one prime after the other as many as M has.
    cofactors: Vec<u64>,
    /// (M/pᵢ)⁻¹ mod pᵢ.
    inverses: Vec<u64>,
    reciprocals: Vec<f64>,
}

/// What residues are multiplied by, to combine those of a multiple of the number.
#[derive(Debug, Default)]
pub(crate) struct Scale(Vec<Multiplier>);

/// An integer in two's complement, the lowest words first.
#[derive(Debug, Default)]
pub(crate) struct Words(Vec<u64>);

impl Words {
    /// The number of bits of x ≥ 0, and of -1 - x for x < 0; at least 1.
    pub fn bits(&self) -> u64 {
        let sign = if self.is_negative() { u64::MAX } else { 0 };
        let top = self.0.iter().rposition(|&word| word != sign);
        top.map_or(1, |at| 64 * at as u64 + 64 - u64::from((self.0[at] ^ sign).leading_zeros()))
    }
    fn is_negative(&self) -> bool {
        self.0.last().is_some_and(|&top| top >> 63 == 1)
    }
    pub fn to_bigint(&self) -> BigInt {
        let negative = self.is_negative();
        let mut carry = negative;
        let mut halves = Vec::with_capacity(2 * self.0.len());
        for &word in &self.0 {
            let word = match negative {
                true => {
                    let (word, over) = (!word).overflowing_add(u64::from(carry));
                    carry = over;
                    word
                }
                false => word,
            };
            halves.extend([word as u32, (word >> 32) as u32]);
        }
        BigInt::from_biguint(if negative { Sign::Minus } else { Sign::Plus }, BigUint::new(halves))
    }
}

impl Together {
    /// The primes, all different.
    ///
    /// # Errors
    /// [`crate::Error::Memory`].
    pub fn new(primes: impl Iterator<Item = Modulus>) -> Result<Self> {
        let primes = memory::collect(primes, COFACTORS)?;
        let product = primes.iter().fold(BigUint::from(1u32), |product, p| product * p.get());
        let words: Vec<u64> = product.iter_u64_digits().collect();
        let mut cofactors = memory::with_capacity(primes.len() * words.len(), COFACTORS)?;
        let mut inverses = memory::with_capacity(primes.len(), COFACTORS)?;
        for p in &primes {
            let cofactor = &product / p.get();
            let residue =
                cofactor.iter_u64_digits().rev().fold(0, |r, w| p.reduce_u128(u128::from(r) << 64 | u128::from(w)));
            inverses.push(p.inv(residue));
            cofactors.extend(cofactor.iter_u64_digits());
            cofactors.resize(cofactors.len().next_multiple_of(words.len()), 0);
        }
        let reciprocals = memory::collect(primes.iter().map(|p| 1.0 / p.get() as f64), COFACTORS)?;
        Ok(Together { primes, product: product.into(), words, cofactors, inverses, reciprocals })
    }
    /// M.
    pub fn product(&self) -> &BigInt {
        &self.product
    }
    /// What combines residues xᵢ to d·x.
    pub fn scale(&self, d: &BigInt) -> Scale {
        let of = |(p, &inverse): (&Modulus, &u64)| p.multiplier(p.mul(inverse, p.reduce_bigint(d)));
        Scale(self.primes.iter().zip(&self.inverses).map(of).collect())
    }
    /// The integer ≡ d·xᵢ mod pᵢ for all i, xᵢ being `residue(i)`, of least absolute value; it may be larger than M/2
    /// by a rounding error, as one part in 2⁴⁰.
    pub fn combine(&self, scale: &Scale, residue: impl Fn(usize) -> u64, to: &mut Words) {
        let n = self.words.len();
        let sums = &mut to.0;
        sums.clear();
        sums.resize(n + 1, 0);
        let mut quotient = 0.5;
        let parts = self.primes.iter().zip(&scale.0).zip(&self.reciprocals).zip(self.cofactors.chunks_exact(n.max(1)));
        for (k, (((p, &by), &reciprocal), cofactor)) in parts.enumerate() {
            let c = p.mul_by(residue(k), by);
            quotient += c as f64 * reciprocal;
            let mut carry = 0u128;
            for (sum, &word) in sums.iter_mut().zip(cofactor) {
                carry += u128::from(*sum) + u128::from(c) * u128::from(word);
                *sum = carry as u64;
                carry >>= 64;
            }
            // The sum is below k·M.
            sums[n] += carry as u64;
        }
        let quotient = quotient as u64;
        let (mut carry, mut borrow) = (0u128, false);
        for (sum, &word) in sums.iter_mut().zip(self.words.iter().chain(&[0])) {
            carry += u128::from(quotient) * u128::from(word);
            let (less, first) = sum.overflowing_sub(carry as u64);
            let (less, second) = less.overflowing_sub(u64::from(borrow));
            (*sum, borrow) = (less, first | second);
            carry >>= 64;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::{Rng, random_prime};
    use crate::integers::least;
    use num_traits::Zero;
    use rand::{RngExt, SeedableRng};

    /// Integers up to the edge come back, multiplied by what was asked for.
    #[test]
    fn residues_are_combined_to_the_multiple() {
        let mut rng = Rng::seed_from_u64(11);
        for (count, bits) in [(1, 3), (1, 62), (2, 5), (2, 63), (3, 17), (9, 62), (40, 62), (33, 31)] {
            let mut primes: Vec<Modulus> = vec![];
            while primes.len() < count {
                let p = random_prime(bits, &mut rng);
                if !primes.contains(&p) {
                    primes.push(p);
                }
            }
            let together = Together::new(primes.iter().copied()).unwrap();
            let m = together.product().clone();
            assert_eq!(m, primes.iter().fold(BigInt::from(1), |m, p| m * p.get()));
            let (mut words, half) = (Words::default(), &m >> 1u32);
            let mut numbers = vec![BigInt::zero(), 1.into(), (-1).into(), &half - 1, 1 - &half];
            numbers.extend((0..20).map(|k| (&half * rng.random_range(-1000i64..=1000) / 1001) >> (k * m.bits() / 20)));
            for x in numbers {
                for d in [BigInt::from(1), 3.into(), &half / 7 + 1] {
                    let scale = together.scale(&d);
                    together.combine(&scale, |i| primes[i].reduce_bigint(&x), &mut words);
                    let (found, expected) = (words.to_bigint(), least(&x * &d, &m));
                    let edge = expected.bits() + 1 >= m.bits();
                    assert!(found == expected || edge && ((&found - &expected) % &m).is_zero(), "{found} {expected}");
                    assert!(words.bits() <= found.bits().max(1) && found.bits() <= words.bits() + 1, "{found}");
                }
            }
        }
        let none = Together::new(std::iter::empty()).unwrap();
        let mut words = Words::default();
        none.combine(&none.scale(&1.into()), |_| unreachable!("no primes"), &mut words);
        assert!(words.to_bigint().is_zero());
    }
}
