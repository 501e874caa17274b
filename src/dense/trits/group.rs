//! The unit of a basis over GF(3): up to twenty rows that are the identity in their own pivot columns.

use super::strip::{COLUMNS, Strip, add, trit};
use crate::{Result, memory};

/// Basis rows that share a table.
pub(super) const DIGITS: usize = 4;
/// Tables of a group.
pub(super) const TABLES: usize = 5;
/// Basis rows of a group.
pub(super) const GROUP: usize = DIGITS * TABLES;
/// What the memory is for.
const BASIS: &str = "the basis of an elimination mod 3";

/// Up to twenty rows that are the identity in their own pivot columns.
#[derive(Debug, Default)]
pub(super) struct Group {
    pub(super) pivots: Vec<u32>,
    /// The rows, one after the other.
    pub(super) rows: Vec<Strip>,
}

impl Group {
    pub(super) fn is_full(&self) -> bool {
        self.pivots.len() == GROUP
    }
    /// Strips before this one are zero in all rows.
    pub(super) fn first_strip(&self) -> usize {
        self.pivots.iter().min().map_or(0, |&j| j as usize / COLUMNS)
    }

    /// Clears the pivot columns of `row` by one basis row after the other: row -= digit·own.
    #[inline(always)]
    pub(super) fn clear_row(&self, row: &mut [Strip]) {
        for (own, &j) in self.rows.chunks_exact(row.len()).zip(&self.pivots) {
            let (digit, from) = (trit(row, j), j as usize / COLUMNS);
            if digit != 0 {
                add(&mut row[from..], &own[from..], digit as usize & 1);
            }
        }
    }
    /// Makes room for a full group of rows of so many strips.
    pub(super) fn reserve(&mut self, strips: usize) -> Result<()> {
        let more = GROUP * strips - self.rows.len();
        memory::reserve_exact(&mut self.rows, more, BASIS)
    }
    /// Adds a row that is zero in the pivot columns, and keeps the identity there. There is [room](Group::reserve).
    #[inline(always)]
    pub(super) fn push(&mut self, row: &mut [Strip], pivot: u32) {
        if trit(row, pivot) == 2 {
            row.iter_mut().for_each(|Strip(planes)| planes.swap(0, 1));
        }
        let from = pivot as usize / COLUMNS;
        for own in self.rows.chunks_exact_mut(row.len()) {
            let digit = trit(own, pivot);
            if digit != 0 {
                add(&mut own[from..], &row[from..], digit as usize & 1);
            }
        }
        self.rows.extend_from_slice(row);
        self.pivots.push(pivot);
    }
}
