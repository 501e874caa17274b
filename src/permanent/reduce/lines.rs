//! A matrix under elimination: lines with one or two entries are eliminated, and a line with more can be split into
//! two.
//!
//! - One entry w in column j: perm A = w · perm (A without the row and the column).
//! - Two entries v in column j, w in column k: both expansions have the other columns in common, and the permanent is
//!   linear in a column, so perm A = perm A′, where A′ is A without that row, and with the single column v · colₖ + w ·
//!   colⱼ in place of the two. Neither n nor the number of entries grows.
//! - Any row is a sum of two rows, and the permanent is linear in it: H. Forbert, D. Marx, *Calculation of the
//!   permanent of a sparse positive matrix*, Comput. Phys. Commun. 150 (2003). Three entries split 2 + 1, four 2 + 2;
//!   each term then loses the row as above.
//!
//! All hold with rows and columns exchanged.
//!
//! Splits are off by default. Measured, CPU seconds with 0, 1, 2 and 4 splits: before the frontier 3-regular n = 80
//! 0.03, 0.05, 0.13, 0.27; n = 36 with 12 rows of 3 and others of 6 entries 0.02, 0.03, 0.06, 0.10 (one line fewer does
//! not halve the frontier); before the Gray code n = 30 with 4 rows of 3 and others of 12 entries 0.34, 0.27, 0.27,
//! 0.41.

use crate::integers;
use crate::permanent::IntMatrix;
use crate::{Error, Result, memory};
use num_bigint::BigInt;
use num_traits::Zero;
use std::collections::BTreeMap;

/// What the memory is for.
const LINES: &str = "the lines of a permanent";

/// Rows (side 0) and columns (side 1), each entry on both sides; eliminated lines are `None`.
pub(super) struct Lines {
    sides: [Vec<Option<BTreeMap<u32, BigInt>>>; 2],
    /// The factor taken out: permanent = factor · permanent of the lines.
    pub factor: BigInt,
}

/// Counts of the reductions applied.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Eliminated {
    pub one: usize,
    pub two: usize,
}

