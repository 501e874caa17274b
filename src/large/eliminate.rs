//! Structured Gaussian elimination: what can be solved by positions and units, before any arithmetic mod p.
//!
//! A pivot is an entry ±1, or any entry that is alone in its row or column. Its row is subtracted from the others that
//! have an entry in its column, so that small integers stay small integers; a row that is alone in a column, or has one
//! entry, costs nothing. The pivot with the fewest new entries comes first (H. M. Markowitz, Management Science 3,
//! 1957), until what follows would no longer become cheaper: as many vectors as a fixed share of the N columns are
//! multiplied by W entries, and the next pivot would add more than W/N of them.
//!
//! Sources: A. M. Odlyzko, EUROCRYPT 1984; B. A. LaMacchia, A. M. Odlyzko, *Solving large sparse linear
//! systems over finite fields*, CRYPTO 1990; C. Pomerance, J. W. Smith, Experimental Mathematics 1 (1992).

use super::active::{Active, Saved};
use super::matrix::Matrix;
use super::value::Value;
use crate::report::{Bytes, Kept, State};
use crate::{Observer, Result, memory};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// What the memory is for.
const ELIMINATION: &str = "structured elimination";
/// What a line of a vector costs beside its entries, in additions.
const LINE: i64 = 24;
/// Pivots between two looks at the observer.
const CHECKED: usize = if cfg!(test) { 1 << 2 } else { 1 << 8 };

/// What the elimination did, and what it left.
#[derive(Debug)]
pub(crate) struct Eliminated {
    /// The pivotal rows in the order of elimination, with the entries that they had then, the pivot among them.
    pub(crate) rows: Matrix,
    /// Their pivotal columns.
    pub(crate) pivots: Vec<u32>,
    /// The rows that are left; their columns are those of `names`.
    pub(crate) rest: Matrix,
    /// The columns that have entries there, ascending.
    pub(crate) names: Vec<u32>,
    /// The columns that are neither pivotal nor among these, ascending.
    pub(crate) empty: Vec<u32>,
}

/// Eliminates; the last `aside` columns have no pivots.
///
/// # Errors
/// [`Error::Memory`](crate::Error::Memory), [`Error::Interrupted`](crate::Error::Interrupted).
pub(crate) fn eliminate(a: &Matrix, aside: usize, observer: &dyn Observer) -> Result<Eliminated> {
    observer.phase("elimination", a.rows() as u64);
    let mut active = Active::new(a, a.cols - aside)?;
    let mut done = Done { start: vec![0], col: vec![], value: vec![], pivots: vec![] };
    let mut queue: BinaryHeap<Reverse<(i64, u32)>> = BinaryHeap::new();
    let key = || (&a.start, (&a.col, &a.value), a.residues.list(), (a.cols, aside));
    let kept = Kept::of("structured-elimination", key, observer)?;
    let mut ended = false;
    let before = kept.load::<(Saved, Done, (Vec<(i64, u32)>, bool))>()?;
    if let Some((rows, (waiting, end))) =
        before.and_then(|(saved, rows, rest)| active.restore(saved).then_some((rows, rest)))
    {
        (done, ended) = (rows, end);
        queue.extend(waiting.into_iter().map(Reverse));
        observer.restored(done.pivots.len() as u64);
    } else {
        for j in 0..active.eligible() as u32 {
            if let Some((cost, _)) = active.best(j)? {
                queue.push(Reverse((cost, j)));
            }
        }
    }
    while let Some((i, j)) = if ended { None } else { next(&mut active, &mut queue)? } {
        let touched = active.pivot(i, j)?;
        done.push(&touched, j)?;
        for (j, _) in touched {
            if let Some((cost, _)) = active.best(j)? {
                memory::push_heap(&mut queue, Reverse((cost, j)), ELIMINATION)?;
            }
        }
        if done.pivots.len().is_multiple_of(CHECKED) {
            observer.check()?;
            observer.progress(done.pivots.len() as u64);
            if kept.is_due() {
                kept.store(&(&active, &done, (waiting(&queue)?, false)))?;
            }
        }
    }
    kept.keep(&(&active, &done, (waiting(&queue)?, true)), true)?;
    done.finish(a, active)
}

