//! Diagonal scaling Y ← D X over GF(p).

use super::{Operator, Scratch, scale};
use crate::Result;
use crate::field::Modulus;
use crate::spmv::{Block, Lane};

/// A diagonal matrix over GF(p) as a separate operator. (Where a product comes before it, use the scaled products of
/// [`crate::spmv::Product`], which pay one reduction for both.)
#[derive(Clone, Debug)]
pub struct Diagonal {
    modulus: Modulus,
    lane: Lane,
    entries: Vec<u64>,
}

impl Diagonal {
    /// The diagonal matrix with these residues.
    pub fn new(modulus: Modulus, lane: Lane, entries: Vec<u64>) -> Self {
        Diagonal { modulus, lane, entries }
    }
}

impl Operator for Diagonal {
    fn modulus(&self) -> Modulus {
        self.modulus
    }
    fn rows(&self) -> usize {
        self.entries.len()
    }
    fn cols(&self) -> usize {
        self.entries.len()
    }
    fn lane(&self) -> Lane {
        self.lane
    }
    fn apply(&self, x: &Block, y: &mut Block, _scratch: &mut Scratch) -> Result<()> {
        assert_eq!((x.rows(), y.rows(), x.width()), (self.rows(), self.rows(), y.width()));
        y.copy_rows(0, x, 0, x.rows());
        scale(self.modulus, Some(&self.entries), y);
        Ok(())
    }
    fn apply_transpose(&self, x: &Block, y: &mut Block, scratch: &mut Scratch) -> Result<()> {
        self.apply(x, y, scratch)
    }
}
