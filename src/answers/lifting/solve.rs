//! Linear systems over ℚ.

use super::ahead::Lift;
use super::certificate::{Combinations, RationalContradiction, value};
use super::check::Product;
use super::minor::{Primes, decompose, system};
use super::{Rank, RankOptions};
use crate::decomposition::Minor;
use crate::field::Modulus;
use crate::integers::{hadamard_log2, large_gcd};
use crate::padic::{Fractions, Side, sides};
use crate::parallel::Each;
use crate::report::Phases;
use crate::sparse::{Fraction, Integer, RationalMatrix, SparseMatrix, Triplets};
use crate::words::counted;
use crate::{Error, Observer, Result, Step, memory};
use num_bigint::{BigInt, BigUint};
use num_traits::{One, Zero};
use rayon::prelude::*;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::time::Instant;

/// What the memory is for.
const SOLUTIONS: &str = "the solutions of a system";
/// Right sides that are lifted between two looks at the memory.
const GROUP: usize = 64;

/// What a system over ℚ has: solutions, or none and why. All of it is proven.
#[derive(Clone, Debug)]
#[must_use]
#[non_exhaustive]
pub struct RationalSolution {
    /// The rank mod the prime that was lifted, and how it was found: no larger than that of A over ℚ.
    pub rank: Rank,
    /// The prime.
    pub modulus: Modulus,
    /// The columns of B for which there is no solution, ascending.
    pub inconsistent: Vec<u32>,
    /// The columns of X with A·X = B, if all columns of B have solutions.
    pub solutions: Option<Vec<SolutionVector>>,
    /// Why the first of [`RationalSolution::inconsistent`] has none.
    pub contradiction: Option<RationalContradiction>,
    /// The most digits mod the prime that a solution took.
    pub digits: usize,
    /// What the answer rests on.
    pub reason: String,
    /// The steps.
    pub path: Vec<Step>,
    /// Seconds of the phases.
    pub phases: Phases,
}

impl RationalSolution {
    /// Whether all right sides have solutions.
    pub fn is_consistent(&self) -> bool {
        self.inconsistent.is_empty()
    }
}

/// A vector of fractions with a common denominator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SolutionVector {
    /// The coordinates that are not 0, ascending, times the denominator.
    pub numerators: Vec<(u32, BigInt)>,
    /// The least common denominator, positive.
    pub denominator: BigInt,
}

impl SolutionVector {
    /// The coordinates that are not 0, ascending, each in lowest terms. Parallel on rayon's current pool.
    ///
    /// # Errors
    /// [`Error::Memory`].
    pub fn fractions(&self) -> Result<Vec<(u32, Fraction<'static>)>> {
        let mut all = memory::filled((0, Integer::from(0).into()), self.numerators.len(), SOLUTIONS)?;
        // What a numerator has in common with d, it has in common with this, as a rule small, part of d.
        let shared = self.shared();
        all.par_iter_mut().zip(&self.numerators).each(|(to, (j, n))| {
            let common = BigInt::from(large_gcd(shared.clone(), n.magnitude() % &shared));
            let parts = [n, &self.denominator].map(|v| if common.is_one() { v.clone() } else { v / &common });
            let [n, d] = parts.map(Integer::from);
            *to = (*j, Fraction::in_lowest_terms(n, d));
        });
        Ok(all)
    }
    /// The largest divisor of d whose primes all divide a numerator: they are those of gcd(Π n, d).
    fn shared(&self) -> BigUint {
        let d = self.denominator.magnitude();
        let product = |a: BigUint, b: BigUint| a * b % d;
        let numerators = self.numerators.par_iter().map(|(_, n)| n.magnitude() % d);
        let mut primes = large_gcd(numerators.reduce(BigUint::one, product), d.clone());
        let (mut shared, mut rest) = (BigUint::one(), d.clone());
        while !primes.is_one() {
            shared *= &primes;
            rest /= &primes;
            primes = large_gcd(rest.clone(), primes);
        }
        shared
    }
    /// Bits of the largest numerator.
    pub fn numerator_bits(&self) -> u64 {
        self.numerators.iter().map(|(_, n)| n.bits()).max().unwrap_or(0)
    }
}

