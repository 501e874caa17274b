//! Which pivot next: the entry (i, j) with small (rᵢ - 1)(cⱼ - 1), the most entries that its elimination can fill in
//! (H. M. Markowitz, "The elimination form of the inverse …", Management Science 3, 1957), rᵢ and cⱼ being the numbers
//! of entries in its row and column.
//!
//! As in Zlatev's strategy only a few of the shortest rows and columns are searched. They are found in buckets by
//! count; a bucket keeps whatever had its count once, and entries that have another count by now are dropped when they
//! are met.

use super::active::Active;
use super::residue::Residue;
use crate::{Result, memory};

/// Counts of the first buckets.
pub(super) const FIRST_CAP: usize = 64;

/// Candidates (rows or columns) searched before the best entry so far is taken.
const CANDIDATES: usize = 6;
/// What the memory is for.
const BUCKETS: &str = "rows and columns by their number of entries";

/// Rows and columns by number of entries.
#[derive(Debug)]
pub(super) struct Buckets {
    /// `rows[c]`: rows that had c entries when they were put there; `rows[0]` stays empty.
    rows: Vec<Vec<u32>>,
    cols: Vec<Vec<u32>>,
    /// Entries put since the last rebuilding.
    put: usize,
}

/// A pivot.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pivot {
    pub(super) row: u32,
    pub(super) col: u32,
    cost: u64,
}

impl Buckets {
    /// Buckets for counts up to `cap`.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory), as of all that puts lines in.
    pub(super) fn new(active: &Active<impl Residue>, cap: usize) -> Result<Self> {
        let mut buckets = Buckets { rows: vec![vec![]; cap + 1], cols: vec![vec![]; cap + 1], put: 0 };
        for i in (0..active.rows.len() as u32).rev() {
            buckets.put_row(active, i)?;
        }
        for j in (0..active.col_rows.len() as u32).rev() {
            buckets.put_col(active, j)?;
        }
        buckets.put = 0;
        Ok(buckets)
    }
    fn cap(&self) -> usize {
        self.rows.len() - 1
    }
    fn put_row(&mut self, active: &Active<impl Residue>, i: u32) -> Result<()> {
        let count = active.rows[i as usize].len();
        if (1..self.rows.len()).contains(&count) {
            memory::reserve(&mut self.rows[count], 1, BUCKETS)?;
            self.rows[count].push(i);
            self.put += 1;
        }
        Ok(())
    }
    fn put_col(&mut self, active: &Active<impl Residue>, j: u32) -> Result<()> {
        let count = active.col_rows[j as usize].len();
        if (1..self.cols.len()).contains(&count) {
            memory::reserve(&mut self.cols[count], 1, BUCKETS)?;
            self.cols[count].push(j);
            self.put += 1;
        }
        Ok(())
    }
    /// Takes up the counts that the last step changed.
    pub(super) fn update(&mut self, active: &Active<impl Residue>) -> Result<()> {
        active.touched_rows.iter().try_for_each(|&i| self.put_row(active, i))?;
        active.touched_cols.iter().try_for_each(|&j| self.put_col(active, j))?;
        if self.put > 8 * (active.rows.len() + active.col_rows.len()) + (1 << 16) {
            *self = Self::new(active, self.cap())?;
        }
        Ok(())
    }

    /// A pivot of small cost, or `None` if no entry is left.
    pub(super) fn search(&mut self, active: &Active<impl Residue>) -> Result<Option<Pivot>> {
        loop {
            let found = self.search_below_cap(active);
            let largest = active.rows.len().max(active.col_rows.len());
            if found.is_some() || active.nnz == 0 || self.cap() >= largest {
                return Ok(found);
            }
            *self = Self::new(active, (4 * self.cap()).min(largest))?;
        }
    }
    fn search_below_cap(&mut self, active: &Active<impl Residue>) -> Option<Pivot> {
        let mut best: Option<Pivot> = None;
        let mut searched = 0;
        for count in 1..=self.cap() {
            // Nothing from here on costs less than (count - 1)².
            let floor = (count as u64 - 1).pow(2);
            let bucket = &mut self.cols[count];
            let mut at = bucket.len();
            while at > 0 && !enough(best, floor, searched) {
                at -= 1;
                let j = bucket[at];
                if active.col_rows[j as usize].len() != count {
                    bucket.swap_remove(at);
                    continue;
                }
                searched += 1;
                let row = active.shortest_row_of(j);
                consider(&mut best, active, row, j);
            }
            let bucket = &mut self.rows[count];
            let mut at = bucket.len();
            while at > 0 && !enough(best, floor, searched) {
                at -= 1;
                let i = bucket[at];
                if active.rows[i as usize].len() != count {
                    bucket.swap_remove(at);
                    continue;
                }
                searched += 1;
                consider(&mut best, active, i, active.emptiest_col_of(i));
            }
            if enough(best, floor, searched) {
                return best;
            }
        }
        best
    }
}

/// Whether the best pivot so far ends the search.
fn enough(best: Option<Pivot>, floor: u64, searched: usize) -> bool {
    best.is_some_and(|pivot| pivot.cost <= floor || searched >= CANDIDATES)
}

fn consider(best: &mut Option<Pivot>, active: &Active<impl Residue>, row: u32, col: u32) {
    let (r, c) = (active.rows[row as usize].len() as u64, active.col_rows[col as usize].len() as u64);
    let cost = (r - 1) * (c - 1);
    if best.is_none_or(|pivot| cost < pivot.cost) {
        *best = Some(Pivot { row, col, cost });
    }
}
