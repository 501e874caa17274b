//! Relations of random row vectors by block Wiedemann on A itself, and their proof.
//!
//! Let F be the matrix generator that [`GeneratorSearch`] finds for the terms YᵀAⁱX, and ρ = Σ δᵢ the sum of its row
//! degrees: the rank of a block Hankel matrix of the terms (see there), which is a product of a matrix of rows YᵀAⁱ and
//! one of columns AʲX. So **the submodule M that the rows of Yᵀ generate has dimension ρ at least**. If every row f of
//! F is a relation, Σ f_k·Yᵀ·Aᵏ = 0, then M is a quotient of K\[x\]ˢ / F, of dimension deg det F ≤ ρ: so F presents M,
//! and its dimension is ρ. That the rows are relations is shown in one of two ways:
//!
//! - **ρ = n.** With L terms, a row f of degree δ gives a vector w = Σ f_k·Yᵀ·Aᵏ with w·AʲX = 0 for j < L - δ. Let δ be
//!   the largest degree in F, and let all other rows of the order basis have larger ones. Then the block Hankel matrix
//!   of δ + 1 × L - δ blocks has rank ρ = n (its formula is in `sigma_basis/generator.rs`), so the AʲX, j < L - δ, span
//!   Kⁿ, and w = 0.
//! - **ρ < n**: by multiplication. w is computed for every row, from YᵀAᵏ, k ≤ δ. No random choice enters.
//!
//! A generator that fails the test is not yet that of the sequence; or the columns of X see less of M than its rows
//! generate. They see all of it if, for each prime f that kills an element of M, the functionals AʲX separate the
//! elements that f kills, a space of at most s dimensions over GF(p)\[x\]/f: t columns more than rows fail to do so
//! with probability about p⁻ᵗ⁻¹ for each f. So X has a few more, and another run follows one that fails. Yᵀ has as many
//! zero rows, whose relations are trivial.

use super::Presentation;
use crate::blackbox::{Operator, Preconditioned, Scratch};
use crate::certify::{Domain, Streams};
use crate::dense;
use crate::field::PrimeField;
use crate::poly::PolyMatrix;
use crate::report::{ErrorBound, Phases, Quiet};
use crate::sequence::{Krylov, Projection, Start};
use crate::sigma_basis::GeneratorSearch;
use crate::spmv::Block;
use crate::wiedemann::{Counted, Saved};
use crate::{Error, Observer, Result, memory};
use rand::RngExt;

/// Terms that must leave the generator unchanged before it is tried.
const STABLE_TERMS: usize = 6;
/// Each time the sequence grows by this fraction before the generator is looked at again.
const GROWTH: usize = 8;
/// The σ-basis is checked by other arithmetic than it was found by: a guard against machines and mistakes.
const CHECK: ErrorBound = ErrorBound::of_bits(64);
/// Columns of X beyond the rows that are not zero: so many that p^t has this many bits; the next run has twice as many.
const SPARE_BITS: f64 = 10.0;
/// Runs, each with new random choices and more columns.
pub const RUNS: u64 = 5;
/// What the memory is for.
const ROWS: &str = "relations of rows";

/// What a run takes beside the matrix.
#[derive(Debug)]
pub struct Runs<'a> {
    /// The number s of row vectors.
    pub block: usize,
    /// Where its random choices come from.
    pub streams: &'a Streams<'a>,
    /// The number of the run among those of these streams.
    pub number: u64,
}

/// The submodule that s uniformly random row vectors generate under the matrix.
///
/// # Errors
/// [`Error::Interrupted`], [`Error::Memory`]; [`Error::Check`] if the computation contradicts itself.
///
/// # Panics
/// If the operator is not square, or of order 0.
pub fn by_wiedemann(
    product: &dyn Operator,
    runs: &Runs<'_>,
    phases: &mut Phases,
    observer: &dyn Observer,
) -> Result<Presentation> {
    let bits = SPARE_BITS / (product.modulus().get() as f64).log2();
    for attempt in 0..RUNS {
        let spare = (bits * (1 << attempt) as f64).ceil() as usize;
        if let Some(found) = attempt_with(product, runs, (attempt, spare), phases, observer)? {
            return Ok(found);
        }
    }
    let n = product.rows();
    Err(Error::Check(format!("{RUNS} runs of block Wiedemann under a matrix of order {n} found no relations")))
}

