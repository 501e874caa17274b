//! Several large invariant factors of a nonsingular matrix B from a few solutions of systems with it.
//!
//! Let X be the solutions of B·X = R for k right sides, s̃ a common denominator of them, L a matrix of k rows, and T =
//! L·(s̃·X), a k × k matrix of integers with the invariant factors t₁ | t₂ | …. At a prime q, v its valuation, e =
//! v(s̃) and E = v(sₙ(B)): qᴱ⁻ᵉ·T = L·(qᴱ·B⁻¹)·R up to a unit, and qᴱ·B⁻¹ has the invariant factors
//! qᴱ⁻ᵛ⁽ˢ⁾ for s = sₙ, sₙ₋₁, … in this order. The invariant factors of a product are multiples of those of each factor
//! (M. Newman, *Integral Matrices*, 1972, theorem II.14), the i-th of the i-th, so
//!
//! **s̃/gcd(tᵢ, s̃) divides sₙ₊₁₋ᵢ(B)**, i = 1 … k, whatever L and R are.
//!
//! Π sᵢ = |det B|. So if the parts of these k divisors at some primes multiply to that of det B, they *are* those of
//! the last k factors, and the others have none. For random L and R that fails at a prime q with a probability of the
//! order of 1/q if k factors are multiples of q at most; then more solutions are taken.

use super::bound::Multiple;
use super::diagonal::Powers;
use super::lift::{Solution, System};
use super::modular::factors_mod;
use super::parts::shared_part;
use crate::certify::{Domain, Streams};
use crate::field::{Rng, random_prime};
use crate::integers::hadamard_log2;
use crate::sparse::Triplets;
use crate::{Observer, Result, memory};
use num_bigint::{BigInt, BigUint};
use num_traits::{One, Zero};
use rand::RngExt;
use rayon::prelude::*;

/// What the memory is for.
const SOLUTIONS: &str = "solutions mod N";
/// The stream of random choices, apart from those of minors.
const STREAM: u64 = 1 << 32;
/// Solutions are of use up to this share of the order: elimination of all of B costs no more then.
const SHARE: usize = 4;

/// The parts of the invariant factors of B, descending, at the primes of `hard`, which is that part of det B; `None` if
/// too many of them have one. `multiple` is that of B.
///
/// # Errors
/// [`Error::Interrupted`](crate::Error::Interrupted), [`Error::Memory`](crate::Error::Memory).
pub(super) fn by_solutions(
    b: &Triplets,
    (digest, seed): (&str, u64),
    multiple: &Multiple,
    hard: &BigUint,
    observer: &dyn Observer,
) -> Result<Option<Powers>> {
    let last = shared_part(&multiple.last, hard);
    if last.is_one() {
        return Ok(None);
    }
    let modulus = BigInt::from(last.clone());
    let mut rng = Streams::of_integers(digest, seed).stream(Domain::Solutions, STREAM);
    let mut columns: Vec<Vec<BigInt>> = vec![];
    append(&mut columns, &multiple.right, (multiple, &modulus))?;
    // Each factor has no more than the last; one solution more than are needed then.
    let least = (hard.bits() - 1).div_ceil(last.bits()) as usize + 1;
    let mut system = None;
    let mut count = least.max(columns.len());
    while count <= b.rows().div_ceil(SHARE).max(2) {
        if columns.len() < count {
            let system = match &system {
                Some(system) => system,
                None => system.insert(nonsingular(b, &mut rng, observer)?),
            };
            let bits = hadamard_log2(b, b.rows())?;
            let more = system.solve(count - columns.len(), bits, &mut rng, observer)?;
            // A denominator beyond s̃ says that s̃ is not the last factor, and nothing is known.
            if more.iter().any(|solution| !(&multiple.last % &solution.denominator).is_zero()) {
                return Ok(None);
            }
            append(&mut columns, &more, (multiple, &modulus))?;
        }
        let table = projected(&columns, &modulus, &mut rng, observer)?;
        let powers = divisors(&last, factors_mod(table, &last, observer)?);
        if powers.iter().fold(BigUint::one(), |all, (s, count)| all * s.pow(*count as u32)) == *hard {
            return Ok(Some(powers));
        }
        count *= 2;
    }
    Ok(None)
}

