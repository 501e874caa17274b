//! The loops: one row of Y = A·X after the other, W lanes at a time, all parts added up in registers.

#![allow(
    clippy::needless_range_loop,
    reason = "loops over lanes index several arrays alike and become vector instructions"
)]

use super::arithmetic::Arithmetic;
use super::finish::{Finish, close, close_sum, filled};
use crate::isa::{Kernel, prefetch};
use crate::sparse::formats::{Dia, Rows, Runs};
use crate::sparse::hybrid::{Body, Entries, Part};
use std::ops::Range;

/// Bytes of a line of the cache.
const LINE: usize = 64;

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
    /// Asks for row j, which will be read soon; one that is not there is ignored.
    #[inline(always)]
    pub(super) fn ask(self, j: usize) {
        if let Some(row) = self.chunks.get(j * self.step) {
            (0..W).step_by(LINE.div_ceil(size_of::<L>())).for_each(|lane| prefetch(row, lane));
        }
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
        if valued.is_empty() && !FOLD {
            let target = Target { y: &mut *y, stride, offset, lanes, finish };
            if in_registers(a, signs, rows.clone(), x, target) {
                return;
            }
        }
        let mut sums = OnLine([[a.zero(); W]; TILE]);
        let mut accs = OnLine([[a.widen(a.zero()); W]; TILE]);
        let mut cursors = [0usize; MAX_PARTS];
        for (cursor, part) in cursors.iter_mut().zip(parts) {
            *cursor = part.body.seek(rows.start);
        }
        let (sign_cursors, valued_cursors) = cursors.split_at_mut(signs.len());
        let tiles = rows.clone().step_by(TILE).map(|first| first..rows.end.min(first + TILE));
        for (rows, y) in tiles.zip(y.chunks_mut(TILE * stride)) {
            let sums = &mut sums.0[..rows.len()];
            sums.fill([a.zero(); W]);
            for (part, cursor) in signs.iter().zip(&mut *sign_cursors) {
                match &part.body {
                    Body::Dia(_) => unreachable!("diagonals hold values"),
                    // Sums that are folded take so long that each row may be asked for its format.
                    b if FOLD => add_signs::<A, W, FOLD>(a, part.entries, b, rows.clone(), cursor, x, terms, sums),
                    Body::Coo(b) => add_signs::<A, W, FOLD>(a, part.entries, b, rows.clone(), cursor, x, terms, sums),
                    Body::CooS(b) => add_signs::<A, W, FOLD>(a, part.entries, b, rows.clone(), cursor, x, terms, sums),
                    Body::Csr(b) => add_signs::<A, W, FOLD>(a, part.entries, b, rows.clone(), cursor, x, terms, sums),
                    Body::Ell(b) => add_signs::<A, W, FOLD>(a, part.entries, b, rows.clone(), cursor, x, terms, sums),
                    Body::EllR(b) => add_signs::<A, W, FOLD>(a, part.entries, b, rows.clone(), cursor, x, terms, sums),
                }
            }
            if valued.is_empty() {
                for ((i, sum), y) in rows.zip(sums).zip(y.chunks_exact_mut(stride)) {
                    let y = &mut y[offset..][..lanes];
                    if let Ok(y) = <&mut [A::Lane; W]>::try_from(&mut *y) {
                        close_sum(a, sum, finish, i, y);
                    } else {
                        let mut wide = filled(y);
                        close_sum(a, sum, finish, i, &mut wide);
                        y.copy_from_slice(&wide[..lanes]);
                    }
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
                match &part.body {
                    Body::Dia(b) => add_diagonals::<A, W, FOLD>(a, b, rows.clone(), x, accs),
                    b if FOLD => add_products::<A, W, FOLD>(a, b, rows.clone(), cursor, x, terms, accs),
                    Body::Coo(b) => add_products::<A, W, FOLD>(a, b, rows.clone(), cursor, x, terms, accs),
                    Body::CooS(b) => add_products::<A, W, FOLD>(a, b, rows.clone(), cursor, x, terms, accs),
                    Body::Csr(b) => add_products::<A, W, FOLD>(a, b, rows.clone(), cursor, x, terms, accs),
                    Body::Ell(b) => add_products::<A, W, FOLD>(a, b, rows.clone(), cursor, x, terms, accs),
                    Body::EllR(b) => add_products::<A, W, FOLD>(a, b, rows.clone(), cursor, x, terms, accs),
                }
            }
            for ((i, acc), y) in rows.zip(accs).zip(y.chunks_exact_mut(stride)) {
                let y = &mut y[offset..][..lanes];
                if let Ok(y) = <&mut [A::Lane; W]>::try_from(&mut *y) {
                    close(a, acc, finish, i, y);
                } else {
                    let mut wide = filled(y);
                    close(a, acc, finish, i, &mut wide);
                    y.copy_from_slice(&wide[..lanes]);
                }
            }
        }
    }
}

