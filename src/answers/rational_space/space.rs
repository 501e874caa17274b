//! The null space over ℚ by primes, as many as its vectors need.

use super::RationalSpaceOptions;
use super::columns::Columns;
use super::modular::{Floors, Kernel, Recipe, Trimmed, decompose_for_replay};
use super::sparser::{sparser, worth};
use crate::certify::{Certainty, Domain, ErrorBound, Streams};
use crate::field::{Modulus, Rng, random_prime};
use crate::integers::{LIKELY, Product, Together, bad_prime, hadamard_log2};
use crate::pivots::Rule;
use crate::report::{Bytes, Phases};
use crate::sparse::Triplets;
use crate::{Error, Observer, Result, memory};
use num_bigint::BigInt;

/// What the memory is for.
const VECTORS: &str = "null vectors over the rationals";
/// Up to so many primes every one is followed by an attempt.
const EVERY: usize = 32;
/// Primes from which the first one is chosen at most, and such in a row that may not have its structure.
const CHOICES: usize = 8;
const DROPPED: usize = 16;

/// A null space over ℚ.
#[derive(Debug)]
pub(super) struct Space<'a> {
    integers: &'a Triplets,
    pub columns: Columns,
    pub base: Kernel,
    replay: Replay,
    /// Further primes, and their floors.
    pub more: Vec<(Modulus, Floors)>,
    primes: Product,
    dropped: usize,
    /// The product of the primes that vectors may be known by.
    product: BigInt,
    /// Chinese remainders by the first primes, as many as the number of an entry.
    pub together: Vec<Option<Together>>,
    minor_bits: f64,
    rng: Rng,
    bits: u32,
    pub certainty: Certainty,
    pub phases: Phases,
    /// The most primes that a vector needed.
    pub needed: usize,
    /// What identifies it to those who keep states: nothing if nobody does.
    pub name: Vec<u8>,
    /// The primes of vectors that were kept.
    pub kept: Vec<u64>,
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
        let (columns, mut best) = (Columns::of(integers)?, best.expect("there was a prime"));
        if !profile {
            best = sparser(worth(integers), integers, &columns, best, options, &mut phases, observer)?;
        }
        let (base, recipe) = best;
        let mut name = vec![];
        if observer.keeper().is_some() {
            let free = base.free()?;
            (integers.digest(), base.modulus().get(), &free[..], options.prime_bits).write(&mut name)?;
        }
        let product = BigInt::from(base.modulus().get());
        Ok(Space {
            integers,
            columns,
            replay: recipe.map_or(Replay::Never, Replay::Found),
            base,
            more: vec![],
            primes,
            dropped: 0,
            product,
            together: vec![],
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
    pub fn moduli(&self) -> impl Iterator<Item = Modulus> {
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

    /// Whether vectors that are known by so many primes are attempted: of many primes not after every one.
    fn is_due(&self, primes: usize) -> bool {
        primes <= EVERY || primes.is_multiple_of(2 * (1 << primes.ilog2()) / EVERY) || self.is_last(primes)
    }
    /// Whether fractions must be there by so many primes: by Cramer's rule numerators and denominators are minors, so
    /// that 2·4^h is enough, and as much more as attempts want between them.
    pub fn is_last(&self, primes: usize) -> bool {
        primes == self.more.len() + 1 && self.product.bits() as f64 > 2.0 * self.minor_bits + (LIKELY + 3) as f64
    }
    /// Prepares attempts by so many primes.
    pub fn prepare(&mut self, primes: usize) -> Result<()> {
        if self.together.len() <= primes {
            self.together.resize_with(primes + 1, || None);
        }
        if self.together[primes].is_none() && self.is_due(primes) {
            self.together[primes] = Some(Together::new(self.moduli().take(primes))?);
        }
        Ok(())
    }
    /// Repeats the decomposition mod one prime more.
    ///
    /// # Errors
    /// [`Error::Check`] where the first prime must have been bad: fractions among the minors of A are known beyond the
    /// product of the primes, or too many primes do not have its structure.
    pub fn another_prime(&mut self, observer: &dyn Observer) -> Result<()> {
        let misled = || Error::Check(format!("{} misled: another seed draws other primes", self.base.modulus()));
        if self.is_last(self.more.len() + 1) {
            return Err(misled());
        }
        self.replay = match std::mem::replace(&mut self.replay, Replay::Never) {
            Replay::Never => return Err(misled()),
            Replay::Found(recipe) => {
                let trimmed = self.phases.shown("choice of rows", observer, || recipe.trim(observer))?;
                let own = || lines(self.integers, trimmed.rows(), self.base.names());
                let matrix = self.phases.time("choice of rows", own)?;
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
                self.product *= p.get();
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
