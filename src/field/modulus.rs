//! The prime modulus p as a run-time value, 2 ≤ p < 2⁶³, with the arithmetic of plain residues 0 … p-1.
//!
//! No reduction divides. One word is reduced by the quotient estimate ⌊x·⌊2⁶⁴/p⌋/2⁶⁴⌋, at most one too small; two words
//! by the division by an invariant normalised divisor of Möller and Granlund ("Improved division by invariant
//! integers", IEEE Transactions on Computers 60, 2011, algorithm 4); a product by a fixed factor b by the precomputed
//! quotient ⌊b·2⁶⁴/p⌋ ([`Multiplier`]).

use super::primality::is_prime;
use crate::{Error, Result};
use num_bigint::{BigInt, Sign};

/// A prime 2 ≤ p < 2⁶³ with the precomputed values for fast reduction. Cheap to copy.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Modulus {
    p: u64,
    /// ⌊2⁶⁴/p⌋.
    inverse: u64,
    /// ⌊(2¹²⁸ - 1)/d⌋ - 2⁶⁴ for the normalised divisor d = p·2^shift ≥ 2⁶³.
    reciprocal: u64,
    /// The number of leading zeros of p: 1 … 62.
    shift: u32,
}

/// A residue b with the quotient ⌊b·2⁶⁴/p⌋, for many products a·b by the same b: see [`Modulus::multiplier`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Multiplier {
    value: u64,
    quotient: u64,
}

impl Multiplier {
    /// The residue b.
    pub fn value(self) -> u64 {
        self.value
    }
}

/// The high word of a · b.
#[inline(always)]
fn mul_high(a: u64, b: u64) -> u64 {
    ((a as u128 * b as u128) >> 64) as u64
}

impl Modulus {
    /// The exclusive upper bound of every modulus: 2⁶³.
    pub const LIMIT: u64 = 1 << 63;

    /// The modulus p, after a proof of its primality.
    ///
    /// # Errors
    /// [`Error::Modulus`] when p < 2, p ≥ 2⁶³ or p is composite (the message names a factor where a small one exists).
    pub fn new(p: u64) -> Result<Self> {
        if !(2..Self::LIMIT).contains(&p) {
            return Err(Error::Modulus(format!("modulus {p} is out of range: a prime 2 <= p < 2^63 is needed")));
        }
        if !is_prime(p) {
            let factor = (2..1000).find(|d| p.is_multiple_of(*d));
            let why = factor.map_or(String::new(), |d| format!(" (divisible by {d})"));
            return Err(Error::Modulus(format!("modulus {p} is composite{why}: a prime is needed")));
        }
        Ok(Self::trusted(p))
    }

    /// The modulus p, which the caller knows to be a prime below 2⁶³.
    pub(super) fn trusted(p: u64) -> Self {
        debug_assert!(is_prime(p) && p < Self::LIMIT);
        let shift = p.leading_zeros();
        let reciprocal = (u128::MAX / (p << shift) as u128) as u64; // the subtraction of 2⁶⁴ drops the high word, which is 1
        Modulus { p, inverse: ((1u128 << 64) / p as u128) as u64, reciprocal, shift }
    }

