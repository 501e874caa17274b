//! The rank of S, proven from any subspace of its row space (Las Vegas: chance decides how long it takes, not what
//! comes out).
//!
//! A [`NullSpace`] that does not vanish names a vector y with yᵀ·S outside the subspace V: on the right, S·x ≠ 0 in row
//! i for some x orthogonal to V, and y = e_i; on the left, a y that is orthogonal to the columns of S in the pivot
//! columns of V, where all of V but 0 differs from 0, and yᵀ·S ≠ 0. With yᵀ·S the subspace grows, and the proof is
//! tried again, so that it ends after at most rank S + 1 tries whatever V was. In between, random combinations grow it
//! further.

use super::combine::{Room, absorb, units};
use super::nullspace::{NullSpace, Refuted, Side, write_null_vectors};
use super::row_space::on_stream;
use super::saved::saved;
use crate::dense::{Echelon, Reduced};
use crate::field::Rng;
use crate::report::Quiet;
use crate::spmv::{Block, LANES, TriangularSolve};
use crate::{Error, Observer, Result, memory};

/// Most blocks of random combinations that are made at a time.
const BLOCKS: u64 = 32;
/// The first stream of the random combinations between tries: those of a row space before it are fewer.
const STREAM: u64 = 1 << 40;
/// Most lines that are taken from one failed try.
const MOST: usize = 256;
/// Blocks of columns between two looks at the time.
const COLUMN_BLOCKS: usize = 32;
/// What the memory is for.
const COLUMNS: &str = "the columns of a basis";

/// What a proof came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proof {
    /// rank S.
    pub rank: usize,
    /// As many independent columns of S, ascending, numbered as in [`Split::cols`](super::Split::cols).
    pub pivot_cols: Vec<u32>,
    /// Null vectors written down and seen to vanish; 0 where a bound of the rank was reached.
    pub vanished: usize,
    /// How often the subspace was seen to be too small.
    pub failed: usize,
}

impl NullSpace<'_> {
    /// rank S, from a subspace of its row space and a bound of its rank that is known. `rng` is for speed alone.
    ///
    /// Cost: that of the null vectors, and on the left first as many columns of S as the rank; more where the subspace
    /// is not the row space.
    ///
    /// # Errors
    /// [`Error::Interrupted`]; [`Error::Check`] if the machine contradicts itself, or `echelon` is no subspace of the
    /// row space.
    ///
    /// # Panics
    /// If `echelon` has not as many columns as S.
    pub fn prove(&self, echelon: Echelon, rank_bound: usize, rng: &Rng, observer: &dyn Observer) -> Result<Proof> {
        let bound = rank_bound.min(self.split.rows.len()).min(self.split.cols.len());
        let (mut reduced, mut failed, mut search) = (echelon.reduced()?, 0, None);
        assert_eq!(reduced.cols(), self.split.cols.len(), "the row space of another matrix");
        let vanished = loop {
            if reduced.rank() >= bound {
                break 0;
            }
            let left = match self.side {
                Side::Right => None,
                Side::Left => Some(self.column_space(&reduced, observer)?),
            };
            let orthogonal = left.as_ref().unwrap_or(&reduced);
            let refuted = self.refute(orthogonal, observer)?;
            if refuted.is_empty() {
                break orthogonal.free_cols().len();
            }
            failed += 1;
            let mut echelon = reduced.to_echelon(observer)?;
            let search = match &mut search {
                Some(search) => search,
                none => none.insert(Search::new(self)?),
            };
            search.absorb_witnesses(left.as_ref(), &refuted, &mut echelon, observer)?;
            if echelon.rank() == reduced.rank() {
                return Err(Error::Check("a null vector fails in rows that add nothing to the row space".into()));
            }
            search.explore(bound, rng, &mut echelon, observer)?;
            reduced = echelon.reduced()?;
        };
        Ok(Proof { rank: reduced.rank(), pivot_cols: memory::copy(reduced.pivot_cols(), COLUMNS)?, vanished, failed })
    }

    /// The subspace of the column space that the columns in the pivot columns of `reduced` span. They are independent.
    fn column_space(&self, reduced: &Reduced, observer: &dyn Observer) -> Result<Reduced> {
        let (rows, cols) = (self.split.rows.len(), self.split.cols.len());
        observer.phase("columns of the complement", reduced.rank() as u64);
        let mut echelon = Echelon::new(self.split.modulus(), rows)?;
        let blocks = memory::collect(reduced.pivot_cols().chunks(LANES), COLUMNS)?;
        let program = self.split.forward()?;
        let (mut room, kept) = (Room::new(rows), saved("columns", self.split, || reduced.pivot_cols(), observer)?);
        if let Some(basis) = kept.load()? {
            echelon = basis;
            observer.restored(echelon.rank() as u64);
        }
        for some in blocks[(echelon.rows_seen() / LANES).min(blocks.len())..].chunks(COLUMN_BLOCKS) {
            if kept.is_due() {
                kept.store(&echelon)?;
            }
            absorb(&program, LANES, some, units(cols), &mut room, &mut echelon, &Quiet(observer))?;
            observer.progress(echelon.rank() as u64);
        }
        if echelon.rank() != reduced.rank() {
            let (found, of) = (echelon.rank(), reduced.rank());
            return Err(Error::Check(format!("{found} of {of} columns of the Schur complement are independent")));
        }
        echelon.reduced()
    }
}