/// Solves A·X = B over ℚ: the solutions that are 0 in the columns that are free mod the prime, or a proof that there
/// are none. Of the options, the seed, the memory, the prices and the patience count; block Wiedemann is refused.
///
/// ```
/// use blackfield::{Silent, answers::{RankOptions, rational_solve}, sparse::Triplets};
/// let a = Triplets::from_entries(2, 2, [(0, 0, 1), (0, 1, 3), (1, 1, 2)]).into();
/// let b = Triplets::from_entries(2, 1, [(0, 0, 5), (1, 0, 5)]).into();
/// let found = rational_solve(&a, &b, &RankOptions::default(), &Silent)?;
/// let x = &found.solutions.expect("there is one")[0];
/// assert_eq!(x.denominator, 2.into()); // x = (-5/2, 5/2)
/// assert_eq!(x.numerators, [(0, (-5).into()), (1, 5.into())]);
/// # Ok::<(), blackfield::Error>(())
/// ```
///
/// # Errors
/// [`Error::Matrix`] unless B has as many rows as A, [`Error::Usage`] for options out of range, [`Error::Memory`] if
/// memory ends, [`Error::Interrupted`] when the observer says so, and [`Error::Check`] if a computation contradicts
/// itself.
pub fn rational_solve(
    a: &RationalMatrix,
    b: &RationalMatrix,
    options: &RankOptions,
    observer: &dyn Observer,
) -> Result<RationalSolution> {
    solve_with(a, b, vec![], options, observer)
}

/// [`rational_solve`] beginning with these primes.
pub(super) fn solve_with(
    a: &RationalMatrix,
    b: &RationalMatrix,
    first: Vec<Modulus>,
    options: &RankOptions,
    observer: &dyn Observer,
) -> Result<RationalSolution> {
    super::super::kernel::check(options)?;
    if a.rows() != b.rows() {
        return Err(Error::Matrix(format!("{} rows of right sides for a matrix of {} rows", b.rows(), a.rows())));
    }
    let mut phases = Phases::default();
    // Rows times the common denominators of both sides: the same solutions.
    let factors = common_denominators(a, b);
    let (whole_a, whole_b) = (scaled(a, &factors)?, scaled(b, &factors)?);
    let right = sides(&whole_b)?;
    let product = Product::new(&whole_a)?;
    let mut primes = phases.shown("digest", observer, || Primes::new(&a.digest(), options.seed, first));
    let mut path = vec![];
    loop {
        let p = primes.next()?;
        let (rank, minor) = decompose(&whole_a, p, options, &mut phases, observer)?;
        let mut attempt = Attempt { product: &product, right: &right, p, minor: &minor, options, observer };
        let start = Instant::now();
        let Some(found) = attempt.run(&mut phases)? else {
            let found = format!("{p} divides all minors of order {}", rank.rank + 1);
            path.push(step("bad prime", found, start.elapsed().as_secs_f64()));
            continue;
        };
        let Found { inconsistent, solutions, contradiction, digits } = found;
        path.extend(rank.path.iter().cloned());
        path.push(step("lifting", format!("{} mod {p}", counted(digits, "digit")), start.elapsed().as_secs_f64()));
        // Back to the rows as they were: y·L·A = 0.
        let contradiction = contradiction.map(|mut found| {
            for (i, y) in &mut found.y {
                if let Some(factor) = factors.get(&(*i as usize)) {
                    *y *= BigInt::from(factor.clone());
                }
            }
            found
        });
        let reason = match &contradiction {
            None => "solutions multiplied out over the integers".into(),
            Some(_) => "combinations of rows multiplied out over the integers: 0, and not 0 on the right side".into(),
        };
        let solutions = contradiction.is_none().then_some(solutions);
        return Ok(RationalSolution {
            rank,
            modulus: p,
            inconsistent,
            solutions,
            contradiction,
            digits,
            reason,
            path,
            phases,
        });
    }
}

fn step(name: &'static str, found: String, seconds: f64) -> Step {
    Step { name, found, why: String::new(), rank: None, predicted: None, seconds }
}

