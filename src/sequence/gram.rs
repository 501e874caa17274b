//! Sequences that are projected by themselves: Y = D₁⁻¹X, and two terms come of each product.
//!
//! B = D₁·M with a symmetric M ([`Diagonals`]), so that BᵀD₁⁻¹ = M = D₁⁻¹B: B is self-adjoint for the form xᵀD₁⁻¹y.
//! With Xⱼ = BʲX the terms Sᵢ = YᵀBⁱ⁺¹X are Gram matrices of the blocks at hand,
//!
//! > S₂ⱼ = XⱼᵀD₁⁻¹Xⱼ₊₁,  S₂ⱼ₊₁ = Xⱼ₊₁ᵀD₁⁻¹Xⱼ₊₁,
//!
//! where a Y of its own gives one term for each product. This is what C. Lanczos (1950) does with one vector.
//!
//! **Never above the rank, and expected below it no more often.** A block Hankel matrix of the terms is
//! KᵀMK for K = (X, BX, B²X, …): at most of rank M. It is of rank M if the columns of K and ker M, the radical of the
//! form M, span everything, whatever the characteristic: X alone has to be generic, where a Y drawn beside it has to be
//! generic, too. What that makes of the bound: [`rank_failure`](crate::certify::rank_failure).
//!
//! A pair of terms takes two products AᵀB of n × s matrices: more than a sparse projection, which pays where products
//! with B take longer than that.

use super::projection::combine_digits;
use crate::blackbox::Diagonals;
use crate::dense::{Entry, add_tall_product};
use crate::field::{Field, Modulus, Rng};
use crate::isa::{Isa, Kernel};
use crate::parallel::Each;
use crate::spmv::{Block, DigitScaling, Lanes};
use crate::{Error, Result, memory};
use rayon::prelude::*;
use std::ops::Range;

/// Rows that are weighted at a time.
const ROWS: usize = 1 << 10;
/// What the memory is for.
const WHAT: &str = "Gram matrices of a sequence";

/// Refuses s × s terms that are not symmetric, as all are where B = D₁·M with a symmetric M: products with A and with
/// Aᵀ that are not of one matrix, whose sequence could have a generator of any degree.
///
/// # Errors
/// [`Error::Check`].
pub(super) fn check_symmetric<E: PartialEq>(terms: &[E], s: usize) -> Result<()> {
    let symmetric = |term: &[E]| (0..s).all(|i| (0..i).all(|j| term[i * s + j] == term[j * s + i]));
    match terms.chunks_exact(s * s).all(symmetric) {
        true => Ok(()),
        false => Err(Error::Check("the products with a matrix and with its transpose are not of one matrix".into())),
    }
}

/// The form D₁⁻¹ over K = GF(pᵏ).
#[derive(Debug)]
pub struct Gram {
    modulus: Modulus,
    degree: usize,
    /// D₁⁻¹ by digits, as [`Diagonals::factors`] gives diagonals.
    weights: Vec<u64>,
    /// For k > 1 the same for [`ROWS`] rows each, once there are blocks.
    scalings: Vec<DigitScaling>,
}

impl Gram {
    /// Columns of a block by which a residue that is weighted could be multiplied instead, for predictions.
    pub const WEIGHING: usize = 64;

