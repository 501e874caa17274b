//! The way to a rank over ℚ: primes drawn until a proof is found, or the requested error bound is reached.

use super::contents::without_contents;
use super::{ModularRank, RationalOptions, RationalRank};
use crate::answers::{Method, Minor, RankOptions, rank};
use crate::certify::{Certainty, Domain, ErrorBound, Streams};
use crate::cost::Machine;
use crate::field::{Modulus, Rng, random_prime};
use crate::integers::{Product, bad_prime, hadamard_log2};
use crate::matching::maximum_matching;
use crate::report::once;
use crate::sparse::{Pattern, Triplets};
use crate::words::counted;
use crate::{Error, Observer, Result, Step, memory};
use std::borrow::Cow;
use std::cell::Cell;
use std::time::Instant;

/// Most random primes for one answer that nothing proves.
const MAX_PRIMES: usize = 1000;
/// Where primes of 31 bits are bad with more than this, they have 62.
const LARGE_AT: f64 = 1e-3;
/// A proof that nobody demands may take so many seconds …
const UNASKED: f64 = 0.05;
/// … or this share of what the ranks mod p are predicted to have taken.
const PROOF_SHARE: f64 = 1.0;

/// What an answer rests on.
pub(super) enum Ground {
    /// The upper bound is proven, in these words.
    Proof(String),
    /// Random primes, all bad with at most this probability.
    Chance(ErrorBound),
    /// Random primes, and no theorem.
    Nothing,
}

pub(super) struct Search<'a> {
    given: &'a Triplets,
    /// That of the matrix as the caller has it.
    digest: String,
    /// Contents divided out.
    pub a: Cow<'a, Triplets>,
    pub options: &'a RationalOptions,
    pub observer: &'a dyn Observer,
    /// Of the primes.
    pub rng: Rng,
    /// The largest of the modular ranks.
    pub value: usize,
    /// What the rank is proven to be at most …
    bound: usize,
    /// … and at least, without a prime that shows it.
    floor: usize,
    pub path: Vec<Step>,
    minor_bits: f64,
    /// The order for which it was asked last, and the bits.
    bits_above: Cell<(usize, f64)>,
    prime_bits: u32,
    /// The probability that a random prime is bad; `None` where none is.
    bad_prime: Option<ErrorBound>,
    drawn: Vec<ModularRank>,
    pub proving: Vec<ModularRank>,
    /// Of pⁿ⁻ʳ for primes p of proven rank r: they divide all minors of order n, the value and 1.
    pub product: Product,
    /// Seconds of one thread that the ranks mod p are predicted to have taken.
    spent: f64,
}

/// A rank mod p of which more is needed than its value.
pub(super) struct Drawn {
    pub modulus: Modulus,
    pub rank: usize,
    pub seconds: f64,
    pub minor: Option<Minor>,
    by_elimination: bool,
    /// Structural pivots in the first step that found some.
    structural: usize,
}

impl<'a> Search<'a> {
    /// `digest` is that of the matrix as the caller has it, `given` its non-empty lines.
    pub fn new(
        given: &'a Triplets,
        digest: &str,
        options: &'a RationalOptions,
        observer: &'a dyn Observer,
    ) -> Result<Self> {
        let start = Instant::now();
        let a = without_contents(given)?;
        let bound = options.rank_bound.unwrap_or(usize::MAX).min(fewest_lines(&a)?);
        let minor_bits = hadamard_log2(&a, bound)?;
        let wiedemann = options.rank.method == Method::Wiedemann;
        // A proof goes by 31 bits: enough primes may have others.
        let large =
            wiedemann || (bad_prime(minor_bits, 31).is_some_and(|bad| bad.value() > LARGE_AT) && !options.rank.proven);
        let prime_bits = if large { 62 } else { 31 };
        let mut path = vec![];
        if matches!(a, Cow::Owned(_)) {
            let was = hadamard_log2(given, bound)?;
            path.push(Step {
                name: "contents",
                found: format!("minors of at most {minor_bits:.0} bits, before {was:.0}"),
                why: "common factors of lines do not matter over Q".into(),
                rank: Some(0),
                predicted: None,
                seconds: start.elapsed().as_secs_f64(),
            });
        }
        let rng = Streams::of_integers(digest, options.rank.seed).stream(Domain::Primes, 0);
        Ok(Search {
            given,
            digest: digest.into(),
            a,
            options,
            observer,
            rng,
            value: 0,
            bound,
            floor: 0,
            path,
            minor_bits,
            bits_above: Cell::new((0, 0.0)),
            prime_bits,
            bad_prime: bad_prime(minor_bits, prime_bits),
            drawn: vec![],
            proving: vec![],
            product: Product::new(),
            spent: 0.0,
        })
    }

