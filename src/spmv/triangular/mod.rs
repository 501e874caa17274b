//! Sparse triangular solves on blocks of vectors: by rows for dense vectors ([`TriangularSolve`]), by columns for
//! vectors with few entries ([`PushSolve`]). The rows behind the triangular ones are ordinary products with what was
//! solved.

mod coefficients;
mod lines;
mod passes;
mod push;
mod push_bits;
mod solve;
mod stretches;

pub use lines::SolveLines;
pub use push::{PushSolve, PushSpace, Remainder};
pub use push_bits::{BitSolve, BitSpace, Bits, PACKED};
pub use solve::TriangularSolve;

/// Vectors that are solved for together where nothing asks for more: one cache line of 16-bit residues.
pub const LANES: usize = 32;
/// The width of a block of dense vectors is a multiple of this: rows are whole strips.
const GRID: usize = 16;
