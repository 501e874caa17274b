//! Elimination over GF(3) on rows packed as [`strip`]s, by the method of four Russians ([`tables`]).
//!
//! The basis grows as in [`bits`](super::bits): a panel of rows is cleared by every group in turn, then by the groups
//! that it yields itself; all groups but the last are full. Each basis row is zero left of its pivot, and those of a
//! group are the identity in their own pivot columns.

mod group;
mod state;
mod strip;
mod tables;

use super::Row;
use super::parallel::for_each_chunk;
use crate::field::Rng;
use crate::isa::{Isa, Kernel};
use crate::{Result, memory};
use group::{GROUP, Group, TABLES};
use rand::RngExt;
use strip::{COLUMNS, Pack, WORDS, dot, leading, set};
pub(super) use strip::{Strip, trit, union};
use tables::{ENTRIES, TASK, clear};

/// Rows of a panel: enough to repay the tables well.
const PANEL: usize = 1024;
/// What the memory is for.
const ROWS: &str = "a panel of an elimination mod 3";
const REDUCED: &str = "a reduced echelon form mod 3";

/// Takes rows into a group until it is full.
struct Grow<'a> {
    group: &'a mut Group,
    strips: usize,
    /// Zero in the pivot columns that the group had at first.
    rows: &'a mut [Strip],
}

impl Kernel for Grow<'_> {
    /// How many rows were looked at, and which of them are in the group now.
    type Output = (usize, Vec<usize>);
    #[inline(always)]
    fn run(self) -> Self::Output {
        let mut taken = vec![];
        for (i, row) in self.rows.chunks_exact_mut(self.strips).enumerate() {
            self.group.clear_row(row);
            if let Some(pivot) = leading(row) {
                self.group.push(row, pivot);
                taken.push(i);
                if self.group.is_full() {
                    return (i + 1, taken);
                }
            }
        }
        (self.rows.len() / self.strips, taken)
    }
}

/// A basis of the row space of the rows met so far.
#[derive(Debug)]
pub(super) struct Trits {
    /// Strips of a row.
    strips: usize,
    pub(super) cols: usize,
    groups: Vec<Group>,
    pub(super) pivot_rows: Vec<usize>,
    pub(super) pivot_cols: Vec<u32>,
    pub(super) rows_seen: usize,
}

impl Trits {
    /// Rows that one call of [`Trits::absorb`] should bring.
    pub(super) const STEP: usize = PANEL;

    pub(super) fn new(cols: usize) -> Self {
        let strips = cols.div_ceil(COLUMNS);
        Trits { strips, cols, groups: vec![], pivot_rows: vec![], pivot_cols: vec![], rows_seen: 0 }
    }
    /// Strips of a row of `cols` columns.
    pub(super) fn strips(&self) -> usize {
        self.strips
    }

