//! The rings that homology is taken over.

use crate::field::Modulus;
use std::fmt;

/// What homology is taken with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Coefficients {
    /// ℤ: Betti numbers and torsion.
    Integers,
    /// ℚ.
    Rationals,
    /// GF(p).
    Field(Modulus),
}

/// `Z`, `Q` or `GF(p)`.
impl fmt::Display for Coefficients {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Coefficients::Integers => f.write_str("Z"),
            Coefficients::Rationals => f.write_str("Q"),
            Coefficients::Field(p) => write!(f, "GF({p})"),
        }
    }
}
