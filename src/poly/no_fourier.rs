//! Floating-point transforms where this library was built without them: none is planned, and number-theoretic ones take
//! their place.

use super::matrix::PolySlice;
use super::shape::ProductShape;
use super::simd::Isa;
use crate::Result;
use crate::field::Field;

/// There is nothing to give back.
pub(super) fn give_back() {}

/// Never a product: what asks for one computes without rounding.
pub(crate) fn product<F: Field>(
    _: Isa,
    _: &F,
    _: PolySlice<'_, F::Elem>,
    _: PolySlice<'_, F::Elem>,
    _: &ProductShape,
    _: usize,
    _: &mut [F::Elem],
) -> Result<bool> {
    Ok(false)
}
