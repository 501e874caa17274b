//! Entries of a matrix that is eliminated over ℤ: words, or integers of any size.

use crate::integers::{gcd, large_gcd};
use crate::report::State;
use crate::sparse::Integer;
use num_bigint::{BigInt, Sign};
use num_traits::{One, Signed, Zero};
use std::fmt::Debug;

/// An integer other than 0 in a sparse row, or one in arithmetic with them.
pub(super) trait Entry: State + Clone + Debug + PartialEq + Send + Sync {
    /// Entries stay below 2^`limit` for input below 2^`bits`.
    fn limit(bits: u32) -> u32;
    /// `None` where it does not fit.
    fn of(v: &Integer<'_>) -> Option<Self>;
    fn integer(&self) -> Integer<'static>;
    fn is_zero(&self) -> bool;
    fn is_unit(&self) -> bool;
    fn is_negative(&self) -> bool;
    /// The least b with |x| < 2ᵇ.
    fn bits(&self) -> u32;
    fn product(&self, other: &Self) -> Self;
    /// self - f·x; the caller knows that it fits.
    fn minus(&self, f: &Self, x: &Self) -> Self;
    /// -f·x.
    fn minus_product(f: &Self, x: &Self) -> Self;
    /// The non-negative greatest common divisor.
    fn gcd(&self, other: &Self) -> Self;
    /// The exact quotient.
    fn divided(&self, d: &Self) -> Self;
    /// A number that is the same for equal entries.
    fn hash(&self) -> u64;
}

impl Entry for i64 {
    fn limit(_: u32) -> u32 {
        63
    }
    fn of(v: &Integer<'_>) -> Option<Self> {
        // The least word has no negative.
        if let Integer::Small(v) = *v { Some(v).filter(|&v| v > i64::MIN) } else { None }
    }
    fn integer(&self) -> Integer<'static> {
        Integer::Small(*self)
    }
    #[inline(always)]
    fn is_zero(&self) -> bool {
        *self == 0
    }
    #[inline(always)]
    fn is_unit(&self) -> bool {
        *self == 1 || *self == -1
    }
    fn is_negative(&self) -> bool {
        *self < 0
    }
    #[inline(always)]
    fn bits(&self) -> u32 {
        64 - self.unsigned_abs().leading_zeros()
    }
    fn product(&self, other: &Self) -> Self {
        self * other
    }
    #[inline(always)]
    fn minus(&self, f: &Self, x: &Self) -> Self {
        self - f * x
    }
    #[inline(always)]
    fn minus_product(f: &Self, x: &Self) -> Self {
        -(f * x)
    }
    fn gcd(&self, other: &Self) -> Self {
        // Below 2⁶³, since no entry is the least word.
        gcd(self.unsigned_abs(), other.unsigned_abs()) as i64
    }
    fn divided(&self, d: &Self) -> Self {
        self / d
    }
    fn hash(&self) -> u64 {
        *self as u64
    }
}

impl Entry for BigInt {
    fn limit(bits: u32) -> u32 {
        bits.saturating_mul(2).saturating_add(64)
    }
    fn of(v: &Integer<'_>) -> Option<Self> {
        Some(v.to_bigint())
    }
    fn integer(&self) -> Integer<'static> {
        Integer::from(self.clone())
    }
    fn is_zero(&self) -> bool {
        Zero::is_zero(self)
    }
    fn is_unit(&self) -> bool {
        self.magnitude().is_one()
    }
    fn is_negative(&self) -> bool {
        self.sign() == Sign::Minus
    }
    fn bits(&self) -> u32 {
        u32::try_from(BigInt::bits(self)).unwrap_or(u32::MAX / 4)
    }
    fn product(&self, other: &Self) -> Self {
        self * other
    }
    fn minus(&self, f: &Self, x: &Self) -> Self {
        self - f * x
    }
    fn minus_product(f: &Self, x: &Self) -> Self {
        -(f * x)
    }
    fn gcd(&self, other: &Self) -> Self {
        large_gcd(self.magnitude().clone(), other.magnitude().clone()).into()
    }
    fn divided(&self, d: &Self) -> Self {
        self / d
    }
    fn hash(&self) -> u64 {
        let words = self.abs();
        let sign = u64::from(Signed::is_negative(self));
        words.iter_u64_digits().fold(sign, |hash, word| hash.rotate_left(7) ^ word)
    }
}
