//! The vectors of a null space over ℚ, block by block, each by as many primes as it needs.

use super::columns::Sums;
use super::lane::{Guess, Lane, at_once};
use super::modular::{BLOCK, Room};
use super::space::Space;
use super::vectors::{RationalVector, RationalVectors};
use crate::field::Modulus;
use crate::parallel::Each;
use crate::report::Kept;
use crate::{Observer, Result, memory};
use rayon::prelude::*;
use std::ops::Range;
use std::sync::Mutex;

/// Blocks that are made at a time for each thread: at first, and at most, as long as the residues of their vectors take
/// so many bytes.
const AHEAD: usize = 2;
const MOST_AHEAD: usize = 8;
const HELD: usize = 1 << 25;
/// What the memory is for.
const VECTORS: &str = "null vectors over the rationals";

/// The vectors of a block, as far as they are known.
struct Block {
    range: Range<usize>,
    found: Vec<Option<RationalVector>>,
    /// How many primes they needed.
    primes: usize,
}

/// A vector that is not known yet, of a block.
struct Open {
    block: usize,
    /// Its number there, and in the basis.
    place: usize,
    number: usize,
    lane: Lane,
    found: Option<RationalVector>,
}

impl Space<'_> {
    /// Makes all vectors of the basis, block by block: `make` is called in parallel, `take` with what it returns in
    /// their order.
    ///
    /// # Errors
    /// Those of `make` and `take`; [`Error::Check`] if there is a vector mod p, but none over ℚ.
    pub fn blocks<T: Send>(
        &mut self,
        make: impl Fn(&RationalVectors) -> Result<T> + Sync,
        mut take: impl FnMut(T) -> Result<()>,
        observer: &dyn Observer,
    ) -> Result<()> {
        let count = self.base.dimension();
        let (rooms, mut ahead, mut first) = (Rooms::default(), AHEAD, 0);
        while first < count {
            observer.phase("null vectors", count as u64);
            observer.progress(first as u64);
            let all = first..count.min(first + ahead * rayon::current_num_threads() * BLOCK);
            let mut blocks: Vec<Block> =
                (all.clone().step_by(BLOCK)).map(|start| Block::new(start..all.end.min(start + BLOCK))).collect();
            let kept = self.restore(&mut blocks, observer)?;
            match self.find(&mut blocks, &rooms, observer)? {
                held if held <= HELD / 2 => ahead = (2 * ahead).min(MOST_AHEAD),
                held if held > HELD => ahead = (ahead / 2).max(AHEAD),
                _ => {}
            }
            self.needed = blocks.iter().map(|block| block.primes).fold(self.needed, usize::max);
            let primes: Vec<u64> = self.moduli().map(Modulus::get).collect();
            for (block, kept) in blocks.iter().zip(&kept).filter_map(|(block, kept)| Some((block, kept.as_ref()?))) {
                kept.complete(&(&primes[..block.primes.min(primes.len())], &block.found))?;
            }
            self.timed(|_| {
                let made: Vec<T> = blocks.into_par_iter().try_make(|block| make(&block.vectors()))?;
                made.into_iter().try_for_each(&mut take)
            })?;
            first = all.end;
        }
        observer.progress(count as u64);
        Ok(())
    }

    /// Finds the vectors of all blocks: of those that are not known yet, 32 at a time are made mod one prime more.
    /// Returns how many bytes their residues took.
    fn find(&mut self, blocks: &mut [Block], rooms: &Rooms, observer: &dyn Observer) -> Result<usize> {
        let mut open = vec![];
        self.prepare(1)?;
        self.timed(|space| {
            let of = |(block, of): (usize, &mut Block)| space.first(block, of, rooms);
            let some: Vec<Vec<Open>> = blocks.par_iter_mut().enumerate().try_make(of)?;
            open.extend(some.into_iter().flatten());
            Ok(())
        })?;
        let (mut primes, mut held) = (1, 0);
        while !open.is_empty() {
            observer.check()?;
            if primes > self.more.len() {
                self.another_prime(observer)?;
            }
            self.prepare(primes + 1)?;
            self.timed(|space| open.par_chunks_mut(BLOCK).try_each(|some| space.advance(primes, some, rooms)))?;
            primes += 1;
            held = held.max(primes * size_of::<u64>() * open.iter().map(|open| open.lane.len()).sum::<usize>());
            for open in open.iter_mut().filter(|open| open.found.is_some()) {
                let block = &mut blocks[open.block];
                (block.found[open.place], block.primes) = (open.found.take(), primes);
            }
            open.retain(|open| blocks[open.block].found[open.place].is_none());
        }
        Ok(held)
    }

    /// Fills blocks with what was kept of them; returns who keeps the others.
    fn restore<'o>(&mut self, blocks: &mut [Block], observer: &'o dyn Observer) -> Result<Vec<Option<Kept<'o>>>> {
        let mut all = vec![];
        for block in blocks {
            let kept = Kept::of("vectors", || (&self.name, block.range.start, block.range.end), observer)?;
            let state: Option<(Vec<u64>, Vec<Option<RationalVector>>)> = kept.load()?;
            let fits = |found: &[Option<RationalVector>]| {
                found.len() == block.range.len() && found.iter().all(Option::is_some)
            };
            let Some((primes, found)) = state.filter(|(_, found)| fits(found)) else {
                all.push(Some(kept).filter(Kept::is_kept));
                continue;
            };
            (block.primes, block.found) = (primes.len(), found);
            if primes.len() > self.kept.len() {
                self.kept = primes;
            }
            all.push(None);
        }
        Ok(all)
    }

    /// Does what is part of the phase of vectors.
    fn timed(&mut self, work: impl FnOnce(&Self) -> Result<()>) -> Result<()> {
        let mut phases = std::mem::take(&mut self.phases);
        let done = phases.time("null vectors", || work(self));
        self.phases = phases;
        done
    }

    /// The vectors of a block by the first prime; returns those that are not known by it.
    fn first(&self, number: usize, block: &mut Block, rooms: &Rooms) -> Result<Vec<Open>> {
        let mut open = vec![];
        if block.is_done() {
            return Ok(open);
        }
        let (mut room, mut work) = (rooms.take(|rooms| &mut rooms.of_first), rooms.take(|rooms| &mut rooms.work));
        let vectors = self.base.some(None, block.range.clone(), &mut room)?;
        block.primes = 1;
        for (place, of_basis) in block.range.clone().enumerate() {
            let residues = vectors.vector(place);
            block.found[place] = at_once(self.base.modulus(), residues, &self.columns, &mut work.0)?;
            if block.found[place].is_some() {
                continue;
            }
            let mut lane = Lane::new(residues)?;
            // Of large entries of A words do not hold the products.
            if let (true, Some(together)) = (self.columns.largest() < 1 << 32, &self.together[1]) {
                block.found[place] = lane.attempt(together, false, &self.columns, (&mut work.0, &mut work.1))?;
            }
            if block.found[place].is_none() {
                memory::push(&mut open, Open { block: number, place, number: of_basis, lane, found: None }, VECTORS)?;
            }
        }
        rooms.give(|rooms| &mut rooms.of_first, room);
        rooms.give(|rooms| &mut rooms.work, work);
        Ok(open)
    }
    /// Vectors that are known by so many primes, by one more.
    fn advance(&self, primes: usize, some: &mut [Open], rooms: &Rooms) -> Result<()> {
        let (mut room, mut work) = (rooms.take(|rooms| &mut rooms.of_more), rooms.take(|rooms| &mut rooms.work));
        let floors = &self.more[primes - 1].1;
        let vectors = self.base.some(Some(floors), some.iter().map(|open| open.number), &mut room)?;
        for (place, open) in some.iter_mut().enumerate() {
            open.lane.add(vectors.vector(place))?;
            if let Some(together) = &self.together[primes + 1] {
                let anew = self.is_last(primes + 1);
                open.found = open.lane.attempt(together, anew, &self.columns, (&mut work.0, &mut work.1))?;
            }
        }
        rooms.give(|rooms| &mut rooms.of_more, room);
        rooms.give(|rooms| &mut rooms.work, work);
        Ok(())
    }
}

/// Working space of the threads, of the first prime and of all others, which have the same structure.
#[derive(Default)]
struct Rooms(Mutex<Spaces>);

#[derive(Default)]
struct Spaces {
    of_first: Vec<Room>,
    of_more: Vec<Room>,
    work: Vec<(Sums, Guess)>,
}

impl Rooms {
    fn take<T: Default>(&self, of: impl Fn(&mut Spaces) -> &mut Vec<T>) -> T {
        of(&mut self.0.lock().expect("no task panics")).pop().unwrap_or_default()
    }
    fn give<T>(&self, of: impl Fn(&mut Spaces) -> &mut Vec<T>, one: T) {
        of(&mut self.0.lock().expect("no task panics")).push(one);
    }
}

impl Block {
    fn new(range: Range<usize>) -> Self {
        let none = |_| None;
        Block { found: range.clone().map(none).collect(), range, primes: 0 }
    }
    fn is_done(&self) -> bool {
        self.found.iter().all(Option::is_some)
    }
    fn vectors(self) -> RationalVectors {
        let vectors = self.found.into_iter().map(|found| found.expect("the block is done")).collect();
        RationalVectors { first: self.range.start, vectors }
    }
}
