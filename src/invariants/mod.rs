//! The invariant factors of a square matrix A mod p, as far as a few vectors know them.
//!
//! Kⁿ is a module over K\[x\], x acting as A. The submodule that s vectors generate is K\[x\]ˢ modulo the rows of a
//! nonsingular s × s matrix F, their relations: a [`Presentation`]. Its dimension is deg det F, its invariant factors
//! are those of F, the last of them is the minimal polynomial of A on the submodule, and so divides that of A; if the
//! dimension is n, they are those of A, and det F is the characteristic polynomial. The relations are found in two
//! ways, and neither leaves a doubt about them:
//!
//! | relations of | by | cost |
//! | --- | --- | --- |
//! | V under A | a dense echelon form of V, AV, A²V, …: [`by_elimination`] | n³/3, n² residues |
//! | Yᵀ under A | block Wiedemann on A itself, and a proof: [`by_wiedemann`] | 2n/s products, and n/s for the proof |
//!
//! For random vectors, the submodule is smaller than Kⁿ if A has more than s invariant factors other than 1, and
//! otherwise only by chance ([`missing`] says with which probability its minimal polynomial is not that of A).
//! [`Presentation::determinant`] and [`Presentation::invariant_factors`] read F. [`annihilates`] applies a polynomial.
//!
//! Sources: G. Villard, *A study of Coppersmith's block Wiedemann algorithm using matrix polynomials*, 1997, and
//! *Further analysis*, ISSAC 1997; E. Kaltofen, G. Villard, *On the complexity of computing determinants*, Comput.
//! Complexity 13 (2004); W. Keller-Gehrig, *Fast algorithms for the characteristic polynomial*, Theoret. Comput. Sci.
//! 36 (1985) for the echelon form.

mod annihilation;
mod cost;
mod determinant;
mod elimination;
mod generator;
mod presentation;
mod smith;
#[cfg(test)]
mod tests;

pub(crate) use annihilation::{WIDTH, annihilates_units};
pub use annihilation::{annihilates, annihilates_all, missing};
pub use cost::{Shape, Way};
pub use elimination::by_elimination;
pub use generator::{RUNS, Runs, by_wiedemann};
pub use presentation::Presentation;
