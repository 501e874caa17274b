//! Chessboard complexes: the faces are the placements of non-attacking rooks on an m × n board.
//!
//! `chM-N-bK` is the boundary matrix ∂_K: rows are the placements of K+1 rooks, columns those of K, entry (-1)ⁱ where
//! the i-th rook is dropped. A placement is its set R of board rows and the sequence C of their columns; placements are
//! in the lexicographic order of (R, C), so that a placement's position is computed instead of looked up: position(R) ·
//! n(n-1)…(n-r+1) + position(C).
//!
//! Ranks over ℚ come from the Betti numbers of J. Friedman and P. Hanlon, *On the Betti numbers of chessboard
//! complexes*, J. Algebraic Combin. 8 (1998); see [`rank`] for what is known mod p.

use super::assemble::{Shape, constant_rows};
use super::combinatorics::{Subsets, binomial, falling_factorial, product};
use super::complex::{boundary_ranks, sign, torsion_free_by_spectrum};
use super::partitions::{conjugate, contains_rectangle, partitions, specht_dimension, with_column};
use crate::field::Modulus;
use crate::sparse::Triplets;
use crate::{Error, Result};
use num_bigint::BigUint;

/// The number of placements of r rooks.
fn placements(m: usize, n: usize, r: usize) -> Option<u128> {
    let (m, n, r) = (m as u128, n as u128, r as u128);
    product([binomial(m, r), falling_factorial(n, r)])
}

/// The boundary matrix ∂_k of the m × n chessboard complex.
pub(super) fn boundary(m: usize, n: usize, k: usize) -> Result<Triplets> {
    let r = k + 1;
    if r > m.min(n) {
        let hint = match m.min(n) {
            0 => "a board needs at least one row and one column".to_string(),
            least => format!("the largest boundary matrix of this board is b{}", least - 1),
        };
        return Err(Error::Usage(format!("{r} rooks do not fit on a {m} x {n} board; {hint}")));
    }
    let rows = placements(m, n, r);
    let shape = Shape::checked(rows, placements(m, n, k), product([rows, Some(r as u128)]))?;
    let tables = Subsets::new(m, r);
    // sequences[i] · (…): the number of ways to continue a sequence of columns whose first i + 1 members are fixed.
    let continuations =
        |r: usize| -> Vec<u64> { (1..=r).map(|i| ((n - r + 1)..=(n - i)).map(|x| x as u64).product()).collect() };
    let (long, short) = (continuations(r), continuations(k));
    let (long_all, short_all) = (long[0] * n as u64, short.first().map_or(1, |s| s * n as u64));
    constant_rows(
        shape,
        || (vec![0usize; r], vec![0usize; r]),
        |(board_rows, board_cols), i, cols, values| {
            let mut at = 0;
            tables.unrank_within(m, r, i as u64 / long_all, |x| {
                board_rows[at] = x;
                at += 1;
            });
            unrank_sequence(&long, i as u64 % long_all, board_cols);
            // Dropping a later rook gives an earlier placement: the columns ascend from the last rook to the first.
            for (slot, dropped) in (0..r).rev().enumerate() {
                let rooks = (0..r).filter(|&j| j != dropped);
                let rows_place = tables.rank(k, rooks.clone().map(|j| board_rows[j]));
                let cols_place = rank_sequence(&short, rooks.map(|j| board_cols[j]));
                cols[slot] = (rows_place * short_all + cols_place) as u32;
                values[slot] = sign(dropped);
            }
        },
    )
}

/// The position of a sequence of distinct numbers among all such sequences, in lexicographic order.
fn rank_sequence(continuations: &[u64], sequence: impl Iterator<Item = usize> + Clone) -> u64 {
    let term = |(i, (x, &ways)): (usize, (usize, &u64))| {
        let smaller_before = sequence.clone().take(i).filter(|&y| y < x).count();
        (x - smaller_before) as u64 * ways
    };
    sequence.clone().zip(continuations).enumerate().map(term).sum()
}

/// The sequence of distinct numbers at the given position.
fn unrank_sequence(continuations: &[u64], mut place: u64, sequence: &mut [usize]) {
    for i in 0..sequence.len() {
        let mut x = (place / continuations[i]) as usize;
        place %= continuations[i];
        // The x-th number not yet used. Passing the used ones in ascending order, each one that is ≤ x shifts it.
        let mut floor = 0;
        while let Some(used) = sequence[..i].iter().copied().filter(|&y| floor <= y && y <= x).min() {
            floor = used + 1;
            x += 1;
        }
        sequence[i] = x;
    }
}

/// dim H̃_{r-1}(M_{m,n}; ℚ): the sum of dim(λ + column of m-r) · dim(λ' + column of n-r) over the partitions λ of r
/// that contain an (m-r) × (n-r) rectangle but no (m-r+1) × (n-r+1) rectangle (Friedman and Hanlon 1998, theorem 3).
fn betti(m: usize, n: usize, r: usize) -> BigUint {
    let (a, b) = (m - r, n - r);
    let contributes = |l: &Vec<usize>| contains_rectangle(l, a, b) && !contains_rectangle(l, a + 1, b + 1);
    let module =
        |l: Vec<usize>| specht_dimension(&with_column(&l, a)) * specht_dimension(&with_column(&conjugate(&l), b));
    // A rectangle of more than r cells fits into no partition of r.
    if a * b > r { BigUint::ZERO } else { partitions(r).into_iter().filter(contributes).map(module).sum() }
}

/// The rank of ∂_k over ℚ (`None`), or mod p where it is known to be the same.
///
/// Over ℚ always known. Mod p the rank differs from the rational one by the number of p-torsion summands of H̃_{k-1}(·;
/// ℤ), and is returned where these are known to be absent:
/// - k ≤ 1 (H̃₀ is free), or k ≤ ν - 1 with ν = min(m, n, ⌊(m+n+1)/3⌋): the complex is (ν-2)-connected (Björner,
///   Lovász, Vrećica, Živaljević, *Chessboard complexes and matching complexes*, 1994);
/// - p greater than the largest Laplacian eigenvalue: see [`torsion_free_by_spectrum`].
///
/// Elsewhere (small p, high k) torsion does occur: ch5-5-b3 has rank 424 over ℚ and 423 mod 3.
pub(super) fn rank(m: usize, n: usize, k: usize, p: Option<Modulus>) -> Option<usize> {
    if k + 1 > m.min(n) {
        return None;
    }
    let connectivity = m.min(n).min((m + n + 1) / 3);
    let degree = product([Some(k as u128 + 1), Some((m - k) as u128), Some((n - k) as u128)])?;
    let vertices = m as u128 * n as u128;
    let exact = p.is_none_or(|p| k <= 1 || k < connectivity || torsion_free_by_spectrum(p, degree.min(vertices)));
    if !exact {
        return None;
    }
    boundary_ranks(k, |r| placements(m, n, r), |r| betti(m, n, r))
}
