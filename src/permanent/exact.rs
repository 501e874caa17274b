//! A permanent with its proof.

use super::Resumed;
use crate::field::Modulus;
use crate::integers::{Assembled, Bound, Multimodular};
use crate::{Observer, Result};
use num_bigint::{BigInt, BigUint};

/// The permanent of one matrix as computed by an engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exact {
    /// The permanent.
    pub value: BigInt,
    /// The moduli of the residues from which it was reconstructed; empty if it was computed over the integers.
    pub moduli: Vec<BigUint>,
    /// The bound for which those moduli suffice.
    pub bound: Option<Bound>,
    /// The work taken from a checkpoint and not repeated.
    pub resumed: Option<Resumed>,
}

impl Exact {
    /// A value computed in integer arithmetic, or known by an argument without any.
    pub fn integer(value: impl Into<BigInt>) -> Self {
        Exact { value: value.into(), moduli: vec![], bound: None, resumed: None }
    }
    /// A value determined by residues modulo enough primes for the bound.
    pub(super) fn assembled(bound: Bound, integer: Assembled) -> Self {
        let moduli = integer.moduli.iter().map(|p| p.get().into()).collect();
        Exact { value: integer.value, moduli, bound: Some(bound), resumed: None }
    }
    /// The integer within the bound from its residues mod the largest primes, which `residue` computes. Parallel over
    /// the primes.
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
