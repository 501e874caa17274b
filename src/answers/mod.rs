//! What is asked: the rank, by [`rank()`]. [`certificate()`] makes the answer checkable by others,
//! [`rational_rank`] lifts it to the rationals.

mod certificate;
mod rank;
mod rational;

pub use crate::cost::Machine;
use crate::report::Phases;
pub use crate::wiedemann::{Route, WiedemannReport, codegree_by_interpolation, codegree_by_row_division};
pub use certificate::{certificate, certificate_compact};
pub use rank::{Method, Minor, Patience, Rank, RankOptions, rank, rank_owned};
pub use rational::{ModularRank, RationalOptions, RationalRank, rational_rank};

#[cfg(test)]
mod certificate_tests;
#[cfg(test)]
mod tests;
