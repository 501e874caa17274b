//! Solutions and contradictions.

use super::SolveOptions;
use super::kernel::{self, KernelOptions, NullVectors};
use super::rank::{Rank, RankOptions};
use crate::certify::repetitions;
use crate::pivots::Rule;
use crate::report::Phases;
use crate::sparse::SparseMatrix;
use crate::{Error, Observer, Result, memory};

/// What the memory is for.
const SYSTEM: &str = "the system with its right sides";
/// Rows between two looks at the observer.
const CHECKED: usize = 1 << 10;

/// What a system has: solutions, or none and why.
#[derive(Clone, Debug)]
#[must_use]
#[non_exhaustive]
pub struct Solution {
    /// The rank of A; how it was found is that of (A | B).
    pub rank: Rank,
    /// The columns of B for which there is no solution, ascending.
    pub inconsistent: Vec<u32>,
    /// X with A·X = B, if all columns of B have solutions.
    pub solutions: Option<SparseMatrix>,
    /// Why the first of [`Solution::inconsistent`] has none.
    pub contradiction: Option<Contradiction>,
}

impl Solution {
    /// Whether all right sides have solutions.
    pub fn is_consistent(&self) -> bool {
        self.inconsistent.is_empty()
    }
}

/// y with yᵀ·A = 0 and yᵀ·b ≠ 0: whatever x is, A·x is not b.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contradiction {
    /// The number of b among the columns of B.
    pub column: u32,
    /// The rows in which y is not 0, ascending, and what it is there.
    pub y: Vec<(u32, u64)>,
    /// yᵀ·b.
    pub value: u64,
}

/// Solves A·X = B.
///
/// ```
/// use blackfield::{Silent, answers::{SolveOptions, solve}, field::Modulus, sparse::SparseMatrix};
/// let p = Modulus::new(7)?;
/// let a = SparseMatrix::from_csr(p, 2, &[0, 2, 3], &[0, 1, 1], &[1, 3, 2])?;
/// let b = SparseMatrix::from_csr(p, 1, &[0, 1, 2], &[0, 0], &[5, 4])?;
/// let x = solve(&a, &b, &SolveOptions::default(), &Silent)?.solutions.expect("there is one");
/// assert_eq!(x, SparseMatrix::from_csr(p, 1, &[0, 1, 2], &[0, 0], &[6, 2])?); // 6 + 3·2 = 5, 2·2 = 4
/// # Ok::<(), blackfield::Error>(())
/// ```
///
/// # Errors
/// [`Error::Matrix`] unless B has as many rows as A, and the same modulus; [`Error::Usage`] for options out of range,
/// [`Error::Memory`] if no way fits or memory
/// ends, [`Error::Interrupted`] when the observer says so, and [`Error::Check`] if a computation contradicts itself.
pub fn solve(a: &SparseMatrix, b: &SparseMatrix, options: &SolveOptions, observer: &dyn Observer) -> Result<Solution> {
    if (a.rows(), a.modulus()) != (b.rows(), b.modulus()) {
        let [(m, p), (rows, q)] = [a, b].map(|matrix| (matrix.rows(), matrix.modulus()));
        return Err(Error::Matrix(format!("{rows} rows of right sides mod {q} for a matrix of {m} rows mod {p}")));
    }
    let (cols, count) = (a.cols(), b.cols());
    if a.cols() + count > u32::MAX as usize {
        return Err(Error::Matrix(format!("{count} right sides beside {} columns: 2^32 - 1 are possible", a.cols())));
    }
    let of_system = RankOptions { vectors: Some(count), ..options.rank.clone() };
    let system = kernel::decompose(beside(a, b)?, Rule::Aside(count), &of_system, observer)?;
    let mut phases = Phases::default();
    let mut x = SparseMatrix::empty(a.modulus(), cols, count, 0)?;
    let (mut inconsistent, mut entries) = (vec![], vec![]);
    let most = options.rank.max_memory.unwrap_or(u64::MAX);
    let take = |vectors: NullVectors| {
        for k in 0..vectors.len() {
            let (at, values) = vectors.vector(k);
            let (on_x, on_b) = at.split_at(at.partition_point(|&j| (j as usize) < cols));
            // Its own column, the last of those in which it is not zero, and perhaps such that have a pivot.
            let column = on_b[on_b.len() - 1] as usize - cols;
            while x.rows() < column {
                memory::push(&mut inconsistent, x.rows() as u32, SYSTEM)?;
                x.push_row(&mut entries);
            }
            if on_b.len() == 1 {
                x.reserve_row(on_x.len())?;
                entries.extend(on_x.iter().copied().zip(values.iter().copied()));
            } else {
                memory::push(&mut inconsistent, column as u32, SYSTEM)?;
            }
            x.push_row(&mut entries);
        }
        // X and, in the end, its transpose.
        let bytes = 2 * (12 * x.nnz() + 8 * (count + cols)) as u64;
        match bytes <= most {
            true => Ok(()),
            false => Err(Error::Memory(format!("{} of {count} solutions take {bytes} bytes", x.rows()))),
        }
    };
    phases.time("substitution", || system.of_last(cols, options.random, take, observer))?;
    while x.rows() < count {
        memory::push(&mut inconsistent, x.rows() as u32, SYSTEM)?;
        x.push_row(&mut entries);
    }
    let mut rank = system.rank().clone();
    rank.rank = system.rank_before(count);
    drop(system);
    let Some(&first) = inconsistent.first() else {
        let x = phases.time("substitution", || x.transpose())?;
        phases.shown("check", observer, || check(a, &x, b, observer))?;
        rank.phases.extend(&phases);
        return Ok(Solution { rank, inconsistent, solutions: Some(x), contradiction: None });
    };
    let contradiction = phases.shown("contradiction", observer, || contradiction(a, b, first, options, observer))?;
    rank.phases.extend(&phases);
    Ok(Solution { rank, inconsistent, solutions: None, contradiction: Some(contradiction) })
}

