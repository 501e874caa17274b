//! An order of the rows of A in which a GPU finds more rows of X in its cache.
//!
//! A product reads a row of X for each entry of A. Where X is larger than the cache, and the columns of A are in no
//! order, nearly all of these reads go to memory. Rows of Y can be made in any order, and one whose columns were named
//! just before finds their rows of X in the cache.
//!
//! **The order** is greedy, as that of Wei, Yu, Lu, Lin, *Speedup graph processing by graph ordering* (SIGMOD 2016):
//! next comes a row of which the most columns are kept by a model of the cache, one that keeps the last so many columns
//! that were read from memory, whatever was read since. Rows wait on stacks, by how many of their columns are kept;
//! who waits long is forgotten ([`REMEMBERED`]), who is found has its columns counted again. Where no row waits, the
//! next one in the order given is taken.
//!
//! **On several threads** each goes from a place of its own through all rows that are left, with a model of its own
//! ([`Front`]), and what it took is one stretch of the order. Which row is whose depends on who comes first: so does
//! the order, but no product, since all sums are exact.
//!
//! Of n rows with seven of n random columns each, a model of n/15 columns misses 0.93 of all reads in the order given,
//! 0.64 in this one (n = 30000; a test); for n = 2.4 million, products with 64 residues of 16 bits take 0.82 of the
//! time on an H100 (`blackfield bench products --device cuda`).

