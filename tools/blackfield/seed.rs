//! The seed of an answer: given, or drawn and reported.

use crate::args::Seed;
use crate::progress::Bars;
use std::hash::{BuildHasher, Hasher};

/// The seed asked for; a random one is drawn here and told.
pub fn resolve(seed: Seed, bars: &Bars) -> u64 {
    match seed {
        Seed::Fixed(seed) => seed,
        Seed::Random => {
            let seed = draw();
            bars.note(&format!("seed {seed}"));
            seed
        }
    }
}

/// A seed from the operating system's entropy (which keys the standard library's hash maps), below 2⁵³ so that every
/// reader of JSON gets it exactly.
fn draw() -> u64 {
    std::hash::RandomState::new().build_hasher().finish() >> 11
}
