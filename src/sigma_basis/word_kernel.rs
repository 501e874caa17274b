//! The [`Kernel`] of GF(p) for odd p < 2³²: rows of `u32` residues, sums in 64-bit lanes, one reduction per output.
//!
//! **Combination.** An output is Σ_j f_j·a_j over at most r + 1 terms (the target itself enters with factor 1). The
//! factors are scaled by 2⁶⁴ mod p beforehand, so that two Montgomery steps x ↦ x·2⁻³² (Montgomery 1985) bring the
//! plain residue back. While (r + 1)(p - 1)² < 2⁶⁴ the products add up in one 64-bit lane ([`terms_in_one_word`]);
//! beyond, the low and the high halves of the products add up apart, which is exact for r < 2³² terms of any size.
//!
//! **A Montgomery step** here is `(x >> 32) + p - ((x·p⁻¹ mod 2³²)·p >> 32)`: the low halves of x and of the subtrahend
//! agree, so the difference is exact, congruent to x·2⁻³², and lies in 1 … (x >> 32) + p: no x < 2⁶⁴ overflows.

use super::kernel::{Kernel, Target};
use crate::field::{Accumulator, DelayBudget, Field, Modulus};
use crate::isa::{self, Isa};

/// How many products of two residues, one of them scaled, add up without overflow: the largest k with k·(p-1)² < 2⁶⁴.
pub(super) fn terms_in_one_word(modulus: Modulus) -> usize {
    DelayBudget::plain(modulus, Accumulator::U64).products()
}

/// The constants of GF(p), p odd, 3 ≤ p < 2³².
#[derive(Clone, Copy)]
pub(super) struct WordKernel {
    modulus: Modulus,
    /// p⁻¹ mod 2³².
    inverse: u64,
    /// 2⁶⁴ mod p.
    scale: u64,
    /// 2⁹⁶ mod p: a Montgomery step of the product with it scales by 2⁶⁴.
    to_scaled: u64,
    isa: Isa,
}

/// [`WordKernel::clear_below_body`] for an instruction set.
struct ClearBelow<'a> {
    kernel: &'a WordKernel,
    work: &'a mut [u32],
    width: usize,
    pivot: usize,
    col: usize,
}

impl isa::Kernel for ClearBelow<'_> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        self.kernel.clear_below_body(self.work, self.width, self.pivot, self.col);
    }
}

/// [`WordKernel::combine_body`] for an instruction set, W columns at a time.
struct Combine<'a, 't, const W: usize> {
    kernel: &'a WordKernel,
    targets: &'a mut [Target<'t, u32>],
    panel: &'a [u32],
    stride: usize,
}

impl<const W: usize> isa::Kernel for Combine<'_, '_, W> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        self.kernel.combine_body::<W>(self.targets, self.panel, self.stride);
    }
}

impl WordKernel {
    /// The kernel for p, or `None` if p is even or too large.
    pub(super) fn new(modulus: Modulus) -> Option<Self> {
        Self::with_isa(modulus, Isa::best())
    }

    fn with_isa(modulus: Modulus, isa: Isa) -> Option<Self> {
        let p = modulus.get();
        if p.is_multiple_of(2) || p >> 32 != 0 {
            return None;
        }
        // Newton's iteration doubles the number of correct low bits; p is its own inverse mod 8.
        let inverse = (0..4).fold(p as u32, |x, _| x.wrapping_mul(2u32.wrapping_sub((p as u32).wrapping_mul(x))));
        Some(WordKernel {
            modulus,
            inverse: inverse.into(),
            scale: modulus.pow(2, 64),
            to_scaled: modulus.pow(2, 96),
            isa,
        })
    }

    /// x·2⁻³² mod p, in 1 … (x >> 32) + p.
    #[inline(always)]
    fn step(&self, x: u64) -> u64 {
        let p = self.modulus.get();
        let q = (x & LOW).wrapping_mul(self.inverse) & LOW;
        (x >> 32).wrapping_add(p).wrapping_sub(q.wrapping_mul(p) >> 32)
    }

    /// x mod p for x < 2p.
    #[inline(always)]
    fn fold(&self, x: u64) -> u64 {
        x.min(x.wrapping_sub(self.modulus.get()))
    }

    /// The body of [`Kernel::clear_below`]; inlined into one function for each instruction set.
    #[inline(always)]
    pub(super) fn clear_below_body(&self, work: &mut [u32], width: usize, pivot: usize, col: usize) {
        let (above, below) = work.split_at_mut((pivot + 1) * width);
        let pivot = &above[pivot * width..];
        // -1/pivot times 2⁶⁴: one step leaves the factor times 2³², the next one takes that away.
        let factor = self.modulus.mul(self.modulus.neg(self.modulus.inv(pivot[col].into())), self.scale);
        for row in below.chunks_exact_mut(width) {
            if row[col] == 0 {
                continue;
            }
            let f = self.fold(self.step(u64::from(row[col]) * factor));
            for (y, &x) in row.iter_mut().zip(pivot) {
                // A product below p² gives a step of at most 2p - 1.
                let product = self.fold(self.step(f.wrapping_mul(x.into())));
                *y = self.fold(u64::from(*y).wrapping_add(product)) as u32;
            }
        }
    }

