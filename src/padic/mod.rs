//! Integer systems M·x = b over ℚ by p-adic lifting (J. D. Dixon, *Exact solution of linear equations using p-adic
//! expansions*, Numerische Mathematik 40, 1982), for a square M that is nonsingular mod p: a minor A\[I, J\] of a
//! sparse or dense integer matrix, entries of any size.
//!
//! ```text
//! decomposition: U, S mod p ──▶ System ──▶ digits xₖ = M⁻¹·rₖ mod p ──▶ x mod pᵏ ──Euclid──▶ d ──▶ y = d·x
//!                                             rₖ₊₁ = (rₖ - M·xₖ)/p
//! ```
//!
//! - **A digit** (`triangle`, `inverse`): the minor's triangular chain by substitution, what it leaves with the dense
//!   inverse mod p of its complement S, or by the factors of S.
//! - **The residual** (`layers`, `lifting`): M and b are written in radix p, M = Σ Mₜ·pᵗ with digits of absolute value
//!   up to p/2, so that rₖ = carry + bₖ - Σ Mₜ·xₖ₋ₜ stays a machine word whatever the size of the entries.
//! - **Fractions** (`solution`): the denominator from two combinations of the coordinates, [`likely_fraction`], then
//!   all numerators y ≡ d·x mod pᵏ of least absolute value, with fewer digits than the denominator needed. Attempts are
//!   made as the digits grow, so that their number is that of the answer and not that of Hadamard's bound.
//!
//! **Proof of a solution.** M·y ≡ d·b mod pᵏ. If N·max|y| + d·max|b| < pᵏ, N the largest sum of absolute values of a
//! row of M, both sides are equal: no guess enters.
//!
//! Up to eight right sides share each pass. Entry: [`System::new`], [`System::solve`].
//!
//! [`likely_fraction`]: crate::integers

mod beside;
mod inverse;
mod layers;
mod lifting;
mod radix;
mod sides;
mod solution;
mod system;
mod triangle;

pub use sides::{Side, sides};
pub use solution::Fractions;
pub use system::{LANES, MAX_PRIME_BITS, System};

#[cfg(test)]
mod tests;
