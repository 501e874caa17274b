//! What is asked: the rank. [`rank`] answers, `method` chooses how and says why.

mod codegree;
mod method;
mod options;
mod phases;
mod rank;
mod wiedemann;

pub use codegree::{codegree_by_interpolation, codegree_by_row_division};
pub use method::{Choice, choose};
pub use options::{Method, RankOptions, Route};
pub use phases::Phases;
pub use rank::{Rank, rank};

#[cfg(test)]
mod tests;