    /// Adds sparse rows to the span.
    pub(super) fn absorb(&mut self, rows: &[Row<'_>]) -> Result<()> {
        let strips = self.strips;
        self.absorb_panel(rows.len(), |first, lines| {
            for (line, (cols, values)) in lines.chunks_exact_mut(strips).zip(&rows[first..]) {
                for (&j, &v) in cols.iter().zip(*values).filter(|(_, v)| **v != 0) {
                    let Strip(planes) = &mut line[j as usize / COLUMNS];
                    planes[v as usize - 1][j as usize / 64 % WORDS] |= 1 << (j % 64);
                }
            }
        })
    }
    /// Adds `rows` rows to the span that lie row-major in `data`, a residue each entry.
    pub(super) fn absorb_dense<R: Copy + Into<u64> + Sync>(&mut self, rows: usize, data: &[R]) -> Result<()> {
        let (cols, strips) = (self.cols, self.strips);
        self.absorb_panel(rows, |first, rows| {
            Isa::best().run(Pack { data: &data[first * cols..], cols, strips, rows });
        })
    }

    /// Adds rows to the span; `fill(i, rows)` writes the rows from i on, which are zero before.
    fn absorb_panel(&mut self, rows: usize, fill: impl Fn(usize, &mut [Strip]) + Sync) -> Result<()> {
        let (strips, mut number) = (self.strips, self.rows_seen);
        self.rows_seen += rows;
        if self.pivot_rows.len() == self.cols || rows == 0 {
            return Ok(());
        }
        let mut panel = memory::zeros::<Strip>(rows * strips, ROWS)?;
        for_each_chunk(&mut panel, TASK * strips, TASK * self.cols, |i, lines| fill(i * TASK, lines));
        let mut room = vec![];
        for group in &self.groups {
            clear(group, strips, &mut [&mut panel], &mut room)?;
        }
        let mut open = self.groups.pop_if(|last| !last.is_full()).unwrap_or_default();
        let mut rest = panel.as_mut_slice();
        while !rest.is_empty() {
            let before = open.pivots.len();
            open.reserve(strips)?;
            let (used, taken) = Isa::best().run(Grow { group: &mut open, strips, rows: rest });
            self.pivot_rows.extend(taken.iter().map(|i| number + i));
            self.pivot_cols.extend(&open.pivots[before..]);
            number += used;
            rest = &mut rest[used * strips..];
            if open.is_full() {
                clear(&open, strips, &mut [rest], &mut room)?;
                self.groups.push(std::mem::take(&mut open));
            }
        }
        if !open.pivots.is_empty() {
            self.groups.push(open);
        }
        Ok(())
    }

    /// See [`Echelon::orthogonal`](super::Echelon::orthogonal).
    pub(super) fn orthogonal(&self, count: usize, rng: &mut Rng) -> Result<Vec<u64>> {
        const VECTORS: &str = "vectors orthogonal to a basis mod 3";
        let mut is_free = memory::filled(true, self.cols, VECTORS)?;
        self.pivot_cols.iter().for_each(|&j| is_free[j as usize] = false);
        let mut vectors = memory::zeros(self.cols * count, VECTORS)?;
        let mut x = memory::zeros::<Strip>(self.strips, VECTORS)?;
        for lane in 0..count {
            x.fill(Strip::default());
            for j in (0..self.cols).filter(|&j| is_free[j]) {
                set(&mut x, j as u32, rng.random_range(0..3));
            }
            // Rows of a group are the identity in its pivot columns, and 0 in those of the groups before it.
            for group in self.groups.iter().rev() {
                for (row, &j) in group.rows.chunks_exact(self.strips).zip(&group.pivots) {
                    let digit = (3 - dot(row, &x)) % 3;
                    set(&mut x, j, digit);
                }
            }
            (0..self.cols).for_each(|j| vectors[j * count + lane] = trit(&x, j as u32));
        }
        Ok(vectors)
    }

    /// Bytes of a basis of `rank` rows, and what [`Trits::absorb`] needs in addition: a panel and the tables of a
    /// group.
    pub(super) fn memory(rank: usize, cols: usize) -> [u64; 2] {
        let row = cols.div_ceil(COLUMNS) * size_of::<Strip>();
        let numbers = size_of::<usize>() + 2 * size_of::<u32>();
        let basis = rank.next_multiple_of(GROUP) * row + rank * numbers;
        [basis, (PANEL + TABLES * ENTRIES) * row].map(|bytes| bytes as u64)
    }
    /// Bytes that the basis holds.
    #[cfg(test)]
    pub(super) fn held(&self) -> u64 {
        let strips: usize = self.groups.iter().map(|group| group.rows.capacity()).sum();
        let numbers = self.pivot_rows.len() * (size_of::<usize>() + 2 * size_of::<u32>());
        (strips * size_of::<Strip>() + numbers) as u64
    }

    /// The rows of the reduced row echelon form, all columns, in the order of `pivot_cols`; none if there is no free
    /// column.
    pub(super) fn into_reduced(mut self) -> Result<Vec<Strip>> {
        let (strips, mut room) = (self.strips, vec![]);
        if self.pivot_rows.len() == self.cols {
            return Ok(vec![]); // no free columns
        }
        for last in (1..self.groups.len()).rev() {
            let (earlier, rest) = self.groups.split_at_mut(last);
            let mut rows: Vec<&mut [Strip]> = earlier.iter_mut().map(|group| group.rows.as_mut_slice()).collect();
            clear(&rest[0], strips, &mut rows, &mut room)?;
        }
        let mut rows = memory::with_capacity(self.pivot_rows.len() * strips, REDUCED)?;
        self.groups.into_iter().for_each(|group| rows.extend_from_slice(&group.rows));
        Ok(rows)
    }
}

#[cfg(test)]
mod tests {
    use super::super::panels::Panels;
    use super::*;
    use crate::field::{Modulus, Rng};
    use rand::{RngExt, SeedableRng};

    #[test]
    fn profiles_are_those_of_elimination_by_products() {
        let mut rng = Rng::seed_from_u64(27);
        for (rows, cols, inner) in
            [(0, 9, 0), (9, 0, 0), (40, 30, 0), (300, 700, 21), (1100, 90, 90), (1500, 1100, 400)]
        {
            // Products of random factors; every seventh row is zero, every eleventh repeats the one before with its
            // sign changed, the leading columns of late rows are sparse.
            let factor = |count: usize, rng: &mut Rng| (0..count).map(|_| rng.random_range(0..3)).collect::<Vec<u64>>();
            let (left, right) = (factor(rows * inner, &mut rng), factor(inner * cols, &mut rng));
            let mut data = vec![0u64; rows * cols];
            for i in (0..rows).filter(|i| i % 7 != 0) {
                if i % 11 == 0 {
                    (0..cols).for_each(|j| data[i * cols + j] = (3 - data[(i - 1) * cols + j]) % 3);
                    continue;
                }
                for t in (0..inner).filter(|t| t % 3 != i % 3) {
                    let a = left[i * inner + t];
                    (0..cols).for_each(|j| data[i * cols + j] += a * right[t * cols + j]);
                }
                (0..cols).for_each(|j| data[i * cols + j] %= 3);
            }
            for step in [1, 100, 1024] {
                let mut packed = Trits::new(cols);
                let mut products = Panels::<u16>::new(Modulus::new(3).unwrap(), cols).unwrap();
                for part in data.chunks((step * cols).max(1)) {
                    packed.absorb_dense(part.len() / cols, part).unwrap();
                    products.absorb_dense(part.len() / cols, part).unwrap();
                }
                assert!(packed.pivot_rows.len() <= inner);
                assert_eq!(packed.pivot_rows, products.pivot_rows, "{rows} x {cols} of {inner} by {step}");
                let sorted = |cols: &[u32]| std::collections::BTreeSet::from_iter(cols.to_vec());
                assert_eq!(sorted(&packed.pivot_cols), sorted(products.pivot_cols()));
            }
        }
    }
}