/// What solves systems with B.
pub(super) fn nonsingular(b: &Triplets, rng: &mut Rng, observer: &dyn Observer) -> Result<System> {
    loop {
        // Few primes divide the determinant.
        if let Some(system) = System::new(b, random_prime(31, rng), observer)? {
            return Ok(system);
        }
    }
}

/// s̃·x mod N of each solution x.
fn append(
    columns: &mut Vec<Vec<BigInt>>,
    solutions: &[Solution],
    (multiple, modulus): (&Multiple, &BigInt),
) -> Result<()> {
    for Solution { numerators, denominator } in solutions {
        let factor = BigInt::from(&multiple.last / denominator);
        let column = numerators.iter().map(|y| y * &factor % modulus);
        memory::push(columns, memory::collect(column, SOLUTIONS)?, SOLUTIONS)?;
    }
    Ok(())
}

/// L·X mod N for a random matrix L of as many rows as X has columns: by columns, which changes no invariant factor.
fn projected(
    columns: &[Vec<BigInt>],
    modulus: &BigInt,
    rng: &mut Rng,
    observer: &dyn Observer,
) -> Result<Vec<Vec<BigInt>>> {
    let order = columns.first().map_or(0, Vec::len);
    let mut table: Vec<Vec<BigInt>> = memory::with_capacity(columns.len(), SOLUTIONS)?;
    table.resize_with(columns.len(), Vec::new);
    for _ in 0..columns.len() {
        observer.check()?;
        let row: Vec<i32> = memory::collect((0..order).map(|_| rng.random_range(i32::MIN..=i32::MAX)), SOLUTIONS)?;
        let dot = |column: &Vec<BigInt>| {
            let sum = column.iter().zip(&row).fold(BigInt::ZERO, |sum, (x, &l)| sum + x * l);
            sum % modulus
        };
        let values: Vec<BigInt> = columns.par_iter().map(dot).collect();
        table.iter_mut().zip(values).for_each(|(line, value)| line.push(value));
    }
    Ok(table)
}

/// N/t for the factors t of a projection mod N, without those that are 1: descending.
fn divisors(n: &BigUint, factors: Vec<(BigUint, usize)>) -> Powers {
    factors.into_iter().map(|(t, count)| (n / t, count)).filter(|(s, _)| !s.is_one()).collect()
}

#[cfg(test)]
mod tests {
    use super::super::bound::by_determinant;
    use super::super::tests::scrambled;
    use super::*;
    use crate::Silent;
    use crate::integers::large_gcd;
    use rand::SeedableRng;

    /// The multiple of a nonsingular matrix by its determinant, with so many solutions.
    fn multiple(b: &Triplets, solutions: usize, rng: &mut Rng) -> Multiple {
        let system = nonsingular(b, rng, &Silent).unwrap();
        let right = system.solve(solutions, hadamard_log2(b, b.rows()).unwrap(), rng, &Silent).unwrap();
        let last = right.iter().fold(BigUint::one(), |l, x| {
            let d = &x.denominator;
            &l / large_gcd(l.clone(), d.clone()) * d
        });
        let known = Multiple { last, cofactor: None, right, left: vec![], words: String::new(), proven: true };
        by_determinant(b, known, &Silent).unwrap()
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
                let found = by_solutions(&b, ("made", number as u64), &multiple, &hard, &Silent).unwrap().unwrap();
                let mut expected: Vec<BigUint> = form.iter().map(|s| shared_part(s, &shared)).collect();
                expected.retain(|s| !s.is_one());
                expected.reverse();
                let found: Vec<BigUint> =
                    found.into_iter().flat_map(|(s, count)| std::iter::repeat_n(s, count)).collect();
                assert_eq!(found, expected, "{form:?} by {solutions}");
            }
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
        assert!(by_solutions(&b, ("all", 1), &multiple, &hard, &Silent).unwrap().is_none());
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
        assert!(by_solutions(&b, ("lacks", 1), &known, &p.pow(3), &Silent).unwrap().is_none());
    }
}
