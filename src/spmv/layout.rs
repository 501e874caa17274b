//! A matrix laid out for products in one arithmetic: its parts, its tiles of rows, its loops.

use super::arithmetic::Arithmetic;
use super::kernel::{Budget, Finish, MAX_PARTS, RowsKernel};
use super::plan::PlannedPart;
use super::scatter::ScatterKernel;
use crate::isa::Isa;
use crate::sparse::SparseMatrix;
use crate::sparse::formats::{Coo, CooS, Csr, Dia, Ell, EllR, Format};
use crate::sparse::hybrid::{Body, Entries, Part, select};
use rayon::prelude::*;
use std::ops::Range;

/// Work units (entries and a constant a row) of a tile: enough to hide the scheduling, few enough to balance.
const TILE_WORK: usize = 1 << 13;
/// What finishing a row costs, in entries.
const ROW_WORK: usize = 4;

#[derive(Debug)]
pub(super) struct Layout<A: Arithmetic> {
    arithmetic: A,
    parts: Vec<Part<A::Value>>,
    rows: usize,
    cols: usize,
    tiles: Vec<Range<usize>>,
    /// Set if a row is heavier than the budget of terms.
    fold: Option<Budget>,
    budget: Budget,
    isa: Isa,
}

impl<A: Arithmetic> Layout<A> {
    pub(super) fn new(a: &SparseMatrix, planned: &[PlannedPart], segregate: bool, isa: Isa) -> Self {
        let arithmetic = A::new(a.modulus());
        let mut parts = Vec::new();
        for entries in [Entries::Plus, Entries::Minus, Entries::Valued] {
            let mut rest = select(a, entries, segregate, |v| arithmetic.value(v));
            for part in planned.iter().filter(|part| part.entries == entries) {
                let body;
                (body, rest) = take(part, rest, a.cols());
                if body.nnz() > 0 {
                    parts.push(Part { entries, body });
                }
            }
            assert_eq!(rest.nnz(), 0, "the plan leaves entries without a part");
        }
        assert!(parts.len() <= MAX_PARTS, "{} parts", parts.len());
        let p = a.modulus();
        let clamp = |terms: u64| usize::try_from(terms).unwrap_or(usize::MAX).max(1);
        let budget = Budget { sums: clamp(A::sum_terms(p)), products: clamp(A::product_terms(p)) };
        let heaviest = (0..a.rows()).map(|i| a.row(i).0.len()).max().unwrap_or(0);
        let valued = parts.iter().any(|part| part.entries == Entries::Valued);
        let fits = heaviest < if valued { budget.sums.min(budget.products) } else { budget.sums };
        let fold = (!fits).then_some(budget);
        Layout { arithmetic, parts, rows: a.rows(), cols: a.cols(), tiles: tiles(a), fold, budget, isa }
    }

    /// Bytes of all parts.
    pub(super) fn bytes(&self) -> usize {
        self.parts.iter().map(|part| part.body.bytes()).sum()
    }

