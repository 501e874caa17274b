//! Block Wiedemann on an operator: sequence, σ-basis, and what its generator says (source paper, section 3).
//!
//! The rank is the degree of the determinant of a generator F of Yᵀ·Bⁱ⁺¹·X, or deg det F less its co-degree for that of
//! Yᵀ·Bⁱ·X; [`parameters()`] chooses field, block and Y with their price, [`trials`](trials()) makes
//! independent runs. The terms come through [`SequenceSource`](crate::sequence::SequenceSource), wherever they are
//! computed: [`Place`]. The same generator, read from the right and evaluated at the operator, solves systems and makes
//! null vectors: [`System`].

mod codegree;
mod cost;
mod evaluate;
mod options;
mod parameters;
mod place;
mod reading;
mod searches;
mod state;
mod system;
#[cfg(test)]
mod system_tests;
mod trials;

pub use codegree::{codegree_by_interpolation, codegree_by_row_division, determinant_by_interpolation};
pub use cost::Problem;
pub use options::{Options, Route};
pub use parameters::{Parameters, parameters};
pub use place::Place;
pub(crate) use state::{Counted, Saved};
pub use system::{ATTEMPTS, Solutions, System};
pub use trials::{NEVER_ABOVE, Outcome, WiedemannReport, trials};
