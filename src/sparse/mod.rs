//! Sparse matrices: [`Triplets`] over the integers as a file gives them, [`SparseMatrix`] mod p as everything above uses them,
//! and the storage [`formats`] with their [`hybrid`] lists for fast products.

pub mod formats;
pub mod hybrid;
mod matrix;
mod triplets;

pub use matrix::SparseMatrix;
pub use triplets::Triplets;
