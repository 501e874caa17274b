//! The pivots of a matrix made ready to eliminate its other rows, with the arithmetic that its modulus allows.

use super::Split;
use super::arithmetic::{Eager, Lazy};
use super::triangle::Triangle;
use crate::Result;

/// The pivot rows of a [`Split`], ready to clear the pivot columns of the other rows: rows of S, one by one.
/// They are made ready when they are needed: for a sample of the rows of S, by the pivots that these rows meet.
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
    /// None of the pivot rows is ready yet.
    ///
    /// # Errors
    /// [`crate::Error::Memory`].
    pub fn new(split: &'a Split<'a>) -> Result<Self> {
        let triangle = match Lazy::fits(split.modulus()) {
            true => AnyTriangle::Lazy(Triangle::new(split)?),
            false => AnyTriangle::Eager(Triangle::new(split)?),
        };
        Ok(Solver { split, triangle })
    }
}
