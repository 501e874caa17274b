//! The co-degree of det F: the multiplicity of the root 0, that is how many zero eigenvalues the generator has seen.
//!
//! Two independent ways. [`codegree_by_interpolation`] is the source paper's section 3.3: evaluate F at points, take
//! the determinants there, interpolate. [`codegree_by_row_division`] works at the point 0 alone and over every field,
//! also where GF(p) has fewer points than det F has coefficients.

use crate::dense;
use crate::field::{Field, Modulus, primitive_root};
use crate::parallel::Each;
use crate::poly::{self, PolyMatrix};
use crate::{Observer, Result};
use rayon::prelude::*;

/// Determinants between two reports.
const TOGETHER: usize = 1 << 10;
/// Coefficients of a row that one task changes, or more.
const COEFFICIENTS: usize = 16;

/// Degree and co-degree of det F over GF(p), by values at 1, g, g², … for a primitive root g and interpolation
/// (source paper, section 3.3), in parallel over points.
///
/// `degree_bound` ≥ deg det F. `None` if p - 1 ≤ `degree_bound`: the field has too few points; or if det F = 0.
///
/// Panics if F is not square.
///
/// # Errors
/// [`Error::Interrupted`](crate::Error::Interrupted) when the observer says so.
pub fn codegree_by_interpolation(
    p: Modulus,
    f: &PolyMatrix<u64>,
    degree_bound: usize,
    observer: &dyn Observer,
) -> Result<Option<(usize, usize)>> {
    let Some(determinant) = determinant_by_interpolation(p, f, degree_bound, observer)? else { return Ok(None) };
    let degree = determinant.iter().rposition(|&c| c != 0);
    let codegree = determinant.iter().position(|&c| c != 0);
    Ok(degree.zip(codegree))
}

/// The coefficients of det F up to `degree_bound` ≥ deg det F, likewise. `None` if the field has too few points.
///
/// The observer sees the phase `interpolation` in units of points.
///
/// Panics if F is not square.
///
/// # Errors
/// [`Error::Interrupted`](crate::Error::Interrupted), [`Error::Memory`](crate::Error::Memory).
pub fn determinant_by_interpolation(
    p: Modulus,
    f: &PolyMatrix<u64>,
    degree_bound: usize,
    observer: &dyn Observer,
) -> Result<Option<Vec<u64>>> {
    assert_eq!(f.rows(), f.cols());
    let points = degree_bound + 1;
    if p.get() - 1 < points as u64 {
        return Ok(None);
    }
    observer.phase("interpolation", points as u64);
    let ratio = primitive_root(p);
    let mut values = Vec::with_capacity(points);
    // A few thousand points at a time: the values of F there are s² residues each.
    let chunk = (1 << 22) / (f.rows() * f.rows()).max(1) + 1;
    for first in (0..points).step_by(chunk) {
        observer.check()?;
        let count = chunk.min(points - first);
        let matrices = poly::evaluate_geometric(p, f, p.pow(ratio, first as u64), ratio, count)?;
        for some in matrices.data().chunks(TOGETHER * f.rows() * f.rows()) {
            observer.check()?;
            values.extend(dense::determinants(p, f.rows(), some));
            observer.progress(values.len() as u64);
        }
    }
    poly::interpolate_geometric(p, &values, 1, ratio).map(Some)
}

/// The co-degree of det F over any field, by row division at 0: while F(0) is singular, a constant invertible
/// combination of rows makes a row divisible by x; divide it and count one.
///
/// This is the local Smith form's exponent sum: constant invertible row operations change det F by a non-zero constant,
/// each division by exactly one factor x. Where F(0) is regular, that is all; else the first elimination costs
/// s³·deg F / 2, each division s²·deg F. `None` once the count exceeds `degree_bound` ≥ deg det F, that is if det F =
/// 0. Panics if F is not square.
///
/// The observer sees the phase `co-degree` in units of rows.
///
/// # Errors
/// [`Error::Interrupted`](crate::Error::Interrupted) when the observer says so.
pub fn codegree_by_row_division<F: Field>(
    field: &F,
    f: &PolyMatrix<F::Elem>,
    degree_bound: usize,
    observer: &dyn Observer,
) -> Result<Option<usize>> {
    let s = f.rows();
    assert_eq!(s, f.cols());
    if !f.is_empty() && dense::determinant(field, s, &mut f.coefficient(0).to_vec()) != field.zero() {
        return Ok(Some(0));
    }
    // rows[i][k] is row i of the coefficient of xᵏ.
    let mut rows: Vec<Vec<Vec<F::Elem>>> =
        (0..s).map(|i| (0..f.len()).map(|k| f.coefficient(k)[i * s..][..s].to_vec()).collect()).collect();
    observer.phase("co-degree", s as u64);
    let mut divisions = 0;
    loop {
        let Some(row) = make_row_vanish_at_zero(field, &mut rows, observer)? else { return Ok(Some(divisions)) };
        rows[row].remove(0);
        divisions += 1;
        if divisions > degree_bound || rows[row].is_empty() {
            return Ok(None);
        }
    }
}

