//! Linear systems A·x = b, for many right sides together.
//!
//! The null vectors of (A | -B) whose coordinates on B are a unit vector are the solutions. So B is eliminated with A,
//! but none of its columns is a pivot before all of A has been ([`Rule::Aside`]): a column of B that is free then has
//! the solution of a null vector ([`kernel`](super::kernel())), 0 in the free columns of A or, for a uniformly random
//! solution, random there. One that became a pivot has none: some combination of the rows of A is 0 and the same of the
//! right side is not. Such a combination, y with yᵀ·A = 0 and yᵀ·b ≠ 0, is found among random left null vectors of A.
//!
//! Where the row space of what pivots leave would take too long or too much memory, block Wiedemann solves that
//! ([`System`](crate::wiedemann::System)), and its solutions go up by the same substitution.
//!
//! Solutions are multiplied by A, and y by A and b, before they are returned. Entry: [`solve()`].

mod options;
mod systems;

pub use options::SolveOptions;
pub use systems::{Contradiction, Solution, solve};

use super::{kernel, rank};

#[cfg(test)]
mod tests;
