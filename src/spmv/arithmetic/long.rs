//! Residues of up to 63 bits: every sum stays canonical.

use super::{Arithmetic, Budget};
use crate::field::Modulus;
use crate::plain::plain;

/// 64-bit lanes for every p; products by Shoup's precomputed quotients. No limit.
#[derive(Clone, Copy, Debug)]
pub(in crate::spmv) struct Long {
    p: u64,
}

plain! {
    /// A residue w with ⌊2⁶⁴·w/p⌋.
    #[derive(Debug, Default)]
    pub(in crate::spmv) struct Shoup([u64; 2]): Zeroable
}

impl Long {
    /// w·x mod p for any x < 2⁶⁴: w·x - ⌊quotient·x/2⁶⁴⌋·p lies in [0, 2p).
    #[inline(always)]
    fn times(self, Shoup([w, quotient]): Shoup, x: u64) -> u64 {
        let q = ((quotient as u128 * x as u128) >> 64) as u64;
        let r = w.wrapping_mul(x).wrapping_sub(q.wrapping_mul(self.p));
        r.min(r.wrapping_sub(self.p))
    }
}

impl Arithmetic for Long {
    type Lane = u64;
    type Value = Shoup;
    type Sum = u64;
    type Acc = u64;
    type Scalar = Shoup;

    fn budget(p: Modulus) -> Option<Budget> {
        let folded = p.get() as u128;
        Some(Budget { folded, residue: 0, product: 0, sum_limit: folded, acc_limit: folded })
    }
    fn new(p: Modulus) -> Self {
        Long { p: p.get() }
    }
    #[inline(always)]
    fn value(self, residue: u64) -> Shoup {
        Shoup([residue, (((residue as u128) << 64) / self.p as u128) as u64])
    }
    #[inline(always)]
    fn scalar(self, residue: u64) -> Shoup {
        self.value(residue)
    }
    #[inline(always)]
    fn minus_one(self) -> u64 {
        self.p - 1
    }
    #[inline(always)]
    fn zero(self) -> u64 {
        0
    }
    #[inline(always)]
    fn add(self, sum: u64, x: u64) -> u64 {
        let s = sum.wrapping_add(x); // < 2p < 2⁶⁴
        s.min(s.wrapping_sub(self.p))
    }
    #[inline(always)]
    fn negate(self, sum: u64) -> u64 {
        if sum == 0 { 0 } else { self.p.wrapping_sub(sum) }
    }
    #[inline(always)]
    fn fold_sum(self, sum: u64) -> u64 {
        sum
    }
    #[inline(always)]
    fn finish_sum(self, sum: u64) -> u64 {
        sum
    }
    #[inline(always)]
    fn scale_sum(self, sum: u64, d: Shoup) -> u64 {
        self.times(d, sum)
    }
    #[inline(always)]
    fn widen(self, sum: u64) -> u64 {
        sum
    }
    #[inline(always)]
    fn multiply_add(self, acc: u64, v: Shoup, x: u64) -> u64 {
        self.add(acc, self.times(v, x))
    }
    #[inline(always)]
    fn fold(self, acc: u64) -> u64 {
        acc
    }
    #[inline(always)]
    fn finish(self, acc: u64) -> u64 {
        acc
    }
    #[inline(always)]
    fn scale(self, acc: u64, d: Shoup) -> u64 {
        self.times(d, acc)
    }
}
