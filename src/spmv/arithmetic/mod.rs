//! Accumulation with delayed reduction: how residues are stored, added up and brought back (source paper, section 2.2).
//!
//! An [`Arithmetic`] fixes a storage type of residues (the lane), a type of matrix values and two types of sums: a
//! narrow one for residues, the work of ±1 entries, and one for products. A row adds up its ±1 entries first and widens
//! that sum before it adds its products. [`Budget`] says how many terms both take. Values are balanced, |v| ≤ p/2,
//! where sums are signed.
//!
//! Reduction is by the nearest multiple of p, found in floating point: with |sum|/p ≤ Q and three roundings of relative
//! error u = 2⁻²⁴ (2⁻⁵³) the quotient is off by at most 1/2 + 3uQ, which is 7/8 for Q = 2²¹ (2⁵⁰), so that the
//! remainder lies strictly between -p and p.

mod float;
mod long;
mod narrow;
mod packed;
mod split;
#[cfg(test)]
mod tests;
mod wide;

pub(super) use float::{Float32, Float64};
pub(super) use long::Long;
pub(super) use narrow::Narrow;
pub(super) use packed::Packed;
pub(super) use split::Split;
pub(super) use wide::Wide;

use crate::field::{Modulus, float, rounded};
use std::fmt::Debug;

/// Sums of residues and of products mod p. All methods work on one lane and are `#[inline(always)]`: loops over lanes
/// become vector instructions.
pub(super) trait Arithmetic: Copy + Send + Sync + Debug {
    /// A stored residue 0 … p-1.
    type Lane: bytemuck::Pod + Default + Send + Sync + Debug + PartialEq;
    /// A matrix value, prepared.
    type Value: bytemuck::Zeroable + Copy + Default + Send + Sync + Debug;
    /// A sum of residues.
    type Sum: Copy + Send + Sync;
    /// A sum of residues and products.
    type Acc: Copy + Send + Sync;
    /// What a row is scaled by, prepared.
    type Scalar: Copy + Send + Sync;
    /// Whether a sum of products is two, for which there are registers with few lanes only.
    const PAIRS: bool = false;

    /// How much the sums hold; `None` if this arithmetic cannot work mod p.
    fn budget(p: Modulus) -> Option<Budget>;
    /// The arithmetic for p. Panics if there is no budget.
    fn new(p: Modulus) -> Self;

    fn value(self, residue: u64) -> Self::Value;
    fn scalar(self, residue: u64) -> Self::Scalar;
    /// The residue p - 1.
    fn minus_one(self) -> u64;
    fn zero(self) -> Self::Sum;
    fn add(self, sum: Self::Sum, x: Self::Lane) -> Self::Sum;
    fn negate(self, sum: Self::Sum) -> Self::Sum;
    /// The same residue, of absolute value below p.
    fn fold_sum(self, sum: Self::Sum) -> Self::Sum;
    /// The canonical residue of the sum.
    fn finish_sum(self, sum: Self::Sum) -> Self::Lane;
    /// The canonical residue of d times the sum.
    fn scale_sum(self, sum: Self::Sum, d: Self::Scalar) -> Self::Lane;
    fn widen(self, sum: Self::Sum) -> Self::Acc;
    fn multiply_add(self, acc: Self::Acc, v: Self::Value, x: Self::Lane) -> Self::Acc;
    /// acc + Σ v·x, lane by lane, with the sums in registers.
    #[inline(always)]
    fn add_products<'x, const W: usize>(
        self,
        acc: &mut [Self::Acc; W],
        terms: impl Iterator<Item = (Self::Value, &'x [Self::Lane; W])> + Clone,
    ) where
        Self::Lane: 'x,
    {
        for (v, x) in terms {
            for l in 0..W {
                acc[l] = self.multiply_add(acc[l], v, x[l]);
            }
        }
    }
    /// acc + v·x, lane by lane.
    #[inline(always)]
    fn multiply_add_all<const W: usize>(self, acc: &mut [Self::Acc; W], v: Self::Value, x: &[Self::Lane; W]) {
        if W <= FEW {
            for l in 0..W {
                acc[l] = self.multiply_add(acc[l], v, x[l]);
            }
            return;
        }
        let lanes = unknown(W);
        for (acc, &x) in acc[..lanes].iter_mut().zip(&x[..lanes]) {
            *acc = self.multiply_add(*acc, v, x);
        }
    }
    /// acc + Σ v·x, lane by lane: the sums are read and written once for four terms.
    #[inline(always)]
    fn multiply_add_four<const W: usize>(
        self,
        acc: &mut [Self::Acc; W],
        v: [Self::Value; 4],
        x: [&[Self::Lane; W]; 4],
    ) {
        let lanes = unknown(W);
        let (acc, [x0, x1, x2, x3]) = (&mut acc[..lanes], x.map(|x| &x[..lanes]));
        for l in 0..lanes {
            let two = self.multiply_add(self.multiply_add(acc[l], v[0], x0[l]), v[1], x1[l]);
            acc[l] = self.multiply_add(self.multiply_add(two, v[2], x2[l]), v[3], x3[l]);
        }
    }
    /// The same residue, of absolute value below p.
    fn fold(self, acc: Self::Acc) -> Self::Acc;
    /// The canonical residue of the sum.
    fn finish(self, acc: Self::Acc) -> Self::Lane;
    /// The canonical residue of d times the sum.
    fn scale(self, acc: Self::Acc, d: Self::Scalar) -> Self::Lane;
}

