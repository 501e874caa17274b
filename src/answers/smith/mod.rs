//! The Smith normal form over ℤ of an integer matrix: A = U·diag(s₁, …, s_r, 0, …)·V with unimodular U and V, sᵢ > 0
//! and sᵢ | sᵢ₊₁. The sᵢ are the invariant factors, and ℤᶜ/(rows of A) ≅ ⊕ ℤ/sᵢ ⊕ ℤᶜ⁻ʳ.
//!
//! 1. **Units** ([`units`]): an entry ±1 is split off, A ~ (1) ⊕ A', by integer row and column operations (for a
//!    boundary matrix: algebraic Morse reduction). What is left falls into components ([`pieces`]), whose common
//!    divisors go into the factors: a component g·B has g times the invariant factors of B, and B may have units again.
//! 2. **A core** that has none ([`core`]): its rank r by [`rational_rank`](crate::answers::rational_rank), a minor of
//!    order r that is not 0, and elimination in ℤ/N ([`modular`]), N twice that minor, which s_r divides.
//!
//! All but the rank is exact: the form is proven if the rank over ℚ of every core is, and otherwise as sure as those.

mod answer;
mod bound;
mod core;
mod diagonal;
mod entry;
mod lift;
mod local;
mod modular;
mod pieces;
mod structural;
#[cfg(test)]
mod tests;
mod units;

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
    /// rank over ℚ.
    pub rank: RankOptions,
    /// The error probability that ranks may have if nothing is proven.
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
