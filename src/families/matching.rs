//! Matching complexes: the faces are the sets of disjoint q-subsets of n points (q = 2: matchings of the complete graph
//! K_n).
//!
//! `mkN-bK` (q = 2) and `shar_te2-bK` = `m133-bK` (q = 3, n = 13) are boundary matrices ∂_K: rows are the sets of K+1
//! disjoint blocks, columns those of K, entry (-1)ⁱ where the i-th block is dropped. Blocks are ordered
//! lexicographically, which for disjoint ones is the order of their least points, and faces lexicographically as
//! sequences of blocks. With M(f, r) = f! / ((f-qr)! q!ʳ r!) sets of r blocks on f points, the number of faces whose
//! first block starts below the t-th free point is M(f, r) - M(f-t, r): the position of a face is computed instead of
//! looked up.
//!
//! Ranks for q = 2 come from the Betti numbers of S. Bouc, *Homologie de certains ensembles de 2-sous-groupes des
//! groupes symétriques*, J. Algebra 150 (1992); see [`rank`].

use super::assemble::{Shape, constant_rows};
use super::combinatorics::{Subsets, binomial, product};
use super::complex::{boundary_ranks, sign, torsion_free_by_spectrum};
use super::partitions::{self_conjugate_partitions, specht_dimension};
use crate::field::Modulus;
use crate::sparse::Triplets;
use crate::{Error, Result};
use num_bigint::BigUint;

/// M(f, r): the number of sets of r disjoint q-subsets of f points; `None` if that exceeds 128 bits.
fn block_sets(f: usize, q: usize, r: usize) -> Option<u128> {
    // Of the q r chosen points, the block of the least one is completed from the others, block by block.
    let blocks = (1..=r).try_fold(1u128, |c, i| c.checked_mul(binomial((q * i - 1) as u128, q as u128 - 1)?))?;
    product([binomial(f as u128, (q * r) as u128), Some(blocks)])
}

/// Tables to rank and unrank sets of at most rmax disjoint q-subsets of n points.
struct Places {
    n: usize,
    q: usize,
    subsets: Subsets,
    /// M(f, r) at `r * (n + 1) + f`.
    counts: Vec<u64>,
}

impl Places {
    /// The caller has checked that M(n, r) fits for r ≤ rmax; M grows with n, so that smaller ones fit too.
    fn new(n: usize, q: usize, rmax: usize) -> Self {
        let count = |r, f| block_sets(f, q, r).and_then(|x| u64::try_from(x).ok()).expect("checked with the shape");
        let counts = (0..=rmax).flat_map(|r| (0..=n).map(move |f| (r, f))).map(|(r, f)| count(r, f)).collect();
        Places { n, q, subsets: Subsets::new(n, q - 1), counts }
    }

    fn count(&self, f: usize, r: usize) -> u64 {
        self.counts[r * (self.n + 1) + f]
    }

    /// The position of a set of r blocks. `points` lists it block by block (ordered by least point, ascending within).
    fn rank(&self, r: usize, points: impl Iterator<Item = usize> + Clone) -> u64 {
        let (mut place, mut low) = (0, 0);
        for b in 0..r {
            let used = points.clone().take(b * self.q);
            // Position of a point among the free points from `low` on.
            let position = |x: usize| x - low - used.clone().filter(|&u| low <= u && u < x).count();
            let block = points.clone().skip(b * self.q).take(self.q);
            let least = block.clone().next().expect("blocks are not empty");
            let (free, left) = (position(self.n), r - b);
            let t = position(least);
            let others = self.subsets.rank_within(free - t - 1, self.q - 1, block.skip(1).map(|x| position(x) - t - 1));
            place += self.count(free, left) - self.count(free - t, left);
            place += others * self.count(free - t - self.q, left - 1);
            low = least + 1;
        }
        place
    }

