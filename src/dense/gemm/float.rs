//! Residues mod p < 2²⁶ in `f64`: exact integers, reduced in bulk.
//!
//! Reduction: q = ⌊x·fl(1/p)⌋ in floating point, r = x - q·p, one correction either way. For |x| ≤ 2⁵³ - p the rounded
//! quotient x·fl(1/p) is off by at most 2⁵³/p · 2⁻⁵² ≤ 1 (p ≥ 2), so that -p ≤ r < 2p, and |q·p| ≤ 2⁵³ is exact.

use super::kernel::{Place, accumulate};
use crate::field::{Accumulator, DelayBudget, Modulus};
use crate::isa::{Isa, Kernel};
use rayon::prelude::*;

/// Residues of at most this many bits are held in `f64`: one product and one residue stay below 2⁵³ - p.
pub(crate) const MAX_BITS: u32 = 26;

/// Entries reduced by one task.
const GRAIN: usize = 1 << 14;

/// Reduction mod p in `f64`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FloatModulus {
    p: f64,
    inverse: f64,
    /// Products of two residues that may be summed on top of 2p without a reduction.
    pub(crate) budget: usize,
}

impl FloatModulus {
    pub(crate) fn new(modulus: Modulus) -> Self {
        assert!(modulus.bits() <= MAX_BITS, "{modulus} is too large for f64 residues");
        let p = modulus.get();
        let budget = DelayBudget::plain(modulus, Accumulator::F64).products_above(2 * p as u128);
        FloatModulus { p: p as f64, inverse: 1.0 / p as f64, budget }
    }
    /// x mod p in 0 … p-1, for integers |x| ≤ 2⁵³ - p.
    #[inline(always)]
    pub(crate) fn reduce(self, x: f64) -> f64 {
        let r = x - (x * self.inverse).floor() * self.p;
        let r = if r < 0.0 { r + self.p } else { r };
        if r >= self.p { r - self.p } else { r }
    }
    /// Every entry mod p.
    pub(crate) fn reduce_all(self, x: &mut [f64]) {
        Isa::best().run(Reduce { modulus: self, x });
    }
    /// y ← y - a·x mod p.
    pub(crate) fn subtract_multiple(self, y: &mut [f64], a: f64, x: &[f64]) {
        Isa::best().run(SubtractMultiple { modulus: self, y, a, x });
    }
    /// C ← C - A·B mod p, of residues, for A m × k, B k × n.
    ///
    /// While the budget is long A·B is subtracted at once. Where it is not (p > 2²³), A = A₁·2¹³ + A₀ is split, and
    /// T = ((A₁·B mod p)·2¹³ + A₀·B) mod p: sums of 2¹⁴ - 2 products of 13 by 26 bits stay exact.
    pub(crate) fn subtract_product(
        self,
        (m, k, n): (usize, usize, usize),
        (c, at): (&mut [f64], Place),
        a: (&[f64], Place),
        b: (&[f64], Place),
    ) {
        const HALF: f64 = 8192.0; // 2¹³
        const SPLIT_TERMS: usize = (1 << 14) - 2;
        let split = self.budget < 64.min(k);
        let mut high = vec![];
        for start in (0..k).step_by(if split { SPLIT_TERMS } else { self.budget }) {
            let len = if split { SPLIT_TERMS } else { self.budget }.min(k - start);
            let a_part = Place { offset: a.1.offset + start, ..a.1 };
            let b_part = (b.0, Place { offset: b.1.offset + start * b.1.stride, ..b.1 });
            if !split {
                accumulate((m, len, n), 1.0, (&mut *c, at), -1.0, (a.0, a_part), b_part, true);
                self.reduce_rows(c, at, m, n, |x, _| self.reduce_all(x));
                continue;
            }
            let part = |digit: &dyn Fn(f64) -> f64| -> Vec<f64> {
                (0..m).flat_map(|i| a.0[a_part.offset + i * a_part.stride..][..len].iter().map(|&x| digit(x))).collect()
            };
            let (a1, a0) = (part(&|x| (x / HALF).floor()), part(&|x| x - (x / HALF).floor() * HALF));
            high.resize(m * n, 0.0);
            let whole = Place::packed(n);
            accumulate((m, len, n), 0.0, (&mut high, whole), 1.0, (&a1, Place::packed(len)), b_part, true);
            self.reduce_rows(&mut high, whole, m, n, |x, _| {
                self.reduce_all(x);
                x.iter_mut().for_each(|x| *x *= HALF);
            });
            accumulate((m, len, n), 1.0, (&mut high, whole), 1.0, (&a0, Place::packed(len)), b_part, true);
            self.reduce_rows(c, at, m, n, |x, i| {
                Isa::best().run(SubtractWide { modulus: self, y: x, x: &high[i * n..][..n] })
            });
        }
    }
    /// Calls `work` with each row of C and its number, several rows at a time in parallel.
    fn reduce_rows(self, c: &mut [f64], at: Place, m: usize, n: usize, work: impl Fn(&mut [f64], usize) + Sync) {
        if m == 0 || n == 0 {
            return;
        }
        let end = at.offset + (m - 1) * at.stride + n;
        let rows = &mut c[at.offset..end];
        rows.par_chunks_mut(at.stride)
            .with_min_len(GRAIN.div_ceil(n))
            .enumerate()
            .for_each(|(i, row)| work(&mut row[..n], i));
    }
}

