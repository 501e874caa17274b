//! The Schur complement formed explicitly, row by row (`triangle.rs`), in parallel.
//!
//! Rows without entries are not kept. Nor are, if asked for, repetitions: matrices of homology have many rows whose
//! images in S are multiples of one another. Rows are then divided by their first entry and compared through a hash,
//! and entry by entry where hashes agree. Scaling and dropping such rows changes no rank.
//!
//! Rows are solved in batches of a fixed size and joined in their order: same matrix for every number of threads.

use super::Split;
use super::arithmetic::Arithmetic;
use super::solver::{AnyTriangle, Solver};
use super::triangle::{Triangle, Workspace};
use crate::sparse::SparseMatrix;
use crate::stopwatch::Stopwatch;
use crate::{Error, Observer, Result, memory};
use rayon::prelude::*;
use std::collections::HashMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Rows between asking for memory and reading it.
const AHEAD: usize = 2;
/// Rows that a task solves.
const TASK: usize = 64;
/// Multiply-adds of a task between two looks at the clock, beside the one after its first row.
const LOOK: u64 = 1 << 16;
/// Rows solved before they are joined, repetitions dropped and progress told.
const BATCH: usize = 256 * TASK;

/// What memory is asked for.
const KEPT: &str = "the rows of a Schur complement";

/// An end of patience.
#[derive(Clone, Copy, Debug)]
pub struct Deadline(Stopwatch, f64);

impl Deadline {
    /// After so many seconds of one thread from now on.
    pub fn after(seconds: f64) -> Self {
        Deadline(Stopwatch::start(), seconds)
    }
    fn is_over(&self) -> bool {
        self.0.reaches(self.1)
    }
}

/// How to form a Schur complement.
#[derive(Clone, Copy, Debug)]
pub struct FormOptions {
    /// Most entries of S, counted before repetitions in the batch at hand are dropped.
    pub limit_nnz: usize,
    /// Make rows monic and drop those that occurred before.
    pub distinct: bool,
    /// When to give up.
    pub deadline: Option<Deadline>,
}

/// A Schur complement and where it comes from.
///
/// A minor of S on some rows and columns, put beside the pivots, is a minor of A: nonsingular if and only if it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Formed {
    /// S without empty rows and columns.
    pub matrix: SparseMatrix,
    /// The row of A that each row of S comes from, ascending.
    pub rows: Vec<u32>,
    /// The column of A that each column of S is, ascending.
    pub cols: Vec<u32>,
    /// Multiply-adds made.
    pub work: u64,
}

impl Solver<'_> {
    /// The Schur complement, or `None` if it has more entries than allowed or takes longer. rank A = number of pivots +
    /// rank S.
    ///
    /// Reports a phase "Schur complement" in rows. Memory: 12 bytes for an entry of S, and for each thread 8 bytes for
    /// each pivot and 12 for each column of S.
    ///
    /// # Errors
    /// [`crate::Error::Interrupted`], [`crate::Error::Memory`].
    pub fn form(&self, options: &FormOptions, observer: &dyn Observer) -> Result<Option<Formed>> {
        match &self.triangle {
            AnyTriangle::Lazy(triangle) => form(self.split, triangle, options, observer),
            AnyTriangle::Eager(triangle) => form(self.split, triangle, options, observer),
        }
    }
}

/// What a task made of its rows: the length of each, and their entries.
struct Solved<V> {
    lengths: Vec<usize>,
    entries: Vec<(u32, V)>,
    work: u64,
}

