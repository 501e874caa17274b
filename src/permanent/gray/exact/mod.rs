//! The exact engine: narrow integer lanes, then a tail of two-limb products that sums the terms themselves. There is no
//! modular reduction, so that the sum is proven by the bounds of its operands alone.
//!
//! **Limbs.** Numbers beyond a word are kept as h·2⁵⁰ + l with signed limbs. In floating point a product of integers
//! splits exactly (T. J. Dekker, Numer. Math. 18 (1971), with a fused multiply-add): with M = 1.5 · 2^(52+k), which has
//! an ulp of 2ᵏ, `h = fma(a, b, M) - M` is a multiple of 2ᵏ and `l = fma(a, b, -h)` is what remains, |l| ≤ 2^(k-1),
//! whenever
//! |a b| < 2^(51+k) (then M + a b stays in M's binade). Added into M once more a limb is an integer in the low mantissa
//! bits, and sums of such bit patterns are integer sums: the accumulators are 64-bit integers, one per limb and lane.
//!
//! **Bounds.** Let C, A, B, D be the tail's operands, each at most 2⁴⁹ in absolute value (the program proves it), k =
//! 50. Lengths in limbs: G(b₁) = B₀D₀ - B₁D₁ = g₁ + g₀ with |g₀| ≤ 2⁵⁰, |g₁| ≤ 2⁹⁹ + 2⁵⁰. P₀ = A₀g₀ - A₁g₀' (products ≤
//! 2⁹⁹ < 2¹⁰¹, split at 2⁵⁰), P₁ = A₀g₁ - A₁g₁' (≤ 2¹⁴⁸ + 2⁹⁹ < 2¹⁵¹, split at 2¹⁰⁰). H = h₂ + h₁ + h₀ with h₀ = low P₀
//! ≤ 2⁵⁰, h₁ = high P₀ + low P₁ ≤ 2¹⁰¹ + 2⁵¹, h₂ = high P₁ ≤ 2¹⁴⁹ + 2¹⁰¹; all are multiples of their limb's unit with
//! fewer than 53 digits above it, so every sum and difference of `f64` is exact. C·h₀ < 2¹⁰¹, C·h₁ ≤ 2¹⁵⁰ + 2¹⁰⁰ < 2¹⁵¹
//! and C·h₂ ≤ 2¹⁹⁸ + 2¹⁵⁰ < 2²⁰¹ split at 2⁵⁰, 2¹⁰⁰, 2¹⁵⁰. In units each accumulated limb is below 2⁵¹, so that 2¹¹ of
//! them stay below 2⁶²; then carries are passed on.
//!
//! If 2A(2BD + 2⁵¹) + 2⁵⁰ < 2¹⁰² and C times that is below 2¹⁵¹, H has two limbs: P₁ is one `f64` ([`short`]).
//!
//! Machines without fused multiply-add compute the same limbs by 128-bit integers.

mod tail;

use super::program::{Kind, LANES, Program, Tail, Vector, WIDEST};
use super::walk::Walk;
use crate::isa::{Isa, Kernel};
use num_bigint::BigInt;
pub(super) use tail::LIMBS;
use tail::{Fused, LIMB, TailArithmetic, Words};

/// Tails between two carries.
const TAILS: usize = 1 << 11;
/// The maximum number of tails in one call of [`Worker::sum`]: the highest limb, below 4 C A B D / 2¹⁵⁰ ≤ 2⁴⁸ per tail,
/// then stays below 2⁶².
pub(super) const CHUNK_TAILS: u64 = 1 << 13;
/// Steps of a row's 16-bit value.
#[derive(Clone, Copy, Debug)]
pub(super) struct RowStep {
    pub row: u16,
    pub step: i16,
}

/// What all chunks share.
pub(super) struct ExactPlan {
    pub program: Program,
    /// For every row and lane the value with all walked digits 0 and no low column in S.
    pub lanes: Vec<[i16; LANES]>,
    /// The signed weight of each lane.
    pub weights: [i64; LANES],
    /// The constants of the program's entries.
    pub constants: Vec<i16>,
    /// For every class of columns, the rows that it changes.
    pub steps: Vec<Vec<RowStep>>,
}

/// Whether two limbs hold H, for the given bounds of C, A, B, D: the last paragraph of the module.
pub(super) fn short([c, a, b, d]: [u128; 4]) -> bool {
    assert!(c.max(a).max(b).max(d) <= WIDEST);
    let g = 2 * b * d + (2 << LIMB);
    let h = g.checked_mul(2 * a).and_then(|x| x.checked_add(1 << LIMB)).filter(|&h| h < 1 << (52 + LIMB));
    // C·h < 2^151 compared without its product: h < 2^151 / C rounded down.
    h.is_some_and(|h| c <= 1 || h < ((1u128 << 127) / c) << 24)
}

