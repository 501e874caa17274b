//! The rank of rows that come in any number: [`Echelon`] keeps a basis of their span, never the rows.

use super::bits::{self, Bits};
use super::combine::combine;
use super::cuda::{GpuPanels, GpuTeam};
use super::entry::{Residue, Row};
use super::factors::{Blocks, Factors};
use super::panels::Panels;
use super::reduced::{Reduced, Table};
use super::trits::Trits;
use crate::field::{Modulus, Rng};
use crate::report::Quiet;
use crate::{Observer, Result, memory};

/// What the memory is for.
const PIVOTS: &str = "the pivots of a dense elimination";

/// A basis of the span of the rows absorbed so far, in dense echelon form.
///
/// Storage: one bit an entry for p = 2, two for p = 3, 8 bits for p < 2⁸, 16 for p < 2¹⁶, 32 below 2³², else 64. Time
/// for m rows of rank r over n columns: at most m·r·(n - r/2) multiply-adds mod p, nearly all of them in matrix
/// products.
#[derive(Debug)]
pub struct Echelon {
    pub(super) modulus: Modulus,
    pub(super) cols: usize,
    pub(super) storage: Storage,
}

#[derive(Debug)]
pub(super) enum Storage {
    Bits(Bits),
    Trits(Trits),
    U8(Panels<u8>),
    U16(Panels<u16>),
    U32(Panels<u32>),
    U64(Panels<u64>),
    Gpu(Box<GpuPanels>),
    Gpus(Box<GpuTeam>),
}

impl Echelon {
    /// The empty basis in a space of `cols` dimensions.
    ///
    /// # Errors
    /// [`crate::Error::Memory`].
    ///
    /// # Panics
    /// If `cols` ≥ 2³².
    pub fn new(modulus: Modulus, cols: usize) -> Result<Self> {
        assert!(cols < 1 << 32, "columns are numbered by 32 bits");
        let storage = match modulus.get() {
            2 => Storage::Bits(Bits::new(cols)),
            3 => Storage::Trits(Trits::new(cols)),
            4..=0xff => Storage::U8(Panels::new(modulus, cols)?),
            0x100..=0xffff => Storage::U16(Panels::new(modulus, cols)?),
            0x1_0000..=0xffff_ffff => Storage::U32(Panels::new(modulus, cols)?),
            _ => Storage::U64(Panels::new(modulus, cols)?),
        };
        Ok(Echelon { modulus, cols, storage })
    }

    /// The empty basis, which keeps the multipliers that [`Echelon::factors`] makes of the rows: s²/2 residues more for
    /// s independent rows, and a panel. For p = 2 none are kept; for p = 3 the basis has bytes, too.
    ///
    /// # Errors
    /// [`crate::Error::Memory`].
    ///
    /// # Panics
    /// If `cols` ≥ 2³².
    pub fn with_multipliers(modulus: Modulus, cols: usize) -> Result<Self> {
        let mut echelon = match modulus.get() {
            3 => Echelon { modulus, cols, storage: Storage::U8(Panels::new(modulus, cols)?) },
            _ => Self::new(modulus, cols)?,
        };
        match &mut echelon.storage {
            Storage::Bits(_) | Storage::Trits(_) | Storage::Gpu(_) | Storage::Gpus(_) => {}
            Storage::U8(p) => p.keep_multipliers(),
            Storage::U16(p) => p.keep_multipliers(),
            Storage::U32(p) => p.keep_multipliers(),
            Storage::U64(p) => p.keep_multipliers(),
        }
        Ok(echelon)
    }

