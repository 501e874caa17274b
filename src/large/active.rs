//! The matrix in the course of structured elimination: rows that change, and where columns have entries.
//!
//! The list of a column may name rows that have lost their entry, or a row twice; it is cleaned when it is used, and
//! when it has grown to a multiple of the entries. Columns with many entries are only counted.

use super::matrix::Matrix;
use super::value::{Kind, Residues, Value};
use crate::report::{Bytes, State};
use crate::{Result, memory};
use num_bigint::BigUint;

/// What the memory is for.
const ACTIVE: &str = "rows in elimination";
/// Columns with more entries than this have no pivots, but those of rows with one entry.
const COUNT: usize = 40;

/// Rows and columns that are not eliminated.
#[derive(Debug)]
pub(super) struct Active {
    rows: Vec<Vec<(u32, Value)>>,
    /// The rows with an entry in each column, and more.
    lists: Vec<Vec<u32>>,
    counts: Vec<usize>,
    /// The columns that may have pivots are the first.
    eligible: usize,
    residues: Residues,
    /// Rows that had one entry at some time.
    single: Vec<u32>,
    entries: usize,
    nonempty: usize,
}

/// Rows, the rows with an entry in each column and more, and counts.
type SavedLines = (Vec<Vec<(u32, Value)>>, Vec<Vec<u32>>, Vec<usize>);

/// The course of an elimination, to go on from.
pub(super) struct Saved {
    lines: SavedLines,
    sizes: (usize, usize),
    single: Vec<u32>,
    residues: Vec<BigUint>,
}

impl Bytes for Active {
    fn write(&self, to: &mut Vec<u8>) -> Result<()> {
        let Active { rows, lists, counts, residues, single, entries, nonempty, .. } = self;
        ((rows, lists, counts), (entries, nonempty), single, residues.list()).write(to)
    }
}

impl Bytes for Saved {
    fn write(&self, to: &mut Vec<u8>) -> Result<()> {
        let Saved { lines: (rows, lists, counts), sizes: (entries, nonempty), single, residues } = self;
        ((rows, lists, counts), (entries, nonempty), single, residues).write(to)
    }
}

impl State for Saved {
    fn read(from: &mut &[u8]) -> Option<Self> {
        let (lines, sizes, single, residues) = State::read(from)?;
        Some(Saved { lines, sizes, single, residues })
    }
}

impl Active {
    /// All of `a`, with pivots in the first `eligible` columns.
    pub(super) fn new(a: &Matrix, eligible: usize) -> Result<Self> {
        let mut rows = memory::with_capacity(a.rows(), ACTIVE)?;
        let mut counts = memory::zeros::<usize>(a.cols, ACTIVE)?;
        let mut single = vec![];
        a.col.iter().for_each(|&j| counts[j as usize] += 1);
        let mut lists: Vec<Vec<u32>> = memory::with_capacity(a.cols, ACTIVE)?;
        for &count in &counts {
            lists.push(memory::with_capacity(count, ACTIVE)?);
        }
        let mut nonempty = 0;
        for i in 0..a.rows() {
            let row = memory::collect(a.row(i), ACTIVE)?;
            row.iter().for_each(|&(j, _)| lists[j as usize].push(i as u32));
            nonempty += usize::from(!row.is_empty());
            if row.len() == 1 {
                memory::push(&mut single, i as u32, ACTIVE)?;
            }
            rows.push(row);
        }
        Ok(Active { rows, lists, counts, eligible, residues: a.residues.clone(), single, entries: a.nnz(), nonempty })
    }

    /// The course as another process has kept it of the same matrix; whether it fits.
    pub(super) fn restore(&mut self, saved: Saved) -> bool {
        let Saved { lines: (rows, lists, counts), sizes: (entries, nonempty), single, residues } = saved;
        let Some(residues) = self.residues.with_list(residues) else { return false };
        let big = |v: &Value| matches!(v.kind(), Kind::Big(at) if at >= residues.list().len());
        let fits = rows.len() == self.rows.len() && lists.len() == self.lists.len() && counts.len() == lists.len();
        if !fits || rows.iter().flatten().any(|(j, v)| *j as usize >= lists.len() || big(v)) {
            return false;
        }
        *self = Active { rows, lists, counts, eligible: self.eligible, residues, single, entries, nonempty };
        true
    }
    /// How many columns may have pivots.
    pub(super) fn eligible(&self) -> usize {
        self.eligible
    }
    /// Entries and rows that are left.
    pub(super) fn size(&self) -> (usize, usize) {
        (self.entries, self.nonempty)
    }
    /// The rows that are left, in their order.
    pub(super) fn into_rows(self) -> (Vec<Vec<(u32, Value)>>, Residues) {
        (self.rows.into_iter().filter(|row| !row.is_empty()).collect(), self.residues)
    }

    fn value(&self, i: u32, j: u32) -> Option<Value> {
        let row = &self.rows[i as usize];
        row.binary_search_by_key(&j, |entry| entry.0).ok().map(|k| row[k].1)
    }

