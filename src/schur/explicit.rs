//! The Schur complement formed explicitly, row by row (`triangle.rs`), in parallel.
//!
//! Rows without entries are not kept. On request, repetitions are dropped as well: matrices of homology have many rows
//! whose images in S are multiples of one another. Rows are then divided by their first entry and compared through a
//! hash, and entry by entry where hashes agree. Scaling and dropping such rows changes no rank.
//!
//! Rows are solved in batches of a fixed size and joined in their order: same matrix for every number of threads.

use super::Split;
use super::arithmetic::Arithmetic;
use super::saved::saved;
use super::solver::{AnyTriangle, Solver};
use super::triangle::Triangle;
use crate::decomposition::{Lines, Remainder};
use crate::parallel::Each;
use crate::report::{self, Bytes};
use crate::sparse::SparseMatrix;
use crate::stopwatch::Stopwatch;
use crate::{Observer, Result, memory};
use rayon::prelude::*;
use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Rows between asking for memory and reading it.
const AHEAD: usize = 2;
/// Rows that a task solves.
const TASK: usize = 64;
/// Multiply-adds of a task between two looks at the clock, in addition to the look after its first row.
const LOOK: u64 = 1 << 16;
/// Rows solved before they are merged, repetitions dropped and progress reported.
pub(super) const BATCH: usize = 256 * TASK;

/// What the memory is for.
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
    /// Keep what rows were divided by.
    pub divisors: bool,
    /// When to give up.
    pub deadline: Option<Deadline>,
}