impl ExactPlan {
    /// Σ over the lanes of weight times sum; the words are the sums' signed limbs, \[limb\]\[lane\].
    ///
    /// # Panics
    /// Unless there are [`LIMBS`] times [`LANES`] words.
    pub fn weigh(&self, words: &[u64]) -> BigInt {
        assert_eq!(words.len(), LIMBS * LANES, "one word for every limb and lane");
        let light = self.weights.iter().all(|w| w.unsigned_abs() <= 1 << 50);
        let mut total = BigInt::ZERO;
        for limb in words.chunks_exact(LANES).rev() {
            let products = limb.iter().zip(&self.weights).map(|(&x, &w)| i128::from(x as i64) * i128::from(w));
            // 64 products of a limb below 2⁶³ and a weight up to 2⁵⁰ stay below 2¹¹⁹.
            let sum: BigInt = if light { products.sum::<i128>().into() } else { products.map(BigInt::from).sum() };
            total = (total << LIMB) + sum;
        }
        total
    }
}

/// The state of one worker: rows, slots, accumulators.
pub(super) struct Worker<'a> {
    plan: &'a ExactPlan,
    short: bool,
    rows: Vec<Vector<i16>>,
    narrow: Vec<Vector<i16>>,
    middle: Vec<Vector<i32>>,
    wide: Vec<Vector<f64>>,
    sums: [Vector<i64>; LIMBS],
    pending: usize,
}

impl<'a> Worker<'a> {
    pub fn new(plan: &'a ExactPlan) -> Self {
        let [narrow, middle, wide] = plan.program.slots;
        let mut worker = Worker {
            plan,
            short: short(plan.program.tail_bounds),
            rows: plan.lanes.iter().map(|&row| Vector(row)).collect(),
            narrow: vec![Vector([0; LANES]); narrow],
            middle: vec![Vector([0; LANES]); middle],
            wide: vec![Vector([0.0; LANES]); wide],
            sums: [Vector([0; LANES]); LIMBS],
            pending: 0,
        };
        worker.narrow[0] = Vector([1; LANES]);
        worker
    }

    /// Σ over `positions` positions from the walk's on: weight times the terms of all lanes and low settings.
    pub fn sum(&mut self, isa: Isa, mut walk: Walk<'_>, mut positions: u64) -> BigInt {
        for (row, lanes) in self.rows.iter_mut().zip(&self.plan.lanes) {
            *row = Vector(*lanes);
        }
        for (class, count) in walk.values() {
            for s in &self.plan.steps[class] {
                // The value of an actual state is within the row's bound, so intermediate wrapping does no harm.
                let add = (s.step).wrapping_mul(count as i16);
                self.rows[s.row as usize].0.iter_mut().for_each(|v| *v = v.wrapping_add(add));
            }
        }
        let mut total = BigInt::ZERO;
        while positions > 0 {
            let magnitude = walk.magnitude();
            let done = self.stretch(isa, &mut walk, positions);
            total += self.take() * BigInt::from(magnitude);
            positions -= done;
        }
        total
    }

    /// Walks until the weight's absolute value changes or `positions` are done; returns the number done.
    fn stretch(&mut self, isa: Isa, walk: &mut Walk<'_>, positions: u64) -> u64 {
        let fused = isa != Isa::Portable || cfg!(any(target_feature = "fma", target_arch = "aarch64"));
        match (fused, self.short) {
            (true, true) => isa.run(Stretch::<Fused<true>> { worker: self, walk, positions, tail: Default::default() }),
            (true, false) => {
                isa.run(Stretch::<Fused<false>> { worker: self, walk, positions, tail: Default::default() })
            }
            (false, _) => isa.run(Stretch::<Words> { worker: self, walk, positions, tail: Default::default() }),
        }
    }

    /// Σ over the lanes of weight times sum, which starts again at 0.
    fn take(&mut self) -> BigInt {
        self.carry();
        let mut words = [0; LIMBS * LANES];
        for (words, limb) in words.chunks_exact_mut(LANES).zip(&mut self.sums) {
            words.iter_mut().zip(limb.0).for_each(|(word, x)| *word = x as u64);
            *limb = Vector([0; LANES]);
        }
        self.plan.weigh(&words)
    }

