//! Products of 32-bit words with their halves summed apart, for p near 2³².

use super::{Arithmetic, Budget, balanced, canonical, nearest};
use crate::field::Modulus;

/// 64-bit sums of the low and of the high halves of plain products, 2¹⁶ ≤ p < 2³². Limit: 2⁶² for each half, where a
/// product counts as 2³²; the quotients by p > 2¹⁶ stay below 2⁵⁰.
#[derive(Clone, Copy, Debug)]
pub(in crate::spmv) struct Split {
    p: i64,
    inverse: f64,
    /// 2³² mod p, balanced.
    high: i64,
}

impl Split {
    #[inline(always)]
    fn remainder(self, (low, high): (i64, i64)) -> i64 {
        let high = nearest(high, self.p, self.inverse).wrapping_mul(self.high);
        // |high| ≤ 7/8 p·p/2 and the low remainder < p: below 2⁶³ together.
        nearest(high.wrapping_add(nearest(low, self.p, self.inverse)), self.p, self.inverse)
    }
}

impl Arithmetic for Split {
    type Lane = u32;
    type Value = u32;
    type Sum = i64;
    type Acc = (i64, i64);
    type Scalar = i64;

    fn budget(p: Modulus) -> Option<Budget> {
        let fits = (1 << 16..1 << 32).contains(&p.get());
        fits.then(|| Budget { product: 1 << 32, ..Budget::new(p, 1, 1 << 62, 1 << 62).expect("2^62 is enough") })
    }
    fn new(p: Modulus) -> Self {
        assert!(Self::budget(p).is_some(), "p = {p} is not for split products");
        let m = p.get() as i64;
        Split { p: m, inverse: 1.0 / m as f64, high: balanced((1u64 << 32) % p.get(), m) }
    }
    #[inline(always)]
    fn value(self, residue: u64) -> u32 {
        residue as u32
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
    fn zero(self) -> i64 {
        0
    }
    #[inline(always)]
    fn add(self, sum: i64, x: u32) -> i64 {
        sum.wrapping_add(x as i64)
    }
    #[inline(always)]
    fn negate(self, sum: i64) -> i64 {
        sum.wrapping_neg()
    }
    #[inline(always)]
    fn fold_sum(self, sum: i64) -> i64 {
        nearest(sum, self.p, self.inverse)
    }
    #[inline(always)]
    fn finish_sum(self, sum: i64) -> u32 {
        canonical(nearest(sum, self.p, self.inverse), self.p) as u32
    }
    #[inline(always)]
    fn scale_sum(self, sum: i64, d: i64) -> u32 {
        self.finish_sum(nearest(sum, self.p, self.inverse).wrapping_mul(d))
    }
    #[inline(always)]
    fn widen(self, sum: i64) -> (i64, i64) {
        (sum, 0)
    }
    #[inline(always)]
    fn multiply_add(self, (low, high): (i64, i64), v: u32, x: u32) -> (i64, i64) {
        let product = (v as u64).wrapping_mul(x as u64);
        (low.wrapping_add((product & 0xffff_ffff) as i64), high.wrapping_add((product >> 32) as i64))
    }
    // Two sums for each lane: in registers, where they need not lie side by side.
    #[inline(always)]
    fn multiply_add_all<const W: usize>(self, acc: &mut [(i64, i64); W], v: u32, x: &[u32; W]) {
        for l in 0..W {
            acc[l] = self.multiply_add(acc[l], v, x[l]);
        }
    }
    #[inline(always)]
    fn multiply_add_four<const W: usize>(self, acc: &mut [(i64, i64); W], v: [u32; 4], x: [&[u32; W]; 4]) {
        for (v, x) in v.into_iter().zip(x) {
            self.multiply_add_all(acc, v, x);
        }
    }
    #[inline(always)]
    fn fold(self, acc: (i64, i64)) -> (i64, i64) {
        (self.remainder(acc), 0)
    }
    #[inline(always)]
    fn finish(self, acc: (i64, i64)) -> u32 {
        canonical(self.remainder(acc), self.p) as u32
    }
    #[inline(always)]
    fn scale(self, acc: (i64, i64), d: i64) -> u32 {
        self.finish_sum(self.remainder(acc).wrapping_mul(d))
    }
}
