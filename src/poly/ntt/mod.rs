//! The exact number-theoretic transform: eight polynomials at a time, one in each lane of a [`Row`].
//!
//! Over q ≡ 1 (mod 3 · 2²⁶) the ring `GF(q)[x] / (xᴺ - 1)` with N = 2ᵏ or 3 · 2ᵏ splits, step by step, into
//! x^(2h) - c² = (x^h - c)(x^h + c), down to the values at the N-th roots of unity (Fiduccia 1972; the factor 3 as in
//! Good 1958). One element of a polynomial is one lane of one row, so that every butterfly is plain lane-wise
//! arithmetic with a twiddle factor that is the same for all lanes: no shuffles, at any size. Points come in the order
//! of the splitting (bit-reversed); for convolutions the order is irrelevant. Products are Shoup's with 52-bit
//! quotients, and residues stay lazy in [0, 4q) between the levels (Harvey, *Faster arithmetic for number-theoretic
//! transforms*, 2014).
//!
//! Entry point: [`Ntt`]; inside the room, the kernels [`Forward`] and [`Inverse`].

mod primes;
mod transform;
mod twiddles;

pub(crate) use primes::{MAX_PRIMES, PRIMES, Prime, Shoup, pow_mod};
pub(crate) use transform::{Forward, Inverse};
pub(crate) use twiddles::{Twiddles, give_back};

use super::simd::{Isa, Row};
use std::sync::Arc;

/// A transform of eight polynomials at a time modulo one of the primes of the room.
#[derive(Clone, Debug)]
pub struct Ntt {
    isa: Isa,
    twiddles: Arc<Twiddles>,
    points: usize,
}

impl Ntt {
    /// The primes that can be used: below 2⁵⁰ and 1 modulo 3 · 2²⁶.
    pub const PRIMES: [u64; MAX_PRIMES] = [PRIMES[0].0, PRIMES[1].0, PRIMES[2].0, PRIMES[3].0];

    /// The transform of `points` = 2ᵏ or 3 · 2ᵏ ≤ 3 · 2²⁶ points modulo number `prime` of [`Ntt::PRIMES`].
    ///
    /// # Panics
    /// If there is no such length or prime.
    pub fn new(prime: usize, points: usize) -> Self {
        Ntt { isa: Isa::best(), twiddles: Twiddles::get(Prime::get(prime), points), points }
    }
    /// From eight polynomials (coefficients below the prime) to their values at all roots of unity, in a specific
    /// internal order.
    ///
    /// # Panics
    /// If `data` has not as many rows as the transform has points.
    pub fn forward(&self, data: &mut [Row]) {
        assert_eq!(data.len(), self.points);
        self.isa.run(Forward { data, twiddles: &self.twiddles });
    }
    /// From the values (below the prime, in the order of [`forward`](Ntt::forward)) to the coefficients times `points`.
    ///
    /// # Panics
    /// If `data` has not as many rows as the transform has points.
    pub fn inverse(&self, data: &mut [Row]) {
        assert_eq!(data.len(), self.points);
        self.isa.run(Inverse { data, twiddles: &self.twiddles });
    }
    /// The name of the instruction set in use.
    pub fn instruction_set(&self) -> &'static str {
        self.isa.name()
    }
}

/// The largest length supported.
pub(crate) const MAX_POINTS: usize = 3 << 26;

/// The smallest supported length that is at least `n`: 2ᵏ or 3 · 2ᵏ.
pub(crate) fn points_for(n: usize) -> usize {
    let power = n.max(1).next_power_of_two();
    let three = power / 4 * 3;
    if power >= 4 && three >= n { three } else { power }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_are_tight() {
        for n in 1..5000usize {
            let best = (0..20).flat_map(|k| [1usize << k, 3 << k]).filter(|&s| s >= n).min().unwrap();
            assert_eq!(points_for(n), best, "{n}");
        }
        assert_eq!(points_for(MAX_POINTS), MAX_POINTS);
    }
}