/// A Schur complement and where it comes from.
///
/// The lines of a minor of S, together with those of the pivots, are a minor of A: one is nonsingular if and only if
/// the other is.
#[derive(Clone, Debug, PartialEq)]
pub struct Formed {
    /// S without empty rows and columns; lines ascending.
    pub remainder: Remainder,
    /// Multiply-adds made.
    pub work: u64,
    /// What another run, from which this one went on, had taken for it: seconds by the clock, and of one thread.
    pub before: [f64; 2],
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
    ///
    /// # Panics
    /// If the pivots are not triangular, or not entries of the matrix.
    pub fn form(&mut self, options: &FormOptions, observer: &dyn Observer) -> Result<Option<Formed>> {
        match &mut self.triangle {
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
    triangle: &mut Triangle<K>,
    options: &FormOptions,
    observer: &dyn Observer,
) -> Result<Option<Formed>> {
    triangle.make_all(split, observer)?;
    let (triangle, rows, cols) = (&*triangle, &split.rows, &split.cols);
    let mut kept = Kept::new(split, options, observer)?;
    observer.phase("Schur complement", rows.len() as u64);
    let first = kept.restore(rows.len())?;
    for (done, batch) in rows.chunks(BATCH).enumerate().skip(first) {
        observer.check()?;
        kept.store(done)?;
        observer.progress((done * BATCH) as u64);
        if kept.matrix.nnz() > options.limit_nnz {
            return Ok(None);
        }
        let room = options.limit_nnz - kept.matrix.nnz();
        let made = AtomicUsize::new(0);
        let solve = |task: &[u32]| {
            let mut workspace = triangle.take_workspace().map_err(Some)?;
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
            triangle.give_back(workspace);
            Ok(solved)
        };
        let tasks = match batch.par_chunks(TASK).try_make(solve) {
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
            kept.work += task.work;
        }
    }
    observer.progress(rows.len() as u64);
    kept.complete(rows.len())?;
    let Kept { mut matrix, rows, divisors, work, before, .. } = kept;
    if matrix.nnz() > options.limit_nnz {
        return Ok(None);
    }
    let mut used = matrix.drop_empty_columns()?;
    used.iter_mut().for_each(|j| *j = cols[*j as usize]);
    Ok(Some(Formed { remainder: Remainder { matrix, lines: Lines { rows, cols: used }, divisors }, work, before }))
}

/// What is kept for another run: batches done, multiply-adds and seconds; the rows; where they come from; divisors.
type State = ((usize, u64, [f64; 2]), (Vec<usize>, Vec<u32>, Vec<u64>), Vec<u32>, Option<Vec<u64>>);

/// The rows kept so far.
struct Kept<'a> {
    matrix: SparseMatrix,
    /// Where they come from.
    rows: Vec<u32>,
    /// The first row with a hash.
    seen: HashMap<u64, u32>,
    distinct: bool,
    /// If asked for: what each row was divided by.
    divisors: Option<Vec<u64>>,
    /// Multiply-adds.
    work: u64,
    /// See [`Formed::before`].
    before: [f64; 2],
    stopwatch: Stopwatch,
    states: report::Kept<'a>,
}

impl<'a> Kept<'a> {
    /// None yet.
    fn new(split: &Split, options: &FormOptions, observer: &'a dyn Observer) -> Result<Self> {
        Ok(Kept {
            matrix: SparseMatrix::empty(split.modulus(), split.cols.len(), 0, 0)?,
            rows: vec![],
            seen: HashMap::new(),
            distinct: options.distinct,
            divisors: options.divisors.then(Vec::new),
            work: 0,
            before: [0.0; 2],
            stopwatch: Stopwatch::start(),
            states: saved("complement", split, || (options.distinct, options.divisors), observer)?,
        })
    }
    /// Goes on from what another run kept, of so many rows; how many batches that had done.
    fn restore(&mut self, rows: usize) -> Result<usize> {
        let Some((numbers, lists, sources, divisors)) = self.states.load::<State>()? else { return Ok(0) };
        let ((done, work, before), (start, col, value)) = (numbers, lists);
        if done > rows.div_ceil(BATCH) || start.last() != Some(&col.len()) || col.len() != value.len() {
            return Ok(0);
        }
        (self.matrix.start, self.matrix.col, self.matrix.value) = (start, col, value);
        (self.rows, self.divisors, self.work, self.before) = (sources, divisors, work, before);
        if self.distinct {
            for i in 0..self.rows.len() {
                let (cols, values) = self.matrix.row(i);
                let hash = hash(cols, values);
                memory::reserve_table(&mut self.seen, 1, KEPT)?;
                self.seen.entry(hash).or_insert(i as u32);
            }
        }
        Ok(done)
    }
    /// Writes the state after so many batches by `write`, which is told how long they took.
    fn write(&self, done: usize, write: impl FnOnce(&dyn Bytes, f64) -> Result<()>) -> Result<()> {
        let [clock, thread] = [self.stopwatch.elapsed() + self.before[0], self.stopwatch.seconds() + self.before[1]];
        let SparseMatrix { start, col, value, .. } = &self.matrix;
        write(&((done, self.work, [clock, thread]), (start, col, value), &self.rows, &self.divisors), clock)
    }
    /// Keeps the state after so many batches, if it is time.
    fn store(&self, done: usize) -> Result<()> {
        match self.states.is_due() {
            true => self.write(done, |state, _| self.states.store(state)),
            false => Ok(()),
        }
    }
    /// Keeps the complement, made of so many rows.
    fn complete(&self, rows: usize) -> Result<()> {
        match self.states.is_kept() {
            true => self.write(rows.div_ceil(BATCH), |state, seconds| self.states.complete_if_worth(state, seconds)),
            false => Ok(()),
        }
    }
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
        match &mut self.divisors {
            Some(divisors) => memory::push(divisors, if self.distinct { first } else { 1 }, KEPT),
            None => Ok(()),
        }
    }

    /// Whether the entries from `start` on repeat a row; notes their hash if not.
    fn is_known(&mut self, start: usize) -> Result<bool> {
        let (cols, values) = (&self.matrix.col[start..], &self.matrix.value[start..]);
        let hash = hash(cols, values);
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

/// A number that equal rows share. Any mixing will do: what it confuses is only not dropped.
fn hash(cols: &[u32], values: &[u64]) -> u64 {
    cols.iter()
        .zip(values)
        .fold(0, |h: u64, (&j, &v)| (h.rotate_left(23) ^ v ^ (j as u64) << 32).wrapping_mul(0x9e37_79b9_7f4a_7c15))
}
