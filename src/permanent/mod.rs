//! Exact permanents of integer matrices.

pub mod bound;
pub mod crt;
mod exact;
pub mod kasteleyn;
pub mod low_rank;
mod matrix;
pub mod rook;
#[cfg(test)]
mod shapes;

pub use exact::Exact;
pub use matrix::IntMatrix;
