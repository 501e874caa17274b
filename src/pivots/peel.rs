//! Singletons, peeled repeatedly: the pivots that cost nothing.
//!
//! A column with one entry left makes the row of that entry pivotal, and no other remaining row has an entry in this
//! column: the pivot goes to the front of the triangular order. A row with one entry left goes to the end. Either step
//! leaves a smaller matrix, in which new singletons may appear. What is left, the *core*, has at least two entries in
//! every row and column that is not empty. A matrix that is triangular up to permutations leaves nothing. Each line
//! stores the exclusive-or of its remaining indices, which is the index itself once only one is left, so that removing
//! a line costs one pass over it: O(rows + cols + nnz) in all.

use super::degrees::Degrees;
use super::incidence::Lines;
use crate::isa::prefetch;
use crate::parallel::Each;
use crate::{Result, memory};
use rayon::prelude::*;

/// What the memory is for.
const PEELED: &str = "the peeling of singletons";
/// Lines that one task looks at, or more.
const TASK: usize = 1 << 12;
/// Lines between asking for memory and reading it.
const AHEAD: usize = 4;

/// What is left of a line.
#[derive(Clone, Copy, Default)]
struct Rest {
    /// How many entries it has in the remaining matrix; 0 for a removed line.
    degree: u32,
    /// The exclusive-or of the indices of these entries.
    xor: u32,
}

/// One side of the remaining matrix: its rows, or its columns.
struct Side(Vec<Rest>);

impl Side {
    fn new(lines: Lines<'_>) -> Result<Self> {
        let mut side = memory::filled(Rest::default(), lines.len(), PEELED)?;
        side.par_iter_mut().enumerate().with_min_len(TASK).each(|(i, rest)| {
            let line = lines.line(i as u32);
            *rest = Rest { degree: line.len() as u32, xor: line.iter().fold(0, |x, &j| x ^ j) };
        });
        Ok(Side(side))
    }
    /// The index of the only entry that line i has left, if it has one.
    #[inline(always)]
    fn single(&self, i: u32) -> Option<u32> {
        let Rest { degree, xor } = self.0[i as usize];
        (degree == 1).then_some(xor)
    }
    /// Lines with one entry, with room for all.
    fn singles(&self) -> Result<Vec<u32>> {
        let mut singles = memory::with_capacity(self.0.len(), PEELED)?;
        singles.extend((0..self.0.len() as u32).filter(|&i| self.0[i as usize].degree == 1));
        Ok(singles)
    }
    fn degrees(self) -> Result<Degrees> {
        Degrees::new(memory::collect(self.0.iter().map(|rest| rest.degree), PEELED)?)
    }
}

/// The matrix while singletons are peeled.
struct Peeling {
    rows: Side,
    cols: Side,
    front: Vec<(u32, u32)>,
    back: Vec<(u32, u32)>,
}

/// What peeling found and what it left.
pub(super) struct Peeled {
    /// How many entries each row and each column has in the core; 0 for those that are not in it.
    pub rows: Degrees,
    pub cols: Degrees,
    /// Pivots (row, column) that come before all others, in order.
    pub front: Vec<(u32, u32)>,
    /// Pivots that come after all others, in reverse order.
    pub back: Vec<(u32, u32)>,
}

/// Peels all singletons.
pub(super) fn peel(rows: Lines<'_>, cols: Lines<'_>) -> Result<Peeled> {
    let mut p = Peeling { rows: Side::new(rows)?, cols: Side::new(cols)?, front: vec![], back: vec![] };
    // A line drops to one entry at most once: there is room for all.
    let (mut single_rows, mut single_cols) = (p.rows.singles()?, p.cols.singles()?);
    loop {
        if let Some(j) = single_cols.pop() {
            ask_ahead(&single_cols, &p.cols, rows);
            if let Some(i) = p.cols.single(j) {
                memory::push(&mut p.front, (i, j), PEELED)?;
                remove(rows, i, &mut p.rows, &mut p.cols, &mut single_cols);
            }
        } else if let Some(i) = single_rows.pop() {
            ask_ahead(&single_rows, &p.rows, cols);
            if let Some(j) = p.rows.single(i) {
                memory::push(&mut p.back, (i, j), PEELED)?;
                remove(cols, j, &mut p.cols, &mut p.rows, &mut single_rows);
            }
        } else {
            let Peeling { rows, cols, front, back } = p;
            return Ok(Peeled { rows: rows.degrees()?, cols: cols.degrees()?, front, back });
        }
    }
}

/// Removes a line: all crossing lines that remain lose an entry; those left with one are noted.
fn remove(lines: Lines<'_>, line: u32, own: &mut Side, crossing: &mut Side, single: &mut Vec<u32>) {
    own.0[line as usize].degree = 0;
    for &k in lines.line(line) {
        let rest = &mut crossing.0[k as usize];
        // Of one that was removed, or is with this one, nobody asks.
        if rest.degree > 0 {
            rest.xor ^= line;
            rest.degree -= 1;
            if rest.degree == 1 {
                single.push(k);
            }
        }
    }
}

/// Asks for what the lines noted last lead to, if nothing else comes before them: what is left of them, where the lines
/// begin that they cross, and their indices.
#[inline(always)]
fn ask_ahead(single: &[u32], side: &Side, crossing: Lines<'_>) {
    let noted = |ahead: usize| single.len().checked_sub(ahead).map(|at| single[at]);
    if let Some(far) = noted(3 * AHEAD) {
        prefetch(&side.0, far as usize);
    }
    if let Some(i) = noted(2 * AHEAD).and_then(|near| side.single(near)) {
        crossing.prefetch_start(i);
    }
    if let Some(i) = noted(AHEAD).and_then(|next| side.single(next)) {
        crossing.prefetch(i);
    }
}
