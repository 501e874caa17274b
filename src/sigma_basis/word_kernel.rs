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

/// [`WordKernel::eliminate_body`] for an instruction set.
struct Eliminate<'a> {
    kernel: &'a WordKernel,
    work: &'a mut [u32],
    width: usize,
    n: usize,
}

impl isa::Kernel for Eliminate<'_> {
    type Output = Vec<usize>;
    #[inline(always)]
    fn run(self) -> Vec<usize> {
        self.kernel.eliminate_body(self.work, self.width, self.n)
    }
}

/// [`WordKernel::combine_body`] for an instruction set, W columns at a time.
struct Combine<'a, 't, const W: usize> {
    kernel: &'a WordKernel,
    targets: &'a mut [Target<'t, u32>],
    panel: &'a [&'a [u32]],
}

impl<const W: usize> isa::Kernel for Combine<'_, '_, W> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        self.kernel.combine_body::<W>(self.targets, self.panel);
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

    /// x mod p for every x < 2⁶⁴: three steps, between them a factor 2⁹⁶.
    #[inline(always)]
    fn reduce(&self, x: u64) -> u64 {
        // After two steps at most p + 1; times a residue and one step, below 2p.
        self.fold(self.step(self.step(self.step(x)).wrapping_mul(self.to_scaled)))
    }

    /// The body of [`Kernel::eliminate`]; inlined into one function for each instruction set. Line after line is
    /// reduced by all pivots before it, its sums by p only where they are needed or full.
    #[inline(always)]
    fn eliminate_body(&self, work: &mut [u32], width: usize, n: usize) -> Vec<usize> {
        // A residue and t products: p - 1 + t·(p - 1)² ≤ (t + 1)·(p - 1)²; and one product always, p·(p - 1) < 2⁶⁴.
        let budget = (terms_in_one_word(self.modulus) - 1).max(1);
        let mut pivots: Vec<usize> = Vec::with_capacity(width - n);
        // For each pivot the column in which it has its first entry, and minus one over that entry.
        let mut leaders: Vec<(usize, u64)> = Vec::with_capacity(width - n);
        let mut sums = vec![0u64; width];
        for at in 0..work.len() / width {
            let (above, rest) = work.split_at_mut(at * width);
            let line = &mut rest[..width];
            if line[..n].iter().all(|&x| x == 0) {
                continue;
            }
            sums.iter_mut().zip(&*line).for_each(|(sum, &x)| *sum = x.into());
            let mut terms = 0;
            for (j, (&pivot, &(col, scale))) in pivots.iter().zip(&leaders).enumerate() {
                let factor = self.modulus.mul(self.modulus.reduce(sums[col]), scale);
                if factor == 0 {
                    continue;
                }
                if terms == budget {
                    sums.iter_mut().for_each(|sum| *sum = self.reduce(*sum));
                    terms = 0;
                }
                terms += 1;
                let pivot = &above[pivot * width..][..width];
                // Its residual is zero before `col`, its factors are zero behind its own.
                add_multiple(&mut sums[col..n], factor, &pivot[col..n]);
                add_multiple(&mut sums[n..n + j + 1], factor, &pivot[n..n + j + 1]);
            }
            line.iter_mut().zip(&sums).for_each(|(x, &sum)| *x = self.reduce(sum) as u32);
            if let Some(col) = line[..n].iter().position(|&x| x != 0) {
                line[n + pivots.len()] = 1;
                pivots.push(at);
                leaders.push((col, self.modulus.neg(self.modulus.inv(line[col].into()))));
            }
        }
        pivots
    }

    /// The body of [`Kernel::combine`], with tiles of 4 rows by `W` columns held in registers.
    #[inline(always)]
    fn combine_body<const W: usize>(&self, targets: &mut [Target<'_, u32>], panel: &[&[u32]]) {
        let split = panel.len() >= terms_in_one_word(self.modulus);
        let mut factors = Vec::with_capacity(panel.len());
        for group in targets.chunks_mut(4) {
            match (group, split) {
                ([a, b, c, d], false) => self.group::<4, W, false>([a, b, c, d], panel, &mut factors),
                ([a, b, c, d], true) => self.group::<4, W, true>([a, b, c, d], panel, &mut factors),
                (rest, split) => {
                    let mut factors = Vec::with_capacity(panel.len());
                    for target in rest {
                        match split {
                            false => self.group::<1, W, false>([target], panel, &mut factors),
                            true => self.group::<1, W, true>([target], panel, &mut factors),
                        }
                    }
                }
            }
        }
    }

    /// `factors` is scratch: those of each row of the panel together.
    #[inline(always)]
    fn group<const R: usize, const W: usize, const SPLIT: bool>(
        &self,
        targets: [&mut Target<'_, u32>; R],
        panel: &[&[u32]],
        factors: &mut Vec<[u32; R]>,
    ) {
        factors.clear();
        factors.extend((0..panel.len()).map(|j| std::array::from_fn(|i| targets[i].factors[j])));
        let mut rows = targets.map(|target| &mut *target.row);
        let (len, mut at) = (rows[0].len(), 0);
        while at + W <= len {
            self.tile::<R, W, SPLIT>(&mut rows, at, panel, factors);
            at += W;
        }
        while at + 8 <= len {
            self.tile::<R, 8, SPLIT>(&mut rows, at, panel, factors);
            at += 8;
        }
        while at < len {
            self.tile::<R, 1, SPLIT>(&mut rows, at, panel, factors);
            at += 1;
        }
    }

    /// Columns `at .. at + W` of `R` rows.
    #[inline(always)]
    fn tile<const R: usize, const W: usize, const SPLIT: bool>(
        &self,
        rows: &mut [&mut [u32]; R],
        at: usize,
        panel: &[&[u32]],
        factors: &[[u32; R]],
    ) {
        let (mut low, mut high) = ([[0u64; W]; R], [[0u64; W]; R]);
        for i in 0..R {
            let row: &[u32; W] = rows[i][at..at + W].try_into().expect("W columns");
            add_products::<W, SPLIT>(&mut low[i], &mut high[i], self.scale as u32, row);
        }
        for (pivot, factors) in panel.iter().zip(factors) {
            let pivot: &[u32; W] = pivot[at..at + W].try_into().expect("W columns");
            for i in 0..R {
                add_products::<W, SPLIT>(&mut low[i], &mut high[i], factors[i], pivot);
            }
        }
        for i in 0..R {
            let row: &mut [u32; W] = (&mut rows[i][at..at + W]).try_into().expect("W columns");
            for c in 0..W {
                // After the first step at most 2³² + p, or p + r + 1 halves of products; so the second one ends below
                // 2p.
                row[c] = self.fold(self.step(high[i][c].wrapping_add(self.step(low[i][c])))) as u32;
            }
        }
    }
}

/// The products of a factor with W residues to their sums: whole, or halves apart.
#[inline(always)]
fn add_products<const W: usize, const SPLIT: bool>(
    low: &mut [u64; W],
    high: &mut [u64; W],
    factor: u32,
    row: &[u32; W],
) {
    for c in 0..W {
        let product = u64::from(factor) * u64::from(row[c]);
        if SPLIT {
            low[c] = low[c].wrapping_add(product & LOW);
            high[c] = high[c].wrapping_add(product >> 32);
        } else {
            low[c] = low[c].wrapping_add(product);
        }
    }
}

/// sums + factor·row, within the budget of the sums; the factor is a residue.
#[inline(always)]
fn add_multiple(sums: &mut [u64], factor: u64, row: &[u32]) {
    for (sum, &x) in sums.iter_mut().zip(row) {
        *sum = sum.wrapping_add(u64::from(factor as u32) * u64::from(x));
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
    fn eliminate(&self, work: &mut [u32], width: usize, n: usize) -> Vec<usize> {
        self.isa.run(Eliminate { kernel: self, work, width, n })
    }
    fn prepare(&self, factors: &mut [u32]) {
        for f in factors {
            *f = self.fold(self.step(u64::from(*f) * self.to_scaled)) as u32;
        }
    }
    fn combine(&self, targets: &mut [Target<'_, u32>], panel: &[&[u32]]) {
        match self.isa {
            // 32 registers hold the sums of more columns.
            Isa::Avx512 => self.isa.run(Combine::<32> { kernel: self, targets, panel }),
            Isa::Avx2 | Isa::Portable => self.isa.run(Combine::<8> { kernel: self, targets, panel }),
        }
    }
}

#[cfg(test)]
#[path = "word_kernel_tests.rs"]
mod tests;
