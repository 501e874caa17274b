//! Null vectors: x with A·x = 0, a basis or random ones, or with xᵀ·A = 0.
//!
//! Pivots leave a Schur complement, its pivots another one, until the row space of what is left is known: its reduced
//! echelon form (I T). A null vector is determined by its coordinates in the *free* columns, in which no pivot is. The
//! vector that belongs to a free column is 1 there and 0 in the other free columns; those that T knows follow from it,
//! and those of pivots by substitution, from the last complement back to A ([`Lift`](crate::schur::Lift)): the basis is
//! as sparse as the pivots leave it. Vectors are made in blocks of [`BLOCK`], over GF(2) of as many as a few
//! words have bits (`packed.rs`), in the memory of a few blocks.
//!
//! Where the row space of what is left would take too long, or too much memory, its null vectors come from block
//! Wiedemann, a block of uniformly random ones with each run (`by_sequence.rs`), and substitution goes on from there:
//! random vectors, a solution, or a basis, which is not in echelon form then.
//!
//! Each vector is multiplied by the rows of A that have no pivot; in the rows of pivots A·x = 0 is how it is made. The
//! vectors of a basis are independent, the identity in the free columns. So a basis that was made proves rank A ≤ n -
//! dimension, and the pivots prove the other inequality: the basis is complete, whatever the search for the row space
//! may have missed.
//!
//! Sources: C. Bouillaguet, C. Delaplace, M.-E. Voge, *Parallel sparse PLUQ factorization modulo p*, PASCO 2017 (pivots
//! and complements); J. R. Gilbert, T. Peierls, SIAM J. Sci. Stat. Comput. 9, 1988 (substitution in sparse vectors).
//! Entry: [`kernel()`].

mod basis;
mod by_sequence;
mod floors;
mod options;
mod packed;
mod replay;
mod vectors;

pub use basis::{Kernel, kernel, kernel_owned};
pub(super) use basis::{decompose, decompose_for_replay};
pub(super) use floors::{Floors, Room};
pub use options::KernelOptions;
pub(super) use options::check;
pub(super) use replay::{Recipe, Trimmed};
pub use vectors::NullVectors;

use super::rank;

/// Vectors that are made together.
pub(super) const BLOCK: usize = crate::spmv::LANES;

#[cfg(test)]
mod tests;
