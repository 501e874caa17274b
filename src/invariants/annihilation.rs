//! Polynomials of a matrix, applied to vectors; and how likely random vectors are to miss a part of its minimal
//! polynomial.

use crate::Result;
use crate::certify::ErrorBound;
use crate::field::{Modulus, Rng};
use crate::report::Observer;
use crate::spmv::{Block, Product};

/// Vectors that a pass takes at a time.
pub(crate) const WIDTH: usize = 64;

/// An upper bound of the probability that the minimal polynomial of s uniformly random vectors over GF(p) is not that
/// of a matrix A of order n: **n·p⁻ˢ**.
///
/// *Proof.* Let μ be the minimal polynomial of A and f one of its irreducible factors, at most n of them. If a vector v
/// does not see all of μ at f, (μ/f)(A)·v = 0. The image of (μ/f)(A) is not zero and killed by f, a vector space over
/// GF(p)\[x\]/f, so that its dimension over GF(p) is at least deg f ≥ 1, and v is in the kernel with probability at
/// most 1/p; all s vectors are with probability at most p⁻ˢ. Where none of the f has all vectors in its kernel, the
/// least common multiple of their minimal polynomials is μ.
pub fn missing(p: Modulus, n: usize, s: usize) -> ErrorBound {
    ErrorBound::negative_power(p.get(), s).any(n.max(1))
}

/// Whether f(A)·V = 0 for an n × `width` block V of uniformly random vectors: always if f(A) = 0, otherwise with
/// probability at most p^-width.
///
/// # Errors
/// [`Error::Interrupted`](crate::Error::Interrupted), [`Error::Memory`](crate::Error::Memory).
pub fn annihilates(product: &Product, f: &[u64], width: usize, rng: &mut Rng, observer: &dyn Observer) -> Result<bool> {
    let v = Block::random(product.lane(), product.rows(), width, product.modulus(), rng)?;
    vanishes(product, f, &v, observer)
}

/// Whether f(A) = 0: n·deg f products with vectors.
///
/// # Errors
/// [`Error::Interrupted`](crate::Error::Interrupted), [`Error::Memory`](crate::Error::Memory).
pub fn annihilates_all(product: &Product, f: &[u64], observer: &dyn Observer) -> Result<bool> {
    for first in (0..product.rows()).step_by(WIDTH) {
        if !annihilates_units(product, f, first, observer)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Whether f(A)·e = 0 for the [`WIDTH`] unit vectors e from number `first` on.
///
/// # Errors
/// [`Error::Interrupted`](crate::Error::Interrupted), [`Error::Memory`](crate::Error::Memory).
pub(crate) fn annihilates_units(product: &Product, f: &[u64], first: usize, observer: &dyn Observer) -> Result<bool> {
    let n = product.rows();
    let mut v = Block::zeros(product.lane(), n, WIDTH.min(n.max(1)))?;
    (first..n.min(first + WIDTH)).for_each(|i| v.set(i, i - first, 1));
    vanishes(product, f, &v, observer)
}

/// Whether f(A)·V = 0, by Horner's rule.
fn vanishes(product: &Product, f: &[u64], v: &Block, observer: &dyn Observer) -> Result<bool> {
    let mut current = Block::zeros(v.lane(), v.rows(), v.width())?;
    let mut next = Block::zeros(v.lane(), v.rows(), v.width())?;
    for &c in f.iter().rev() {
        observer.check()?;
        next.copy_rows(0, v, 0, v.rows());
        product.apply(1, &current, c, &mut next)?;
        std::mem::swap(&mut current, &mut next);
    }
    Ok((0..v.rows()).all(|i| current.is_zero(i)))
}
