//! The loops: one row of Y = A·X after the other, W lanes at a time, all parts added up in registers.

#![allow(
    clippy::needless_range_loop,
    reason = "loops over lanes index several arrays alike and become vector instructions"
)]

use super::arithmetic::Arithmetic;
use super::finish::{Finish, close, close_sum};
use crate::isa::Kernel;
use crate::sparse::formats::Dia;
use crate::sparse::hybrid::{Body, Entries, Part};
use std::ops::Range;

/// Terms that may follow a fold.
#[derive(Clone, Copy, Debug)]
pub(super) struct Terms {
    pub sums: usize,
    pub products: usize,
}

/// Most parts a layout has: three kinds of entries, each in a main format, its diagonals and a rest.
pub(super) const MAX_PARTS: usize = 9;

/// W lanes of every row of a block whose rows are whole numbers of W lanes: row j lies in `chunks[j · step]`.
#[derive(Clone, Copy)]
pub(super) struct Strip<'a, L, const W: usize> {
    chunks: &'a [[L; W]],
    step: usize,
}

impl<'a, L, const W: usize> Strip<'a, L, W> {
    /// Lanes `offset..offset + W` of rows of `stride` lanes. Panics unless W divides both.
    #[inline(always)]
    pub(super) fn new(lanes: &'a [L], stride: usize, offset: usize) -> Self {
        assert!(stride.is_multiple_of(W) && offset.is_multiple_of(W), "a strip across the grid of {W} lanes");
        Strip { chunks: lanes.as_chunks().0.get(offset / W..).unwrap_or(&[]), step: stride / W }
    }
    #[inline(always)]
    pub(super) fn row(self, j: usize) -> &'a [L; W] {
        &self.chunks[j * self.step]
    }
}

/// Lanes `offset..offset + lanes`, at most W, of the rows `rows` of A·X.
///
/// `parts` lists those without values first. `y` holds exactly those rows, with all their `stride` lanes; `x` holds the
/// strip of all rows of X, filled up to W lanes. With `FOLD`, rows may exceed the budget of `terms`, so that sums are
/// folded on the way.
pub(super) struct RowsKernel<'a, A: Arithmetic, const W: usize, const FOLD: bool> {
    pub arithmetic: A,
    pub parts: &'a [Part<A::Value>],
    pub rows: Range<usize>,
    pub x: Strip<'a, A::Lane, W>,
    pub y: &'a mut [A::Lane],
    pub stride: usize,
    pub offset: usize,
    pub lanes: usize,
    pub finish: Finish<'a, A>,
    pub terms: Terms,
}

/// Rows that are added up together: their sums stay in the first-level cache, and what a part's format costs is paid
/// once for all of them.
const TILE: usize = 16;

/// Sums on whole cache lines.
#[repr(align(64))]
struct OnLine<T>(T);

impl<A: Arithmetic, const W: usize, const FOLD: bool> Kernel for RowsKernel<'_, A, W, FOLD> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self { arithmetic: a, parts, rows, x, y, stride, offset, lanes, finish, terms } = self;
        let (signs, valued) = parts.split_at(parts.partition_point(|part| part.entries != Entries::Valued));
        let target = Target { stride, offset, lanes, finish };
        if !FOLD && let Some(signs) = Signs::of(parts) {
            return in_registers(a, signs, rows, x, y, target);
        }
        let mut sums = OnLine([[a.zero(); W]; TILE]);
        let mut accs = OnLine([[a.widen(a.zero()); W]; TILE]);
        let mut wide = [A::Lane::default(); W];
        let mut cursors = [0usize; MAX_PARTS];
        for (cursor, part) in cursors.iter_mut().zip(parts) {
            *cursor = part.body.seek(rows.start);
        }
        let (sign_cursors, valued_cursors) = cursors.split_at_mut(signs.len());
        for (rows, y) in tiles(rows).zip(y.chunks_mut(TILE * stride)) {
            let sums = &mut sums.0[..rows.len()];
            sums.fill([a.zero(); W]);
            for (part, cursor) in signs.iter().zip(&mut *sign_cursors) {
                let spans = part.body.spans(rows.clone(), cursor);
                add_signs::<A, W, FOLD>(a, part.entries, part.body.columns(), &spans, x, terms, sums);
            }
            if valued.is_empty() {
                for ((i, sum), y) in rows.zip(sums).zip(y.chunks_exact_mut(stride)) {
                    target.close(y, &mut wide, |y| close_sum(a, sum, finish, i, y));
                }
                continue;
            }
            let accs = &mut accs.0[..rows.len()];
            for (acc, sum) in accs.iter_mut().zip(sums) {
                for l in 0..W {
                    acc[l] = a.widen(if FOLD { a.fold_sum(sum[l]) } else { sum[l] });
                }
            }
            for (part, cursor) in valued.iter().zip(&mut *valued_cursors) {
                if let Body::Dia(diagonals) = &part.body {
                    add_diagonals::<A, W, FOLD>(a, diagonals, rows.clone(), x, accs);
                } else {
                    let spans = part.body.spans(rows.clone(), cursor);
                    let entries = (part.body.columns(), part.body.values());
                    add_products::<A, W, FOLD>(a, entries, &spans, x, terms, accs);
                }
            }
            for ((i, acc), y) in rows.zip(accs).zip(y.chunks_exact_mut(stride)) {
                target.close(y, &mut wide, |y| close(a, acc, finish, i, y));
            }
        }
    }
}

