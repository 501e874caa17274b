//! Products with one matrix, timed: formats and widths against each other and against what they cannot be faster than.

use super::measure::{Effort, least_of_parts};
use crate::field::Rng;
use crate::sparse::SparseMatrix;
use crate::spmv::{Block, Plan, PlanOptions, PlannedPart, Product};
use crate::{Error, Result, memory};
use rand::{RngExt, SeedableRng};
use std::time::Instant;

/// Rows of a product that are computed again by the definition.
const CHECKED: usize = 32;

/// Rows and columns of a matrix whose products stay in the first cache, and its entries in a row.
const CACHED: [usize; 2] = [64, 32];

/// Seconds by the clock of Y ← AX and of X ← AᵀY, in turn as in a sequence, with random blocks of `width` vectors: the
/// least of several runs on rayon's current pool. `product` must be one of `a`; of the first run, some rows of Y and of
/// X are compared with their definition.
///
/// # Errors
/// [`Error::Memory`]; [`Error::Check`] if a row is wrong.
///
/// # Panics
/// If the product is of another shape.
pub fn time_products(a: &SparseMatrix, product: &Product, width: usize, effort: Effort) -> Result<[f64; 2]> {
    assert_eq!((a.rows(), a.cols()), (product.rows(), product.cols()), "a product of another matrix");
    let mut rng = Rng::seed_from_u64(width as u64);
    let x = Block::random(product.lane(), a.cols(), width, a.modulus(), &mut rng)?;
    let mut y = Block::zeros(product.lane(), a.rows(), width)?;
    let mut z = Block::zeros(product.lane(), a.cols(), width)?;
    product.apply_scaled(None, &x, &mut y)?;
    check(a, product, &x, &y, false, &mut rng)?;
    product.apply_transpose_scaled(None, &y, &mut z)?;
    check(a, product, &y, &z, true, &mut rng)?;
    let mut x = z;
    least_of_parts(effort, || {
        let start = Instant::now();
        product.apply_scaled(None, &x, &mut y)?;
        let forward = start.elapsed().as_secs_f64();
        product.apply_transpose_scaled(None, &y, &mut x)?;
        Ok([forward, start.elapsed().as_secs_f64() - forward])
    })
}

/// Compares some rows of Y with those of AX, or of AᵀX.
pub(super) fn check(
    a: &SparseMatrix,
    product: &Product,
    x: &Block,
    y: &Block,
    transposed: bool,
    rng: &mut Rng,
) -> Result<()> {
    let (p, rows, width) = (a.modulus(), y.rows(), y.width());
    let mut place = memory::filled(CHECKED, rows, "rows of a product")?;
    let mut some: Vec<usize> = (0..CHECKED.min(rows)).map(|_| rng.random_range(0..rows)).collect();
    some.sort_unstable();
    some.dedup();
    some.iter().enumerate().for_each(|(k, &i)| place[i] = k);
    let mut sums = memory::zeros::<u64>(CHECKED * width, "rows of a product")?;
    let through: Vec<usize> = if transposed { (0..a.rows()).collect() } else { some.clone() };
    for i in through {
        let (cols, values) = a.row(i);
        for (&j, &v) in cols.iter().zip(values) {
            let [to, from] = if transposed { [j as usize, i] } else { [i, j as usize] };
            if place[to] < CHECKED {
                let sums = &mut sums[place[to] * width..][..width];
                sums.iter_mut().enumerate().for_each(|(l, sum)| *sum = p.add(*sum, p.mul(v, x.get(from, l))));
            }
        }
    }
    for (k, &i) in some.iter().enumerate() {
        if let Some(l) = (0..width).find(|&l| y.get(i, l) != sums[k * width + l]) {
            let of = if transposed { "a transposed product" } else { "a product" };
            return Err(Error::Check(format!("row {i}, vector {l} of {of} mod {p}: {}", product.plan())));
        }
    }
    Ok(())
}

/// Bytes that Y ← AX and X ← AᵀY with so many vectors read and write at least: each part of A and of its transpose,
/// each row of X and of Y once in each.
pub fn floor_bytes(plan: &Plan, width: usize) -> f64 {
    let bytes = |parts: &[PlannedPart]| parts.iter().map(|part| part.bytes).sum::<usize>();
    let parts = bytes(&plan.parts) + bytes(plan.transposed.as_ref().unwrap_or(&plan.parts));
    (parts + 2 * (plan.rows + plan.cols) * width * plan.lane.bytes()) as f64
}

/// Multiply-adds a second of one thread where nothing waits for memory: the same products of a small matrix, with the
/// same share of entries that are not ±1. Faster than that, times the threads, no products with `a` and Aᵀ are.
///
/// # Errors
/// As [`time_products`].
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
    let seconds = time_products(&small, &product, width, effort)?;
    Ok((2 * n * weight * width) as f64 / seconds.iter().sum::<f64>())
}
