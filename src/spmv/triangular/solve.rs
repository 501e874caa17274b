//! Rows computed one after the other, each from the rows before it: sparse triangular solves on blocks of vectors.
//!
//! For a sparse L with L[q, j] = 0 wherever j ≥ inputs + q, a block W whose first `inputs` rows are given is completed
//! by w[inputs + q] = Σⱼ L[q, j]·w[j] for q = 0, 1, …. With the coefficients of a triangular system, divided by their
//! diagonal, that is its solution; the last rows may be ordinary products with what was solved. The sums are those of
//! [`Product`](crate::spmv::Product): ±1 without multiplications, one reduction a row.
//!
//! Rows in sequence that do not need each other form a *segment*; long segments are computed in parallel, so an order
//! by levels pays. The arithmetic is exact: the same bits for every number of threads.

use super::coefficients::{Coefficients, Engine};
use super::lines::SolveLines;
use super::stretches::{Stretch, stretches};
use super::{GRID, PushSolve};
use crate::Result;
use crate::field::Modulus;
use crate::spmv::arithmetic::Packed;
use crate::spmv::choose::arithmetic;
use crate::spmv::engines::engines;
use crate::spmv::options::ArithmeticKind;
use crate::spmv::{Block, Lane, Lanes};
use std::sync::Arc;

/// A sparse triangular solve on the rows of a block, each from the rows before it.
#[derive(Debug)]
pub struct TriangularSolve {
    modulus: Modulus,
    inputs: usize,
    rows: usize,
    /// Rows at the end that no other row needs.
    unneeded: usize,
    lane: Lane,
    stretches: Vec<Stretch>,
    engine: Way,
}

/// What the lanes of a block hold.
#[derive(Debug)]
enum Way {
    /// A residue each, with such sums.
    Residues(ArithmeticKind, Arc<Engine>),
    /// 32 residues mod 2 each.
    Bits(Coefficients<Packed>),
}

impl TriangularSolve {
    /// The widths of blocks that [`TriangularSolve::run`] takes are multiples of this.
    pub const GRID: usize = GRID;
    /// Vectors over GF(2) in a lane of a packed block.
    pub const PACKED: usize = 32;

