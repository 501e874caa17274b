//! The pivot rows of a triangular part, as a solver reads them.

use super::Split;
use super::arithmetic::Arithmetic;
use crate::isa::prefetch;
use crate::{Result, memory};
use std::cmp::Ordering;

/// Rows between asking for memory and reading it.
pub(super) const AHEAD: usize = 8;

/// An entry of a pivot row: inside with the number of the pivot whose column it is in, outside with the column of S.
pub(super) type Entry<K> = (u32, <K as Arithmetic>::Value);

/// What the memory is for.
pub(super) const ROWS: &str = "the pivot rows of a solver";

/// Where the entries of a pivot row lie.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct PivotRow {
    pub(super) start: usize,
    /// Entries in pivot columns, which come first.
    pub(super) inside: u32,
    /// Entries in the others.
    pub(super) outside: u32,
}

/// Pivot rows, each divided by minus its pivot, which is left out.
#[derive(Debug)]
pub(super) struct Rows<K: Arithmetic> {
    pub(super) at: Vec<PivotRow>,
    pub(super) entries: Vec<Entry<K>>,
}

impl<K: Arithmetic> Rows<K> {
    /// Those of some pivots, from A, in the order of these.
    pub(super) fn scaled(k: K, split: &Split, place: &[u32], pivots: &[u32]) -> Result<Self> {
        let (p, t) = (k.modulus(), split.pivots.len());
        let line = |at: u32| split.a.row(split.pivots.rows[at as usize] as usize);
        let nnz = pivots.iter().map(|&at| line(at).0.len()).sum();
        let mut rows = Rows { at: Vec::with_capacity(pivots.len()), entries: memory::with_capacity(nnz, ROWS)? };
        let (mut inside, mut outside) = (vec![], vec![]);
        let own = |&at: &u32| {
            let (cols, values) = line(at);
            values[cols.binary_search(&split.pivots.cols[at as usize]).expect("the pivot is an entry")]
        };
        let mut inverses = memory::collect(pivots.iter().map(own), ROWS)?;
        p.invert_all(&mut inverses);
        for (number, &at) in pivots.iter().enumerate() {
            if let Some(&next) = pivots.get(number + AHEAD) {
                let (cols, values) = line(next);
                prefetch(cols, 0);
                prefetch(values, 0);
            }
            let (cols, values) = line(at);
            for (&j, &v) in cols.iter().zip(values) {
                let s = place[j as usize] as usize;
                match s.cmp(&(at as usize)) {
                    Ordering::Equal => {}
                    Ordering::Less => panic!("pivots are not triangular"),
                    Ordering::Greater if s < t => memory::push(&mut inside, (s as u32, v), ROWS)?,
                    Ordering::Greater => memory::push(&mut outside, ((s - t) as u32, v), ROWS)?,
                }
            }
            let factor = p.multiplier(p.neg(inverses[number]));
            let scale = |(s, v): (u32, u64)| (s, K::value(p.mul_by(v, factor)));
            let row =
                PivotRow { start: rows.entries.len(), inside: inside.len() as u32, outside: outside.len() as u32 };
            rows.at.push(row);
            rows.entries.extend(inside.drain(..).chain(outside.drain(..)).map(scale));
        }
        Ok(rows)
    }

    /// Puts a row behind the entries.
    pub(super) fn append(&mut self, inside: &[Entry<K>], outside: &[Entry<K>]) -> Result<PivotRow> {
        let start = self.entries.len();
        memory::reserve(&mut self.entries, inside.len() + outside.len(), ROWS)?;
        self.entries.extend_from_slice(inside);
        self.entries.extend_from_slice(outside);
        Ok(PivotRow { start, inside: inside.len() as u32, outside: outside.len() as u32 })
    }

    /// Appends `more` rows, those of these pivots.
    pub(super) fn extend(&mut self, more: Rows<K>, pivots: &[u32]) -> Result<()> {
        let before = self.entries.len();
        memory::reserve(&mut self.entries, more.entries.len(), ROWS)?;
        self.entries.extend_from_slice(&more.entries);
        for (row, &at) in more.at.into_iter().zip(pivots) {
            self.at[at as usize] = PivotRow { start: before + row.start, ..row };
        }
        Ok(())
    }

    /// Asks for the first entries of a row.
    #[inline(always)]
    pub(super) fn prefetch(&self, at: usize) {
        let start = self.at[at].start;
        prefetch(&self.entries, start);
        prefetch(&self.entries, start + 64 / size_of::<Entry<K>>());
    }

    /// The entries of a row, inside and outside.
    #[inline(always)]
    pub(super) fn row(&self, at: usize) -> (&[Entry<K>], &[Entry<K>]) {
        let PivotRow { start, inside, outside } = self.at[at];
        self.entries[start..start + (inside + outside) as usize].split_at(inside as usize)
    }
}
