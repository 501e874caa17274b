//! What is asked: the rank, by [`rank()`]. [`certificate()`] makes the answer checkable by others, [`rational_rank`]
//! lifts it to the rationals, as [`rational_kernel`] and [`rational_rref`] do null spaces and echelon forms. From the
//! same decomposition: the null space, by [`kernel()`]; linear systems, by [`solve()`]; the reduced row echelon form,
//! by [`rref()`]; the determinant, by [`determinant()`]. Over the integers: systems, by [`rational_solve`]; the
//! determinant, by [`integer_determinant`]; the Smith normal form, by [`smith()`]. From the relations of random
//! vectors: [`minimal_polynomial`] and [`characteristic_polynomial`]. From the ranks and Smith forms of boundary
//! matrices: homology, by [`homology()`]. Of an operator that is known by its products alone: [`operator_rank`],
//! [`operator_minimal_polynomial`]. Modulo primes of any size: [`large_rank`], [`large_kernel`], [`large_solve`].

mod certificate;
mod determinant;
mod homology;
mod kernel;
mod large;
mod lifting;
mod marks;
mod operator;
mod polynomials;
mod profile;
mod rank;
mod rational;
mod rational_space;
mod rref;
mod smith;
mod solve;

pub use crate::cost::Machine;
use crate::report::Phases;
pub use crate::wiedemann::{Route, WiedemannReport, codegree_by_interpolation, codegree_by_row_division};
pub use certificate::{certificate, certificate_compact};
pub use determinant::{Determinant, determinant};
pub use homology::{Coefficients, Group, Groups, Homology, HomologyOptions, homology};
pub use kernel::{Kernel, KernelOptions, NullVectors, kernel, kernel_owned};
pub use large::{LargeContradiction, LargeKernel, LargeSolution, large_kernel, large_rank, large_solve};
pub use lifting::{
    IntegerDeterminant, RationalContradiction, RationalSolution, SolutionVector, integer_determinant, rational_solve,
};
pub use operator::{operator_minimal_polynomial, operator_rank};
pub use polynomials::{MatrixPolynomial, characteristic_polynomial, dense_polynomial_seconds, minimal_polynomial};
pub use rank::{Method, Minor, Patience, PlannedStep, Rank, RankOptions, RankPlan, rank, rank_owned, rank_plan};
pub use rational::{ModularRank, RationalOptions, RationalRank, rational_rank};
pub use rational_space::{
    RationalColumns, RationalKernel, RationalRowEchelon, RationalSpaceOptions, RationalVector, RationalVectors,
    rational_kernel, rational_rref,
};
pub use rref::{FreeColumns, RowEchelon, rref};
pub use smith::{SmithForm, SmithOptions, smith};
pub use solve::{Contradiction, Solution, SolveOptions, solve};

#[cfg(test)]
mod certificate_tests;
#[cfg(test)]
mod kept_tests;
#[cfg(test)]
mod tests;
