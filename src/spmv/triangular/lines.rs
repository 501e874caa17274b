//! The sparse vectors of a triangular solve, whichever way it goes: by rows
//! ([`TriangularSolve`](super::TriangularSolve)) or by columns ([`PushSolve`](super::PushSolve)).

use crate::field::Modulus;
use crate::parallel::Each;
use crate::sparse::{SparseMatrix, row_lists, write_sorted};
use crate::{Result, memory};
use rayon::prelude::*;
use std::ops::Range;

/// Lines that one task makes or looks at.
const TASK: usize = 1 << 12;
/// What the memory is for.
pub(super) const LINES: &str = "the lines of a triangular solve";

/// Sparse vectors over numbered slots, one line after the other.
#[derive(Debug)]
pub struct SolveLines {
    pub(super) modulus: Modulus,
    pub(super) spans: Vec<Span>,
    /// Line after line the slots of the entries +1, then of -1, then of the others.
    pub(super) slots: Vec<u32>,
    /// The other entries' residues.
    pub(super) values: Vec<u64>,
    /// The line that is being appended.
    line: Vec<(u32, u64)>,
}

/// Where a line begins, and how many of its entries are +1 and -1.
#[derive(Clone, Copy, Debug)]
pub(super) struct Span {
    pub slot: usize,
    pub value: usize,
    pub plus: u32,
    pub minus: u32,
}

