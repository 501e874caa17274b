//! Exact permanents of integer matrices.

pub mod bound;
pub mod frontier;
mod matrix;
pub mod reduce;

pub use matrix::IntMatrix;
