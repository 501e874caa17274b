//! The determinant over ℤ of a matrix as a whole.

use super::RankOptions;
use super::ahead::{Lift, SLACK};
use super::check::Product;
use super::cofactor::{Assembled, Cofactor, PRIME_BITS, check_square, is_repeated};
use super::minor::{Primes, decompose, determinant_mod, system};
use crate::certify::{Domain, Streams};
use crate::decomposition::Minor;
use crate::field::{Modulus, Rng};
use crate::integers::hadamard_log2;
use crate::padic::Side;
use crate::report::{Ahead, Certainty, ErrorBound, Phases};
use crate::sparse::{Integer, Triplets};
use crate::words::counted;
use crate::{Error, Observer, Result, Step, memory};
use num_bigint::BigInt;
use num_traits::{One, Zero};
use rand::RngExt;
use std::time::Instant;

/// Right sides whose denominator is sought have numbers up to this.
const SIDE: i64 = 1 << 15;
/// Where Hadamard's bound takes so few primes, there is no need of a divisor.
const FEW_PRIMES: f64 = 4.0;
/// The error that is acceptable where nothing is said about it.
pub(super) const ERROR: f64 = 1e-12;

/// A determinant over ℤ.
#[derive(Clone, Debug)]
#[must_use]
#[non_exhaustive]
pub struct IntegerDeterminant {
    /// The determinant.
    pub value: BigInt,
    /// How sure it is.
    pub certainty: Certainty,
    /// What the certainty rests on.
    pub reason: String,
    /// The rank: n, or less where the determinant is 0.
    pub rank: usize,
    /// The divisor that was known by lifting; 1 where nothing was lifted. Of several blocks the product.
    pub divisor: BigInt,
    /// The primes mod which the determinant was computed. Of several blocks the most.
    pub primes: usize,
    /// log₂ of Hadamard's bound.
    pub hadamard_bits: f64,
    /// The steps.
    pub path: Vec<Step>,
    /// Seconds of the phases.
    pub phases: Phases,
}

/// det `a` as a whole, beginning with these primes.
///
/// # Errors
/// As [`integer_determinant`](super::integer_determinant).
pub(super) fn determinant_with(
    a: &Triplets,
    first: Vec<Modulus>,
    options: &RankOptions,
    observer: &dyn Observer,
) -> Result<IntegerDeterminant> {
    super::super::kernel::check(options)?;
    check_square(a)?;
    let mut phases = Phases::default();
    let n = a.rows();
    let zero = |rank: usize, hadamard_bits: f64, reason: &str, path: Vec<Step>, phases: Phases| IntegerDeterminant {
        value: BigInt::ZERO,
        certainty: Certainty::Proven,
        reason: reason.into(),
        rank,
        divisor: BigInt::one(),
        primes: 0,
        hadamard_bits,
        path,
        phases,
    };
    let hadamard_bits = phases.time("bounds", || hadamard_log2(a, n))?;
    let digest = phases.shown("digest", observer, || a.digest());
    let mut primes = Primes::new(&digest, options.seed, first);
    // What is asked of the ranks: those that are less than n are proven in another way.
    let rank_options = RankOptions { proven: false, error: None, ..options.clone() };
    let mut path = vec![];
    loop {
        let (p, start) = (primes.next()?, Instant::now());
        let (rank, minor) = decompose(a, p, &rank_options, &mut phases, observer)?;
        let a_prime = start.elapsed().as_secs_f64();
        if rank.rank == n {
            path.extend(rank.path);
            let rank_options = &rank_options;
            let work = Work { a, p, a_prime, minor: &minor, hadamard_bits, options, rank_options, observer };
            return work.nonsingular(&digest, path, phases);
        }
        let start = Instant::now();
        let dependent = is_dependent(a, p, &minor, &rank_options, &mut phases, observer)?;
        let seconds = start.elapsed().as_secs_f64();
        if dependent {
            path.extend(rank.path);
            path.push(step("null vector", "a column is a combination of others".into(), seconds));
            let reason = "a null vector over the integers, multiplied out";
            return Ok(zero(rank.rank, hadamard_bits, reason, path, phases));
        }
        path.push(step("bad prime", format!("{p} divides all minors of order {}", rank.rank + 1), seconds));
    }
}

/// A step of an answer that is no rank.
pub(super) fn step(name: &'static str, found: String, seconds: f64) -> Step {
    Step { name, found, why: String::new(), rank: None, predicted: None, seconds }
}