    /// p itself.
    #[inline(always)]
    pub fn get(self) -> u64 {
        self.p
    }
    /// The number of bits of p - 1, the largest residue.
    pub fn bits(self) -> u32 {
        64 - (self.p - 1).leading_zeros()
    }
    /// (a + b) mod p for residues a, b.
    #[inline(always)]
    pub fn add(self, a: u64, b: u64) -> u64 {
        let s = a + b;
        if s >= self.p { s - self.p } else { s }
    }
    /// (a - b) mod p for residues a, b.
    #[inline(always)]
    pub fn sub(self, a: u64, b: u64) -> u64 {
        if a >= b { a - b } else { a + self.p - b }
    }
    /// -a mod p for a residue a.
    #[inline(always)]
    pub fn neg(self, a: u64) -> u64 {
        if a == 0 { 0 } else { self.p - a }
    }
    /// a · b mod p for residues a, b.
    #[inline(always)]
    pub fn mul(self, a: u64, b: u64) -> u64 {
        // (a·2^shift)·b < d·p: the high word is below d, as `reduce_normalised` demands.
        let product = (a << self.shift) as u128 * b as u128;
        self.reduce_normalised((product >> 64) as u64, product as u64)
    }
    /// x mod p.
    #[inline(always)]
    pub fn reduce(self, x: u64) -> u64 {
        // x/p - 1 < x·inverse/2⁶⁴ ≤ x/p, so that the quotient is at most one too small and r < 2p.
        let r = x - mul_high(x, self.inverse) * self.p;
        if r >= self.p { r - self.p } else { r }
    }
    /// x mod p.
    #[inline(always)]
    pub fn reduce_u128(self, x: u128) -> u64 {
        let (high, low) = (self.reduce((x >> 64) as u64), x as u64);
        self.reduce_normalised(high << self.shift | low >> (64 - self.shift), low << self.shift)
    }
    /// sum + c·v for residues c and v, less a multiple of p·2⁶⁴: the upper word of the sum is below p before and after.
    #[inline(always)]
    pub(crate) fn add_product(self, sum: u128, c: u64, v: u64) -> u128 {
        // Below p·2⁶⁴ + p² < 2¹²⁸, of which p² is below p in the upper word.
        let total = sum + u128::from(c) * u128::from(v);
        let high = (total >> 64) as u64;
        u128::from(high.min(high.wrapping_sub(self.p))) << 64 | u128::from(total as u64)
    }
    /// (high·2⁶⁴ + low)/2^shift mod p, where high < d = p·2^shift and low is a multiple of 2^shift.
    #[inline(always)]
    fn reduce_normalised(self, high: u64, low: u64) -> u64 {
        let d = self.p << self.shift;
        // No overflow: reciprocal + 2⁶⁴ ≤ (2¹²⁸ - 1)/d and high ≤ d - 1.
        let quotient = self.reciprocal as u128 * high as u128 + ((high as u128) << 64 | low as u128);
        let mut r = low.wrapping_sub(((quotient >> 64) as u64).wrapping_add(1).wrapping_mul(d));
        if r > quotient as u64 {
            r = r.wrapping_add(d);
        }
        if r >= d {
            r -= d;
        }
        r >> self.shift
    }
    /// x mod p, in 0 … p-1 also for negative x.
    #[inline(always)]
    pub fn reduce_i64(self, x: i64) -> u64 {
        let r = self.reduce(x.unsigned_abs());
        if x < 0 { self.neg(r) } else { r }
    }
    /// x mod p, in 0 … p-1, for an integer of any size.
    pub fn reduce_bigint(self, x: &BigInt) -> u64 {
        let word = |r: u64, word: u64| self.reduce_u128(u128::from(r) << 64 | u128::from(word));
        let r = x.iter_u64_digits().rev().fold(0, word);
        if x.sign() == Sign::Minus { self.neg(r) } else { r }
    }
    /// The residue b prepared for many products: one division here, none in [`Modulus::mul_by`].
    pub fn multiplier(self, b: u64) -> Multiplier {
        assert!(b < self.p, "{b} is not a residue mod {}", self.p);
        let quotient = match b {
            1 => self.inverse,
            // (p-1)·2⁶⁴/p = 2⁶⁴ - 2⁶⁴/p, of which p > 2 divides neither.
            _ if b == self.p - 1 && b > 1 => u64::MAX - self.inverse,
            _ => self.word_quotient(b),
        };
        Multiplier { value: b, quotient }
    }
    /// ⌊b·2⁶⁴/p⌋ for b < p.
    #[inline(always)]
    fn word_quotient(self, b: u64) -> u64 {
        // As in `reduce_normalised`, whose quotient this is.
        let (d, high) = (self.p << self.shift, b << self.shift);
        let quotient = self.reciprocal as u128 * high as u128 + ((high as u128) << 64);
        let mut top = ((quotient >> 64) as u64).wrapping_add(1);
        let mut r = 0u64.wrapping_sub(top.wrapping_mul(d));
        if r > quotient as u64 {
            top = top.wrapping_sub(1);
            r = r.wrapping_add(d);
        }
        if r >= d { top + 1 } else { top }
    }
    /// a · b mod p for any word a.
    #[inline(always)]
    pub fn mul_by(self, a: u64, b: Multiplier) -> u64 {
        // a·b/p - 1 < a·quotient/2⁶⁴ ≤ a·b/p, so that the quotient is at most one too small and r < 2p < 2⁶⁴.
        let r = a.wrapping_mul(b.value).wrapping_sub(mul_high(a, b.quotient).wrapping_mul(self.p));
        if r >= self.p { r - self.p } else { r }
    }
    /// aᵉ mod p; 0⁰ = 1.
    pub fn pow(self, a: u64, mut e: u64) -> u64 {
        let (mut base, mut acc) = (self.reduce(a), 1);
        while e > 0 {
            if e & 1 == 1 {
                acc = self.mul(acc, base);
            }
            base = self.mul(base, base);
            e >>= 1;
        }
        acc
    }
    /// 1/a mod p for a residue a. Panics if a = 0.
    pub fn inv(self, a: u64) -> u64 {
        assert!(a != 0, "inverse of 0 mod {}", self.p);
        if a == 1 || a == self.p - 1 {
            return a;
        }
        // Extended Euclid. The cofactors stay within ±p (reached in the last step), inside an i64.
        let (mut r0, mut r1, mut t0, mut t1) = (self.p, a, 0i64, 1i64);
        while r1 != 0 {
            let q = r0 / r1;
            (r0, r1) = (r1, r0 - q * r1);
            (t0, t1) = (t1, t0 - q as i64 * t1);
        }
        if t0 < 0 { (t0 + self.p as i64) as u64 } else { t0 as u64 }
    }
    /// The inverses of all values that are not 0, in their place: a few products each, instead of Euclid's algorithm.
    pub fn invert_all(self, values: &mut [u64]) {
        // Products of all before (P. L. Montgomery, Math. Comp. 48, 1987); ±1 is its own inverse.
        let is_plain = |v: u64| v <= 1 || v == self.p - 1;
        let mut product = 1;
        let mut before = Vec::with_capacity(values.len());
        for &v in &*values {
            before.push(product);
            if !is_plain(v) {
                product = self.mul(product, v);
            }
        }
        let mut inverse = self.inv(product);
        for (v, before) in values.iter_mut().zip(before).rev().filter(|(v, _)| !is_plain(**v)) {
            (*v, inverse) = (self.mul(inverse, before), self.mul(inverse, *v));
        }
    }
    /// The balanced representative of the residue a: the one in -⌊(p-1)/2⌋ … ⌈(p-1)/2⌉ (source paper, section 2.2).
    #[inline(always)]
    pub fn balanced(self, a: u64) -> i64 {
        if a > self.p / 2 { a as i64 - self.p as i64 } else { a as i64 }
    }
}

