//! Integers of any size and their residues: how large the integers can be, how many primes that takes, how residues are
//! combined, and how often a random prime misleads. What the residues are of is up to the caller.
//!
//! ```text
//! |x| ≤ 2ʰ ──primes──▶ p₁ > p₂ > …, M = Π pᵢ > 2ʰ⁺¹ ──the question──▶ x mod pᵢ ──Crt──▶ x mod M ──▶ x
//! └───────────────────────────────────── Multimodular ──────────────────────────────────────────┘
//! ```
//!
//! | what | theorem | where |
//! |---|---|---|
//! | minors of a matrix are at most the products of the norms of its rows, and of its columns | J. Hadamard, Bull. Sci. Math. 17 (1893) | [`hadamard_log2`] |
//! | an integer that enough primes divide is 0 | their product divides it | [`Product`] |
//! | residues modulo enough primes determine an integer | Chinese remainders, step by step (H. L. Garner, IRE Trans. EC-8, 1959) | [`Crt`] |
//! | the nearest integer to Σ cᵢ/pᵢ gives the least representative | the same theorem with all primes at once, in words | `together` |
//! | few primes of a given size divide a non-zero integer, and there are many such primes | J. B. Rosser, L. Schoenfeld (1962) | [`bad_prime`], [`primes_of_size`] |
//! | refining common factors ends with pairwise coprime numbers | E. Bach, J. Driscoll, J. Shallit (1993) | `coprime` |
//! | a fraction is determined by its residue mod m > 2·N·D | P. S. Wang, M. J. T. Guy, J. H. Davenport (1982) | `reconstruct` |
//!
//! [`Multimodular`] leads from a [`Bound`] and a function that computes residues to the integer: proven, or as soon as
//! random primes agree, with the probability that they do so by chance. Permanents use it. Ranks over ℚ have no
//! residues to combine: they ask [`Product`] whether the primes so far are enough, and [`bad_prime`] what random ones
//! are worth. Logarithms are rounded upwards throughout.

mod bound;
mod chance;
mod coprime;
mod crt;
mod division;
mod hadamard;
mod logarithm;
mod multimodular;
mod primes;
mod reconstruct;
mod residues;
mod together;
mod trees;

pub(crate) use crate::field::{content, gcd, large_gcd};
pub use bound::Bound;
pub use chance::{bad_prime, primes_of_size};
pub(crate) use coprime::{coprime_base, exponents};
pub use crt::Crt;
pub(crate) use crt::{least, low_bits};
pub use hadamard::{Hadamard, hadamard_log2};
pub(crate) use logarithm::{FRACTION, log2_of_product, log2_units};
pub use multimodular::{Assembled, Multimodular};
pub use primes::{Product, primes_below, primes_for};
pub(crate) use reconstruct::{LIKELY, NUMERATOR, are_integers, fractions, likely_fraction, small_denominator};
pub(crate) use residues::Residues;
pub(crate) use together::{Scale, Together, Words};
pub(crate) use trees::product;
