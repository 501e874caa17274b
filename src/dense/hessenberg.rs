//! The characteristic polynomial by Hessenberg's form: a similar matrix without entries below the first subdiagonal,
//! whose leading minors of x - H follow from each other (H. Cohen, *A Course in Computational Algebraic Number Theory*,
//! 1993, algorithm 2.2.9). It takes 5n³/6 multiply-adds for the form and n³/6 for the minors, whatever the matrix.

use crate::field::{Field, Modulus, PrimeField};
use crate::report::Observer;
use crate::{Result, memory};

/// det(x - A) for the n × n row-major matrix `a` of residues, which is overwritten: n + 1 coefficients, constant first.
///
/// # Errors
/// [`Error::Interrupted`](crate::Error::Interrupted), [`Error::Memory`](crate::Error::Memory).
///
/// # Panics
/// If `a` has not n² entries.
pub fn characteristic_polynomial(p: Modulus, n: usize, a: &mut [u64], observer: &dyn Observer) -> Result<Vec<u64>> {
    assert_eq!(a.len(), n * n, "entries of a {n} x {n} matrix");
    to_hessenberg(p, n, a, observer)?;
    leading_minors(p, n, a, observer)
}

/// Clears column k below row k + 1 by row operations, and undoes them on the columns, for each k.
fn to_hessenberg(p: Modulus, n: usize, a: &mut [u64], observer: &dyn Observer) -> Result<()> {
    let field = PrimeField(p);
    let mut factors = memory::zeros(n, "a Hessenberg form")?;
    observer.phase("Hessenberg form", n as u64);
    let total = work_left(n, 0);
    for k in 0..n.saturating_sub(2) {
        observer.check()?;
        observer.share(1.0 - work_left(n, k) / total);
        observer.progress(k as u64);
        let Some(pivot) = (k + 1..n).find(|&i| a[i * n + k] != 0) else { continue };
        if pivot != k + 1 {
            let (low, high) = a.split_at_mut(pivot * n);
            low[(k + 1) * n..][..n].swap_with_slice(&mut high[..n]);
            a.chunks_exact_mut(n).for_each(|row| row.swap(k + 1, pivot));
        }
        let (done, rest) = a.split_at_mut((k + 2) * n);
        let top = &done[(k + 1) * n..];
        let inverse = p.inv(top[k]);
        for (row, factor) in rest.chunks_exact_mut(n).zip(&mut factors[k + 2..]) {
            *factor = p.mul(row[k], inverse);
            field.axpy(&mut row[k..], p.neg(*factor), &top[k..]);
        }
        for row in a.chunks_exact_mut(n) {
            row[k + 1] = p.add(row[k + 1], field.dot(&factors[k + 2..], &row[k + 2..]));
        }
    }
    Ok(())
}

/// Multiply-adds for the columns from k on: (n - k)³/3 by rows, n·(n - k)²/2 by columns.
fn work_left(n: usize, k: usize) -> f64 {
    let (n, left) = (n as f64, (n - k) as f64);
    left.powi(3) / 3.0 + n * left * left / 2.0
}

/// det(x - H), by the minors of its first rows and columns: q₀ = 1 and, expanding the last column,
/// qₖ = (x - hₖₖ)·qₖ₋₁ - Σ_{i<k} hᵢₖ·(hᵢ₊₁,ᵢ ⋯ hₖ,ₖ₋₁)·qᵢ₋₁.
fn leading_minors(p: Modulus, n: usize, h: &[u64], observer: &dyn Observer) -> Result<Vec<u64>> {
    const MINORS: &str = "the minors of a Hessenberg form";
    let field = PrimeField(p);
    let mut minors: Vec<Vec<u64>> = memory::with_capacity(n + 1, MINORS)?;
    minors.push(vec![1]);
    observer.phase("minors", n as u64);
    for k in 0..n {
        observer.check()?;
        observer.share((k as f64 / n as f64).powi(3));
        observer.progress(k as u64);
        let mut next = memory::zeros(k + 2, MINORS)?;
        next[1..].copy_from_slice(&minors[k]);
        field.axpy(&mut next[..=k], p.neg(h[k * n + k]), &minors[k]);
        let mut chain = 1;
        for i in (0..k).rev() {
            chain = p.mul(chain, h[(i + 1) * n + i]);
            if chain == 0 {
                break;
            }
            field.axpy(&mut next[..=i], p.neg(p.mul(h[i * n + k], chain)), &minors[i]);
        }
        minors.push(next);
    }
    Ok(minors.pop().expect("the minor of order 0"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Silent;
    use crate::field::Rng;
    use crate::oracles::berkowitz;
    use rand::{RngExt, SeedableRng};

    #[test]
    fn characteristic_polynomials_are_those_of_berkowitz() {
        let mut rng = Rng::seed_from_u64(41);
        for p in [2, 3, 251, 65521, (1 << 63) - 25].map(|p| Modulus::new(p).unwrap()) {
            for n in 0..12 {
                for weight in [1, 3, n.max(1)] {
                    let entry = |_| if rng.random_range(0..n) < weight { rng.random_range(0..p.get()) } else { 0 };
                    let a: Vec<u64> = (0..n * n).map(entry).collect();
                    let found = characteristic_polynomial(p, n, &mut a.clone(), &Silent).unwrap();
                    assert_eq!(found, berkowitz(p, n, &a), "{a:?} mod {p}");
                }
            }
        }
    }
}