/// `rows` in tiles.
#[inline(always)]
fn tiles(rows: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    rows.clone().step_by(TILE).map(move |first| first..rows.end.min(first + TILE))
}

/// The spans of a tile of rows; the rest of them are empty.
type Spans = [Range<usize>; TILE];

/// Where a strip of Y goes, and how.
#[derive(Clone, Copy)]
struct Target<'a, A: Arithmetic> {
    stride: usize,
    offset: usize,
    lanes: usize,
    finish: Finish<'a, A>,
}

impl<A: Arithmetic> Target<'_, A> {
    /// Has `close` set the strip of a row of Y; `wide` is room for a narrower one.
    #[inline(always)]
    fn close<const W: usize>(&self, y: &mut [A::Lane], wide: &mut [A::Lane; W], close: impl FnOnce(&mut [A::Lane; W])) {
        let y = &mut y[self.offset..][..self.lanes];
        let narrow = self.lanes < W;
        if narrow {
            wide[..self.lanes].copy_from_slice(y);
        }
        close(if narrow { &mut *wide } else { (&mut *y).try_into().expect("W lanes") });
        if narrow {
            y.copy_from_slice(&wide[..self.lanes]);
        }
    }
}

/// At most one part of +1 and one of -1: boundary matrices and their transposes.
struct Signs<'a, V> {
    plus: Option<&'a Body<V>>,
    minus: Option<&'a Body<V>>,
}

impl<'a, V> Signs<'a, V> {
    /// If the parts are no more than that.
    #[inline(always)]
    fn of(parts: &'a [Part<V>]) -> Option<Self> {
        let (plus, minus) = match parts {
            [Part { entries: Entries::Plus, body }] => (Some(body), None),
            [Part { entries: Entries::Minus, body }] => (None, Some(body)),
            [Part { entries: Entries::Plus, body: plus }, Part { entries: Entries::Minus, body: minus }] => {
                (Some(plus), Some(minus))
            }
            _ => return None,
        };
        Some(Signs { plus, minus })
    }
}

/// Y from signs alone: no sums but those in registers.
#[inline(always)]
fn in_registers<A: Arithmetic, const W: usize>(
    a: A,
    Signs { plus, minus }: Signs<A::Value>,
    rows: Range<usize>,
    x: Strip<A::Lane, W>,
    y: &mut [A::Lane],
    target: Target<A>,
) {
    let mut wide = [A::Lane::default(); W];
    let mut cursors = [plus, minus].map(|body| body.map_or(0, |body| body.seek(rows.start)));
    let columns = [plus, minus].map(|body| body.map_or(&[][..], Body::columns));
    for (rows, y) in tiles(rows).zip(y.chunks_mut(TILE * target.stride)) {
        let spans = [(plus, 0), (minus, 1)]
            .map(|(body, k)| body.map_or_else(Spans::default, |body| body.spans(rows.clone(), &mut cursors[k])));
        let [plus, minus] = &spans;
        for (((i, y), plus), minus) in rows.zip(y.chunks_exact_mut(target.stride)).zip(plus).zip(minus) {
            let mut sum = [a.zero(); W];
            if !minus.is_empty() {
                add_columns(a, &mut sum, &columns[1][minus.clone()], x);
                negate(a, &mut sum);
            }
            add_columns(a, &mut sum, &columns[0][plus.clone()], x);
            target.close(y, &mut wide, |y| close_sum(a, &sum, target.finish, i, y));
        }
    }
}

