//! The null space over ℚ by primes, as many as its vectors need.

use super::RationalSpaceOptions;
use super::columns::{Columns, Sums};
use super::lane::{Lane, at_once};
use super::modular::{BLOCK, Floors, Kernel, NullVectors, Recipe, Room, Trimmed, decompose_for_replay};
use super::vectors::{RationalVector, RationalVectors};
use crate::certify::{Certainty, Domain, ErrorBound, Streams};
use crate::field::{Modulus, Rng, random_prime};
use crate::integers::{Product, bad_prime, hadamard_log2};
use crate::pivots::Rule;
use crate::report::{Bytes, Kept, Phases};
use crate::sparse::Triplets;
use crate::{Error, Observer, Result, memory};
use num_bigint::BigInt;
use rayon::prelude::*;
use std::ops::Range;
use std::sync::Mutex;

/// What the memory is for.
const VECTORS: &str = "null vectors over the rationals";
/// Blocks that are made at a time for each thread.
const AHEAD: usize = 2;
/// Primes from which the first one is chosen at most, and such in a row that may not have its structure.
const CHOICES: usize = 8;
const DROPPED: usize = 16;

/// A null space over ℚ.
#[derive(Debug)]
pub(super) struct Space<'a> {
    integers: &'a Triplets,
    columns: Columns,
    base: Kernel,
    replay: Replay,
    /// Further primes, and their floors.
    more: Vec<(Modulus, Floors)>,
    primes: Product,
    dropped: usize,
    /// The products of 1, 2, … primes.
    products: Vec<BigInt>,
    minor_bits: f64,
    rng: Rng,
    bits: u32,
    pub certainty: Certainty,
    pub phases: Phases,
    /// The most primes that a vector needed.
    pub needed: usize,
    /// What identifies it to those who keep states: nothing if nobody does.
    name: Vec<u8>,
    /// The primes of vectors that were kept.
    kept: Vec<u64>,
}

/// How the decomposition is repeated.
#[derive(Debug)]
enum Replay {
    /// Nothing was eliminated.
    Never,
    Found(Recipe),
    /// The rows that matter, over the integers, in the columns of the kernel.
    Ready(Trimmed, Triplets),
}

/// The vectors of a block, as far as they are known.
struct Block {
    range: Range<usize>,
    found: Vec<Option<RationalVector>>,
    lanes: Vec<Option<Lane>>,
    /// How many primes they are known by.
    primes: usize,
}

/// Whether rank and profile of one prime are better than those of another: neither is ever better than over ℚ.
fn is_better(one: &Kernel, other: &Kernel, profile: bool) -> Result<bool> {
    let (a, b) = (one.rank().rank, other.rank().rank);
    // The earlier the pivots, the later the free columns.
    Ok(a > b || (a == b && profile && one.free()? > other.free()?))
}

