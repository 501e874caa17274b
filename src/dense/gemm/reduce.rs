//! From integer sums back to residues: floating-point quotients, integer remainders, one correction.

use super::place::Target;
use crate::dense::entry::Entry;
use crate::field::{Modulus, float, rounded};
use crate::isa::Kernel;

/// x in -h … h for a residue x.
#[inline(always)]
pub(super) fn balanced(x: u64, p: i64) -> i64 {
    let x = x as i64;
    if x > p / 2 { x - p } else { x }
}

/// Reduction of 32-bit integers mod p < 2¹⁶.
#[derive(Clone, Copy, Debug)]
pub(super) struct Narrow {
    pub p: i32,
    inverse: f32,
}

impl Narrow {
    pub(super) fn new(modulus: Modulus) -> Self {
        let p = modulus.get();
        assert!(p < 1 << 16);
        Narrow { p: p as i32, inverse: 1.0 / p as f32 }
    }
    /// x mod p in 0 … p-1 for |x| ≤ 2²⁰·p.
    ///
    /// Three roundings move x/p by at most 3.1·2⁻²⁴·2²⁰ < 0.2, and the sum with 3·2²² rounds to an integer: the
    /// remainder is below 0.7·p in size.
    #[inline(always)]
    pub(super) fn reduce(self, x: i32) -> i32 {
        const ROUND: f32 = 12_582_912.0; // 3·2²²
        let t = x as f32 * self.inverse + ROUND;
        let quotient = (t.to_bits() as i32).wrapping_sub(ROUND.to_bits() as i32);
        let r = x.wrapping_sub(quotient.wrapping_mul(self.p));
        if r < 0 { r.wrapping_add(self.p) } else { r }
    }
    #[inline(always)]
    pub(super) fn balanced(self, x: u64) -> i32 {
        let x = x as i32;
        if x > self.p / 2 { x.wrapping_sub(self.p) } else { x }
    }
}

/// Reduction of sums of 64-bit products mod p, 2⁴ < p < 2³¹.
#[derive(Clone, Copy, Debug)]
pub(super) struct Whole {
    p: i64,
    inverse: f64,
}

impl Whole {
    pub(super) fn new(modulus: Modulus) -> Self {
        let p = modulus.get() as i64;
        assert!((1 << 4..1 << 31).contains(&p));
        Whole { p, inverse: 1.0 / p as f64 }
    }
    /// Subtracts from x the multiple of p that is nearest to `near`, a number that differs from x by at most 2⁻⁵¹·|x|.
    /// Of x and of the multiple the lower 64 bits are enough: their difference is short.
    ///
    /// For |x|/p ≤ 2⁴⁸ the quotient is off by at most 0.5 + 2⁻⁵⁰·2⁴⁸ = 0.75, as 1/p and the product are off by 2⁻⁵³ of
    /// their size each.
    #[inline(always)]
    fn remainder(self, x: i64, near: f64) -> i64 {
        let quotient = rounded(near * self.inverse);
        x.wrapping_sub(quotient.wrapping_mul(self.p))
    }
    #[inline(always)]
    fn positive(self, r: i64) -> u64 {
        (if r < 0 { r.wrapping_add(self.p) } else { r }) as u64
    }
    /// The largest |high| that [`Whole::reduce`] takes for the modulus p: 2¹⁶·p - 2, since |x|/p ≤ 2⁴⁸ and low < 2³³.
    fn most(self) -> i64 {
        (self.p << 16) - 2
    }
    /// x mod p for x = high·2³² + low, |high| ≤ 2¹⁶·p - 2, 0 ≤ low < 2³³.
    #[inline(always)]
    fn reduce(self, high: i64, low: i64) -> u64 {
        debug_assert!(high.abs() <= self.most() && (0..1 << 33).contains(&low));
        const WORD: f64 = 4_294_967_296.0; // 2³²
        self.positive(self.remainder((high << 32).wrapping_add(low), float(high) * WORD + float(low)))
    }
    /// (y - a·x) mod p for a residue y and balanced a and x.
    #[inline(always)]
    fn subtract(self, y: i64, a: i64, x: i64) -> u64 {
        let near = float(y) - float(a) * float(x);
        self.positive(self.remainder(y.wrapping_sub(a.wrapping_mul(x)), near))
    }
}

/// C ← C + sums mod p.
pub(super) struct AddPairs<'a, 'b, T> {
    pub p: Narrow,
    pub sums: &'a [i32],
    pub target: Target<'a, 'b, T>,
}

impl<T: Entry> Kernel for AddPairs<'_, '_, T> {
    type Output = ();
    #[inline(always)]
    fn run(mut self) {
        let nr = self.target.nr;
        for (row, sums) in self.target.parts().zip(self.sums.chunks(nr)) {
            for (c, &sum) in row.iter_mut().zip(sums) {
                let residue: u64 = (*c).into();
                *c = T::from_residue(self.p.reduce(sum.wrapping_add(residue as i32)) as u64);
            }
        }
    }
}