    /// Writes the set of r blocks at the given position into `points`; `free` is working space.
    fn unrank(&self, r: usize, mut place: u64, points: &mut Vec<usize>, free: &mut Vec<usize>) {
        points.clear();
        free.clear();
        free.extend(0..self.n);
        for left in (1..=r).rev() {
            let all = self.count(free.len(), left);
            let mut t = 0;
            while all - self.count(free.len() - t - 1, left) <= place {
                t += 1;
            }
            place -= all - self.count(free.len() - t, left);
            points.push(free[t]);
            free.drain(..=t);
            let after = self.count(free.len() + 1 - self.q, left - 1);
            let first = points.len();
            self.subsets.unrank_within(free.len(), self.q - 1, place / after, |x| points.push(free[x]));
            place %= after;
            free.retain(|x| !points[first..].contains(x));
        }
    }
}

/// The boundary matrix ∂_k of the complex of disjoint q-subsets of n points.
pub(super) fn boundary(n: usize, q: usize, k: usize) -> Result<Triplets> {
    let r = k + 1;
    if q * r > n {
        let hint = match n / q {
            0 => format!("at least {q} points are needed"),
            most => format!("the largest boundary matrix of {n} points is b{}", most - 1),
        };
        return Err(Error::Usage(format!("{r} disjoint blocks of {q} points need {} points; {hint}", q * r)));
    }
    let rows = block_sets(n, q, r);
    let shape = Shape::checked(rows, block_sets(n, q, k), product([rows, Some(r as u128)]))?;
    let places = Places::new(n, q, r);
    constant_rows(
        shape,
        || (Vec::new(), Vec::new()),
        |(points, free), i, cols, values| {
            places.unrank(r, i as u64, points, free);
            // Dropping a later block gives an earlier face: the columns ascend from the last block to the first.
            for (slot, dropped) in (0..r).rev().enumerate() {
                let (before, after) = (&points[..dropped * q], &points[(dropped + 1) * q..]);
                cols[slot] = places.rank(k, before.iter().chain(after).copied()) as u32;
                values[slot] = sign(dropped);
            }
        },
    )
}

/// dim H̃_{r-1}(M_n; ℚ): the sum of the dimensions of the self-conjugate partitions of n with Durfee square of side n -
/// 2r (Bouc 1992).
fn betti(n: usize, r: usize) -> BigUint {
    let side = n - 2 * r;
    if side * side > n {
        BigUint::ZERO
    } else {
        self_conjugate_partitions(n, side).iter().map(|l| specht_dimension(l)).sum()
    }
}

/// The rank of ∂_k over ℚ (`None`), or mod p where it is known to be the same.
///
/// - k ≤ ν = ⌊(n-q)/(q+1)⌋: the complex is (ν-1)-connected (C. Athanasiadis, *Decompositions and connectivity of
///   matching and chessboard complexes*, 2004; for q = 2 Björner, Lovász, Vrećica, Živaljević 1994): any p.
/// - q = 2: over ℚ always; for k ≤ 1 any p (H̃₀ is free); for larger k, mod p if p is greater than the largest
///   Laplacian eigenvalue ([`torsion_free_by_spectrum`]). For smaller p torsion does occur: mk9-b3 has rank 875 over ℚ
///   and 867 mod 3.
/// - q = 3 beyond ν: not known, `None`.
pub(super) fn rank(n: usize, q: usize, k: usize, p: Option<Modulus>) -> Option<usize> {
    if q * (k + 1) > n {
        return None;
    }
    let connectivity = (n - q) / (q + 1);
    let faces = |r| block_sets(n, q, r);
    if k <= connectivity {
        return boundary_ranks(k, faces, |_| BigUint::ZERO);
    }
    if q != 2 {
        return None;
    }
    let degree = product([Some(k as u128 + 1), binomial((n - 2 * k) as u128, 2)])?;
    let exact =
        p.is_none_or(|p| k <= 1 || torsion_free_by_spectrum(p, degree.min(binomial(n as u128, 2).unwrap_or(0))));
    if exact { boundary_ranks(k, faces, |r| betti(n, r)) } else { None }
}
