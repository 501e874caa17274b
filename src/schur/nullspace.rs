//! The null space of a subspace of the row space of S, written down and mapped by S: where S maps it to 0, no larger
//! rank is possible.
//!
//! Let (I T) be the reduced echelon form of a subspace V of the row space of S, of dimension s. The vectors (-T; I)·e_f
//! are a basis of what is orthogonal to V. If S maps all of them to 0, then rank S ≤ s. Each is extended to a vector w
//! with A·w = 0, so that this is the statement that A has cols - t - s independent null vectors; no random choice is
//! involved. Likewise for Sᵀ and a subspace of the column space: [`Side`].
//!
//! There are two [`Way`]s. A vector e_f alone may reach little of A where T is zero in its column, and neighbouring
//! columns reach much the same: blocks of 32 such vectors are pushed through the entries that they meet. Where null
//! vectors are dense, passes over all of A are faster.

use super::Split;
use super::saved::saved;
use super::substitution::substitution;
use crate::dense::Reduced;
use crate::parallel::Each;
use crate::pivots::Pivots;
use crate::report::Bytes;
use crate::spare::Spare;
use crate::spmv::{Block, LANES, PushSolve, PushSpace, Remainder, TriangularSolve};
use crate::{Observer, Result, memory};
use rayon::prelude::*;
use sha2::{Digest, Sha256};

/// Blocks of vectors between two looks at the observer.
const GROUP: usize = 64;
/// What the memory is for.
const GROUPS: &str = "the free columns";

/// Which of two null spaces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Vectors x with S·x = 0, one for each column that is free of a subspace of the row space.
    Right,
    /// Vectors y with Sᵀ·y = 0, one for each row that is free of a subspace of the column space.
    Left,
}

/// How they are mapped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// By the entries of A that they meet.
    Pushes,
    /// By passes over A.
    Passes,
}

/// S or Sᵀ made ready to map null vectors.
#[derive(Debug)]
pub struct NullSpace<'a> {
    pub(super) split: &'a Split<'a>,
    pub(super) side: Side,
    pub(super) engine: Engine,
}

#[derive(Debug)]
pub(super) enum Engine {
    Pushes(PushSolve, Spare<PushSpace>),
    Passes(TriangularSolve, Spare<Block>),
}

/// Null vectors that are mapped together, by the numbers of their free lines.
#[derive(Clone, Debug)]
pub(super) struct Group {
    pub free: Vec<u32>,
    /// Whether T is zero in all these columns.
    plain: bool,
}

/// Null vectors that do not vanish, and where they do not.
pub(super) struct Refuted {
    pub group: Group,
    pub remainders: Vec<Remainder>,
}

impl<'a> NullSpace<'a> {
    /// Cost: some reads of A, or nothing where combinations of rows were made before
    /// ([`SharedSolve`](super::SharedSolve)).
    ///
    /// # Errors
    /// [`crate::Error::Memory`].
    pub fn new(split: &'a Split<'a>, side: Side, way: Way) -> Result<Self> {
        let engine = match (way, side) {
            (Way::Pushes, Side::Right) => {
                let shared = split.mixing_of_residues()?.and_then(|program| program.by_columns(split.cols.len()));
                let own = || PushSolve::new(split.rows.len(), split.pivots(), split.backward_lines()?);
                Engine::Pushes(shared.map_or_else(own, Ok)?, Spare::default())
            }
            (Way::Pushes, Side::Left) => {
                let Pivots { rows, cols } = split.pivots;
                let pivots = rows.iter().copied().zip(cols.iter().copied()).rev();
                Engine::Pushes(substitution(split.a, pivots, &split.cols, &split.rows)?, Spare::default())
            }
            (Way::Passes, Side::Right) => Engine::Passes(split.forward()?, Spare::default()),
            (Way::Passes, Side::Left) => Engine::Passes(split.backward()?, Spare::default()),
        };
        Ok(NullSpace { split, side, engine })
    }
    /// Whose null vectors.
    pub fn side(&self) -> Side {
        self.side
    }
    /// How they are mapped.
    pub fn way(&self) -> Way {
        match self.engine {
            Engine::Pushes(..) => Way::Pushes,
            Engine::Passes(..) => Way::Passes,
        }
    }
    /// Lines that null vectors have entries in, and those of what they are mapped to.
    pub(super) fn shape(&self) -> (usize, usize) {
        let (rows, cols) = (self.split.rows.len(), self.split.cols.len());
        match self.side {
            Side::Right => (cols, rows),
            Side::Left => (rows, cols),
        }
    }

