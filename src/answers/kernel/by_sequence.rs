//! Null vectors that come from block Wiedemann on the last floor, a block with each run, and are completed by
//! substitution.
//!
//! Runs are made one after the other, each by all threads; of their vectors, those of a lane of the substitution are
//! completed in parallel. A basis has the unit vectors of the columns that are free on the floors before, then vectors
//! of runs as long as these are independent: that is shown by sums of their coordinates with random weights, a few for
//! each coordinate, in somewhat more columns than there are vectors. Sums that are independent are those of independent
//! vectors. With as many as the rank leaves, which block Wiedemann never sees too large, the basis is complete and the
//! rank proven.

use super::BLOCK;
use super::basis::Kernel;
use super::floors::{Free, Given, Room, Wanted};
use super::rank::Sequence;
use super::vectors::NullVectors;
use crate::certify::Domain;
use crate::dense::Echelon;
use crate::field::Rng;
use crate::spmv::Block;
use crate::{Error, Observer, Result, memory};
use rand::RngExt;
use rayon::prelude::*;
use std::sync::Mutex;

/// What the memory is for.
const SUMS: &str = "the independence of null vectors";
/// Sums that a coordinate enters: unit vectors in 5/4 as many columns are independent then with high probability
/// (Dietzfelbinger, Mitzenmacher, Rink, *Tight thresholds for cuckoo hashing via XORSAT*, ICALP 2010).
const SUMMANDS: usize = 3;
/// Columns beyond 5/4 of the vectors.
const SPARE: usize = 64;
/// Runs without a new vector before a basis is given up.
const IDLE: usize = 3;
/// The part of the streams for random coordinates outside the last floor, and the weights of sums.
const PART: u64 = (1 << 32) + 1;

/// A vector that is wanted: a unit vector, or one that a run has, or their sum.
type Lane = (Option<Free>, Option<u32>);

impl Kernel {
    /// Completes vectors, of which `block` has the coordinates on the last floor, from number `first` on; random in the
    /// columns of `random`. `group` counts all lanes of substitution that were made before; of vectors before number
    /// `done` none are made.
    #[expect(clippy::too_many_arguments, reason = "what is given, and what is done with what is made of it")]
    fn complete<T: Send>(
        &self,
        block: &Block,
        lanes: &[Lane],
        random: Option<&[Free]>,
        (first, done): (usize, usize),
        group: &mut u64,
        make: &(impl Fn(&NullVectors) -> Result<T> + Sync),
        take: &mut impl FnMut(T) -> Result<()>,
    ) -> Result<()> {
        let (floors, streams) = (self.floors.as_ref().expect("what is left has floors"), self.streams.part(PART));
        let rooms = Mutex::new(Vec::<Room>::new());
        let made: Vec<T> = lanes
            .par_chunks(BLOCK)
            .enumerate()
            .filter(|(k, _)| first + k * BLOCK >= done)
            .map(|(k, lanes)| {
                let (units, places) = split(lanes);
                let stream = |those| (those, streams.stream(Domain::Solutions, *group + k as u64));
                let given = Some(Given { block, lanes: &places });
                let wanted = Wanted { count: lanes.len(), units: &units, random: random.map(stream), given };
                let mut room = rooms.lock().expect("no task panics").pop().unwrap_or_default();
                let vectors = floors.vectors(wanted, first + k * BLOCK, &self.names, &mut room)?;
                rooms.lock().expect("no task panics").push(room);
                make(&vectors)
            })
            .collect::<Result<_>>()?;
        *group += lanes.len().div_ceil(BLOCK) as u64;
        made.into_iter().try_for_each(take)
    }

    /// Random vectors.
    pub(super) fn random_by_sequence<T: Send>(
        &self,
        sequence: &Sequence,
        (done, count): (usize, usize),
        make: impl Fn(&NullVectors) -> Result<T> + Sync,
        mut take: impl FnMut(T) -> Result<()>,
        observer: &dyn Observer,
    ) -> Result<()> {
        let (width, mut group) = (sequence.width(), 0);
        for first in (0..count).step_by(width) {
            if first + width <= done {
                group += width.div_ceil(BLOCK) as u64;
                continue;
            }
            observer.phase("null vectors", count as u64);
            observer.progress(first as u64);
            sequence.run(first / width, observer, |found| {
                let lanes: Vec<Lane> = (0..width.min(count - first)).map(|l| (None, Some(l as u32))).collect();
                self.complete(&found.x, &lanes, Some(&self.free), (first, done), &mut group, &make, &mut take)
            })?;
        }
        Ok(())
    }

