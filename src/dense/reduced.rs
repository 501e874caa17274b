//! The reduced row echelon form (I T) of a row space, and the null space that it spells out.

use super::bits::bit;
use super::trits::{Strip, trit};
use std::ops::Range;

/// The reduced row echelon form of the rows that an [`Echelon`](super::Echelon) has absorbed: row i is 1 in column
/// [`pivot_cols`](Reduced::pivot_cols)`[i]`, 0 in the other pivot columns, and T\[i\]\[f\] in column
/// [`free_cols`](Reduced::free_cols)`[f]`. It depends on the span of the rows alone.
///
/// The vectors x with A·x = 0 are those with x\[pivots\] = -T·x\[free\]: one basis vector for each free column.
#[derive(Debug)]
pub struct Reduced {
    pub(super) modulus: u64,
    /// Ascending.
    pub(super) pivot_cols: Vec<u32>,
    /// Ascending.
    pub(super) free_cols: Vec<u32>,
    /// The stored row of each pivot.
    pub(super) row: Vec<u32>,
    pub(super) table: Table,
}

/// T, rows in any order.
#[derive(Debug)]
pub(super) enum Table {
    /// Rows of so many words, with all columns.
    Bits(usize, Vec<u64>),
    /// Rows of so many strips, with all columns.
    Trits(usize, Vec<Strip>),
    /// Free columns only.
    U16(Vec<u16>),
    U32(Vec<u32>),
    U64(Vec<u64>),
}

impl Reduced {
    /// The modulus p.
    pub fn modulus(&self) -> u64 {
        self.modulus
    }
    /// The number of rows.
    pub fn rank(&self) -> usize {
        self.pivot_cols.len()
    }
    /// The number of columns.
    pub fn cols(&self) -> usize {
        self.pivot_cols.len() + self.free_cols.len()
    }
    /// The column of each row's leading one, ascending: the column rank profile.
    pub fn pivot_cols(&self) -> &[u32] {
        &self.pivot_cols
    }
    /// The other columns, ascending.
    pub fn free_cols(&self) -> &[u32] {
        &self.free_cols
    }

    /// Some columns of T, row-major rank × `free.len()`: residues T\[i\]\[f\] for f in `free`.
    ///
    /// # Panics
    /// If the range leaves the free columns.
    pub fn column_block(&self, free: Range<usize>) -> Vec<u64> {
        let mut block = Vec::with_capacity(self.rank() * free.len());
        (0..self.rank()).for_each(|i| block.extend(self.entries(i, free.clone())));
        block
    }

    /// Null-space vectors, one a lane: row-major cols × `free.len()`, lane f - `free.start` being 1 in column `free_cols[f]`,
    /// -T\[·\]\[f\] in the pivot columns and 0 elsewhere.
    ///
    /// # Panics
    /// If the range leaves the free columns.
    pub fn null_block(&self, free: Range<usize>) -> Vec<u64> {
        let lanes = free.len();
        let mut block = vec![0; self.cols() * lanes];
        for (i, &j) in self.pivot_cols.iter().enumerate() {
            let to = block[j as usize * lanes..][..lanes].iter_mut();
            to.zip(self.entries(i, free.clone())).for_each(|(x, t)| *x = if t == 0 { 0 } else { self.modulus - t });
        }
        for (lane, &j) in self.free_cols[free].iter().enumerate() {
            block[j as usize * lanes + lane] = 1;
        }
        block
    }

    /// T\[i\]\[f\] for f in `free`.
    fn entries(&self, i: usize, free: Range<usize>) -> impl Iterator<Item = u64> {
        let (row, width) = (self.row[i] as usize, self.free_cols.len());
        assert!(free.start <= free.end && free.end <= width, "free columns {free:?} of {width}");
        free.map(move |f| match &self.table {
            Table::Bits(words, data) => bit(&data[row * words..][..*words], self.free_cols[f]) as u64,
            Table::Trits(strips, data) => trit(&data[row * strips..][..*strips], self.free_cols[f]),
            Table::U16(data) => data[row * width + f] as u64,
            Table::U32(data) => data[row * width + f] as u64,
            Table::U64(data) => data[row * width + f],
        })
    }
}