use super::slices::LAYOUT;
use crate::isa::prefetch;
use crate::parallel::Each;
use crate::sparse::SparseMatrix;
use crate::{Error, Result, memory};
use rayon::prelude::*;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Bytes of rows of X that the model keeps. From 8 to 32 MB make no difference of more than 3 % on an H100 (50 MB of
/// L2), with rows of 64 to 256 bytes.
const KEPT: usize = 20 << 20;
/// Columns of a row that are kept, from which on it waits: there are always enough such rows.
const SHARED: usize = 2;
/// Rows that a stack remembers: of those below, most lost their columns.
const REMEMBERED: usize = 1 << 10;
/// How often it is counted that one more column of a row is kept, for each entry of the matrix, at most: where columns
/// have very many entries, counting would never end.
const COUNTED: u64 = 16;
/// So much of that a front takes at a time, or what it needs for a column.
const DRAWN: u64 = 1 << 12;
/// Bytes of X that products read for an entry, times threads, from which on a search is repaid: it takes a thread of a
/// Xeon half a microsecond for each entry, and products save a quarter of what an H100 reads at 3·10¹² bytes a second.
const WORTH: u128 = 1 << 23;
/// The least share of reads that an order must save, as a fraction of 2^this.
const LEAST: u32 = 4;

/// What is known of the products to come.
#[derive(Clone, Copy, Debug)]
pub(super) struct Products {
    /// How many, in each direction.
    pub count: u64,
    /// Bytes of a row of X.
    pub row_bytes: usize,
}

impl Products {
    /// Too few for anything.
    #[cfg(test)]
    pub fn few() -> Products {
        Products { count: 0, row_bytes: 128 }
    }
    /// How many rows of X, of which there are `operand`, an order would keep in the cache, if there are so many
    /// products that it is worth a search by so many threads.
    fn kept(self, operand: usize, threads: usize) -> Option<usize> {
        let kept = KEPT / self.row_bytes.max(1);
        let repaid = (u128::from(self.count) * self.row_bytes as u128).saturating_mul(threads as u128) >= WORTH;
        (repaid && operand > 2 * kept && operand < u32::MAX as usize / 2).then_some(kept)
    }
    /// An order of the rows of `a` for these products, if there is one that is worth it; `transposed` is called for
    /// the transpose of `a` where an order is looked for. Rows with more than `longest` entries, at most 255, come
    /// last: they are cut to pieces, which are rows of X themselves.
    ///
    /// # Errors
    /// What `transposed` returns. Where memory does not suffice for a search, there is no order.
    pub fn order<T: std::borrow::Borrow<SparseMatrix>>(
        self,
        a: &SparseMatrix,
        transposed: impl FnOnce() -> Result<T>,
        longest: usize,
    ) -> Result<Option<Vec<u32>>> {
        let threads = rayon::current_num_threads();
        let Some(kept) = self.kept(a.cols(), threads) else { return Ok(None) };
        match order((a, transposed()?.borrow()), longest, kept, threads) {
            Err(Error::Memory(_)) => Ok(None),
            done => done,
        }
    }
}

/// An order of all rows of `a`, whose transpose is `t`, by so many threads at most, for a cache that keeps so many rows
/// of X; none if it saves little.
fn order(
    (a, t): (&SparseMatrix, &SparseMatrix),
    longest: usize,
    kept: usize,
    threads: usize,
) -> Result<Option<Vec<u32>>> {
    assert!(longest <= usize::from(u8::MAX), "rows of {longest} entries");
    // Beyond, the clock of the model would go round.
    if a.nnz() + kept >= u32::MAX as usize - 1 {
        return Ok(None);
    }
    let is_long = |i: usize| a.row(i).0.len() > longest;
    let before = missed(a, kept, (0..a.rows()).filter(|&i| !is_long(i)))?;
    let mut taken: Vec<AtomicBool> = memory::with_capacity(a.rows(), LAYOUT)?;
    taken.extend((0..a.rows()).map(|i| AtomicBool::new(is_long(i))));
    let rows = Rows { a, t, longest, kept, taken: &taken, counted: &AtomicU64::new(COUNTED * a.nnz() as u64) };
    let fronts = threads.clamp(1, a.rows().max(1));
    let stretch = |k: usize| rows.stretch(k * a.rows() / fronts);
    let stretches = (0..fronts).into_par_iter().try_make(stretch)?;
    let after: u64 = stretches.iter().map(|(_, missed)| missed).sum();
    if after + (before >> LEAST) >= before {
        return Ok(None);
    }
    let mut all = memory::with_capacity(a.rows(), LAYOUT)?;
    stretches.iter().for_each(|(rows, _)| all.extend_from_slice(rows));
    all.extend((0..a.rows()).filter(|&i| is_long(i)).map(|i| i as u32));
    Ok(Some(all))
}

/// Reads of X that miss a cache of the model when these rows are made in this order.
fn missed(a: &SparseMatrix, kept: usize, order: impl Iterator<Item = usize>) -> Result<u64> {
    let mut cache = Cache::new(a.cols(), kept)?;
    let mut missed = 0;
    for i in order {
        missed += a.row(i).0.iter().filter(|&&j| cache.read(j)).count() as u64;
    }
    Ok(missed)
}

/// A cache that keeps the last so many columns that were read from memory.
struct Cache {
    kept: u32,
    /// How many have been read from memory, …
    now: u32,
    /// … and how many had been when a column was.
    read: Vec<u32>,
}

impl Cache {
    fn new(cols: usize, kept: usize) -> Result<Cache> {
        // No column is kept in the beginning.
        Ok(Cache { kept: kept as u32, now: kept as u32 + 1, read: memory::zeros(cols, LAYOUT)? })
    }
    fn keeps(&self, j: u32) -> bool {
        self.now - self.read[j as usize] <= self.kept
    }
    /// Whether a read of the column misses; it is kept afterwards.
    fn read(&mut self, j: u32) -> bool {
        let missed = !self.keeps(j);
        if missed {
            self.now += 1;
            self.read[j as usize] = self.now;
        }
        missed
    }
}

/// The rows of a matrix, and which of them are in a stretch.
#[derive(Clone, Copy)]
struct Rows<'a> {
    a: &'a SparseMatrix,
    t: &'a SparseMatrix,
    /// Entries that a row has, at most; longer ones are taken.
    longest: usize,
    kept: usize,
    taken: &'a [AtomicBool],
    /// How often kept columns may still be counted, by all fronts: who does more of the rows counts more.
    counted: &'a AtomicU64,
}

