//! Exact reductions: a permanent as a factor times permanents of smaller matrices.
//!
//! | reduction | what it does | source |
//! |---|---|---|
//! | structural rank | 0 if there is no perfect matching, with rows that have too few columns as the reason | P. Hall 1935 |
//! | blocks | drops entries in no perfect matching, product over fully indecomposable blocks | A. L. Dulmage, N. S. Mendelsohn 1958 |
//! | degree 1, degree 2 | one line fewer for each | see `lines` |
//! | splits | a line of 3 or 4 entries: the sum of two permanents with one line fewer | H. Forbert, D. Marx 2003 |
//! | contents | common divisors of a line go into the factor | linearity |
//! | transposition | the side with fewer groups of equal lines becomes the columns | perm A = perm Aᵀ |
//!
//! Each can be switched off. [`reduce`] applies them until nothing changes; [`Groups`] finds equal lines.

mod groups;
mod lines;
#[cfg(test)]
mod tests;

pub use groups::Groups;

use super::IntMatrix;
use crate::matching::{dulmage_mendelsohn, hall_violator, maximum_matching};
use crate::setters::setters;
use crate::{Result, memory};
use lines::Lines;
use num_bigint::BigInt;
use num_traits::Zero;

/// Which reductions to use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Switches {
    /// 0 if there is no perfect matching.
    pub structural_rank: bool,
    /// Fully indecomposable blocks.
    pub blocks: bool,
    /// Lines with one entry.
    pub degree_one: bool,
    /// Lines with two entries.
    pub degree_two: bool,
    /// Common divisors of lines.
    pub contents: bool,
    /// Blocks are transposed if their columns then form fewer groups.
    pub transpose: bool,
    /// Lines with up to this many entries are split: 0 (none), 3 or 4.
    pub split_degree: usize,
    /// The maximum depth of splits: up to 2 to this many terms.
    pub split_depth: usize,
}

impl Default for Switches {
    /// Everything except splits, which pay only for very sparse matrices.
    fn default() -> Self {
        Switches {
            structural_rank: true,
            blocks: true,
            degree_one: true,
            degree_two: true,
            contents: true,
            transpose: true,
            split_degree: 0,
            split_depth: 0,
        }
    }
}

setters!(Switches {
    structural_rank: bool,
    blocks: bool,
    degree_one: bool,
    degree_two: bool,
    contents: bool,
    transpose: bool,
    split_degree: usize,
    split_depth: usize,
});

impl Switches {
    /// No reduction at all.
    pub fn none() -> Self {
        Switches {
            structural_rank: false,
            blocks: false,
            degree_one: false,
            degree_two: false,
            contents: false,
            transpose: false,
            split_degree: 0,
            split_depth: 0,
        }
    }
}

/// How often each reduction was applied.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Log {
    /// Entries dropped because no perfect matching has them.
    pub dropped_entries: usize,
    /// Blocks of more than one line at the end.
    pub blocks: usize,
    /// Lines with one entry that were eliminated.
    pub degree_one: usize,
    /// Lines with two entries that were eliminated.
    pub degree_two: usize,
    /// Lines divided by a common divisor.
    pub contents: usize,
    /// Blocks transposed.
    pub transposed: usize,
    /// Lines split in two.
    pub splits: usize,
}

/// Rows with fewer neighbouring columns than they are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HallViolator {
    /// The rows, ascending.
    pub rows: Vec<u32>,
    /// All columns in which they have entries, ascending: one fewer.
    pub cols: Vec<u32>,
}

/// A permanent, reduced: factor · Π perm(block) · Π Σ (terms of a sum).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reduced {
    /// The factor; 0 if the permanent is known to be 0, in which case there are no blocks and sums.
    pub factor: BigInt,
    /// What remains to be computed.
    pub blocks: Vec<IntMatrix>,
    /// Sums produced by splits, each a factor; empty without splits.
    pub sums: Vec<Vec<Reduced>>,
    /// What was done.
    pub log: Log,
    /// Why the permanent is 0, if the given matrix has no perfect matching.
    pub hall_violator: Option<HallViolator>,
}

impl Reduced {
    /// The permanent, given the permanents of blocks.
    ///
    /// # Errors
    /// Those of `permanent`.
    pub fn permanent(&self, permanent: &mut dyn FnMut(&IntMatrix) -> Result<BigInt>) -> Result<BigInt> {
        let mut product = self.factor.clone();
        for block in &self.blocks {
            product *= permanent(block)?;
        }
        for sum in &self.sums {
            let mut total = BigInt::ZERO;
            for term in sum {
                total += term.permanent(permanent)?;
            }
            product *= total;
        }
        Ok(product)
    }

    /// Every block that remains, those of sums included.
    pub fn all_blocks(&self) -> Vec<&IntMatrix> {
        self.blocks.iter().chain(self.sums.iter().flatten().flat_map(Reduced::all_blocks)).collect()
    }

