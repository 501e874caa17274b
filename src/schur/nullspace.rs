//! A proof that rank S is no larger than the dimension of a subspace of its row space: its null space, written down.
//!
//! Let (I T) be the reduced echelon form of a subspace V of the row space of S, of dimension s. The vectors (-T; I)·e_f are a
//! basis of what is orthogonal to V. If S maps all of them to 0, then rank S ≤ s. Each is extended to a vector w with A·w = 0,
//! so that this is the statement that A has cols - t - s independent null vectors; no random choice is involved.

use super::Split;
use crate::dense::Reduced;
use crate::spmv::{Block, Recurrence};
use crate::{Observer, Result};
use rayon::prelude::*;

/// Vectors checked at once by one thread.
const LANES: usize = 32;

/// Whether S·(-T; I) = 0 for the reduced echelon form (I T), so that rank S ≤ its rank.
///
/// Cost: nnz(A) multiply-adds for each of the free columns.
///
/// # Errors
/// [`crate::Error::Interrupted`].
///
/// # Panics
/// If `reduced` has not as many columns as S.
pub fn prove_nullity(split: &Split, reduced: &Reduced, observer: &dyn Observer) -> Result<bool> {
    assert_eq!(reduced.cols(), split.cols.len(), "the row space of another matrix");
    let free = reduced.free_cols().len();
    observer.phase("null space", free as u64);
    if free == 0 {
        return Ok(true);
    }
    let program = split.forward();
    let starts: Vec<usize> = (0..free).step_by(LANES).collect();
    for group in starts.chunks(8 * rayon::current_num_threads()) {
        observer.check()?;
        let vanish = group.par_iter().all(|&start| {
            let range = start..free.min(start + LANES);
            let mut w = null_vectors(&program, reduced, range);
            program.run(&mut w);
            w.is_zero(w.rows() - split.rows.len()..w.rows())
        });
        if !vanish {
            return Ok(false);
        }
        observer.progress((group[0] + LANES * group.len()).min(free) as u64);
    }
    Ok(true)
}

/// The block with the null vectors of the free columns `range` in its given rows.
fn null_vectors(program: &Recurrence, reduced: &Reduced, range: std::ops::Range<usize>) -> Block {
    let lanes = range.len();
    let mut w = Block::zeros(program.lane(), program.inputs() + program.rows(), LANES);
    let p = program.modulus();
    let table = reduced.column_block(range.clone());
    for (&j, row) in reduced.pivot_cols().iter().zip(table.chunks_exact(lanes)) {
        row.iter().enumerate().for_each(|(lane, &t)| w.set(j as usize, lane, p.neg(t)));
    }
    for (lane, &j) in reduced.free_cols()[range].iter().enumerate() {
        w.set(j as usize, lane, 1);
    }
    w
}
