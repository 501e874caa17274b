//! A permanent with what proves it.

use super::Resumed;
use crate::field::Modulus;
use crate::integers::{Assembled, Bound, Multimodular};
use crate::{Observer, Result};
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
    /// A value that residues modulo enough primes for the bound gave.
    pub(super) fn assembled(bound: Bound, integer: Assembled) -> Self {
        let moduli = integer.moduli.iter().map(|p| p.get().into()).collect();
        Exact { value: integer.value, moduli, bound: Some(bound), resumed: None }
    }
    /// The integer within the bound whose residue mod each of the largest primes `residue` tells. Parallel over the
    /// primes.
    ///
    /// # Errors
    /// [`Error::Interrupted`](crate::Error::Interrupted), and those of `residue`.
    pub(super) fn by_primes(
        bound: Bound,
        observer: &dyn Observer,
        residue: impl Fn(Modulus) -> Result<u64> + Sync,
    ) -> Result<Self> {
        let prime_bits = Modulus::LIMIT.ilog2();
        let integer = Multimodular { bound, prime_bits, group: 1, phase: "residues", observer };
        let found = integer.proven(|group| group.iter().map(|&p| residue(p)).collect())?;
        Ok(Exact::assembled(bound, found))
    }
}
