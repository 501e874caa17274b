//! The coefficients of a triangular solve in one arithmetic, and the sum of a row.

#![allow(
    clippy::needless_range_loop,
    reason = "loops over lanes index several arrays alike and become vector instructions"
)]

use super::GRID;
use super::stretches::{Stretch, stretches};
use crate::Result;
use crate::isa::Isa;
use crate::sparse::SparseMatrix;
use crate::sparse::formats::{Csr, Rows};
use crate::sparse::hybrid::{Entries, heaviest_row, select};
use crate::spmv::arithmetic::Arithmetic;
use crate::spmv::finish::{Finish, close, close_sum};
use crate::spmv::kernel::{Strip, Terms, add_columns, negate};

/// The coefficients in one arithmetic.
#[derive(Debug)]
pub(super) struct Coefficients<A: Arithmetic> {
    arithmetic: A,
    pub(super) inputs: usize,
    pub(super) plus: Csr<A::Value>,
    minus: Csr<A::Value>,
    valued: Csr<A::Value>,
    pub(super) stretches: Vec<Stretch>,
    terms: Terms,
    pub(super) fold: bool,
    pub(super) isa: Isa,
}

impl<A: Arithmetic> Coefficients<A> {
    pub(super) fn new(inputs: usize, l: &SparseMatrix) -> Result<Self> {
        let arithmetic = A::new(l.modulus());
        let part = |entries| select(l, entries, true, |v| arithmetic.value(v));
        let budget = A::budget(l.modulus()).expect("an arithmetic for p");
        let clamp = |terms: u64| usize::try_from(terms).unwrap_or(usize::MAX);
        let (signs, products) = heaviest_row(l, true);
        Ok(Coefficients {
            arithmetic,
            inputs,
            plus: part(Entries::Plus)?,
            minus: part(Entries::Minus)?,
            valued: part(Entries::Valued)?,
            stretches: stretches(inputs, l),
            terms: Terms { sums: clamp(budget.sums()), products: clamp(budget.products()) },
            fold: !budget.holds(signs, products),
            isa: Isa::best(),
        })
    }
    pub(super) fn bytes(&self) -> usize {
        self.plus.bytes() + self.minus.bytes() + self.valued.bytes()
    }

    /// W lanes of row q, from the rows before it.
    #[inline(always)]
    pub(super) fn row<const W: usize, const FOLD: bool>(
        &self,
        q: usize,
        scales: Scales,
        x: Strip<A::Lane, W>,
        out: &mut [A::Lane; W],
    ) {
        let a = self.arithmetic;
        let mut sum = [a.zero(); W];
        self.add_signs::<W, FOLD>(&mut sum, &self.minus.columns()[self.minus.row(q)], x);
        negate(a, &mut sum);
        self.add_signs::<W, FOLD>(&mut sum, &self.plus.columns()[self.plus.row(q)], x);
        let span = self.valued.row(q);
        let (finish, i) = scales.finish(q);
        if span.is_empty() {
            return close_sum(a, &sum, finish, i, out);
        }
        let (columns, values) = (&self.valued.columns()[span.clone()], &self.valued.values()[span]);
        let mut acc = [a.widen(a.zero()); W];
        for l in 0..W {
            acc[l] = a.widen(if FOLD { a.fold_sum(sum[l]) } else { sum[l] });
        }
        let run = if FOLD { self.terms.products } else { columns.len() };
        if W > GRID {
            for (columns, values) in columns.chunks(run).zip(values.chunks(run)) {
                add_products(a, &mut acc, columns, values, x);
                if FOLD {
                    acc.iter_mut().for_each(|acc| *acc = a.fold(*acc));
                }
            }
        } else {
            // In registers.
            for first in (0..W).step_by(GRID) {
                let mut part = [a.widen(a.zero()); GRID];
                part.copy_from_slice(&acc[first..first + GRID]);
                for (columns, values) in columns.chunks(run).zip(values.chunks(run)) {
                    for (&j, &v) in columns.iter().zip(values) {
                        let x_row: &[_; GRID] = x.row(j as usize)[first..].first_chunk().expect("a part of the row");
                        for l in 0..GRID {
                            part[l] = a.multiply_add(part[l], v, x_row[l]);
                        }
                    }
                    if FOLD {
                        for l in 0..GRID {
                            part[l] = a.fold(part[l]);
                        }
                    }
                }
                acc[first..first + GRID].copy_from_slice(&part);
            }
        }
        close(a, &acc, finish, i, out);
    }
    #[inline(always)]
    fn add_signs<const W: usize, const FOLD: bool>(
        &self,
        sum: &mut [A::Sum; W],
        columns: &[u32],
        x: Strip<A::Lane, W>,
    ) {
        if !FOLD {
            return add_columns(self.arithmetic, sum, columns, x);
        }
        for run in columns.chunks(self.terms.sums) {
            add_columns(self.arithmetic, sum, run, x);
            for s in sum.iter_mut() {
                *s = self.arithmetic.fold_sum(*s);
            }
        }
    }
}

/// acc + the rows of x in `columns`, times the values, four of them at a time.
#[inline(always)]
fn add_products<A: Arithmetic, const W: usize>(
    a: A,
    acc: &mut [A::Acc; W],
    columns: &[u32],
    values: &[A::Value],
    x: Strip<A::Lane, W>,
) {
    let ((fours, columns), (four_values, values)) = (columns.as_chunks(), values.as_chunks());
    for (&columns, &values) in fours.iter().zip(four_values) {
        a.multiply_add_four(acc, values, columns.map(|j| x.row(j as usize)));
    }
    for (&j, &v) in columns.iter().zip(values) {
        a.multiply_add_all(acc, v, x.row(j as usize));
    }
}

/// What the rows from `first` on are multiplied by.
#[derive(Clone, Copy)]
pub(super) struct Scales<'a> {
    pub(super) scales: &'a [u64],
    pub(super) first: usize,
}

impl<'a> Scales<'a> {
    /// What becomes of the sum of row q, and its number among the rows that are scaled.
    #[inline(always)]
    pub(super) fn finish<A: Arithmetic>(self, q: usize) -> (Finish<'a, A>, usize) {
        let i = q.wrapping_sub(self.first);
        (if i < self.scales.len() { Finish::Diagonal(self.scales) } else { Finish::Set }, i)
    }
}
