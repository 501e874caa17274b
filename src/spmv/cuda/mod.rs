//! Sparse products on a CUDA GPU: Y ← D·A·X and Y ← D·Aᵀ·X with blocks of vectors that stay there.
//!
//! [`GpuMatrix`] is a matrix with its transpose on one GPU, for blocks of one [`GpuShape`]; [`GpuCopies`] the same on
//! several; [`GpuMap`] a linear map in one direction, by triangular solves: a Schur complement is one. [`GpuBlock`] is
//! a block, [`GpuDiagonal`] a scaling by elements of GF(pᵏ). The kernels are in `kernels/sparse.cu`: one thread for 16
//! bytes of a row of Y, ±1 entries without values, sums that are reduced once, at the end of a row. The storage of the
//! matrix is described in `layout.rs`, exactness in `source.rs`. Results are the same bits as those of
//! [`Product`](super::Product), which is the tests' oracle.
//!
//! **Roofline.** A product reads a row of X for each entry: nnz·(row bytes), from L2 where X fits it, else from memory;
//! the indices are 4 bytes an entry beside the 32 to 128 of a row of X, and the blocks are read and written once. Two
//! residues of 16 bits take one shift and two multiply-adds, so that arithmetic is no limit before 10¹³ a second on an
//! H100; the rows of X are.

mod adjoint;
mod block;
mod columns;
mod copies;
mod formats;
mod kernels;
mod layout;
mod locality;
mod map;
mod matrix;
mod shares;
mod slices;
mod source;

pub(crate) use block::GpuPlaces;
pub use block::{GpuBlock, GpuDiagonal};
pub use copies::GpuCopies;
pub use formats::{GpuFormat, GpuFormatted};
pub(crate) use kernels::grid_of;
pub(crate) use map::{GpuMap, Residues, Solve};
pub use matrix::GpuMatrix;
pub use source::GpuShape;
pub(crate) use source::THREADS;

#[cfg(test)]
mod tests;
