//! The part of a sparse matrix that is not yet eliminated, and one step of right-looking elimination on it.
//!
//! Rows are kept in no order, since a step changes them in place: a target row is scanned for the columns of the pivot
//! row, entries are touched only where both have one, fill-in is appended. A
//! scan takes a fraction of a nanosecond for an entry, a change of the pattern several; [`Work`] counts them apart.
//!
//! Invariant: row i has an entry in column j if and only if i is once in the list of column j.

use super::residue::Residue;
use crate::field::Modulus;
use crate::sparse::SparseMatrix;
use crate::{Result, memory};

/// What the memory is for.
const ROWS: &str = "the rows of an elimination";
const LISTS: &str = "the columns of an elimination";
const TOUCHED: &str = "the lines that a pivot changes";

/// A sparse row: (column, value) in any order, no column twice, values non-zero.
#[derive(Clone, Debug, Default)]
pub(super) struct SparseRow<V> {
    pub(super) entries: Vec<(u32, V)>,
}

impl<V: Copy> SparseRow<V> {
    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }
    /// Room for `more` entries, with a quarter in reserve where that is not there: rows grow often, but not for ever.
    fn reserve(&mut self, more: usize) -> Result<()> {
        let need = self.len() + more;
        if need > self.entries.capacity() {
            memory::reserve_exact(&mut self.entries, more + need / 4, ROWS)?;
        }
        Ok(())
    }
}

/// What steps did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Work {
    /// Entries of target rows and column lists that were passed by.
    pub(super) scanned: u64,
    /// Entries changed, made or removed.
    pub(super) changed: u64,
    /// Target rows.
    pub(super) rows: u64,
}

/// What is left of the matrix.
#[derive(Debug)]
pub(super) struct Active<V> {
    pub(super) modulus: Modulus,
    /// Rows; those that were pivots or vanished are empty.
    pub(super) rows: Vec<SparseRow<V>>,
    /// The rows with an entry in each column.
    pub(super) col_rows: Vec<Vec<u32>>,
    /// Non-zero entries.
    pub(super) nnz: usize,
    /// Rows with entries.
    pub(super) rows_left: usize,
    /// Columns with entries.
    pub(super) cols_left: usize,
    /// 1 + the place in the pivot row of each column, 0 elsewhere; zero between two steps.
    place: Vec<u32>,
    /// Places in the target row and the pivot row of common columns.
    common: Vec<(u32, u32)>,
    /// Which places of the pivot row are among them.
    met: Vec<bool>,
    /// Rows and columns whose counts the last step changed.
    pub(super) touched_rows: Vec<u32>,
    pub(super) touched_cols: Vec<u32>,
    pub(super) work: Work,
}

impl<V: Residue> Active<V> {
    /// All of `a`.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory), as of all that lets entries grow; what is left is good for nothing
    /// then.
    pub(super) fn new(a: &SparseMatrix) -> Result<Self> {
        let mut counts = memory::zeros::<usize>(a.cols(), LISTS)?;
        (0..a.rows()).flat_map(|i| a.row(i).0).for_each(|&j| counts[j as usize] += 1);
        let mut col_rows: Vec<Vec<u32>> = memory::with_capacity(a.cols(), LISTS)?;
        for count in counts {
            col_rows.push(memory::with_capacity(count, LISTS)?);
        }
        let mut rows: Vec<SparseRow<V>> = memory::with_capacity(a.rows(), ROWS)?;
        for i in 0..a.rows() {
            let (col, value) = a.row(i);
            col.iter().for_each(|&j| col_rows[j as usize].push(i as u32));
            let mut entries = memory::with_capacity(col.len(), ROWS)?;
            entries.extend(col.iter().zip(value).map(|(&j, &v)| (j, V::of(v))));
            rows.push(SparseRow { entries });
        }
        Ok(Active {
            modulus: a.modulus(),
            nnz: a.nnz(),
            rows_left: rows.iter().filter(|row| row.len() > 0).count(),
            cols_left: col_rows.iter().filter(|rows| !rows.is_empty()).count(),
            col_rows,
            rows,
            place: memory::zeros(a.cols(), LISTS)?,
            common: vec![],
            met: vec![],
            touched_rows: vec![],
            touched_cols: vec![],
            work: Work::default(),
        })
    }

    /// Bytes for so many entries, with what growing vectors keep in reserve, and the buckets of the search.
    pub(super) fn memory_of(rows: usize, cols: usize, nnz: usize) -> u64 {
        let bytes = (4 + size_of::<(u32, V)>()) * nnz;
        // Headers and bookkeeping of the allocator: three vectors a row and column, and what they have in buckets.
        (bytes + bytes / 2 + 96 * rows + 64 * cols) as u64
    }
    pub(super) fn memory(&self) -> u64 {
        Self::memory_of(self.rows.len(), self.col_rows.len(), self.nnz)
    }

    /// The entry in row i and column j, which must be there.
    pub(super) fn value(&self, i: u32, j: u32) -> u64 {
        let row = &self.rows[i as usize].entries;
        row.iter().find(|e| e.0 == j).expect("an entry").1.get()
    }

    /// The shortest row with an entry in column j, which must have entries.
    pub(super) fn shortest_row_of(&self, j: u32) -> u32 {
        let rows = self.col_rows[j as usize].iter().copied();
        rows.min_by_key(|&i| (self.rows[i as usize].len(), i)).expect("the column has entries")
    }
    /// The emptiest column of row i, which must have entries.
    pub(super) fn emptiest_col_of(&self, i: u32) -> u32 {
        let cols = self.rows[i as usize].entries.iter().map(|e| e.0);
        cols.min_by_key(|&j| (self.col_rows[j as usize].len(), j)).expect("the row has entries")
    }

