//! A matrix laid out for products in one arithmetic: its parts, its tiles of rows, its loops.

use super::arithmetic::Arithmetic;
use super::finish::Finish;
use super::kernel::{MAX_PARTS, RowsKernel, Terms};
use super::plan::PlannedPart;
use super::scatter::ScatterKernel;
use super::strips::{FOLDING_WIDTHS, PlacedStrip, WIDTHS, strips};
use crate::isa::{Isa, Kernel};
use crate::parallel::Each;
use crate::sparse::SparseMatrix;
use crate::sparse::formats::{Coo, CooS, Csr, Dia, Ell, EllR, Format, Rows};
use crate::sparse::hybrid::{Body, Entries, Part, heaviest_row, select};
use crate::team::each_tile;
use crate::{Error, Result, memory};
use rayon::prelude::*;
use std::ops::Range;

/// Work units (entries and a constant a row) of a tile, about 10 µs: enough to hide what handing it out costs, few
/// enough that threads end at one time.
const TILE_WORK: usize = 1 << 12;
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
    pub(super) fn new(a: &SparseMatrix, planned: &[PlannedPart], isa: Isa) -> Result<Self> {
        let segregate = planned.iter().any(|part| part.entries != Entries::Valued);
        let arithmetic = A::new(a.modulus());
        let mut parts = Vec::new();
        for entries in [Entries::Plus, Entries::Minus, Entries::Valued] {
            let mut rest = select(a, entries, segregate, |v| arithmetic.value(v))?;
            for part in planned.iter().filter(|part| part.entries == entries) {
                let body;
                (body, rest) = take(part, rest, a.cols())?;
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
        let (signs, products) = heaviest_row(a, segregate);
        let fold = !budget.holds(signs, products);
        Ok(Layout { arithmetic, parts, rows: a.rows(), cols: a.cols(), tiles: tiles(a), terms, fold, isa })
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
    pub(super) fn apply(&self, scaling: Scaling, x: &[A::Lane], width: usize, y: &mut [A::Lane]) -> Result<()> {
        assert!(x.len() == self.cols * width && y.len() == self.rows * width, "block shapes do not fit the matrix");
        if width == 0 {
            return Ok(());
        }
        let finish = self.finish(scaling);
        let strips = strips(x, width, if self.fold { FOLDING_WIDTHS } else { WIDTHS })?;
        each_tile(&self.tiles, width, y, |tile, y| {
            for strip in &strips {
                let tile = tile.clone();
                match (strip.wide, self.fold) {
                    (32, false) => self.isa.run(self.rows::<32, false>(tile, strip, y, width, finish)),
                    (16, false) => self.isa.run(self.rows::<16, false>(tile, strip, y, width, finish)),
                    (8, false) => self.isa.run(self.rows::<8, false>(tile, strip, y, width, finish)),
                    (_, false) => self.rows::<1, false>(tile, strip, y, width, finish).run(),
                    (16, true) => self.isa.run(self.rows::<16, true>(tile, strip, y, width, finish)),
                    (_, true) => self.rows::<1, true>(tile, strip, y, width, finish).run(),
                }
            }
        });
        Ok(())
    }

    fn rows<'a, const W: usize, const FOLD: bool>(
        &'a self,
        rows: Range<usize>,
        strip: &'a PlacedStrip<A::Lane>,
        y: &'a mut [A::Lane],
        stride: usize,
        finish: Finish<'a, A>,
    ) -> RowsKernel<'a, A, W, FOLD> {
        let Self { arithmetic, parts, terms, .. } = self;
        let PlacedStrip { offset, lanes, .. } = *strip;
        let x = strip.view();
        RowsKernel { arithmetic: *arithmetic, parts, rows, x, y, stride, offset, lanes, finish, terms: *terms }
    }

    /// Y ← finish(Aᵀ·X), by scattering; strips of the width in parallel.
    pub(super) fn scatter(&self, scaling: Scaling, x: &[A::Lane], width: usize, y: &mut [A::Lane]) -> Result<()> {
        assert!(x.len() == self.rows * width && y.len() == self.cols * width, "block shapes do not fit the matrix");
        if width == 0 {
            return Ok(());
        }
        let finish = self.finish(scaling);
        let old: &[A::Lane] = y;
        let done: Vec<_> = strips(x, width, FOLDING_WIDTHS)?.into_par_iter().try_make(|strip| {
            let columns = match strip.wide {
                16 => self.columns::<16>(&strip, old, width, finish),
                _ => self.columns::<1>(&strip, old, width, finish),
            };
            Ok((strip.offset, strip.lanes, strip.wide, columns?))
        })?;
        for (offset, lanes, wide, columns) in done {
            for (row, new) in y.chunks_exact_mut(width).zip(columns.chunks_exact(wide)) {
                row[offset..offset + lanes].copy_from_slice(&new[..lanes]);
            }
        }
        Ok(())
    }

    /// Those of Aᵀ·X that belong to a strip, W lanes a row.
    fn columns<const W: usize>(
        &self,
        strip: &PlacedStrip<A::Lane>,
        y: &[A::Lane],
        stride: usize,
        finish: Finish<'_, A>,
    ) -> Result<Vec<A::Lane>> {
        let &Self { arithmetic, ref parts, rows, terms, .. } = self;
        let PlacedStrip { offset, lanes, .. } = *strip;
        let zero = [arithmetic.widen(arithmetic.zero()); W];
        let sums = &mut memory::filled(zero, self.cols, "the sums of a transposed product")?[..];
        let mut columns = memory::filled(A::Lane::default(), self.cols * W, "a transposed product")?;
        let (x, result) = (strip.view(), &mut columns[..]);
        self.isa.run(ScatterKernel {
            arithmetic,
            parts,
            rows,
            x,
            y,
            stride,
            offset,
            lanes,
            finish,
            terms,
            sums,
            result,
        });
        Ok(columns)
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
fn take<V: Copy + Default>(part: &PlannedPart, rest: Csr<V>, cols: usize) -> Result<(Body<V>, Csr<V>)> {
    let nothing =
        || Ok::<_, Error>(Csr::new(memory::zeros(rest.rows() + 1, "the offsets of the rows")?, vec![], vec![]));
    Ok(match part.format {
        Format::Ell => {
            let (ell, rest) = Ell::split(&rest, part.width)?;
            (Body::Ell(ell), rest)
        }
        Format::Dia => {
            let (dia, rest) = Dia::split(&rest, cols, part.fill)?;
            (Body::Dia(dia), rest)
        }
        Format::Coo => (Body::Coo(Coo::new(&rest)?), nothing()?),
        Format::CooS => (Body::CooS(CooS::new(&rest)?), nothing()?),
        Format::EllR => (Body::EllR(EllR::new(&rest)?), nothing()?),
        Format::Csr => {
            let nothing = nothing()?;
            (Body::Csr(rest), nothing)
        }
    })
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
