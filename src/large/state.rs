//! Residues as bytes, whatever the arithmetic: as the integers that they are.

use super::arithmetic::Arithmetic;
use crate::report::Bytes;
use crate::{Result, memory};
use num_bigint::BigUint;

/// What the memory is for.
const STATE: &str = "a state mod a large prime";

/// A list of residues, to be written.
pub(super) struct Residues<'a, F: Arithmetic>(pub(super) &'a F, pub(super) &'a [F::Element]);

impl<F: Arithmetic> Bytes for Residues<'_, F> {
    fn write(&self, to: &mut Vec<u8>) -> Result<()> {
        let Residues(field, list) = self;
        list.len().write(to)?;
        list.iter().try_for_each(|x| field.integer(x).write(to))
    }
}

/// The residues that these integers are.
///
/// # Errors
/// [`Error::Memory`](crate::Error::Memory).
pub(super) fn elements<F: Arithmetic>(field: &F, integers: &[BigUint]) -> Result<Vec<F::Element>> {
    memory::collect(integers.iter().map(|n| field.element(n)), STATE)
}
