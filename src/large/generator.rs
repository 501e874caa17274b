//! The minimal generator of a sequence of s×s matrices over GF(p), one order at a time.
//!
//! The order basis of \[S; -I\] for the shift (0^s, 1^s) by M-Basis, of which the left half V is stored; its s rows of
//! smallest degree are the generator, and the sum of their degrees is the largest rank of a block Hankel matrix of the
//! terms. Theorem and proof are those of [`sigma_basis`](crate::sigma_basis), for one word; entry: [`generator`].
//!
//! A step takes the residual R of order k, 2s×s. Rows in the order of degree and index that are no combinations of rows
//! before them are pivots, and are multiplied by x; every other row gets the combination of pivots that makes its
//! residual vanish. About 3·s·n² products for 2n/s terms: most of them in sums that are reduced once.
//!
//! Source: B. Beckermann, G. Labahn, SIAM J. Matrix Anal. Appl. 15 (1994); P. Giorgi, C.-P. Jeannerod, G. Villard,
//! ISSAC 2003.

use super::arithmetic::Arithmetic;
use crate::{Observer, Result, memory};
use rayon::prelude::*;

/// What the memory is for.
const BASIS: &str = "an order basis mod a large prime";
/// Terms of a sum of products from which on sums are shared among threads.
const TERMS: usize = 256;
/// Coefficients that one task combines.
const PIECE: usize = 128;

/// A generator: rows f with Σ_k f_k S_{j+k} = 0.
#[derive(Clone, Debug)]
pub(crate) struct Generator<E> {
    /// The sum of the degrees: the largest rank of a block Hankel matrix of the terms.
    pub(crate) rank: usize,
    /// For each row its degree δ and the coefficients of 1, x, … of its reversal, each of s elements: f_k is that of
    /// x^(δ-k).
    pub(crate) rows: Vec<(usize, Vec<E>)>,
}

/// The generator of the terms S_0, S_1, …, each s×s, row-major.
///
/// # Errors
/// [`Error::Memory`](crate::Error::Memory), [`Error::Interrupted`](crate::Error::Interrupted).
pub(crate) fn generator<F: Arithmetic>(
    field: &F,
    series: &[F::Element],
    s: usize,
    observer: &dyn Observer,
) -> Result<Generator<F::Element>> {
    let length = series.len() / (s * s);
    observer.phase("generator", length as u64);
    let mut basis = Basis::new(field, s);
    for order in 0..length {
        observer.check()?;
        basis.step(order, series)?;
        observer.progress(order as u64 + 1);
    }
    let mut rows: Vec<(usize, usize)> = basis.degrees.iter().copied().zip(0..).collect();
    rows.sort_unstable();
    rows.truncate(s);
    let rank = rows.iter().map(|row| row.0).sum();
    let rows = rows.into_iter().map(|(degree, i)| (degree, std::mem::take(&mut basis.rows[i]))).collect();
    Ok(Generator { rank, rows })
}

/// The left half of an order basis.
struct Basis<'a, F: Arithmetic> {
    field: &'a F,
    s: usize,
    /// Row i: s elements for each coefficient.
    rows: Vec<Vec<F::Element>>,
    degrees: Vec<usize>,
}

impl<'a, F: Arithmetic> Basis<'a, F> {
    fn new(field: &'a F, s: usize) -> Self {
        let unit = |i: usize| (0..s).map(|j| if i == j { field.one() } else { field.zero() }).collect();
        let rows = (0..2 * s).map(|i| if i < s { unit(i) } else { vec![] }).collect();
        Basis { field, s, rows, degrees: (0..2 * s).map(|i| usize::from(i >= s)).collect() }
    }

    fn step(&mut self, order: usize, series: &[F::Element]) -> Result<()> {
        let mut residual = self.residual(order, series);
        let (pivots, combinations) = self.eliminate(&mut residual);
        for (i, factors) in combinations {
            self.combine(i, &factors)?;
        }
        for p in pivots {
            self.degrees[p] += 1;
            let row = &mut self.rows[p];
            if !row.is_empty() {
                memory::reserve(row, self.s, BASIS)?;
                row.splice(0..0, vec![self.field.zero(); self.s]);
            }
        }
        Ok(())
    }