impl Lines {
    /// Maps of single lines are small, and are allocated infallibly.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    pub fn new(a: &IntMatrix) -> Result<Self> {
        let empty = || memory::collect((0..a.n()).map(|_| Some(BTreeMap::new())), LINES);
        let mut lines = Lines { sides: [empty()?, empty()?], factor: 1.into() };
        for (i, j, v) in a.entries() {
            lines.set(0, i as u32, j as u32, v.to_bigint());
        }
        Ok(lines)
    }

    /// The matrix of the remaining lines, in order.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    pub fn matrix(&self) -> Result<IntMatrix> {
        let mut place = memory::filled(u32::MAX, self.sides[1].len(), LINES)?;
        let left = self.sides[1].iter().enumerate().filter(|(_, line)| line.is_some());
        left.enumerate().for_each(|(l, (j, _))| place[j] = l as u32);
        let row =
            |line: &BTreeMap<u32, BigInt>| line.iter().map(|(&j, v)| (place[j as usize], v.clone().into())).collect();
        Ok(IntMatrix::from_rows(memory::collect(self.sides[0].iter().flatten().map(row), LINES)?))
    }

    fn line(&self, side: usize, i: u32) -> &BTreeMap<u32, BigInt> {
        self.sides[side][i as usize].as_ref().expect("a line that is left")
    }
    fn line_mut(&mut self, side: usize, i: u32) -> &mut BTreeMap<u32, BigInt> {
        self.sides[side][i as usize].as_mut().expect("a line that is left")
    }
    fn set(&mut self, side: usize, i: u32, j: u32, v: BigInt) {
        if v.is_zero() {
            self.line_mut(side, i).remove(&j);
            self.line_mut(1 - side, j).remove(&i);
        } else {
            self.line_mut(side, i).insert(j, v.clone());
            self.line_mut(1 - side, j).insert(i, v);
        }
    }
    /// Removes a line and returns its entries.
    fn remove(&mut self, side: usize, i: u32) -> BTreeMap<u32, BigInt> {
        let line = self.sides[side][i as usize].take().expect("a line that is left");
        line.keys().for_each(|&j| {
            self.line_mut(1 - side, j).remove(&i);
        });
        line
    }

    /// Eliminates lines with no entry (the factor becomes 0), one entry, and (if allowed) two, until none is left.
    pub fn eliminate(&mut self, one: bool, two: bool) -> Result<Eliminated> {
        let mut done = Eliminated::default();
        let all = (0..2).flat_map(|side| (0..self.sides[side].len() as u32).map(move |i| (side, i))).rev();
        let mut waiting: Vec<(usize, u32)> = memory::collect(all, LINES)?;
        while let Some((side, i)) = waiting.pop() {
            let Some(line) = &self.sides[side][i as usize] else { continue };
            match line.len() {
                0 => self.factor = BigInt::ZERO,
                1 if one => {
                    let (j, v) = self.remove(side, i).pop_first().expect("one entry");
                    let touched = self.remove(1 - side, j);
                    memory::reserve(&mut waiting, touched.len(), LINES)?;
                    waiting.extend(touched.into_keys().map(|i| (side, i)));
                    self.factor *= v;
                    done.one += 1;
                }
                2 if two => {
                    let mut entries = self.remove(side, i).into_iter();
                    let ((j, v), (k, w)) = (entries.next().expect("two entries"), entries.next().expect("two entries"));
                    let (old, other) = (self.remove(1 - side, j), self.remove(1 - side, k));
                    let mut merged: BTreeMap<u32, BigInt> = other.into_iter().map(|(i, x)| (i, x * &v)).collect();
                    for (i, x) in old {
                        *merged.entry(i).or_default() += x * &w;
                    }
                    self.sides[1 - side][j as usize] = Some(BTreeMap::new());
                    memory::reserve(&mut waiting, merged.len() + 1, LINES)?;
                    waiting.push((1 - side, j));
                    for (i, x) in merged {
                        self.set(1 - side, j, i, x);
                        waiting.push((side, i));
                    }
                    done.two += 1;
                }
                _ => {}
            }
        }
        Ok(done)
    }

    /// Divides every line by the greatest common divisor of its entries; returns how many lines had one above 1.
    pub fn divide_contents(&mut self) -> usize {
        let mut count = 0;
        for side in 0..2 {
            for i in 0..self.sides[side].len() as u32 {
                let Some(line) = &self.sides[side][i as usize] else { continue };
                let content = integers::content(line.values());
                if content > BigInt::from(1) {
                    for (j, v) in line.clone() {
                        self.set(side, i, j, v / &content);
                    }
                    self.factor *= content;
                    count += 1;
                }
            }
        }
        count
    }

    /// Two matrices whose permanents sum to that of this one: a line with the fewest entries, if those are 3 … `most`,
    /// split in halves.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    pub fn split(&self, most: usize) -> Result<Option<[Lines; 2]>> {
        let all = (0..2).flat_map(|side| (0..self.sides[side].len()).map(move |i| (side, i)));
        let degree = |&(side, i): &(usize, usize)| self.sides[side][i].as_ref().map_or(usize::MAX, BTreeMap::len);
        let Some((side, i)) = all.min_by_key(degree).filter(|line| (3..=most).contains(&degree(line))) else {
            return Ok(None);
        };
        let columns: Vec<u32> = self.line(side, i as u32).keys().copied().collect();
        let half = columns.len().div_ceil(2);
        let without = |columns: &[u32]| {
            let copy = |side: &[Option<_>]| memory::collect(side.iter().cloned(), LINES);
            let mut lines =
                Lines { sides: [copy(&self.sides[0])?, copy(&self.sides[1])?], factor: self.factor.clone() };
            columns.iter().for_each(|&j| lines.set(side, i as u32, j, BigInt::ZERO));
            Ok::<_, Error>(lines)
        };
        Ok(Some([without(&columns[half..])?, without(&columns[..half])?]))
    }
}