/// What makes a subspace grow.
struct Search {
    program: TriangularSolve,
    rows: usize,
    room: Room,
    /// Blocks of random combinations made.
    made: u64,
}

impl Search {
    fn new(of: &NullSpace) -> Result<Self> {
        let (rows, cols) = (of.split.rows.len(), of.split.cols.len());
        Ok(Search { program: of.split.backward()?, rows, room: Room::new(cols), made: 0 })
    }
    /// Adds yᵀ·S for what failed: rows of S, or combinations of them by null vectors of the columns `left`.
    fn absorb_witnesses(
        &mut self,
        left: Option<&Reduced>,
        refuted: &[Refuted],
        echelon: &mut Echelon,
        observer: &dyn Observer,
    ) -> Result<()> {
        let Search { program, rows, room, .. } = self;
        if let Some(left) = left {
            let fill = |y: &mut Block, refuted: &Refuted| write_null_vectors(y, left, &refuted.group.free);
            let refuted = &refuted[..refuted.len().min(MOST / LANES)];
            return absorb(program, LANES, refuted, fill, room, echelon, observer);
        }
        // Of each group no more than it has vectors.
        let named = refuted.iter().flat_map(|r| r.remainders.iter().take(LANES)).map(|r| r.output);
        let mut lines: Vec<u32> = named.take(MOST).collect();
        lines.sort_unstable();
        lines.dedup();
        let blocks: Vec<&[u32]> = lines.chunks(LANES).collect();
        absorb(program, LANES, &blocks, units(*rows), room, echelon, observer)
    }
    /// Adds random combinations of rows until they no longer all are new.
    fn explore(&mut self, bound: usize, rng: &Rng, echelon: &mut Echelon, observer: &dyn Observer) -> Result<()> {
        let (modulus, rows) = (self.program.modulus(), self.rows);
        let mut blocks = 1;
        while echelon.rank() < bound {
            let before = echelon.rank();
            let seeds: Vec<Rng> = (self.made..self.made + blocks).map(|k| on_stream(rng, STREAM + k)).collect();
            self.made += blocks;
            let fill = |y: &mut Block, rng: &Rng| {
                y.fill_roughly(0..rows, modulus, &mut rng.clone());
                Ok(())
            };
            absorb(&self.program, LANES, &seeds, fill, &mut self.room, echelon, observer)?;
            if echelon.rank() - before < blocks as usize * LANES {
                break;
            }
            blocks = (2 * blocks).min(BLOCKS);
        }
        Ok(())
    }
}
