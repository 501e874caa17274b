//! The Schur complement of structural pivots, never formed: S = A₂₂ - A₂₁·U⁻¹·A₁₂ as an operator on blocks of vectors.
//!
//! [`Split`] cuts A by its pivots; [`Complement`] applies S and Sᵀ at the cost of one pass over A (Tellegen's principle: the
//! transpose of a straight-line program costs what the program costs). [`row_space`] finds the rank of S from random
//! combinations of its rows, with an error bound p⁻ᵏ; [`prove_nullity`] turns that into a proof by writing down the null space.
//! rank A = number of pivots + rank S. [`independent_rows`] completes the pivots to an invertible minor of A.

mod columns;
mod complement;
mod nullspace;
mod row_space;
mod split;

pub use columns::{Columns, independent_rows};
pub use complement::Complement;
pub use nullspace::prove_nullity;
pub use row_space::{RowSpace, RowSpaceOptions, row_space};
pub use split::Split;

#[cfg(test)]
mod tests;
