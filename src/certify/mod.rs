//! How sure an answer is, and the theorems that say so.

mod certainty;
mod wiedemann_bound;

pub use certainty::Certainty;
pub use wiedemann_bound::{degree_for_error, rank_failure};
