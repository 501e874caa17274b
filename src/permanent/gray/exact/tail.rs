//! The tail of a step: its sums added to the limbs, by fused multiply-adds or in 128-bit integers.

use crate::permanent::gray::program::{LANES, Tail, Vector};

/// The size of a limb in bits.
pub(super) const LIMB: u32 = 50;
/// Limbs of a sum.
pub(in super::super) const LIMBS: usize = 4;
/// M of the module for k = 0, 50, 100, 150.
const MAGIC: [f64; LIMBS] = [magic(0), magic(LIMB), magic(2 * LIMB), magic(3 * LIMB)];

const fn magic(k: u32) -> f64 {
    f64::from_bits(((1023 + 52 + k as u64) << 52) | (1 << 51))
}

/// A tail operand, an integer below 2⁵³.
pub(super) trait Operand: Copy {
    fn float(self) -> f64;
    fn integer(self) -> i64;
}

impl Operand for i32 {
    #[inline(always)]
    fn float(self) -> f64 {
        f64::from(self)
    }
    #[inline(always)]
    fn integer(self) -> i64 {
        i64::from(self)
    }
}

impl Operand for f64 {
    #[inline(always)]
    fn float(self) -> f64 {
        self
    }
    #[inline(always)]
    fn integer(self) -> i64 {
        self as i64
    }
}

/// A way to add ±C (A₀ (B₀ D₀₀ - B₁ D₀₁) - A₁ (B₀ D₁₀ - B₁ D₁₁)) to the limbs.
pub(super) trait TailArithmetic {
    fn tail<V: Operand>(sums: &mut [Vector<i64>; LIMBS], slots: &[Vector<V>], tail: &Tail, negative: bool);
}

/// Fused multiply-adds; with `SHORT` for H of two limbs.
#[derive(Default)]
pub(super) struct Fused<const SHORT: bool>;

/// a b - c d as (h, l): h a multiple of M's ulp 2ᵏ, |l| ≤ 2ᵏ.
#[inline(always)]
fn determinant(a: f64, b: f64, c: f64, d: f64, m: f64) -> (f64, f64) {
    let p = a.mul_add(b, m);
    let p_high = p - m;
    let p_low = a.mul_add(b, -p_high);
    let q = (-c).mul_add(d, p);
    let q_high = q - p;
    let q_low = (-c).mul_add(d, -q_high);
    (q - m, p_low + q_low)
}

impl<const SHORT: bool> TailArithmetic for Fused<SHORT> {
    #[inline(always)]
    fn tail<V: Operand>(sums: &mut [Vector<i64>; LIMBS], slots: &[Vector<V>], tail: &Tail, negative: bool) {
        // A sign exchanges the two halves.
        let (x, y) = if tail.negative ^ negative { (1, 0) } else { (0, 1) };
        let of = |slot: u16| &slots[slot as usize].0;
        let (c, a, b) = (of(tail.c), [of(tail.a[x]), of(tail.a[y])], [of(tail.b[0]), of(tail.b[1])]);
        let (d, e) = ([of(tail.d[x][0]), of(tail.d[x][1])], [of(tail.d[y][0]), of(tail.d[y][1])]);
        let [m0, m1, m2, m3] = MAGIC;
        let [s0, s1, s2, s3] = sums;
        let add = |sum: &mut i64, v: f64, m: f64| *sum = sum.wrapping_add(v.to_bits().wrapping_sub(m.to_bits()) as i64);
        for l in 0..LANES {
            let (c, a0, a1) = (c[l].float(), a[0][l].float(), a[1][l].float());
            let (b0, b1) = (b[0][l].float(), b[1][l].float());
            let (g1, g0) = determinant(b0, d[0][l].float(), b1, d[1][l].float(), m1);
            let (f1, f0) = determinant(b0, e[0][l].float(), b1, e[1][l].float(), m1);
            let (p1, h0) = determinant(a0, g0, a1, f0, m1);
            let h2;
            let h1;
            if SHORT {
                h1 = p1 + a0.mul_add(g1, -(a1 * f1));
                h2 = 0.0;
            } else {
                let (q2, q1) = determinant(a0, g1, a1, f1, m2);
                (h2, h1) = (q2, p1 + q1);
            }
            let t0 = c.mul_add(h0, m1);
            let r0 = c.mul_add(h0, m1 - t0);
            add(&mut s0.0[l], r0 + m0, m0);
            let t1 = c.mul_add(h1, m2);
            let r1 = c.mul_add(h1, m2 - t1);
            add(&mut s1.0[l], t0 + r1, m1);
            if SHORT {
                add(&mut s2.0[l], t1, m2);
            } else {
                let t2 = c.mul_add(h2, m3);
                let r2 = c.mul_add(h2, m3 - t2);
                add(&mut s2.0[l], t1 + r2, m2);
                add(&mut s3.0[l], t2, m3);
            }
        }
    }
}

/// 128-bit integers, for machines without fused multiply-add. G ≤ 2⁹⁹, its limbs ≤ 2⁵⁰ below and ≤ 2⁴⁹ above; H's parts
/// ≤ 2¹⁰⁰; all far below 2¹²⁷.
#[derive(Default)]
pub(super) struct Words;

impl TailArithmetic for Words {
    #[inline(always)]
    fn tail<V: Operand>(sums: &mut [Vector<i64>; LIMBS], slots: &[Vector<V>], tail: &Tail, negative: bool) {
        const MASK: i128 = (1 << LIMB) - 1;
        let (x, y) = if tail.negative ^ negative { (1, 0) } else { (0, 1) };
        let of = |slot: u16, l: usize| i128::from(slots[slot as usize].0[l].integer());
        for l in 0..LANES {
            let g = |z: usize| of(tail.b[0], l) * of(tail.d[z][0], l) - of(tail.b[1], l) * of(tail.d[z][1], l);
            let (g, f, a0, a1) = (g(x), g(y), of(tail.a[x], l), of(tail.a[y], l));
            let h0 = a0 * (g & MASK) - a1 * (f & MASK);
            let h1 = a0 * (g >> LIMB) - a1 * (f >> LIMB) + (h0 >> LIMB);
            let c = of(tail.c, l);
            let t0 = c * (h0 & MASK);
            let t1 = c * (h1 & MASK) + (t0 >> LIMB);
            let t2 = c * (h1 >> LIMB) + (t1 >> LIMB);
            for (sum, limb) in sums.iter_mut().zip([t0 & MASK, t1 & MASK, t2 & MASK, t2 >> LIMB]) {
                sum.0[l] += limb as i64;
            }
        }
    }
}
