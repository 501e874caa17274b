//! The transposed loops of every format: row i of X is added to the rows of Y = Aᵀ·X that row i of A names.

#![allow(
    clippy::needless_range_loop,
    reason = "loops over lanes index several arrays alike and become vector instructions"
)]

use super::arithmetic::Arithmetic;
use super::finish::{Finish, close, filled};
use super::kernel::{MAX_PARTS, Strip, Terms};
use crate::isa::Kernel;
use crate::sparse::formats::Rows;
use crate::sparse::hybrid::{Body, Entries, Part};

/// Lanes `offset..offset + lanes`, at most W, of Aᵀ·X for an A of `rows` rows, to a column-many × W block. Several
/// times slower than a second layout: every entry loads and stores a row of sums.
pub(super) struct ScatterKernel<'a, A: Arithmetic, const W: usize> {
    pub arithmetic: A,
    pub parts: &'a [Part<A::Value>],
    pub rows: usize,
    pub x: Strip<'a, A::Lane, W>,
    /// Read where β asks for it.
    pub y: &'a [A::Lane],
    pub stride: usize,
    pub offset: usize,
    pub lanes: usize,
    pub finish: Finish<'a, A>,
    pub terms: Terms,
    /// A row for each column of A, all zero.
    pub sums: &'a mut [[A::Acc; W]],
    pub result: &'a mut [A::Lane],
}

impl<A: Arithmetic, const W: usize> Kernel for ScatterKernel<'_, A, W> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self { arithmetic: a, parts, rows, x, y, stride, offset, lanes, finish, terms, sums, result } = self;
        let one = a.value(1);
        let minus_one = a.value(a.minus_one());
        let mut cursors = [0usize; MAX_PARTS];
        for i in 0..rows {
            // A row of A has one entry in a column at most: this many rows cannot exceed the budget of any sum.
            if i > 0 && i % terms.products == 0 {
                for sum in sums.iter_mut() {
                    for l in 0..W {
                        sum[l] = a.fold(sum[l]);
                    }
                }
            }
            let x_row = x.row(i);
            for (part, cursor) in parts.iter().zip(&mut cursors) {
                if let Body::Dia(dia) = &part.body {
                    for (d, &offset) in dia.offsets().iter().enumerate() {
                        if let Some(j) = dia.column(offset, i) {
                            add(a, &mut sums[j], dia.value(d, i), x_row);
                        }
                    }
                    continue;
                }
                let span = part.body.span(i, cursor);
                let columns = &part.body.columns()[span.clone()];
                let unit = match part.entries {
                    Entries::Plus => one,
                    Entries::Minus => minus_one,
                    Entries::Valued => {
                        for (&j, &v) in columns.iter().zip(&part.body.values()[span]) {
                            add(a, &mut sums[j as usize], v, x_row);
                        }
                        continue;
                    }
                };
                for &j in columns {
                    add(a, &mut sums[j as usize], unit, x_row);
                }
            }
        }
        for (j, (sum, row)) in sums.iter().zip(result.chunks_exact_mut(W)).enumerate() {
            let row: &mut [A::Lane; W] = row.try_into().expect("W lanes");
            *row = filled(&y[j * stride + offset..][..lanes]);
            close(a, sum, finish, j, row);
        }
    }
}

#[inline(always)]
fn add<A: Arithmetic, const W: usize>(a: A, sum: &mut [A::Acc; W], v: A::Value, x: &[A::Lane; W]) {
    for l in 0..W {
        sum[l] = a.multiply_add(sum[l], v, x[l]);
    }
}
