//! Polynomial matrices mod p < 2³¹ on a CUDA GPU: products and middle products, the same coefficients as on the
//! processor.
//!
//! ```text
//! GpuPolys::open ──upload──▶ GpuPoly ──product──▶ GpuPoly ──download──▶ PolyMatrix
//! ```
//!
//! Short products are sums over pairs of coefficients; others go by transforms modulo one to four primes q < 2²⁸
//! (`kernels/poly.cu`): n·d·(p-1)² is below the product of the primes for inner dimension n and d coefficients of the
//! shorter factor, so that the Chinese remainder theorem gives the sums of the integers themselves. Entries lie side by
//! side at every point, so that a thread transforms one entry in its registers, five levels in a pass, and the products
//! at a point are those of two small matrices, whose sums of up to 256 terms are exact in 64 bits.
//!
//! **Roofline.** A transform of N points moves 8·⌈log₂ N / 5⌉ bytes for each point, entry and prime, and takes half a
//! butterfly of five 32-bit instructions a level; the products at N points of m × k by k × n matrices take N·m·k·n
//! multiply-adds of 32 × 32 bits to 64 for each prime.
//!
//! | file | idea |
//! | --- | --- |
//! | `roots` | primes and roots of unity |
//! | `source` | constants of the kernels; how many primes a product needs |
//! | `matrix` | polynomial matrices on a GPU, memory for them that is used again |
//! | `product` | products |

mod matrix;
mod product;
mod roots;
mod source;

pub use matrix::{GpuPoly, GpuPolys};
pub use product::GpuPart;

#[cfg(test)]
mod tests;