    /// Maps the vectors (-T; I); the first ones that do not vanish, empty if rank S is no larger than that of
    /// `reduced`.
    ///
    /// Cost of passes: nnz(A) multiply-adds for each of the free lines.
    pub(super) fn refute(&self, reduced: &Reduced, observer: &dyn Observer) -> Result<Vec<Refuted>> {
        assert_eq!(reduced.cols(), self.shape().0, "a subspace of another space");
        observer.phase("null space", reduced.free_cols().len() as u64);
        let all = groups(reduced)?;
        let print = observer.keeper().map(|_| fingerprint(reduced, &all)).transpose()?;
        let kept = saved("null-space", self.split, || (self.side == Side::Left, print), observer)?;
        let first = kept.load::<usize>()?.unwrap_or(0).min(all.len());
        let mut done = all[..first].iter().map(|group| group.free.len()).sum::<usize>();
        if done > 0 {
            observer.restored(done as u64);
        }
        for (number, groups) in all[first..].chunks(GROUP).enumerate() {
            observer.check()?;
            if kept.is_due() {
                kept.store(&(first + number * GROUP))?;
            }
            let refuted: Vec<Refuted> = groups
                .par_iter()
                .filter_map(|group| match self.map(reduced, group) {
                    Ok(remainders) if remainders.is_empty() => None,
                    mapped => Some(mapped.map(|remainders| Refuted { group: group.clone(), remainders })),
                })
                .collect::<Result<_>>()?;
            if !refuted.is_empty() {
                return Ok(refuted);
            }
            done += groups.iter().map(|group| group.free.len()).sum::<usize>();
            observer.progress(done as u64);
        }
        Ok(vec![])
    }

    fn map(&self, reduced: &Reduced, group: &Group) -> Result<Vec<Remainder>> {
        match &self.engine {
            Engine::Pushes(substitution, spare) => {
                spare.lend(|_| true, || substitution.space(), |space| push(substitution, space, reduced, group))?
            }
            Engine::Passes(program, spare) => {
                let outputs = self.shape().1;
                let new = |height| Block::zeros(program.lane(), height, LANES);
                let height = program.inputs() + program.rows();
                let vanish = spare.lend(
                    |_| true,
                    || new(height - outputs),
                    |w| {
                        write_null_vectors(w, reduced, &group.free)?;
                        Ok(program.vanishes(outputs, w))
                    },
                )?;
                if vanish? {
                    return Ok(vec![]);
                }
                let mut w = new(height)?;
                write_null_vectors(&mut w, reduced, &group.free)?;
                program.run(&mut w);
                let lanes =
                    |i| (0..LANES).fold(0, |lanes, l| lanes | ((w.get(height - outputs + i, l) != 0) as u32) << l);
                let all = (0..outputs).map(|i| Remainder { output: i as u32, lanes: lanes(i) });
                memory::collect(all.filter(|remainder| remainder.lanes != 0), GROUPS)
            }
        }
    }
}

/// The free lines in groups: those whose column of T is zero apart from the others, which also reach what the pivots
/// do.
fn groups(reduced: &Reduced) -> Result<Vec<Group>> {
    let zero = reduced.zero_columns()?;
    let those = |are: bool| memory::collect((0..zero.len() as u32).filter(|&f| zero[f as usize] == are), GROUPS);
    let (plain, mixed) = (those(true)?, those(false)?);
    let group = |plain| move |free: &[u32]| Group { free: free.to_vec(), plain };
    memory::collect(plain.chunks(LANES).map(group(true)).chain(mixed.chunks(LANES).map(group(false))), GROUPS)
}

/// SHA-256 of (I T), which all that another run has seen of its null vectors depends on.
fn fingerprint(reduced: &Reduced, groups: &[Group]) -> Result<[u8; 32]> {
    let of = |group: &Group| -> Result<[u8; 32]> {
        let mut bytes = vec![];
        (&group.free, reduced.columns(&group.free)?).write(&mut bytes)?;
        Ok(Sha256::digest(&bytes).into())
    };
    let digests = groups.par_iter().try_make(of)?;
    let mut bytes = vec![];
    (reduced.pivot_cols(), &digests).write(&mut bytes)?;
    Ok(Sha256::digest(&bytes).into())
}

/// The space is as it was, even after an error.
fn push(substitution: &PushSolve, space: &mut PushSpace, reduced: &Reduced, group: &Group) -> Result<Vec<Remainder>> {
    let table = if group.plain { vec![] } else { reduced.columns(&group.free)? };
    for (lane, &f) in group.free.iter().enumerate() {
        substitution.add_unit(space, reduced.free_cols()[f as usize] as usize, lane);
    }
    if !group.plain {
        let p = reduced.modulus();
        for (row, &j) in table.chunks_exact(group.free.len()).zip(reduced.pivot_cols()) {
            if row.iter().any(|&t| t != 0) {
                let mut x = [0; LANES];
                x.iter_mut().zip(row).filter(|(_, t)| **t != 0).for_each(|(x, t)| *x = p - t);
                substitution.add(space, j as usize, &x);
            }
        }
    }
    Ok(substitution.solve(space))
}

/// Writes the null vectors of the free lines `free` into the first rows of `w`, and zeros into the other lanes.
pub(super) fn write_null_vectors(w: &mut Block, reduced: &Reduced, free: &[u32]) -> Result<()> {
    w.clear(0..reduced.cols());
    let p = reduced.modulus();
    let table = reduced.columns(free)?;
    for (&j, row) in reduced.pivot_cols().iter().zip(table.chunks_exact(free.len())) {
        w.set_row(j as usize, row.iter().map(|&t| if t == 0 { 0 } else { p - t }));
    }
    for (lane, &f) in free.iter().enumerate() {
        w.set(reduced.free_cols()[f as usize] as usize, lane, 1);
    }
    Ok(())
}
