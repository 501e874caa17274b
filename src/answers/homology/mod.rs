//! Homology and cohomology of chain complexes over ℤ, over ℚ and over prime fields: [`homology()`].
//!
//! With boundaries D_k (a row for each k-cell, f_k of these), r_k = rank D_k over the coefficients:
//!
//! - **β_k = f_k - r_k - r_{k+1}**, over a field the dimension of H_k and of Hᵏ, over ℤ the rank of both;
//! - over ℤ the torsion of H_k is ⊕ ℤ/d for the invariant factors d > 1 of D_{k+1}, that of Hᵏ those of D_k: the
//!   torsion moves up by a degree (J. R. Munkres, *Elements of Algebraic Topology*, 1984, theorems 11.5 and 53.1).
//!
//! ∂∂ = 0 is checked exactly first. Cells that unit pivots pair are left out of the neighbouring boundaries for all
//! coefficients at once (`clearing`). The ranks are those of [`rank()`](super::rank()) and
//! [`rational_rank`](super::rational_rank), the invariant factors those of [`smith()`](super::smith()).
//!
//! **Certainty.** No rank found exceeds the true one, and the true ones have r_k + r_{k+1} ≤ f_k. So where β_k comes
//! out as 0, both ranks are proven, however they were found (`over`). If several coefficients are asked for, they are
//! held against each other: the rank mod p is the number of invariant factors that p does not divide.

mod clearing;
mod coefficients;
mod groups;
mod over;
mod run;
#[cfg(test)]
mod tests;

pub use coefficients::Coefficients;
pub use groups::{Group, Groups};
pub use run::homology;

use super::RankOptions;
use crate::report::Phases;
use crate::setters::setters;

/// How homology is computed.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct HomologyOptions {
    /// The coefficients, in the order of the answers; ℤ by default.
    pub coefficients: Vec<Coefficients>,
    /// Cohomology instead.
    pub cohomology: bool,
    /// How each rank is computed; `proven` demands a proof of every group.
    pub rank: RankOptions,
}

impl Default for HomologyOptions {
    fn default() -> Self {
        HomologyOptions { coefficients: vec![Coefficients::Integers], cohomology: false, rank: RankOptions::default() }
    }
}

setters!(HomologyOptions {
    coefficients: impl Into<Vec<Coefficients>>,
    cohomology: bool,
    rank: RankOptions,
});

/// The homology of a chain complex.
#[derive(Clone, Debug)]
#[must_use]
#[non_exhaustive]
pub struct Homology {
    /// The groups over each of the coefficients asked for, in their order.
    pub over: Vec<Groups>,
    /// How many pairs of cells in neighbouring degrees were left out for all coefficients.
    pub pairs: usize,
    /// Seconds of the phases.
    pub phases: Phases,
}