    /// A proof, whatever it takes.
    pub fn prove(&mut self) -> Result<Ground> {
        loop {
            if let Some(ground) = self.proven_by_what_is_there()? {
                return Ok(ground);
            }
            let drawn = match self.draw(true, false) {
                // Without a minor there are more ways to the rank, and primes may still be enough.
                Err(Error::Memory(_)) => self.draw(false, true)?,
                other => other?,
            };
            self.match_lines()?;
            if self.proven_by_what_is_there()?.is_none() && drawn.rank >= self.value.max(self.floor) {
                let dearest = self.seconds_by_primes(drawn.seconds)?;
                if let Some(words) = self.by_null_space(&drawn, dearest)? {
                    return Ok(Ground::Proof(words));
                }
                if self.floor <= self.value
                    && let Some(words) = self.by_primes(drawn.seconds)?
                {
                    return Ok(Ground::Proof(words));
                }
            }
            self.check_luck()?;
        }
    }

    /// Whether primes that make the rank smaller may be so many: each divides a minor that is not 0.
    fn check_luck(&self) -> Result<()> {
        let mut bad: Vec<u64> = self.drawn.iter().filter(|p| p.rank < self.floor).map(|p| p.modulus.get()).collect();
        bad.sort_unstable();
        bad.dedup();
        let most = self.minor_bits / f64::from(self.prime_bits - 1);
        if bad.len() as f64 > most {
            let (count, floor) = (bad.len(), self.floor);
            return Err(Error::Check(format!("{count} primes make a rank of {floor} smaller, {most:.0} can")));
        }
        Ok(())
    }

    /// Random primes to the error asked for, and a proof on the way where it is cheap.
    pub fn go_on(&mut self) -> Result<Ground> {
        let (mut failure, enough) = (ErrorBound::VACUOUS, self.options.error);
        let (mut tried, mut last) = (false, None);
        loop {
            if let Some(ground) = self.proven_by_what_is_there()? {
                return Ok(ground);
            }
            if failure <= enough && self.floor <= self.value {
                return Ok(Ground::Chance(failure));
            }
            let with_minor = !tried && self.may_be_proven(last.as_ref());
            let drawn = self.draw(with_minor, false)?;
            self.match_lines()?;
            if self.proven_by_what_is_there()?.is_none() && with_minor && drawn.rank >= self.value {
                if let Some(words) = self.by_null_space(&drawn, self.affordable())? {
                    return Ok(Ground::Proof(words));
                }
                // Where the prime was bad, the next one may do.
                tried = drawn.rank >= self.floor;
            }
            let of_rank = match self.drawn.last().map(|drawn| drawn.certainty) {
                Some(Certainty::Proven) => None,
                Some(Certainty::MonteCarlo { error_bound }) => Some(error_bound),
                Some(Certainty::Heuristic) | None => Some(ErrorBound::VACUOUS),
            };
            let one = match (self.bad_prime, of_rank) {
                (Some(prime), Some(rank)) => prime.either(rank),
                // No prime is bad: a proven rank was found to be a proof above.
                (prime, rank) => prime.or(rank).unwrap_or(ErrorBound::VACUOUS),
            };
            if one.is_vacuous() {
                // No theorem speaks, and more primes would not make it.
                return Ok(self.proven_by_what_is_there()?.unwrap_or(Ground::Nothing));
            }
            if one.all(MAX_PRIMES) > enough {
                let bits = self.prime_bits;
                return Err(Error::Usage(format!(
                    "an error bound of {enough} is out of reach: a prime of {bits} bits is wrong with up to {one}"
                )));
            }
            failure = failure.both(one);
            last = Some(drawn);
        }
    }

