//! Products of 32-bit words with their halves summed apart, for p near 2³².

use super::{Arithmetic, Budget, balanced, canonical};
use crate::field::{Modulus, float, rounded};

/// 2³².
const WORD: f64 = 4_294_967_296.0;
/// The largest sum of residues or of halves, in size: [`float`] is exact up to it.
const LIMIT: u128 = (1 << 51) - 1;

/// 64-bit sums of the low and of the high halves of plain products, 2¹⁶ ≤ p < 2³². Limit: 2⁵¹ - 1 for each half, where
/// a product counts as 2³².
///
/// No number that is reduced is turned from 64 bits into floating point, for which few processors have an instruction
/// that takes several: what it is about is known from its parts, to a relative error of 2⁻⁵². Quotients are below 2⁵¹/p
/// for a half, 2³² + 2⁵¹/p for both and p/2 for a multiple, at most 2³⁶: remainders are at most p·(1/2 + 2⁻¹⁵) in size.
#[derive(Clone, Copy, Debug)]
pub(in crate::spmv) struct Split {
    p: i64,
    inverse: f64,
}

impl Split {
    /// x - round(x/p)·p for an x mod 2⁶⁴ that is about `near`.
    #[inline(always)]
    fn reduce(self, x: i64, near: f64) -> i64 {
        x.wrapping_sub(rounded(near * self.inverse).wrapping_mul(self.p))
    }
    #[inline(always)]
    fn remainder(self, (low, high): (i64, i64)) -> i64 {
        let high = self.reduce(high, float(high));
        self.reduce((high << 32).wrapping_add(low), float(high) * WORD + float(low))
    }
    /// d·r for remainders.
    #[inline(always)]
    fn multiple(self, d: i64, r: i64) -> i64 {
        self.reduce(d.wrapping_mul(r), float(d) * float(r))
    }
}

/// acc + Σ v·x, L lanes at a time, as sums of whole products mod 2⁶⁴ and of high halves, of which those of low halves
/// are made in the end: so compilers find the vectors in it (by 2 lanes with pairs of sums, or none at all for AVX2).
#[inline(always)]
fn add_apart<'x, const L: usize, const W: usize>(
    acc: &mut [(i64, i64); W],
    terms: impl Iterator<Item = (u32, &'x [u32; W])> + Clone,
) {
    for (number, acc) in acc.as_chunks_mut::<L>().0.iter_mut().enumerate() {
        let (mut all, mut high) = ([0u64; L], [0u64; L]);
        for (v, x) in terms.clone() {
            let x: &[u32; L] = &x.as_chunks().0[number];
            for l in 0..L {
                let product = (v as u64).wrapping_mul(x[l] as u64);
                all[l] = all[l].wrapping_add(product);
                high[l] = high[l].wrapping_add(product >> 32);
            }
        }
        for l in 0..L {
            let low = all[l].wrapping_sub(high[l] << 32);
            acc[l] = (acc[l].0.wrapping_add(low as i64), acc[l].1.wrapping_add(high[l] as i64));
        }
    }
}

impl Arithmetic for Split {
    type Lane = u32;
    type Value = u32;
    type Sum = i64;
    type Acc = (i64, i64);
    type Scalar = i64;
    const PAIRS: bool = true;

    fn budget(p: Modulus) -> Option<Budget> {
        let fits = (1 << 16..1 << 32).contains(&p.get());
        fits.then(|| Budget { product: 1 << 32, ..Budget::new(p, 1, LIMIT, LIMIT).expect("2^51 is enough") })
    }
    fn new(p: Modulus) -> Self {
        assert!(Self::budget(p).is_some(), "p = {p} is not for split products");
        Split { p: p.get() as i64, inverse: 1.0 / p.get() as f64 }
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
        self.reduce(sum, float(sum))
    }
    #[inline(always)]
    fn finish_sum(self, sum: i64) -> u32 {
        canonical(self.fold_sum(sum), self.p) as u32
    }
    #[inline(always)]
    fn scale_sum(self, sum: i64, d: i64) -> u32 {
        canonical(self.multiple(d, self.fold_sum(sum)), self.p) as u32
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
    #[inline(always)]
    fn add_products<'x, const W: usize>(
        self,
        acc: &mut [(i64, i64); W],
        terms: impl Iterator<Item = (u32, &'x [u32; W])> + Clone,
    ) {
        match W % 16 {
            0 => add_apart::<16, W>(acc, terms),
            8 => add_apart::<8, W>(acc, terms),
            _ => add_apart::<1, W>(acc, terms),
        }
    }
    // In registers, where the sums of a lane need not lie side by side.
    #[inline(always)]
    fn multiply_add_all<const W: usize>(self, acc: &mut [(i64, i64); W], v: u32, x: &[u32; W]) {
        for l in 0..W {
            acc[l] = self.multiply_add(acc[l], v, x[l]);
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
        canonical(self.multiple(d, self.remainder(acc)), self.p) as u32
    }
}
