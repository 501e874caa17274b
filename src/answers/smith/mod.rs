//! The Smith normal form over ℤ of an integer matrix: A = U·diag(s₁, …, s_r, 0, …)·V with unimodular U and V, sᵢ > 0
//! and sᵢ | sᵢ₊₁. The sᵢ are the invariant factors, and ℤᶜ/(rows of A) ≅ ⊕ ℤ/sᵢ ⊕ ℤᶜ⁻ʳ. Entry: [`smith`].
//!
//! 1. **Units**: an entry ±1 is split off, A ~ (1) ⊕ A', by integer row and column operations (for a boundary matrix:
//!    algebraic Morse reduction). First structural pivots, all in one pass ([`structural`]); then pivots of small
//!    Markowitz cost while entries stay words, and while they save more than they cost ([`units`], [`worth`]). What is
//!    left falls into components ([`pieces`]), whose common divisors go into the factors: a component g·B has g times
//!    those of B, and B may have units again.
//! 2. **A component that has none** ([`core`]; [`small`]): its rank r by [`rational_rank`](super::rational_rank), and a
//!    minor B of order r that is nonsingular mod a prime. Deleting lines multiplies invariant factors (interlacing: R.
//!    C. Thompson, *Interlacing inequalities for invariant factors*, Linear Algebra Appl. 24, 1979; E. Marques de Sá,
//!    *Imbedding conditions for λ-matrices*, the same volume): s_r | s_r(B), which divides det B.
//! 3. **A multiple of s_r that is proven** ([`bound`]): the common denominator s̃ of solutions of B·x = b and y·B = c,
//!    by p-adic lifting ([`lift`]), divides s_r(B). Either s̃·B⁻¹ turns out to be integral, so that s̃ = s_r(B); or
//!    det B = s̃·c is assembled from enough primes. Where both take long, more solutions bound the error that a prime
//!    is missed ([`unproven`]). What nobody can factor is compared with other minors ([`minors`], [`parts`]).
//! 4. **The power of each prime** that may divide more than one factor ([`powers`]): its rank if that says all; a
//!    projection of s̃·B⁻¹ if the lines beside B add nothing ([`projection`], [`beside`]); or elimination in ℤ/pᵏ with
//!    pivots of least valuation ([`local`]). At a divisor m of s̃ that is coprime to c, B is cyclic: s_r is found
//!    without factoring m ([`cyclic`]). What cannot be factored otherwise is projected as well, or left to elimination
//!    in ℤ/N by gcds ([`modular`]).
//!
//! **Certainty.** Each step but the rank, and a multiple that is not proven, is exact: lower bounds (a pivot, a
//! denominator) and upper ones (the multiple) meet. So the form is proven if the rank over ℚ and the multiple of every
//! component are, and otherwise as sure as those. Other random choices (the prime, the minor) change the time alone.
//!
//! Sources: J.-G. Dumas, B. D. Saunders, G. Villard, *On efficient sparse integer matrix Smith normal form
//! computations*, J. Symb. Comp. 32, 2001; J.-G. Dumas, F. Heckenbach, B. D. Saunders, V. Welker, *Computing simplicial
//! homology based on efficient Smith normal form algorithms*, 2003; W. Eberly, M. Giesbrecht, G. Villard, FOCS 2000.

mod answer;
mod beside;
mod bound;
mod buckets;
mod core;
mod cyclic;
mod diagonal;
mod entry;
mod kept_pieces;
mod lift;
mod local;
mod minors;
mod modular;
mod pace;
mod parts;
mod pieces;
mod powers;
mod projection;
mod several;
mod small;
mod structural;
#[cfg(test)]
mod tests;
mod units;
mod units_state;
mod unproven;
mod worth;

pub use answer::smith;

use super::{Phases, RankOptions};
use crate::Step;
use crate::certify::{Certainty, ErrorBound};
use crate::field::Modulus;
use crate::setters::setters;
use num_bigint::BigUint;

/// What may be asked of [`smith`].
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct SmithOptions {
    /// How ranks are computed: the seed, the memory and the prices count, and `proven`, which demands a proof of the
    /// rank over ℚ and of the primes that matter.
    pub rank: RankOptions,
    /// The error probability that the form may have if not all is proven.
    pub error: ErrorBound,
    /// Ask for the powers of this prime alone.
    pub local: Option<Modulus>,
}

impl Default for SmithOptions {
    fn default() -> Self {
        let error = ErrorBound::new(1e-12).expect("a probability");
        SmithOptions { rank: RankOptions::default(), error, local: None }
    }
}

setters!(SmithOptions {
    rank: RankOptions,
    error: ErrorBound,
    local: impl Into<Option<Modulus>>,
});

/// A Smith normal form.
#[derive(Clone, Debug)]
#[must_use]
#[non_exhaustive]
pub struct SmithForm {
    /// The rank over ℚ.
    pub rank: usize,
    /// The invariant factors in ascending order, each with its multiplicity: `rank` of them together. With
    /// [`SmithOptions::local`] the powers of that prime in them.
    pub factors: Vec<(BigUint, usize)>,
    /// How sure it is.
    pub certainty: Certainty,
    /// How sure it is that no factor lacks a prime, if the rank is right.
    pub(crate) primes: Certainty,
    /// What the certainty rests on.
    pub reason: String,
    /// The steps taken, in order.
    pub path: Vec<Step>,
    /// Seconds of the phases.
    pub phases: Phases,
}

impl SmithForm {
    /// The invariant factors other than 1, ascending, with their multiplicities: the torsion of ℤᶜ/(rows of A).
    pub fn torsion(&self) -> impl Iterator<Item = &(BigUint, usize)> {
        self.factors.iter().filter(|(s, _)| s.bits() > 1)
    }
}
