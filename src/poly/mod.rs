//! Polynomial matrices over a finite field.

mod matrix;
pub use matrix::PolyMatrix;