/// C ← C + high·2³² + low mod p.
pub(super) struct AddWholes<'a, 'b, T> {
    pub p: Whole,
    pub high: &'a [i64],
    pub low: &'a [i64],
    pub target: Target<'a, 'b, T>,
}

impl<T: Entry> Kernel for AddWholes<'_, '_, T> {
    type Output = ();
    #[inline(always)]
    fn run(mut self) {
        let nr = self.target.nr;
        let sums = self.high.chunks(nr).zip(self.low.chunks(nr));
        for (row, (high, low)) in self.target.parts().zip(sums) {
            for (c, (&high, &low)) in row.iter_mut().zip(high.iter().zip(low)) {
                let residue: u64 = (*c).into();
                *c = T::from_residue(self.p.reduce(high, low.wrapping_add(residue as i64)));
            }
        }
    }
}

/// C ← C + S₀ + S₁·2ʷ mod p, where each S = high·2³² + low and the rows of S₀ and S₁ alternate.
///
/// |S| < 2⁷² and w ≤ 32 keep the whole below 2¹⁰⁵, which a multiple of p lifts above 0.
pub(super) fn add_limbs<T: Entry>(
    modulus: Modulus,
    width: u32,
    high: &[i64],
    low: &[i64],
    mut target: Target<'_, '_, T>,
) {
    let nr = target.nr;
    let lift = ((1 << 105) / modulus.get() as u128 + 1) * modulus.get() as u128;
    for (i, row) in target.parts().enumerate() {
        for (j, c) in row.iter_mut().enumerate() {
            let sum = |limb: usize| {
                let at = (2 * i + limb) * nr + j;
                ((high[at] as i128) << 32) + low[at] as i128
            };
            let residue: u64 = (*c).into();
            let x = sum(0) + (sum(1) << width) + residue as i128;
            *c = T::from_residue(modulus.reduce_u128((x + lift as i128) as u128));
        }
    }
}

/// y ← y - a·x mod p < 2¹⁶.
pub(super) struct SubtractPairs<'a, T> {
    pub p: Narrow,
    pub y: &'a mut [T],
    pub a: u64,
    pub x: &'a [T],
}

impl<T: Entry> Kernel for SubtractPairs<'_, T> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let a = self.p.balanced(self.a);
        for (y, &x) in self.y.iter_mut().zip(self.x) {
            let residue: u64 = (*y).into();
            // |a·x| ≤ h² ≤ 2¹⁴·p.
            let product = a.wrapping_mul(self.p.balanced(x.into()));
            *y = T::from_residue(self.p.reduce((residue as i32).wrapping_sub(product)) as u64);
        }
    }
}

/// y ← y - a·x mod p < 2³¹.
pub(super) struct SubtractWholes<'a, T> {
    pub p: Whole,
    pub y: &'a mut [T],
    pub a: u64,
    pub x: &'a [T],
}

impl<T: Entry> Kernel for SubtractWholes<'_, T> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let a = balanced(self.a, self.p.p);
        for (y, &x) in self.y.iter_mut().zip(self.x) {
            let residue: u64 = (*y).into();
            *y = T::from_residue(self.p.subtract(residue as i64, a, balanced(x.into(), self.p.p)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn narrow_reduction_is_exact_up_to_its_bound() {
        for p in [2u64, 3, 5, 251, 5791, 32749, 65521] {
            let narrow = Narrow::new(Modulus::new(p).unwrap());
            let bound = ((p as i64) << 20).min(i32::MAX as i64);
            let near = (0..4000).map(|i| bound / 4000 * i / p as i64 * p as i64).flat_map(|x| [x - 1, x, x + 1]);
            let edge = (0..100).map(|i| bound - i);
            for x in near.chain(edge).filter(|x| *x <= bound).flat_map(|x| [x, -x]) {
                assert_eq!(narrow.reduce(x as i32) as i64, x.rem_euclid(p as i64), "{x} mod {p}");
            }
        }
    }

    #[test]
    fn whole_reduction_is_exact_up_to_its_bound() {
        for p in [65537u64, (1 << 20) - 3, (1 << 26) - 5, (1 << 31) - 1] {
            let modulus = Modulus::new(p).unwrap();
            let whole = Whole::new(modulus);
            let bound = whole.most();
            let highs = (0..3000).map(|i| bound - i * (bound / 3000)).chain(0..3).flat_map(|x| [x, -x]);
            for high in highs {
                for low in [0, 1, p as i64, 0xffff_ffff, (1 << 33) - 1] {
                    let twin = (((high as i128) << 32) + low as i128).rem_euclid(p as i128);
                    assert_eq!(whole.reduce(high, low) as i128, twin, "{high}, {low} mod {p}");
                }
            }
            let h = (p / 2) as i64;
            for (a, x) in [(h, h), (-h, h), (h, -h), (1, h), (0, 0), (h - 1, h), (h / 3, 7)] {
                for y in [0, 1, p as i64 - 1] {
                    let twin = (y as i128 - a as i128 * x as i128).rem_euclid(p as i128);
                    assert_eq!(whole.subtract(y, a, x) as i128, twin, "{y} - {a}·{x} mod {p}");
                }
            }
        }
    }
}