impl std::fmt::Debug for Modulus {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Modulus({})", self.p)
    }
}

impl std::fmt::Display for Modulus {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.p.fmt(f)
    }
}

/// As the number p.
#[cfg(feature = "serde")]
impl serde::Serialize for Modulus {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        serializer.serialize_u64(self.p)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::Rng;
    use rand::{RngExt, SeedableRng};

    /// 2 and 3, word edges, and the largest prime below 2⁶³.
    const PRIMES: [u64; 10] =
        [2, 3, 5, 251, 65521, 4_294_967_291, 4_294_967_311, (1 << 31) - 1, (1 << 61) - 1, (1 << 63) - 25];

    #[test]
    fn reductions_agree_with_the_remainder_operator() {
        let mut rng = Rng::seed_from_u64(1);
        for p in PRIMES {
            let m = Modulus::new(p).unwrap();
            let near = |x: u64| [x.wrapping_sub(1), x, x.wrapping_add(1)];
            let mut words: Vec<u64> =
                [0, p, p / 2, u64::MAX / p * p, 1 << 32, 1 << 63, u64::MAX].into_iter().flat_map(near).collect();
            words.extend((0..300).map(|i| rng.random::<u64>() >> (i % 64)));
            for &x in &words {
                assert_eq!(m.reduce(x), x % p, "{x} mod {p}");
                let signed = (x as i64 as i128).rem_euclid(p as i128) as u64;
                assert_eq!(m.reduce_i64(x as i64), signed, "{} mod {p}", x as i64);
                assert_eq!(m.reduce_bigint(&BigInt::from(x as i64)), signed);
                for &y in words.iter().step_by(7) {
                    let wide = (x as u128) << 64 | y as u128;
                    assert_eq!(m.reduce_u128(wide), (wide % p as u128) as u64, "{wide} mod {p}");
                    let (a, b) = (x % p, y % p);
                    let product = (a as u128 * b as u128 % p as u128) as u64;
                    assert_eq!(m.mul(a, b), product, "{a} * {b} mod {p}");
                    assert_eq!(m.mul_by(x, m.multiplier(b)), (x as u128 * b as u128 % p as u128) as u64);
                    let mut inverses = [b, 0, 1, x % p, p - 1, b];
                    m.invert_all(&mut inverses);
                    assert_eq!(inverses, [b, 0, 1, x % p, p - 1, b].map(|v| if v == 0 { 0 } else { m.inv(v) }));
                    assert_eq!(m.multiplier(b).quotient, (((b as u128) << 64) / p as u128) as u64);
                    assert_eq!(m.add(a, b), ((a as u128 + b as u128) % p as u128) as u64);
                    assert_eq!(m.add(m.sub(a, b), b), a);
                }
            }
            assert_eq!(m.mul(p - 1, p - 1), 1);
            assert_eq!(m.reduce_u128(u128::MAX), (u128::MAX % p as u128) as u64);
        }
    }

