//! The row space of S from random combinations of its rows.
//!
//! Rows of Yᵀ·S for random Y are absorbed by a dense echelon form until they stop adding to it. Whatever Y is, the rows found
//! lie in the row space of S, so that their rank never exceeds rank S. That they span it is checked with k fresh uniform
//! combinations: if V is a proper subspace of the row space, some vector z with V·z = 0 has S·z ≠ 0, and (yᵀS)·z = yᵀ(Sz) = 0
//! has probability 1/p; all k lie in V with probability at most p⁻ᵏ. (SpaSM detects low rank in this way: Bouillaguet,
//! Delaplace, Voge, PASCO 2017, section 5.)
//!
//! The combinations that explore are windows of one random block, shifted row by row: any choice is right, this one is cheap.

use super::Split;
use crate::dense::Echelon;
use crate::field::Rng;
use crate::sparse::SparseMatrix;
use crate::spmv::{Block, Recurrence};
use crate::{Observer, Result};
use rayon::prelude::*;

/// Combinations made at once by one thread: two cache lines of 16-bit residues hold two rows.
const LANES: usize = 32;
/// Most blocks of a batch: 1024 rows.
const BLOCKS: usize = 32;
/// Up to so many rows, S is taken row by row.
const FEW_ROWS: usize = 256;

/// What is wanted of [`row_space`].
#[derive(Clone, Copy, Debug)]
pub struct RowSpaceOptions {
    /// The check may miss a part of the row space with probability at most 2^-`bits`.
    pub bits: f64,
    /// A bound of rank S that is known; reaching it needs no check.
    pub rank_bound: usize,
    /// Beyond this rank the search ends, incomplete.
    pub give_up: usize,
}

/// A subspace of the row space of S, and how sure it is to be all of it.
#[derive(Debug)]
pub struct RowSpace {
    /// Its echelon form, columns numbered as those of S.
    pub echelon: Echelon,
    /// log₂ of a bound of the probability that the row space of S is larger; -∞ if it is known not to be.
    pub error_log2: f64,
    /// Whether the search came to an end before it was given up; if not, the bound means nothing.
    pub complete: bool,
}

/// The row space of S. `transposed` is Aᵀ.
///
/// Cost: nnz(A) multiply-adds for each of about rank S combinations, and the dense elimination.
///
/// # Errors
/// [`crate::Error::Interrupted`].
pub fn row_space(
    split: &Split,
    transposed: &SparseMatrix,
    options: RowSpaceOptions,
    rng: &mut Rng,
    observer: &dyn Observer,
) -> Result<RowSpace> {
    let (rows, cols) = (split.rows.len(), split.cols.len());
    let modulus = transposed.modulus();
    let mut echelon = Echelon::new(modulus, cols);
    let bound = options.rank_bound.min(rows).min(cols);
    observer.phase("row space", bound as u64);
    if bound == 0 {
        return Ok(RowSpace { echelon, error_log2: f64::NEG_INFINITY, complete: true });
    }
    let program = split.backward(transposed);
    let log2_p = (modulus.get() as f64).log2();
    if rows <= FEW_ROWS {
        let units = |first: usize| {
            let mut y = Block::zeros(program.lane(), rows, LANES);
            (first..rows.min(first + LANES)).for_each(|i| y.set(i, i - first, 1));
            y
        };
        let firsts: Vec<usize> = (0..rows).step_by(LANES).collect();
        absorb(&program, &firsts, units, cols, &mut echelon, observer)?;
        return Ok(RowSpace { echelon, error_log2: f64::NEG_INFINITY, complete: true });
    }
    let mut source = Source::new(&program, rows, rng);
    let mut blocks = 2;
    while echelon.rank() < bound {
        let before = echelon.rank();
        if source.used + blocks > Source::SPARE {
            source = Source::new(&program, rows, rng);
        }
        let windows: Vec<usize> = (source.used..source.used + blocks).collect();
        source.used += blocks;
        absorb(&program, &windows, |which| source.window(which), cols, &mut echelon, observer)?;
        let rank = echelon.rank();
        observer.progress(rank as u64);
        if rank < bound && rank > options.give_up {
            return Ok(RowSpace { echelon, error_log2: f64::NEG_INFINITY, complete: false });
        }
        if rank - before == blocks * LANES {
            blocks = (rank / LANES).clamp(2, BLOCKS).min((bound - rank).div_ceil(LANES).max(2));
            continue;
        }
        if rank == bound {
            break;
        }
        let checks = (options.bits / log2_p).ceil() as usize;
        let checks = checks.next_multiple_of(Recurrence::GRID);
        let fresh = Block::random(program.lane(), rows, checks, modulus, rng);
        absorb(&program, &[0], |_| fresh.clone(), cols, &mut echelon, observer)?;
        if echelon.rank() == rank {
            return Ok(RowSpace { echelon, error_log2: -log2_p * checks as f64, complete: true });
        }
    }
    Ok(RowSpace { echelon, error_log2: f64::NEG_INFINITY, complete: true })
}

/// Adds the combinations Yᵀ·S with Y = `block(first)` for each of `firsts`, several at a time in parallel.
fn absorb(
    program: &Recurrence,
    firsts: &[usize],
    block: impl Fn(usize) -> Block + Sync,
    cols: usize,
    echelon: &mut Echelon,
    observer: &dyn Observer,
) -> Result<()> {
    // Eight blocks make a panel of the dense elimination.
    for group in firsts.chunks(8) {
        observer.check()?;
        let rows: Vec<Vec<u64>> = group
            .par_iter()
            .map(|&first| {
                let y = block(first);
                let mut w = Block::zeros(program.lane(), program.inputs() + program.rows(), y.width());
                w.copy_rows(0, &y, 0, y.rows());
                drop(y);
                program.run(&mut w);
                w.transposed(w.rows() - cols..w.rows())
            })
            .collect();
        let rows = rows.concat();
        echelon.absorb_block(rows.len() / cols, &rows, observer)?;
    }
    Ok(())
}

/// Random blocks for exploring.
struct Source {
    random: Block,
    rows: usize,
    used: usize,
}

impl Source {
    /// Rows beyond those of one window, and so the number of windows.
    const SPARE: usize = 1 << 12;

    fn new(program: &Recurrence, rows: usize, rng: &mut Rng) -> Self {
        let random = Block::random(program.lane(), rows + Self::SPARE, LANES, program.modulus(), rng);
        Source { random, rows, used: 0 }
    }
    /// Window number `which`.
    fn window(&self, which: usize) -> Block {
        let mut y = Block::zeros(self.random.lane(), self.rows, LANES);
        y.copy_rows(0, &self.random, which, self.rows);
        y
    }
}