    /// The coefficient of x^order of the basis times \[S; -I\].
    fn residual(&self, order: usize, series: &[F::Element]) -> Vec<F::Element> {
        let (field, s) = (self.field, self.s);
        let entry = |at: usize| {
            let (i, j) = (at / s, at % s);
            let mut sum = field.products();
            for (k, v) in self.rows[i].chunks_exact(s).take(order + 1).enumerate() {
                let term = &series[(order - k) * s * s..][..s * s];
                v.iter().zip(term[j..].iter().step_by(s)).for_each(|(v, t)| field.plus_product(&mut sum, v, t));
            }
            let sum = field.reduced_products(sum);
            // A row that has been a pivot in every step is still x^order·(0 | e).
            let untouched = i >= s && self.degrees[i] == order + 1 && i - s == j;
            if untouched { field.sub(&sum, &field.one()) } else { sum }
        };
        let most = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        if most < TERMS {
            return (0..2 * s * s).map(entry).collect();
        }
        (0..2 * s * s).into_par_iter().map(entry).collect()
    }

    /// The pivots of a residual, and for each other row with a residual the factors of all rows in what replaces it.
    #[expect(clippy::type_complexity, reason = "a list of lines with their factors")]
    fn eliminate(&self, residual: &mut [F::Element]) -> (Vec<usize>, Vec<(usize, Vec<F::Element>)>) {
        let (field, s) = (self.field, self.s);
        let mut order: Vec<usize> = (0..2 * s).collect();
        order.sort_unstable_by_key(|&i| (self.degrees[i], i));
        let mut pivots: Vec<(usize, usize, F::Element, Vec<F::Element>)> = vec![];
        let mut combinations = vec![];
        for i in order {
            let mut factors = vec![field.zero(); 2 * s];
            factors[i] = field.one();
            let mut changed = false;
            for (p, column, inverse, of) in &pivots {
                let factor = field.mul(&residual[i * s + column], inverse);
                if field.is_zero(&factor) {
                    continue;
                }
                changed = true;
                for j in 0..s {
                    residual[i * s + j] = field.sub(&residual[i * s + j], &field.mul(&factor, &residual[p * s + j]));
                }
                factors.iter_mut().zip(of).for_each(|(x, y)| *x = field.sub(x, &field.mul(&factor, y)));
            }
            match residual[i * s..][..s].iter().position(|x| !field.is_zero(x)) {
                Some(column) => {
                    let inverse = field.inverse(&residual[i * s + column]);
                    pivots.push((i, column, inverse, factors));
                }
                None if changed => combinations.push((i, factors)),
                None => {}
            }
        }
        (pivots.into_iter().map(|pivot| pivot.0).collect(), combinations)
    }

    /// Row i becomes the combination of all rows with these factors, its own 1.
    fn combine(&mut self, i: usize, factors: &[F::Element]) -> Result<()> {
        let field = self.field;
        let used: Vec<usize> = (0..2 * self.s).filter(|&p| p != i && !field.is_zero(&factors[p])).collect();
        let length = used.iter().map(|&p| self.rows[p].len()).max().unwrap_or(0);
        let mut own = std::mem::take(&mut self.rows[i]);
        if own.len() < length {
            let more = length - own.len();
            memory::reserve(&mut own, more, BASIS)?;
            own.resize(length, field.zero());
        }
        let rows = &self.rows;
        own[..length].par_chunks_mut(PIECE).enumerate().with_min_len(TERMS / PIECE).for_each(|(piece, own)| {
            for (at, x) in own.iter_mut().enumerate() {
                let at = at + PIECE * piece;
                let mut sum = field.products();
                for &p in &used {
                    if let Some(y) = rows[p].get(at) {
                        field.plus_product(&mut sum, &factors[p], y);
                    }
                }
                *x = field.add(x, &field.reduced_products(sum));
            }
        });
        self.rows[i] = own;
        Ok(())
    }
}
