//! The prime modulus p as a run-time value, 2 ≤ p < 2⁶³, with the arithmetic of plain residues 0 … p-1.

use crate::{Error, Result};
use num_bigint::BigInt;

/// A prime 2 ≤ p < 2⁶³ with what fast reduction needs. Cheap to copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Modulus {
    p: u64,
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
            let factor = (2..1000).find(|d| p % d == 0);
            let why = factor.map_or(String::new(), |d| format!(" (divisible by {d})"));
            return Err(Error::Modulus(format!("modulus {p} is composite{why}: a prime is needed")));
        }
        Ok(Modulus { p })
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
        self.reduce_u128(a as u128 * b as u128)
    }
    /// x mod p.
    #[inline(always)]
    pub fn reduce(self, x: u64) -> u64 {
        x % self.p
    }
    /// x mod p.
    #[inline(always)]
    pub fn reduce_u128(self, x: u128) -> u64 {
        (x % self.p as u128) as u64
    }
    /// x mod p, in 0 … p-1 also for negative x.
    pub fn reduce_i64(self, x: i64) -> u64 {
        x.rem_euclid(self.p as i64) as u64
    }
    /// x mod p, in 0 … p-1, for an integer of any size.
    pub fn reduce_bigint(self, x: &BigInt) -> u64 {
        let r = x % BigInt::from(self.p);
        let r = i64::try_from(&r).expect("|x mod p| < 2^63");
        self.reduce_i64(r)
    }
    /// aᵉ mod p.
    pub fn pow(self, a: u64, mut e: u64) -> u64 {
        let (mut base, mut acc) = (a % self.p, 1 % self.p);
        while e > 0 {
            if e & 1 == 1 {
                acc = self.mul(acc, base);
            }
            base = self.mul(base, base);
            e >>= 1;
        }
        acc
    }
    /// 1/a mod p. Panics if a = 0.
    pub fn inv(self, a: u64) -> u64 {
        assert!(a != 0, "inverse of 0 mod {}", self.p);
        let (mut r0, mut r1, mut t0, mut t1) = (self.p as i128, a as i128, 0i128, 1i128);
        while r1 != 0 {
            let q = r0 / r1;
            (r0, r1) = (r1, r0 - q * r1);
            (t0, t1) = (t1, t0 - q * t1);
        }
        t0.rem_euclid(self.p as i128) as u64
    }
    /// The balanced representative of the residue a: the one in -⌊(p-1)/2⌋ … ⌈(p-1)/2⌉ (source paper, section 2.2).
    #[inline(always)]
    pub fn balanced(self, a: u64) -> i64 {
        if a > self.p / 2 { a as i64 - self.p as i64 } else { a as i64 }
    }
}

impl std::fmt::Display for Modulus {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.p.fmt(f)
    }
}

/// Deterministic Miller–Rabin with the twelve prime bases that suffice below 2⁶⁴ (Sorenson and Webster, 2015).
fn is_prime(n: u64) -> bool {
    const BASES: [u64; 12] = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37];
    if BASES.contains(&n) {
        return true;
    }
    if n < 2 || BASES.iter().any(|b| n % b == 0) {
        return false;
    }
    let mul = |a: u64, b: u64| (a as u128 * b as u128 % n as u128) as u64;
    let (s, d) = ((n - 1).trailing_zeros(), (n - 1) >> (n - 1).trailing_zeros());
    BASES.iter().all(|&b| {
        let (mut x, mut base, mut e) = (1, b, d);
        while e > 0 {
            if e & 1 == 1 {
                x = mul(x, base);
            }
            base = mul(base, base);
            e >>= 1;
        }
        x == 1
            || x == n - 1
            || (1..s).any(|_| {
                x = mul(x, x);
                x == n - 1
            })
    })
}
