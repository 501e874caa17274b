//! Euclid's algorithm on long integers by Lehmer's method: as many quotients as the leading words determine are taken
//! at once, and only then are the long numbers touched, in place.
//!
//! From r₀ > r₁ on, r₍ᵢ₊₁₎ = r₍ᵢ₋₁₎ - qᵢ·rᵢ, and with t₀ = 0, t₁ = 1, t₍ᵢ₊₁₎ = t₍ᵢ₋₁₎ + qᵢ·tᵢ: rᵢ ≡ ±tᵢ·r₁ mod r₀, the
//! sign alternating. A quotient is certain if it is the same for both ends of what the words behind the leading ones
//! leave open (D. H. Lehmer, *Euclid's algorithm for large numbers*, Amer. Math. Monthly 45, 1938; D. E. Knuth, *The
//! Art of Computer Programming* 2, 4.5.2, algorithm L). Those quotients stay below 2³²: a larger one is always seen
//! alone.

use num_bigint::BigUint;
use num_traits::ToPrimitive;
use std::mem;

/// Bits of the leading part: sums with cofactors, which stay below 2³², are words.
const LEADING: u64 = 62;

/// The remainders rᵢ, r₍ᵢ₊₁₎ and their cofactors, in words, the lowest first, the highest not 0.
#[derive(Clone, Debug)]
pub(crate) struct Euclid {
    r: [Vec<u64>; 2],
    t: [Vec<u64>; 2],
    /// Whether r₍ᵢ₊₁₎ ≡ -t₍ᵢ₊₁₎·r₁.
    pub negative: bool,
    /// Whether cofactors are wanted.
    with_cofactors: bool,
}

/// The words of a number.
fn words(x: &BigUint) -> Vec<u64> {
    x.iter_u64_digits().collect()
}
/// The number of some words.
fn number(words: &[u64]) -> BigUint {
    BigUint::new(words.iter().flat_map(|&w| [w as u32, (w >> 32) as u32]).collect())
}
fn bits(words: &[u64]) -> u64 {
    words.last().map_or(0, |top| 64 * words.len() as u64 - u64::from(top.leading_zeros()))
}
fn trim(words: &mut Vec<u64>) {
    while words.last() == Some(&0) {
        words.pop();
    }
}
/// ⌊x/2^shift⌋, which is a word.
fn lead(x: &[u64], shift: u64) -> i64 {
    let (word, bit) = ((shift / 64) as usize, shift % 64);
    let at = |k: usize| x.get(k).copied().unwrap_or(0);
    let high = if bit == 0 { 0 } else { at(word + 1) << (64 - bit) };
    (at(word) >> bit | high) as i64
}

impl Euclid {
    /// Begins with r₀ = `m` > r₁ = `x`.
    pub fn new(m: &BigUint, x: &BigUint, with_cofactors: bool) -> Self {
        Euclid { r: [words(m), words(x)], t: [vec![], vec![1]], negative: false, with_cofactors }
    }
    /// r₍ᵢ₊₁₎.
    pub fn remainder(&self) -> BigUint {
        number(&self.r[1])
    }
    /// t₍ᵢ₊₁₎.
    pub fn cofactor(&self) -> BigUint {
        number(&self.t[1])
    }
    /// (rᵢ, r₍ᵢ₊₁₎) and (tᵢ, t₍ᵢ₊₁₎).
    pub fn both(&self) -> [[BigUint; 2]; 2] {
        [&self.r, &self.t].map(|[x, y]| [number(x), number(y)])
    }
    /// The number of bits of r₍ᵢ₊₁₎.
    pub fn remainder_bits(&self) -> u64 {
        bits(&self.r[1])
    }
    /// The number of bits of t₍ᵢ₊₁₎.
    pub fn cofactor_bits(&self) -> u64 {
        bits(&self.t[1])
    }

    /// The next quotients, several at once, or one alone.
    ///
    /// # Panics
    /// If r₍ᵢ₊₁₎ = 0.
    pub fn step(&mut self) {
        if let Some((cofactors, odd)) = self.certain() {
            self.apply(cofactors);
            self.negative ^= odd;
        } else {
            self.one_quotient();
        }
    }

    /// The next quotient alone.
    ///
    /// # Panics
    /// If r₍ᵢ₊₁₎ = 0.
    pub fn one_quotient(&mut self) {
        let [r0, r1] = &mut self.r;
        let quotient = match (r0.as_slice(), r1.as_slice()) {
            (&[x], &[y]) => Some(x / y),
            _ => None,
        };
        let quotient = match quotient {
            Some(quotient) => {
                r0[0] -= quotient * r1[0];
                trim(r0);
                BigUint::from(quotient)
            }
            None => {
                let (x, y) = (number(r0), number(r1));
                let quotient = &x / &y;
                *r0 = words(&(x - &quotient * y));
                quotient
            }
        };
        mem::swap(r0, r1);
        if self.with_cofactors {
            let [t0, t1] = &mut self.t;
            match quotient.to_u64() {
                Some(quotient) => add_multiple(t0, t1, quotient),
                None => *t0 = words(&(number(t0) + quotient * number(t1))),
            }
            mem::swap(t0, t1);
        }
        self.negative = !self.negative;
    }

    /// log₂ of the next quotient, up to 1 too small.
    pub fn quotient_bits(&self) -> u64 {
        bits(&self.r[0]).saturating_sub(bits(&self.r[1]) + 1)
    }

