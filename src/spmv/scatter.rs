//! The transposed loops of every format: row i of X is added to the rows of Y = Aᵀ·X that row i of A names.

use super::arithmetic::Arithmetic;
use super::kernel::{Budget, Finish, seek};
use crate::isa::Kernel;
use crate::sparse::formats::Rows;
use crate::sparse::hybrid::{Body, Entries, Part};

/// Lanes `offset..offset + W` of Aᵀ·X for an A of `shape` rows × columns, as a new column-many × W block.
pub(super) struct ScatterKernel<'a, A: Arithmetic, const W: usize> {
    pub arithmetic: A,
    pub parts: &'a [Part<A::Value>],
    pub shape: (usize, usize),
    pub x: &'a [A::Lane],
    /// Read where β asks for it.
    pub y: &'a [A::Lane],
    pub stride: usize,
    pub offset: usize,
    pub finish: Finish<'a, A>,
    pub budget: Budget,
}

impl<A: Arithmetic, const W: usize> Kernel for ScatterKernel<'_, A, W> {
    type Output = Vec<A::Lane>;

    #[inline(always)]
    fn run(self) -> Vec<A::Lane> {
        let Self { arithmetic: a, parts, shape: (rows, cols), x, y, stride, offset, finish, budget } = self;
        let mut sums = vec![[a.zero(); W]; cols];
        // A row of A has one entry in a column at most: this many rows cannot exceed the budget of any sum.
        let every = budget.sums.min(budget.products);
        let mut cursors: Vec<usize> = parts.iter().map(|part| seek(&part.body, 0)).collect();
        for i in 0..rows {
            if i > 0 && i % every == 0 {
                sums.iter_mut().for_each(|sum| *sum = sum.map(|s| a.fold(s)));
            }
            let x_row: &[A::Lane; W] = x[i * stride + offset..][..W].try_into().expect("W lanes");
            for (part, cursor) in parts.iter().zip(&mut cursors) {
                match &part.body {
                    Body::Csr(b) => scatter_row(a, b, part.entries, i, cursor, x_row, &mut sums),
                    Body::Ell(b) => scatter_row(a, b, part.entries, i, cursor, x_row, &mut sums),
                    Body::EllR(b) => scatter_row(a, b, part.entries, i, cursor, x_row, &mut sums),
                    Body::CooS(b) => scatter_row(a, b, part.entries, i, cursor, x_row, &mut sums),
                    Body::Coo(b) => scatter_row(a, b, part.entries, i, cursor, x_row, &mut sums),
                    Body::Dia(b) => {
                        for (d, &diagonal) in b.offsets().iter().enumerate() {
                            if let Some(j) = b.column(diagonal, i) {
                                let v = b.value(d, i);
                                (0..W).for_each(|l| sums[j][l] = a.multiply_add(sums[j][l], v, x_row[l]));
                            }
                        }
                    }
                }
            }
        }
        let mut result = Vec::with_capacity(cols * W);
        for (j, sum) in sums.iter().enumerate() {
            match finish {
                Finish::Set => result.extend(sum.map(|s| a.finish(s))),
                Finish::Diagonal(d) => {
                    let d = a.scalar(d[j]);
                    result.extend(sum.map(|s| a.scale(s, d)));
                }
                Finish::Combine(alpha, beta) => {
                    let old = &y[j * stride + offset..][..W];
                    result.extend(sum.iter().zip(old).map(|(&s, &old)| {
                        let old = a.fold(a.multiply_add(a.zero(), beta, old));
                        a.finish(a.add(old, a.scale(s, alpha)))
                    }));
                }
            }
        }
        result
    }
}

#[inline(always)]
fn scatter_row<A: Arithmetic, R: Rows<A::Value>, const W: usize>(
    a: A,
    part: &R,
    entries: Entries,
    i: usize,
    cursor: &mut usize,
    x_row: &[A::Lane; W],
    sums: &mut [[A::Acc; W]],
) {
    let span = part.span(i, cursor);
    for k in span {
        let sum = &mut sums[part.columns()[k] as usize];
        match entries {
            Entries::Plus => (0..W).for_each(|l| sum[l] = a.add(sum[l], x_row[l])),
            Entries::Minus => (0..W).for_each(|l| sum[l] = a.sub(sum[l], x_row[l])),
            Entries::Valued => {
                let v = part.values()[k];
                (0..W).for_each(|l| sum[l] = a.multiply_add(sum[l], v, x_row[l]));
            }
        }
    }
}