/// Whether the first column outside the minor is a combination of those inside over ℚ: an empty one, or by a null
/// vector that is multiplied out.
fn is_dependent(
    a: &Triplets,
    p: Modulus,
    minor: &Minor,
    options: &RankOptions,
    phases: &mut Phases,
    observer: &dyn Observer,
) -> Result<bool> {
    let mut inside = memory::zeros::<bool>(a.cols(), "the columns of a minor")?;
    minor.cols().iter().for_each(|&j| inside[j as usize] = true);
    let mut sizes = memory::zeros::<u32>(a.cols(), "the columns of a minor")?;
    a.entries().for_each(|(_, j, _)| sizes[j] += 1);
    // The shortest: an empty one needs no vector.
    let outside = (0..a.cols()).filter(|&j| !inside[j]).min_by_key(|&j| sizes[j]);
    let free = outside.ok_or_else(|| Error::Check("a minor with all columns of a singular matrix".into()))?;
    if sizes[free] == 0 {
        return Ok(true);
    }
    let column: Side<'_> = a.entries().filter(|e| e.1 == free).map(|(i, _, v)| (i as u32, v)).collect();
    let system = system(a, p, minor, options, phases, observer)?;
    let found = phases.time("lifting", || system.solve(std::slice::from_ref(&column), observer))?.remove(0);
    phases.time("check", || {
        let mut y = memory::filled(BigInt::ZERO, a.cols(), "a null vector")?;
        minor.cols().iter().zip(found.numerators).for_each(|(&j, n)| y[j as usize] = n);
        Ok(Product::new(a)?.differs(&y, &found.denominator, &column, observer)?.is_empty())
    })
}

/// A matrix that is nonsingular mod p.
struct Work<'a> {
    a: &'a Triplets,
    p: Modulus,
    /// Seconds that the decomposition mod p took.
    a_prime: f64,
    minor: &'a Minor,
    hadamard_bits: f64,
    options: &'a RankOptions,
    rank_options: &'a RankOptions,
    observer: &'a dyn Observer,
}

impl Work<'_> {
    fn nonsingular(self, digest: &str, mut path: Vec<Step>, mut phases: Phases) -> Result<IntegerDeterminant> {
        let streams = Streams::of_integers(digest, self.options.seed);
        let start = Instant::now();
        let known = (digest, self.p);
        let residue = determinant_mod(self.a, known, self.minor, self.rank_options, &mut phases, self.observer)?;
        self.foretell();
        let divisor = match self.hadamard_bits > FEW_PRIMES * 30.0 {
            true => self.denominator(&mut streams.stream(Domain::Solutions, 1), &mut phases)?,
            false => BigInt::one(),
        };
        if !divisor.is_one() {
            path.push(step(
                "lifting",
                format!("a divisor of {}", counted(divisor.bits(), "bit")),
                start.elapsed().as_secs_f64(),
            ));
        }
        let start = Instant::now();
        let cofactor = Cofactor {
            a: self.a,
            digest,
            divisor: &divisor,
            hadamard_bits: self.hadamard_bits,
            chain: self.minor.triangular(),
            options: self.rank_options,
            observer: self.observer,
        };
        let acceptable = self.options.error.or_else(|| ErrorBound::new(ERROR));
        let error = acceptable.filter(|_| !self.options.proven);
        let mut rng = streams.stream(Domain::Primes, 2);
        let bits = cofactor.bits();
        let Assembled { value, primes, certainty } =
            cofactor.assemble((self.p, residue), error, None, &mut rng, &mut phases)?;
        let known = if divisor.is_one() {
            String::new()
        } else {
            format!(" divided by {}", counted(divisor.bits(), "known bit"))
        };
        let count = counted(primes, "prime");
        path.push(step("determinants mod p", format!("{count}{known}"), start.elapsed().as_secs_f64()));
        let reason = match certainty {
            Certainty::Proven => format!("{count}: by Hadamard the determinant{known} has at most {bits} bits"),
            _ => format!("{count}, of which the last random ones agree: the determinant{known} may have {bits} bits"),
        };
        let value = value * &divisor;
        if value.is_zero() {
            return Err(Error::Check(format!("a matrix that is nonsingular mod {} with determinant 0", self.p)));
        }
        let (rank, hadamard_bits) = (self.a.rows(), self.hadamard_bits);
        Ok(IntegerDeterminant { value, certainty, reason, rank, divisor, primes, hadamard_bits, path, phases })
    }

    /// Says what is ahead: the lifting, and then primes, each of which takes as long as the first did. The divisor is
    /// nearly the determinant as a rule, and Hadamard's bound exceeds it by so much.
    fn foretell(&self) {
        let (a, n) = (self.a, self.a.rows());
        let machine = &self.options.machine;
        let lift = Lift { machine, minor: self.minor, nnz: a.nnz(), hadamard_bits: self.hadamard_bits };
        let mut ahead = lift.ahead(1);
        // Where they are all sought mod few primes, or the elimination is repeated for many at once, nothing is known.
        if self.options.proven && !is_repeated(n, self.minor.triangular()) {
            let primes = SLACK * n as f64 / f64::from(PRIME_BITS);
            ahead.push(Ahead::repeated("determinants mod p", self.a_prime, primes));
        }
        self.observer.ahead(&ahead);
    }

    /// The denominator of the solution for a random right side.
    fn denominator(&self, rng: &mut Rng, phases: &mut Phases) -> Result<BigInt> {
        let system = system(self.a, self.p, self.minor, self.rank_options, phases, self.observer)?;
        let side = (0..self.a.rows() as u32).map(|i| (i, Integer::from(rng.random_range(-SIDE..=SIDE))));
        let side: Side<'_> = memory::collect(side, "a random right side")?;
        let found = phases.time("lifting", || system.solve(&[side], self.observer))?;
        Ok(found.into_iter().next().expect("one solution").denominator)
    }
}
