//! Products in small extension fields by logarithms: a·b = g^(log a + log b) for a generator g of the group.
//!
//! A packed element has gaps between its digits; its rank among all elements, Σ dᵢ pⁱ, is summed from two or three
//! small tables indexed by whole groups of digits, and the logarithm is looked up by rank.

use super::layout::{Layout, Packed, power_of};
use crate::field::prime_factors;

/// Tables are built for fields of up to 2²⁰ elements: 12 MiB at most.
const MAX_LOG2_ORDER: u32 = 20;
/// Over GF(2) a carry-less product is faster than a look-up that leaves the first-level cache.
const MAX_LOG2_ORDER_BINARY: u32 = 10;
/// Bits of a group of digits; two digits of a field with a table always fit: p ≤ 2¹⁰ there.
const GROUP_BITS: u32 = 12;

/// 1 in every field.
const ONE: Packed = Packed(1);

#[derive(Debug)]
pub(super) struct Tables {
    /// Bits of one group of whole digits.
    group: u32,
    /// For each group, the contribution of its digits to the rank.
    rank: Vec<Vec<u32>>,
    /// The logarithm of the element of each rank; that of 0 is never used.
    log: Vec<u32>,
    /// g⁰, g¹, …, g^(q-2): no element is wider than 40 bits.
    power: Vec<u64>,
}

impl Tables {
    /// Whether tables are the fastest way to multiply in this field. Over GF(p) itself they are not.
    pub(super) fn pay(layout: Layout) -> bool {
        let limit = if layout.modulus.get() == 2 { MAX_LOG2_ORDER_BINARY } else { MAX_LOG2_ORDER };
        layout.degree > 1 && layout.order() <= 1 << limit
    }
    /// The tables of a field, built with products by `multiply`, which does not need them.
    pub(super) fn new(layout: Layout, multiply: impl Fn(Packed, Packed) -> Packed) -> Self {
        let (p, k, width) = (layout.modulus.get() as u32, layout.degree, layout.width);
        let digits = (GROUP_BITS / width) as usize;
        let mut weight = 1u32;
        let rank = (0..k.div_ceil(digits))
            .map(|group| {
                let here = digits.min(k - group * digits);
                let mut table = vec![0; 1 << (here as u32 * width)];
                for (bits, entry) in table.iter_mut().enumerate() {
                    let digit = |i: usize| (bits >> (i as u32 * width)) as u32 & ((1 << width) - 1);
                    // Bit-fields that hold p or more belong to no element.
                    if (0..here).all(|i| digit(i) < p) {
                        *entry = weight * (0..here).rev().fold(0, |value, i| value * p + digit(i));
                    }
                }
                weight = weight.wrapping_mul(p.pow(here as u32));
                table
            })
            .collect();
        let order = layout.order() as usize;
        let factors = prime_factors(order as u64 - 1);
        let generates = |g: &Packed| {
            factors.iter().all(|q| power_of(*g, (order as u64 - 1) as u128 / *q as u128, &multiply) != ONE)
        };
        let elements = (2..order as u64).map(|mut n| {
            layout.pack((0..k).map(|_| {
                let digit = n % p as u64;
                n /= p as u64;
                digit
            }))
        });
        let generator = elements.into_iter().find(generates).expect("the group of a finite field is cyclic");
        let mut tables = Tables { group: digits as u32 * width, rank, log: vec![0; order], power: vec![0; order - 1] };
        let mut power = ONE;
        for e in 0..order - 1 {
            tables.power[e] = power.0 as u64;
            let rank = tables.rank_of(power);
            tables.log[rank] = e as u32;
            power = multiply(power, generator);
        }
        tables
    }
    #[inline(always)]
    fn rank_of(&self, a: Packed) -> usize {
        let mask = (1usize << self.group) - 1;
        let mut bits = a.0 as u64;
        let mut rank = 0;
        for table in &self.rank {
            rank += table[bits as usize & mask];
            bits >>= self.group;
        }
        rank as usize
    }
    #[inline(always)]
    fn log_of(&self, a: Packed) -> u32 {
        self.log[self.rank_of(a)]
    }
    /// g^e for e < 2(q - 1).
    #[inline(always)]
    fn exp(&self, e: u32) -> Packed {
        let e = e as usize;
        Packed(self.power[if e < self.power.len() { e } else { e - self.power.len() }] as u128)
    }
    #[inline]
    pub(super) fn mul(&self, a: Packed, b: Packed) -> Packed {
        if a.0 == 0 || b.0 == 0 { Packed(0) } else { self.exp(self.log_of(a) + self.log_of(b)) }
    }
    /// The product by a ≠ 0, whose logarithm is looked up once.
    #[inline]
    pub(super) fn multiplier(&self, a: Packed) -> impl Fn(Packed) -> Packed {
        let log = self.log_of(a);
        move |x| if x.0 == 0 { x } else { self.exp(log + self.log_of(x)) }
    }
    /// 1/a for a ≠ 0.
    pub(super) fn inv(&self, a: Packed) -> Packed {
        self.exp(self.power.len() as u32 - self.log_of(a))
    }
}