    /// The prices.
    pub fn machine(&self) -> &Machine {
        &self.options.rank.machine
    }

    /// Seconds of one thread for a proof that nobody demands.
    fn affordable(&self) -> f64 {
        (PROOF_SHARE * self.spent).max(UNASKED)
    }

    /// Whether the next rank should come with a minor: where everything is small, or the last one shows that this costs
    /// little more.
    fn may_be_proven(&self, last: Option<&Drawn>) -> bool {
        if !matches!(self.options.rank.method, Method::Auto | Method::Elimination) || self.prime_bits != 31 {
            return false;
        }
        match last {
            None => {
                let long = self.a.rows().max(self.a.cols()) as f64;
                (self.bound as f64).powi(2) * long * self.machine().dense.product[3] <= UNASKED
            }
            Some(last) => {
                let beyond = last.rank.saturating_sub(last.structural);
                last.by_elimination && self.setup_seconds(beyond) <= self.affordable()
            }
        }
    }

    fn proven_by_what_is_there(&self) -> Result<Option<Ground>> {
        if self.value >= self.bound {
            let bound = self.bound;
            let words = format!("no rank mod p exceeds that over Q, which the pattern bounds by {bound}");
            return Ok(Some(Ground::Proof(words)));
        }
        if self.floor > self.value || self.product.count() == 0 {
            return Ok(None);
        }
        let bits = self.minor_bits_above()?;
        Ok(self.product.exceeds(bits).then(|| Ground::Proof(self.words_of_primes(bits))))
    }

    /// A bound of the minors of the order above the value.
    ///
    /// # Errors
    /// [`Error::Memory`].
    pub fn minor_bits_above(&self) -> Result<f64> {
        let order = self.value + 1;
        if self.bits_above.get().0 != order {
            self.bits_above.set((order, hadamard_log2(&self.a, order)?));
        }
        Ok(self.bits_above.get().1)
    }

    pub fn words_of_primes(&self, bits: f64) -> String {
        let (count, order) = (self.product.count(), self.value + 1);
        let size = self.product.bits();
        match count {
            1 => format!("one prime: the minors of order {order} have at most {bits:.0} bits, fewer than it"),
            _ => format!(
                "{count} primes, their product above 2^{size}: the minors of order {order} have at most {bits:.0} bits"
            ),
        }
    }

    /// A maximum matching bounds the rank, too; found once.
    fn match_lines(&mut self) -> Result<()> {
        if self.drawn.len() == 1 && self.value < self.bound {
            self.bound = self.bound.min(maximum_matching(&Pattern::of_integers(&self.a)?)?.size);
        }
        Ok(())
    }

    /// The rank modulo one more random prime.
    fn draw(&mut self, minor: bool, proven: bool) -> Result<Drawn> {
        let p = random_prime(self.prime_bits, &mut self.rng);
        let (rank, drawn) = self.modular(false, p, minor, proven)?;
        self.drawn.push(rank);
        Ok(drawn)
    }

