//! A polynomial that belongs to a matrix, and how it was found.

use crate::certify::Certainty;
use crate::report::{Phases, Step};

/// A minimal or characteristic polynomial mod p.
#[derive(Clone, Debug)]
#[must_use]
#[non_exhaustive]
pub struct MatrixPolynomial {
    /// The coefficients, constant first, residues; the last is 1.
    pub coefficients: Vec<u64>,
    /// How sure they are.
    pub certainty: Certainty,
    /// Why that is so.
    pub reason: String,
    /// All invariant factors of the matrix other than 1, each a divisor of the next, if the way to the answer found
    /// them and proved them; in the form of `coefficients`.
    pub invariant_factors: Option<Vec<Vec<u64>>>,
    /// What was done.
    pub path: Vec<Step>,
    /// Seconds of each phase.
    pub phases: Phases,
}

impl MatrixPolynomial {
    /// The degree.
    #[must_use]
    pub fn degree(&self) -> usize {
        self.coefficients.len() - 1
    }
}
