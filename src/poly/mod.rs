//! Polynomial matrices over a finite field.

mod matrix;
mod ntt;
mod simd;
pub use matrix::PolyMatrix;