fn form<K: Arithmetic>(
    split: &Split,
    triangle: &Triangle<K>,
    options: &FormOptions,
    observer: &dyn Observer,
) -> Result<Option<Formed>> {
    let (rows, cols) = (&split.rows, &split.cols);
    let workspaces: Mutex<Vec<Workspace<K>>> = Mutex::new(vec![]);
    let mut kept = Kept {
        matrix: SparseMatrix::empty(split.modulus(), cols.len(), 0, 0)?,
        rows: vec![],
        seen: HashMap::new(),
        distinct: options.distinct,
    };
    let mut work = 0;
    observer.phase("Schur complement", rows.len() as u64);
    for (done, batch) in rows.chunks(BATCH).enumerate() {
        observer.check()?;
        observer.progress((done * BATCH) as u64);
        let room = options.limit_nnz - kept.matrix.nnz();
        let made = AtomicUsize::new(0);
        let solve = |task: &[u32]| {
            let idle = workspaces.lock().expect("no task panics").pop();
            let mut workspace = match idle {
                Some(workspace) => workspace,
                None => triangle.workspace().map_err(Some)?,
            };
            let mut solved = Solved { lengths: Vec::with_capacity(task.len()), entries: vec![], work: 0 };
            let mut next_look = 0;
            for (k, &i) in task.iter().enumerate() {
                if let Some(&next) = task.get(k + AHEAD) {
                    triangle.prefetch(split.a.row(next as usize).0);
                }
                let before = solved.entries.len();
                let row = split.a.row(i as usize);
                solved.work += triangle.solve(row, &mut workspace, &mut solved.entries).map_err(Some)?;
                let length = solved.entries.len() - before;
                solved.lengths.push(length);
                // Beyond the limit whatever the other tasks bring: the rest need not be computed.
                let late = solved.work >= next_look && {
                    next_look = solved.work + LOOK;
                    options.deadline.is_some_and(|deadline| deadline.is_over())
                };
                if made.fetch_add(length, Ordering::Relaxed) + length > room || observer.cancelled() || late {
                    return Err(None);
                }
            }
            workspaces.lock().expect("no task panics").push(workspace);
            Ok(solved)
        };
        let tasks = match batch.par_chunks(TASK).map(solve).collect::<std::result::Result<Vec<_>, Option<Error>>>() {
            Ok(tasks) => tasks,
            Err(Some(error)) => return Err(error),
            Err(None) => {
                observer.check()?;
                return Ok(None);
            }
        };
        let mut sources = batch.iter();
        for task in tasks {
            let mut rest = task.entries.as_slice();
            for (length, &source) in task.lengths.into_iter().zip(sources.by_ref()) {
                let (row, behind) = rest.split_at(length);
                rest = behind;
                kept.push(row, source)?;
            }
            work += task.work;
        }
    }
    observer.progress(rows.len() as u64);
    let Kept { mut matrix, rows, .. } = kept;
    let mut used = matrix.drop_empty_columns()?;
    used.iter_mut().for_each(|j| *j = cols[*j as usize]);
    Ok(Some(Formed { matrix, rows, cols: used, work }))
}

/// The rows kept so far.
struct Kept {
    matrix: SparseMatrix,
    /// Where they come from.
    rows: Vec<u32>,
    /// The first row with a hash.
    seen: HashMap<u64, u32>,
    distinct: bool,
}

impl Kept {
    /// Keeps a row, unless it has no entry or is known.
    fn push<V: Copy + Into<u64>>(&mut self, row: &[(u32, V)], source: u32) -> Result<()> {
        let Some(&(_, first)) = row.first() else { return Ok(()) };
        let p = self.matrix.modulus;
        let start = self.matrix.nnz();
        self.matrix.reserve_row(row.len())?;
        memory::reserve(&mut self.rows, 1, KEPT)?;
        self.matrix.col.extend(row.iter().map(|&(j, _)| j));
        let first: u64 = first.into();
        if self.distinct && first != 1 {
            let inverse = p.multiplier(p.inv(first));
            self.matrix.value.extend(row.iter().map(|&(_, v)| p.mul_by(v.into(), inverse)));
        } else {
            self.matrix.value.extend(row.iter().map(|&(_, v)| v.into()));
        }
        if self.distinct && self.is_known(start)? {
            self.matrix.col.truncate(start);
            self.matrix.value.truncate(start);
            return Ok(());
        }
        self.matrix.start.push(self.matrix.nnz());
        self.rows.push(source);
        Ok(())
    }