    /// Multiply-adds of the pivot (i, j).
    pub(super) fn cost(&self, i: u32, j: u32) -> u64 {
        (self.rows[i as usize].len() as u64 - 1) * (self.col_rows[j as usize].len() as u64 - 1)
    }

    /// Takes (i, j) as pivot: row i and column j leave, every other row with an entry in column j is reduced.
    pub(super) fn eliminate(&mut self, i: u32, j: u32) -> Result<()> {
        let mut targets = std::mem::take(&mut self.col_rows[j as usize]);
        targets.sort_unstable(); // as they lie in memory
        let mut pivot = std::mem::take(&mut self.rows[i as usize]);
        self.nnz -= targets.len() + pivot.len() - 1;
        self.rows_left -= 1;
        self.cols_left -= 1;
        let at = pivot.entries.iter().position(|e| e.0 == j).expect("the pivot is an entry");
        let factor = self.modulus.neg(self.modulus.inv(pivot.entries.swap_remove(at).1.get()));
        pivot.entries.iter().for_each(|e| self.leave(e.0, i));
        // The pivot's own column has the place behind all others.
        pivot.entries.iter().map(|e| e.0).chain([j]).zip(1..).for_each(|(c, place)| self.place[c as usize] = place);
        self.met.clear();
        memory::reserve(&mut self.met, pivot.len() + 1, TOUCHED)?;
        self.met.resize(pivot.len() + 1, false);
        self.touched_rows.clear();
        for t in targets.into_iter().filter(|&t| t != i) {
            self.reduce(t, &pivot, factor)?;
            memory::push(&mut self.touched_rows, t, TOUCHED)?;
        }
        pivot.entries.iter().map(|e| e.0).chain([j]).for_each(|c| self.place[c as usize] = 0);
        self.touched_cols.clear();
        memory::reserve(&mut self.touched_cols, pivot.len(), TOUCHED)?;
        self.touched_cols.extend(pivot.entries.iter().map(|e| e.0));
        Ok(())
    }

    /// Row i loses its entry in column c.
    fn leave(&mut self, c: u32, i: u32) {
        let list = &mut self.col_rows[c as usize];
        let at = find(list, i).expect("the list names the row");
        list.swap_remove(at);
        self.cols_left -= list.is_empty() as usize;
        self.work.scanned += at as u64;
        self.work.changed += 1;
    }

    /// Row t += (its entry in the pivot column · `factor`) · `pivot`, less that entry itself.
    fn reduce(&mut self, t: u32, pivot: &SparseRow<V>, factor: u64) -> Result<()> {
        let m = self.modulus;
        let mut row = std::mem::take(&mut self.rows[t as usize]);
        self.work.scanned += row.len() as u64;
        self.work.changed += pivot.len() as u64;
        self.work.rows += 1;
        // Every column is written down, and kept if it is common: no branch to predict.
        if self.common.len() < pivot.len() + 2 {
            let more = pivot.len() + 2 - self.common.len();
            memory::reserve(&mut self.common, more, TOUCHED)?;
            self.common.resize(pivot.len() + 2, (0, 0));
        }
        let mut count = 0;
        for (x, &(c, _)) in row.entries.iter().enumerate() {
            let place = self.place[c as usize];
            self.common[count] = (x as u32, place);
            count += (place != 0) as usize;
        }
        let common = std::mem::take(&mut self.common);
        let own = pivot.len() as u32 + 1;
        let at = common[..count].iter().find(|e| e.1 == own).expect("targets have an entry in the pivot column").0;
        let factor = m.multiplier(m.mul(row.entries[at as usize].1.get(), factor));
        // Backwards, so that an entry moved into a gap comes from behind and has had its turn.
        for &(x, place) in common[..count].iter().rev() {
            let (x, k) = (x as usize, place as usize - 1);
            self.met[k] = true;
            if place == own {
                row.entries.swap_remove(x);
                continue;
            }
            let sum = V::multiply_add(m, row.entries[x].1, pivot.entries[k].1, factor);
            row.entries[x].1 = sum;
            if sum.get() == 0 {
                self.leave(row.entries[x].0, t);
                row.entries.swap_remove(x);
                self.nnz -= 1;
            }
        }
        self.common = common;
        let fill = pivot.len() + 1 - count;
        self.nnz += fill;
        row.reserve(fill)?;
        for (k, met) in self.met.iter_mut().enumerate().take(pivot.len()) {
            if !std::mem::replace(met, false) {
                let (c, v) = pivot.entries[k];
                row.entries.push((c, V::multiply_add(m, V::of(0), v, factor)));
                let list = &mut self.col_rows[c as usize];
                self.cols_left += list.is_empty() as usize;
                memory::reserve(list, 1, LISTS)?;
                list.push(t);
            }
        }
        self.rows_left -= (row.len() == 0) as usize;
        self.rows[t as usize] = row;
        Ok(())
    }
}

/// Where `x` is in `list`: chunk by chunk, since a chunk is compared as a vector.
#[inline]
fn find(list: &[u32], x: u32) -> Option<usize> {
    const CHUNK: usize = 32;
    let chunks = list.chunks_exact(CHUNK);
    let tail = list.len() - chunks.remainder().len();
    let holds = |chunk: &[u32]| chunk.iter().fold(false, |found, &y| found | (y == x));
    let start = chunks.clone().position(holds).map_or(tail, |k| k * CHUNK);
    list[start..].iter().position(|&y| y == x).map(|at| start + at)
}