    /// Normalises all limbs except the highest to 0…2⁵⁰-1.
    fn carry(&mut self) {
        for k in 1..LIMBS {
            let (low, high) = self.sums.split_at_mut(k);
            for (low, high) in low[k - 1].0.iter_mut().zip(&mut high[0].0) {
                *high += *low >> LIMB;
                *low &= (1 << LIMB) - 1;
            }
        }
        self.pending = 0;
    }

    #[inline(always)]
    fn tails<T: TailArithmetic>(&mut self, kind: Kind, tails: &[Tail], negative: bool) {
        for tail in tails {
            match kind {
                Kind::Tail32 => T::tail(&mut self.sums, &self.middle, tail, negative),
                _ => T::tail(&mut self.sums, &self.wide, tail, negative),
            }
        }
    }

    /// All low settings of the current position.
    #[inline(always)]
    fn step<T: TailArithmetic>(&mut self, negative: bool) {
        let plan = self.plan;
        let program = &plan.program;
        for (kind, range) in &program.runs {
            if let Kind::Tail32 | Kind::Tail64 = kind {
                self.tails::<T>(*kind, &program.tails[range.clone()], negative);
                continue;
            }
            let list = &program.instructions[range.clone()];
            match kind {
                Kind::Entry => {
                    for i in list {
                        let (row, c) = (self.rows[i.a as usize], plan.constants[i.b as usize]);
                        self.narrow[i.target as usize] = Vector(row.0.map(|x| x.wrapping_add(c)));
                    }
                }
                Kind::Mul16 => {
                    for i in list {
                        let (a, b) = (&self.narrow[i.a as usize], &self.narrow[i.b as usize]);
                        self.narrow[i.target as usize] = a.zip(b, i16::wrapping_mul);
                    }
                }
                Kind::Widen32 => {
                    for i in list {
                        let (a, b) = (&self.narrow[i.a as usize], &self.narrow[i.b as usize]);
                        let target = &mut self.middle[i.target as usize];
                        for l in 0..LANES {
                            target.0[l] = i32::from(a.0[l]) * i32::from(b.0[l]);
                        }
                    }
                }
                Kind::Extend32 => {
                    for i in list {
                        let (a, target) = (&self.narrow[i.a as usize], &mut self.middle[i.target as usize]);
                        for l in 0..LANES {
                            target.0[l] = i32::from(a.0[l]);
                        }
                    }
                }
                Kind::Mul32 => {
                    for i in list {
                        let (a, b) = (&self.middle[i.a as usize], &self.middle[i.b as usize]);
                        self.middle[i.target as usize] = a.zip(b, i32::wrapping_mul);
                    }
                }
                Kind::Widen64 => {
                    for i in list {
                        let (a, b) = (&self.middle[i.a as usize], &self.middle[i.b as usize]);
                        let target = &mut self.wide[i.target as usize];
                        for l in 0..LANES {
                            target.0[l] = f64::from(a.0[l]) * f64::from(b.0[l]);
                        }
                    }
                }
                Kind::Extend64 => {
                    for i in list {
                        let (a, target) = (&self.middle[i.a as usize], &mut self.wide[i.target as usize]);
                        for l in 0..LANES {
                            target.0[l] = f64::from(a.0[l]);
                        }
                    }
                }
                Kind::Mul64 => {
                    for i in list {
                        let (a, b) = (&self.wide[i.a as usize], &self.wide[i.b as usize]);
                        self.wide[i.target as usize] = a.zip(b, |x, y| x * y);
                    }
                }
                Kind::Tail32 | Kind::Tail64 => unreachable!("handled above"),
            }
        }
        self.pending += program.tails.len();
        if self.pending + program.tails.len() > TAILS {
            self.carry();
        }
    }
}

struct Stretch<'w, 'a, 'd, T> {
    worker: &'w mut Worker<'a>,
    walk: &'w mut Walk<'d>,
    positions: u64,
    tail: std::marker::PhantomData<T>,
}

impl<T: TailArithmetic> Kernel for Stretch<'_, '_, '_, T> {
    type Output = u64;
    #[inline(always)]
    fn run(self) -> u64 {
        let Stretch { worker, walk, positions, .. } = self;
        let plan = worker.plan;
        for done in 1..=positions {
            worker.step::<T>(walk.is_negative());
            if done == positions {
                break;
            }
            let change = walk.advance();
            for s in &plan.steps[change.class] {
                let add = if change.up { s.step } else { s.step.wrapping_neg() };
                worker.rows[s.row as usize].0.iter_mut().for_each(|v| *v = v.wrapping_add(add));
            }
            if change.reweighted {
                return done;
            }
        }
        positions
    }
}