/// sums ± the rows of x that a part without values names in these spans.
#[inline(always)]
fn add_signs<A: Arithmetic, const W: usize, const FOLD: bool>(
    a: A,
    entries: Entries,
    columns: &[u32],
    spans: &Spans,
    x: Strip<A::Lane, W>,
    terms: Terms,
    sums: &mut [[A::Sum; W]],
) {
    let minus = entries == Entries::Minus;
    for (span, sum) in spans.iter().zip(sums) {
        let mut s = *sum;
        if minus {
            negate(a, &mut s);
        }
        let columns = &columns[span.clone()];
        if FOLD {
            for run in columns.chunks(terms.sums) {
                add_columns(a, &mut s, run, x);
                for l in 0..W {
                    s[l] = a.fold_sum(s[l]);
                }
            }
        } else {
            add_columns(a, &mut s, columns, x);
        }
        if minus {
            negate(a, &mut s);
        }
        *sum = s;
    }
}

/// sum + the rows of x in `columns`.
#[inline(always)]
pub(super) fn add_columns<A: Arithmetic, const W: usize>(
    a: A,
    sum: &mut [A::Sum; W],
    columns: &[u32],
    x: Strip<A::Lane, W>,
) {
    // A copy, so that the sums stay in registers.
    let mut s = *sum;
    for &j in columns {
        let x_row = x.row(j as usize);
        for l in 0..W {
            s[l] = a.add(s[l], x_row[l]);
        }
    }
    *sum = s;
}

/// -sum, so that one loop serves both signs.
#[inline(always)]
pub(super) fn negate<A: Arithmetic, const W: usize>(a: A, sum: &mut [A::Sum; W]) {
    for l in 0..W {
        sum[l] = a.negate(sum[l]);
    }
}

/// accs + the rows of x that a part with values, its columns and values, names in these spans, times the values.
#[inline(always)]
fn add_products<A: Arithmetic, const W: usize, const FOLD: bool>(
    a: A,
    (columns, values): (&[u32], &[A::Value]),
    spans: &Spans,
    x: Strip<A::Lane, W>,
    terms: Terms,
    accs: &mut [[A::Acc; W]],
) {
    for (span, acc) in spans.iter().zip(accs) {
        let mut s = *acc;
        let (columns, values) = (&columns[span.clone()], &values[span.clone()]);
        if FOLD {
            for (run, values) in columns.chunks(terms.products).zip(values.chunks(terms.products)) {
                for (&j, &v) in run.iter().zip(values) {
                    let x_row = x.row(j as usize);
                    for l in 0..W {
                        s[l] = a.multiply_add(s[l], v, x_row[l]);
                    }
                }
                for l in 0..W {
                    s[l] = a.fold(s[l]);
                }
            }
        } else {
            for (&j, &v) in columns.iter().zip(values) {
                let x_row = x.row(j as usize);
                for l in 0..W {
                    s[l] = a.multiply_add(s[l], v, x_row[l]);
                }
            }
        }
        *acc = s;
    }
}

/// accs + the rows of x on diagonals of `rows`, times the values.
#[inline(always)]
fn add_diagonals<A: Arithmetic, const W: usize, const FOLD: bool>(
    a: A,
    part: &Dia<A::Value>,
    rows: Range<usize>,
    x: Strip<A::Lane, W>,
    accs: &mut [[A::Acc; W]],
) {
    for (d, &offset) in part.offsets().iter().enumerate() {
        for (i, acc) in rows.clone().zip(&mut *accs) {
            let Some(j) = part.column(offset, i) else { continue };
            a.multiply_add_all(acc, part.value(d, i), x.row(j));
            if FOLD {
                for l in 0..W {
                    acc[l] = a.fold(acc[l]);
                }
            }
        }
    }
}
