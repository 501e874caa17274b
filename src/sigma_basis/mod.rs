//! Order bases (σ-bases) of matrix power series, and the minimal matrix generators that block Wiedemann takes from
//! them.
//!
//! For a series F ∈ K⟦x⟧^{m×n}, an order σ and a shift s ∈ ℤ^m, the row vectors p ∈ K\[x\]^m with p·F ≡ 0 mod x^σ form
//! a free module of rank m; an order basis P ∈ K\[x\]^{m×m} is a basis of it whose shifted row degrees δ_i = max_j (deg
//! P_ij + s_j) are minimal.
//!
//! | algorithm | cost | entry point |
//! | --- | --- | --- |
//! | M-Basis, one order at a time | quadratic in σ | [`m_basis`] |
//! | PM-Basis, divide and conquer | σ log² σ | [`pm_basis`] |
//! | shifted Popov form, the canonical basis | twice PM-Basis | [`popov`] |
//! | PM-Basis on a GPU, p < 2³¹ | likewise | [`GpuBases`] |
//! | check | σ | [`verify`] |
//! | matrix generator of a growing sequence | as PM-Basis | [`GeneratorSearch`] |
//!
//! Sources: Beckermann and Labahn 1994; Giorgi, Jeannerod and Villard, ISSAC 2003; Jeannerod, Neiger and Villard 2020.
//! Each file names its own.

mod cuda;
mod generator;
mod growth;
mod kernel;
mod m_basis;
mod order_basis;
mod pm_basis;
mod popov;
mod products;
mod residuals;
#[cfg(test)]
mod test_field;
#[cfg(test)]
mod tests;
mod trail;
mod verify;
mod word_kernel;

pub use cuda::{GpuBases, GpuBasis};
pub use generator::{Generator, GeneratorSearch};
pub use m_basis::m_basis;
pub use order_basis::{OrderBasis, is_ordered_weak_popov, is_popov, is_reduced, leading_matrix, row_degrees};
pub use pm_basis::{Params, pm_basis};
pub use popov::popov;
pub use residuals::residual_failure;
pub use verify::verify;
