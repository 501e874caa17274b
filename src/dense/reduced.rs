//! The reduced row echelon form (I T) of a row space, and the null space that it spells out.

use super::bits::Rows;
use super::parallel::for_each_chunk;
use super::trits::{Strip, trit, union};
use crate::field::Modulus;
use crate::{Result, memory};
use std::ops::Range;

/// What the memory is for.
const COLUMNS: &str = "columns of a reduced echelon form";
const VECTORS: &str = "null-space vectors";
/// Free columns that one task looks at.
const SOME: usize = 1 << 10;

/// The reduced row echelon form of the rows that an [`Echelon`](super::Echelon) has absorbed: row i is 1 in column
/// [`pivot_cols`](Reduced::pivot_cols)`[i]`, 0 in the other pivot columns, and T\[i\]\[f\] in column
/// [`free_cols`](Reduced::free_cols)`[f]`. It depends on the span of the rows alone.
///
/// The vectors x with A·x = 0 are those with x\[pivots\] = -T·x\[free\]: one basis vector for each free column.
#[derive(Debug)]
pub struct Reduced {
    pub(super) modulus: Modulus,
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
    /// Free columns, and pivot columns among them.
    Bits(Rows),
    /// Rows of so many strips, with all columns.
    Trits(usize, Vec<Strip>),
    /// Free columns only.
    U8(Vec<u8>),
    U16(Vec<u16>),
    U32(Vec<u32>),
    U64(Vec<u64>),
}

impl Reduced {
    /// The modulus p.
    pub fn modulus(&self) -> u64 {
        self.modulus.get()
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
    /// # Errors
    /// [`crate::Error::Memory`].
    ///
    /// # Panics
    /// If the range leaves the free columns.
    pub fn column_block(&self, free: Range<usize>) -> Result<Vec<u64>> {
        self.table(0..self.rank(), free)
    }
    /// The same for columns that need not follow each other.
    ///
    /// # Errors
    /// [`crate::Error::Memory`].
    ///
    /// # Panics
    /// If one of `free` is not the number of a free column.
    pub fn columns(&self, free: &[u32]) -> Result<Vec<u64>> {
        self.table(0..self.rank(), free.iter().map(|&f| f as usize))
    }
    /// The same in some rows, those of as many of [`Reduced::pivot_cols`].
    ///
    /// # Errors
    /// [`crate::Error::Memory`].
    ///
    /// # Panics
    /// If one of `free` is not the number of a free column, or there are not so many rows.
    pub fn columns_of_rows(&self, rows: Range<usize>, free: &[u32]) -> Result<Vec<u64>> {
        self.table(rows, free.iter().map(|&f| f as usize))
    }
    /// T\[i\]\[f\] for i in `rows` and f in `free`, row-major.
    pub(super) fn table(
        &self,
        rows: Range<usize>,
        free: impl ExactSizeIterator<Item = usize> + Clone,
    ) -> Result<Vec<u64>> {
        let width = self.free_cols.len();
        free.clone().for_each(|f| assert!(f < width, "free column {f} of {width}"));
        let mut table = memory::with_capacity(rows.len() * free.len(), COLUMNS)?;
        macro_rules! read {
            ($row:ident, $f:ident: $entry:expr) => {
                for &$row in &self.row[rows] {
                    let $row = $row as usize;
                    table.extend(free.clone().map(|$f| $entry as u64));
                }
            };
        }
        match &self.table {
            Table::Bits(bits) => read!(row, f: bits.bit(row, self.free_cols[f])),
            Table::Trits(strips, data) => read!(row, f: trit(&data[row * strips..][..*strips], self.free_cols[f])),
            Table::U8(data) => read!(row, f: data[row * width + f]),
            Table::U16(data) => read!(row, f: data[row * width + f]),
            Table::U32(data) => read!(row, f: data[row * width + f]),
            Table::U64(data) => read!(row, f: data[row * width + f]),
        }
        Ok(table)
    }
    /// For each free column, whether all of T\[·\]\[f\] is 0.
    ///
    /// # Errors
    /// [`crate::Error::Memory`].
    pub fn zero_columns(&self) -> Result<Vec<bool>> {
        fn mark<T: Copy + Default + PartialEq + Sync>(data: &[T], zero: &mut [bool]) {
            let width = zero.len().max(1);
            for_each_chunk(zero, SOME, data.len() / width.div_ceil(SOME) * size_of::<T>(), |number, zero| {
                for row in data.chunks_exact(width) {
                    zero.iter_mut().zip(&row[number * SOME..]).for_each(|(zero, &x)| *zero &= x == T::default());
                }
            });
        }
        let mut zero = memory::filled(true, self.free_cols.len(), COLUMNS)?;
        match &self.table {
            Table::U8(data) => mark(data, &mut zero),
            Table::U16(data) => mark(data, &mut zero),
            Table::U32(data) => mark(data, &mut zero),
            Table::U64(data) => mark(data, &mut zero),
            Table::Bits(_) | Table::Trits(..) if self.rank() == 0 => {}
            Table::Bits(rows) => {
                let union = rows.union();
                zero.iter_mut().zip(&self.free_cols).for_each(|(zero, &j)| *zero = !union.bit(0, j));
            }
            Table::Trits(strips, data) => {
                let union = union(data, *strips);
                zero.iter_mut().zip(&self.free_cols).for_each(|(zero, &j)| *zero = trit(&union, j) == 0);
            }
        }
        Ok(zero)
    }

    /// Null-space vectors, one a lane: row-major cols × `free.len()`, lane f - `free.start` being 1 in column
    /// `free_cols[f]`, -T\[·\]\[f\] in the pivot columns and 0 elsewhere.
    ///
    /// # Errors
    /// [`crate::Error::Memory`].
    ///
    /// # Panics
    /// If the range leaves the free columns.
    pub fn null_block(&self, free: Range<usize>) -> Result<Vec<u64>> {
        let lanes = free.len();
        let mut block = memory::zeros(self.cols() * lanes, VECTORS)?;
        let table = self.column_block(free.clone())?;
        for (i, &j) in self.pivot_cols.iter().enumerate() {
            let to = block[j as usize * lanes..][..lanes].iter_mut();
            to.zip(&table[i * lanes..][..lanes]).for_each(|(x, &t)| *x = self.modulus.neg(t));
        }
        for (lane, &j) in self.free_cols[free].iter().enumerate() {
            block[j as usize * lanes + lane] = 1;
        }
        Ok(block)
    }
}