    /// The rank mod p of the matrix as given, or without contents.
    pub fn modular(&mut self, as_given: bool, p: Modulus, minor: bool, proven: bool) -> Result<(ModularRank, Drawn)> {
        let start = Instant::now();
        let matrix = if as_given { self.given } else { &*self.a };
        let options = RankOptions { minor, proven, ..self.options.rank.clone() };
        let make = || {
            let answer = rank(&matrix.try_reduce(p)?, &options, self.observer)?;
            let steps = &answer.path;
            let structural = steps.iter().find(|step| step.name == "structural pivots").and_then(|step| step.rank);
            let predicted = steps.iter().filter_map(|step| step.predicted).sum::<f64>();
            let method = (answer.method == Method::Elimination, structural.unwrap_or(0));
            let lines = answer.minor.map(|minor| (minor.rows, minor.cols, minor.triangular));
            Ok(((answer.rank, answer.certainty), method, lines, (start.elapsed().as_secs_f64(), predicted)))
        };
        let key = || ((&self.digest, as_given), p.get(), (minor, proven), options.seed, options.method.name());
        let ((rank, certainty), (by_elimination, structural), lines, (seconds, predicted)) =
            once("rank", key, self.observer, make)?;
        self.spent += predicted;
        self.value = self.value.max(rank);
        if !as_given {
            if certainty == Certainty::Proven {
                self.product.add_power(p.get(), (self.value + 1 - rank) as u32);
            }
            self.path.push(Step {
                name: "rank mod p",
                found: format!("{rank} mod {p} ({})", certainty.name()),
                why: String::new(),
                rank: None,
                predicted: None,
                seconds,
            });
        }
        let minor = lines.map(|(rows, cols, chain)| Minor::new(rows, cols, chain));
        let drawn = Drawn { modulus: p, rank, seconds, minor, by_elimination, structural };
        Ok((ModularRank { modulus: p, rank, certainty, seconds }, drawn))
    }

    /// The rank over ℚ was seen to exceed this.
    pub fn exceeds(&mut self, rank: usize) {
        self.floor = self.floor.max(rank + 1);
    }

    /// The ranks modulo the primes asked for, and the answer.
    pub fn answer(mut self, ground: Ground) -> Result<RationalRank> {
        let (proven, found) = (matches!(ground, Ground::Proof(_)), self.value);
        let mut asked = vec![];
        for &q in &self.options.moduli {
            asked.push(self.modular(true, q, false, self.options.rank.proven)?.0);
        }
        let (rank, bits, bad_prime) = (self.value, self.prime_bits, self.bad_prime);
        if proven && rank > found {
            return Err(Error::Check(format!("a rank of {rank} where {found} was proven to be the most")));
        }
        if rank > self.bound {
            return Err(Error::Check(format!("a rank of {rank} where at most {} is known to be possible", self.bound)));
        }
        let primes = format!("{} of {bits} bits", counted(self.drawn.len(), "random prime"));
        let (certainty, reason) = match ground {
            Ground::Proof(words) => (Certainty::Proven, words),
            _ if rank == self.bound => match self.proven_by_what_is_there()? {
                Some(Ground::Proof(words)) => (Certainty::Proven, words),
                _ => unreachable!("the bound is reached"),
            },
            Ground::Chance(error_bound) => {
                let minor_bits = self.minor_bits;
                let bad = match bad_prime {
                    Some(bound) => format!("each wrong with at most {:.1e}", bound.value()),
                    None => "none of them bad".into(),
                };
                let why = format!("{primes}, {bad}: minors have at most {minor_bits:.0} bits");
                (Certainty::MonteCarlo { error_bound }, why)
            }
            Ground::Nothing => (Certainty::Heuristic, format!("{primes}; no rank mod p exceeds that over Q")),
        };
        Ok(RationalRank {
            rank,
            certainty,
            reason,
            path: self.path,
            minor_bits: self.minor_bits,
            prime_bits: bits,
            bad_prime,
            drawn: self.drawn,
            proving: self.proving,
            asked,
        })
    }
}

/// The smaller one of the numbers of non-empty rows and columns.
fn fewest_lines(a: &Triplets) -> Result<usize> {
    let (rows, cols) = non_empty_lines(a)?;
    Ok(rows.min(cols))
}

/// The numbers of non-empty rows and columns.
pub(super) fn non_empty_lines(a: &Triplets) -> Result<(usize, usize)> {
    let lines = |count| memory::filled(false, count, "the non-empty lines");
    let (mut row, mut col) = (lines(a.rows())?, lines(a.cols())?);
    a.entries().for_each(|(i, j, _)| (row[i], col[j]) = (true, true));
    let count = |lines: Vec<bool>| lines.into_iter().filter(|&used| used).count();
    Ok((count(row), count(col)))
}