impl Rows<'_> {
    fn is_taken(&self, i: u32) -> bool {
        self.taken[i as usize].load(Ordering::Relaxed)
    }
    /// Takes a row that nobody else has.
    fn take(&self, i: u32) -> bool {
        !self.is_taken(i) && !self.taken[i as usize].swap(true, Ordering::Relaxed)
    }
    /// The rows that are taken from row `first` on, and how many reads miss.
    fn stretch(self, first: usize) -> Result<(Vec<u32>, u64)> {
        let m = self.a.rows();
        let ahead = (first..m).chain(0..first).map(|i| i as u32);
        let mut ahead = ahead.skip_while(|&i| self.is_taken(i)).peekable();
        if ahead.peek().is_none() {
            return Ok((vec![], 0));
        }
        let mut front = Front::new(self)?;
        let (mut stretch, mut missed, mut news) = (vec![], 0, vec![]);
        while let Some(row) = front.best().or_else(|| ahead.find(|&i| self.take(i))) {
            memory::push(&mut stretch, row, LAYOUT)?;
            news.clear();
            news.extend(self.a.row(row as usize).0.iter().copied().filter(|&j| front.cache.read(j)));
            missed += news.len() as u64;
            front.count(&news)?;
        }
        Ok((stretch, missed))
    }
}

/// Where one thread is in the rows.
struct Front<'a> {
    rows: Rows<'a>,
    cache: Cache,
    /// Columns of each row that are kept, or were.
    shared: Vec<u8>,
    /// Rows that wait, by how many of their columns were kept.
    waiting: Vec<Vec<u32>>,
    /// The most of these for which a row waits.
    most: usize,
    /// How often kept columns may still be counted of what was drawn for that.
    counted: u64,
}

impl<'a> Front<'a> {
    fn new(rows: Rows<'a>) -> Result<Self> {
        Ok(Front {
            rows,
            cache: Cache::new(rows.a.cols(), rows.kept)?,
            shared: memory::zeros(rows.a.rows(), LAYOUT)?,
            waiting: vec![vec![]; rows.longest + 1],
            most: 0,
            counted: 0,
        })
    }
    /// Whether so many rows may be counted; then they are.
    fn may_count(&mut self, rows: u64) -> bool {
        if self.counted < rows {
            let wanted = (rows - self.counted).max(DRAWN);
            let left = |left: u64| Some(left - left.min(wanted));
            let before = self.rows.counted.fetch_update(Ordering::Relaxed, Ordering::Relaxed, left);
            self.counted += before.unwrap_or(0).min(wanted);
        }
        let may = self.counted >= rows;
        if may {
            self.counted -= rows;
        }
        may
    }
    /// Takes a row of which the most columns are kept, among those that wait.
    fn best(&mut self) -> Option<u32> {
        while self.most >= SHARED {
            let Some(row) = self.waiting[self.most].pop() else {
                self.most -= 1;
                continue;
            };
            if let Some(&next) = self.waiting[self.most].last() {
                prefetch(self.rows.a.row(next as usize).0, 0);
            }
            if usize::from(self.shared[row as usize]) != self.most || self.rows.is_taken(row) {
                continue;
            }
            let columns = self.rows.a.row(row as usize).0;
            let kept = columns.iter().filter(|&&j| self.cache.keeps(j)).count();
            if kept >= self.most {
                if self.rows.take(row) {
                    return Some(row);
                }
            } else {
                self.shared[row as usize] = kept as u8;
                if kept >= SHARED {
                    self.waiting[kept].push(row);
                }
            }
        }
        None
    }
    /// One more column is kept of each row that names one of these; counted for whole columns only.
    fn count(&mut self, columns: &[u32]) -> Result<()> {
        columns.iter().for_each(|&j| prefetch(self.rows.t.row_starts(), j as usize));
        columns.iter().for_each(|&j| prefetch(self.rows.t.row(j as usize).0, 0));
        for &j in columns {
            let rows = self.rows.t.row(j as usize).0;
            if !self.may_count(rows.len() as u64) {
                return Ok(());
            }
            rows.iter().for_each(|&i| prefetch(&self.shared, i as usize));
            for &i in rows {
                let shared = &mut self.shared[i as usize];
                *shared = (*shared + 1).min(self.rows.longest as u8);
                let shared = usize::from(*shared);
                if shared >= SHARED && !self.rows.is_taken(i) {
                    let waiting = &mut self.waiting[shared];
                    if waiting.len() == REMEMBERED {
                        waiting.drain(..REMEMBERED / 2);
                    }
                    memory::push(waiting, i, LAYOUT)?;
                    self.most = self.most.max(shared);
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
#[path = "locality_tests.rs"]
mod tests;
