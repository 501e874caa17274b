//! The positions of a matrix's entries, by rows and by columns: all that a search without arithmetic needs.

use crate::isa::prefetch;
use crate::sparse::{Pattern, SparseMatrix};
use crate::{Result, memory};
use std::ops::Range;

/// What the memory is for.
const ORDER: &str = "lines by their lengths";

/// Ascending indices, line by line: the columns of each row, or the rows of each column.
#[derive(Clone, Copy)]
pub(super) struct Lines<'a> {
    start: &'a [usize],
    index: &'a [u32],
    /// How many indices each line has, if that is the same number for all, as in boundary matrices: where a line begins
    /// is not looked up then, in memory that is seldom in the cache. 0 if it is not.
    weight: usize,
}

impl<'a> Lines<'a> {
    fn new(start: &'a [usize], index: &'a [u32]) -> Self {
        let weight = start.get(1).copied().unwrap_or(0);
        let is_same = start.iter().enumerate().all(|(i, &at)| at == i * weight);
        Lines { start, index, weight: if is_same { weight } else { 0 } }
    }
    /// Number of lines.
    pub fn len(self) -> usize {
        self.start.len() - 1
    }
    /// Where the indices of line i are.
    #[inline(always)]
    fn span(self, i: u32) -> Range<usize> {
        let i = i as usize;
        if self.weight > 0 { i * self.weight..(i + 1) * self.weight } else { self.start[i]..self.start[i + 1] }
    }
    /// The indices of line i.
    #[inline(always)]
    pub fn line(self, i: u32) -> &'a [u32] {
        &self.index[self.span(i)]
    }
    /// How many indices line i has.
    #[inline(always)]
    pub fn degree(self, i: u32) -> usize {
        self.span(i).len()
    }
    /// Asks for where line i begins.
    #[inline(always)]
    pub fn prefetch_start(self, i: u32) {
        if self.weight == 0 {
            prefetch(self.start, i as usize);
        }
    }
    /// Asks for the first indices of line i.
    #[inline(always)]
    pub fn prefetch(self, i: u32) {
        prefetch(self.index, self.span(i).start);
    }
    /// Some lines by their numbers of indices, the fewest first, those with equally many in the order given: by
    /// counting how many have fewer.
    pub fn shortest_first<I: Iterator<Item = u32>>(self, some: impl Fn() -> I) -> Result<Vec<u32>> {
        let longest = some().map(|i| self.degree(i)).max().unwrap_or(0);
        let mut place = memory::zeros::<usize>(longest + 2, ORDER)?;
        some().for_each(|i| place[self.degree(i) + 1] += 1);
        (1..place.len()).for_each(|degree| place[degree] += place[degree - 1]);
        let mut sorted = memory::zeros::<u32>(place[longest + 1], ORDER)?;
        for i in some() {
            let place = &mut place[self.degree(i)];
            sorted[*place] = i;
            *place += 1;
        }
        Ok(sorted)
    }
    /// How many indices all lines have.
    pub fn nnz(self) -> usize {
        self.index.len()
    }
}

/// The columns of each row of a pattern.
pub(super) fn lines(pattern: &Pattern) -> Lines<'_> {
    Lines::new(pattern.row_starts(), pattern.columns())
}

/// The columns of each row of `a`.
pub(super) fn rows(a: &SparseMatrix) -> Lines<'_> {
    Lines::new(a.row_starts(), &a.col)
}