impl SolveLines {
    /// No lines yet, with room for so many with `nnz` entries.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    pub fn with_capacity(modulus: Modulus, lines: usize, nnz: usize) -> Result<Self> {
        // The end of the last line, and a place behind it.
        let (spans, slots) = (memory::with_capacity(lines + 1, LINES)?, memory::with_capacity(nnz + 1, LINES)?);
        Ok(SolveLines { modulus, spans, slots, values: vec![], line: vec![] })
    }
    /// The rows of a matrix.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    pub fn of(l: &SparseMatrix) -> Result<Self> {
        Self::in_parts(l.modulus(), l.rows(), |part| {
            let nnz = l.row_starts()[part.end] - l.row_starts()[part.start];
            let mut lines = Self::with_capacity(l.modulus(), part.len(), nnz)?;
            for q in part {
                let (cols, values) = l.row(q);
                lines.push(cols.iter().copied().zip(values.iter().copied()))?;
            }
            Ok(lines)
        })
    }
    /// So many lines, of which `make` makes those with some numbers: in parallel.
    ///
    /// # Errors
    /// Those of `make`, and [`Error::Memory`](crate::Error::Memory).
    pub fn in_parts(
        modulus: Modulus,
        count: usize,
        make: impl Fn(Range<usize>) -> Result<SolveLines> + Sync,
    ) -> Result<Self> {
        let size = if rayon::current_num_threads() == 1 { count.max(1) } else { TASK };
        let part = |k: usize| make(k * size..count.min((k + 1) * size));
        let parts = (0..count.div_ceil(size)).into_par_iter().try_make(part)?;
        Self::joined(parts, modulus)
    }
    /// Appends a line of (slot, non-zero residue) pairs, no slot twice.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    pub fn push(&mut self, entries: impl Iterator<Item = (u32, u64)>) -> Result<()> {
        let Self { modulus, slots, values, line, .. } = self;
        let (slot, value, most) = (slots.len(), values.len(), modulus.get() - 1);
        line.clear();
        for entry in entries {
            memory::push(line, entry, LINES)?;
        }
        memory::reserve(slots, line.len() + 1, LINES)?;
        slots.resize(slot + line.len() + 1, 0);
        // Each slot is written down and kept if it is of the kind: no branch to predict.
        let mut end = slot;
        for &(s, v) in &*line {
            slots[end] = s;
            end += usize::from(v == 1);
        }
        let plus = end - slot;
        if plus < line.len() {
            for &(s, v) in &*line {
                slots[end] = s;
                end += usize::from(v == most && v != 1);
            }
        }
        let minus = end - slot - plus;
        if plus + minus < line.len() {
            memory::reserve(values, line.len() - plus - minus, LINES)?;
            for &(s, v) in line.iter().filter(|&&(_, v)| v != 1 && v != most) {
                slots[end] = s;
                end += 1;
                values.push(v);
            }
        }
        slots.truncate(end);
        self.spans.push(Span { slot, value, plus: plus as u32, minus: minus as u32 });
        Ok(())
    }
    /// The lines of all `parts`, one part after the other.
    fn joined(mut parts: Vec<SolveLines>, modulus: Modulus) -> Result<Self> {
        if parts.len() == 1 {
            return Ok(parts.swap_remove(0));
        }
        let count = |of: fn(&SolveLines) -> usize| parts.iter().map(of).sum::<usize>();
        let (lines, slots, values) = (count(|p| p.spans.len()), count(|p| p.slots.len()), count(|p| p.values.len()));
        let mut all = Self::with_capacity(modulus, lines, 0)?;
        (all.slots, all.values) = (memory::cleared(slots, LINES)?, memory::cleared(values, LINES)?);
        let (mut slots, mut values) = (&mut all.slots[..], &mut all.values[..]);
        let (mut slot, mut value, mut copies) = (0, 0, Vec::with_capacity(parts.len()));
        for part in &parts {
            all.spans.extend(part.spans.iter().map(|s| Span { slot: s.slot + slot, value: s.value + value, ..*s }));
            (slot, value) = (slot + part.slots.len(), value + part.values.len());
            let (own_slots, own_values);
            (own_slots, slots) = slots.split_at_mut(part.slots.len());
            (own_values, values) = values.split_at_mut(part.values.len());
            copies.push((part, own_slots, own_values));
        }
        copies.into_par_iter().each(|(part, slots, values)| {
            slots.copy_from_slice(&part.slots);
            values.copy_from_slice(&part.values);
        });
        Ok(all)
    }
    /// How many there are.
    pub fn len(&self) -> usize {
        self.spans.len()
    }
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.spans.is_empty()
    }
    /// Where a line begins and the next one does.
    fn bounds(&self, line: usize) -> [Span; 2] {
        let end = Span { slot: self.slots.len(), value: self.values.len(), plus: 0, minus: 0 };
        [self.spans[line], self.spans.get(line + 1).copied().unwrap_or(end)]
    }
    /// The slots of a line.
    pub(super) fn slots_of(&self, line: usize) -> &[u32] {
        let [span, next] = self.bounds(line);
        &self.slots[span.slot..next.slot]
    }
    /// For each line the slots up to the last that it has an entry in.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    pub(super) fn needed(&self) -> Result<Vec<u32>> {
        let mut needed = memory::zeros::<u32>(self.len(), LINES)?;
        needed.par_iter_mut().with_min_len(TASK).enumerate().each(|(line, needed)| {
            *needed = self.slots_of(line).iter().max().map_or(0, |&s| s + 1);
        });
        Ok(needed)
    }
    /// The most entries ±1 and the most others of a line.
    pub(super) fn heaviest(&self) -> (u64, u64) {
        let weights = |line: usize| {
            let [span, next] = self.bounds(line);
            (u64::from(span.plus + span.minus), (next.value - span.value) as u64)
        };
        let lines = (0..self.len()).into_par_iter().with_min_len(TASK);
        lines.map(weights).reduce(|| (0, 0), |a, b| (a.0.max(b.0), a.1.max(b.1)))
    }
    /// The lines as the rows of a matrix with so many columns.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    pub(crate) fn matrix(&self, cols: usize) -> Result<SparseMatrix> {
        let fill = |line: usize, entries: &mut Vec<(u32, u64)>, to: &mut [u32], values_to: &mut [u64]| {
            let ([span, next], most) = (self.bounds(line), self.modulus.get() - 1);
            let signs =
                std::iter::repeat_n(1, span.plus as usize).chain(std::iter::repeat_n(most, span.minus as usize));
            let values = signs.chain(self.values[span.value..next.value].iter().copied());
            entries.extend(self.slots_of(line).iter().copied().zip(values));
            write_sorted(entries, to, values_to, |v| v);
        };
        let (start, col, value) = row_lists(self.len(), true, LINES, |line| self.slots_of(line).len(), fill)?;
        Ok(SparseMatrix { modulus: self.modulus, cols, start, col, value })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::Rng;
    use rand::{RngExt, SeedableRng};

    /// Whatever the values, on any number of threads: the matrix comes back, and what is known of its lines is true.
    #[test]
    fn the_rows_of_a_matrix_are_kept() {
        let mut rng = Rng::seed_from_u64(1);
        for p in [2, 3, 7, 65521, (1 << 31) - 1, (1 << 63) - 25] {
            let p = Modulus::new(p).unwrap();
            for (rows, cols, entries) in [(0, 3, 0), (4, 0, 0), (1, 1, 1), (9, 70, 200), (3 * TASK + 5, 900, 40_000)] {
                let value = |rng: &mut Rng| [1, p.get() - 1, rng.random_range(1..p.get())][rng.random_range(0..3)];
                let list: Vec<_> = (0..entries)
                    .map(|_| (rng.random_range(0..rows), rng.random_range(0..cols), value(&mut rng)))
                    .collect();
                let a = SparseMatrix::from_triplets(p, rows, cols, &list);
                for threads in [1, 3] {
                    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                    let lines = pool.install(|| SolveLines::of(&a)).unwrap();
                    assert_eq!((lines.len(), lines.is_empty()), (rows, rows == 0));
                    assert_eq!(lines.matrix(cols).unwrap(), a, "{rows} x {cols} mod {p}, {threads} threads");
                    let last = |i: usize| a.row(i).0.last().map_or(0, |&j| j + 1);
                    assert_eq!(lines.needed().unwrap(), (0..rows).map(last).collect::<Vec<_>>());
                    assert_eq!(lines.heaviest(), crate::sparse::hybrid::heaviest_row(&a, true));
                }
            }
        }
    }
}
