//! The rank over ℚ of an integer matrix, and which primes make it smaller.
//!
//! The contents of rows and columns are divided out first (`contents`); that changes no rank over ℚ. **The lower
//! bound** is any rank mod p: a minor that is not 0 mod p is not 0. **The upper one** is proven by whichever of these
//! is at hand, or predicted to be cheapest (`search`, `proof`):
//!
//! - the pattern: non-empty lines, a maximum matching;
//! - as many null vectors over the integers as the rank leaves room for (`null_space`);
//! - enough primes: if the rank modulo each of several primes is proven to be at most r and their product exceeds the
//!   bound of Hadamard for minors of order r + 1 ([`hadamard_log2`](crate::integers::hadamard_log2)), all of those
//!   vanish ([`Product`](crate::integers::Product)).
//!
//! **Without a proof**, random primes: the rank mod p is smaller than r only if p divides every minor of order r; take
//! one that is not 0, |D| ≤ 2^h. At most ⌊h/(b-1)⌋ primes of b bits divide D, of at least π_b by
//! [`primes_of_size`](crate::integers::primes_of_size), so that
//!
//! **P(rank mod p < r) ≤ δ = ⌊h/(b-1)⌋ / π_b** for a random prime p of b bits,
//!
//! and the largest of several ranks fails with at most the product of (δ + ε), ε the error bound of each modular rank.
//! Hypothesis: the primes are drawn independently of the matrix, here from a key that hashes it
//! ([`Streams`](crate::certify::Streams)).
//!
//! The size of the primes: 31 bits, where arithmetic mod p is fast, for the usual h of some thousands of bits δ is some
//! 10⁻⁶, and two primes give 10⁻¹², three 10⁻¹⁸. Primes of 62 bits are taken where 31 bits leave δ above 10⁻³ (entries
//! of thousands of digits), and for block Wiedemann, whose own ε falls with p.
//!
//! **Small primes.** If A has the Smith form diag(d₁, …, d_r, 0, …), its rank mod q is the number of dᵢ that q does not
//! divide. So exactly r - rank_q of the invariant factors are multiples of q; for the boundary matrix of a complex,
//! this is the number of cyclic summands of the homology whose order q divides. Those are the ranks of the matrix as
//! given.

mod answer;
mod contents;
#[cfg(feature = "serde")]
mod document;
mod null_space;
mod proof;
mod search;
#[cfg(test)]
mod tests;

pub use answer::rational_rank;

use super::RankOptions;
use crate::Step;
use crate::certify::{Certainty, ErrorBound};
use crate::field::Modulus;
use crate::setters::setters;

/// What may be asked of [`rational_rank`].
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct RationalOptions {
    /// How each rank mod p is computed; its seed is that of the primes, too. `proven` demands a proof of the rank over
    /// ℚ, and of those modulo the primes asked for.
    pub rank: RankOptions,
    /// The error probability to reach if nothing is proven.
    pub error: ErrorBound,
    /// Primes that the caller wants to know about.
    pub moduli: Vec<Modulus>,
    /// An upper bound of the rank over ℚ that the caller can prove. The numbers of non-empty rows and columns and the
    /// size of a maximum matching are found without it.
    pub rank_bound: Option<usize>,
}

impl Default for RationalOptions {
    fn default() -> Self {
        let error = ErrorBound::new(1e-12).expect("a probability");
        RationalOptions { rank: RankOptions::default(), error, moduli: vec![], rank_bound: None }
    }
}

setters!(RationalOptions {
    rank: RankOptions,
    error: ErrorBound,
    moduli: impl Into<Vec<Modulus>>,
    rank_bound: impl Into<Option<usize>>,
});

/// A rank mod p.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct ModularRank {
    /// The modulus.
    pub modulus: Modulus,
    /// The rank.
    pub rank: usize,
    /// How sure it is. The value never exceeds the rank mod p.
    #[cfg_attr(feature = "serde", serde(flatten))]
    pub certainty: Certainty,
    /// Seconds that it took.
    pub seconds: f64,
}

/// A rank over ℚ with what it rests on.
///
/// It serialises as what `blackfield rank --rational --json` says of the answer itself
/// (`docs/schema/rational-rank.json`).
#[derive(Clone, Debug)]
#[must_use]
#[non_exhaustive]
pub struct RationalRank {
    /// The rank: the largest of the modular ranks.
    pub rank: usize,
    /// How sure it is. The value never exceeds the rank over ℚ.
    pub certainty: Certainty,
    /// What the certainty rests on.
    pub reason: String,
    /// The steps taken, in order.
    pub path: Vec<Step>,
    /// log₂ of the bound of the minors that the rank may have, contents divided out: h.
    pub minor_bits: f64,
    /// The size of the random primes: b.
    pub prime_bits: u32,
    /// The bound of the probability that one random prime makes the rank smaller: δ. `None` where none can: the minors
    /// have too few bits.
    pub bad_prime: Option<ErrorBound>,
    /// The ranks modulo random primes, in the order drawn.
    pub drawn: Vec<ModularRank>,
    /// The ranks modulo further primes, not random, whose product excludes a larger rank.
    pub proving: Vec<ModularRank>,
    /// The ranks modulo [`RationalOptions::moduli`], in their order.
    pub asked: Vec<ModularRank>,
}

impl RationalRank {
    /// How many invariant factors of the Smith form are multiples of a prime, by its rank: exactly so many if both
    /// ranks are right.
    #[must_use]
    pub fn multiples_of(&self, q: &ModularRank) -> usize {
        self.rank - q.rank
    }
    /// A line for each prime that makes the rank smaller, those asked for first.
    pub fn explanations(&self) -> impl Iterator<Item = String> {
        self.asked.iter().chain(&self.drawn).chain(&self.proving).filter(|q| q.rank < self.rank).map(|q| {
            let (p, count) = (q.modulus, self.multiples_of(q));
            let factors =
                if count == 1 { "1 invariant factor is a multiple" } else { "invariant factors are multiples" };
            let number = if count == 1 { String::new() } else { format!("{count} ") };
            let sure = match (self.certainty, q.certainty) {
                (Certainty::Proven, Certainty::Proven) => "",
                _ => ", if both ranks are right",
            };
            format!("rank {} mod {p}: {number}{factors} of {p}{sure}", q.rank)
        })
    }
}