impl<'a> Space<'a> {
    /// The null space of the `integers` by the pivots of the best of the first primes; `profile` asks for the first
    /// columns that are possible.
    pub fn new(
        integers: &'a Triplets,
        profile: bool,
        options: &RationalSpaceOptions,
        observer: &dyn Observer,
    ) -> Result<Self> {
        let mut rng = Streams::of_integers(&integers.digest(), options.rank.seed).stream(Domain::Primes, 0);
        let minor_bits = hadamard_log2(integers, integers.rows().min(integers.cols()))?;
        let bad = bad_prime(minor_bits, options.prime_bits);
        let rule = if profile { Rule::Leading } else { Rule::Aside(0) };
        let (mut best, mut error): (Option<(Kernel, Option<Recipe>)>, Option<ErrorBound>) = (None, None);
        let (mut phases, mut primes) = (Phases::default(), Product::new());
        for _ in 0..CHOICES {
            let p = random_prime(options.prime_bits, &mut rng);
            primes.add(p.get());
            let reduced = phases.shown("reduce", observer, || integers.try_reduce(p))?;
            let (kernel, recipe) = decompose_for_replay(reduced, rule, &options.rank, observer)?;
            phases.extend(&kernel.rank().phases);
            let one = match (bad, kernel.rank().certainty) {
                (bad, Certainty::Proven) => bad,
                (None, Certainty::MonteCarlo { error_bound }) => Some(error_bound),
                (Some(bad), Certainty::MonteCarlo { error_bound }) => Some(bad.either(error_bound)),
                (_, Certainty::Heuristic) => Some(ErrorBound::from_log2(0.0)),
            };
            let better = match &best {
                Some((other, _)) => is_better(&kernel, other, profile)?,
                None => true,
            };
            if better {
                best = Some((kernel, recipe));
            }
            error = match (one, error) {
                (None, _) => None,
                (Some(one), None) => Some(one),
                (Some(one), Some(error)) => Some(error.both(one)),
            };
            if error.is_none_or(|error| error <= options.error) {
                break;
            }
        }
        let (base, recipe) = best.expect("there was a prime");
        let mut name = vec![];
        if observer.keeper().is_some() {
            let free = base.free()?;
            (integers.digest(), base.modulus().get(), &free[..], options.prime_bits).write(&mut name)?;
        }
        let columns = Columns::of(integers)?;
        let products = vec![BigInt::from(base.modulus().get())];
        Ok(Space {
            integers,
            columns,
            replay: recipe.map_or(Replay::Never, Replay::Found),
            base,
            more: vec![],
            primes,
            dropped: 0,
            products,
            minor_bits,
            rng,
            bits: options.prime_bits,
            certainty: error.map_or(Certainty::Proven, Certainty::with_bound),
            phases,
            needed: 0,
            name,
            kept: vec![],
        })
    }
    /// The decomposition mod the first prime.
    pub fn base(&self) -> &Kernel {
        &self.base
    }
    /// The primes that vectors may be known by so far.
    fn moduli(&self) -> impl Iterator<Item = Modulus> {
        [self.base.modulus()].into_iter().chain(self.more.iter().map(|more| more.0))
    }
    /// Those that a vector needed.
    pub fn primes(&self) -> Vec<Modulus> {
        let known = self.moduli().map(Modulus::get).chain(self.kept.iter().skip(1 + self.more.len()).copied());
        known.take(self.needed.max(1)).filter_map(|p| Modulus::new(p).ok()).collect()
    }
    /// What the answer rests on.
    pub fn reason(&self) -> String {
        let base = self.base.rank();
        let mut reason = format!("mod {}: {}", self.base.modulus(), base.reason);
        reason += match self.certainty {
            Certainty::Proven => "; the minors have so few bits that no such prime divides one",
            _ => "; the rank mod a random prime falls short with at most the stated probability",
        };
        if self.needed > 0 {
            let primes = if self.needed == 1 { "prime" } else { "primes" };
            reason += &format!("; null vectors from {} {primes}", self.needed);
        }
        if self.dropped > 0 {
            reason += &format!(", {} others dropped", self.dropped);
        }
        reason
    }

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
        let at_once = (AHEAD * rayon::current_num_threads() * BLOCK).min(count.max(1));
        let rooms = Rooms::default();
        for first in (0..count).step_by(at_once) {
            observer.phase("null vectors", count as u64);
            observer.progress(first as u64);
            let all = first..count.min(first + at_once);
            let mut blocks: Vec<Block> =
                (all.clone().step_by(BLOCK)).map(|start| Block::new(start..all.end.min(start + BLOCK))).collect();
            let kept = self.restore(&mut blocks, observer)?;
            loop {
                observer.check()?;
                self.timed(|space| blocks.par_iter_mut().try_for_each(|block| space.advance(block, &rooms)))?;
                if blocks.iter().all(Block::is_done) {
                    break;
                }
                self.another_prime(observer)?;
            }
            self.needed = blocks.iter().map(|block| block.primes).fold(self.needed, usize::max);
            let primes: Vec<u64> = self.moduli().map(Modulus::get).collect();
            for (block, kept) in blocks.iter().zip(&kept).filter_map(|(block, kept)| Some((block, kept.as_ref()?))) {
                kept.complete(&(&primes[..block.primes.min(primes.len())], &block.found))?;
            }
            self.timed(|_| {
                let made: Vec<T> = blocks.into_par_iter().map(|block| make(&block.vectors())).collect::<Result<_>>()?;
                made.into_iter().try_for_each(&mut take)
            })?;
        }
        observer.progress(count as u64);
        Ok(())
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
    /// Goes on with a block, prime by prime, until its vectors are known or there is no other prime.
    fn advance(&self, block: &mut Block, rooms: &Rooms) -> Result<()> {
        let mut sums = rooms.sums.lock().expect("no task panics").pop().unwrap_or_default();
        while !block.is_done() && block.primes < self.products.len() {
            let first = block.primes == 0;
            let vectors = if first {
                let mut room = rooms.of_first.lock().expect("no task panics").pop().unwrap_or_default();
                let vectors = self.base.some(None, block.range.clone(), &mut room)?;
                rooms.of_first.lock().expect("no task panics").push(room);
                vectors
            } else {
                let floors = &self.more[block.primes - 1].1;
                self.base.some(Some(floors), block.range.clone(), &mut Room::default())?
            };
            self.add(block, &vectors, &mut sums)?;
        }
        rooms.sums.lock().expect("no task panics").push(sums);
        Ok(())
    }
    /// Adds what is known by one prime more.
    fn add(&self, block: &mut Block, vectors: &NullVectors, sums: &mut Sums) -> Result<()> {
        let k = block.primes;
        let p = if k == 0 { self.base.modulus() } else { self.more[k - 1].0 };
        for lane in (0..block.range.len()).filter(|&lane| block.found[lane].is_none()).collect::<Vec<_>>() {
            let residues = vectors.vector(lane);
            let found = match &mut block.lanes[lane] {
                None => match at_once(p, residues, &self.columns, sums)? {
                    None => {
                        let known = block.lanes[lane].insert(Lane::new(residues)?);
                        // Of large entries of A words do not hold the products.
                        if self.columns.largest() < 1 << 32 {
                            known.attempt(&self.products[0], &self.columns, sums)?
                        } else {
                            None
                        }
                    }
                    found => found,
                },
                Some(known) => {
                    known.add(&self.products[k - 1], p, residues)?;
                    known.attempt(&self.products[k], &self.columns, sums)?
                }
            };
            if found.is_some() {
                (block.found[lane], block.lanes[lane]) = (found, None);
            }
        }
        block.primes += 1;
        Ok(())
    }

