//! How an answer is reported, whatever the question: what was done ([`Step`], [`Phases`]), how certain it is
//! ([`Certainty`], [`ErrorBound`]), and what is reported along the way ([`Observer`]) and kept for
//! another run ([`Keeper`]; `kept.rs` for the steps that are kept, `bytes.rs` for the form of their states).
//!
//! The bottom of the dependency order: every room may report, and this one uses none of them. These types serialise
//! themselves, so that a program that prints answers need not restate their fields; the documents of the command line
//! are described by the JSON Schemas in `docs/schema`.

mod ahead;
mod bytes;
mod certainty;
mod error_bound;
mod keeper;
mod kept;
mod observer;
mod phases;
mod step;

pub use ahead::Ahead;
pub(crate) use bytes::{Bytes, State};
pub use certainty::Certainty;
pub use error_bound::ErrorBound;
pub use keeper::Keeper;
#[cfg(test)]
pub(crate) use kept::tests::{Memory, goes_on, goes_on_after};
pub(crate) use kept::{Kept, once, once_if_worth};
pub(crate) use observer::Quiet;
pub use observer::{Forecast, Observer, Silent};
pub use phases::Phases;
pub use step::Step;
