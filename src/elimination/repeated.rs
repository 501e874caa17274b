//! Rows that are multiples of other rows, dropped from the active part now and then.
//!
//! Boundary matrices of complexes, once cut down, have most of their rows several times. Each copy would be reduced as
//! often as its first, to vanish with it at last. A pass costs some tens of nanoseconds an entry; [`Repeated`] spaces
//! passes by the work done since the last, and more widely while they find little.

use super::active::Active;
use super::residue::Residue;
use crate::{Result, memory};
use std::collections::HashMap;
use std::collections::hash_map::Entry;

/// A pass that drops less than this fraction (1/N) of the rows doubles the distance to the next.
const WORTHWHILE: usize = 16;

/// When to look for repeated rows.
#[derive(Debug)]
pub(super) struct Repeated {
    /// Changes a pass is due after, in quarters of the entries there are.
    distance: u64,
    /// Changes at the last pass.
    last: u64,
}

impl Repeated {
    pub(super) fn new() -> Self {
        Repeated { distance: 1, last: 0 }
    }
    /// Looks for repeated rows if it is time. What was touched is noted in `active`, as by a step.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    pub(super) fn pass<V: Residue>(&mut self, active: &mut Active<V>) -> Result<bool> {
        let due = active.work.changed - self.last >= self.distance * active.nnz as u64 / 4;
        if due {
            let rows = active.rows_left;
            active.drop_repeated()?;
            self.last = active.work.changed;
            if (rows - active.rows_left) * WORTHWHILE < rows {
                self.distance *= 2;
            }
        }
        Ok(due)
    }
}

impl<V: Residue> Active<V> {
    fn drop_repeated(&mut self) -> Result<()> {
        let mut seen: HashMap<u64, u32> = HashMap::new();
        memory::reserve_table(&mut seen, self.rows_left, "the hashes of rows")?;
        let mut dropped = false;
        for i in 0..self.rows.len() {
            if self.rows[i].len() == 0 {
                continue;
            }
            match seen.entry(self.hash(i)) {
                Entry::Vacant(place) => _ = place.insert(i as u32),
                Entry::Occupied(first) if self.monic(*first.get() as usize) == self.monic(i) => {
                    self.nnz -= self.rows[i].len();
                    self.rows[i] = Default::default();
                    self.rows_left -= 1;
                    dropped = true;
                }
                // Another row with the same hash stays.
                Entry::Occupied(_) => {}
            }
        }
        self.touched_rows.clear();
        self.touched_cols.clear();
        if !dropped {
            return Ok(());
        }
        // The rows of a list have entries, but for those that have just gone.
        for (j, list) in self.col_rows.iter_mut().enumerate() {
            let before = list.len();
            list.retain(|&i| self.rows[i as usize].len() > 0);
            if list.len() < before {
                self.touched_cols.push(j as u32);
            }
        }
        Ok(())
    }

    /// What row i, which must have entries, has to be multiplied by to make its leftmost entry 1.
    fn scale(&self, i: usize) -> crate::field::Multiplier {
        let leftmost = self.rows[i].entries.iter().min_by_key(|e| e.0).expect("the row has entries");
        self.modulus.multiplier(self.modulus.inv(leftmost.1.get()))
    }
    /// A hash of the entries of row i, the same for all its multiples and in any order.
    fn hash(&self, i: usize) -> u64 {
        let scale = self.scale(i);
        self.rows[i].entries.iter().fold(0, |hash: u64, &(j, v)| {
            let v = self.modulus.mul_by(v.get(), scale);
            let mixed = (v ^ (j as u64).rotate_left(32)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            hash.wrapping_add((mixed ^ mixed >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9))
        })
    }
    /// Row i divided by its leftmost entry, columns ascending.
    fn monic(&self, i: usize) -> Vec<(u32, u64)> {
        let scale = self.scale(i);
        let entries = self.rows[i].entries.iter();
        let mut monic: Vec<_> = entries.map(|&(j, v)| (j, self.modulus.mul_by(v.get(), scale))).collect();
        monic.sort_unstable_by_key(|e| e.0);
        monic
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::Modulus;
    use crate::sparse::SparseMatrix;

    #[test]
    fn multiples_go_and_lists_stay_exact() {
        let p = Modulus::new(7).unwrap();
        // Row 2 = 3·row 0, row 3 = -row 1; rows 4 and 5 differ from row 0 in a value and in a column.
        let entries = [
            (0, 1, 1),
            (0, 3, 2),
            (1, 0, 4),
            (2, 1, 3),
            (2, 3, 6),
            (3, 0, 3),
            (4, 1, 1),
            (4, 3, 3),
            (5, 1, 1),
            (5, 2, 2),
        ];
        let mut active = Active::<u32>::new(&SparseMatrix::from_triplets(p, 7, 4, &entries)).unwrap();
        let mut repeated = Repeated::new();
        assert!(!repeated.pass(&mut active).unwrap());
        active.work.changed = 10;
        assert!(repeated.pass(&mut active).unwrap());
        let left: Vec<usize> = active.rows.iter().map(|row| row.len()).collect();
        assert_eq!(left, [2, 1, 0, 0, 2, 2, 0]);
        assert_eq!((active.nnz, active.rows_left, active.cols_left), (7, 4, 4));
        assert_eq!(active.col_rows, [vec![1], vec![0, 4, 5], vec![5], vec![0, 4]]);
        assert_eq!(active.touched_cols, [0, 1, 3]);
    }
}
