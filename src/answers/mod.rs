//! What is asked: the rank. [`rank()`] answers; `planner` chooses how and says why, from the costs in [`Machine`].
//! [`certificate()`] makes the answer checkable by others, [`rational_rank`] lifts it to the rationals.
//!
//! The way of an answer: connected components, structural pivots ([`crate::pivots`]), the row space of what they leave ([`crate::schur`]) or block
//! Wiedemann on it (`wiedemann`, with `parameters`), and a proof by the null space. Each step is kept in [`Rank::path`], and
//! watched: one that takes several times what was predicted is looked at again ([`Patience`]).

mod certificate;
mod codegree;
mod components;
mod lineage;
mod machine;
mod options;
mod outlook;
mod parameters;
mod patience;
mod pivoting;
mod planner;
mod proof;
mod rank;
mod rational;
mod rest;
mod steps;
mod wiedemann;

use crate::report::Phases;
pub use certificate::{Minor, certificate, certificate_compact};
pub use codegree::{codegree_by_interpolation, codegree_by_row_division};
pub use machine::Machine;
pub use options::{Method, RankOptions, Route};
pub use patience::Patience;
pub use rank::{Rank, rank, rank_owned};
pub use rational::{ModularRank, RationalOptions, RationalRank, rational_rank};
pub use wiedemann::WiedemannReport;

#[cfg(test)]
mod tests;