    fn become_zero(&mut self) {
        self.factor = BigInt::ZERO;
        self.blocks.clear();
        self.sums.clear();
    }
}

/// Applies the enabled reductions until none changes anything.
///
/// # Errors
/// [`Error::Memory`](crate::Error::Memory).
pub fn reduce(a: &IntMatrix, switches: &Switches) -> Result<Reduced> {
    let mut reduced = part(a.try_clone()?, switches, switches.split_depth)?;
    if switches.structural_rank || switches.blocks {
        let pattern = a.pattern()?;
        if let Some(rows) = hall_violator(&pattern, &maximum_matching(&pattern)?)? {
            let meets = rows.iter().flat_map(|&i| pattern.row(i as usize)).copied();
            let mut cols = memory::collect(meets, "the columns of a Hall violator")?;
            cols.sort_unstable();
            cols.dedup();
            reduced.hall_violator = Some(HallViolator { rows, cols });
        }
    }
    Ok(reduced)
}

/// The same for a part, with that many splits left.
fn part(a: IntMatrix, switches: &Switches, splits: usize) -> Result<Reduced> {
    let mut out =
        Reduced { factor: 1.into(), blocks: Vec::new(), sums: Vec::new(), log: Log::default(), hall_violator: None };
    let mut waiting = vec![a];
    while let Some(a) = waiting.pop() {
        let Some(blocks) = blocks(a, switches, &mut out.log)? else {
            out.become_zero();
            return Ok(out);
        };
        for block in blocks {
            let mut lines = Lines::new(&block)?;
            let done = lines.eliminate(switches.degree_one, switches.degree_two)?;
            out.log.degree_one += done.one;
            out.log.degree_two += done.two;
            if switches.contents {
                out.log.contents += lines.divide_contents();
            }
            out.factor *= &lines.factor;
            if out.factor.is_zero() {
                out.become_zero();
                return Ok(out);
            }
            if done.one + done.two > 0 {
                // Merged columns may have lost entries, which may disconnect the block.
                waiting.push(lines.matrix()?);
                continue;
            }
            match if splits > 0 { lines.split(switches.split_degree)? } else { None } {
                Some(halves) => {
                    let terms = halves.iter().map(|half| part(half.matrix()?, switches, splits - 1));
                    let terms = terms.collect::<Result<Vec<Reduced>>>()?;
                    out.log.splits += 1;
                    terms.iter().for_each(|term| out.log.add(&term.log));
                    let terms: Vec<Reduced> = terms.into_iter().filter(|term| !term.factor.is_zero()).collect();
                    if terms.is_empty() {
                        out.become_zero();
                        return Ok(out);
                    }
                    out.sums.push(terms);
                }
                None => out.finish(lines.matrix()?, switches)?,
            }
        }
    }
    Ok(out)
}

impl Reduced {
    /// Adds a block that no reduction changes.
    fn finish(&mut self, block: IntMatrix, switches: &Switches) -> Result<()> {
        if block.n() == 0 {
            return Ok(());
        }
        let [rows, cols] = Groups::new(&block)?.log2_terms();
        let transpose = switches.transpose && rows < cols;
        self.log.transposed += usize::from(transpose);
        self.log.blocks += usize::from(block.n() > 1);
        self.blocks.push(if transpose { block.transpose()? } else { block });
        Ok(())
    }
}

impl Log {
    fn add(&mut self, other: &Log) {
        self.dropped_entries += other.dropped_entries;
        self.blocks += other.blocks;
        self.degree_one += other.degree_one;
        self.degree_two += other.degree_two;
        self.contents += other.contents;
        self.transposed += other.transposed;
        self.splits += other.splits;
    }
}

/// The fully indecomposable blocks, or the matrix itself; `None` if there is no perfect matching.
fn blocks(a: IntMatrix, switches: &Switches, log: &mut Log) -> Result<Option<Vec<IntMatrix>>> {
    if !switches.structural_rank && !switches.blocks {
        return Ok(Some(vec![a]));
    }
    let pattern = a.pattern()?;
    let matching = maximum_matching(&pattern)?;
    if matching.size < a.n() {
        return Ok(None);
    }
    if !switches.blocks {
        return Ok(Some(vec![a]));
    }
    let fine = dulmage_mendelsohn(&pattern, &matching)?;
    let block = |b: usize| {
        let (rows, cols) = fine.block(b);
        a.submatrix(rows, cols)
    };
    let mut blocks = memory::with_capacity(fine.blocks(), "the blocks of a permanent")?;
    for b in 0..fine.blocks() {
        blocks.push(block(b)?);
    }
    log.dropped_entries += a.nnz() - blocks.iter().map(IntMatrix::nnz).sum::<usize>();
    Ok(Some(blocks))
}
