//! Sparse matrices: [`Triplets`] over the integers as a file gives them, [`SparseMatrix`] mod p as everything above uses them.

mod matrix;
mod triplets;

pub use matrix::SparseMatrix;
pub use triplets::Triplets;