    /// That of B.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    ///
    /// # Panics
    /// If `field` is not that of the diagonals.
    pub fn of<F: Field>(field: &F, diagonals: &Diagonals) -> Result<Self> {
        let weights = diagonals.outer_inverse(field)?;
        Ok(Gram { modulus: field.modulus(), degree: field.degree(), weights, scalings: vec![] })
    }
    /// That of a random B of order n, to see how long it takes.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    pub fn random<F: Field>(field: &F, n: usize, rng: &mut Rng) -> Result<Self> {
        Self::of(field, &Diagonals::random(field, n, n, false, rng)?)
    }
    /// D₁⁻¹ by digits.
    pub(super) fn weights(&self) -> &[u64] {
        &self.weights
    }
    /// The order of B.
    pub(super) fn order(&self) -> usize {
        self.weights.len() / (self.degree * self.degree)
    }

    /// Appends XᵀD₁⁻¹Z and ZᵀD₁⁻¹Z for Z = B·X: s × s elements of K each, row-major.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    ///
    /// # Panics
    /// If the blocks are not of the order of B, of one lane, and of rows of s elements.
    pub fn append<F: Field>(
        &mut self,
        field: &F,
        x: &Block,
        z: &Block,
        s: usize,
        out: &mut Vec<F::Elem>,
    ) -> Result<()> {
        let (n, k) = (self.order(), self.degree);
        let w = s * k;
        assert!(s > 0, "a sequence of blocks of at least one column");
        assert_eq!((x.rows(), z.rows(), x.width(), z.width()), (n, n, w, w), "blocks of the sequence");
        if k > 1 && self.scalings.is_empty() {
            let scaling = |some: &[u64]| DigitScaling::new(self.modulus, z.lane(), k, some);
            self.scalings = self.weights.chunks(ROWS * k * k).map(scaling).collect::<Result<_>>()?;
        }
        // As many rows for each thread.
        let chunks = n.div_ceil(ROWS);
        let tasks = rayon::current_num_threads().min(chunks).max(1);
        let of_task = |task: usize| self.sums(chunks * task / tasks..chunks * (task + 1) / tasks, (x, z));
        let sums = (0..tasks).into_par_iter().try_make(of_task)?;
        let add = |mut sum: Vec<u64>, other: &Vec<u64>| {
            sum.iter_mut().zip(other).for_each(|(x, &y)| *x = self.modulus.add(*x, y));
            sum
        };
        let all = sums[1..].iter().fold(sums[0].clone(), add);
        memory::reserve(out, 2 * s * s, WHAT)?;
        for first in [0, w] {
            // The terms are symmetric: whose digits are the rows makes no difference.
            let rows = all.chunks_exact(2 * w).flat_map(|row| &row[first..first + w]);
            let products = memory::collect(rows.copied(), WHAT)?;
            out.extend(combine_digits(field, (s, s), &products));
        }
        Ok(())
    }

    /// The products of the digits of D₁⁻¹Z by those of X and Z, side by side, over some of the chunks of rows.
    fn sums(&self, chunks: Range<usize>, (x, z): (&Block, &Block)) -> Result<Vec<u64>> {
        let (n, w) = (self.order(), z.width());
        let mut wide = memory::zeros::<u64>(2 * w * w, WHAT)?;
        let rows = chunks.start * ROWS..n.min(chunks.end * ROWS);
        // Both blocks side by side fill the columns of a tile where one is narrow.
        macro_rules! narrow {
            ($of:ty, $x:expr, $z:expr, $lane:ident) => {{
                let mut sums = memory::zeros::<$of>(2 * w * w, WHAT)?;
                let mut both = memory::zeros::<$of>(2 * w * ROWS.min(n), WHAT)?;
                for first in rows.step_by(ROWS) {
                    let count = ROWS.min(n - first);
                    let weighted = self.weighted(z, first, count)?;
                    let Lanes::$lane(weighted) = &weighted.lanes else { unreachable!("a copy has the same lanes") };
                    let part = first * w..(first + count) * w;
                    let pairs = $x[part.clone()].chunks_exact(w).zip($z[part].chunks_exact(w));
                    for (both, (x, z)) in both.chunks_exact_mut(2 * w).zip(pairs) {
                        both[..w].copy_from_slice(x);
                        both[w..].copy_from_slice(z);
                    }
                    let shape = (count, w, 2 * w);
                    add_tall_product::<$of>(self.modulus, shape, weighted, &both[..2 * w * count], &mut sums)?;
                }
                wide.iter_mut().zip(sums).for_each(|(to, x)| *to = x.into());
            }};
        }
        match (&x.lanes, &z.lanes) {
            (Lanes::U8(x), Lanes::U8(z)) => narrow!(u8, x, z, U8),
            (Lanes::U16(x), Lanes::U16(z)) => narrow!(u16, x, z, U16),
            (Lanes::U32(x), Lanes::U32(z)) => narrow!(u32, x, z, U32),
            (Lanes::U64(x), Lanes::U64(z)) => narrow!(u64, x, z, U64),
            _ => {
                // Floats hold integers: as these.
                for first in rows.step_by(ROWS) {
                    let count = ROWS.min(n - first);
                    let weighted = self.weighted(z, first, count)?.to_residues()?;
                    let mut both = memory::with_capacity(2 * w * count, WHAT)?;
                    for i in first..first + count {
                        x.push_row(i, w, &mut both);
                        z.push_row(i, w, &mut both);
                    }
                    add_tall_product(self.modulus, (count, w, 2 * w), &weighted, &both, &mut wide)?;
                }
            }
        }
        Ok(wide)
    }

    /// Rows of D₁⁻¹Z, from the first of a chunk on.
    fn weighted(&self, z: &Block, first: usize, count: usize) -> Result<Block> {
        let mut weighted = Block::zeros(z.lane(), count, z.width())?;
        weighted.copy_rows(0, z, first, count);
        if let Some(scaling) = self.scalings.get(first / ROWS) {
            scaling.apply(&mut weighted);
        } else {
            let (p, weights, width) = (self.modulus, &self.weights[first..first + count], z.width());
            match &mut weighted.lanes {
                Lanes::U8(rows) => Isa::best().run(Weigh { p, weights, width, rows }),
                Lanes::U16(rows) => Isa::best().run(Weigh { p, weights, width, rows }),
                Lanes::U32(rows) => Isa::best().run(Weigh { p, weights, width, rows }),
                Lanes::U64(rows) => Isa::best().run(Weigh { p, weights, width, rows }),
                _ => {
                    for (i, &weight) in weights.iter().enumerate() {
                        (0..width).for_each(|l| weighted.set(i, l, p.mul(weight, weighted.get(i, l))));
                    }
                }
            }
        }
        Ok(weighted)
    }
}

/// Multiplies each row by its weight.
struct Weigh<'a, T> {
    p: Modulus,
    weights: &'a [u64],
    width: usize,
    rows: &'a mut [T],
}

impl<T: Entry> Kernel for Weigh<'_, T> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let Weigh { p, weights, width, rows } = self;
        let modulus = p.get();
        for (row, &weight) in rows.chunks_exact_mut(width.max(1)).zip(weights) {
            // quotient ≤ weight·2ᵇ/p < quotient + 1, so that what is left of a residue below 2ᵇ is below 2p.
            if modulus < 1 << 16 {
                let (modulus, weight) = (modulus as u32, weight as u32);
                let quotient = (weight << 16) / modulus;
                for x in row {
                    let residue = (*x).into() as u32;
                    let rest = residue * weight - ((residue * quotient) >> 16) * modulus;
                    *x = T::from_residue(u64::from(if rest >= modulus { rest - modulus } else { rest }));
                }
            } else if modulus < 1 << 32 {
                let quotient = (weight << 32) / modulus;
                for x in row {
                    let residue: u64 = (*x).into();
                    let rest = residue * weight - ((residue * quotient) >> 32) * modulus;
                    *x = T::from_residue(if rest >= modulus { rest - modulus } else { rest });
                }
            } else {
                let weight = p.multiplier(weight);
                row.iter_mut().for_each(|x| *x = T::from_residue(p.mul_by((*x).into(), weight)));
            }
        }
    }
}