/// One part, or two in one format: no sums but those in registers. Whether there was nothing else, and all is done.
#[inline(always)]
fn in_registers<A: Arithmetic, const W: usize>(
    a: A,
    signs: &[Part<A::Value>],
    rows: Range<usize>,
    x: Strip<A::Lane, W>,
    target: Target<A>,
) -> bool {
    match signs {
        [Part { entries, body: Body::Csr(b) }] => one_part(a, *entries, b, rows, x, target),
        [Part { entries, body: Body::EllR(b) }] => one_part(a, *entries, b, rows, x, target),
        [Part { entries, body: Body::Ell(b) }] => one_part(a, *entries, b, rows, x, target),
        [Part { entries: Entries::Plus, body: plus }, Part { body: minus, .. }] => match (plus, minus) {
            (Body::Csr(plus), Body::Csr(minus)) => two_parts(a, plus, minus, rows, x, target),
            (Body::EllR(plus), Body::EllR(minus)) => two_parts(a, plus, minus, rows, x, target),
            (Body::Ell(plus), Body::Ell(minus)) => two_parts(a, plus, minus, rows, x, target),
            _ => return false,
        },
        _ => return false,
    }
    true
}

/// Where a strip of Y goes, and how.
struct Target<'a, A: Arithmetic> {
    y: &'a mut [A::Lane],
    stride: usize,
    offset: usize,
    lanes: usize,
    finish: Finish<'a, A>,
}

impl<A: Arithmetic> Target<'_, A> {
    /// Row i of Y, in `y_row`, from its finished sum.
    #[inline(always)]
    fn close_sum<const W: usize>(&self, a: A, i: usize, sum: &[A::Sum; W], y_row: &mut [A::Lane]) {
        let y = &mut y_row[self.offset..][..self.lanes];
        if let Ok(y) = <&mut [A::Lane; W]>::try_from(&mut *y) {
            close_sum(a, sum, self.finish, i, y);
        } else {
            let mut wide = filled(y);
            close_sum(a, sum, self.finish, i, &mut wide);
            y.copy_from_slice(&wide[..self.lanes]);
        }
    }
}

/// Y from a single part without values.
#[inline(always)]
fn one_part<A: Arithmetic, const W: usize>(
    a: A,
    entries: Entries,
    part: &impl Runs,
    rows: Range<usize>,
    x: Strip<A::Lane, W>,
    mut target: Target<A>,
) {
    let y = std::mem::take(&mut target.y);
    for ((i, y_row), columns) in rows.clone().zip(y.chunks_exact_mut(target.stride)).zip(part.runs(rows)) {
        let mut sum = [a.zero(); W];
        add_columns(a, &mut sum, columns, x);
        if entries == Entries::Minus {
            negate(a, &mut sum);
        }
        target.close_sum(a, i, &sum, y_row);
    }
}

/// Y from a part of +1 and a part of -1: boundary matrices and their transposes.
#[inline(always)]
fn two_parts<A: Arithmetic, const W: usize>(
    a: A,
    plus: &impl Runs,
    minus: &impl Runs,
    rows: Range<usize>,
    x: Strip<A::Lane, W>,
    mut target: Target<A>,
) {
    let y = std::mem::take(&mut target.y);
    let columns = plus.runs(rows.clone()).zip(minus.runs(rows.clone()));
    for ((i, y_row), (plus, minus)) in rows.zip(y.chunks_exact_mut(target.stride)).zip(columns) {
        let mut sum = [a.zero(); W];
        add_columns(a, &mut sum, minus, x);
        negate(a, &mut sum);
        add_columns(a, &mut sum, plus, x);
        target.close_sum(a, i, &sum, y_row);
    }
}

/// sums ± the rows of x that a part without values names in `rows`.
#[allow(clippy::too_many_arguments, reason = "inlined: registers of the loop below")]
#[inline(always)]
fn add_signs<A: Arithmetic, const W: usize, const FOLD: bool>(
    a: A,
    entries: Entries,
    part: &impl Rows<A::Value>,
    rows: Range<usize>,
    cursor: &mut usize,
    x: Strip<A::Lane, W>,
    terms: Terms,
    sums: &mut [[A::Sum; W]],
) {
    let minus = entries == Entries::Minus;
    for (i, sum) in rows.zip(sums) {
        let mut s = *sum;
        if minus {
            negate(a, &mut s);
        }
        let columns = &part.columns()[part.span(i, cursor)];
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

/// accs + the rows of x that a part with values names in `rows`, times the values.
#[inline(always)]
fn add_products<A: Arithmetic, const W: usize, const FOLD: bool>(
    a: A,
    part: &impl Rows<A::Value>,
    rows: Range<usize>,
    cursor: &mut usize,
    x: Strip<A::Lane, W>,
    terms: Terms,
    accs: &mut [[A::Acc; W]],
) {
    for (i, acc) in rows.zip(accs) {
        let mut s = *acc;
        let span = part.span(i, cursor);
        let (columns, values) = (&part.columns()[span.clone()], &part.values()[span]);
        if FOLD {
            for (run, values) in columns.chunks(terms.products).zip(values.chunks(terms.products)) {
                a.add_products(&mut s, run.iter().zip(values).map(|(&j, &v)| (v, x.row(j as usize))));
                for l in 0..W {
                    s[l] = a.fold(s[l]);
                }
            }
        } else {
            a.add_products(&mut s, columns.iter().zip(values).map(|(&j, &v)| (v, x.row(j as usize))));
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