/// What waits in the queue, in no order: equal ones are the same.
fn waiting(queue: &BinaryHeap<Reverse<(i64, u32)>>) -> Result<Vec<(i64, u32)>> {
    memory::collect(queue.iter().map(|Reverse(of)| *of), ELIMINATION)
}

/// The next pivot: of a row with one entry, or the cheapest that pays.
fn next(active: &mut Active, queue: &mut BinaryHeap<Reverse<(i64, u32)>>) -> Result<Option<(u32, u32)>> {
    if let Some(pivot) = active.single_row() {
        return Ok(Some(pivot));
    }
    while let Some(Reverse((cost, j))) = queue.pop() {
        let Some((now, i)) = active.best(j)? else { continue };
        if now > cost {
            queue.push(Reverse((now, j)));
            continue;
        }
        let (entries, lines) = active.size();
        if now > 0 && now > entries as i64 / lines.max(1) as i64 + LINE {
            return Ok(None);
        }
        return Ok(Some((i, j)));
    }
    Ok(None)
}

/// Pivotal rows.
struct Done {
    start: Vec<usize>,
    col: Vec<u32>,
    value: Vec<Value>,
    pivots: Vec<u32>,
}

impl Bytes for Done {
    fn write(&self, to: &mut Vec<u8>) -> Result<()> {
        let Done { start, col, value, pivots } = self;
        (start, col, value, pivots).write(to)
    }
}

impl State for Done {
    fn read(from: &mut &[u8]) -> Option<Self> {
        let (start, col, value, pivots) = State::read(from)?;
        Some(Done { start, col, value, pivots })
    }
}

impl Done {
    fn push(&mut self, row: &[(u32, Value)], pivot: u32) -> Result<()> {
        memory::reserve(&mut self.col, row.len(), ELIMINATION)?;
        memory::reserve(&mut self.value, row.len(), ELIMINATION)?;
        self.col.extend(row.iter().map(|entry| entry.0));
        self.value.extend(row.iter().map(|entry| entry.1));
        memory::push(&mut self.start, self.col.len(), ELIMINATION)?;
        memory::push(&mut self.pivots, pivot, ELIMINATION)
    }

    fn finish(self, a: &Matrix, active: Active) -> Result<Eliminated> {
        let mut pivotal = memory::filled(false, a.cols, ELIMINATION)?;
        self.pivots.iter().for_each(|&j| pivotal[j as usize] = true);
        let (rows, residues) = active.into_rows();
        let mut used = memory::filled(false, a.cols, ELIMINATION)?;
        rows.iter().flatten().for_each(|&(j, _)| used[j as usize] = true);
        let with =
            |wanted: bool| (0..a.cols as u32).filter(|&j| !pivotal[j as usize] && used[j as usize] == wanted).collect();
        let (names, empty): (Vec<u32>, Vec<u32>) = (with(true), with(false));
        let mut place = memory::zeros::<u32>(a.cols, ELIMINATION)?;
        names.iter().zip(0..).for_each(|(&j, k)| place[j as usize] = k);
        let nnz = rows.iter().map(Vec::len).sum();
        let mut rest = Matrix {
            cols: names.len(),
            start: memory::with_capacity(rows.len() + 1, ELIMINATION)?,
            col: memory::with_capacity(nnz, ELIMINATION)?,
            value: memory::with_capacity(nnz, ELIMINATION)?,
            residues: residues.clone(),
        };
        rest.start.push(0);
        for row in rows {
            rest.col.extend(row.iter().map(|&(j, _)| place[j as usize]));
            rest.value.extend(row.iter().map(|&(_, v)| v));
            rest.start.push(rest.col.len());
        }
        let Done { start, col, value, pivots } = self;
        Ok(Eliminated { rows: Matrix { cols: a.cols, start, col, value, residues }, pivots, rest, names, empty })
    }
}
