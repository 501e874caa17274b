//! The first s - 1 invariant factors of a nonsingular s × s polynomial matrix F.
//!
//! Let d = det F = s₁ ⋯ s_s and h = s₁ ⋯ s_{s-1}. Every prime of h divides s_s as well, so that its exponent in d is
//! larger than in h: **h divides gcd(d, d′)**. And h is the greatest common divisor of the (s-1)-minors of F, so it
//! divides uᵀ·adj(F)·w = -det (F w; uᵀ 0) for all constant vectors u, w. The greatest common divisor m of such
//! polynomials is a multiple of h, mostly h itself, and of small degree for most matrices. The module K\[x\]ˢ / (F, m)
//! has the invariant factors gcd(sᵢ, m): sᵢ itself for i < s. They are found by unimodular operations on rows and
//! columns, with all entries reduced modulo m. No random choice matters for the result.

use super::determinant::determinant;
use crate::field::{Modulus, Rng};
use crate::poly::PolyMatrix;
use crate::univariate::{Reducer, add, bezout, divide, gcd, lcm, multiply, subtract, trim};
use crate::{Observer, Result, memory};
use rand::RngExt;

/// What the memory is for.
const BORDERED: &str = "a bordered polynomial matrix";
/// Bordered matrices tried to make m smaller.
const BORDERS: usize = 3;

/// The first s - 1 invariant factors; `d` is det F.
pub(super) fn first_invariants(
    p: Modulus,
    f: &PolyMatrix<u64>,
    d: &[u64],
    rng: &mut Rng,
    observer: &dyn Observer,
) -> Result<Vec<Vec<u64>>> {
    let s = f.rows();
    let m = multiple(p, f, d, rng, observer)?;
    if m.len() <= 1 || s == 1 {
        return Ok(vec![vec![1]; s - 1]);
    }
    let mut diagonal = Diagonal::new(p, f, m)?.factors(observer)?;
    diagonal.pop();
    Ok(diagonal)
}

/// m, a multiple of h and a divisor of d.
pub(super) fn multiple(
    p: Modulus,
    f: &PolyMatrix<u64>,
    d: &[u64],
    rng: &mut Rng,
    observer: &dyn Observer,
) -> Result<Vec<u64>> {
    let mut m = gcd(p, d, &derivative(p, d))?;
    for _ in 0..BORDERS {
        // A few small primes more than needed do no harm.
        if m.len() <= f.rows().min(16) {
            break;
        }
        let minors = determinant(p, &bordered(p, f, rng)?, d.len() - 1, rng, observer)?;
        m = gcd(p, &m, &minors)?;
    }
    Ok(m)
}

fn derivative(p: Modulus, f: &[u64]) -> Vec<u64> {
    let mut derivative: Vec<u64> = f.iter().enumerate().skip(1).map(|(k, &c)| p.mul(p.reduce(k as u64), c)).collect();
    trim(&mut derivative);
    derivative
}

/// (F w; uᵀ 0) with random residues.
fn bordered(p: Modulus, f: &PolyMatrix<u64>, rng: &mut Rng) -> Result<PolyMatrix<u64>> {
    let s = f.rows();
    let mut data = memory::zeros(f.len() * (s + 1) * (s + 1), BORDERED)?;
    for (k, to) in data.chunks_exact_mut((s + 1) * (s + 1)).enumerate() {
        for (to, row) in to.chunks_exact_mut(s + 1).zip(f.coefficient(k).chunks_exact(s)) {
            to[..s].copy_from_slice(row);
        }
    }
    for i in 0..s {
        data[i * (s + 1) + s] = rng.random_range(0..p.get());
        data[s * (s + 1) + i] = rng.random_range(0..p.get());
    }
    Ok(PolyMatrix::from_coefficients(s + 1, s + 1, data))
}

/// A matrix over GF(p)\[x\] / m on its way to diagonal form.
struct Diagonal {
    p: Modulus,
    ring: Reducer,
    s: usize,
    /// Row-major.
    entries: Vec<Vec<u64>>,
}

