//! What boundary matrices of simplicial complexes have in common: the sign of a dropped vertex, ranks from face numbers
//! and Betti numbers, and what small primes can change.

use crate::field::Modulus;
use num_bigint::BigUint;

/// (-1)ⁱ, the sign with which dropping vertex i of a face enters its boundary.
pub(super) fn sign(i: usize) -> i64 {
    if i.is_multiple_of(2) { 1 } else { -1 }
}

/// The rank of ∂_k from rank ∂₀ = 1 and rank ∂_j = f_j - rank ∂_{j-1} - β̃_{j-1} (rank and nullity of ∂_{j-1}, with
/// homology between). `faces(r)` is the number of faces with r vertices, `betti(r)` the reduced Betti number of
/// dimension r - 1.
///
/// `None` when a number does not fit the machine.
pub(super) fn boundary_ranks(
    k: usize,
    faces: impl Fn(usize) -> Option<u128>,
    betti: impl Fn(usize) -> BigUint,
) -> Option<usize> {
    let mut rank = 1u128;
    for j in 1..=k {
        rank = faces(j)?.checked_sub(rank)?.checked_sub(u128::try_from(betti(j)).ok()?)?;
    }
    usize::try_from(rank).ok()
}

/// Whether the integral homology next to a boundary matrix ∂ has no p-torsion because every non-zero eigenvalue of ∂∂ᵀ
/// is an integer between 1 and `largest`, and p > `largest`.
///
/// Why: if p divides an invariant factor of ∂ (rank r), then p divides every r × r minor, hence also Σ minors² = the
/// product of the non-zero eigenvalues of ∂∂ᵀ (Cauchy–Binet); being integers in 1 … largest < p, none of them is
/// divisible by p. Integrality: Friedman and Hanlon 1998 for chessboard complexes, X. Dong and M. Wachs, *Combinatorial
/// Laplacian of the matching complex*, Electron. J. Combin. 9 (2002) for matching complexes. `largest` may be the
/// number of vertices (A. Duval and V. Reiner, *Shifted simplicial complexes are Laplacian integral*, 2002) or
/// Gershgorin's bound, the largest absolute row sum of ∂∂ᵀ or ∂ᵀ∂.
pub(super) fn torsion_free_by_spectrum(p: Modulus, largest: u128) -> bool {
    u128::from(p.get()) > largest
}
