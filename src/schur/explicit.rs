//! The Schur complement formed explicitly, row by row (`triangle.rs`), in parallel.
//!
//! Rows without entries are not kept. On request, repetitions are dropped as well: matrices of homology have many rows
//! whose images in S are multiples of one another. Rows are then divided by their first entry and compared through a
//! hash, and entry by entry where hashes agree. Scaling and dropping such rows changes no rank.
//!
//! Rows are solved in batches of a fixed size and joined in their order: same matrix for every number of threads.

use super::Split;
use super::arithmetic::Arithmetic;
use super::solver::{AnyTriangle, Solver};
use super::triangle::{Triangle, Workspace};
use crate::decomposition::{Lines, Remainder};
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
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Formed {
    /// S without empty rows and columns; lines ascending.
    pub remainder: Remainder,
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
        divisors: options.divisors.then(Vec::new),
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
    let Kept { mut matrix, rows, divisors, .. } = kept;
    let mut used = matrix.drop_empty_columns()?;
    used.iter_mut().for_each(|j| *j = cols[*j as usize]);
    Ok(Some(Formed { remainder: Remainder { matrix, lines: Lines { rows, cols: used }, divisors }, work }))
}

/// The rows kept so far.
struct Kept {
    matrix: SparseMatrix,
    /// Where they come from.
    rows: Vec<u32>,
    /// The first row with a hash.
    seen: HashMap<u64, u32>,
    distinct: bool,
    /// If asked for: what each row was divided by.
    divisors: Option<Vec<u64>>,
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
        match &mut self.divisors {
            Some(divisors) => memory::push(divisors, if self.distinct { first } else { 1 }, KEPT),
            None => Ok(()),
        }
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
