//! Matrices mod large primes: moduli of any size, for discrete logarithms.
//!
//! Relations among logarithms are sparse rows of small integers; the prime that they hold modulo has 127, 521 or more
//! bits. So entries stay integers as long as they can, and residues are limbs:
//!
//! ```text
//! Triplets ──▶ Matrix ──eliminate──▶ pivots ±1, over ℤ ──structural──▶ complement ──finish──▶ Solved
//!                                        └──────── null_space: x by substitution, A·x = 0 ◀──────┘
//! ```
//!
//! | file | idea |
//! | --- | --- |
//! | `modulus` | [`LargeModulus`]: primes of any size |
//! | `arithmetic`, `choose` | GF(p) as an interface; which of these: |
//! | `montgomery`, `radix`; `unbounded` | a fixed number of limbs for products, another for sums; any length |
//! | `value`, `matrix`, `products` | entries, rows, y = A·x with delayed sums |
//! | `active`, `eliminate` | structured Gaussian elimination over the integers |
//! | `structure`, `complement` | structural pivots of what is left; their Schur complement, by its products |
//! | `dense`, `lanczos`, `finish` | what is left then: dense elimination, Lanczos' method, the cheaper |
//! | `decompose`, `null_space`, `vectors` | the whole way, and back to vectors |
//!
//! Sources stand in each file. Entry points: [`answers::large_rank`](crate::answers::large_rank), `large_kernel`,
//! `large_solve`.

mod active;
mod arithmetic;
mod choose;
mod complement;
mod decompose;
mod dense;
mod eliminate;
mod finish;
mod lanczos;
mod matrix;
mod modulus;
mod montgomery;
mod null_space;
mod products;
mod radix;
mod state;
mod structure;
#[cfg(test)]
mod tests;
mod unbounded;
mod value;
mod vectors;

pub(crate) use decompose::{Decomposition, Question};
pub(crate) use finish::Way;
pub use modulus::LargeModulus;
pub(crate) use null_space::NullSpace;
pub use vectors::LargeVectors;
