//! Answers over ℚ and ℤ by p-adic lifting of one decomposition mod p ([`padic`](crate::padic)): linear systems, by
//! [`rational_solve`], and determinants, by [`integer_determinant`].
//!
//! **Systems.** Let A\[I, J\] be a minor that is nonsingular mod p and x the solution over ℚ of A\[I, J\]·x = b\[I\], 0
//! outside J. If x solves the other equations, which are multiplied out over ℤ, it is a solution. If it breaks equation
//! i, let y·A\[I, J\] = A\[i, J\]: either y·A = A\[i\] in all columns, and then no x solves the rows I and i together
//! (y·b\[I\] is not bᵢ), which is a proof; or it is not in column j, and the rank over ℚ exceeds that mod p, as the
//! rows I, i and columns J, j show: p divides all minors of that order, and another prime is drawn. Nothing that is
//! answered depends on p.
//!
//! **Determinants.** The least common denominator d of the solution of A·x = b divides det A, by Cramer's rule, and for
//! a random b it is det A but for a small cofactor as a rule (J. Abbott, M. Bronstein, T. Mulders, *Fast deterministic
//! computation of determinants of dense matrices*, ISSAC 1999). The cofactor is found mod primes: as many as Hadamard's
//! bound for det A/d takes, which is a proof, or until random ones agree
//! ([`Multimodular`](crate::integers::Multimodular)). Where the bound is so small that its primes are cheaper than
//! lifting, they are all there is. A determinant of 0 is proven by a null vector: a column that is a combination of
//! others over ℚ. All this is done for each diagonal block of the block triangular form that is not small
//! ([`integer_determinant`]).

mod ahead;
mod blocks;
mod certificate;
mod check;
mod cofactor;
mod determinant;
mod form;
mod minor;
mod repeated;
mod small;
mod solve;

pub use blocks::integer_determinant;
pub use certificate::RationalContradiction;
pub use determinant::IntegerDeterminant;
pub(in crate::answers) use repeated::Repeated;
pub use solve::{RationalSolution, SolutionVector, rational_solve};

use super::determinant as modular;
use super::{Method, Rank, RankOptions, rank};

#[cfg(test)]
mod blocks_tests;
#[cfg(test)]
mod tests;
