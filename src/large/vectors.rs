//! Null vectors mod a large prime, a few side by side.

use super::arithmetic::Arithmetic;
use crate::{Result, memory};
use num_bigint::BigUint;

/// What the memory is for.
const VECTORS: &str = "null vectors mod a large prime";

/// Sparse vectors of a null space.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LargeVectors {
    first: usize,
    start: Vec<usize>,
    coordinates: Vec<u32>,
    values: Vec<BigUint>,
}

impl LargeVectors {
    /// Vectors from number `first` on: in `x` their coordinates `names`, or nothing if these are all zero, and `others`
    /// for each of them, ascending.
    pub(super) fn of<F: Arithmetic>(
        field: &F,
        first: usize,
        names: &[u32],
        x: &[Vec<F::Loose>],
        others: Vec<Vec<(u32, F::Element)>>,
    ) -> Result<Self> {
        let mut made = LargeVectors { first, start: vec![0], coordinates: vec![], values: vec![] };
        for (l, others) in others.iter().enumerate() {
            let values = x.get(l).into_iter().flatten().map(|v| field.tight(v));
            let mut inner = names.iter().copied().zip(values).peekable();
            let mut outer = others.iter().cloned().peekable();
            loop {
                let own = inner.peek().zip(outer.peek()).map(|(a, b)| a.0 < b.0);
                let own = own.unwrap_or(outer.peek().is_none());
                let Some((j, v)) = (if own { inner.next() } else { outer.next() }) else { break };
                if !field.is_zero(&v) {
                    memory::push(&mut made.coordinates, j, VECTORS)?;
                    memory::push(&mut made.values, field.integer(&v), VECTORS)?;
                }
            }
            memory::push(&mut made.start, made.coordinates.len(), VECTORS)?;
        }
        Ok(made)
    }
    /// The number of the first vector among all that are made.
    #[must_use]
    pub fn first(&self) -> usize {
        self.first
    }
    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.start.len() - 1
    }
    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// Non-zero coordinates of all of them.
    #[must_use]
    pub fn nnz(&self) -> usize {
        self.coordinates.len()
    }
    /// The non-zero coordinates of vector `first + k`, ascending, with their residues.
    ///
    /// # Panics
    /// If there is no such vector.
    #[must_use]
    pub fn vector(&self, k: usize) -> (&[u32], &[BigUint]) {
        let range = self.start[k]..self.start[k + 1];
        (&self.coordinates[range.clone()], &self.values[range])
    }
}
