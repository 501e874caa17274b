//! GF(2): a word holds a component of 32 vectors.

use super::{Arithmetic, Budget};
use crate::field::Modulus;

/// Words of 32 residues mod 2. A sum is an exclusive or: no limit, and nothing to reduce.
#[derive(Clone, Copy, Debug)]
pub(in crate::spmv) struct Packed;

impl Arithmetic for Packed {
    type Lane = u32;
    type Value = u32;
    type Sum = u32;
    type Acc = u32;
    type Scalar = u32;

    fn budget(p: Modulus) -> Option<Budget> {
        let two = Budget { folded: 2, residue: 0, product: 0, sum_limit: 2, acc_limit: 2 };
        (p.get() == 2).then_some(two)
    }
    fn new(p: Modulus) -> Self {
        assert_eq!(p.get(), 2, "residues of one bit");
        Packed
    }
    /// The same residue for all vectors.
    #[inline(always)]
    fn value(self, residue: u64) -> u32 {
        0u32.wrapping_sub(residue as u32)
    }
    #[inline(always)]
    fn scalar(self, residue: u64) -> u32 {
        self.value(residue)
    }
    #[inline(always)]
    fn minus_one(self) -> u64 {
        1
    }
    #[inline(always)]
    fn zero(self) -> u32 {
        0
    }
    #[inline(always)]
    fn add(self, sum: u32, x: u32) -> u32 {
        sum ^ x
    }
    #[inline(always)]
    fn negate(self, sum: u32) -> u32 {
        sum
    }
    #[inline(always)]
    fn fold_sum(self, sum: u32) -> u32 {
        sum
    }
    #[inline(always)]
    fn finish_sum(self, sum: u32) -> u32 {
        sum
    }
    #[inline(always)]
    fn scale_sum(self, sum: u32, d: u32) -> u32 {
        sum & d
    }
    #[inline(always)]
    fn widen(self, sum: u32) -> u32 {
        sum
    }
    #[inline(always)]
    fn multiply_add(self, acc: u32, v: u32, x: u32) -> u32 {
        acc ^ v & x
    }
    #[inline(always)]
    fn fold(self, acc: u32) -> u32 {
        acc
    }
    #[inline(always)]
    fn finish(self, acc: u32) -> u32 {
        acc
    }
    #[inline(always)]
    fn scale(self, acc: u32, d: u32) -> u32 {
        acc & d
    }
}
