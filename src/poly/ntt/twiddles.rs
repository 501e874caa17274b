//! Twiddle factors in the order in which the splitting meets them, shared by all sizes.

use super::super::keepers::is_kept;
use super::primes::{MAX_PRIMES, Prime, Shoup};
use std::sync::{Arc, Mutex, PoisonError};

/// Tables of so many entries stay for as long as the program lives: 32 bytes each, 512 kB for all primes.
const SMALL: usize = 1 << 12;
/// The largest table of each prime that waits for the next transform.
static CACHE: [Mutex<Option<Arc<Twiddles>>>; MAX_PRIMES] = [const { Mutex::new(None) }; MAX_PRIMES];

/// Frees the tables, except small ones.
pub(crate) fn give_back() {
    for place in &CACHE {
        let mut cached = place.lock().unwrap_or_else(PoisonError::into_inner);
        cached.take_if(|table| table.forward.len() > SMALL);
    }
}

/// The square roots c of the constants of the splitting x^(2h) - c² = (x^h - c)(x^h + c).
///
/// Block b of a level belongs to the constant e^(2πi·rev(b)), rev(Σ bⱼ 2ʲ) = Σ bⱼ 2⁻ʲ⁻¹, whatever the level; its root
/// is `forward[b]`. So one table serves all sizes, its prefix serves the smaller ones, and it is built by doubling:
/// entry b + 2ʲ is entry b times the root of unity of order 2ʲ⁺².
#[derive(Debug)]
pub(crate) struct Twiddles {
    pub(crate) prime: Prime,
    pub(crate) forward: Vec<Shoup>,
    /// The inverses of `forward`.
    pub(crate) inverse: Vec<Shoup>,
    /// A cube root of unity.
    pub(crate) omega: Shoup,
}

impl Twiddles {
    /// The table of a prime for transforms of `points` = 2ᵏ or 3 · 2ᵏ points, from a cache where it is small, or
    /// [kept](super::super::Kept).
    pub(crate) fn get(prime: Prime, points: usize) -> Arc<Twiddles> {
        let power = if points.is_multiple_of(3) { points / 3 } else { points };
        assert!(power.is_power_of_two() && power <= 1 << 26, "no transform of {points} points");
        let entries = (power / 2).max(1);
        let mut cached = CACHE[prime.index].lock().unwrap_or_else(PoisonError::into_inner);
        match &*cached {
            Some(table) if table.forward.len() >= entries => table.clone(),
            _ => {
                let table = Arc::new(Twiddles::new(prime, entries));
                if entries <= SMALL || is_kept() {
                    *cached = Some(table.clone());
                }
                table
            }
        }
    }

    fn new(prime: Prime, entries: usize) -> Self {
        let table = |invert: bool| {
            let mut table = Vec::with_capacity(entries);
            table.push(prime.shoup(1));
            while table.len() < entries {
                let half = table.len();
                let root = prime.root(4 * half as u64);
                let root = if invert { prime.inv(root) } else { root };
                for b in 0..half {
                    table.push(prime.shoup(prime.mul(table[b].w, root)));
                }
            }
            table
        };
        Twiddles { prime, forward: table(false), inverse: table(true), omega: prime.shoup(prime.root(3)) }
    }
}
