//! Register tiles of integer matrix products, the innermost loops of a GEMM, one folder per instruction set.
//!
//! Operands are packed: A as depth × MR words, B as depth × NR words of 32 bits. A tile is MR × NR sums over the depth,
//!
//! - of **pairs**: a word holds two signed halves of 16 bits, its product with another is low·low + high·high, summed
//!   in 32 bits;
//! - of **wholes**: a word is a signed integer of 32 bits, products have 64 bits. Every `fold` steps the sum moves its
//!   upper half to a second sum, so that any depth is exact;
//! - of **bytes**, where there are instructions for matrices: see [`bytes`].

pub(super) mod bytes;
mod choice;
mod portable;
mod tiles;
mod timing;
#[cfg(target_arch = "x86_64")]
mod x86;

#[cfg(test)]
pub(super) use tiles::FOLDS;
pub(super) use tiles::Tiles;