/// Gaussian elimination on the constant terms, applied to whole rows, until some row vanishes at 0; its index. `None`
/// if the constant terms are independent.
fn make_row_vanish_at_zero<F: Field>(
    field: &F,
    rows: &mut [Vec<Vec<F::Elem>>],
    observer: &dyn Observer,
) -> Result<Option<usize>> {
    let mut pivots: Vec<(usize, usize)> = Vec::new();
    for i in 0..rows.len() {
        observer.check()?;
        // Each row is reduced by all before it.
        observer.share((i as f64 / rows.len() as f64).powi(2));
        observer.progress(i as u64);
        let (above, rest) = rows.split_at_mut(i);
        let (target, mut len) = (&mut rest[0], 0);
        let mut factors = Vec::with_capacity(pivots.len());
        for &(pivot_row, column) in &pivots {
            let (factor, source) = (target[0][column], &above[pivot_row]);
            if factor == field.zero() {
                continue;
            }
            let factor = field.neg(field.mul(factor, field.inv(source[0][column])));
            field.axpy(&mut target[0], factor, &source[0]);
            factors.push((source, factor));
            len = source.len().max(len);
        }
        let width = target[0].len();
        if target.len() < len {
            target.resize(len, vec![field.zero(); width]);
        }
        // The other coefficients follow, each by itself.
        target[1..].par_iter_mut().with_min_len(COEFFICIENTS).enumerate().each(|(k, target)| {
            for (source, factor) in factors.iter().filter(|(source, _)| k + 1 < source.len()) {
                field.axpy(target, *factor, &source[k + 1]);
            }
        });
        match rows[i][0].iter().position(|&x| x != field.zero()) {
            Some(column) => pivots.push((i, column)),
            None => return Ok(Some(i)),
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Silent;
    use crate::field::PrimeField;

    /// The product of the given coefficient matrices as polynomial matrices, naively.
    fn product(p: Modulus, a: &PolyMatrix<u64>, b: &PolyMatrix<u64>) -> PolyMatrix<u64> {
        let s = a.rows();
        let mut c = PolyMatrix::zeros(s, s, a.len() + b.len() - 1).unwrap();
        for (x, y) in (0..a.len()).flat_map(|x| (0..b.len()).map(move |y| (x, y))) {
            for (i, j, l) in (0..s).flat_map(|i| (0..s).flat_map(move |j| (0..s).map(move |l| (i, j, l)))) {
                let term = p.mul(a.get(i, l, x), b.get(l, j, y));
                c.set(i, j, x + y, p.add(c.get(i, j, x + y), term));
            }
        }
        c
    }

    /// U·diag(x^eᵢ)·(I + x·N)·V with unimodular triangular U, V: codegree Σ eᵢ, by construction.
    fn with_codegree(p: Modulus, exponents: &[usize], seed: u64) -> PolyMatrix<u64> {
        let s = exponents.len();
        let mut state = seed;
        let mut next = || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 33) % p.get()
        };
        let mut triangular = |lower: bool| {
            let mut t = PolyMatrix::zeros(s, s, 2).unwrap();
            for i in 0..s {
                t.set(i, i, 0, 1);
                for j in 0..s {
                    if (i > j) == lower && i != j {
                        t.set(i, j, 0, next());
                        t.set(i, j, 1, next());
                    }
                }
            }
            t
        };
        let (u, v) = (triangular(true), triangular(false));
        let mut d = PolyMatrix::zeros(s, s, exponents.iter().max().unwrap() + 1).unwrap();
        exponents.iter().enumerate().for_each(|(i, &e)| d.set(i, i, e, 1));
        product(p, &product(p, &u, &d), &v)
    }

    #[test]
    fn both_ways_find_a_planted_codegree() {
        for q in [2u64, 3, 101, 65521, (1 << 61) - 1] {
            let p = Modulus::new(q).unwrap();
            for (k, exponents) in [&[0usize, 0, 0][..], &[1, 0, 2], &[3, 3, 0, 1], &[5]].iter().enumerate() {
                let f = with_codegree(p, exponents, k as u64 + q);
                let sum: usize = exponents.iter().sum();
                assert_eq!(codegree_by_row_division(&PrimeField(p), &f, sum, &Silent).unwrap(), Some(sum), "p = {q}");
                match codegree_by_interpolation(p, &f, sum, &Silent).unwrap() {
                    Some(found) => assert_eq!(found, (sum, sum), "p = {q}"),
                    None => assert!(q - 1 <= sum as u64),
                }
            }
        }
    }

    #[test]
    fn a_zero_determinant_has_no_codegree() {
        let p = Modulus::new(65521).unwrap();
        let mut f = PolyMatrix::zeros(2, 2, 3).unwrap();
        (0..2).for_each(|j| (0..3).for_each(|k| f.set(0, j, k, 1 + k as u64)));
        (0..2).for_each(|j| (0..3).for_each(|k| f.set(1, j, k, 2 + 2 * k as u64)));
        assert_eq!(codegree_by_row_division(&PrimeField(p), &f, 4, &Silent).unwrap(), None);
        assert_eq!(codegree_by_interpolation(p, &f, 4, &Silent).unwrap(), None);
    }
}