/// The least common denominators of the rows of both matrices, where they are not 1.
fn common_denominators(a: &RationalMatrix, b: &RationalMatrix) -> BTreeMap<usize, BigUint> {
    let mut factors: BTreeMap<usize, BigUint> = BTreeMap::new();
    for (i, d) in a.denominators().chain(b.denominators()) {
        let factor = factors.entry(i).or_insert_with(BigUint::one);
        let common = large_gcd(factor.clone(), d.clone());
        *factor *= d / common;
    }
    factors
}

/// The rows times these factors, which are multiples of their denominators.
fn scaled<'a>(a: &'a RationalMatrix, factors: &BTreeMap<usize, BigUint>) -> Result<Cow<'a, Triplets>> {
    if factors.is_empty() {
        return Ok(Cow::Borrowed(a.numerators()));
    }
    let mut own: BTreeMap<usize, BigInt> = factors.iter().map(|(&i, f)| (i, f.clone().into())).collect();
    for (i, d) in a.denominators() {
        *own.get_mut(&i).expect("a multiple of each denominator") /= BigInt::from(d.clone());
    }
    let mut entries: Vec<(usize, usize, Integer<'static>)> =
        memory::with_capacity(a.nnz(), "the rows of a system without denominators")?;
    for (i, j, v) in a.numerators().entries() {
        let v = own.get(&i).map_or_else(|| v.to_bigint(), |factor| v.to_bigint() * factor);
        entries.push((i, j, v.into()));
    }
    Triplets::try_from_entries(a.rows(), a.cols(), entries).map(Cow::Owned)
}

/// The answer to a system of integers by one prime.
struct Attempt<'a> {
    product: &'a Product<'a>,
    right: &'a [Side<'a>],
    p: Modulus,
    minor: &'a Minor,
    options: &'a RankOptions,
    observer: &'a dyn Observer,
}

/// What it found.
struct Found {
    inconsistent: Vec<u32>,
    solutions: Vec<SolutionVector>,
    contradiction: Option<RationalContradiction>,
    digits: usize,
}

