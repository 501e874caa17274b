//! The lines of the triangular solves that S is made by.

use crate::isa::prefetch;
use crate::parallel::Each;
use crate::sparse::SparseMatrix;
use crate::spmv::{PushSolve, SolveLines};
use crate::{Result, memory};
use rayon::prelude::*;
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

/// The slot of a column that is left out.
const NO_SLOT: u32 = u32::MAX;
/// Rows whose pivot entries are inverted together.
const BATCH: usize = 64;
/// Rows between asking for their slots and reading them.
const AHEAD: usize = 4;
/// Columns that one task gives their slots, or more.
const TASK: usize = 1 << 12;
/// Values in a line of the cache.
const LINE: usize = 8;
/// What the memory is for.
const SLOTS: &str = "the slots of a substitution";

/// The substitution by columns that solves `pivots`, each a row of `a` and the column of its pivot entry, from the last
/// to the first: a row has no entry in the column of a later one. `outputs` are columns, `inputs` rows; columns that
/// are neither outputs nor those of a pivot are left out.
pub(super) fn substitution(
    a: &SparseMatrix,
    pivots: impl Iterator<Item = (u32, u32)>,
    outputs: &[u32],
    inputs: &[u32],
) -> Result<PushSolve> {
    let (solved, lines) = substitution_lines(a, pivots, outputs, inputs)?;
    PushSolve::new(outputs.len(), solved, lines)
}

/// How many pivots there are, and the lines of all these rows, those of the pivots first: slots are the outputs, then
/// the columns of the pivots. A pivot's line is without its entry, and divided by minus that.
pub(super) fn substitution_lines(
    a: &SparseMatrix,
    pivots: impl Iterator<Item = (u32, u32)>,
    outputs: &[u32],
    inputs: &[u32],
) -> Result<(usize, SolveLines)> {
    let p = a.modulus();
    let slot = memory::collect((0..a.cols()).map(|_| AtomicU32::new(NO_SLOT)), SLOTS)?;
    let pivots: Vec<(u32, u32)> = memory::collect(pivots, SLOTS)?;
    let set = |j: u32, s: usize| slot[j as usize].store(s as u32, Relaxed);
    outputs.par_iter().enumerate().with_min_len(TASK).each(|(s, &j)| set(j, s));
    pivots.par_iter().enumerate().with_min_len(TASK).each(|(k, &(_, j))| set(j, outputs.len() + k));
    let slot_of = |j: u32| slot[j as usize].load(Relaxed);
    let line = |k: usize| pivots.get(k).map_or_else(|| inputs[k - pivots.len()], |&(i, _)| i) as usize;
    let row = |k: usize| a.row(line(k));
    let own = |k: usize| {
        let (at, values) = row(k);
        values[at.binary_search(&pivots[k].1).expect("a pivot is an entry")]
    };
    let push = |k: usize, inverse: Option<&u64>, to: &mut SolveLines| {
        let (at, values) = row(k);
        let Some(&inverse) = inverse else {
            let entries = at.iter().zip(values).filter(|e| slot_of(*e.0) != NO_SLOT);
            return to.push(entries.map(|(&j, &v)| (slot_of(j), v)));
        };
        let (j, factor) = (pivots[k].1, p.multiplier(p.neg(inverse)));
        let others = at.iter().zip(values).filter(|e| *e.0 != j && slot_of(*e.0) != NO_SLOT);
        to.push(others.map(|(&j, &v)| (slot_of(j), p.mul_by(v, factor))))
    };
    // Rows come in no order: those of a batch, and their slots, are asked for before they are needed.
    let fetch_row = |k: usize| {
        let (at, values) = row(k);
        prefetch(at, 0);
        prefetch(values, 0);
        prefetch(values, LINE);
    };
    let fetch_slots = |k: usize| row(k).0.iter().for_each(|&j| prefetch(&slot, j as usize));
    let lines = SolveLines::in_parts(p, pivots.len() + inputs.len(), |part| {
        let nnz = part.clone().map(|k| row(k).0.len()).sum();
        let mut pushed = SolveLines::with_capacity(p, part.len(), nnz)?;
        let mut inverses = vec![];
        for first in part.clone().step_by(BATCH) {
            let batch = first..part.end.min(first + BATCH);
            batch.clone().for_each(fetch_row);
            inverses.clear();
            inverses.extend((first..batch.end.min(pivots.len())).map(own));
            p.invert_all(&mut inverses);
            for k in batch.clone() {
                (k + AHEAD..batch.end.min(k + AHEAD + 1)).for_each(fetch_slots);
                push(k, inverses.get(k - first), &mut pushed)?;
            }
        }
        Ok(pushed)
    })?;
    Ok((pivots.len(), lines))
}
