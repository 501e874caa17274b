//! How an answer is told, whatever the question was: what was done ([`Step`], [`Phases`]), how sure it is
//! ([`Certainty`], [`ErrorBound`]), and what is said meanwhile ([`Observer`]).
//!
//! The ground floor: every room may report, and this one uses none of them. What an answer keeps of these serialises
//! itself, so that a program which prints answers restates no field of theirs; the documents of the command line are
//! described by the JSON Schemas in `docs/schema`.

mod certainty;
mod error_bound;
mod observer;
mod phases;
mod step;

pub use certainty::Certainty;
pub use error_bound::ErrorBound;
pub(crate) use observer::Quiet;
pub use observer::{Observer, Silent};
pub use phases::Phases;
pub use step::Step;