    /// The solve with the coefficients `lines`, one for each row that is computed, whose slots are the rows of the
    /// block: given rows first.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    ///
    /// # Panics
    /// If a row needs itself or a later one.
    pub fn new(inputs: usize, lines: SolveLines) -> Result<Self> {
        let (signs, products) = lines.heaviest();
        let lane = Lane::narrowest(lines.modulus);
        let kind = arithmetic(lines.modulus, lane, signs, products);
        let engine = |lines| Ok(Way::Residues(kind, Arc::new(Engine::new(lane, kind, inputs, lines)?)));
        Self::of(inputs, lines, lane, engine)
    }
    /// The solve on packed blocks over GF(2): bit b of lane l in a row of [`Lane::U32`] belongs to the vector
    /// [`PACKED`](Self::PACKED)·l + b.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    ///
    /// # Panics
    /// As [`TriangularSolve::new`], and for another modulus than 2.
    pub fn packed(inputs: usize, lines: SolveLines) -> Result<Self> {
        Self::of(inputs, lines, Lane::U32, |lines| Coefficients::new(inputs, lines).map(Way::Bits))
    }
    fn of(
        inputs: usize,
        lines: SolveLines,
        lane: Lane,
        engine: impl FnOnce(SolveLines) -> Result<Way>,
    ) -> Result<Self> {
        let (modulus, rows, needed) = (lines.modulus, lines.len(), lines.needed()?);
        let stretches = stretches(inputs, &lines, &needed);
        let unneeded = rows - needed.iter().max().map_or(0, |&end| (end as usize).saturating_sub(inputs));
        Ok(TriangularSolve { modulus, inputs, rows, unneeded, lane, stretches, engine: engine(lines)? })
    }
    /// The same coefficients read by columns: what the `last` rows, the inputs of that solve, have in the rows before
    /// them is pushed from the last of these to the first, and what remains is that of the given rows. None for packed
    /// blocks, and where the sums of rows are wider than those that a push needs.
    ///
    /// # Panics
    /// If one of the last rows is needed by another.
    pub fn by_columns(&self, last: usize) -> Option<PushSolve> {
        assert!(last <= self.unneeded, "{last} rows at the end, {} are not needed", self.unneeded);
        match &self.engine {
            Way::Residues(kind, engine) if *kind == PushSolve::sums(self.modulus) => {
                Some(PushSolve::of_rows(self.modulus, self.inputs, self.rows - last, engine))
            }
            Way::Residues(..) | Way::Bits(_) => None,
        }
    }
    /// The modulus p.
    pub fn modulus(&self) -> Modulus {
        self.modulus
    }
    /// The storage type of the blocks: the narrowest for p, or words of bits.
    pub fn lane(&self) -> Lane {
        self.lane
    }
    /// Rows that are given.
    pub fn inputs(&self) -> usize {
        self.inputs
    }
    /// Rows that are computed.
    pub fn rows(&self) -> usize {
        self.rows
    }
    /// Bytes of the coefficients.
    pub fn bytes(&self) -> usize {
        self.engine.bytes()
    }
    /// Completes `w`, of `inputs + rows` rows.
    ///
    /// # Panics
    /// If `w` has another lane or number of rows, or a width that is not a multiple of [`TriangularSolve::GRID`].
    pub fn run(&self, w: &mut Block) {
        self.run_scaled(&[], w);
    }
    /// The same, and the last rows, as many as there are `scales`, are multiplied by these residues as they are
    /// finished.
    ///
    /// # Panics
    /// As [`TriangularSolve::run`]; if there are more scales than rows; if a row that is scaled is needed by another.
    pub fn run_scaled(&self, scales: &[u64], w: &mut Block) {
        assert_eq!(w.rows(), self.inputs + self.rows, "a block of the wrong height");
        assert!(w.width().is_multiple_of(GRID), "the width {} is not a multiple of {GRID}", w.width());
        assert!(scales.len() <= self.unneeded, "{} scales for {} rows at the end", scales.len(), self.unneeded);
        if w.width() > 0 {
            self.engine.run(&self.stretches, scales, w);
        }
    }
    /// Completes `w`, which has no room for the `last` rows, and says whether those would be zero. Everything on the
    /// caller's thread.
    ///
    /// # Panics
    /// As [`TriangularSolve::run`]; if one of the last rows is needed by another.
    pub fn vanishes(&self, last: usize, w: &mut Block) -> bool {
        assert!(last <= self.unneeded, "{last} rows at the end, {} are not needed", self.unneeded);
        assert_eq!(w.rows(), self.inputs + self.rows - last, "a block of the wrong height");
        assert!(w.width().is_multiple_of(GRID), "the width {} is not a multiple of {GRID}", w.width());
        w.width() == 0 || self.engine.vanishes(self.rows - last, w)
    }
}

impl Way {
    fn run(&self, stretches: &[Stretch], scales: &[u64], w: &mut Block) {
        let width = w.width();
        match (self, &mut w.lanes) {
            (Way::Bits(l), Lanes::U32(lanes)) => l.run(stretches, scales, lanes, width),
            (Way::Bits(_), _) => panic!("the block is not packed"),
            (Way::Residues(_, engine), lanes) => {
                engines!(match &**engine, lanes => |l, lanes| l.run(stretches, scales, lanes, width))
            }
        }
    }
    fn vanishes(&self, needed: usize, w: &mut Block) -> bool {
        let width = w.width();
        match (self, &mut w.lanes) {
            (Way::Bits(l), Lanes::U32(lanes)) => l.vanishes(needed, lanes, width),
            (Way::Bits(_), _) => panic!("the block is not packed"),
            (Way::Residues(_, engine), lanes) => {
                engines!(match &**engine, lanes => |l, lanes| l.vanishes(needed, lanes, width))
            }
        }
    }
    fn bytes(&self) -> usize {
        match self {
            Way::Bits(l) => l.bytes(),
            Way::Residues(_, engine) => engines!(match &**engine => |l| l.bytes()),
        }
    }
}

#[cfg(test)]
#[path = "solve_tests.rs"]
mod tests;
