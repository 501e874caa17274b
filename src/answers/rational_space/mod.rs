//! Null spaces and reduced row echelon forms over ℚ.
//!
//! The rank r, the columns J of the pivots and the other, *free* columns are those mod a random prime p
//! ([`kernel`](super::kernel())). A null vector w is sought for each free column f: w_f = 1, w = 0 in the other free
//! columns. It is made mod p, then, where that does not suffice, mod further primes, by the same pivots in r rows that
//! are independent (`answers/kernel/replay.rs`); Chinese remainders and fractions with a common denominator d follow
//! (P. S. Wang, M. J. T. Guy, J. H. Davenport, SIGSAM Bulletin 16, 1982; `lane.rs`), as soon as there are any that pass
//! the check:
//!
//! **A·(d·w) = 0, multiplied out over the integers.** The vectors are independent, the identity in the free columns,
//! so n - r of them prove rank A ≤ r; and rank A ≥ rank A mod p = r. So what was written is a basis of the null space
//! over ℚ, *whatever* the primes were. Nothing hangs on a bound for the number of primes, and the least that do are
//! taken, some blocks at a time (`blocks.rs`): memory holds the floors of those primes and these blocks of vectors.
//!
//! For the **reduced row echelon form** R, every w must vanish in the pivots behind f. Then the rows (I | -w) in the
//! order of the columns *are* in reduced echelon form, their null space is that of A, and with the rank their span is
//! the row space: R is right, and J the column rank profile, again whatever the primes were.
//!
//! A prime that makes the rank smaller, or the profile later, divides a minor of order r that is not 0, of h bits at
//! most (Hadamard), which a random prime of b bits does with probability δ = ⌊h/(b-1)⌋/π_b at most
//! ([`bad_prime`](crate::integers::bad_prime)). Primes are drawn until the product of δ + ε, ε the error of each
//! modular answer, is as small as demanded; the best rank and, among these, the first profile are kept. With 62 bits
//! one prime is enough. Where that fails nonetheless, some vector does not pass the check, and the answer is an error.
//! Entry points: [`rational_kernel`], [`rational_rref`].

mod blocks;
mod columns;
mod echelon;
mod kernel;
mod lane;
mod space;
mod sparser;
mod vectors;

#[cfg(test)]
mod tests;

pub use echelon::{RationalColumns, RationalRowEchelon, rational_rref};
pub use kernel::{RationalKernel, rational_kernel};
pub use vectors::{RationalVector, RationalVectors};

use super::profile::Profile;
use super::{RankOptions, kernel as modular};
use crate::certify::ErrorBound;
use crate::setters::setters;

/// What may be asked of [`rational_kernel`] and [`rational_rref`].
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct RationalSpaceOptions {
    /// How the matrix is decomposed mod a prime: of these, the seed, the memory, the prices and the patience count.
    /// Block Wiedemann is refused.
    pub rank: RankOptions,
    /// The error probability to reach before vectors are made, for the rank and the columns of the pivots.
    pub error: ErrorBound,
    /// Bits of the primes: 62. Tests take small ones, which divide many minors.
    pub(super) prime_bits: u32,
}

impl Default for RationalSpaceOptions {
    fn default() -> Self {
        let error = ErrorBound::new(1e-12).expect("a probability");
        RationalSpaceOptions { rank: RankOptions::default(), error, prime_bits: 62 }
    }
}

setters!(RationalSpaceOptions { rank: RankOptions, error: ErrorBound });
