//! The Schur complement of structural pivots, S = A₂₂ - A₂₁·U⁻¹·A₁₂: formed ([`form`]) or only predicted ([`predict`]).

mod explicit;
mod predict;
mod triangle;

pub use explicit::{FormOptions, Formed, form};
pub use predict::{Estimate, Prediction, predict};