impl Diagonal {
    fn new(p: Modulus, f: &PolyMatrix<u64>, m: Vec<u64>) -> Result<Self> {
        let (s, ring) = (f.rows(), Reducer::new(p, m)?);
        let entry = |at: usize| {
            let mut entry: Vec<u64> = (0..f.len()).map(|k| f.coefficient(k)[at]).collect();
            trim(&mut entry);
            ring.reduce(&entry)
        };
        let entries = (0..s * s).map(entry).collect::<Result<_>>()?;
        Ok(Diagonal { p, ring, s, entries })
    }

    /// gcd(sᵢ, m), each a divisor of the next.
    fn factors(mut self, observer: &dyn Observer) -> Result<Vec<Vec<u64>>> {
        let (p, s) = (self.p, self.s);
        let mut factors: Vec<Vec<u64>> = vec![];
        for t in 0..s {
            self.bring_smallest(t);
            loop {
                observer.check()?;
                // Each round that changes the pivot replaces it by a proper divisor.
                self.clear(t, false)?;
                self.clear(t, true)?;
                if (t + 1..s).all(|i| self.entries[i * s + t].is_empty()) {
                    break;
                }
            }
            factors.push(gcd(p, &self.entries[t * s + t], self.ring.polynomial())?);
        }
        // diag(a, b) is equivalent to diag(gcd, lcm).
        for i in 0..s {
            for j in i + 1..s {
                if !divide(p, &factors[j], &factors[i])?.1.is_empty() {
                    let (a, b) = (gcd(p, &factors[i], &factors[j])?, lcm(p, &factors[i], &factors[j])?);
                    (factors[i], factors[j]) = (a, b);
                }
            }
        }
        Ok(factors)
    }

    /// Swaps an entry of least degree to (t, t), if there is one.
    fn bring_smallest(&mut self, t: usize) {
        let s = self.s;
        let places = (t..s).flat_map(|i| (t..s).map(move |j| (i, j)));
        let nonzero = places.filter(|(i, j)| !self.entries[i * s + j].is_empty());
        if let Some((row, col)) = nonzero.min_by_key(|(i, j)| self.entries[i * s + j].len()) {
            (0..s).for_each(|j| self.entries.swap(row * s + j, t * s + j));
            (0..s).for_each(|i| self.entries.swap(i * s + col, i * s + t));
        }
    }

    /// Clears column t below the pivot by row operations, or row t to its right by column operations.
    fn clear(&mut self, t: usize, columns: bool) -> Result<()> {
        let (p, s) = (self.p, self.s);
        let at = |line: usize, k: usize| if columns { k * s + line } else { line * s + k };
        for i in t + 1..s {
            if self.entries[at(i, t)].is_empty() {
                continue;
            }
            let (pivot, other) = (&self.entries[at(t, t)], &self.entries[at(i, t)]);
            let simple = if pivot.is_empty() { None } else { Some(divide(p, other, pivot)?) };
            if let Some((quotient, rest)) = simple
                && rest.is_empty()
            {
                for k in t..s {
                    let term = multiply(p, &quotient, &self.entries[at(t, k)])?;
                    self.entries[at(i, k)] = self.ring.reduce(&subtract(p, &self.entries[at(i, k)], &term)?)?;
                }
                continue;
            }
            let found = bezout(p, pivot, other)?;
            for k in t..s {
                let (x, y) = (&self.entries[at(t, k)], &self.entries[at(i, k)]);
                let first = add(p, &multiply(p, &found.u, x)?, &multiply(p, &found.v, y)?)?;
                let second = subtract(p, &multiply(p, &found.a, y)?, &multiply(p, &found.b, x)?)?;
                let reduced = (self.ring.reduce(&first)?, self.ring.reduce(&second)?);
                (self.entries[at(t, k)], self.entries[at(i, k)]) = reduced;
            }
        }
        Ok(())
    }
}
