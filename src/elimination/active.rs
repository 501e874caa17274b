//! The part of a sparse matrix that is not yet eliminated, and one step of right-looking elimination on it.
//!
//! Rows are kept exactly, columns sorted. Of the columns the *counts* are exact, while the lists of their rows may name
//! rows that have lost their entry there (by cancellation or as pivots): a list is cleaned when it is read.
//! Invariant: `col_count[j]` is the number of rows with an entry in column j, and `col_rows[j]` names all of them.

use crate::field::Modulus;
use crate::sparse::SparseMatrix;

/// A sparse row: columns ascending, values non-zero residues.
#[derive(Clone, Debug, Default)]
pub(super) struct SparseRow {
    pub(super) col: Vec<u32>,
    pub(super) value: Vec<u64>,
}

impl SparseRow {
    pub(super) fn len(&self) -> usize {
        self.col.len()
    }
}

/// What is left of the matrix.
#[derive(Debug)]
pub(super) struct Active {
    modulus: Modulus,
    /// Rows; those that were pivots or vanished are empty.
    pub(super) rows: Vec<SparseRow>,
    pub(super) col_count: Vec<u32>,
    col_rows: Vec<Vec<u32>>,
    /// Non-zero entries.
    pub(super) nnz: usize,
    /// Entries of all column lists.
    listed: usize,
    /// The last reading of a list that met this row: keeps duplicates out.
    seen: Vec<u32>,
    reading: u32,
    merged: SparseRow,
    /// Rows and columns whose counts the last step changed.
    pub(super) touched_rows: Vec<u32>,
    pub(super) touched_cols: Vec<u32>,
}

impl Active {
    pub(super) fn new(a: &SparseMatrix) -> Self {
        let mut col_rows = vec![vec![]; a.cols()];
        let rows: Vec<SparseRow> = (0..a.rows())
            .map(|i| {
                let (col, value) = a.row(i);
                col.iter().for_each(|&j| col_rows[j as usize].push(i as u32));
                SparseRow { col: col.to_vec(), value: value.to_vec() }
            })
            .collect();
        Active {
            modulus: a.modulus(),
            col_count: col_rows.iter().map(|rows| rows.len() as u32).collect(),
            col_rows,
            nnz: a.nnz(),
            listed: a.nnz(),
            seen: vec![0; rows.len()],
            rows,
            reading: 0,
            merged: SparseRow::default(),
            touched_rows: vec![],
            touched_cols: vec![],
        }
    }

    /// Bytes of entries and lists, with what growing vectors keep in reserve.
    pub(super) fn memory(&self) -> u64 {
        let bytes = 12 * self.nnz + 4 * self.listed;
        (bytes + bytes / 2 + 64 * self.rows.len() + 40 * self.col_count.len()) as u64
    }

    /// The entry in row i and column j, which must be there.
    pub(super) fn value(&self, i: u32, j: u32) -> u64 {
        let row = &self.rows[i as usize];
        row.value[row.col.binary_search(&j).expect("an entry")]
    }

    /// The shortest row with an entry in column j, which must have entries.
    pub(super) fn shortest_row_of(&mut self, j: u32) -> u32 {
        self.clean(j);
        let rows = self.col_rows[j as usize].iter().copied();
        rows.min_by_key(|&i| (self.rows[i as usize].len(), i)).expect("the column has entries")
    }

    /// Makes the list of column j exact.
    fn clean(&mut self, j: u32) {
        self.reading = self.reading.checked_add(1).unwrap_or_else(|| {
            self.seen.fill(0);
            1
        });
        let (rows, seen, reading) = (&self.rows, &mut self.seen, self.reading);
        let list = &mut self.col_rows[j as usize];
        let before = list.len();
        list.retain(|&i| {
            let first = std::mem::replace(&mut seen[i as usize], reading) != reading;
            first && rows[i as usize].col.binary_search(&j).is_ok()
        });
        self.listed -= before - list.len();
        debug_assert_eq!(list.len(), self.col_count[j as usize] as usize);
    }

    /// Takes (i, j) as pivot: row i and column j leave, every other row with an entry in column j is reduced. Returns
    /// the number of entries read, the work of the step.
    pub(super) fn eliminate(&mut self, i: u32, j: u32) -> usize {
        self.touched_rows.clear();
        self.touched_cols.clear();
        self.clean(j);
        let targets = std::mem::take(&mut self.col_rows[j as usize]);
        self.listed -= targets.len();
        let mut pivot = std::mem::take(&mut self.rows[i as usize]);
        self.nnz -= pivot.len();
        pivot.col.iter().for_each(|&c| self.col_count[c as usize] -= 1);
        let at = pivot.col.binary_search(&j).expect("the pivot is an entry");
        pivot.col.remove(at);
        let inverse = self.modulus.neg(self.modulus.inv(pivot.value.remove(at)));
        let mut work = 0;
        for &t in targets.iter().filter(|&&t| t != i) {
            work += self.rows[t as usize].len() + pivot.len();
            self.reduce(t, j, &pivot, inverse);
            self.touched_rows.push(t);
        }
        self.col_count[j as usize] = 0;
        self.touched_cols = pivot.col;
        work
    }

    /// Row t += its entry at j · `inverse` · `pivot`, less the entry at j itself.
    fn reduce(&mut self, t: u32, j: u32, pivot: &SparseRow, inverse: u64) {
        let m = self.modulus;
        let row = &mut self.rows[t as usize];
        let at = row.col.binary_search(&j).expect("targets have an entry in the pivot column");
        row.col.remove(at);
        let factor = m.multiplier(m.mul(row.value.remove(at), inverse));
        self.nnz -= 1;
        if pivot.col.is_empty() {
            return;
        }
        let out = &mut self.merged;
        out.col.clear();
        out.value.clear();
        let before = row.len();
        let mut x = 0;
        for (&c, &v) in pivot.col.iter().zip(&pivot.value) {
            let run = row.col[x..].leading_run(c);
            out.col.extend_from_slice(&row.col[x..x + run]);
            out.value.extend_from_slice(&row.value[x..x + run]);
            x += run;
            let product = m.mul_by(v, factor);
            if row.col.get(x) == Some(&c) {
                let sum = m.add(row.value[x], product);
                x += 1;
                if sum == 0 {
                    self.col_count[c as usize] -= 1;
                    continue;
                }
                out.value.push(sum);
            } else {
                out.value.push(product);
                self.col_count[c as usize] += 1;
                self.col_rows[c as usize].push(t);
                self.listed += 1;
            }
            out.col.push(c);
        }
        out.col.extend_from_slice(&row.col[x..]);
        out.value.extend_from_slice(&row.value[x..]);
        self.nnz = self.nnz + out.col.len() - before;
        row.col.clone_from(&out.col);
        row.value.clone_from(&out.value);
    }
}

/// The length of the leading run below a bound, in time that grows with its logarithm.
trait LeadingRun {
    fn leading_run(&self, bound: u32) -> usize;
}

impl LeadingRun for [u32] {
    #[inline]
    fn leading_run(&self, bound: u32) -> usize {
        let mut step = 1;
        while step <= self.len() && self[step - 1] < bound {
            step *= 2;
        }
        let low = step / 2;
        low + self[low..self.len().min(step)].partition_point(|&c| c < bound)
    }
}
