//! A proof that rank S is no larger than the dimension of a subspace of its row space: its null space, written down.
//!
//! Let (I T) be the reduced echelon form of a subspace V of the row space of S, of dimension s. The vectors (-T; I)·e_f are a
//! basis of what is orthogonal to V. If S maps all of them to 0, then rank S ≤ s. Each is extended to a vector w with A·w = 0,
//! so that this is the statement that A has cols - t - s independent null vectors; no random choice is involved.

use super::Split;
use crate::dense::Reduced;
use crate::spmv::Block;
use crate::{Observer, Result};
use rayon::prelude::*;
use std::ops::Range;

/// Vectors checked at once by one thread.
const LANES: usize = 32;
/// Blocks between two looks at the observer.
const GROUP: usize = 64;

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
    let height = program.inputs() + program.rows() - program.unneeded();
    let starts: Vec<usize> = (0..free).step_by(LANES).collect();
    for group in starts.chunks(GROUP) {
        observer.check()?;
        let vanish = group
            .par_iter()
            .map_init(
                || Block::zeros(program.lane(), height, LANES),
                |w, &start| {
                    write_null_vectors(w, reduced, start..free.min(start + LANES));
                    program.vanishes(w)
                },
            )
            .all(|vanish| vanish);
        if !vanish {
            return Ok(false);
        }
        observer.progress((group[0] + LANES * group.len()).min(free) as u64);
    }
    Ok(true)
}

/// Writes the null vectors of the free columns `range` into the given rows of `w`.
fn write_null_vectors(w: &mut Block, reduced: &Reduced, range: Range<usize>) {
    w.clear(0..reduced.cols());
    let (lanes, p) = (range.len(), reduced.modulus());
    let table = reduced.column_block(range.clone());
    for (&j, row) in reduced.pivot_cols().iter().zip(table.chunks_exact(lanes)) {
        row.iter().enumerate().for_each(|(lane, &t)| w.set(j as usize, lane, if t == 0 { 0 } else { p - t }));
    }
    for (lane, &j) in reduced.free_cols()[range].iter().enumerate() {
        w.set(j as usize, lane, 1);
    }
}
