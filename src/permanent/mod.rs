//! Exact permanents of integer matrices.

mod matrix;

pub use matrix::IntMatrix;
