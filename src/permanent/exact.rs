//! A permanent with what proves it.

use super::Resumed;
use super::bound::Bound;
use num_bigint::{BigInt, BigUint};

/// The permanent of one matrix as an engine found it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exact {
    /// The permanent.
    pub value: BigInt,
    /// The moduli of the residues that it was put together from; empty if it was computed in integers.
    pub moduli: Vec<BigUint>,
    /// The bound that makes those moduli enough.
    pub bound: Option<Bound>,
    /// The work that a checkpoint had and that was not done again.
    pub resumed: Option<Resumed>,
}

impl Exact {
    /// A value that integer arithmetic, or an argument without any, gave.
    pub fn integer(value: impl Into<BigInt>) -> Self {
        Exact { value: value.into(), moduli: vec![], bound: None, resumed: None }
    }
}