    /// Repeats the decomposition mod one prime more.
    ///
    /// # Errors
    /// [`Error::Check`] where the first prime must have been bad: fractions among the minors of A are known beyond the
    /// product of the primes, or too many primes do not have its structure.
    fn another_prime(&mut self, observer: &dyn Observer) -> Result<()> {
        let known = self.products.last().expect("there is a first").bits() as f64;
        let misled = || Error::Check(format!("{} misled: another seed draws other primes", self.base.modulus()));
        // By Cramer's rule numerators and denominators are minors: 2·4^h is enough.
        if known > 2.0 * self.minor_bits + 3.0 {
            return Err(misled());
        }
        self.replay = match std::mem::replace(&mut self.replay, Replay::Never) {
            Replay::Never => return Err(misled()),
            Replay::Found(recipe) => {
                let trimmed = self.phases.shown("replay", observer, || recipe.trim(observer))?;
                let matrix = self.phases.time("replay", || lines(self.integers, trimmed.rows(), self.base.names()))?;
                Replay::Ready(trimmed, matrix)
            }
            ready => ready,
        };
        let Replay::Ready(trimmed, matrix) = &self.replay else { unreachable!("it was made") };
        for _ in 0..DROPPED {
            observer.check()?;
            let p = random_prime(self.bits, &mut self.rng);
            if self.primes.contains(p.get()) {
                continue;
            }
            self.primes.add(p.get());
            let (base, phases) = (&self.base, &mut self.phases);
            let floors = phases.shown("replay", observer, || base.replay(trimmed, matrix.try_reduce(p)?, observer))?;
            if let Some(floors) = floors {
                let product = self.products.last().expect("there is a first") * p.get();
                self.products.push(product);
                self.more.push((p, floors));
                return Ok(());
            }
            self.dropped += 1;
        }
        Err(misled())
    }
}

/// The rows and columns of these numbers, ascending, as a matrix of their own.
fn lines(a: &Triplets, rows: &[u32], cols: &[u32]) -> Result<Triplets> {
    let places = |lines: &[u32], whole: usize| {
        let mut place = memory::filled(None, whole, VECTORS)?;
        lines.iter().enumerate().for_each(|(k, &line)| place[line as usize] = Some(k));
        Ok::<_, Error>(place)
    };
    let (row, col) = (places(rows, a.rows())?, places(cols, a.cols())?);
    let kept = a.entries().filter_map(|(i, j, v)| Some((row[i]?, col[j]?, v.into_owned())));
    Triplets::try_from_entries(rows.len(), cols.len(), kept)
}

/// Working space of the threads.
#[derive(Default)]
struct Rooms {
    of_first: Mutex<Vec<Room>>,
    sums: Mutex<Vec<Sums>>,
}

impl Block {
    fn new(range: Range<usize>) -> Self {
        let none = |_| None;
        Block {
            found: range.clone().map(none).collect(),
            lanes: range.clone().map(|_| None).collect(),
            range,
            primes: 0,
        }
    }
    fn is_done(&self) -> bool {
        self.found.iter().all(Option::is_some)
    }
    fn vectors(self) -> RationalVectors {
        let vectors = self.found.into_iter().map(|found| found.expect("the block is done")).collect();
        RationalVectors { first: self.range.start, vectors }
    }
}
