//! Euclid's algorithm on long integers by Lehmer's method: as many quotients as the leading words determine are taken
//! at once, and only then are the long numbers touched.
//!
//! From r₀ > r₁ on, r₍ᵢ₊₁₎ = r₍ᵢ₋₁₎ - qᵢ·rᵢ, and with t₀ = 0, t₁ = 1, t₍ᵢ₊₁₎ = t₍ᵢ₋₁₎ + qᵢ·tᵢ: rᵢ ≡ ±tᵢ·r₁ mod r₀, the
//! sign alternating. A quotient is certain if it is the same for both ends of what the words behind the leading ones
//! leave open (D. H. Lehmer, *Euclid's algorithm for large numbers*, Amer. Math. Monthly 45, 1938; D. E. Knuth, *The
//! Art of Computer Programming* 2, 4.5.2, algorithm L). Those quotients stay below 2³²: a larger one is always seen
//! alone.

use num_bigint::BigUint;
use num_traits::{ToPrimitive, Zero};
use std::mem;

/// Bits of the leading part: sums with cofactors, which stay below 2³², are words.
const LEADING: u64 = 62;

/// The remainders rᵢ, r₍ᵢ₊₁₎ and their cofactors.
#[derive(Clone, Debug)]
pub(crate) struct Euclid {
    pub r: [BigUint; 2],
    pub t: [BigUint; 2],
    /// Whether r₍ᵢ₊₁₎ ≡ -t₍ᵢ₊₁₎·r₁.
    pub negative: bool,
    /// Whether cofactors are wanted.
    with_cofactors: bool,
}

impl Euclid {
    /// Begins with r₀ = `m` > r₁ = `x`.
    pub fn new(m: BigUint, x: BigUint, with_cofactors: bool) -> Self {
        Euclid { r: [m, x], t: [BigUint::ZERO, BigUint::from(1u32)], negative: false, with_cofactors }
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
        let quotient = self.quotient();
        let [r0, r1] = &mut self.r;
        let next = &*r0 - &quotient * &*r1;
        *r0 = mem::replace(r1, next);
        if self.with_cofactors {
            let [t0, t1] = &mut self.t;
            let next = &*t0 + quotient * &*t1;
            *t0 = mem::replace(t1, next);
        }
        self.negative = !self.negative;
    }

    /// The quotient rᵢ/r₍ᵢ₊₁₎.
    fn quotient(&self) -> BigUint {
        &self.r[0] / &self.r[1]
    }

    /// log₂ of the next quotient, up to 1 too small.
    pub fn quotient_bits(&self) -> u64 {
        self.r[0].bits().saturating_sub(self.r[1].bits() + 1)
    }

    /// The cofactors (A, B, C, D) of the quotients that the leading words determine, in absolute value, and whether
    /// their number is odd; `None` if there is none.
    fn certain(&self) -> Option<([u64; 4], bool)> {
        let [r0, r1] = &self.r;
        let shift = r0.bits().saturating_sub(LEADING);
        let lead = |r: &BigUint| (r >> shift).to_i64().expect("fewer than 63 bits");
        let (mut x, mut y) = (lead(r0), lead(r1));
        let (mut a, mut b, mut c, mut d) = (1i64, 0i64, 0i64, 1i64);
        let mut odd = false;
        while y + c != 0 && y + d != 0 {
            let q = (x + a) / (y + c);
            if q != (x + b) / (y + d) {
                break;
            }
            let next = |a: i64, c| a.checked_sub(q.checked_mul(c)?).filter(|v| v.unsigned_abs() >> 32 == 0);
            let (Some(next_c), Some(next_d)) = (next(a, c), next(b, d)) else { break };
            // q·y ≤ x + a - q·c, which is a word.
            (a, b, c, d) = (c, d, next_c, next_d);
            (x, y) = (y, x - q * y);
            odd = !odd;
        }
        (b != 0).then(|| ([a, b, c, d].map(i64::unsigned_abs), odd))
    }

    /// (r₀, r₁) ← |(A·r₀ + B·r₁, C·r₀ + D·r₁)|, where A and B, C and D have opposite signs, and the same of t, whose
    /// signs alternate.
    fn apply(&mut self, [a, b, c, d]: [u64; 4]) {
        let [r0, r1] = &self.r;
        let difference = |x: BigUint, y: BigUint| if x >= y { x - y } else { y - x };
        self.r = [difference(r0 * a, r1 * b), difference(r0 * c, r1 * d)];
        if self.with_cofactors {
            let [t0, t1] = &self.t;
            self.t = [t0 * a + t1 * b, t0 * c + t1 * d];
        }
    }

    /// Whether nothing is left.
    pub fn is_done(&self) -> bool {
        self.r[1].is_zero()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::Rng;
    use num_bigint::BigInt;
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
                let mut euclid = Euclid::new(m.clone(), x.clone(), true);
                while !euclid.is_done() {
                    let alone = euclid.quotient_bits() >= 32;
                    let before = euclid.t[1].clone();
                    euclid.step();
                    let state = (euclid.r[1].clone(), euclid.t[1].clone(), euclid.negative);
                    assert!(seen.contains(&state), "{m} {x}");
                    assert!(!alone || euclid.t[0] == before, "a large quotient is taken alone");
                    let signed = BigInt::from(euclid.t[1].clone()) * if euclid.negative { -1 } else { 1 };
                    let rest: BigInt = (signed * BigInt::from(x.clone()) - BigInt::from(euclid.r[1].clone()))
                        % BigInt::from(m.clone());
                    assert!(rest.is_zero());
                }
            }
        }
    }
}
