//! Some columns of S, written down, and rows of S that are independent in them: what a certificate needs of a rank.
//!
//! If s columns of S are independent, s rows of those columns are, and together they make a nonsingular minor of S;
//! with the pivots it is one of A. The columns are S times unit vectors; the rows are the row rank profile of what that
//! gives.

use super::Split;
use super::strides::strides;
use crate::dense::Echelon;
use crate::parallel::Each;
use crate::spare::Spare;
use crate::spmv::{Block, LANES};
use crate::{Observer, Result, memory};
use rayon::prelude::*;

/// Blocks of columns between two looks at the observer.
const GROUP: usize = 16;
/// Rows that are absorbed at once.
const PANEL: usize = 256;
/// Rows of a part of S for each column that rows are to be independent in.
const SHARE: usize = 8;
/// What the memory is for.
const LINES: &str = "columns of the complement";

/// Some columns of S.
#[derive(Debug)]
pub struct Columns {
    count: usize,
    rows: usize,
    blocks: Vec<Block>,
}

impl Columns {
    /// The columns of S numbered `cols` (as in [`Split::cols`]), in this order. Cost: nnz(A) multiply-adds each.
    ///
    /// # Errors
    /// [`crate::Error::Interrupted`], [`crate::Error::Memory`].
    ///
    /// # Panics
    /// If a column is out of range.
    pub fn new(split: &Split, cols: &[u32], observer: &dyn Observer) -> Result<Columns> {
        let (rows, inputs) = (split.rows.len(), split.cols.len());
        observer.phase("columns of the complement", cols.len() as u64);
        let program = split.forward()?;
        let height = program.inputs() + program.rows();
        let units = memory::collect(cols.chunks(LANES), LINES)?;
        let mut blocks = memory::with_capacity(units.len(), LINES)?;
        let spare = Spare::default();
        for group in units.chunks(GROUP) {
            observer.check()?;
            let column = |units: &&[u32]| {
                let mut outputs = Block::zeros(program.lane(), rows, LANES)?;
                let new = || Block::zeros(program.lane(), height, LANES);
                spare.lend(
                    |_| true,
                    new,
                    |w| {
                        w.clear(0..inputs);
                        for (lane, &j) in units.iter().enumerate() {
                            assert!((j as usize) < inputs, "column {j} of {inputs}");
                            w.set(j as usize, lane, 1);
                        }
                        program.run(w);
                        outputs.copy_rows(0, w, height - rows, rows);
                    },
                )?;
                Ok(outputs)
            };
            blocks.extend(group.par_iter().try_make(column)?);
            observer.progress((blocks.len() * LANES).min(cols.len()) as u64);
        }
        Ok(Columns { count: cols.len(), rows, blocks })
    }
    /// Rows of S.
    pub fn rows(&self) -> usize {
        self.rows
    }
    /// Appends row i, one residue for each of the columns. Panics if i is out of range.
    pub fn push_row(&self, i: usize, to: &mut Vec<u64>) {
        let mut left = self.count;
        for block in &self.blocks {
            block.push_row(i, left.min(LANES), to);
            left -= left.min(LANES);
        }
    }
    /// Writes row i, one residue for each of the columns. Panics if i is out of range, or `to` has another length.
    pub fn write_row(&self, i: usize, to: &mut [u64]) {
        assert_eq!(to.len(), self.count, "residues of a row");
        for (block, to) in self.blocks.iter().zip(to.chunks_mut(LANES)) {
            to.iter_mut().enumerate().for_each(|(lane, x)| *x = block.get(i, lane));
        }
    }
}

/// Rows of S (numbered as [`Split::rows`]) that are a basis of the row space of its columns `cols`, ascending: of a
/// part of S that is spread evenly, if that is enough, or of all. As many as `cols` if those are independent.
///
/// Cost: nnz(A) multiply-adds for each column, of the pivot rows and the part; the dense elimination of the rows up to
/// the last that is taken.
///
/// # Errors
/// [`crate::Error::Interrupted`], [`crate::Error::Memory`].
///
/// # Panics
/// If a column is out of range.
pub fn independent_rows(split: &Split, cols: &[u32], observer: &dyn Observer) -> Result<Vec<u32>> {
    let few = PANEL + SHARE * cols.len();
    if 2 * few <= split.rows.len() {
        let mut part: Vec<usize> = strides(split.rows.len())?[..few].iter().map(|&i| i as usize).collect();
        part.sort_unstable();
        let (matrix, pivots) = split.restricted(&part)?;
        let mut rows = first_independent_rows(&Split::new(&matrix, &pivots)?, cols, observer)?;
        if rows.len() == cols.len() {
            rows.iter_mut().for_each(|i| *i = part[*i as usize] as u32);
            return Ok(rows);
        }
    }
    first_independent_rows(split, cols, observer)
}

/// The first rows of S that are a basis of the row space of its columns `cols`.
fn first_independent_rows(split: &Split, cols: &[u32], observer: &dyn Observer) -> Result<Vec<u32>> {
    let columns = Columns::new(split, cols, observer)?;
    let mut echelon = Echelon::new(split.modulus(), cols.len())?;
    let room = PANEL.min(columns.rows()) * cols.len();
    let mut panel = memory::with_capacity(room, "a panel of columns of the complement")?;
    for start in (0..columns.rows()).step_by(PANEL) {
        if echelon.rank() == cols.len() {
            break;
        }
        let rows = start..columns.rows().min(start + PANEL);
        panel.clear();
        rows.clone().for_each(|i| columns.push_row(i, &mut panel));
        echelon.absorb_block(rows.len(), &panel, observer)?;
    }
    memory::collect(echelon.pivot_rows().iter().map(|&i| i as u32), LINES)
}
