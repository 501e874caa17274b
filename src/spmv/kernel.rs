//! The loops: one row of Y = A·X after the other, W lanes at a time, all parts added up in registers.

use super::arithmetic::Arithmetic;
use crate::isa::Kernel;
use crate::sparse::formats::Rows;
use crate::sparse::hybrid::{Body, Entries, Part};
use std::ops::Range;

/// What becomes of a finished sum.
#[derive(Clone, Copy)]
pub(super) enum Finish<'a, A: Arithmetic> {
    /// y ← sum.
    Set,
    /// yᵢ ← dᵢ · sum.
    Diagonal(&'a [u64]),
    /// y ← α · sum + β · y.
    Combine(A::Scalar, A::Value),
}

/// Lanes `offset..offset + W` of the rows `rows` of A·X.
///
/// `y` holds exactly those rows, with all their `stride` lanes; `x` holds all rows of X. `fold` says that rows may exceed the
/// budget of terms, so that sums are folded on the way.
pub(super) struct RowsKernel<'a, A: Arithmetic, const W: usize> {
    pub arithmetic: A,
    pub parts: &'a [Part<A::Value>],
    pub rows: Range<usize>,
    pub x: &'a [A::Lane],
    pub y: &'a mut [A::Lane],
    pub stride: usize,
    pub offset: usize,
    pub finish: Finish<'a, A>,
    pub fold: Option<Budget>,
}

/// How many terms may follow a fold.
#[derive(Clone, Copy, Debug)]
pub(super) struct Budget {
    pub sums: usize,
    pub products: usize,
}

impl<A: Arithmetic, const W: usize> Kernel for RowsKernel<'_, A, W> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self { arithmetic: a, parts, rows, x, y, stride, offset, finish, fold } = self;
        let mut cursors = [0usize; MAX_PARTS];
        for (cursor, part) in cursors.iter_mut().zip(parts) {
            *cursor = seek(&part.body, rows.start);
        }
        for (i, y_row) in rows.zip(y.chunks_exact_mut(stride)) {
            let mut sum = [a.zero(); W];
            for (part, cursor) in parts.iter().zip(&mut cursors) {
                match &part.body {
                    Body::Csr(b) => add_run::<A, _, W>(a, b, part.entries, i, cursor, x, stride, offset, &mut sum, fold),
                    Body::Ell(b) => add_run::<A, _, W>(a, b, part.entries, i, cursor, x, stride, offset, &mut sum, fold),
                    Body::EllR(b) => add_run::<A, _, W>(a, b, part.entries, i, cursor, x, stride, offset, &mut sum, fold),
                    Body::CooS(b) => add_run::<A, _, W>(a, b, part.entries, i, cursor, x, stride, offset, &mut sum, fold),
                    Body::Coo(b) => add_run::<A, _, W>(a, b, part.entries, i, cursor, x, stride, offset, &mut sum, fold),
                    Body::Dia(b) => {
                        for (d, &diagonal) in b.offsets().iter().enumerate() {
                            let Some(j) = b.column(diagonal, i) else { continue };
                            let (v, x_row) = (b.value(d, i), lanes::<_, W>(x, j, stride, offset));
                            for l in 0..W {
                                sum[l] = a.multiply_add(sum[l], v, x_row[l]);
                                if fold.is_some() {
                                    sum[l] = a.fold(sum[l]);
                                }
                            }
                        }
                    }
                }
            }
            let y_row: &mut [A::Lane; W] = (&mut y_row[offset..offset + W]).try_into().expect("W lanes");
            match finish {
                Finish::Set => (0..W).for_each(|l| y_row[l] = a.finish(sum[l])),
                Finish::Diagonal(d) => {
                    let d = a.scalar(d[i]);
                    (0..W).for_each(|l| y_row[l] = a.scale(sum[l], d));
                }
                Finish::Combine(alpha, beta) => {
                    for l in 0..W {
                        let old = a.fold(a.multiply_add(a.zero(), beta, y_row[l]));
                        y_row[l] = a.finish(a.add(old, a.scale(sum[l], alpha)));
                    }
                }
            }
        }
    }
}

/// Most parts a layout has: three kinds of entries, each in a main format, its diagonals and a rest.
pub(super) const MAX_PARTS: usize = 9;

pub(super) fn seek<V>(body: &Body<V>, row: usize) -> usize {
    match body {
        Body::Coo(b) => b.seek(row),
        Body::CooS(b) => b.seek(row),
        Body::Csr(b) => b.seek(row),
        Body::Ell(b) => b.seek(row),
        Body::EllR(b) => b.seek(row),
        Body::Dia(_) => 0,
    }
}

/// Lanes `offset..offset + W` of row j.
#[inline(always)]
fn lanes<L, const W: usize>(x: &[L], j: usize, stride: usize, offset: usize) -> &[L; W] {
    let first = j * stride + offset;
    x[first..first + W].try_into().expect("W lanes")
}

/// sum += the entries of row i that lie in `part`.
#[allow(clippy::too_many_arguments, reason = "registers of the innermost loop")]
#[inline(always)]
fn add_run<A: Arithmetic, R: Rows<A::Value>, const W: usize>(
    a: A,
    part: &R,
    entries: Entries,
    i: usize,
    cursor: &mut usize,
    x: &[A::Lane],
    stride: usize,
    offset: usize,
    sum: &mut [A::Acc; W],
    fold: Option<Budget>,
) {
    let span = part.span(i, cursor);
    let columns = &part.columns()[span.clone()];
    // A local copy, so that the sums stay in registers.
    let mut s = *sum;
    let every = match fold {
        None => usize::MAX,
        Some(budget) => {
            s = s.map(|s| a.fold(s));
            if entries == Entries::Valued { budget.products } else { budget.sums }
        }
    };
    match entries {
        Entries::Plus => {
            for run in columns.chunks(every) {
                for &j in run {
                    let x_row = lanes::<_, W>(x, j as usize, stride, offset);
                    for l in 0..W {
                        s[l] = a.add(s[l], x_row[l]);
                    }
                }
                if fold.is_some() {
                    s = s.map(|s| a.fold(s));
                }
            }
        }
        Entries::Minus => {
            for run in columns.chunks(every) {
                for &j in run {
                    let x_row = lanes::<_, W>(x, j as usize, stride, offset);
                    for l in 0..W {
                        s[l] = a.sub(s[l], x_row[l]);
                    }
                }
                if fold.is_some() {
                    s = s.map(|s| a.fold(s));
                }
            }
        }
        Entries::Valued => {
            for (run, values) in columns.chunks(every).zip(part.values()[span].chunks(every)) {
                for (&j, &v) in run.iter().zip(values) {
                    let x_row = lanes::<_, W>(x, j as usize, stride, offset);
                    for l in 0..W {
                        s[l] = a.multiply_add(s[l], v, x_row[l]);
                    }
                }
                if fold.is_some() {
                    s = s.map(|s| a.fold(s));
                }
            }
        }
    }
    *sum = s;
}
