//! Determinants of many small matrices mod p at once: the values of det F at thousands of points.
//!
//! Each matrix is eliminated row by row, and a row is reduced by all rows above it with delayed reduction: an entry is
//! reduced when it is needed, or when the budget of its accumulator is spent. The matrices of a group advance in step,
//! so that one inversion mod p serves the pivots of all (Montgomery's trick).

use crate::field::{Accumulator, DelayBudget, Modulus};
use crate::isa::{Isa, Kernel};
use rayon::prelude::*;

/// Matrices that share their inversions.
const GROUP: usize = 16;
/// Shortest budget with which 64-bit sums pay.
const LEAST_TERMS: usize = 8;

/// The determinants of the s × s row-major matrices of residues that lie one after the other in `matrices`; s = 0 is
/// not a size. Parallel over the matrices.
///
/// # Panics
/// If s = 0 or the number of entries is no multiple of s².
pub fn determinants(modulus: Modulus, s: usize, matrices: &[u64]) -> Vec<u64> {
    assert!(s > 0 && matrices.len().is_multiple_of(s * s), "{} entries for {s} x {s} matrices", matrices.len());
    let narrow = DelayBudget::plain(modulus, Accumulator::U64).products();
    let groups = matrices.par_chunks(GROUP * s * s);
    groups
        .flat_map_iter(|group| {
            if narrow > LEAST_TERMS {
                Isa::best().run(Group::<u32, u64> { modulus, s, budget: narrow - 1, group, types: Default::default() })
            } else {
                let budget = DelayBudget::plain(modulus, Accumulator::U128).products() - 1;
                Isa::best().run(Group::<u64, u128> { modulus, s, budget, group, types: Default::default() })
            }
        })
        .collect()
}

/// A residue as it is stored, with the sums of its products.
trait Store<Sum>: Copy + Default {
    fn store(residue: u64) -> Self;
    fn residue(self) -> u64;
    fn load(residue: u64) -> Sum;
    fn add_product(sum: &mut Sum, a: Self, b: Self);
    fn reduce(modulus: Modulus, sum: Sum) -> u64;
}

impl Store<u64> for u32 {
    #[inline(always)]
    fn store(residue: u64) -> u32 {
        residue as u32
    }
    #[inline(always)]
    fn residue(self) -> u64 {
        self as u64
    }
    #[inline(always)]
    fn load(residue: u64) -> u64 {
        residue
    }
    #[inline(always)]
    fn add_product(sum: &mut u64, a: u32, b: u32) {
        *sum += a as u64 * b as u64;
    }
    #[inline(always)]
    fn reduce(modulus: Modulus, sum: u64) -> u64 {
        modulus.reduce(sum)
    }
}

impl Store<u128> for u64 {
    #[inline(always)]
    fn store(residue: u64) -> u64 {
        residue
    }
    #[inline(always)]
    fn residue(self) -> u64 {
        self
    }
    #[inline(always)]
    fn load(residue: u64) -> u128 {
        residue as u128
    }
    #[inline(always)]
    fn add_product(sum: &mut u128, a: u64, b: u64) {
        *sum += a as u128 * b as u128;
    }
    #[inline(always)]
    fn reduce(modulus: Modulus, sum: u128) -> u64 {
        modulus.reduce_u128(sum)
    }
}

struct Group<'a, R, Sum> {
    modulus: Modulus,
    s: usize,
    /// Products that an accumulator takes on top of one residue.
    budget: usize,
    group: &'a [u64],
    types: std::marker::PhantomData<(R, Sum)>,
}

impl<R: Store<Sum>, Sum: Copy + Default> Kernel for Group<'_, R, Sum> {
    type Output = Vec<u64>;

    #[inline(always)]
    fn run(self) -> Vec<u64> {
        let (m, s) = (self.modulus, self.s);
        let count = self.group.len() / (s * s);
        // Rows of U, already reduced, and where each column of a matrix has gone.
        let mut upper = vec![R::default(); self.group.len()];
        let mut column: Vec<usize> = (0..count).flat_map(|_| 0..s).collect();
        let (mut det, mut inverse) = (vec![1; count], vec![0; count * s]);
        let mut sum = vec![Sum::default(); s];
        let mut pivots = vec![1; count];
        for i in 0..s {
            for g in 0..count {
                if det[g] == 0 {
                    continue;
                }
                let row = &self.group[(g * s + i) * s..][..s];
                let column = &mut column[g * s..][..s];
                sum.iter_mut().zip(column.iter()).for_each(|(x, &j)| *x = R::load(row[j]));
                let mut taken = 0;
                for k in 0..i {
                    let a = R::reduce(m, sum[k]);
                    let factor = R::store(m.neg(m.mul(a, inverse[g * s + k])));
                    if taken == self.budget {
                        sum[k + 1..].iter_mut().for_each(|x| *x = R::load(R::reduce(m, *x)));
                        taken = 0;
                    }
                    let own = &upper[(g * s + k) * s..][..s];
                    sum[k + 1..].iter_mut().zip(&own[k + 1..]).for_each(|(x, &u)| R::add_product(x, factor, u));
                    taken += 1;
                }
                let own = &mut upper[(g * s + i) * s..][..s];
                for j in i..s {
                    own[j] = R::store(R::reduce(m, sum[j]));
                }
                let Some(pivot) = (i..s).find(|&j| own[j].residue() != 0) else {
                    (det[g], pivots[g]) = (0, 1);
                    continue;
                };
                pivots[g] = own[pivot].residue();
                det[g] = m.mul(det[g], pivots[g]);
                if pivot != i {
                    det[g] = m.neg(det[g]);
                    column.swap(i, pivot);
                    (0..=i).for_each(|k| upper[(g * s + k) * s..][..s].swap(i, pivot));
                }
            }
            // One inversion for all: 1/x_g = (x_0 … x_{g-1}) · 1/(x_0 … x_g).
            let mut product = 1;
            for (g, &x) in pivots.iter().enumerate() {
                inverse[g * s + i] = product;
                product = m.mul(product, x);
            }
            let mut rest = m.inv(product);
            for (g, &x) in pivots.iter().enumerate().rev() {
                inverse[g * s + i] = m.mul(inverse[g * s + i], rest);
                rest = m.mul(rest, x);
            }
        }
        det
    }
}
