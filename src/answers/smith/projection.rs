//! Several large invariant factors of a nonsingular matrix B from a few solutions of systems with it.
//!
//! They tell divisors of the last factors ([`super::several`]), of s̃·X for k solutions X and a common denominator s̃
//! of them. Π sᵢ = |det B|, so if the parts of these k divisors at some primes multiply to that of det B, they *are*
//! those of the last k factors, and the others have none. For random right sides that fails at a prime q with a
//! probability of the order of 1/q if k factors are multiples of q at most; then more solutions are taken.

use super::bound::Multiple;
use super::diagonal::Powers;
use super::lift::{Solution, System};
use super::parts::{Prime, shared_part, valuation};
use super::several::{columns, divisors};
use crate::certify::{Domain, Streams};
use crate::field::Rng;
use crate::sparse::Triplets;
use crate::{Observer, Result, memory};
use num_bigint::{BigInt, BigUint};
use num_traits::{One, Zero};

/// What the memory is for.
const SOLUTIONS: &str = "solutions mod N";
/// The stream of random choices, apart from those of minors.
const STREAM: u64 = 1 << 32;
/// Solutions are of use up to this share of the order: elimination of all of B costs no more then.
const SHARE: usize = 4;
/// Solutions beyond the factors that a small prime divides.
const EXTRA: usize = 4;
/// How many multiply-adds of dense products take as long as one of an elimination in ℤ/pᵏ.
const LOCAL: f64 = 8.0;

/// Primes, and how many invariant factors they divide at most.
pub(super) type Open = Vec<(Prime, usize)>;

/// Projections of s̃·B⁻¹ mod N, from more and more solutions.
pub(super) struct Projection<'a> {
    b: &'a Triplets,
    /// log₂ of a bound on its minors.
    bits: f64,
    multiple: &'a Multiple,
    observer: &'a dyn Observer,
    /// Solutions that are taken at most.
    most: usize,
    rng: Rng,
    /// N: the part of s̃ at the primes that matter.
    last: BigUint,
    /// s̃·X mod N, by solutions.
    columns: Vec<Vec<BigInt>>,
    system: Option<System>,
}

