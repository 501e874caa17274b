//! Sparse matrices: [`Triplets`] over the integers as a file gives them, [`SparseMatrix`] mod p as everything above uses them.

mod canonical;
mod digest;
mod integer;
mod interchange;
mod matrix;
mod triplets;

pub(crate) use canonical::{BigEntry, Coordinates, Duplicates, key};
pub use integer::Integer;
pub use matrix::SparseMatrix;
pub use triplets::Triplets;
