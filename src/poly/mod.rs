//! Polynomial matrices over a finite field.

mod buffer;
mod matrix;
mod ntt;
mod plan;
mod product;
mod residues;
mod schoolbook;
mod simd;
mod sums;
mod transformed;

pub use matrix::PolyMatrix;
pub use ntt::Ntt;
pub use plan::{Costs, Method, ProductPlan, ProductShape};
pub use product::{middle_product, multiply};
pub use simd::Row;
pub use transformed::Transformed;

#[cfg(test)]
mod tests;
