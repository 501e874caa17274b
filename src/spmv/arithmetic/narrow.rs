//! 32-bit sums of residues and products, for p so small that products leave room.

use super::{Arithmetic, Budget, canonical_32, nearest_32};
use crate::field::Modulus;
use std::marker::PhantomData;

/// 32-bit signed sums over 8- and 16-bit lanes L with values V. Limit of both: min(2³¹ - 1, 2²¹·p).
#[derive(Clone, Copy, Debug)]
pub(in crate::spmv) struct Narrow<L, V> {
    p: i32,
    inverse: f32,
    types: PhantomData<(L, V)>,
}

/// Up to here a 32-bit sum is exact and its quotient by p is found.
pub(super) fn limit(p: Modulus) -> u128 {
    (i32::MAX as u128).min((p.get() as u128) << 21)
}

macro_rules! narrow {
    ($lane:ty, $value:ty) => {
        impl Arithmetic for Narrow<$lane, $value> {
            type Lane = $lane;
            type Value = $value;
            type Sum = i32;
            type Acc = i32;
            type Scalar = i32;

            fn budget(p: Modulus) -> Option<Budget> {
                let fits = p.get() <= <$lane>::MAX as u64 + 1;
                fits.then(|| Budget::new(p, p.get() / 2, limit(p), limit(p))).flatten()
            }
            fn new(p: Modulus) -> Self {
                assert!(Self::budget(p).is_some(), "p = {p} is too large");
                Narrow { p: p.get() as i32, inverse: 1.0 / p.get() as f32, types: PhantomData }
            }
            #[inline(always)]
            fn value(self, residue: u64) -> $value {
                self.scalar(residue) as $value
            }
            #[inline(always)]
            fn scalar(self, residue: u64) -> i32 {
                super::balanced(residue, self.p as i64) as i32
            }
            #[inline(always)]
            fn minus_one(self) -> u64 {
                self.p as u64 - 1
            }
            #[inline(always)]
            fn zero(self) -> i32 {
                0
            }
            #[inline(always)]
            fn add(self, sum: i32, x: $lane) -> i32 {
                sum.wrapping_add(x as i32)
            }
            #[inline(always)]
            fn negate(self, sum: i32) -> i32 {
                sum.wrapping_neg()
            }
            #[inline(always)]
            fn fold_sum(self, sum: i32) -> i32 {
                nearest_32(sum, self.p, self.inverse)
            }
            #[inline(always)]
            fn finish_sum(self, sum: i32) -> $lane {
                canonical_32(nearest_32(sum, self.p, self.inverse), self.p) as $lane
            }
            #[inline(always)]
            fn scale_sum(self, sum: i32, d: i32) -> $lane {
                // The remainder is at most 7/8 p, the scalar p/2: 7/16 p² < 2³¹.
                self.finish_sum(self.fold_sum(sum).wrapping_mul(d))
            }
            #[inline(always)]
            fn widen(self, sum: i32) -> i32 {
                sum
            }
            #[inline(always)]
            fn multiply_add(self, acc: i32, v: $value, x: $lane) -> i32 {
                acc.wrapping_add((v as i32).wrapping_mul(x as i32))
            }
            #[inline(always)]
            fn fold(self, acc: i32) -> i32 {
                self.fold_sum(acc)
            }
            #[inline(always)]
            fn finish(self, acc: i32) -> $lane {
                self.finish_sum(acc)
            }
            #[inline(always)]
            fn scale(self, acc: i32, d: i32) -> $lane {
                self.scale_sum(acc, d)
            }
        }
    };
}
narrow!(u8, i8);
narrow!(u16, i16);
