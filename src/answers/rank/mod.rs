//! rank A mod p. [`plan`] says what is next, from what is known and the prices in [`Machine`]; [`run`] does it, until
//! the rank is known.
//!
//! The path to an answer: what a glimpse shows to be dense is eliminated as it stands (`glimpse`); of a long matrix, a
//! draw of lines may do (`drawn`); connected components (`components`), of which dense ones are eliminated beside each
//! other (`dense_components`), structural pivots and Schur complements that are formed (`pivoting`), a bound by a
//! matching (`structural`), then the rank of what is left without forming it (`finish`, as `planner` decides: all rows,
//! the row space, block Wiedemann), and a proof by the null space (`proof`). Each step is recorded in [`Rank::path`]
//! and timed (`steps`): one that takes several times what was predicted is looked at again ([`Patience`]), and stopped
//! where the plan would be another now (`outlook`). For null vectors, the steps are kept (`run`), and block Wiedemann
//! makes those of what is left where its row space would take too much (`sequence`). What would be done can be asked
//! without doing it (`rank_plan`).

mod answer;
mod by_sequence;
mod by_wiedemann;
mod components;
mod dense_components;
mod drawn;
mod finish;
mod forecast_of_parts;
mod forming;
mod glimpse;
mod itself;
mod options;
mod outlook;
mod patience;
mod pivoting;
mod place;
mod plan;
mod planner;
mod proof;
mod rank_plan;
mod run;
mod sequence;
mod settled;
mod steps;
mod structural;
mod whole;
mod work;

use super::{Machine, Phases, Route, WiedemannReport};
pub use crate::decomposition::Minor;
use crate::wiedemann;
pub use answer::Rank;
pub(super) use finish::Space;
pub use options::{Method, RankOptions};
pub use patience::Patience;
pub use rank_plan::{PlannedStep, RankPlan, rank_plan};
pub(super) use run::row_space;
pub(super) use sequence::Sequence;
pub use whole::{rank, rank_owned};

#[cfg(test)]
mod outlook_tests;
#[cfg(test)]
mod prices_tests;
#[cfg(test)]
mod rank_plan_tests;
#[cfg(test)]
mod shared_parts_tests;
