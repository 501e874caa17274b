//! Dense linear algebra mod p < 2³² on a CUDA GPU: products by its tensor cores, reduced row echelon forms over them.
//!
//! ```text
//! GpuField::open ──upload──▶ GpuDense ──multiply──▶ GpuDense
//!                               └──GpuPanels::absorb──▶ rank, rank profiles, T of (I T) ──inverse──▶ GpuInverse
//! ```
//!
//! Residues are cut into L digits to the base 256, from -128 to 127 (`kernels/gemm.cu`); a·b ≡ Σᵢ 256ⁱ·Sᵢ with Sᵢ = Σⱼ
//! (digit i of 256ʲ·a mod p)·bⱼ, so that a product mod p is **one** product of int8 matrices with L rows for each row
//! of A and L² multiply-adds for each; L = 1, 2, 4 for p below 2⁸, 2¹⁶, 2³². Sums are reduced once, where C is
//! written. Exactness: `exact_terms` in `source.rs`. The form of digits is that of the processor's products of bytes
//! (`dense/gemm/bytes.rs`).
//!
//! [`GpuPanels`] keeps a basis of the span of rows in reduced row echelon form. Its pivots are those of the rank
//! profile matrix (J.-G. Dumas, C. Pernet, Z. Sultan, *Computing the rank profile matrix*, ISSAC 2015): leftmost, and
//! in the first row that has an entry there. So both rank profiles, and the form itself, are those of
//! [`Echelon`](super::Echelon) on the processor, the tests' oracle. [`GpuTeam`] is the same over several GPUs.
//!
//! **Roofline.** A product of m × k by k × n takes L²·m·k·n int8 multiply-adds, and packing reads both operands and
//! writes L² and L bytes for each of their residues. An H100 has 990·10¹² of these multiply-adds a second.

mod host;
mod inverse;
mod kernels;
mod matrix;
mod member;
mod panels;
mod product;
mod profile;
mod rows;
mod source;
mod team;
mod window;

pub use inverse::GpuInverse;
pub use kernels::GpuField;
pub use matrix::{GpuDense, GpuScratch};
pub use panels::GpuPanels;
pub use team::GpuTeam;

#[cfg(test)]
mod tests;
