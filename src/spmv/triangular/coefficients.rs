//! The coefficients of a triangular solve in one arithmetic, and the sum of a row.

#![allow(
    clippy::needless_range_loop,
    reason = "loops over lanes index several arrays alike and become vector instructions"
)]

use super::GRID;
use super::lines::{LINES, SolveLines, Span};
use crate::field::Modulus;
use crate::isa::Isa;
use crate::spmv::Lane;
use crate::spmv::arithmetic::{Arithmetic, Long, Narrow, Split, Wide};
use crate::spmv::engines::engines;
use crate::spmv::finish::{Finish, close, close_sum};
use crate::spmv::kernel::{Strip, Terms, add_columns, negate};
use crate::spmv::options::ArithmeticKind;
use crate::{Result, memory};

/// Bytes of a strip of a row from which on it is asked for ahead, and by how many entries. With 16 residues of 32 bits
/// the sequence on random-20000-5 took 0.87 of the time so (2-core AMD EPYC, medians of seven), on random-20000-10 on a
/// Xeon 0.87 (medians of three); mk14-b5 with 16 threads 0.96 (32 residues of 16 bits, medians of two). With 32 bytes
/// nothing was gained where the least times are compared.
const ASKED: usize = 64;
const AHEAD: usize = 4;

/// The coefficients in one arithmetic.
#[derive(Debug)]
pub(super) struct Coefficients<A: Arithmetic> {
    pub(super) arithmetic: A,
    pub(super) modulus: Modulus,
    /// Slots before those of the lines.
    pub(super) inputs: usize,
    /// Those of the lines, and the end.
    spans: Vec<Span>,
    slots: Vec<u32>,
    values: Vec<A::Value>,
    terms: Terms,
    pub(super) fold: bool,
    /// Whether a residue and a product need no fold.
    pub(super) holds_one: bool,
    pub(super) isa: Isa,
}

engines!(pub(super) enum of Coefficients);

impl Engine {
    pub(super) fn new(lane: Lane, kind: ArithmeticKind, inputs: usize, lines: SolveLines) -> Result<Engine> {
        Ok(engines!(new (lane, kind) => Coefficients::new(inputs, lines)?))
    }
}

impl<A: Arithmetic> Coefficients<A> {
    pub(super) fn new(inputs: usize, lines: SolveLines) -> Result<Self> {
        let (signs, products) = lines.heaviest();
        let SolveLines { modulus, mut spans, slots, values, .. } = lines;
        let (arithmetic, budget) = (A::new(modulus), A::budget(modulus).expect("an arithmetic for p"));
        spans.push(Span { slot: slots.len(), value: values.len(), plus: 0, minus: 0 });
        let mut own = memory::with_capacity(values.len(), LINES)?;
        own.extend(values.iter().map(|&v| arithmetic.value(v)));
        let clamp = |terms: u64| usize::try_from(terms).unwrap_or(usize::MAX);
        Ok(Coefficients {
            arithmetic,
            modulus,
            inputs,
            spans,
            slots,
            values: own,
            terms: Terms { sums: clamp(budget.sums()), products: clamp(budget.products()) },
            fold: !budget.holds(signs, products),
            holds_one: budget.holds(1, 1),
            isa: Isa::best(),
        })
    }
    /// How many lines there are.
    pub(super) fn lines(&self) -> usize {
        self.spans.len() - 1
    }
    pub(super) fn bytes(&self) -> usize {
        size_of_val(&self.spans[..]) + size_of_val(&self.slots[..]) + size_of_val(&self.values[..])
    }
    /// The slots of the entries +1, -1 and others of a line, and the values of the others.
    #[inline(always)]
    pub(super) fn line(&self, line: usize) -> ([&[u32]; 3], &[A::Value]) {
        let (span, next) = (self.spans[line], self.spans[line + 1]);
        let (plus, rest) = self.slots[span.slot..next.slot].split_at(span.plus as usize);
        let (minus, valued) = rest.split_at(span.minus as usize);
        ([plus, minus, valued], &self.values[span.value..next.value])
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
        self.ask_ahead(q, x);
        let ([plus, minus, columns], values) = self.line(q);
        let mut sum = [a.zero(); W];
        self.add_signs::<W, FOLD>(&mut sum, minus, x);
        negate(a, &mut sum);
        self.add_signs::<W, FOLD>(&mut sum, plus, x);
        let (finish, i) = scales.finish(q);
        if columns.is_empty() {
            return close_sum(a, &sum, finish, i, out);
        }
        let mut acc = [a.widen(a.zero()); W];
        for l in 0..W {
            acc[l] = a.widen(if FOLD { a.fold_sum(sum[l]) } else { sum[l] });
        }
        let run = if FOLD { self.terms.products } else { columns.len() };
        if W > GRID && !A::PAIRS {
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
                    let x_row = |j: u32| x.row(j as usize)[first..].first_chunk().expect("a part of the row");
                    a.add_products(&mut part, columns.iter().zip(values).map(|(&j, &v)| (v, x_row(j))));
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
    /// Asks for the rows of x that come some entries later, as many as row q has entries. A processor sees few of them
    /// ahead where each takes many instructions.
    #[inline(always)]
    fn ask_ahead<const W: usize>(&self, q: usize, x: Strip<A::Lane, W>) {
        if size_of::<[A::Lane; W]>() >= ASKED {
            let all = self.slots.len();
            let [from, to] = [q, q + 1].map(|line| all.min(self.spans[line].slot + AHEAD));
            self.slots[from..to].iter().for_each(|&j| x.ask(j as usize));
        }
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
