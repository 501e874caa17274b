//! Polynomial matrices over a finite field.

mod buffer;
mod chunks;
mod evaluate;
mod fourier;
mod interpolate;
mod matrix;
mod ntt;
mod plan;
mod product;
mod residues;
mod scalar;
mod schoolbook;
mod simd;
mod sums;
mod transformed;

pub use evaluate::{evaluate_at, evaluate_geometric};
pub use interpolate::interpolate_geometric;
pub use matrix::PolyMatrix;
pub use ntt::Ntt;
pub use plan::{Costs, Method, ProductPlan, ProductShape};
pub use product::{middle_product, multiply};
pub use scalar::{middle_polynomial, multiply_polynomials};
pub use simd::Row;
pub use transformed::Transformed;

#[cfg(test)]
mod tests;
