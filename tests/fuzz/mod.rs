//! What the fuzz targets do with an input: plain functions that take bytes and panic on a contradiction. `fuzz/` passes
//! them the inputs of cargo-fuzz, `tests/corpus.rs` the seeds in `fuzz/corpus` and mutations of them.

mod certificate;
mod checkpoint;
mod naive;
mod profile;
mod rank_tiny;
mod readers;
mod texts;

pub use certificate::certificate;
pub use checkpoint::checkpoint;
pub use profile::profile;
pub use rank_tiny::rank_tiny;
pub use readers::{arrays, harwell_boeing, matrix_market, sms};
pub use texts::texts;

/// A target: returns whether the bytes were accepted.
pub type Target = fn(&[u8]) -> bool;

/// Every target with its name.
#[allow(dead_code, reason = "each fuzz target calls its own")]
pub const TARGETS: [(&str, Target); 9] = [
    ("sms", sms),
    ("matrix_market", matrix_market),
    ("harwell_boeing", harwell_boeing),
    ("arrays", arrays),
    ("texts", texts),
    ("certificate", certificate),
    ("checkpoint", checkpoint),
    ("profile", profile),
    ("rank_tiny", rank_tiny),
];

/// Names and contents of seeds.
#[allow(dead_code, reason = "the fuzz targets make no seeds")]
type Seeds = fn() -> Vec<(String, Vec<u8>)>;

/// The seeds that only the library can make: `make_seeds` in `tests/corpus.rs` writes them after a change of format.
#[allow(dead_code, reason = "the fuzz targets make no seeds")]
pub const SEEDS: [(&str, Seeds); 2] = [("certificate", certificate::seeds), ("checkpoint", checkpoint::seeds)];
