//! 64-bit sums of products over 16- and 32-bit lanes.

use super::{Arithmetic, Budget, SHORT, balanced, canonical, canonical_32, nearest, nearest_32, nearest_short};
use crate::field::Modulus;
use std::marker::PhantomData;

/// 64-bit signed sums of products over lanes L with values V. 16-bit lanes: limit 2⁵¹ - 1, up to which every
/// instruction set turns several sums into floating-point numbers at once (with a row of more than 2²⁰ entries mod
/// 65521, other than ±1, all rows are folded for that); sums of residues are 32-bit, as in [`super::Narrow`]. 32-bit
/// lanes: limit min(2⁶³ - 1, 2⁵⁰·p), also for sums of residues.
#[derive(Clone, Copy, Debug)]
pub(in crate::spmv) struct Wide<L, V> {
    p: i64,
    inverse: f64,
    inverse_32: f32,
    types: PhantomData<(L, V)>,
}

fn limit(p: Modulus) -> u128 {
    (i64::MAX as u128).min((p.get() as u128) << 50)
}

/// What both lane widths share.
macro_rules! wide {
    (
        $lane:ty, $signed:ty, $sum:ty, $least:expr, $moduli:expr,
        $sum_limit:expr, $limit:expr, $nearest:expr, $fold_sum:expr, $finish_sum:expr
    ) => {
        impl Arithmetic for Wide<$lane, $signed> {
            type Lane = $lane;
            type Value = $signed;
            type Sum = $sum;
            type Acc = i64;
            type Scalar = i64;

            fn budget(p: Modulus) -> Option<Budget> {
                (p.get() <= $moduli).then(|| Budget::new(p, p.get() / 2, $sum_limit(p), $limit(p))).flatten()
            }
            fn new(p: Modulus) -> Self {
                assert!(Self::budget(p).is_some(), "p = {p} is too large");
                let inverse_32 = 1.0 / p.get() as f32;
                Wide { p: p.get() as i64, inverse: 1.0 / p.get() as f64, inverse_32, types: PhantomData }
            }
            #[inline(always)]
            fn value(self, residue: u64) -> $signed {
                balanced(residue, self.p) as $signed
            }
            #[inline(always)]
            fn scalar(self, residue: u64) -> i64 {
                balanced(residue, self.p)
            }
            #[inline(always)]
            fn minus_one(self) -> u64 {
                self.p as u64 - 1
            }
            #[inline(always)]
            fn zero(self) -> $sum {
                0
            }
            #[inline(always)]
            fn add(self, sum: $sum, x: $lane) -> $sum {
                sum.wrapping_add($least(x) as $sum)
            }
            #[inline(always)]
            fn negate(self, sum: $sum) -> $sum {
                sum.wrapping_neg()
            }
            #[inline(always)]
            fn fold_sum(self, sum: $sum) -> $sum {
                $fold_sum(self, sum)
            }
            #[inline(always)]
            fn finish_sum(self, sum: $sum) -> $lane {
                $finish_sum(self, sum)
            }
            #[inline(always)]
            fn scale_sum(self, sum: $sum, d: i64) -> $lane {
                self.scale(sum as i64, d)
            }
            #[inline(always)]
            fn widen(self, sum: $sum) -> i64 {
                sum as i64
            }
            #[inline(always)]
            fn multiply_add(self, acc: i64, v: $signed, x: $lane) -> i64 {
                acc.wrapping_add((v as i64).wrapping_mul($least(x) as i64))
            }
            #[inline(always)]
            fn fold(self, acc: i64) -> i64 {
                $nearest(acc, self.p, self.inverse)
            }
            #[inline(always)]
            fn finish(self, acc: i64) -> $lane {
                canonical($nearest(acc, self.p, self.inverse), self.p) as $lane
            }
            #[inline(always)]
            fn scale(self, acc: i64, d: i64) -> $lane {
                // At most 7/8 p · p/2: below 2⁶³, with 16-bit lanes below 2³¹.
                self.finish($nearest(acc, self.p, self.inverse).wrapping_mul(d))
            }
        }
    };
}
wide!(
    u16,
    i16,
    i32,
    i32::from,
    1 << 16,
    super::narrow::limit,
    |_| SHORT as u128,
    nearest_short,
    |a: Self, sum| nearest_32(sum, a.p as i32, a.inverse_32),
    |a: Self, sum| canonical_32(nearest_32(sum, a.p as i32, a.inverse_32), a.p as i32) as u16
);
// Residues below 2³¹ are signed words, so that products are of two signed 32-bit words: one instruction everywhere.
wide!(
    u32,
    i32,
    i64,
    |x: u32| x as i32,
    1 << 31,
    limit,
    limit,
    nearest,
    |a: Self, sum| nearest(sum, a.p, a.inverse),
    |a: Self, sum| canonical(nearest(sum, a.p, a.inverse), a.p) as u32
);
