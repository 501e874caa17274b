//! Sums in floating point, exact as long as they are integers within the mantissa. Nothing chooses them where integers
//! are as fast: [`Lane::narrowest`](crate::spmv::Lane::narrowest) has the figures.

use super::{Arithmetic, Budget, MAGIC_32};
use crate::field::{Modulus, ROUND};

macro_rules! float {
    ($(#[$doc:meta])* $name:ident, $t:ty, $mantissa:literal, $magic:expr) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub(in crate::spmv) struct $name {
            p: $t,
            inverse: $t,
        }

        impl $name {
            #[inline(always)]
            fn nearest(self, sum: $t) -> $t {
                let quotient = (sum * self.inverse + $magic) - $magic;
                sum - quotient * self.p
            }
        }

        impl Arithmetic for $name {
            type Lane = $t;
            type Value = $t;
            type Sum = $t;
            type Acc = $t;
            type Scalar = $t;

            fn budget(p: Modulus) -> Option<Budget> {
                let m = p.get() as u128;
                // The multiple of p next to the sum must be exact, too.
                let limit = (1u128 << $mantissa).saturating_sub(m).min(m << ($mantissa - 3));
                Budget::new(p, p.get() / 2, limit, limit)
            }
            fn new(p: Modulus) -> Self {
                assert!(Self::budget(p).is_some(), "p = {p} is too large for products in this float");
                $name { p: p.get() as $t, inverse: 1.0 / p.get() as $t }
            }
            #[inline(always)]
            fn value(self, residue: u64) -> $t {
                let r = residue as $t;
                if r + r > self.p { r - self.p } else { r }
            }
            #[inline(always)]
            fn scalar(self, residue: u64) -> $t {
                self.value(residue)
            }
            #[inline(always)]
            fn minus_one(self) -> u64 {
                self.p as u64 - 1
            }
            #[inline(always)]
            fn zero(self) -> $t {
                0.0
            }
            #[inline(always)]
            fn add(self, sum: $t, x: $t) -> $t {
                sum + x
            }
            #[inline(always)]
            fn negate(self, sum: $t) -> $t {
                -sum
            }
            #[inline(always)]
            fn fold_sum(self, sum: $t) -> $t {
                self.nearest(sum)
            }
            #[inline(always)]
            fn finish_sum(self, sum: $t) -> $t {
                let r = self.nearest(sum);
                // + 0.0 makes -0.0 plain.
                if r < 0.0 { r + self.p } else { r + 0.0 }
            }
            #[inline(always)]
            fn scale_sum(self, sum: $t, d: $t) -> $t {
                self.finish_sum(self.nearest(sum) * d)
            }
            #[inline(always)]
            fn widen(self, sum: $t) -> $t {
                sum
            }
            #[inline(always)]
            fn multiply_add(self, acc: $t, v: $t, x: $t) -> $t {
                acc + v * x
            }
            #[inline(always)]
            fn fold(self, acc: $t) -> $t {
                self.nearest(acc)
            }
            #[inline(always)]
            fn finish(self, acc: $t) -> $t {
                self.finish_sum(acc)
            }
            #[inline(always)]
            fn scale(self, acc: $t, d: $t) -> $t {
                self.scale_sum(acc, d)
            }
        }
    };
}
float! {
    /// Sums in f32, for p up to some thousands. Limit: min(2²⁴ - p, 2²¹·p).
    Float32, f32, 24, MAGIC_32
}
float! {
    /// Sums in f64, for p up to 2²⁶ or so. Limit: min(2⁵³ - p, 2⁵⁰·p).
    Float64, f64, 53, ROUND
}