    /// The body of [`Kernel::combine`], with tiles of 4 rows by `W` columns held in registers.
    #[inline(always)]
    pub(super) fn combine_body<const W: usize>(&self, targets: &mut [Target<'_, u32>], panel: &[u32], stride: usize) {
        let terms = panel.len() / stride;
        let split = terms >= terms_in_one_word(self.modulus);
        for group in targets.chunks_mut(4) {
            match (group, split) {
                ([a, b, c, d], false) => self.group::<4, W, false>([a, b, c, d], panel, stride),
                ([a, b, c, d], true) => self.group::<4, W, true>([a, b, c, d], panel, stride),
                (rest, false) => rest.iter_mut().for_each(|t| self.group::<1, W, false>([t], panel, stride)),
                (rest, true) => rest.iter_mut().for_each(|t| self.group::<1, W, true>([t], panel, stride)),
            }
        }
    }

    #[inline(always)]
    fn group<const R: usize, const W: usize, const SPLIT: bool>(
        &self,
        mut targets: [&mut Target<'_, u32>; R],
        panel: &[u32],
        stride: usize,
    ) {
        let (len, mut at) = (targets[0].row.len(), 0);
        while at + W <= len {
            self.tile::<R, W, SPLIT>(&mut targets, at, panel, stride);
            at += W;
        }
        while at + 8 <= len {
            self.tile::<R, 8, SPLIT>(&mut targets, at, panel, stride);
            at += 8;
        }
        while at < len {
            self.tile::<R, 1, SPLIT>(&mut targets, at, panel, stride);
            at += 1;
        }
    }

    /// Columns `at .. at + W` of `R` targets.
    #[inline(always)]
    fn tile<const R: usize, const W: usize, const SPLIT: bool>(
        &self,
        targets: &mut [&mut Target<'_, u32>; R],
        at: usize,
        panel: &[u32],
        stride: usize,
    ) {
        let column = stride - targets[0].row.len() + at;
        let (mut low, mut high) = ([[0u64; W]; R], [[0u64; W]; R]);
        let add = |low: &mut u64, high: &mut u64, product: u64| {
            if SPLIT {
                *low = low.wrapping_add(product & LOW);
                *high = high.wrapping_add(product >> 32);
            } else {
                *low = low.wrapping_add(product);
            }
        };
        for i in 0..R {
            let row: &[u32; W] = targets[i].row[at..at + W].try_into().expect("W columns");
            for c in 0..W {
                add(&mut low[i][c], &mut high[i][c], self.scale.wrapping_mul(row[c].into()));
            }
        }
        for (j, pivot) in panel.chunks_exact(stride).enumerate() {
            let pivot: &[u32; W] = pivot[column..column + W].try_into().expect("W columns");
            for i in 0..R {
                let factor = u64::from(targets[i].factors[j]);
                for c in 0..W {
                    add(&mut low[i][c], &mut high[i][c], factor.wrapping_mul(pivot[c].into()));
                }
            }
        }
        for i in 0..R {
            let row: &mut [u32; W] = (&mut targets[i].row[at..at + W]).try_into().expect("W columns");
            for c in 0..W {
                // After the first step at most 2³² + p, or p + r + 1 halves of products; so the second one ends below
                // 2p.
                row[c] = self.fold(self.step(high[i][c].wrapping_add(self.step(low[i][c])))) as u32;
            }
        }
    }
}

/// The low half of a word.
const LOW: u64 = 0xffff_ffff;

/// For a field with k = 1 whose modulus the kernel has.
impl<F: Field> Kernel<F> for WordKernel {
    type Elem = u32;

    fn load(&self, field: &F, a: F::Elem) -> u32 {
        let mut digit = [0];
        field.write_digits(a, &mut digit);
        digit[0] as u32
    }
    fn store(&self, field: &F, a: u32) -> F::Elem {
        field.from_digits(&[a.into()])
    }
    fn one(&self, _field: &F) -> u32 {
        1
    }
    fn clear_below(&self, work: &mut [u32], width: usize, pivot: usize, col: usize) {
        self.isa.run(ClearBelow { kernel: self, work, width, pivot, col });
    }
    fn prepare(&self, factors: &mut [u32]) {
        for f in factors {
            *f = self.fold(self.step(u64::from(*f) * self.to_scaled)) as u32;
        }
    }
    fn combine(&self, targets: &mut [Target<'_, u32>], panel: &[u32], stride: usize) {
        match self.isa {
            // 32 registers hold the sums of more columns.
            Isa::Avx512 => self.isa.run(Combine::<32> { kernel: self, targets, panel, stride }),
            Isa::Avx2 | Isa::Portable => self.isa.run(Combine::<8> { kernel: self, targets, panel, stride }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::kernel::FieldKernel;
    use super::*;
    use crate::field::{PrimeField, Rng};
    use rand::{RngExt, SeedableRng};

    /// Around the largest p for which 20 terms fit in one word, and the ends.
    const PRIMES: [u64; 8] = [3, 5, 251, 65521, 960383881, 960383909, 4294967279, 4294967291];

    #[test]
    fn one_word_holds_exactly_the_terms_promised() {
        for p in PRIMES {
            let (k, square) = (terms_in_one_word(Modulus::new(p).unwrap()) as u128, (p as u128 - 1) * (p as u128 - 1));
            assert!(k * square < 1 << 64 && (k + 1) * square >= 1 << 64);
        }
    }

    #[test]
    fn a_step_divides_by_two_to_the_32_for_every_word() {
        for p in PRIMES {
            let kernel = WordKernel::new(Modulus::new(p).unwrap()).unwrap();
            for x in [0, 1, p - 1, p, (p - 1) * (p - 1), LOW, LOW + 1, u64::MAX - 1, u64::MAX] {
                let y = kernel.step(x);
                assert!((1..=(x >> 32) + p).contains(&y));
                assert_eq!((u128::from(y) << 32) % u128::from(p), u128::from(x) % u128::from(p));
            }
        }
    }

    #[test]
    fn even_and_large_moduli_are_left_to_others() {
        for p in [2, 4294967311] {
            assert!(WordKernel::new(Modulus::new(p).unwrap()).is_none());
        }
    }

    /// Every instruction set against the element-by-element kernel; in round 0 with the largest sums that 20 terms can
    /// have.
    #[test]
    fn all_instruction_sets_agree_with_the_field() {
        let mut rng = Rng::seed_from_u64(3);
        for p in PRIMES {
            let field = PrimeField(Modulus::new(p).unwrap());
            for isa in Isa::available() {
                let kernel = WordKernel::with_isa(field.0, isa).unwrap();
                for round in 0..12 {
                    let count = if round == 0 { 19 } else { rng.random_range(1..=20) };
                    let (targets, skip, len) =
                        (rng.random_range(0..10), rng.random_range(0..3), rng.random_range(0..80));
                    let mut draw = |k| {
                        (0..k).map(|_| if round == 0 { p - 1 } else { rng.random_range(0..p) }).collect::<Vec<u64>>()
                    };
                    let stride = skip + len + 1;
                    let (panel, mut rows) = (draw(count * stride), draw(targets * stride));
                    // The prepared form of -2⁻⁶⁴ is p - 1.
                    let largest = field.0.inv(field.0.neg(kernel.scale));
                    let factors = if round == 0 { vec![largest; targets * count] } else { draw(targets * count) };
                    let narrow = |v: &[u64]| v.iter().map(|&a| a as u32).collect::<Vec<u32>>();
                    let (panel32, mut rows32, mut factors32) = (narrow(&panel), narrow(&rows), narrow(&factors));

                    Kernel::<PrimeField>::prepare(&kernel, &mut factors32);
                    assert!(round > 0 || factors32.iter().all(|&f| u64::from(f) == p - 1));
                    combine::<WordKernel>(&kernel, &mut rows32, &factors32, &panel32, stride, skip);
                    combine::<FieldKernel<'_, PrimeField>>(
                        &FieldKernel(&field),
                        &mut rows,
                        &factors,
                        &panel,
                        stride,
                        skip,
                    );
                    assert_eq!(narrow(&rows), rows32, "combine, p = {p}, {isa:?}");

                    let mut work = draw(5 * stride);
                    work[stride] = 1 + work[stride] % (p - 1);
                    let mut work32 = narrow(&work);
                    Kernel::<PrimeField>::clear_below(&kernel, &mut work32, stride, 1, 0);
                    FieldKernel(&field).clear_below(&mut work, stride, 1, 0);
                    assert_eq!(narrow(&work), work32, "clear_below, p = {p}, {isa:?}");
                    assert!((2..5).all(|i| work[i * stride] == 0));
                }
            }
        }
    }

    fn combine<K: Kernel<PrimeField>>(
        kernel: &K,
        rows: &mut [K::Elem],
        factors: &[K::Elem],
        panel: &[K::Elem],
        stride: usize,
        skip: usize,
    ) {
        let count = panel.len() / stride;
        let rows = rows.chunks_exact_mut(stride).zip(factors.chunks_exact(count));
        let mut targets: Vec<_> = rows.map(|(row, factors)| Target { row: &mut row[skip..], factors }).collect();
        kernel.combine(&mut targets, panel, stride);
    }
}
