//! Linear systems mod a large prime.

use super::question::{question, rank};
use super::{KernelOptions, Rank, RankOptions, SolveOptions};
use crate::certify::Domain;
use crate::large::{LargeModulus, LargeVectors};
use crate::sparse::Triplets;
use crate::{Error, Observer, Result, memory};
use num_bigint::{BigInt, BigUint};
use num_integer::Integer as _;
use num_traits::{One, Zero};

/// What the memory is for.
const SYSTEM: &str = "solutions mod a large prime";
/// Random left null vectors of which one shows a contradiction: each does not with probability 1/p.
const VECTORS: usize = 128;

/// What a system has: solutions, or none and why.
#[derive(Clone, Debug)]
#[must_use]
#[non_exhaustive]
pub struct LargeSolution {
    /// The rank of A; how it was found is that of (A | -B).
    pub rank: Rank,
    /// The columns of B for which there is no solution, ascending.
    pub inconsistent: Vec<u32>,
    /// X with A·X = B, its entries residues, if all columns of B have solutions.
    pub solutions: Option<Triplets>,
    /// Why the first of [`LargeSolution::inconsistent`] has none.
    pub contradiction: Option<LargeContradiction>,
}

/// y with yᵀ·A = 0 and yᵀ·b ≠ 0: whatever x is, A·x is not b.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LargeContradiction {
    /// The number of b among the columns of B.
    pub column: u32,
    /// The rows in which y is not 0, ascending, and what it is there.
    pub y: Vec<(u32, BigUint)>,
    /// yᵀ·b.
    pub value: BigUint,
}

impl LargeSolution {
    /// Whether all right sides have solutions.
    pub fn is_consistent(&self) -> bool {
        self.inconsistent.is_empty()
    }
}

/// Solves A·X = B mod p, for a prime p of any size.
///
/// # Errors
/// [`Error::Matrix`] unless B has as many rows as A; else as [`large_rank`](super::large_rank).
pub fn large_solve(
    a: &Triplets,
    b: &Triplets,
    p: &LargeModulus,
    options: &SolveOptions,
    observer: &dyn Observer,
) -> Result<LargeSolution> {
    if a.rows() != b.rows() {
        let (m, rows) = (a.rows(), b.rows());
        return Err(Error::Matrix(format!("{rows} rows of right sides for a matrix of {m} rows")));
    }
    let mut question = question(a, p, &options.rank)?;
    question.right = Some(b);
    let found = question.answer(observer)?;
    let mut rank = rank(&found);
    let space = found.space.expect("it was wanted");
    let (cols, count) = (a.cols(), b.cols());
    let first = space.free().partition_point(|&j| (j as usize) < cols);
    rank.rank -= count - (space.free().len() - first);
    let mut rng = question.streams.stream(Domain::Solutions, 0);
    let random = if options.random { first } else { 0 };
    let (mut inconsistent, mut entries, mut next) = (vec![], vec![], 0);
    for begin in (first..space.free().len()).step_by(space.block()) {
        let range = begin..space.free().len().min(begin + space.block());
        let vectors = space.basis(range.clone(), (random, &mut rng), observer)?;
        for (k, &j) in space.free()[range].iter().enumerate() {
            let column = j - cols as u32;
            inconsistent.extend(next..column);
            next = column + 1;
            take(&vectors, k, (cols, column), &mut inconsistent, &mut entries)?;
        }
        let bytes = (entries.len() * (p.limbs() * 8 + 64)) as u64;
        if options.rank.max_memory.is_some_and(|most| bytes > most) {
            return Err(Error::Memory(format!("{next} of {count} solutions take {bytes} bytes")));
        }
    }
    inconsistent.extend(next..count as u32);
    let Some(&column) = inconsistent.first() else {
        let x = Triplets::try_from_entries(cols, count, entries)?;
        return Ok(LargeSolution { rank, inconsistent, solutions: Some(x), contradiction: None });
    };
    let contradiction = contradiction(a, b, p, column, &options.rank, observer)?;
    Ok(LargeSolution { rank, inconsistent, solutions: None, contradiction: Some(contradiction) })
}

/// A null vector of (A | -B) that is 1 in `column` of B: a solution, unless it is not 0 in another one.
fn take(
    vectors: &LargeVectors,
    k: usize,
    (cols, column): (usize, u32),
    inconsistent: &mut Vec<u32>,
    entries: &mut Vec<(usize, usize, BigInt)>,
) -> Result<()> {
    let (at, values) = vectors.vector(k);
    let here = at.partition_point(|&j| (j as usize) < cols);
    if at.len() > here + 1 {
        return memory::push(inconsistent, column, SYSTEM);
    }
    memory::reserve(entries, here, SYSTEM)?;
    let x = at[..here].iter().zip(values).map(|(&j, v)| (j as usize, column as usize, BigInt::from(v.clone())));
    entries.extend(x);
    Ok(())
}

/// Why column `column` of B is no combination of the columns of A.
fn contradiction(
    a: &Triplets,
    b: &Triplets,
    p: &LargeModulus,
    column: u32,
    options: &RankOptions,
    observer: &dyn Observer,
) -> Result<LargeContradiction> {
    let modulus = BigInt::from(p.get().clone());
    let residue = |v: BigInt| v.mod_floor(&modulus).into_parts().1;
    let mut right = memory::filled(BigUint::zero(), b.rows(), SYSTEM)?;
    for (i, _, v) in b.entries().filter(|entry| entry.1 == column as usize) {
        right[i] = residue(v.to_bigint());
    }
    // An equation 0 = b says it all.
    let mut empty = memory::filled(true, a.rows(), SYSTEM)?;
    a.entries().filter(|entry| !residue(entry.2.to_bigint()).is_zero()).for_each(|(i, _, _)| empty[i] = false);
    if let Some(i) = (0..a.rows()).find(|&i| empty[i] && !right[i].is_zero()) {
        let (y, value) = (vec![(i as u32, BigUint::one())], std::mem::take(&mut right[i]));
        return Ok(LargeContradiction { column, y, value });
    }
    let left = super::large_kernel(a, p, &KernelOptions::default().left(true).rank(options.clone()), observer)?;
    let mut found = None;
    let mut take = |vectors: &LargeVectors| {
        for k in 0..vectors.len() {
            let (at, values) = vectors.vector(k);
            let value = at.iter().zip(values).map(|(&i, v)| v * &right[i as usize]).sum::<BigUint>() % p.get();
            if !value.is_zero() && found.is_none() {
                let y = memory::collect(at.iter().copied().zip(values.iter().cloned()), SYSTEM)?;
                found = Some(LargeContradiction { column, y, value });
            }
        }
        Ok(())
    };
    // One vector nearly always, many only for small p.
    left.random(1, &mut take, observer)?;
    left.random(VECTORS, &mut take, observer)?;
    found.ok_or_else(|| Error::Check("no left null vector contradicts a system without a solution".into()))
}