/// A run with so many columns of X to spare; `None` if the generator of its sequence is not that of the rows.
fn attempt_with(
    product: &dyn Operator,
    runs: &Runs<'_>,
    (attempt, spare): (u64, usize),
    phases: &mut Phases,
    observer: &dyn Observer,
) -> Result<Option<Presentation>> {
    let (n, p) = (product.rows(), product.modulus());
    let (field, vectors) = (PrimeField(p), runs.block.min(n));
    let s = vectors + spare;
    let stream = |domain| runs.streams.stream(domain, runs.number * RUNS + attempt);
    let rng = &mut stream(Domain::Projection);
    let mut transposed = memory::zeros(n * s, ROWS)?;
    transposed[..n * vectors].iter_mut().for_each(|y| *y = rng.random_range(0..p.get()));
    let operator = Preconditioned::plain(product);
    let projection = Projection::Dense { transposed: memory::copy(&transposed, ROWS)? };
    let mut source = Krylov::new(&field, &operator, projection, s, Start::X, &mut stream(Domain::Start))?;
    let mut saved = Saved::of(&mut source, 1, &format!("{vectors} dense rows"), observer)?;
    let mut search = GeneratorSearch::new(field, s)?;
    let expected = n.div_ceil(s) + n.div_ceil(vectors) + 2 + STABLE_TERMS;
    observer.phase("sequence", expected as u64);
    let mut length = 0;
    loop {
        let grown = length + (length / GROWTH).max(32);
        let target = if length < expected && grown + grown / (2 * GROWTH) >= expected { expected } else { grown };
        let mut terms = memory::with_capacity((target - length).saturating_mul(s * s), "the terms of a sequence")?;
        let counted = Counted { observer, before: length, expected };
        phases.time("sequence", || saved.extend(&field, &mut source, (length, target), &mut terms, &counted))?;
        length = target;
        phases.time("sigma_basis", || search.extend(&terms, &Quiet(observer)))?;
        let dimension = search.rank_bound();
        let full = dimension == n && is_only(&search);
        let last = length >= 2 * n + 2;
        if !full && !last && (dimension == n || search.stable_terms() < STABLE_TERMS) {
            continue;
        }
        phases.time("sigma_basis", || search.verify(CHECK, &mut stream(Domain::Verification)))?;
        let matrix = search.generator()?.matrix;
        if full || phases.time("relations", || are_relations(product, &transposed, &matrix, observer))? {
            return Ok(Some(Presentation { modulus: p, matrix, dimension, vectors }));
        }
        if last || length >= expected {
            return Ok(None);
        }
    }
}

/// Whether all rows of the order basis outside the generator have larger degrees than those in it.
fn is_only(search: &GeneratorSearch<PrimeField>) -> bool {
    let mut degrees = search.degrees();
    degrees.sort_unstable();
    let s = degrees.len() / 2;
    degrees[s - 1] < degrees[s]
}

/// Whether Σ F_k·Yᵀ·Aᵏ = 0, exactly.
fn are_relations(product: &dyn Operator, y: &[u64], f: &PolyMatrix<u64>, observer: &dyn Observer) -> Result<bool> {
    let (n, p, s) = (product.rows(), product.modulus(), f.rows());
    // (YᵀAᵏ)ᵀ, n × s.
    let mut turned = memory::zeros(n * s, ROWS)?;
    for (i, row) in y.chunks_exact(n).enumerate() {
        row.iter().enumerate().for_each(|(j, &v)| turned[j * s + i] = v);
    }
    let mut current = Block::from_residues(product.lane(), n, s, &turned)?;
    let (mut next, mut scratch) = (Block::zeros(product.lane(), n, s)?, Scratch::new());
    let mut sums = memory::zeros(n * s, ROWS)?;
    let mut weights = memory::zeros(s * s, ROWS)?;
    observer.phase("relations", f.len() as u64);
    for k in 0..f.len() {
        observer.check()?;
        observer.progress(k as u64);
        for (i, row) in f.coefficient(k).chunks_exact(s).enumerate() {
            row.iter().enumerate().for_each(|(j, &v)| weights[j * s + i] = v);
        }
        dense::gemm(p, n, s, s, &current.to_residues()?, &weights, &mut turned)?;
        sums.iter_mut().zip(&turned).for_each(|(sum, &term)| *sum = p.add(*sum, term));
        if k + 1 < f.len() {
            product.apply_transpose(&current, &mut next, &mut scratch)?;
            std::mem::swap(&mut current, &mut next);
        }
    }
    Ok(sums.iter().all(|&sum| sum == 0))
}
