//! What is asked: the rank. [`rank()`] answers, `method` chooses how and says why; [`certificate()`] makes the answer checkable
//! by others, [`rational_rank`] lifts it to the rationals.

mod certificate;
mod codegree;
mod hadamard;
mod method;
mod options;
mod phases;
mod rank;
mod rational;
mod wiedemann;

pub use certificate::{Minor, certificate};
pub use codegree::{codegree_by_interpolation, codegree_by_row_division};
pub use hadamard::{hadamard_log2, primes_of_size};
pub use method::{Choice, choose};
pub use options::{Method, RankOptions, Route};
pub use phases::Phases;
pub use rank::{Rank, rank};
pub use rational::{ModularRank, RationalOptions, RationalRank, rational_rank};

#[cfg(test)]
mod tests;
