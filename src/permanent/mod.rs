//! Exact permanents of integer matrices.

pub mod bound;
pub mod frontier;
mod matrix;

pub use matrix::IntMatrix;
