//! Matrices mod large primes: moduli of any size, for discrete logarithms.
//!
//! Relations among logarithms are sparse rows of small integers; the prime that they hold modulo has 127, 521 or more
//! bits. So entries stay integers as long as they can, and residues are limbs:
//!
//! ```text
//! Triplets ──▶ Matrix ──eliminate──▶ pivots ±1, over ℤ; rest ──finish──▶ dense, or block Wiedemann ──▶ Solved
//!                                        └────────── null_space: x by substitution, A·x = 0 ◀────────────┘
//! ```
//!
//! | file | idea |
//! | --- | --- |
//! | `modulus` | [`LargeModulus`]: primes of any size |
//! | `arithmetic`; `montgomery`, `unbounded`, `choose` | GF(p) as an interface; on a fixed number of limbs; of any length; which |
//! | `value`, `matrix`, `products` | entries, rows, Y = A·X with delayed sums |
//! | `active`, `eliminate` | structured Gaussian elimination over the integers |
//! | `dense`, `generator`, `wiedemann`, `finish` | what is left: dense elimination, block Wiedemann, the cheaper |
//! | `decompose`, `null_space`, `vectors` | the whole way, and back to vectors |
//!
//! Sources stand in each file. Entry points: [`answers::large_rank`](crate::answers::large_rank), `large_kernel`,
//! `large_solve`.

mod active;
mod arithmetic;
mod choose;
mod decompose;
mod dense;
mod eliminate;
mod finish;
mod generator;
mod matrix;
mod modulus;
mod montgomery;
mod null_space;
mod products;
#[cfg(test)]
mod tests;
mod unbounded;
mod value;
mod vectors;
mod wiedemann;

pub(crate) use decompose::{Decomposition, Question};
pub(crate) use finish::{Way, usual_block};
pub use modulus::LargeModulus;
pub(crate) use null_space::NullSpace;
pub use vectors::LargeVectors;
