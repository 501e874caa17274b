//! Elements of an extension field as words, their sums and powers.

use crate::field::Modulus;
use crate::memory;

memory::plain! {
    /// An element of an [`ExtensionField`](super::ExtensionField): k digits in equal bit-fields of one word, constant
    /// term lowest.
    #[derive(PartialEq, Eq, Hash, Default)]
    #[repr(transparent)]
    pub struct Packed(pub(super) u128): Zeroable
}

impl std::fmt::Debug for Packed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Packed({:#x})", self.0)
    }
}

/// Where the digits of an element lie in its word.
#[derive(Clone, Copy, Debug)]
pub(super) struct Layout {
    pub(super) modulus: Modulus,
    pub(super) degree: usize,
    /// Bits of one field.
    pub(super) width: u32,
    /// The highest bit of every field.
    high: u128,
    /// p in every field (unused for p = 2).
    ps: u128,
    /// 2^(width-1) - p in every field (unused for p = 2).
    lift: u128,
}

impl Layout {
    pub(super) fn new(modulus: Modulus, degree: usize) -> Self {
        let width = field_width(modulus);
        let every = |x: u128| (0..degree).fold(0, |word, i| word | x << (i as u32 * width));
        let top = 1u128 << (width - 1);
        let (ps, lift) = if modulus.get() == 2 {
            (0, 0)
        } else {
            (every(modulus.get() as u128), every(top - modulus.get() as u128))
        };
        Layout { modulus, degree, width, high: every(top), ps, lift }
    }
    /// The number of elements, pᵏ < 2¹²⁷.
    pub(super) fn order(self) -> u128 {
        (self.modulus.get() as u128).pow(self.degree as u32)
    }
    /// All bits of the fields whose highest bit is set in `flags`, except that highest bit.
    #[inline(always)]
    fn spread(self, flags: u128) -> u128 {
        flags - (flags >> (self.width - 1))
    }
    #[inline(always)]
    pub(super) fn add(self, a: Packed, b: Packed) -> Packed {
        if self.ps == 0 {
            return Packed(a.0 ^ b.0);
        }
        // Fields hold sums below 2p ≤ 2^width; the lift carries those ≥ p, and only those, into their highest bit.
        let sum = a.0 + b.0;
        Packed(sum - (self.spread((sum + self.lift) & self.high) & self.ps))
    }
    #[inline(always)]
    pub(super) fn sub(self, a: Packed, b: Packed) -> Packed {
        if self.ps == 0 {
            return Packed(a.0 ^ b.0);
        }
        // Fields hold 2^(width-1) + a - b: the highest bit is missing exactly where a < b, and there p is added.
        let difference = (a.0 | self.high) - b.0;
        let borrow = !difference & self.high;
        Packed((difference + (self.spread(borrow) & self.ps)) & !self.high)
    }
    #[inline(always)]
    pub(super) fn digit(self, a: Packed, i: usize) -> u64 {
        (a.0 >> (i as u32 * self.width)) as u64 & (u64::MAX >> (64 - self.width))
    }
    #[inline(always)]
    pub(super) fn pack(self, digits: impl Iterator<Item = u64>) -> Packed {
        Packed(digits.enumerate().fold(0, |word, (i, d)| word | (d as u128) << (i as u32 * self.width)))
    }
}

/// Bits of one digit's field: one, over GF(2), else one more than p-1 needs.
pub(super) fn field_width(modulus: Modulus) -> u32 {
    if modulus.get() == 2 { 1 } else { modulus.bits() + 1 }
}

/// aᵉ by products with `multiply`; 0⁰ = 1.
pub(super) fn power_of(a: Packed, mut e: u128, multiply: impl Fn(Packed, Packed) -> Packed) -> Packed {
    let (mut base, mut power) = (a, Packed(1));
    while e > 0 {
        if e & 1 == 1 {
            power = multiply(power, base);
        }
        base = multiply(base, base);
        e >>= 1;
    }
    power
}