    /// Adds rows to the span; reports progress in rows and asks to stop between steps of a few panels. Returns how many
    /// of them were independent of those before them.
    ///
    /// # Errors
    /// [`crate::Error::Interrupted`], after which the basis is that of the rows reported as done;
    /// [`crate::Error::Memory`], after which it is good for nothing.
    ///
    /// # Panics
    /// If a column is out of range.
    pub fn absorb(&mut self, rows: &[Row<'_>], observer: &dyn Observer) -> Result<usize> {
        self.in_steps(rows.len(), observer, |storage, range| match storage {
            Storage::Bits(b) => b.absorb(&rows[range]),
            Storage::Trits(t) => t.absorb(&rows[range]),
            Storage::U8(p) => p.absorb(&rows[range]),
            Storage::U16(p) => p.absorb(&rows[range]),
            Storage::U32(p) => p.absorb(&rows[range]),
            Storage::U64(p) => p.absorb(&rows[range]),
            Storage::Gpu(p) => p.absorb_sparse(&rows[range]),
            Storage::Gpus(p) => p.absorb_sparse(&rows[range]),
        })
    }
    /// The same for dense rows of residues, which lie one after the other in `data`. Blocks of 256 rows are best, of
    /// 1024 on several threads, but short ones cost little more: their rows are gathered to blocks of the basis.
    ///
    /// # Errors
    /// As [`Echelon::absorb`].
    ///
    /// # Panics
    /// If `data` has not `rows` × the number of columns entries.
    pub fn absorb_block<R: Residue>(&mut self, rows: usize, data: &[R], observer: &dyn Observer) -> Result<usize> {
        let cols = self.cols;
        assert_eq!(data.len(), rows * cols, "entries of {rows} rows of {cols}");
        self.in_steps(rows, observer, |storage, range| {
            let (count, data) = (range.len(), &data[range.start * cols..range.end * cols]);
            match storage {
                Storage::Bits(b) => b.absorb_dense(count, data),
                Storage::Trits(t) => t.absorb_dense(count, data),
                Storage::U8(p) => p.absorb_dense(count, data),
                Storage::U16(p) => p.absorb_dense(count, data),
                Storage::U32(p) => p.absorb_dense(count, data),
                Storage::U64(p) => p.absorb_dense(count, data),
                Storage::Gpu(p) => p.absorb_dense(count, data),
                Storage::Gpus(p) => p.absorb_dense(count, data),
            }
        })
    }
    /// The same for rows over GF(2) that lie side by side, [`Echelon::PACKED`] of them in each of `blocks`, which hold
    /// 32 rows in each of 16 words for each column.
    ///
    /// # Errors
    /// As [`Echelon::absorb`].
    ///
    /// # Panics
    /// For another modulus than 2, or if a block has not 16 words for each column, or the blocks have not so many rows.
    pub fn absorb_packed(&mut self, rows: usize, blocks: &[&[u32]], observer: &dyn Observer) -> Result<usize> {
        let words = self.cols * bits::WORDS;
        assert!(rows.div_ceil(Self::PACKED) == blocks.len() && blocks.iter().all(|block| block.len() == words));
        self.in_steps(rows, observer, |storage, range| {
            let Storage::Bits(basis) = storage else { panic!("packed rows are over GF(2)") };
            basis.absorb_columns(range.len(), &blocks[range.start / Self::PACKED..range.end.div_ceil(Self::PACKED)])
        })
    }
    /// Adds `count` uniformly random combinations of rows to the span: Y·A as one matrix product. Returns how many of
    /// them were independent of what was there. If some row is not in the span, a combination is in it with probability
    /// 1/p.
    ///
    /// # Errors
    /// As [`Echelon::absorb`].
    ///
    /// # Panics
    /// If a column is out of range.
    pub fn absorb_combinations(
        &mut self,
        rows: &[Row<'_>],
        count: usize,
        rng: &mut Rng,
        observer: &dyn Observer,
    ) -> Result<usize> {
        let (modulus, cols) = (self.modulus, self.cols);
        macro_rules! absorb {
            ($lane:ty) => {
                self.absorb_block(
                    count,
                    &combine::<$lane>(modulus, cols, rows, count, rng, observer)?,
                    &Quiet(observer),
                )
            };
        }
        match self.storage {
            Storage::Bits(_) | Storage::Trits(_) | Storage::U8(_) => absorb!(u8),
            Storage::U16(_) => absorb!(u16),
            Storage::U32(_) => absorb!(u32),
            Storage::U64(_) | Storage::Gpu(_) | Storage::Gpus(_) => absorb!(u64),
        }
    }
    fn in_steps(
        &mut self,
        rows: usize,
        observer: &dyn Observer,
        mut absorb: impl FnMut(&mut Storage, std::ops::Range<usize>) -> Result<()>,
    ) -> Result<usize> {
        let (before, mut start) = (self.rank(), 0);
        while start < rows {
            let step = match &self.storage {
                Storage::Bits(_) => Bits::STEP,
                Storage::Trits(_) => Trits::STEP,
                Storage::U8(p) => p.step(),
                Storage::U16(p) => p.step(),
                Storage::U32(p) => p.step(),
                Storage::U64(p) => p.step(),
                Storage::Gpu(_) | Storage::Gpus(_) => GpuPanels::STEP,
            };
            observer.check()?;
            let end = rows.min(start + step);
            absorb(&mut self.storage, start..end)?;
            observer.progress(end as u64);
            start = end;
        }
        Ok(self.rank() - before)
    }

    /// Rows that lie side by side in a block of [`Echelon::absorb_packed`].
    pub const PACKED: usize = 32 * bits::WORDS;

    /// How many rows were absorbed.
    pub fn rows_seen(&self) -> usize {
        match &self.storage {
            Storage::Bits(b) => b.rows_seen,
            Storage::Trits(t) => t.rows_seen,
            Storage::U8(p) => p.rows_seen,
            Storage::U16(p) => p.rows_seen,
            Storage::U32(p) => p.rows_seen,
            Storage::U64(p) => p.rows_seen,
            Storage::Gpu(p) => p.rows_seen(),
            Storage::Gpus(p) => p.rows_seen(),
        }
    }
    /// The dimension of the span.
    pub fn rank(&self) -> usize {
        self.pivot_rows().len()
    }
    /// The row rank profile: the numbers, ascending, of the rows that were independent of those before them.
    pub fn pivot_rows(&self) -> &[usize] {
        match &self.storage {
            Storage::Bits(b) => &b.pivot_rows,
            Storage::Trits(t) => &t.pivot_rows,
            Storage::U8(p) => &p.pivot_rows,
            Storage::U16(p) => &p.pivot_rows,
            Storage::U32(p) => &p.pivot_rows,
            Storage::U64(p) => &p.pivot_rows,
            Storage::Gpu(p) => p.pivot_rows(),
            Storage::Gpus(p) => p.pivot_rows(),
        }
    }
    /// The column rank profile, ascending: the first columns that are independent.
    ///
    /// # Errors
    /// [`crate::Error::Memory`].
    pub fn pivot_cols(&self) -> Result<Vec<u32>> {
        let mut cols = memory::copy(self.found_cols(), PIVOTS)?;
        cols.sort_unstable();
        Ok(cols)
    }
    /// The pivot columns in the order of the basis.
    pub fn found_cols(&self) -> &[u32] {
        match &self.storage {
            Storage::Bits(b) => &b.pivot_cols,
            Storage::Trits(t) => &t.pivot_cols,
            Storage::U8(p) => p.pivot_cols(),
            Storage::U16(p) => p.pivot_cols(),
            Storage::U32(p) => p.pivot_cols(),
            Storage::U64(p) => p.pivot_cols(),
            Storage::Gpu(p) => p.found_cols(),
            Storage::Gpus(p) => p.found_cols(),
        }
    }

    /// Uniformly random vectors x with R·x = 0 for every row R of the basis, one a lane: cols × `count`, row-major.
    /// They are random in the columns without a pivot; substitution gives the others, rank · (cols - rank/2)
    /// multiply-adds each.
    ///
    /// # Errors
    /// [`crate::Error::Memory`].
    pub fn orthogonal(&self, count: usize, rng: &mut Rng) -> Result<Vec<u64>> {
        if let Some(here) = self.of_gpus()? {
            return here.orthogonal(count, rng);
        }
        match &self.storage {
            Storage::Bits(b) => b.orthogonal(count, rng),
            Storage::Trits(t) => t.orthogonal(count, rng),
            Storage::U8(p) => p.orthogonal(count, rng),
            Storage::U16(p) => p.orthogonal(count, rng),
            Storage::U32(p) => p.orthogonal(count, rng),
            Storage::U64(p) => p.orthogonal(count, rng),
            Storage::Gpu(_) | Storage::Gpus(_) => unreachable!("it was copied"),
        }
    }

    /// The factors of the rows [`pivot_rows`](Echelon::pivot_rows) in the pivot columns, if multipliers are
    /// [kept](Echelon::with_multipliers). Cost: s·256² multiply-adds for s rows.
    ///
    /// # Errors
    /// [`crate::Error::Memory`].
    pub fn factors(&self) -> Result<Option<Factors>> {
        let blocks = match &self.storage {
            Storage::Bits(_) | Storage::Trits(_) | Storage::Gpus(_) => None,
            Storage::U8(p) => p.triangles()?.map(Blocks::U8),
            Storage::U16(p) => p.triangles()?.map(Blocks::U16),
            Storage::U32(p) => p.triangles()?.map(Blocks::U32),
            Storage::U64(p) => p.triangles()?.map(Blocks::U64),
            Storage::Gpu(p) => p.triangles()?,
        };
        let Some(blocks) = blocks else { return Ok(None) };
        let (rows, cols) = (memory::copy(self.pivot_rows(), PIVOTS)?, memory::copy(self.found_cols(), PIVOTS)?);
        Ok(Some(Factors { rows, cols, blocks }))
    }

    /// The reduced row echelon form, by back substitution: rank²/2 · (cols - rank) multiply-adds.
    ///
    /// # Errors
    /// [`crate::Error::Memory`]: the basis is written once more.
    pub fn reduced(self) -> Result<Reduced> {
        if let Some(here) = self.of_gpus()? {
            return here.reduced();
        }
        let found = memory::copy(self.found_cols(), PIVOTS)?;
        let mut row = memory::collect(0..found.len() as u32, PIVOTS)?;
        row.sort_unstable_by_key(|&i| found[i as usize]);
        let pivot_cols = memory::collect(row.iter().map(|&i| found[i as usize]), PIVOTS)?;
        let mut is_free = memory::filled(true, self.cols, PIVOTS)?;
        pivot_cols.iter().for_each(|&j| is_free[j as usize] = false);
        let free_cols = memory::collect((0..self.cols as u32).filter(|&j| is_free[j as usize]), PIVOTS)?;
        let table = match self.storage {
            Storage::Bits(b) => Table::Bits(b.into_reduced()?),
            Storage::Trits(t) => Table::Trits(t.strips(), t.into_reduced()?),
            Storage::U8(p) => Table::U8(p.into_reduced()?),
            Storage::U16(p) => Table::U16(p.into_reduced()?),
            Storage::U32(p) => Table::U32(p.into_reduced()?),
            Storage::U64(p) => Table::U64(p.into_reduced()?),
            Storage::Gpu(_) | Storage::Gpus(_) => unreachable!("it was copied"),
        };
        Ok(Reduced { modulus: self.modulus, pivot_cols, free_cols, row, table })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Silent;
    use crate::field::Rng;
    use rand::{RngExt, SeedableRng};

    #[test]
    fn memory_is_what_the_basis_holds() {
        let mut rng = Rng::seed_from_u64(23);
        for p in [2, 3, 65521, (1 << 31) - 1, 4_294_967_291, (1 << 61) - 1] {
            let modulus = Modulus::new(p).unwrap();
            for (rows, cols, step) in [(700, 900, 700), (700, 900, 64), (300, 300, 300), (100, 1500, 9), (0, 40, 1)] {
                let data: Vec<u64> = (0..rows * cols).map(|_| rng.random_range(0..p)).collect();
                let mut echelon = Echelon::new(modulus, cols).unwrap();
                for part in data.chunks(step * cols) {
                    echelon.absorb_block(part.len() / cols, part, &Silent).unwrap();
                }
                let held = match &echelon.storage {
                    Storage::Bits(b) => b.held(),
                    Storage::Trits(t) => t.held(),
                    Storage::U8(p) => p.held(),
                    Storage::U16(p) => p.held(),
                    Storage::U32(p) => p.held(),
                    Storage::U64(p) => p.held(),
                    Storage::Gpu(_) | Storage::Gpus(_) => unreachable!("it was made on the processor"),
                };
                let [basis, working] = Echelon::parts(modulus, echelon.rank(), cols);
                // Blocks of short steps are lower, and begin before the last full one ends.
                let room = if step == rows.max(1) { 1.02 } else { 1.06 };
                assert!(held as f64 <= basis as f64 * room && held as f64 >= basis as f64 * 0.97, "{held} for {basis}");
                assert_eq!(Echelon::memory(modulus, echelon.rank(), cols), basis + working);
            }
        }
        let mod_p = |p| Echelon::memory(Modulus::new(p).unwrap(), 7000, 7000);
        assert!((50 << 20..64 << 20).contains(&mod_p(65521)) && mod_p((1 << 31) - 1) < 2 * mod_p(65521));
    }
}