    fn finish<'a>(&self, scaling: Scaling<'a>) -> Finish<'a, A> {
        match scaling {
            Scaling::None => Finish::Set,
            Scaling::Diagonal(d) => Finish::Diagonal(d),
            Scaling::Combine(alpha, beta) => Finish::Combine(self.arithmetic.scalar(alpha), self.arithmetic.value(beta)),
        }
    }

    /// Y ← finish(A·X) for row-major X and Y of `width` lanes.
    pub(super) fn apply(&self, scaling: Scaling, x: &[A::Lane], width: usize, y: &mut [A::Lane]) {
        assert!(x.len() == self.cols * width && y.len() == self.rows * width, "block shapes do not fit the matrix");
        if width == 0 {
            return;
        }
        let mut jobs = Vec::with_capacity(self.tiles.len());
        let mut left = y;
        for tile in &self.tiles {
            let (head, tail) = left.split_at_mut(tile.len() * width);
            jobs.push((tile.clone(), head));
            left = tail;
        }
        let finish = self.finish(scaling);
        jobs.into_par_iter().for_each(|(tile, y)| {
            for (offset, lanes) in pieces(width) {
                match lanes {
                    32 => self.rows::<32>(tile.clone(), x, y, width, offset, finish),
                    16 => self.rows::<16>(tile.clone(), x, y, width, offset, finish),
                    8 => self.rows::<8>(tile.clone(), x, y, width, offset, finish),
                    4 => self.rows::<4>(tile.clone(), x, y, width, offset, finish),
                    _ => self.rows::<1>(tile.clone(), x, y, width, offset, finish),
                }
            }
        });
    }

    fn rows<const W: usize>(
        &self,
        rows: Range<usize>,
        x: &[A::Lane],
        y: &mut [A::Lane],
        stride: usize,
        offset: usize,
        finish: Finish<A>,
    ) {
        let Self { arithmetic, parts, fold, .. } = self;
        let kernel =
            RowsKernel::<A, W> { arithmetic: *arithmetic, parts, rows, x, y, stride, offset, finish, fold: *fold };
        self.isa.run(kernel);
    }

    /// Y ← finish(Aᵀ·X), by scattering; pieces of the width in parallel.
    pub(super) fn scatter(&self, scaling: Scaling, x: &[A::Lane], width: usize, y: &mut [A::Lane]) {
        assert!(x.len() == self.rows * width && y.len() == self.cols * width, "block shapes do not fit the matrix");
        let finish = self.finish(scaling);
        let old: &[A::Lane] = y;
        let pieces: Vec<(usize, usize, Vec<A::Lane>)> = pieces(width)
            .into_par_iter()
            .map(|(offset, lanes)| {
                let piece = match lanes {
                    32 => self.columns::<32>(x, old, width, offset, finish),
                    16 => self.columns::<16>(x, old, width, offset, finish),
                    8 => self.columns::<8>(x, old, width, offset, finish),
                    4 => self.columns::<4>(x, old, width, offset, finish),
                    _ => self.columns::<1>(x, old, width, offset, finish),
                };
                (offset, lanes, piece)
            })
            .collect();
        for (offset, lanes, piece) in pieces {
            for (row, new) in y.chunks_exact_mut(width).zip(piece.chunks_exact(lanes)) {
                row[offset..offset + lanes].copy_from_slice(new);
            }
        }
    }

    fn columns<const W: usize>(
        &self,
        x: &[A::Lane],
        y: &[A::Lane],
        stride: usize,
        offset: usize,
        finish: Finish<A>,
    ) -> Vec<A::Lane> {
        self.isa.run(ScatterKernel::<A, W> {
            arithmetic: self.arithmetic,
            parts: &self.parts,
            shape: (self.rows, self.cols),
            x,
            y,
            stride,
            offset,
            finish,
            budget: self.budget,
        })
    }
}

/// What a product does with its sums.
#[derive(Clone, Copy, Debug)]
pub(super) enum Scaling<'a> {
    None,
    Diagonal(&'a [u64]),
    Combine(u64, u64),
}

/// A part of `rest` in the planned format, and what is left.
fn take<V: Copy + Default>(part: &PlannedPart, rest: Csr<V>, cols: usize) -> (Body<V>, Csr<V>) {
    let nothing = || Csr::new(vec![0; rest.rows() + 1], vec![], vec![]);
    match part.format {
        Format::Ell => {
            let (ell, rest) = Ell::split(&rest, part.width);
            (Body::Ell(ell), rest)
        }
        Format::Dia => {
            let (dia, rest) = Dia::split(&rest, cols, part.fill);
            (Body::Dia(dia), rest)
        }
        Format::Coo => (Body::Coo(Coo::from(&rest)), nothing()),
        Format::CooS => (Body::CooS(CooS::from(&rest)), nothing()),
        Format::EllR => (Body::EllR(EllR::from(&rest)), nothing()),
        Format::Csr => {
            let nothing = nothing();
            (Body::Csr(rest), nothing)
        }
    }
}

/// Ranges of rows of about equal work.
fn tiles(a: &SparseMatrix) -> Vec<Range<usize>> {
    let mut tiles = Vec::new();
    let (mut first, mut work) = (0, 0);
    for i in 0..a.rows() {
        work += a.row(i).0.len() + ROW_WORK;
        if work >= TILE_WORK || i + 1 == a.rows() {
            tiles.push(first..i + 1);
            (first, work) = (i + 1, 0);
        }
    }
    tiles
}

/// The width cut into pieces that have a loop of their own: (first lane, lanes).
fn pieces(width: usize) -> Vec<(usize, usize)> {
    let mut pieces = Vec::new();
    let mut offset = 0;
    for lanes in [32, 16, 8, 4, 1] {
        while width - offset >= lanes {
            pieces.push((offset, lanes));
            offset += lanes;
        }
    }
    pieces
}
