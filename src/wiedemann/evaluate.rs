//! The second pass: what a matrix generator says of the vectors that it annihilates.
//!
//! Let Σₖ Bᵏ·(B·C)·Gₖ = 0 for k = 0, …, d with G₀ invertible. Then U = -Σ Bᵏ⁻¹·C·Gₖ·G₀⁻¹ for k = 1, …, d solves
//! B·(C - B·U) = 0, and by Horner's rule it takes d - 1 products with B and d with s × s matrices, in the memory of
//! three blocks.

use super::state::Saved;
use crate::blackbox::{Preconditioned, Scratch};
use crate::dense;
use crate::field::Field;
use crate::poly::PolyMatrix;
use crate::spmv::Block;
use crate::{Observer, Result, memory};

/// What the memory is for.
const WEIGHTS: &str = "the evaluation of a generator";
/// Rows of a block that are multiplied at a time.
const ROWS: usize = 1 << 13;

/// U, by the generator `f` whose coefficients are those of G transposed; `None` if its constant coefficient is
/// singular.
pub(super) fn evaluate<F: Field>(
    field: &F,
    operator: &Preconditioned<'_>,
    c: &Block,
    f: &PolyMatrix<F::Elem>,
    saved: &mut Saved<'_>,
    observer: &dyn Observer,
) -> Result<Option<Block>> {
    let (p, s, n, w) = (field.modulus(), f.rows(), c.rows(), c.width());
    let Some(inverse) = inverse(field, s, f.coefficient(0))? else { return Ok(None) };
    let mut scratch = Scratch::new();
    let (mut u, mut next) = (Block::zeros(c.lane(), n, w)?, Block::zeros(c.lane(), n, w)?);
    let mut last = f.len();
    if let Some((k, block)) = saved.evaluated() {
        (u, last) = (Block::from_residues(c.lane(), n, w, &block)?, (k as usize).min(last));
    }
    observer.phase("evaluation", f.len() as u64 - 1);
    let mut rows = memory::with_capacity(ROWS.min(n) * w, WEIGHTS)?;
    let mut product = memory::zeros(ROWS.min(n) * w, WEIGHTS)?;
    for k in (1..last).rev() {
        observer.check()?;
        if k + 1 < f.len() {
            operator.apply(&u, &mut next, &mut scratch)?;
            std::mem::swap(&mut u, &mut next);
        }
        let weights = weights(field, s, &inverse, f.coefficient(k))?;
        for first in (0..n).step_by(ROWS) {
            let count = ROWS.min(n - first);
            rows.clear();
            (first..first + count).for_each(|i| c.push_row(i, w, &mut rows));
            let product = &mut product[..count * w];
            dense::gemm(p, count, w, w, &rows, &weights, product)?;
            u.add_rows(p, first, product);
        }
        observer.progress((f.len() - k) as u64);
        saved.evaluation(k as u64, &u)?;
    }
    Ok(Some(u))
}

/// -(F₀⁻¹·Fₖ)ᵀ as a matrix of digits: row l·k + d, column j·k + e holds digit e of tᵈ times its entry (l, j).
fn weights<F: Field>(field: &F, s: usize, inverse: &[F::Elem], f: &[F::Elem]) -> Result<Vec<u64>> {
    let k = field.degree();
    let w = s * k;
    let mut weights = memory::zeros(w * w, WEIGHTS)?;
    let mut sums = memory::zeros::<F::Elem>(s, WEIGHTS)?;
    for j in 0..s {
        // Row j of the product.
        sums.fill(field.zero());
        for (i, &by) in inverse[j * s..][..s].iter().enumerate() {
            field.axpy(&mut sums, by, &f[i * s..][..s]);
        }
        for (l, &sum) in sums.iter().enumerate() {
            let mut power = field.neg(sum);
            for d in 0..k {
                if d > 0 {
                    power = field.mul(power, field.generator());
                }
                field.write_digits(power, &mut weights[(l * k + d) * w + j * k..][..k]);
            }
        }
    }
    Ok(weights)
}

/// The inverse of an s × s matrix, row-major, by Gauss–Jordan elimination; `None` if it is singular.
fn inverse<F: Field>(field: &F, s: usize, matrix: &[F::Elem]) -> Result<Option<Vec<F::Elem>>> {
    let width = 2 * s;
    let mut rows = memory::zeros::<F::Elem>(s * width, WEIGHTS)?;
    for (i, row) in rows.chunks_exact_mut(width).enumerate() {
        row[..s].copy_from_slice(&matrix[i * s..][..s]);
        row[s + i] = field.one();
    }
    let mut pivot = memory::with_capacity(width, WEIGHTS)?;
    for col in 0..s {
        let Some(at) = (col..s).find(|&i| rows[i * width + col] != field.zero()) else { return Ok(None) };
        (0..width).for_each(|j| rows.swap(at * width + j, col * width + j));
        let by = field.inv(rows[col * width + col]);
        pivot.clear();
        pivot.extend(rows[col * width..][..width].iter().map(|&x| field.mul(x, by)));
        rows[col * width..][..width].copy_from_slice(&pivot);
        for (_, row) in rows.chunks_exact_mut(width).enumerate().filter(|&(i, _)| i != col) {
            field.axpy(row, field.neg(row[col]), &pivot);
        }
    }
    let mut inverse = memory::with_capacity(s * s, WEIGHTS)?;
    rows.chunks_exact(width).for_each(|row| inverse.extend_from_slice(&row[s..]));
    Ok(Some(inverse))
}