    /// Leaves the rows that have an entry in column j in its list, ascending.
    fn clean(&mut self, j: u32) {
        let mut list = std::mem::take(&mut self.lists[j as usize]);
        list.sort_unstable();
        list.dedup();
        list.retain(|&i| self.value(i, j).is_some());
        self.lists[j as usize] = list;
    }

    /// A row with one entry, in a column that may have a pivot, and that column.
    pub(super) fn single_row(&mut self) -> Option<(u32, u32)> {
        while let Some(i) = self.single.pop() {
            if let [(j, _)] = self.rows[i as usize][..]
                && (j as usize) < self.eligible
            {
                return Some((i, j));
            }
        }
        None
    }

    /// The row for a pivot in column j, and how many entries more there are after it.
    pub(super) fn best(&mut self, j: u32) -> Result<Option<(i64, u32)>> {
        let count = self.counts[j as usize];
        if count == 0 || count > COUNT || j as usize >= self.eligible {
            return Ok(None);
        }
        self.clean(j);
        debug_assert_eq!(self.lists[j as usize].len(), count);
        let mut best = None;
        for &i in &self.lists[j as usize] {
            let value = self.value(i, j).expect("the list is clean");
            if count > 1 && value.small().is_none() {
                return Ok(None);
            }
            let length = self.rows[i as usize].len();
            if count == 1 || value.is_unit() {
                best = best.min(Some((length, i))).or(Some((length, i)));
            }
        }
        Ok(best.map(|(length, i)| {
            let (length, others) = (length as i64, count as i64 - 1);
            (others * (length - 1) - others - length, i)
        }))
    }

    /// Eliminates column j by row i; returns that row.
    pub(super) fn pivot(&mut self, i: u32, j: u32) -> Result<Vec<(u32, Value)>> {
        self.clean(j);
        let own = std::mem::take(&mut self.rows[i as usize]);
        self.entries -= own.len();
        self.nonempty -= 1;
        own.iter().for_each(|&(c, _)| self.counts[c as usize] -= 1);
        let pivot = own[own.binary_search_by_key(&j, |entry| entry.0).expect("a pivot is an entry")].1;
        let list = std::mem::take(&mut self.lists[j as usize]);
        for t in list.into_iter().filter(|&t| t != i) {
            self.subtract(t, j, &own, pivot)?;
        }
        debug_assert_eq!(self.counts[j as usize], 0);
        Ok(own)
    }

    /// Subtracts the multiple of a pivotal row that makes entry (t, j) disappear.
    fn subtract(&mut self, t: u32, j: u32, own: &[(u32, Value)], pivot: Value) -> Result<()> {
        let row = std::mem::take(&mut self.rows[t as usize]);
        let at = row.binary_search_by_key(&j, |entry| entry.0).expect("the list is clean");
        let mut next = memory::with_capacity(row.len() + own.len() - 2, ACTIVE)?;
        if own.len() == 1 {
            // Nothing but the column disappears, whatever the values.
            next.extend(row[..at].iter().chain(&row[at + 1..]));
            self.counts[j as usize] -= 1;
        } else {
            let factor = row[at].1.small().zip(pivot.small()).map(|(a, unit)| a * unit);
            let k = factor.expect("units eliminate small values");
            let (mut a, mut b) = (row.iter().peekable(), own.iter().peekable());
            while let Some(&c) = a.peek().map(|e| &e.0).into_iter().chain(b.peek().map(|e| &e.0)).min() {
                let (left, right) = (a.next_if(|e| e.0 == c).map(|e| e.1), b.next_if(|e| e.0 == c).map(|e| e.1));
                let value = match right {
                    None => left,
                    Some(right) => self.residues.minus_times(left, k, right)?,
                };
                match (left.is_some(), value) {
                    (true, None) => self.counts[c as usize] -= 1,
                    (false, Some(_)) => self.enter(t, c)?,
                    _ => {}
                }
                next.extend(value.map(|value| (c, value)));
            }
        }
        self.entries = self.entries + next.len() - row.len();
        self.nonempty -= usize::from(next.is_empty());
        if next.len() == 1 {
            memory::push(&mut self.single, t, ACTIVE)?;
        }
        self.rows[t as usize] = next;
        Ok(())
    }

    /// Row t gets an entry in column c.
    fn enter(&mut self, t: u32, c: u32) -> Result<()> {
        self.counts[c as usize] += 1;
        let many = self.lists[c as usize].len() > 4 * self.counts[c as usize] + 16;
        memory::push(&mut self.lists[c as usize], t, ACTIVE)?;
        if many {
            let mut list = std::mem::take(&mut self.lists[c as usize]);
            list.sort_unstable();
            list.dedup();
            // Row t is being made; it is kept.
            list.retain(|&i| i == t || self.value(i, c).is_some());
            self.lists[c as usize] = list;
        }
        Ok(())
    }
}