impl Attempt<'_> {
    /// `None` if the rank mod p is less than that over ℚ.
    fn run(&mut self, phases: &mut Phases) -> Result<Option<Found>> {
        let a = self.product.matrix();
        let bits = phases.time("bounds", || hadamard_log2(a, self.minor.rows().len()))?;
        let machine = &self.options.machine;
        let lift = Lift { machine, minor: self.minor, nnz: a.nnz(), hadamard_bits: bits };
        self.observer.ahead(&lift.ahead(self.right.len()));
        let system = system(a, self.p, self.minor, self.options, phases, self.observer)?;
        // The equation that the solution of the minor breaks, by right side.
        let mut broken: Vec<Option<u32>> = memory::filled(None, self.right.len(), SOLUTIONS)?;
        if self.minor.rows().len() < a.rows() {
            let reduced = a.try_reduce(self.p)?;
            for (right, broken) in self.right.chunks(GROUP).zip(broken.chunks_mut(GROUP)) {
                phases.time("check", || self.broken_mod_p(&reduced, right, &system.solve_mod_p(right)?, broken))?;
            }
        }
        let (mut solutions, mut digits, mut bytes) = (memory::with_capacity(self.right.len(), SOLUTIONS)?, 0, 0u64);
        let groups = self.right.len().div_ceil(GROUP) as u64;
        for (group, (right, broken)) in self.right.chunks(GROUP).zip(broken.chunks_mut(GROUP)).enumerate() {
            let open = right.iter().zip(&*broken).filter(|(_, broken)| broken.is_none());
            if groups > 1 {
                self.observer.part("group of right sides", group as u64 + 1, groups);
                self.observer.ahead(&lift.solutions(right.len()));
            }
            let open: Vec<Side<'_>> = open.map(|(side, _)| side.clone()).collect();
            let mut lifted = phases.time("lifting", || system.solve(&open, self.observer))?.into_iter();
            self.observer.phase("check", open.len() as u64);
            let unbroken = right.iter().zip(broken).filter(|(_, broken)| broken.is_none());
            for ((right, broken), done) in unbroken.zip(1..) {
                let found = lifted.next().expect("a solution for each right side");
                digits = digits.max(found.digits);
                let (x, wrong) = phases.time("check", || self.multiply_out(found, right))?;
                *broken = wrong;
                bytes += x.numerators.iter().map(|(_, n)| 40 + n.bits() / 8).sum::<u64>();
                solutions.push(x);
                self.observer.progress(done);
            }
            if self.options.max_memory.is_some_and(|limit| bytes > limit) {
                return Err(Error::Memory(format!("{} solutions take {bytes} bytes", solutions.len())));
            }
        }
        drop(system);
        let Some((inconsistent, contradiction)) = self.contradict(&broken, phases)? else { return Ok(None) };
        Ok(Some(Found { inconsistent, solutions, contradiction, digits }))
    }

    /// Equations outside the minor that are broken mod p, where the solution of the minor has residues.
    fn broken_mod_p(
        &self,
        reduced: &SparseMatrix,
        right: &[Side<'_>],
        x: &[Vec<i64>],
        broken: &mut [Option<u32>],
    ) -> Result<()> {
        let (a, p) = (self.product.matrix(), self.p);
        let mut values = memory::zeros::<u64>(a.cols(), SOLUTIONS)?;
        let mut inside = memory::zeros::<bool>(a.rows(), SOLUTIONS)?;
        self.minor.rows().iter().for_each(|&i| inside[i as usize] = true);
        for ((x, side), broken) in x.iter().zip(right).zip(broken) {
            self.observer.check()?;
            self.minor.cols().iter().zip(x).for_each(|(&j, &x)| values[j as usize] = p.reduce_i64(x));
            let mut side = side.iter().peekable();
            *broken = (0..a.rows())
                .find(|&i| {
                    let b =
                        side.next_if(|(at, _)| *at as usize == i).map_or(0, |(_, b)| p.reduce_bigint(&b.to_bigint()));
                    let (cols, row) = reduced.row(i);
                    let sum = || cols.iter().zip(row).fold(0, |sum, (&j, &v)| p.add(sum, p.mul(v, values[j as usize])));
                    !inside[i] && sum() != b
                })
                .map(|i| i as u32);
        }
        Ok(())
    }

    /// The solution by columns of A, and an equation that it breaks.
    fn multiply_out(&self, found: Fractions, right: &Side<'_>) -> Result<(SolutionVector, Option<u32>)> {
        let a = self.product.matrix();
        let mut y = memory::filled(BigInt::ZERO, a.cols(), SOLUTIONS)?;
        let Fractions { numerators, denominator, .. } = found;
        self.minor.cols().iter().zip(numerators).for_each(|(&j, n)| y[j as usize] = n);
        let wrong = self.product.differs(&y, &denominator, right, self.observer)?.first().copied();
        if let Some(i) = wrong.filter(|i| self.minor.rows().contains(i)) {
            return Err(Error::Check(format!("a solution does not solve equation {} of its minor", i + 1)));
        }
        let nonzero = (0..).zip(y).filter(|(_, n)| !n.is_zero());
        Ok((SolutionVector { numerators: memory::collect(nonzero, SOLUTIONS)?, denominator }, wrong))
    }

    /// The right sides without solutions, and why the first has none; `None` if the rank over ℚ is larger.
    fn contradict(
        &self,
        broken: &[Option<u32>],
        phases: &mut Phases,
    ) -> Result<Option<(Vec<u32>, Option<RationalContradiction>)>> {
        let mut combinations = Combinations::new(self.product, self.p, self.minor, self.options);
        let (mut known, mut first): (Vec<Vec<(u32, BigInt)>>, _) = (vec![], None);
        let mut inconsistent = vec![];
        for (k, (side, broken)) in self.right.iter().zip(broken).enumerate() {
            let Some(i) = *broken else { continue };
            if known.iter().all(|y| value(y, side).is_none()) {
                let Some(y) = combinations.with_row(i, phases, self.observer)? else { return Ok(None) };
                let Some(value) = value(&y, side) else {
                    return Err(Error::Check(format!("right side {} breaks an equation, and does not", k + 1)));
                };
                first.get_or_insert_with(|| RationalContradiction { column: k as u32, y: y.clone(), value });
                memory::push(&mut known, y, SOLUTIONS)?;
            }
            memory::push(&mut inconsistent, k as u32, SOLUTIONS)?;
        }
        Ok(Some((inconsistent, first)))
    }
}
