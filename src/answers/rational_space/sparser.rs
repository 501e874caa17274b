//! The choice between two bases of a null space, by what a few of their vectors hold.
//!
//! Pivots that are found fast may leave a core whose vectors are dense and have long fractions. First entries as pivots
//! make another basis, that of the reduced row echelon form: mostly no better, but of boundary matrices tens of times
//! shorter at times. What a basis holds is estimated by a block of its vectors, and the other one is made only where
//! the first promises so much more than the matrix has that a second decomposition does not matter.

use super::RationalSpaceOptions;
use super::columns::{Columns, Sums};
use super::lane::at_once;
use super::modular::{BLOCK, Kernel, Recipe, Room, decompose_for_replay};
use crate::pivots::Rule;
use crate::report::Phases;
use crate::sparse::Triplets;
use crate::{Error, Observer, Result, memory};

/// What the memory is for.
const SAMPLE: &str = "a sample of null vectors";
/// An entry of a vector that one prime does not tell counts as so many.
const LONG: u64 = 4;
/// What a basis is to hold, at least and for each entry of the matrix, that another one is tried.
const LEAST: u64 = 1 << 22;
const TIMES: u64 = 256;
/// Rows times columns up to which it is: a second decomposition takes no more than their elimination.
const CELLS: u64 = 1 << 28;

/// A kernel, and how it is repeated.
pub(super) type Base = (Kernel, Option<Recipe>);

/// What a basis is to hold that another one is tried, for a matrix.
pub(super) fn worth(integers: &Triplets) -> u64 {
    let (nnz, cells) = (integers.nnz() as u64, integers.rows() as u64 * integers.cols() as u64);
    if cells > CELLS { u64::MAX } else { LEAST.max(TIMES * nnz) }
}

/// The kernel `base`, or the one of the same prime by first entries, tried if the first one's vectors hold [`worth`] at
/// least, and taken if its own hold less.
///
/// # Errors
/// Those of the vectors and of a decomposition; one that does not fit in memory is not tried.
pub(super) fn sparser(
    worth: u64,
    integers: &Triplets,
    columns: &Columns,
    base: Base,
    options: &RationalSpaceOptions,
    phases: &mut Phases,
    observer: &dyn Observer,
) -> Result<Base> {
    // No vector has more entries than one for each pivot and its own.
    let most = LONG.saturating_mul(base.0.dimension() as u64 * (base.0.rank().rank as u64 + 1));
    if most < worth || base.1.is_none() {
        return Ok(base);
    }
    let holds = phases.time("choice of basis", || contents(&base.0, columns))?;
    if holds < worth {
        return Ok(base);
    }
    let reduced = phases.time("reduce", || integers.try_reduce(base.0.modulus()))?;
    let other = match decompose_for_replay(reduced, Rule::Leading, &options.rank, observer) {
        Err(Error::Memory(_)) => return Ok(base),
        other => other?,
    };
    phases.extend(&other.0.rank().phases);
    if other.0.rank().rank != base.0.rank().rank {
        return Ok(base);
    }
    let others = phases.time("choice of basis", || contents(&other.0, columns))?;
    Ok(if others < holds { other } else { base })
}

/// An estimate of what the basis holds: its entries, those of long numbers several times.
fn contents(kernel: &Kernel, columns: &Columns) -> Result<u64> {
    let count = kernel.dimension();
    let sample = memory::collect((0..BLOCK.min(count)).map(|k| k * count / BLOCK.min(count)), SAMPLE)?;
    let (mut room, mut sums, mut held) = (Room::default(), Sums::default(), 0);
    let vectors = kernel.some(None, sample.iter().copied(), &mut room)?;
    for k in 0..sample.len() {
        let vector = vectors.vector(k);
        let is_short = at_once(kernel.modulus(), vector, columns, &mut sums)?.is_some();
        held += vector.0.len() as u64 * if is_short { 1 } else { LONG };
    }
    Ok(held * count as u64 / sample.len().max(1) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::Modulus;
    use crate::{Silent, families};

    /// Of a boundary matrix the estimate is near what the basis holds, and the basis that holds less is taken.
    #[test]
    fn the_basis_that_holds_less_is_taken() {
        let a = families::generate("mk9-b3").unwrap();
        let columns = Columns::of(&a).unwrap();
        let (p, options) = (Modulus::new((1 << 61) - 1).unwrap(), RationalSpaceOptions::default());
        for rule in [Rule::Aside(0), Rule::Leading] {
            let (kernel, _) = decompose_for_replay(a.reduce(p), rule, &options.rank, &Silent).unwrap();
            let entries = kernel.basis_matrix(&Silent).unwrap().nnz() as u64;
            let held = contents(&kernel, &columns).unwrap();
            assert!(held >= entries / 2 && held <= 2 * LONG * entries, "{held} for {entries} entries");
        }
        // Too little to be worth it: the kernel that was given.
        let base = decompose_for_replay(a.reduce(p), Rule::Aside(0), &options.rank, &Silent).unwrap();
        let free = base.0.free().unwrap();
        let taken = sparser(worth(&a), &a, &columns, base, &options, &mut Phases::default(), &Silent).unwrap();
        assert_eq!(taken.0.free().unwrap(), free);
        // Always worth it: first entries are the better pivots.
        let taken = sparser(0, &a, &columns, taken, &options, &mut Phases::default(), &Silent).unwrap();
        let leading = decompose_for_replay(a.reduce(p), Rule::Leading, &options.rank, &Silent).unwrap();
        assert_ne!(leading.0.free().unwrap(), free);
        assert_eq!(taken.0.free().unwrap(), leading.0.free().unwrap());
        let zero = Triplets::from_entries(2, 3, std::iter::empty::<(usize, usize, i64)>());
        let base = decompose_for_replay(zero.reduce(p), Rule::Aside(0), &options.rank, &Silent).unwrap();
        let columns = Columns::of(&zero).unwrap();
        let taken = sparser(0, &zero, &columns, base, &options, &mut Phases::default(), &Silent).unwrap();
        assert_eq!(taken.0.dimension(), 3);
    }
}