    #[test]
    fn inverses_powers_and_balanced_residues() {
        let mut rng = Rng::seed_from_u64(2);
        for p in PRIMES {
            let m = Modulus::new(p).unwrap();
            for a in [1, p - 1, p / 2, p / 2 + 1].into_iter().chain((0..100).map(|_| rng.random_range(0..p))) {
                assert_eq!(m.reduce_i64(m.balanced(a % p)), a % p);
                assert!(m.balanced(a % p).unsigned_abs() <= p / 2);
                if a % p != 0 {
                    assert_eq!(m.mul(a % p, m.inv(a % p)), 1 % p);
                    assert_eq!(m.pow(a, p - 1), 1);
                    assert_eq!(m.pow(a, p - 2), m.inv(a % p));
                }
            }
            assert_eq!(m.pow(0, 0), 1);
            assert_eq!(m.pow(0, 5), 0);
        }
    }

    #[test]
    #[should_panic(expected = "inverse of 0")]
    fn zero_has_no_inverse() {
        Modulus::new(7).unwrap().inv(0);
    }

    #[test]
    fn composite_and_out_of_range_moduli_are_refused() {
        let message = |p| Modulus::new(p).unwrap_err().to_string();
        assert!(message(0).contains("out of range"));
        assert!(message(1).contains("out of range"));
        assert!(message(1 << 63).contains("out of range"));
        assert!(message(u64::MAX).contains("out of range"));
        assert!(message(65520).contains("divisible by 2"));
        assert_eq!(message(1_000_003 * 1_000_033), "modulus 1000036000099 is composite: a prime is needed");
    }
}
