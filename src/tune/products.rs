//! Products with one matrix, timed: formats and widths against each other and against what they cannot be faster than.

use super::measure::{Effort, least_of};
use crate::field::Rng;
use crate::sparse::SparseMatrix;
use crate::spmv::{Block, Plan, PlanOptions, Product};
use crate::{Error, Result};
use rand::{RngExt, SeedableRng};

/// Rows of a product that are computed again by the definition.
const CHECKED: usize = 32;

/// Rows and columns of a matrix whose products stay in the first cache, and its entries in a row.
const CACHED: [usize; 2] = [64, 32];

/// Seconds by the clock of Y ← AX with a random block of `width` vectors, the least of several runs on rayon's current
/// pool. `product` must be one of `a`; some rows of Y are compared with their definition.
///
/// # Errors
/// [`Error::Memory`]; [`Error::Check`] if a row is wrong.
///
/// # Panics
/// If the product is of another shape.
pub fn time_product(a: &SparseMatrix, product: &Product, width: usize, effort: Effort) -> Result<f64> {
    assert_eq!((a.rows(), a.cols()), (product.rows(), product.cols()), "a product of another matrix");
    let (p, mut rng) = (a.modulus(), Rng::seed_from_u64(width as u64));
    let x = Block::random(product.lane(), a.cols(), width, p, &mut rng)?;
    let mut y = Block::zeros(product.lane(), a.rows(), width)?;
    let seconds = least_of(effort, || product.apply_scaled(None, &x, &mut y))?;
    for _ in 0..CHECKED.min(a.rows()) {
        let i = rng.random_range(0..a.rows());
        let (cols, values) = a.row(i);
        let sum = |l| cols.iter().zip(values).fold(0, |sum, (&j, &v)| p.add(sum, p.mul(v, x.get(j as usize, l))));
        if let Some(l) = (0..width).find(|&l| y.get(i, l) != sum(l)) {
            return Err(Error::Check(format!("row {i}, vector {l} of a product mod {p}: {}", product.plan())));
        }
    }
    Ok(seconds)
}

/// Bytes that Y ← AX with so many vectors reads and writes at least: each part of A, each row of X and of Y once.
pub fn floor_bytes(plan: &Plan, width: usize) -> f64 {
    let parts: usize = plan.parts.iter().map(|part| part.bytes).sum();
    (parts + (plan.rows + plan.cols) * width * plan.lane.bytes()) as f64
}

/// Multiply-adds a second of one thread where nothing waits for memory: the same product of a small matrix, with the
/// same share of entries that are not ±1. Faster than that, times the threads, no product with `a` is.
///
/// # Errors
/// As [`time_product`].
pub fn cached_rate(a: &SparseMatrix, options: &PlanOptions, width: usize, effort: Effort) -> Result<f64> {
    let [n, weight] = CACHED;
    let (p, mut rng) = (a.modulus(), Rng::seed_from_u64(1));
    let valued = a.valued() as f64 / a.nnz().max(1) as f64;
    let mut entries = Vec::with_capacity(n * weight);
    for i in 0..n {
        let start = rng.random_range(0..n);
        for k in 0..weight {
            // Distinct columns: the step is odd and n a power of two.
            let col = (start + 5 * k) % n;
            let other = p.get() > 3 && rng.random_bool(valued);
            entries.push((i, col, if other { rng.random_range(2..p.get() - 1) } else { 1 }));
        }
    }
    let small = SparseMatrix::from_triplets(p, n, n, &entries);
    let product = Product::new(&small, &Plan::choose(&small, options)?)?;
    Ok((n * weight * width) as f64 / time_product(&small, &product, width, effort)?)
}
