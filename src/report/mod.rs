//! How an answer is reported, whatever the question: what was done ([`Step`], [`Phases`]), how certain it is
//! ([`Certainty`], [`ErrorBound`]), and what is reported along the way ([`Observer`]) and kept for
//! another run ([`Keeper`]).
//!
//! The bottom of the dependency order: every room may report, and this one uses none of them. These types serialise
//! themselves, so that a program that prints answers need not restate their fields; the documents of the command line
//! are described by the JSON Schemas in `docs/schema`.

mod certainty;
mod error_bound;
mod keeper;
mod observer;
mod phases;
mod step;

pub use certainty::Certainty;
pub use error_bound::ErrorBound;
pub use keeper::Keeper;
pub(crate) use observer::Quiet;
pub use observer::{Forecast, Observer, Silent};
pub use phases::Phases;
pub use step::Step;
