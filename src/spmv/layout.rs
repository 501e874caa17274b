//! A matrix laid out for products in one arithmetic: its parts, its tiles of rows, its loops.

use super::arithmetic::Arithmetic;
use super::kernel::{Finish, MAX_PARTS, RowsKernel, Terms};
use super::plan::PlannedPart;
use super::scatter::ScatterKernel;
use crate::isa::{Isa, Kernel};
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
    terms: Terms,
    /// Whether a row is so heavy that its sums must be folded on the way.
    fold: bool,
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
        let budget = A::budget(a.modulus()).expect("an arithmetic for p");
        let clamp = |terms: u64| usize::try_from(terms).unwrap_or(usize::MAX);
        let terms = Terms { sums: clamp(budget.sums()), products: clamp(budget.products()) };
        let (signs, products) = heaviest(&parts, a.rows());
        let fold = !budget.holds(signs, products);
        Layout { arithmetic, parts, rows: a.rows(), cols: a.cols(), tiles: tiles(a), terms, fold, isa }
    }

    /// Bytes of all parts.
    pub(super) fn bytes(&self) -> usize {
        self.parts.iter().map(|part| part.body.bytes()).sum()
    }

    fn finish<'a>(&self, scaling: Scaling<'a>) -> Finish<'a, A> {
        match scaling {
            Scaling::None => Finish::Set,
            Scaling::Diagonal(d) => Finish::Diagonal(d),
            Scaling::Combine(alpha, beta) => {
                Finish::Combine(self.arithmetic.scalar(alpha), self.arithmetic.value(beta))
            }
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
            for (offset, lanes) in pieces(width, if self.fold { FOLDING_WIDTHS } else { WIDTHS }) {
                let tile = tile.clone();
                match (lanes, self.fold) {
                    (32, false) => self.isa.run(self.rows::<32, false>(tile, x, y, width, offset, finish)),
                    (16, false) => self.isa.run(self.rows::<16, false>(tile, x, y, width, offset, finish)),
                    (8, false) => self.isa.run(self.rows::<8, false>(tile, x, y, width, offset, finish)),
                    (_, false) => self.rows::<1, false>(tile, x, y, width, offset, finish).run(),
                    (16, true) => self.isa.run(self.rows::<16, true>(tile, x, y, width, offset, finish)),
                    (_, true) => self.rows::<1, true>(tile, x, y, width, offset, finish).run(),
                }
            }
        });
    }

    fn rows<'a, const W: usize, const FOLD: bool>(
        &'a self,
        rows: Range<usize>,
        x: &'a [A::Lane],
        y: &'a mut [A::Lane],
        stride: usize,
        offset: usize,
        finish: Finish<'a, A>,
    ) -> RowsKernel<'a, A, W, FOLD> {
        let Self { arithmetic, parts, terms, .. } = self;
        RowsKernel { arithmetic: *arithmetic, parts, rows, x, y, stride, offset, finish, terms: *terms }
    }

    /// Y ← finish(Aᵀ·X), by scattering; pieces of the width in parallel.
    pub(super) fn scatter(&self, scaling: Scaling, x: &[A::Lane], width: usize, y: &mut [A::Lane]) {
        assert!(x.len() == self.rows * width && y.len() == self.cols * width, "block shapes do not fit the matrix");
        let finish = self.finish(scaling);
        let old: &[A::Lane] = y;
        let pieces: Vec<(usize, usize, Vec<A::Lane>)> = pieces(width, FOLDING_WIDTHS)
            .into_par_iter()
            .map(|(offset, lanes)| {
                let piece = match lanes {
                    16 => self.isa.run(self.columns::<16>(x, old, width, offset, finish)),
                    _ => self.columns::<1>(x, old, width, offset, finish).run(),
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

    fn columns<'a, const W: usize>(
        &'a self,
        x: &'a [A::Lane],
        y: &'a [A::Lane],
        stride: usize,
        offset: usize,
        finish: Finish<'a, A>,
    ) -> ScatterKernel<'a, A, W> {
        let Self { arithmetic, parts, terms, .. } = self;
        let shape = (self.rows, self.cols);
        ScatterKernel { arithmetic: *arithmetic, parts, shape, x, y, stride, offset, finish, terms: *terms }
    }
}

/// The most entries without values, and with, that a row has.
fn heaviest<V: Copy>(parts: &[Part<V>], rows: usize) -> (u64, u64) {
    let mut cursors = [0usize; MAX_PARTS];
    let (mut signs, mut products) = (0, 0);
    for i in 0..rows {
        let (mut s, mut t) = (0, 0);
        for (part, cursor) in parts.iter().zip(&mut cursors) {
            match &part.body {
                Body::Dia(dia) => t += dia.offsets().len() as u64,
                body if part.entries == Entries::Valued => t += body.span(i, cursor).len() as u64,
                body => s += body.span(i, cursor).len() as u64,
            }
        }
        (signs, products) = (signs.max(s), products.max(t));
    }
    (signs, products)
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

/// The strips that have a loop of their own, widest first.
const WIDTHS: &[usize] = &[32, 16, 8, 1];
/// The same for loops with folds.
const FOLDING_WIDTHS: &[usize] = &[16, 1];

/// The width of a block cut into such strips: (first lane, lanes).
fn pieces(width: usize, strips: &[usize]) -> Vec<(usize, usize)> {
    let mut pieces = Vec::new();
    let mut offset = 0;
    for &lanes in strips {
        while width - offset >= lanes {
            pieces.push((offset, lanes));
            offset += lanes;
        }
    }
    pieces
}