/// (A | -B).
fn beside(a: &SparseMatrix, b: &SparseMatrix) -> Result<SparseMatrix> {
    let p = a.modulus();
    let mut both = SparseMatrix::empty(p, a.cols() + b.cols(), a.rows(), a.nnz() + b.nnz())?;
    let mut entries = vec![];
    for i in 0..a.rows() {
        let ((cols, values), (right, sides)) = (a.row(i), b.row(i));
        entries.extend(cols.iter().copied().zip(values.iter().copied()));
        entries.extend(right.iter().zip(sides).map(|(&k, &v)| (a.cols() as u32 + k, p.neg(v))));
        both.push_row(&mut entries);
    }
    Ok(both)
}

/// # Errors
/// [`Error::Check`] unless A·X = B.
fn check(a: &SparseMatrix, x: &SparseMatrix, b: &SparseMatrix, observer: &dyn Observer) -> Result<()> {
    let p = a.modulus();
    let mut sums = memory::zeros::<u64>(b.cols(), SYSTEM)?;
    // The columns that the row meets, perhaps repeatedly; sums are 0 in all others.
    let mut met: Vec<u32> = vec![];
    for i in 0..a.rows() {
        if i.is_multiple_of(CHECKED) {
            observer.check()?;
        }
        met.clear();
        let (right, sides) = b.row(i);
        right.iter().zip(sides).for_each(|(&k, &v)| sums[k as usize] = p.neg(v));
        memory::reserve(&mut met, right.len(), SYSTEM)?;
        met.extend(right);
        let (cols, values) = a.row(i);
        for (&j, &v) in cols.iter().zip(values) {
            let (lanes, coordinates) = x.row(j as usize);
            let by = p.multiplier(v);
            memory::reserve(&mut met, lanes.len(), SYSTEM)?;
            met.extend(lanes);
            lanes.iter().zip(coordinates).for_each(|(&k, &x)| {
                let sum = &mut sums[k as usize];
                *sum = p.add(*sum, p.mul_by(x, by));
            });
        }
        if met.iter().any(|&k| sums[k as usize] != 0) {
            return Err(Error::Check(format!("a solution does not solve equation {}", i + 1)));
        }
    }
    Ok(())
}

/// Why column `column` of B is no combination of the columns of A.
fn contradiction(
    a: &SparseMatrix,
    b: &SparseMatrix,
    column: u32,
    options: &SolveOptions,
    observer: &dyn Observer,
) -> Result<Contradiction> {
    let p = a.modulus();
    let mut right = memory::zeros::<u64>(b.rows(), SYSTEM)?;
    for (i, right) in right.iter_mut().enumerate() {
        let (cols, values) = b.row(i);
        *right = cols.binary_search(&column).map_or(0, |k| values[k]);
    }
    // An equation 0 = b says it all.
    if let Some(i) = (0..a.rows()).find(|&i| right[i] != 0 && a.row(i).0.is_empty()) {
        return Ok(Contradiction { column, y: vec![(i as u32, 1)], value: right[i] });
    }
    // Random left null vectors of which one shows a contradiction, but for a probability of at most 2⁻¹³⁰.
    let vectors = repetitions(p);
    let of_rows = KernelOptions { left: true, vectors: Some(vectors), rank: options.rank.clone() };
    let left = kernel::kernel(a, &of_rows, observer)?;
    let mut found = None;
    let take = |vectors: NullVectors| {
        for k in 0..vectors.len() {
            let (at, values) = vectors.vector(k);
            let terms = at.iter().zip(values).map(|(&i, &v)| p.mul(v, right[i as usize]));
            let value = terms.fold(0, |sum, term| p.add(sum, term));
            if value != 0 && found.is_none() {
                let y = memory::collect(at.iter().copied().zip(values.iter().copied()), SYSTEM)?;
                found = Some(Contradiction { column, y, value });
            }
        }
        Ok(())
    };
    left.random(vectors, |vectors| Ok(vectors.clone()), take, observer)?;
    found.ok_or_else(|| Error::Check("no left null vector contradicts a system without a solution".into()))
}