struct Reduce<'a> {
    modulus: FloatModulus,
    x: &'a mut [f64],
}

impl Kernel for Reduce<'_> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        self.x.iter_mut().for_each(|x| *x = self.modulus.reduce(*x));
    }
}

struct SubtractMultiple<'a> {
    modulus: FloatModulus,
    y: &'a mut [f64],
    a: f64,
    x: &'a [f64],
}

impl Kernel for SubtractMultiple<'_> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        self.y.iter_mut().zip(self.x).for_each(|(y, &x)| *y = self.modulus.reduce(*y - self.a * x));
    }
}

/// y ← (y - x) mod p for residues y and integers 0 ≤ x ≤ 2⁵³ - 2p.
struct SubtractWide<'a> {
    modulus: FloatModulus,
    y: &'a mut [f64],
    x: &'a [f64],
}

impl Kernel for SubtractWide<'_> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        self.y.iter_mut().zip(self.x).for_each(|(y, &x)| *y = self.modulus.reduce(*y - x));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 2, 3 and the largest primes of 16, 24 and 26 bits.
    const PRIMES: [u64; 6] = [2, 3, 65521, (1 << 23) - 15, (1 << 24) - 3, (1 << 26) - 5];

    #[test]
    fn reduction_is_exact_up_to_its_bound() {
        for p in PRIMES {
            let f = FloatModulus::new(Modulus::new(p).unwrap());
            let bound = (1i64 << 53) - p as i64;
            let mut x: Vec<i64> = vec![0, 1, bound, bound - 1, bound / 2, p as i64, (bound / p as i64) * p as i64];
            x.extend((1..2000).map(|i| bound / i / p as i64 * p as i64 + i % 3 - 1));
            for x in x.into_iter().filter(|x| *x <= bound).flat_map(|x| [x, -x]) {
                assert_eq!(f.reduce(x as f64) as i64, x.rem_euclid(p as i64), "{x} mod {p}");
            }
        }
    }

    #[test]
    fn the_largest_entries_survive_long_products() {
        for p in PRIMES {
            let modulus = Modulus::new(p).unwrap();
            let f = FloatModulus::new(modulus);
            for k in [0, 1, 2, 63, 64, 65, 300, (1 << 14) - 1, (1 << 14) + 5] {
                let (a, b) = (vec![(p - 1) as f64; 3 * k], vec![(p - 1) as f64; k * 2]);
                let mut c = vec![1.0; 6];
                f.subtract_product(
                    (3, k, 2),
                    (&mut c, Place::packed(2)),
                    (&a, Place::packed(k)),
                    (&b, Place::packed(2)),
                );
                // (p - 1)² = 1, so that every entry is 1 - k.
                assert_eq!(c, [modulus.reduce_i64(1 - k as i64) as f64; 6], "p = {p}, k = {k}");
            }
        }
    }
}
