//! What is asked: the rank. [`rank()`] answers; `planner` chooses how and says why, from the costs in [`Machine`].
//! [`certificate()`] makes the answer checkable by others, [`rational_rank`] lifts it to the rationals.
//!
//! The way of an answer: connected components, structural pivots ([`crate::pivots`]), the row space of what they leave ([`crate::schur`]) or block
//! Wiedemann on it (`wiedemann`), and a proof by the null space. Each step is kept in [`Rank::path`], and
//! watched: one that takes several times what was predicted is looked at again ([`Patience`]).

mod certificate;
mod codegree;
mod components;
mod finish;
mod lineage;
mod minor;
mod options;
mod outlook;
mod patience;
mod pivoting;
mod plan;
mod planner;
mod proof;
mod rank;
mod rational;
mod run;
mod settled;
mod steps;
mod whole;
mod wiedemann;
mod work;

pub use crate::cost::Machine;
use crate::report::Phases;
pub use certificate::{certificate, certificate_compact};
pub use codegree::{codegree_by_interpolation, codegree_by_row_division};
pub use minor::Minor;
pub use options::{Method, RankOptions, Route};
pub use patience::Patience;
pub use rank::Rank;
pub use rational::{ModularRank, RationalOptions, RationalRank, rational_rank};
pub use whole::{rank, rank_owned};
pub use wiedemann::WiedemannReport;

#[cfg(test)]
mod prices_tests;
#[cfg(test)]
mod tests;
