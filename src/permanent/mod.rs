//! Exact permanents of integer matrices.

pub mod bound;
pub mod crt;
pub mod gray;
mod matrix;

pub use matrix::IntMatrix;
