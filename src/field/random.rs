//! The source of random choices.

use rand::SeedableRng;
use rand_chacha::ChaCha20Rng;

/// The generator of all random choices: explicit, seedable, the same on every machine.
pub type Rng = ChaCha20Rng;

/// The generator for a seed: the same seed, the same numbers, on every machine.
///
/// Answers do not take it: they have streams of their own, keyed by matrix, modulus and seed
/// ([`Streams`](crate::certify::Streams)). It is for what a caller draws, such as the start of a Krylov sequence.
///
/// ```
/// use blackfield::field::{Field, Modulus, PrimeField, rng_from_seed};
/// let field = PrimeField(Modulus::new(65521)?);
/// let [mut a, mut b] = [3, 3].map(rng_from_seed);
/// assert_eq!(field.random(&mut a), field.random(&mut b));
/// # Ok::<(), blackfield::Error>(())
/// ```
#[must_use]
pub fn rng_from_seed(seed: u64) -> Rng {
    Rng::seed_from_u64(seed)
}