    /// Whether the entries from `start` on repeat a row; notes their hash if not.
    fn is_known(&mut self, start: usize) -> Result<bool> {
        let (cols, values) = (&self.matrix.col[start..], &self.matrix.value[start..]);
        let hash = cols.iter().zip(values).fold(0, |h: u64, (&j, &v)| {
            // Any mixing will do: what it confuses is only not dropped.
            (h.rotate_left(23) ^ v ^ (j as u64) << 32).wrapping_mul(0x9e37_79b9_7f4a_7c15)
        });
        Ok(match self.seen.get(&hash) {
            Some(&i) => self.matrix.row(i as usize) == (cols, values),
            None => {
                memory::reserve_table(&mut self.seen, 1, KEPT)?;
                self.seen.insert(hash, self.rows.len() as u32);
                false
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::{Modulus, Rng};
    use crate::oracles::greedy_pivots;
    use crate::pivots::Pivots;
    use crate::schur::Prediction;
    use crate::{Error, Silent};
    use rand::{RngExt, SeedableRng};

    /// The last prime of [`Lazy`](crate::schur::arithmetic::Lazy) and the first of `Eager` among them.
    const PRIMES: [u64; 9] =
        [2, 3, 65521, (1 << 31) - 1, 3_037_000_493, 3_037_000_507, 4_294_967_291, (1 << 61) - 1, (1 << 63) - 25];
    const ALL: FormOptions = FormOptions { limit_nnz: usize::MAX, distinct: false, deadline: None };
    const DISTINCT: FormOptions = FormOptions { limit_nnz: usize::MAX, distinct: true, deadline: None };

    fn form(
        a: &SparseMatrix,
        pivots: &Pivots,
        options: &FormOptions,
        observer: &dyn Observer,
    ) -> Result<Option<Formed>> {
        Solver::new(&Split::new(a, pivots).unwrap(), observer)?.form(options, observer)
    }

    fn predict(a: &SparseMatrix, pivots: &Pivots, rng: &mut Rng) -> Prediction {
        Solver::new(&Split::new(a, pivots).unwrap(), &Silent).unwrap().predict(rng).unwrap()
    }

    /// S by the elimination of one pivot after the other from the dense matrix.
    fn naive(a: &SparseMatrix, pivots: &Pivots) -> Vec<(u32, Vec<u64>)> {
        let p = a.modulus();
        let mut dense = vec![vec![0; a.cols()]; a.rows()];
        for (i, row) in dense.iter_mut().enumerate() {
            let (cols, values) = a.row(i);
            cols.iter().zip(values).for_each(|(&j, &v)| row[j as usize] = v);
        }
        for (&i, &j) in pivots.rows.iter().zip(&pivots.cols) {
            let pivot = dense[i as usize].clone();
            let inverse = p.inv(pivot[j as usize]);
            for &t in &Split::new(a, pivots).unwrap().rows {
                let factor = p.mul(dense[t as usize][j as usize], inverse);
                for (x, &y) in dense[t as usize].iter_mut().zip(&pivot) {
                    *x = p.sub(*x, p.mul(factor, y));
                }
            }
        }
        let rows = Split::new(a, pivots).unwrap().rows.into_iter();
        rows.map(|i| (i, dense[i as usize].clone())).filter(|(_, row)| row.iter().any(|&v| v != 0)).collect()
    }

    fn degenerate(p: u64, rng: &mut Rng) -> Vec<SparseMatrix> {
        let mut all = vec![];
        for (rows, cols, weight) in
            [(0, 0, 0), (0, 5, 0), (5, 0, 0), (1, 1, 1), (20, 30, 3), (60, 25, 4), (90, 90, 2), (40, 40, 12)]
        {
            for units in [false, true] {
                let mut entries = vec![];
                for i in (0..rows).filter(|i| i % 5 != 4 && i % 7 != 3) {
                    for _ in 0..if cols == 0 { 0 } else { weight } {
                        let value = if units { [1, p - 1][rng.random_range(0..2)] } else { rng.random_range(0..p) };
                        let j = rng.random_range(0..cols);
                        entries.push((i, j, value));
                        if i % 7 == 2 && i + 1 < rows {
                            entries.push((i + 1, j, value));
                        }
                    }
                }
                all.push(SparseMatrix::from_triplets(Modulus::new(p).unwrap(), rows, cols, &entries));
            }
        }
        all
    }

    #[test]
    fn the_complement_agrees_with_dense_elimination() {
        let mut rng = Rng::seed_from_u64(31);
        let mut exact = 0;
        for p in PRIMES {
            for a in degenerate(p, &mut rng) {
                let pivots = greedy_pivots(&a);
                let expected = naive(&a, &pivots);
                let s = form(&a, &pivots, &ALL, &Silent).unwrap().unwrap();
                assert_eq!(s.rows, expected.iter().map(|row| row.0).collect::<Vec<_>>());
                for (i, (_, row)) in expected.iter().enumerate() {
                    let (cols, values) = s.matrix.row(i);
                    let found: Vec<_> = cols.iter().map(|&j| s.cols[j as usize]).zip(values.iter().copied()).collect();
                    let row: Vec<_> =
                        row.iter().enumerate().map(|(j, &v)| (j as u32, v)).filter(|e| e.1 != 0).collect();
                    assert_eq!(found, row);
                }
                let used: std::collections::BTreeSet<_> = s.matrix.col.iter().collect();
                assert_eq!((used.len(), s.cols.len()), (s.matrix.cols(), s.matrix.cols()));

                // Monic rows, each once.
                let once = form(&a, &pivots, &DISTINCT, &Silent).unwrap().unwrap();
                let mut seen = std::collections::HashMap::new();
                for (i, (_, row)) in expected.iter().enumerate() {
                    let inverse = a.modulus().inv(*row.iter().find(|v| **v != 0).unwrap());
                    let monic: Vec<u64> = row.iter().map(|&v| a.modulus().mul(v, inverse)).collect();
                    seen.entry(monic).or_insert(expected[i].0);
                }
                let mut first: Vec<u32> = seen.values().copied().collect();
                first.sort_unstable();
                assert_eq!(once.rows, first);
                for i in 0..once.matrix.rows() {
                    assert_eq!(once.matrix.row(i).1[0], 1);
                }

                // With all rows in the sample the prediction is exact; an expensive sample is cut short.
                let predicted = predict(&a, &pivots, &mut rng);
                let all = a.rows() - pivots.rows.len();
                assert!(predicted.sampled == all || (8..all).contains(&predicted.sampled));
                if predicted.sampled == all {
                    exact += 1;
                    assert_eq!((predicted.nnz.mean, predicted.nnz.deviation), (s.matrix.nnz() as f64, 0.0));
                    assert_eq!(predicted.work.mean, s.work as f64);
                    assert_eq!(predicted.rows.mean, s.rows.len() as f64);
                }
            }
        }
        assert!(exact > 20, "{exact} samples of all rows");
    }

    #[test]
    fn the_limit_is_exact_and_interruption_an_error() {
        let mut rng = Rng::seed_from_u64(32);
        let a = &degenerate(65521, &mut rng)[14];
        let pivots = greedy_pivots(a);
        let nnz = form(a, &pivots, &ALL, &Silent).unwrap().unwrap().matrix.nnz();
        assert!(nnz > 0);
        let within = |limit_nnz| form(a, &pivots, &FormOptions { limit_nnz, ..ALL }, &Silent).unwrap().is_some();
        assert!(within(nnz) && !within(nnz - 1) && !within(0));
        let by = |deadline| {
            form(a, &pivots, &FormOptions { deadline: Some(Deadline::after(deadline)), ..ALL }, &Silent)
                .unwrap()
                .is_some()
        };
        assert!(by(1000.0) && by(f64::INFINITY) && !by(0.0));

        struct Stop;
        impl Observer for Stop {
            fn cancelled(&self) -> bool {
                true
            }
        }
        assert!(matches!(form(a, &pivots, &ALL, &Stop), Err(Error::Interrupted)));
    }

    #[test]
    fn the_number_of_threads_does_not_matter_nor_does_the_batch() {
        let mut rng = Rng::seed_from_u64(33);
        let n = 3 * BATCH;
        let entries: Vec<_> =
            (0..3 * n).map(|_| (rng.random_range(0..n), rng.random_range(0..n / 4), rng.random_range(1..3))).collect();
        let a = SparseMatrix::from_triplets(Modulus::new(3).unwrap(), n, n / 4, &entries);
        let pivots = greedy_pivots(&a);
        let with = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| form(&a, &pivots, &DISTINCT, &Silent).unwrap().unwrap())
        };
        let one = with(1);
        assert_eq!(one, with(3));
        let predicted = predict(&a, &pivots, &mut rng);
        let all = form(&a, &pivots, &ALL, &Silent).unwrap().unwrap();
        assert!(predicted.sampled < n - pivots.rows.len() && one.matrix.rows() < all.matrix.rows());
        let error = |e: crate::schur::Estimate, x: f64| ((e.mean - x) / e.deviation).abs();
        assert!(error(predicted.nnz, all.matrix.nnz() as f64) < 4.0, "{predicted:?} but {}", all.matrix.nnz());
        assert!(error(predicted.work, all.work as f64) < 4.0, "{predicted:?} but {}", all.work);
    }
}
