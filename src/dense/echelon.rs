//! The rank of rows that come in any number: [`Echelon`] keeps a basis of their span, never the rows.

use super::bits::Bits;
use super::gemm::FLOAT_BITS;
use super::panels::Panels;
use crate::field::Modulus;
use crate::{Observer, Result};

/// A row as its columns, each at most once, and the residues there (zeros allowed).
pub type Row<'a> = (&'a [u32], &'a [u64]);

/// A basis of the span of the rows absorbed so far, in dense echelon form.
///
/// Storage: one bit an entry for p = 2, `f64` for p < 2²⁶, else `u64`. Time for m rows of rank r over n columns: at
/// most m·r·(n - r/2) multiply-adds mod p, nearly all of them in matrix products.
#[derive(Debug)]
pub struct Echelon {
    storage: Storage,
}

#[derive(Debug)]
enum Storage {
    Bits(Bits),
    Float(Panels<f64>),
    Word(Panels<u64>),
}

impl Echelon {
    /// The empty basis in a space of `cols` dimensions.
    ///
    /// # Panics
    /// If `cols` ≥ 2³².
    pub fn new(modulus: Modulus, cols: usize) -> Self {
        assert!(cols < 1 << 32, "columns are numbered by 32 bits");
        let storage = match modulus.bits() {
            1 => Storage::Bits(Bits::new(cols)),
            bits if bits <= FLOAT_BITS => Storage::Float(Panels::new(modulus, cols)),
            _ => Storage::Word(Panels::new(modulus, cols)),
        };
        Echelon { storage }
    }

    /// Bytes needed, with working space, for a basis of `rank` rows.
    pub fn memory(modulus: Modulus, rank: usize, cols: usize) -> u64 {
        let (rank, cols) = (rank as u64, cols as u64);
        if modulus.get() == 2 {
            return (rank + 256 + Bits::STEP as u64) * cols.div_ceil(64) * 8;
        }
        // Word panels hold the limbs of a block and the sums of a tile besides.
        let panels = if modulus.bits() <= FLOAT_BITS { 2 } else { 12 };
        (rank + panels * Panels::<f64>::STEP as u64) * cols * 8
    }

    /// Adds rows to the span; reports progress in rows and asks to stop between panels.
    ///
    /// # Errors
    /// [`crate::Error::Interrupted`], after which the basis is that of the rows reported as done.
    ///
    /// # Panics
    /// If a column is out of range.
    pub fn absorb(&mut self, rows: &[Row<'_>], observer: &dyn Observer) -> Result<()> {
        let step = match self.storage {
            Storage::Bits(_) => Bits::STEP,
            Storage::Float(_) | Storage::Word(_) => Panels::<f64>::STEP,
        };
        let mut done = 0;
        for panel in rows.chunks(step) {
            observer.check()?;
            match &mut self.storage {
                Storage::Bits(b) => b.absorb(panel),
                Storage::Float(p) => p.absorb(panel),
                Storage::Word(p) => p.absorb(panel),
            }
            done += panel.len() as u64;
            observer.progress(done);
        }
        Ok(())
    }
    /// The dimension of the span.
    pub fn rank(&self) -> usize {
        self.pivot_rows().len()
    }
    /// The row rank profile: the numbers, ascending, of the rows that were independent of those before them.
    pub fn pivot_rows(&self) -> &[usize] {
        match &self.storage {
            Storage::Bits(b) => &b.pivot_rows,
            Storage::Float(p) => &p.pivot_rows,
            Storage::Word(p) => &p.pivot_rows,
        }
    }
    /// The column rank profile, ascending: the first columns that are independent.
    pub fn pivot_cols(&self) -> Vec<usize> {
        let cols = match &self.storage {
            Storage::Bits(b) => &b.pivot_cols,
            Storage::Float(p) => p.pivot_cols(),
            Storage::Word(p) => p.pivot_cols(),
        };
        let mut cols: Vec<usize> = cols.iter().map(|&j| j as usize).collect();
        cols.sort_unstable();
        cols
    }
}
