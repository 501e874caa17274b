//! Products of digit polynomials by convolution with delayed reduction.
//!
//! The 2k-1 coefficients of a product are sums of at most k products of residues. Reduction mod f = tᵏ + r then folds
//! coefficient h ≥ k, once it is a residue, into those from h-k on: at most min(|r|, k-1) more products each, |r| being
//! the number of coefficients of r. A sum of n products of elements is therefore exact without any reduction as long as
//! **n·k + min(|r|, k-1) + 1 ≤ products**, the accumulator's budget ([`DelayBudget::products`]); the final 1 accounts
//! for the residue left by an earlier reduction. In `u128` n = 1 always holds: p < 2⁶³ leaves 4 products, and k = 2
//! there.

use super::layout::{Layout, Packed};
use crate::field::{Accumulator, DelayBudget, Modulus};

/// Coefficients of a product: 2·42 - 1 for p = 3, and 2·4 - 1 where p needs 128-bit sums (p > 2²⁹).
const NARROW: usize = 84;
const MIDDLE: usize = 16;
const WIDE: usize = 8;

#[derive(Clone, Debug)]
pub(super) struct Schoolbook {
    layout: Layout,
    /// The non-zero coefficients of -r with their degrees.
    tail: Vec<(usize, u64)>,
    /// Sums are 64 bits wide (else 128).
    narrow: bool,
    /// Products of elements that are summed without a reduction.
    delay: usize,
}

/// An accumulator of products of residues.
trait Accumulate: Copy + Default {
    fn add_product(&mut self, a: u64, b: u64);
    fn reduce(self, modulus: Modulus) -> u64;
    fn from_residue(a: u64) -> Self;
}

impl Accumulate for u64 {
    #[inline(always)]
    fn add_product(&mut self, a: u64, b: u64) {
        *self += a * b;
    }
    #[inline(always)]
    fn reduce(self, modulus: Modulus) -> u64 {
        modulus.reduce(self)
    }
    #[inline(always)]
    fn from_residue(a: u64) -> Self {
        a
    }
}

impl Accumulate for u128 {
    #[inline(always)]
    fn add_product(&mut self, a: u64, b: u64) {
        *self += a as u128 * b as u128;
    }
    #[inline(always)]
    fn reduce(self, modulus: Modulus) -> u64 {
        modulus.reduce_u128(self)
    }
    #[inline(always)]
    fn from_residue(a: u64) -> Self {
        a as u128
    }
}

impl Schoolbook {
    pub(super) fn new(layout: Layout, tail: &[u64]) -> Self {
        let (m, k) = (layout.modulus, layout.degree);
        let tail: Vec<(usize, u64)> =
            tail.iter().enumerate().filter(|(_, r)| **r != 0).map(|(j, &r)| (j, m.neg(r))).collect();
        let delay = |accumulator| {
            let folding = tail.len().min(k - 1) + 1;
            DelayBudget::plain(m, accumulator).products().saturating_sub(folding) / k
        };
        let narrow = delay(Accumulator::U64) >= 1;
        let delay = if narrow { delay(Accumulator::U64) } else { delay(Accumulator::U128) };
        assert!(delay >= 1 && (narrow || 2 * k <= WIDE) && 2 * k <= NARROW, "GF({m}^{k}) is wider than max_degree");
        Schoolbook { layout, tail, narrow, delay }
    }
    pub(super) fn mul(&self, a: Packed, b: Packed) -> Packed {
        self.dot(&[a], &[b])
    }
    pub(super) fn dot(&self, a: &[Packed], b: &[Packed]) -> Packed {
        match (self.narrow, 2 * self.layout.degree <= MIDDLE) {
            (true, true) => self.dot_in::<u64, MIDDLE>(a, b),
            (true, false) => self.dot_in::<u64, NARROW>(a, b),
            (false, _) => self.dot_in::<u128, WIDE>(a, b),
        }
    }
    #[inline(always)]
    fn dot_in<W: Accumulate, const N: usize>(&self, a: &[Packed], b: &[Packed]) -> Packed {
        let (m, k) = (self.layout.modulus, self.layout.degree);
        let (mut sum, mut digits) = ([W::default(); N], [0u64; N]);
        for (turn, (a, b)) in a.chunks(self.delay).zip(b.chunks(self.delay)).enumerate() {
            if turn > 0 {
                sum[..2 * k - 1].iter_mut().for_each(|c| *c = W::from_residue(c.reduce(m)));
            }
            for (&a, &b) in a.iter().zip(b) {
                digits[..k].iter_mut().enumerate().for_each(|(j, d)| *d = self.layout.digit(b, j));
                for i in 0..k {
                    let x = self.layout.digit(a, i);
                    sum[i..i + k].iter_mut().zip(&digits[..k]).for_each(|(c, &y)| c.add_product(x, y));
                }
            }
        }
        for h in (k..2 * k - 1).rev() {
            let c = sum[h].reduce(m);
            for &(j, r) in &self.tail {
                sum[h - k + j].add_product(c, r);
            }
        }
        self.layout.pack(sum[..k].iter().map(|c| c.reduce(m)))
    }
}
