//! Dense linear algebra mod p: products, ranks, determinants, inverses.
//!
//! - [`gemm()`]: products in integers with delayed reduction, for every p < 2⁶³.
//! - [`Echelon`]: rank and rank profiles of any number of rows, by blocked elimination over those products
//!   (packed for p = 2 and 3); [`Reduced`]: the reduced row echelon form and the null space; [`Factors`]: the
//!   multipliers of the elimination, with which systems are solved.
//! - [`determinants()`]: thousands of small determinants at once; [`determinant`]: one, over any field.
//! - [`characteristic_polynomial()`], by Hessenberg's form.
//! - [`DenseMatrix`]: a matrix over any field, with the textbook's elimination: rank, inverse, rank profile.

mod absorb;
mod bits;
mod combine;
mod cost;
mod cuda;
mod determinants;
mod echelon;
mod entry;
mod factors;
mod gemm;
mod hessenberg;
mod matrix;
mod needs;
mod on_gpu;
mod panel;
mod panels;
mod parallel;
mod place;
mod rebuild;
mod reduced;
mod solved;
mod state;
mod transform;
mod trits;

pub use cuda::{GpuDense, GpuField, GpuInverse, GpuPanels, GpuScratch, GpuTeam};
pub use determinants::determinants;
pub use echelon::Echelon;
pub(crate) use entry::Entry;
pub use entry::{Residue, Row};
pub use factors::Factors;
pub(crate) use gemm::add_tall_product;
pub use gemm::gemm;
pub use hessenberg::characteristic_polynomial;
pub use matrix::{DenseMatrix, RankProfile, determinant};
pub use place::Place;
pub use reduced::Reduced;
pub(crate) use solved::short_basis;

#[cfg(test)]
mod tests;