    /// The vectors of a basis after those of the columns that are free, without the first `done` of the basis.
    pub(super) fn basis_by_sequence<T: Send>(
        &self,
        sequence: &Sequence,
        done: usize,
        make: impl Fn(&NullVectors) -> Result<T> + Sync,
        mut take: impl FnMut(T) -> Result<()>,
        observer: &dyn Observer,
    ) -> Result<()> {
        let (count, before, p) = (sequence.nullity(), self.free.len(), self.modulus());
        let cols = count + count / 4 + SPARE;
        let needed = Echelon::memory(p, count, cols);
        if let Some(most) = self.most.filter(|&most| needed > most) {
            let (needed, most) = (needed.div_ceil(1 << 20), most >> 20);
            return Err(Error::Memory(format!(
                "to see that {count} vectors of block Wiedemann are independent takes {needed} MB, {most} MB are \
                 allowed: ask for random vectors"
            )));
        }
        let (mut echelon, mut sums) = (Echelon::new(p, cols)?, Sums::new(cols, sequence, self)?);
        let (mut group, mut idle) = (0, 0);
        for run in 0.. {
            let found = echelon.rank();
            if found == count {
                break;
            }
            if idle == IDLE {
                return Err(Error::Check(format!(
                    "{found} independent vectors where the rank leaves {count}: it is larger than block Wiedemann saw; \
                     another seed may see all of it"
                )));
            }
            observer.phase("null vectors", (before + count) as u64);
            observer.progress((before + found) as u64);
            sequence.run(run, observer, |vectors| {
                let seen = echelon.rows_seen();
                echelon.absorb_block(sequence.width(), sums.of(&vectors.x)?, observer)?;
                let new = echelon.pivot_rows()[found..].iter().map(|&row| (None, Some((row - seen) as u32)));
                let lanes: Vec<Lane> = new.take(count - found).collect();
                idle = if lanes.is_empty() { idle + 1 } else { 0 };
                if echelon.rank() > count {
                    return Err(Error::Check(format!("more than {count} independent vectors in a null space")));
                }
                self.complete(&vectors.x, &lanes, None, (before + found, done), &mut group, &make, &mut take)
            })?;
        }
        Ok(())
    }

    /// Solutions for the columns that were set aside: those in `last`, free on the floors before, and those that runs
    /// have solved.
    pub(super) fn of_last_by_sequence(
        &self,
        sequence: &Sequence,
        last: &[Free],
        random: Option<&[Free]>,
        mut take: impl FnMut(NullVectors) -> Result<()>,
        observer: &dyn Observer,
    ) -> Result<()> {
        let floors = self.floors.as_ref().expect("what is left has floors");
        let aside = floors.last_of_core(sequence.aside(), &self.names)?;
        let ((sides, step), make) = (sequence.sides(), |vectors: &NullVectors| Ok(vectors.clone()));
        let (mut last, mut first, mut group) = (last.iter().copied().peekable(), 0, 0);
        for (run, these) in aside.chunks(sides).enumerate() {
            observer.phase("solutions", aside.len() as u64);
            observer.progress((run * sides) as u64);
            let end = aside.get((run + 1) * sides).map_or(u32::MAX, |free| free.col);
            sequence.run(run, observer, |found| {
                let solved = these.iter().enumerate().filter(|(l, _)| found.inconsistent.binary_search(l).is_err());
                let mut lanes: Vec<Lane> = solved.map(|(l, &free)| (Some(free), Some((l * step) as u32))).collect();
                while let Some(free) = last.next_if(|free| free.col < end) {
                    memory::push(&mut lanes, (Some(free), None), SUMS)?;
                }
                lanes.sort_unstable();
                self.complete(&found.x, &lanes, random, (first, 0), &mut group, &make, &mut take)?;
                first += lanes.len();
                Ok(())
            })?;
        }
        let mut rest: Vec<Lane> = vec![];
        for free in last {
            memory::push(&mut rest, (Some(free), None), SUMS)?;
        }
        let none = Block::zeros(crate::spmv::Lane::U8, 0, 0)?;
        self.complete(&none, &rest, random, (first, 0), &mut group, &make, &mut take)
    }
}

/// The unit vectors of the lanes and the places of their vectors. A lane without a unit vector has that of no column.
fn split(lanes: &[Lane]) -> (Vec<Free>, Vec<Option<u32>>) {
    lanes.iter().map(|&(unit, place)| (unit.unwrap_or(Free::NONE), place)).unzip()
}

/// Sums of coordinates with random weights.
struct Sums {
    cols: usize,
    /// For each coordinate of the last floor the columns of its sums, and its weights.
    terms: Vec<[(u32, u64); SUMMANDS]>,
    rng: Rng,
    rows: Vec<u64>,
    p: crate::field::Modulus,
}

impl Sums {
    fn new(cols: usize, sequence: &Sequence, kernel: &Kernel) -> Result<Self> {
        let rng = kernel.streams.part(PART).stream(Domain::Checks, 0);
        let rows = memory::zeros(cols * sequence.width(), SUMS)?;
        Ok(Sums { cols, terms: vec![], rng, rows, p: kernel.modulus() })
    }
    /// The sums of all vectors of a block, one vector a row.
    fn of(&mut self, x: &Block) -> Result<&[u64]> {
        let Sums { cols, terms, rng, rows, p } = self;
        if terms.is_empty() {
            let mut draw = || (rng.random_range(0..*cols as u32), rng.random_range(1..p.get()));
            *terms = memory::collect((0..x.rows()).map(|_| [(); SUMMANDS].map(|()| draw())), SUMS)?;
        }
        rows.fill(0);
        let mut row = memory::with_capacity(x.width(), SUMS)?;
        for (i, terms) in terms.iter().enumerate() {
            row.clear();
            x.push_row(i, x.width(), &mut row);
            for (l, &value) in row.iter().enumerate().filter(|&(_, &value)| value != 0) {
                for &(col, weight) in terms {
                    let sum = &mut rows[l * *cols + col as usize];
                    *sum = p.add(*sum, p.mul(value, weight));
                }
            }
        }
        Ok(rows)
    }
}
