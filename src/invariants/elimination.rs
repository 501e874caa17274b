//! Relations of random vectors by a dense echelon form.
//!
//! The columns of (V, AV, A²V, …), s at a time, in this order: if Aʲvᵢ depends on the columns before it, then so does
//! Aʲ⁺¹vᵢ. The columns that do not are the Aʲvᵢ with j < dᵢ, a basis of the submodule that V generates; and Aᵈvᵢ, d =
//! dᵢ, is a combination of those before it, which the reduced row echelon form spells out. These s relations, xᵈeᵢ less
//! terms of lower degree (or of the same degree and a smaller index), are rows of a matrix F with deg det F = Σ dᵢ, the
//! dimension of the submodule: they are all relations.

use super::Presentation;
use crate::dense::{self, Echelon};
use crate::field::{Modulus, Rng};
use crate::poly::PolyMatrix;
use crate::report::Observer;
use crate::spmv::{Block, Product};
use crate::{Error, Result, memory};

/// What the memory is for.
const KRYLOV: &str = "powers of a matrix times vectors";
/// Rows that are gathered at a time: a panel of the echelon form.
const ROWS: usize = 256;
/// Powers beyond those that a generic block needs.
pub(super) const MORE: usize = 2;

/// The submodule that `s` random vectors generate; that is everything if s is the order or more. Where A is given by
/// all its `entries`, row-major, too, powers are dense products.
///
/// # Errors
/// [`Error::Interrupted`], [`Error::Memory`]; [`Error::Check`] if the echelon form contradicts itself.
///
/// # Panics
/// If the matrix is not square, or of order 0, or s is 0.
pub fn by_elimination(
    product: &Product,
    entries: Option<&[u64]>,
    s: usize,
    rng: &mut Rng,
    observer: &dyn Observer,
) -> Result<Presentation> {
    let (n, p, lane) = (product.rows(), product.modulus(), product.lane());
    assert!(n == product.cols() && n > 0 && s > 0, "powers are of a square matrix");
    let s = s.min(n);
    let mut blocks: Vec<Block> = vec![];
    let first = match s == n {
        true => {
            let mut identity = Block::zeros(lane, n, n)?;
            (0..n).for_each(|i| identity.set(i, i, 1));
            identity
        }
        false => Block::random(lane, n, s, p, rng)?,
    };
    memory::push(&mut blocks, first, KRYLOV)?;
    let mut powers = n.div_ceil(s) + 1 + if s == n { 0 } else { MORE };
    loop {
        observer.phase("powers", powers as u64);
        while blocks.len() < powers {
            observer.check()?;
            observer.progress(blocks.len() as u64);
            let last = &blocks[blocks.len() - 1];
            let next = match entries {
                Some(entries) => {
                    let mut next = memory::zeros(n * s, KRYLOV)?;
                    dense::gemm(p, n, n, s, entries, &last.to_residues()?, &mut next)?;
                    Block::from_residues(lane, n, s, &next)?
                }
                None => {
                    let mut next = Block::zeros(lane, n, s)?;
                    product.apply(1, last, 0, &mut next)?;
                    next
                }
            };
            memory::push(&mut blocks, next, KRYLOV)?;
        }
        if let Some(found) = relations(p, n, s, &blocks, observer)? {
            return Ok(found);
        }
        powers = (2 * powers).min(n + 1);
    }
}

/// The relations, if each vector has one among the powers.
fn relations(
    p: Modulus,
    n: usize,
    s: usize,
    blocks: &[Block],
    observer: &dyn Observer,
) -> Result<Option<Presentation>> {
    let cols = s * blocks.len();
    observer.phase("elimination", n as u64);
    observer.share(0.0);
    let mut echelon = Echelon::new(p, cols)?;
    let mut rows = memory::with_capacity(ROWS.min(n) * cols, KRYLOV)?;
    for start in (0..n).step_by(ROWS) {
        rows.clear();
        let end = n.min(start + ROWS);
        for i in start..end {
            blocks.iter().for_each(|block| block.push_row(i, s, &mut rows));
        }
        echelon.absorb_block(end - start, &rows, observer)?;
        // Each row is reduced by all before it.
        observer.share((end as f64 / n as f64).powi(2));
        observer.progress(end as u64);
        // No more rows are independent of as many as there are columns.
        if echelon.rank() == cols {
            return Ok(None);
        }
    }
    drop(rows);
    let reduced = echelon.reduced()?;
    let mut degrees = vec![0; s];
    for &column in reduced.pivot_cols() {
        let (power, vector) = (column as usize / s, column as usize % s);
        if degrees[vector] != power {
            return Err(Error::Check("a power depends on those before it, and the next does not".into()));
        }
        degrees[vector] += 1;
    }
    if degrees.contains(&blocks.len()) {
        return Ok(None);
    }
    let free = reduced.free_cols();
    let place = |vector: usize| free.binary_search(&((degrees[vector] * s + vector) as u32)).expect("a free column");
    let wanted: Vec<u32> = (0..s).map(|vector| place(vector) as u32).collect();
    let table = reduced.columns(&wanted)?;
    let largest = degrees.iter().copied().max().expect("s > 0");
    let mut matrix = PolyMatrix::zeros(s, s, largest + 1)?;
    for (row, &column) in table.chunks_exact(s).zip(reduced.pivot_cols()) {
        let (power, vector) = (column as usize / s, column as usize % s);
        row.iter().enumerate().for_each(|(i, &c)| matrix.set(i, vector, power, p.neg(c)));
    }
    degrees.iter().enumerate().for_each(|(i, &degree)| matrix.set(i, i, degree, 1));
    Ok(Some(Presentation { modulus: p, matrix, dimension: reduced.rank(), vectors: s }))
}
