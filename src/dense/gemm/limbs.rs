//! Products of residues of any size through `f64`: residues are cut into limbs of w bits, limbs are multiplied in
//! floating point, and the coefficients of 2^(wt) are put together mod p.
//!
//! With L limbs the coefficient t sums at most L products of matrices of limbs: exact while **L·k·(2^w - 1)² ≤ 2⁵³**.

use super::kernel::{Place, accumulate};
use crate::field::Modulus;
use rayon::prelude::*;

/// How residues are cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Limbs {
    modulus: Modulus,
    /// L.
    count: usize,
    /// w.
    width: u32,
}

/// Fewest terms for which a cut is worth its reductions.
const LEAST_TERMS: usize = 128;
/// Rows of C computed by one task.
const TILE_ROWS: usize = 64;

impl Limbs {
    /// The fewest limbs that leave at least 128 terms without a reduction: 1 up to 23 bits, 3 for 63 bits.
    pub(crate) fn new(modulus: Modulus) -> Self {
        (1..)
            .map(|count| Limbs { modulus, count, width: modulus.bits().max(1).div_ceil(count as u32) })
            .find(|limbs| limbs.terms() >= LEAST_TERMS)
            .expect("short limbs leave many terms")
    }
    /// The largest k with L·k·(2^w - 1)² ≤ 2⁵³.
    fn terms(self) -> usize {
        ((1u128 << 53) / (self.count as u128 * ((1u128 << self.width) - 1).pow(2))) as usize
    }
    /// Limb number `which` of every entry.
    fn plane(self, entries: impl Iterator<Item = u64>, which: usize) -> Vec<f64> {
        let (shift, mask) = (which as u32 * self.width, (1u64 << self.width) - 1);
        entries.map(|x| (x >> shift & mask) as f64).collect()
    }

    /// Calls `put(entry of C, (A·B) mod p)` for every entry, for A m × k, B k × n; with k beyond the exact number of
    /// terms several times, for parts of the sum. Parallel over tiles of rows.
    pub(crate) fn for_each_product(
        self,
        (m, k, n): (usize, usize, usize),
        (c, at): (&mut [u64], Place),
        (a, a_at): (&[u64], Place),
        (b, b_at): (&[u64], Place),
        put: impl Fn(&mut u64, u64) + Sync,
    ) {
        if m == 0 || n == 0 {
            return;
        }
        let end = at.offset + (m - 1) * at.stride + n;
        for start in (0..k).step_by(self.terms()) {
            let len = self.terms().min(k - start);
            let rows_of_b = (start..start + len).flat_map(|t| b[b_at.offset + t * b_at.stride..][..n].iter().copied());
            let b_planes: Vec<Vec<f64>> = (0..self.count).map(|i| self.plane(rows_of_b.clone(), i)).collect();
            c[at.offset..end].par_chunks_mut(TILE_ROWS * at.stride).enumerate().for_each(|(tile, c)| {
                let rows = c.len().div_ceil(at.stride);
                let rows_of_a = (0..rows).flat_map(|i| {
                    a[a_at.offset + (tile * TILE_ROWS + i) * a_at.stride + start..][..len].iter().copied()
                });
                let mut sums = vec![vec![0.0; rows * n]; 2 * self.count - 1];
                for i in 0..self.count {
                    let plane = self.plane(rows_of_a.clone(), i);
                    for (j, b) in b_planes.iter().enumerate() {
                        let place = Place::packed(n);
                        let first = i == 0 || j == self.count - 1; // the first product with this i + j
                        let keep = if first { 0.0 } else { 1.0 };
                        let sum = (sums[i + j].as_mut_slice(), place);
                        accumulate((rows, len, n), keep, sum, 1.0, (&plane, Place::packed(len)), (b, place), false);
                    }
                }
                for (i, row) in c.chunks_mut(at.stride).enumerate() {
                    for (j, c) in row[..n].iter_mut().enumerate() {
                        put(c, self.assemble(|t| sums[t][i * n + j] as u64));
                    }
                }
            });
        }
    }
    /// Σₜ sum(t)·2^(wt) mod p, by Horner's rule in steps of two: since w ≤ 23, 63 + 2w bits and (unreduced, at the top)
    /// 53 + 2w bits fit a word of 128.
    #[inline(always)]
    fn assemble(self, sum: impl Fn(usize) -> u64) -> u64 {
        let top = 2 * self.count - 2;
        let mut r = sum(top) as u128;
        for t in (0..top).step_by(2).rev() {
            if t + 2 < top {
                r = self.modulus.reduce_u128(r) as u128;
            }
            r = (r << (2 * self.width)) + ((sum(t + 1) as u128) << self.width) + sum(t) as u128;
        }
        self.modulus.reduce_u128(r)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_entries_survive_products_longer_than_the_exact_terms() {
        for p in
            [2, 3, 65521, (1 << 26) - 5, (1 << 31) - 1, 4_294_967_311, (1 << 44) - 17, (1 << 61) - 1, (1 << 63) - 25]
        {
            let modulus = Modulus::new(p).unwrap();
            let limbs = Limbs::new(modulus);
            let edge = limbs.terms().min(3000);
            for k in [0, 1, edge - 1, edge, edge + 1, 2 * edge + 3] {
                let (a, b) = (vec![p - 1; 2 * k], vec![p - 1; k * 3]);
                let mut c = vec![0; 6];
                let places = (Place::packed(3), Place::packed(k), Place::packed(3));
                limbs.for_each_product((2, k, 3), (&mut c, places.0), (&a, places.1), (&b, places.2), |c, x| {
                    *c = modulus.add(*c, x);
                });
                assert_eq!(c, [k as u64 % p; 6], "p = {p}, k = {k}, {limbs:?}");
            }
        }
    }

    #[test]
    fn limbs_cover_the_residues_and_one_more_term_would_not_be_exact() {
        for bits in 2..=63u32 {
            let p = crate::field::ntt_primes(bits, 0).next().unwrap();
            let limbs = Limbs::new(Modulus::new(p).unwrap());
            assert!(limbs.count as u32 * limbs.width >= limbs.modulus.bits() && limbs.width <= 23);
            let term = limbs.count as u128 * ((1u128 << limbs.width) - 1).pow(2);
            assert!(limbs.terms() as u128 * term <= 1 << 53 && (limbs.terms() as u128 + 1) * term > 1 << 53);
        }
    }
}
