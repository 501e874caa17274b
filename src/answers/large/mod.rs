//! Rank, null space and systems modulo primes of any size: the matrices of discrete logarithms.
//!
//! The room [`large`](crate::large) finds rank and null space; what is made of them is as for primes of a word: a
//! system A·X = B has the null vectors of (A | -B), the left null space is that of the transpose, a system without
//! solution a left null vector that shows it. Entries: [`large_rank`], [`large_kernel`], [`large_solve`].

mod kernel;
mod question;
mod rank;
mod solve;

pub use kernel::{LargeKernel, large_kernel};
pub use rank::large_rank;
pub use solve::{LargeContradiction, LargeSolution, large_solve};

use super::Route;
use super::kernel::KernelOptions;
use super::rank::{Method, Rank, RankOptions};
use super::solve::SolveOptions;

#[cfg(test)]
mod tests;
