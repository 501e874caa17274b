//! The source of random choices.

use rand_chacha::ChaCha20Rng;

/// The generator of all random choices: explicit, seedable, the same on every machine.
pub type Rng = ChaCha20Rng;
