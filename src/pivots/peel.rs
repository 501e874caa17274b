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
use crate::{Result, memory};
use rayon::prelude::*;

/// What the memory is for.
const PEELED: &str = "the peeling of singletons";
/// Lines that one task looks at, or more.
const TASK: usize = 1 << 12;

/// One side of the remaining matrix: its rows, or its columns.
struct Side {
    /// How many entries each line has in the remaining matrix; 0 for removed lines.
    degree: Vec<u32>,
    /// The exclusive-or of the indices of these entries.
    xor: Vec<u32>,
    /// Whether the line was taken as that of a pivot.
    gone: Vec<bool>,
}

impl Side {
    fn new(lines: Lines<'_>) -> Result<Self> {
        let mut degree = memory::zeros(lines.len(), PEELED)?;
        let mut xor = memory::zeros(lines.len(), PEELED)?;
        let both = degree.par_iter_mut().zip(&mut xor).with_min_len(TASK).enumerate();
        both.for_each(|(i, (degree, xor))| {
            let line = lines.line(i as u32);
            (*degree, *xor) = (line.len() as u32, line.iter().fold(0, |x, &j| x ^ j));
        });
        Ok(Side { degree, xor, gone: memory::filled(false, lines.len(), PEELED)? })
    }
    /// Line i loses its entry at index j; its degree afterwards.
    #[inline(always)]
    fn lose(&mut self, i: u32, j: u32) -> u32 {
        self.xor[i as usize] ^= j;
        self.degree[i as usize] -= 1;
        self.degree[i as usize]
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
    let singles = |side: &Side| -> Result<Vec<u32>> {
        let mut singles = memory::with_capacity(side.degree.len(), PEELED)?;
        singles.extend((0..side.degree.len() as u32).filter(|&i| side.degree[i as usize] == 1));
        Ok(singles)
    };
    let (mut single_rows, mut single_cols) = (singles(&p.rows)?, singles(&p.cols)?);
    loop {
        if let Some(j) = single_cols.pop() {
            if p.cols.degree[j as usize] == 1 && !p.cols.gone[j as usize] {
                let i = p.cols.xor[j as usize];
                memory::push(&mut p.front, (i, j), PEELED)?;
                remove(rows, i, &mut p.rows, &mut p.cols, &mut single_cols);
                p.cols.gone[j as usize] = true;
            }
        } else if let Some(i) = single_rows.pop() {
            if p.rows.degree[i as usize] == 1 && !p.rows.gone[i as usize] {
                let j = p.rows.xor[i as usize];
                memory::push(&mut p.back, (i, j), PEELED)?;
                remove(cols, j, &mut p.cols, &mut p.rows, &mut single_rows);
                p.rows.gone[i as usize] = true;
            }
        } else {
            let Peeling { rows, cols, front, back } = p;
            // Everything else of the two sides is freed first.
            let (rows, cols) = (rows.degree, cols.degree);
            return Ok(Peeled { rows: Degrees::new(rows)?, cols: Degrees::new(cols)?, front, back });
        }
    }
}

/// Removes a line: all crossing lines that remain lose an entry; those left with one are noted.
fn remove(lines: Lines<'_>, line: u32, own: &mut Side, crossing: &mut Side, single: &mut Vec<u32>) {
    own.gone[line as usize] = true;
    own.degree[line as usize] = 0;
    for &k in lines.line(line) {
        if !crossing.gone[k as usize] && crossing.lose(k, line) == 1 {
            single.push(k);
        }
    }
}
