//! A matrix as far as it is decomposed: pivots, what they leave, and where its lines come from.
//!
//! Elimination goes on in steps. Pivots of A leave a matrix A₁, of whose rank nothing is lost: rank A = number of
//! pivots + rank A₁. Pivots of A₁ leave A₂, and so on; of the last, the complement is not formed, and its rank is found
//! by a dense elimination, by its row space or by block Wiedemann. A [`Decomposition`] holds what is left, the
//! structural pivots of that, the orientation, and how many pivots are done with. Every step of an answer reads and
//! replaces it: structural pivots, Schur complements ([`Decomposition::form`]), right-looking elimination
//! ([`Decomposition::eliminate`]).
//!
//! Where a minor is asked for, it is *recorded* as well: the pivots by their lines in A, in their order, and the
//! matrices that they were pivots of, which are the multipliers of a Schur complement: with A = (A₁₁ A₁₂; A₂₁ A₂₂) and
//! the triangle A₁₁ of the pivots, S = A₂₂ - A₂₁·A₁₁⁻¹·A₁₂. [`Decomposition::minor`] completes the pivots by a
//! nonsingular minor of what is left, a [`Core`], to one of A; [`Factored`] solves its systems. Where all null vectors
//! are wanted, the steps themselves are kept ([`Decomposition::into_steps`]).

mod core;
mod factored;
mod level;
mod lines;
mod minor;
mod parity;
mod partial;

pub use self::core::Core;
pub use factored::Factored;
pub use level::Level;
pub use lines::Lines;
pub use minor::Minor;
pub use parity::is_odd;
pub use partial::{Decomposition, Keep, Remainder};

#[cfg(test)]
mod tests;