/// So many sums are kept in registers.
const FEW: usize = 16;

/// A number of lanes that the compiler does not see. A loop of a known number of iterations is unrolled before vector
/// instructions are looked for, and among 32 sums in 32 variables they may not be found: products were scalar, and took
/// several times as long.
#[inline(always)]
pub(super) fn unknown(lanes: usize) -> usize {
    std::hint::black_box(lanes)
}

/// How many terms a sum takes before it must be folded. Unlike the room of an accumulator
/// ([`DelayBudget`](crate::field::DelayBudget)) it knows what a fold leaves, and the limits up to which a reduction by
/// floating point is exact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Budget {
    /// What a fold leaves: p.
    folded: u128,
    /// The largest residue; 0 where every addition reduces.
    residue: u128,
    /// The largest product of a value and a residue; 0 where every product is reduced.
    product: u128,
    /// Up to here in absolute value a sum of residues is exact and can be reduced.
    sum_limit: u128,
    /// Up to here a sum of products is, which starts from a sum of residues.
    acc_limit: u128,
}

impl Budget {
    /// Plain residues of p, values of absolute value up to `value`. `None` unless a folded sum takes one product, also
    /// on top of one residue.
    fn new(p: Modulus, value: u64, sum_limit: u128, acc_limit: u128) -> Option<Self> {
        let residue = (p.get() - 1) as u128;
        let b = Budget { folded: p.get() as u128, residue, product: residue * value as u128, sum_limit, acc_limit };
        (b.sums() >= 1 && b.products() >= 1).then_some(b)
    }
    /// The largest T with p + T·(largest residue) ≤ limit.
    pub fn sums(&self) -> u64 {
        terms(self.sum_limit.saturating_sub(self.folded), self.residue)
    }
    /// The largest T with p + T·(largest product) ≤ limit.
    pub fn products(&self) -> u64 {
        terms(self.acc_limit.saturating_sub(self.folded), self.product)
    }
    /// Whether `signs` residues and `products` products need no fold at all: signs·(largest residue) ≤ limit of sums
    /// and signs·(largest residue) + products·(largest product) ≤ limit of products.
    pub fn holds(&self, signs: u64, products: u64) -> bool {
        let sum = signs as u128 * self.residue;
        sum <= self.sum_limit && (products == 0 || sum + products as u128 * self.product <= self.acc_limit)
    }
}

fn terms(room: u128, term: u128) -> u64 {
    room.checked_div(term).map_or(u64::MAX, |t| t.min(u64::MAX as u128) as u64)
}

/// 1.5·2²³: adding it rounds a float of magnitude below 2²² to an integer held in the low bits.
const MAGIC_32: f32 = 12582912.0;
/// The largest sum for [`nearest_short`], in size: [`float`] is exact up to it.
const SHORT: i64 = (1 << 51) - 1;

/// sum - round(sum/p)·p for |sum| ≤ 2⁵⁰·p.
#[inline(always)]
fn nearest(sum: i64, p: i64, inverse: f64) -> i64 {
    sum.wrapping_sub(rounded(sum as f64 * inverse).wrapping_mul(p))
}
/// The same for |sum| ≤ [`SHORT`]. Without AVX-512, x86-64 processors have no instruction that makes floating-point
/// numbers of several 64-bit integers.
#[inline(always)]
fn nearest_short(sum: i64, p: i64, inverse: f64) -> i64 {
    sum.wrapping_sub(rounded(float(sum) * inverse).wrapping_mul(p))
}
/// The same for |sum| ≤ 2²¹·p.
#[inline(always)]
fn nearest_32(sum: i32, p: i32, inverse: f32) -> i32 {
    let quotient = (sum as f32 * inverse + MAGIC_32).to_bits().wrapping_sub(MAGIC_32.to_bits()) as i32;
    sum.wrapping_sub(quotient.wrapping_mul(p))
}
/// The canonical residue of -p < r < p.
#[inline(always)]
fn canonical(r: i64, p: i64) -> i64 {
    r.wrapping_add(p & (r >> 63))
}
#[inline(always)]
fn canonical_32(r: i32, p: i32) -> i32 {
    r.wrapping_add(p & (r >> 31))
}
#[inline(always)]
fn balanced(residue: u64, p: i64) -> i64 {
    let r = residue as i64;
    if r > p / 2 { r - p } else { r }
}
