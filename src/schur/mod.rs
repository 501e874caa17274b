//! The Schur complement of structural pivots, S = A₂₂ - A₂₁·U⁻¹·A₁₂; rank A = number of pivots + rank S.
//!
//! *Never formed*: [`Split`] cuts A by its pivots; [`Complement`] applies S and Sᵀ to blocks of vectors at the cost of
//! one pass over A (Tellegen's principle: the transpose of a straight-line program costs what the program costs).
//! [`row_space`] finds the rank of S from random combinations of its rows, with an error bound p⁻ᵏ, [`sketch()`] from
//! combinations of rows and columns where the rank is far below both sides; [`NullSpace`] turns that into a proof by
//! writing down the null space of S or Sᵀ; [`Lift`] makes null vectors of A of those of S; [`every_row`] eliminates S
//! as it is, where it is dense; [`independent_rows`] completes the pivots to a nonsingular minor of A.
//!
//! *Formed*, where it stays sparse: [`Solver::form`], row by row; [`Solver::predict`] says beforehand what that will
//! take; `row_by_row` where it is small.

mod arithmetic;
mod columns;
mod combine;
mod complement;
mod cost;
mod cuda;
mod every_row;
mod explicit;
#[cfg(test)]
mod explicit_tests;
mod exploration;
mod fold;
mod kept;
mod levels;
mod lift;
mod lift_bits;
mod nullspace;
mod pivot_rows;
mod predict;
mod proof;
mod queue;
mod row_basis;
mod row_by_row;
mod row_space;
mod row_sums;
mod saved;
mod sieve;
mod sketch;
#[cfg(test)]
mod sketch_tests;
mod solver;
mod split;
mod strides;
mod substitution;
mod support;
mod triangle;

pub use columns::{Columns, independent_rows};
pub use complement::Complement;
pub use cost::Shape;
#[cfg(test)]
pub(crate) use cost::WORKSPACES;
pub(crate) use cuda::complement_on_gpus;
pub(crate) use every_row::PANEL as EVERY_ROW_PANEL;
pub use every_row::{Check, EveryRow, every_row};
pub use explicit::{Deadline, FormOptions, Formed};
pub use exploration::{Extent, RowBasis, RowSpace, RowSpaceOptions, RowSpaceStreams};
pub use lift::Lift;
pub use lift_bits::BitLift;
pub use nullspace::{NullSpace, Side, Way};
pub use predict::{Estimate, Prediction};
pub use proof::Proof;
pub(crate) use row_by_row::row_by_row;
pub(crate) use row_space::row_space_from;
pub use row_space::{Combinations, row_space};
pub use sketch::{Sketch, sketch};
pub use solver::Solver;
pub use split::{SharedSolve, Split};
pub use support::Support;

#[cfg(test)]
mod gpu_tests;
#[cfg(test)]
mod proof_tests;
#[cfg(test)]
mod saved_tests;
#[cfg(test)]
mod tests;
