//! Rows computed one after the other, each from the rows before it: sparse triangular solves on blocks of vectors.
//!
//! For a sparse L with L[q, j] = 0 wherever j ≥ inputs + q, a block W whose first `inputs` rows are given is completed
//! by w[inputs + q] = Σⱼ L[q, j]·w[j] for q = 0, 1, …. With the coefficients of a triangular system, divided by their
//! diagonal, that is its solution; the last rows may be ordinary products with what was solved. The sums are those of
//! [`Product`](crate::spmv::Product): ±1 without multiplications, one reduction a row.
//!
//! Rows in sequence that do not need each other form a *segment*; long segments are computed in parallel, so an order
//! by levels pays. The arithmetic is exact: the same bits for every number of threads.

use super::GRID;
use super::coefficients::Coefficients;
use crate::Result;
use crate::field::Modulus;
use crate::sparse::SparseMatrix;
use crate::sparse::hybrid::heaviest_row;
use crate::spmv::arithmetic::{Long, Narrow, Packed, Split, Wide};
use crate::spmv::choose::arithmetic;
use crate::spmv::engines::engines;
use crate::spmv::options::ArithmeticKind;
use crate::spmv::{Block, Lane, Lanes};
use rayon::prelude::*;

/// Rows that one task looks at, or more.
const ROWS: usize = 1 << 13;

/// A sparse triangular solve on the rows of a block, each from the rows before it.
#[derive(Debug)]
pub struct TriangularSolve {
    modulus: Modulus,
    inputs: usize,
    rows: usize,
    /// Rows at the end that no other row needs.
    unneeded: usize,
    lane: Lane,
    engine: Way,
}

/// What the lanes of a block hold.
#[derive(Debug)]
enum Way {
    /// A residue each.
    Residues(Engine),
    /// 32 residues mod 2 each.
    Bits(Coefficients<Packed>),
}

impl TriangularSolve {
    /// The widths of blocks that [`TriangularSolve::run`] takes are multiples of this.
    pub const GRID: usize = GRID;
    /// Vectors over GF(2) in a lane of a packed block.
    pub const PACKED: usize = 32;

    /// The solve with the coefficients `l`, of which column j names row j of the block: given rows first.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    ///
    /// # Panics
    /// If a row of `l` needs itself or a later one, or `l.cols()` is less than `inputs + l.rows()`.
    pub fn new(inputs: usize, l: &SparseMatrix) -> Result<Self> {
        let (signs, products) = heaviest_row(l, true);
        let lane = Lane::narrowest(l.modulus());
        let engine = || Engine::new(lane, arithmetic(l.modulus(), lane, signs, products), inputs, l);
        Self::of(inputs, l, lane, || engine().map(Way::Residues))
    }
    /// The solve on packed blocks over GF(2): bit b of lane l in a row of [`Lane::U32`] belongs to the vector
    /// [`PACKED`](Self::PACKED)·l + b.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    ///
    /// # Panics
    /// As [`TriangularSolve::new`], and for another modulus than 2.
    pub fn packed(inputs: usize, l: &SparseMatrix) -> Result<Self> {
        Self::of(inputs, l, Lane::U32, || Coefficients::new(inputs, l).map(Way::Bits))
    }
    fn of(inputs: usize, l: &SparseMatrix, lane: Lane, engine: impl FnOnce() -> Result<Way>) -> Result<Self> {
        assert!(l.cols() >= inputs + l.rows(), "columns for all rows of the block");
        let engine = engine()?;
        let rows = (0..l.rows()).into_par_iter().with_min_len(ROWS);
        let needed = rows.filter_map(|q| l.row(q).0.last()).max().map_or(0, |&j| j as usize + 1);
        let unneeded = l.rows() - needed.saturating_sub(inputs);
        Ok(TriangularSolve { modulus: l.modulus(), inputs, rows: l.rows(), unneeded, lane, engine })
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
            self.engine.run(scales, w);
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

engines!(enum of Coefficients);

impl Engine {
    fn new(lane: Lane, kind: ArithmeticKind, inputs: usize, l: &SparseMatrix) -> Result<Engine> {
        Ok(engines!(new (lane, kind) => Coefficients::new(inputs, l)?))
    }
}

impl Way {
    fn run(&self, scales: &[u64], w: &mut Block) {
        let width = w.width();
        match (self, &mut w.lanes) {
            (Way::Bits(l), Lanes::U32(lanes)) => l.run(scales, lanes, width),
            (Way::Bits(_), _) => panic!("the block is not packed"),
            (Way::Residues(engine), lanes) => engines!(match engine, lanes => |l, lanes| l.run(scales, lanes, width)),
        }
    }
    fn vanishes(&self, needed: usize, w: &mut Block) -> bool {
        let width = w.width();
        match (self, &mut w.lanes) {
            (Way::Bits(l), Lanes::U32(lanes)) => l.vanishes(needed, lanes, width),
            (Way::Bits(_), _) => panic!("the block is not packed"),
            (Way::Residues(engine), lanes) => {
                engines!(match engine, lanes => |l, lanes| l.vanishes(needed, lanes, width))
            }
        }
    }
    fn bytes(&self) -> usize {
        match self {
            Way::Bits(l) => l.bytes(),
            Way::Residues(engine) => engines!(match engine => |l| l.bytes()),
        }
    }
}

#[cfg(test)]
#[path = "solve_tests.rs"]
mod tests;