impl<'a> Projection<'a> {
    /// At the primes of a number; from the solutions that are there, and others that take so many bytes at most.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory).
    pub fn new(
        (b, bits): (&'a Triplets, f64),
        (digest, seed): (&str, u64),
        multiple: &'a Multiple,
        primes: &BigUint,
        (limit, observer): (Option<u64>, &'a dyn Observer),
    ) -> Result<Self> {
        let n = b.rows();
        let fit = match limit {
            Some(limit) => limit / System::solution_memory(n, bits).max(1),
            None => u64::MAX,
        };
        let rng = Streams::of_integers(digest, seed).stream(Domain::Solutions, STREAM);
        let last = shared_part(&multiple.last, primes);
        let most = n.div_ceil(SHARE).max(2).min(usize::try_from(fit).unwrap_or(usize::MAX));
        let mut projection = Projection { b, bits, multiple, observer, most, rng, last, columns: vec![], system: None };
        projection.append(&multiple.right)?;
        Ok(projection)
    }

    /// The parts of the invariant factors of B, descending, at the primes of `hard`, which is that part of det B;
    /// `None` if too many of them have one.
    ///
    /// # Errors
    /// [`Error::Interrupted`](crate::Error::Interrupted), [`Error::Memory`](crate::Error::Memory).
    pub fn parts(&mut self, hard: &BigUint) -> Result<Option<Powers>> {
        let last = shared_part(&self.last, hard);
        if last.is_one() {
            return Ok(None);
        }
        // Each factor has no more than the last; one solution more than are needed then.
        let least = (hard.bits() - 1).div_ceil(last.bits()) as usize + 1;
        let mut count = least.max(self.columns.len());
        while count <= self.most {
            if !self.extend(count)? {
                return Ok(None);
            }
            let mut powers = self.divisors()?;
            powers.iter_mut().for_each(|(s, _)| *s = shared_part(s, hard));
            powers.retain(|(s, _)| !s.is_one());
            if powers.iter().fold(BigUint::one(), |all, (s, count)| all * s.pow(*count as u32)) == *hard {
                return Ok(Some(powers));
            }
            count *= 2;
        }
        Ok(None)
    }

    /// The powers of primes that divide so many factors of B each, or fewer, as far as that is worth it for a component
    /// with so many places; and the primes that are left.
    ///
    /// # Errors
    /// [`Error::Interrupted`](crate::Error::Interrupted), [`Error::Memory`](crate::Error::Memory).
    pub fn tell_apart(&mut self, mut open: Open, places: usize) -> Result<(Vec<Powers>, Open)> {
        let mut told = vec![];
        let whole = self.multiple.whole();
        for more in [false, true] {
            if more {
                let Some(count) = self.worthwhile(&open, places) else { break };
                if !self.extend(count)? {
                    break;
                }
            }
            let divisors = self.divisors()?;
            open.retain(|&(Prime { p, .. }, multiples)| {
                let exponent = valuation(&mut whole.clone(), p);
                let powers = match multiples {
                    1 => Some(vec![(BigUint::from(p).pow(exponent), 1)]),
                    _ => powers_of(p, exponent, &divisors),
                };
                let left = powers.is_none();
                told.extend(powers);
                left
            });
        }
        Ok((told, open))
    }

    /// The number of solutions that saves most.
    fn worthwhile(&self, open: &[(Prime, usize)], places: usize) -> Option<usize> {
        let n = self.b.rows() as f64;
        // Numerators and denominator, 30 bits a digit; the inverse and the matrix.
        let digits = 2.0 * self.multiple.last.bits() as f64 / 30.0 + 2.0;
        let saved = |count: usize| {
            let primes = open.iter().filter(|e| e.1 + EXTRA <= count).count();
            let solutions = count.saturating_sub(self.columns.len()) as f64;
            primes as f64 * LOCAL * places as f64 * n - (2.0 * digits * solutions + 2.0 * n) * n * n
        };
        let counts = open.iter().map(|e| e.1 + EXTRA).filter(|&count| count <= self.most);
        counts.max_by(|&a, &b| saved(a).total_cmp(&saved(b))).filter(|&count| saved(count) > 0.0)
    }

    /// At least so many solutions; whether s̃ is a denominator of all of them.
    fn extend(&mut self, count: usize) -> Result<bool> {
        let missing = count.saturating_sub(self.columns.len());
        if missing == 0 {
            return Ok(true);
        }
        let system = match self.system.take() {
            Some(system) => system,
            None => System::of_nonsingular(self.b, &mut self.rng, self.observer)?,
        };
        let more = system.solve(missing, self.bits, &mut self.rng, self.observer)?;
        self.system = Some(system);
        // A denominator beyond s̃ says that s̃ is not the last factor, and nothing is known.
        if more.iter().any(|solution| !(&self.multiple.last % &solution.denominator).is_zero()) {
            return Ok(false);
        }
        self.append(&more)?;
        Ok(true)
    }

    fn append(&mut self, solutions: &[Solution]) -> Result<()> {
        let more = columns(solutions, &self.multiple.last, &self.last)?;
        more.into_iter().try_for_each(|column| memory::push(&mut self.columns, column, SOLUTIONS))
    }
    fn divisors(&mut self) -> Result<Powers> {
        divisors(&self.columns, &self.last, &mut self.rng, self.observer)
    }
}

/// The powers of a prime in divisors of the last factors, if they are all there are: of the determinant p^exponent.
fn powers_of(p: u64, exponent: u32, divisors: &Powers) -> Option<Powers> {
    let mut powers: Powers = vec![];
    let mut seen = 0;
    for (s, count) in divisors {
        let own = valuation(&mut s.clone(), p);
        if own == 0 {
            break;
        }
        seen += own as usize * count;
        let power = BigUint::from(p).pow(own);
        match powers.last_mut().filter(|last| last.0 == power) {
            Some(last) => last.1 += count,
            None => powers.push((power, *count)),
        }
    }
    (seen == exponent as usize).then_some(powers)
}

#[cfg(test)]
mod tests {
    use super::super::bound::{by_determinant, common_denominator};
    use super::super::tests::scrambled;
    use super::*;
    use crate::Silent;
    use crate::integers::hadamard_log2;
    use rand::SeedableRng;

    /// The multiple of a nonsingular matrix by its determinant, with so many solutions.
    fn multiple(b: &Triplets, solutions: usize, rng: &mut Rng) -> Multiple {
        let system = System::of_nonsingular(b, rng, &Silent).unwrap();
        let right = system.solve(solutions, hadamard_log2(b, b.rows()).unwrap(), rng, &Silent).unwrap();
        let last = common_denominator(&right);
        let known = Multiple { last, cofactor: None, right, left: vec![], words: String::new(), proven: true };
        by_determinant(b, known, (&BigUint::one(), hadamard_log2(b, b.rows()).unwrap()), &Silent).unwrap()
    }

    fn parts(b: &Triplets, seed: u64, multiple: &Multiple, hard: &BigUint) -> Option<Powers> {
        let bits = hadamard_log2(b, b.rows()).unwrap();
        Projection::new((b, bits), ("made", seed), multiple, hard, (None, &Silent)).unwrap().parts(hard).unwrap()
    }

    /// Matrices made of a known form: primes that nobody divides out, in several factors and to several powers.
    #[test]
    fn the_forms_of_matrices_made_of_them() {
        let [p, q, s]: [BigUint; 3] = [61, 89, 107].map(|e| (BigUint::one() << e) - 1u32);
        let small = BigUint::from(3u32);
        let forms = [
            vec![p.clone(), &p * &q, &p * &q * &q],
            vec![&p * &q, &p * &q, &p * &q, &p * &q * &s],
            vec![&p * &p, &p * &p],
            vec![&q * &small, &q * &small * &p],
        ];
        let mut rng = Rng::seed_from_u64(7);
        for (number, form) in forms.iter().enumerate() {
            for solutions in [1, 2, 5] {
                let n = 20;
                let ones = std::iter::repeat_n(BigInt::one(), n - form.len());
                let diagonal: Vec<BigInt> = ones.chain(form.iter().map(|s| s.clone().into())).collect();
                let b = scrambled(n, n, &diagonal, 60, &mut rng);
                let multiple = multiple(&b, solutions, &mut rng);
                let shared = &p * &q;
                let hard = shared_part(&multiple.whole(), &shared);
                let found = parts(&b, number as u64, &multiple, &hard).unwrap();
                let mut expected: Vec<BigUint> = form.iter().map(|s| shared_part(s, &shared)).collect();
                expected.retain(|s| !s.is_one());
                expected.reverse();
                let found: Vec<BigUint> =
                    found.into_iter().flat_map(|(s, count)| std::iter::repeat_n(s, count)).collect();
                assert_eq!(found, expected, "{form:?} by {solutions}");
            }
        }
    }

    /// Small primes in several factors: told apart by enough solutions, or left, and never wrong.
    #[test]
    fn small_primes_are_told_apart_or_left() {
        let mut rng = Rng::seed_from_u64(9);
        let (mut told, mut left) = (0, 0);
        for _ in 0..12 {
            let n = 40;
            let mut form = vec![1u32; n - 4];
            form.extend([2 * 3, 2 * 3 * 5, 4 * 3 * 5 * 101, 4 * 27 * 5 * 101 * 49]);
            let b = scrambled(n, n, &form.iter().map(|&s| s.into()).collect::<Vec<_>>(), 100, &mut rng);
            let multiple = multiple(&b, 2, &mut rng);
            let primes = [(2u64, 4usize), (3, 4), (5, 3), (101, 2), (7, 1)]
                .map(|(p, multiples)| (Prime { p, exponent: 1, of_product: false }, multiples));
            let all = BigUint::from(2u32 * 3 * 5 * 101 * 7);
            let mut projection = Projection::new((&b, 1e6), ("small", 1), &multiple, &all, (None, &Silent)).unwrap();
            // As many places as make solutions worth it.
            let (found, open) = projection.tell_apart(primes.to_vec(), 1 << 40).unwrap();
            assert_eq!(found.len() + open.len(), 5);
            (told, left) = (told + found.len(), left + open.len());
            for powers in found {
                let p = primes.iter().map(|e| e.0.p).find(|&p| (&powers[0].0 % p).is_zero()).unwrap();
                let mut expected: Vec<BigUint> = form.iter().map(|&s| shared_part(&s.into(), &p.into())).collect();
                expected.retain(|s| !s.is_one());
                expected.reverse();
                let flat = powers.into_iter().flat_map(|(s, count)| std::iter::repeat_n(s, count));
                assert_eq!(flat.collect::<Vec<_>>(), expected, "{p}");
            }
        }
        assert!(told > 40 && told + left == 60, "{told}, {left}");
    }

    /// Without the memory for more solutions than there are, what needs more is left.
    #[test]
    fn memory_bounds_the_solutions() {
        let mut rng = Rng::seed_from_u64(10);
        let p: BigInt = (BigInt::one() << 89) - 1;
        let ones = vec![BigInt::one(); 20];
        let b = scrambled(24, 24, &[ones, vec![p.clone(); 4]].concat(), 60, &mut rng);
        let multiple = multiple(&b, 1, &mut rng);
        let hard = p.magnitude().pow(4);
        let one = System::solution_memory(24, 1e6);
        for (solutions, enough) in [(4, false), (5, true)] {
            let limit = Some(solutions * one);
            let mut projection = Projection::new((&b, 1e6), ("few", 1), &multiple, &hard, (limit, &Silent)).unwrap();
            assert_eq!(projection.parts(&hard).unwrap().is_some(), enough, "{solutions}");
        }
    }

    #[test]
    fn a_prime_of_all_factors_is_left_to_others() {
        let mut rng = Rng::seed_from_u64(8);
        let p: BigInt = (BigInt::one() << 89) - 1;
        let b = scrambled(12, 12, &vec![p.clone(); 12], 40, &mut rng);
        let multiple = multiple(&b, 1, &mut rng);
        let hard = multiple.whole();
        assert_eq!(hard, p.magnitude().pow(12));
        assert!(parts(&b, 1, &multiple, &hard).is_none());
    }

    /// Divisors stay divisors where the common denominator lacks a part: s̃ of a right side that is a multiple of it.
    #[test]
    fn a_denominator_that_lacks_a_part_proves_nothing() {
        let p: BigUint = (BigUint::one() << 89) - 1u32;
        let b = Triplets::from_entries(2, 2, [(0, 0, BigInt::from(p.clone())), (1, 1, BigInt::from(&p * &p))]);
        let solution = Solution { numerators: vec![BigInt::one(), BigInt::one()], denominator: p.clone() };
        let right = vec![solution];
        let cofactor = Some(&p * &p);
        let known = Multiple { last: p.clone(), cofactor, right, left: vec![], words: String::new(), proven: true };
        assert!(parts(&b, 1, &known, &p.pow(3)).is_none());
    }
}
