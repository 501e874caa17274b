//! The pivots of a matrix made ready to eliminate its other rows, with the arithmetic that its modulus allows.

use super::Split;
use super::arithmetic::{Eager, Lazy};
use super::triangle::Triangle;
use crate::{Observer, Result};

/// The pivot rows of a [`Split`], ready to clear the pivot columns of the other rows: rows of S, one by one.
///
/// Memory: 16 bytes for a pivot, 4 for a column, and 8 or 16 bytes for an entry of the pivot rows, of which there may
/// come to be three times as many as A has.
#[derive(Debug)]
pub struct Solver<'a> {
    pub(super) split: &'a Split<'a>,
    pub(super) triangle: AnyTriangle,
}

/// By the size of p.
#[derive(Debug)]
pub(super) enum AnyTriangle {
    Lazy(Triangle<Lazy>),
    Eager(Triangle<Eager>),
}

impl<'a> Solver<'a> {
    /// # Errors
    /// [`crate::Error::Interrupted`], [`crate::Error::Memory`].
    ///
    /// # Panics
    /// If the pivots are not triangular, or not entries of the matrix.
    pub fn new(split: &'a Split<'a>, observer: &dyn Observer) -> Result<Self> {
        let triangle = match Lazy::fits(split.modulus()) {
            true => AnyTriangle::Lazy(Triangle::new(split, observer)?),
            false => AnyTriangle::Eager(Triangle::new(split, observer)?),
        };
        Ok(Solver { split, triangle })
    }
}