    /// The cofactors (A, B, C, D) of the quotients that the leading words determine, and whether their number is odd;
    /// `None` if there is none.
    fn certain(&self) -> Option<([i64; 4], bool)> {
        let [r0, r1] = &self.r;
        let shift = bits(r0).saturating_sub(LEADING);
        let (mut x, mut y) = (lead(r0, shift), lead(r1, shift));
        let (mut a, mut b, mut c, mut d) = (1i64, 0i64, 0i64, 1i64);
        let mut odd = false;
        while y + c != 0 && y + d != 0 {
            let q = (x + a) / (y + c);
            // ⌊(x + b)/(y + d)⌋ = q, without a division; what is divided by is positive.
            let Some(product) = q.checked_mul(y + d) else { break };
            if !(0..y + d).contains(&(x + b - product)) {
                break;
            }
            let next = |a: i64, c| a.checked_sub(q.checked_mul(c)?).filter(|v| v.unsigned_abs() >> 32 == 0);
            let (Some(next_c), Some(next_d)) = (next(a, c), next(b, d)) else { break };
            // q·y ≤ x + a - q·c, which is a word.
            (a, b, c, d) = (c, d, next_c, next_d);
            (x, y) = (y, x - q * y);
            odd = !odd;
        }
        (b != 0).then_some(([a, b, c, d], odd))
    }

    /// (r₀, r₁) ← (A·r₀ + B·r₁, C·r₀ + D·r₁), which are not negative, as A and B, C and D have opposite signs; and the
    /// same of t, whose signs alternate, in absolute value.
    fn apply(&mut self, by: [i64; 4]) {
        let [x, y] = &mut self.r;
        y.resize(x.len(), 0);
        let [a, b, c, d] = by.map(i128::from);
        // |A·x + B·y + carry| < 2⁹⁸.
        let mut carry = [0i128; 2];
        for (x, y) in x.iter_mut().zip(&mut *y) {
            let (u, v) = (i128::from(*x), i128::from(*y));
            carry = [carry[0] + a * u + b * v, carry[1] + c * u + d * v];
            (*x, *y) = (carry[0] as u64, carry[1] as u64);
            carry = carry.map(|carry| carry >> 64);
        }
        trim(x);
        trim(y);
        if self.with_cofactors {
            let [x, y] = &mut self.t;
            let length = x.len().max(y.len());
            x.resize(length, 0);
            y.resize(length, 0);
            let [a, b, c, d] = by.map(|v| u128::from(v.unsigned_abs()));
            let mut carry = [0u128; 2];
            for (x, y) in x.iter_mut().zip(&mut *y) {
                let (u, v) = (u128::from(*x), u128::from(*y));
                carry = [carry[0] + a * u + b * v, carry[1] + c * u + d * v];
                (*x, *y) = (carry[0] as u64, carry[1] as u64);
                carry = carry.map(|carry| carry >> 64);
            }
            for (words, carry) in [x, y].into_iter().zip(carry) {
                words.push(carry as u64);
                trim(words);
            }
        }
    }

    /// Whether nothing is left.
    pub fn is_done(&self) -> bool {
        self.r[1].is_empty()
    }
}

/// x ← x + q·y.
fn add_multiple(x: &mut Vec<u64>, y: &[u64], q: u64) {
    let length = x.len().max(y.len()) + 1;
    x.resize(length, 0);
    let mut carry = 0u128;
    for (k, x) in x.iter_mut().enumerate() {
        carry += u128::from(*x) + u128::from(q) * u128::from(y.get(k).copied().unwrap_or(0));
        *x = carry as u64;
        carry >>= 64;
    }
    trim(x);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::Rng;
    use num_bigint::BigInt;
    use num_traits::Zero;
    use rand::{RngExt, SeedableRng};

    /// Every remainder is one of the textbook's, with its cofactor.
    #[test]
    fn remainders_are_those_of_the_textbook() {
        let mut rng = Rng::seed_from_u64(5);
        for words in [0usize, 1, 2, 3, 5, 20] {
            for kind in 0..20 {
                let mut number = |bytes: usize| {
                    let bytes: Vec<u8> = (0..bytes).map(|_| rng.random_range(0..=255)).collect();
                    BigUint::from_bytes_le(&bytes)
                };
                let m = number(8 * words + 1) + 2u32;
                // Random, a neighbour, a small one, one with a large quotient in the middle.
                let x = match kind % 4 {
                    0 => number(8 * words + 1) % &m,
                    1 => &m - 1u32,
                    2 => number(1) % &m,
                    _ => (number(3 * words) << (32 * words)) % &m,
                };
                let (mut r, mut t, mut seen) = ([m.clone(), x.clone()], [BigUint::ZERO, 1u32.into()], vec![]);
                let mut negative = false;
                loop {
                    seen.push((r[1].clone(), t[1].clone(), negative));
                    if r[1].is_zero() {
                        break;
                    }
                    let q = &r[0] / &r[1];
                    r = [r[1].clone(), &r[0] - &q * &r[1]];
                    t = [t[1].clone(), &t[0] + q * &t[1]];
                    negative = !negative;
                }
                let mut euclid = Euclid::new(&m, &x, true);
                while !euclid.is_done() {
                    let alone = euclid.quotient_bits() >= 32;
                    let before = euclid.cofactor();
                    euclid.step();
                    let state = (euclid.remainder(), euclid.cofactor(), euclid.negative);
                    assert!(seen.contains(&state), "{m} {x}");
                    assert!(!alone || euclid.both()[1][0] == before, "a large quotient is taken alone");
                    let signed = BigInt::from(euclid.cofactor()) * if euclid.negative { -1 } else { 1 };
                    let rest: BigInt =
                        (signed * BigInt::from(x.clone()) - BigInt::from(euclid.remainder())) % BigInt::from(m.clone());
                    assert!(rest.is_zero());
                }
            }
        }
    }
}
