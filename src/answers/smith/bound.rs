//! A proven multiple of the last invariant factor of a nonsingular integer matrix B, and what its structure says.
//!
//! The common denominators of solutions of B·x = b and y·B = c divide s_r(B); let s̃ be their least common multiple.
//! Which proof is cheaper is predicted from the size of the numbers in the solutions:
//!
//! - s̃·B⁻¹ is integral: s_r(B) = s̃;
//! - det B = s̃·c, c from primes whose product exceeds twice the bound of Hadamard over s̃: **for a prime that does not
//!   divide c, all invariant factors but the last are units**, since those multiply to det B/s_r(B), which divides c.

use super::RankOptions;
use super::diagonal::Powers;
use super::lift::{Solution, System};
use super::several::{columns, divisors};
use super::unproven::Unproven;
use crate::answers::lifting::Repeated;
use crate::cost::Machine;
use crate::decomposition::is_odd;
use crate::dense::Echelon;
use crate::field::{Modulus, Rng};
use crate::integers::{Bound, Multimodular, Residues, large_gcd, primes_for};
use crate::report::{Bytes, Quiet, State};
use crate::sparse::{Integer, Triplets};
use crate::words::counted;
use crate::{Error, Observer, Result, memory};
use num_bigint::{BigInt, BigUint};
use num_traits::{One, Zero};

/// What the memory is for.
const TABLE: &str = "a dense minor";
/// Solutions from each side.
const SOLUTIONS: usize = 2;
/// Seconds of a proof below which nothing is done to shorten it.
const WORTH: f64 = 0.25;
/// A proof that is predicted to take more seconds is given up where an error bound is enough.
const PATIENCE: f64 = 30.0;
/// The size of the primes of a determinant.
const PRIME_BITS: u32 = 31;

/// What is known of the invariant factors of B.
pub(super) struct Multiple {
    /// s̃, which divides s_r(B).
    pub last: BigUint,
    /// c = |det B|/s̃, if that was found; otherwise s̃ = s_r(B).
    pub cofactor: Option<BigUint>,
    /// Solutions of B·x = b and of y·B = c.
    pub right: Vec<Solution>,
    pub left: Vec<Solution>,
    /// How the multiple was found.
    pub words: String,
    /// Whether s_r(B) is known to divide s̃ or s̃·c: if not, that holds for the parts at primes but those of
    /// [`SMALL`](super::unproven::SMALL), but for the error of [`Unproven`].
    pub proven: bool,
}

impl Multiple {
    /// |det B|, or s_r(B) where that is what is known.
    pub fn whole(&self) -> BigUint {
        self.cofactor.as_ref().map_or_else(|| self.last.clone(), |c| &self.last * c)
    }
}

/// What is asked of a multiple.
pub(super) struct Ask<'a> {
    pub options: &'a RankOptions,
    /// What is enough where a proof takes too long, if anything is.
    pub unproven: Option<Unproven>,
    /// log₂ of a bound on all minors.
    pub bits: f64,
}

impl Ask<'_> {
    /// What the answer depends on.
    pub fn key(&self) -> usize {
        self.unproven.as_ref().map_or(0, |unproven| unproven.solutions)
    }
}

impl Bytes for Multiple {
    fn write(&self, to: &mut Vec<u8>) -> Result<()> {
        let Multiple { last, cofactor, right, left, words, proven } = self;
        (last, cofactor.as_ref(), (right, left), (words, proven)).write(to)
    }
}

impl State for Multiple {
    fn read(from: &mut &[u8]) -> Option<Self> {
        let (last, cofactor, (right, left), (words, proven)) = State::read(from)?;
        Some(Multiple { last, cofactor, right, left, words, proven })
    }
}

/// s̃ for a nonsingular matrix B, by what solves systems with it and with its transpose, and that s̃ is s_r(B) if that
/// is cheaper to prove than the determinant is; more solutions instead, where these are enough and both take too long.
///
/// # Errors
/// [`Error::Check`](crate::Error::Check) if a computation contradicts itself,
/// [`Error::Interrupted`](crate::Error::Interrupted), [`Error::Memory`](crate::Error::Memory).
pub(super) fn last_factor(
    b: &Triplets,
    system: &System,
    turned: impl FnOnce() -> Result<System>,
    &Ask { options, ref unproven, bits }: &Ask,
    rng: &mut Rng,
    observer: &dyn Observer,
) -> Result<Multiple> {
    let mut right = system.solve(SOLUTIONS, bits, rng, observer)?;
    let repeated = Repeated::of(b, bits, options, observer)?;
    if let Some(unproven) = unproven.as_ref().filter(|_| repeated.is_none()) {
        let least = Proof::of(system, &right, &common_denominator(&right), bits, &options.machine);
        if least.integral.min(least.determinant) > PATIENCE {
            right.extend(system.solve(unproven.solutions, bits, rng, observer)?);
            let last = common_denominator(&right);
            let words = format!("{} by {}", counted(last.bits(), "bit"), counted(right.len(), "solution"));
            return Ok(Multiple { last, cofactor: None, right: vec![], left: vec![], words, proven: false });
        }
    }
    let left = turned()?.solve(SOLUTIONS, bits, rng, observer)?;
    let mut last = common_denominator(right.iter().chain(&left));
    if let Some(repeated) = repeated {
        let found = divisors(&columns(&right, &last, &last)?, &last, rng, observer)?;
        let divisor = large_lcm(&product_of(&found), &last);
        let (rest, primes) = repeated.cofactor(&divisor)?;
        let cofactor = rest.into_parts().1 * (divisor / &last);
        let words = determinant_words(&last, &cofactor, primes);
        return Ok(Multiple { last, cofactor: Some(cofactor), right, left, words, proven: true });
    }
    // A divisor of the determinant that is larger than the last factor, from as many solutions as save primes.
    let mut divisor = last.clone();
    loop {
        let found = divisors(&columns(&right, &last, &last)?, &last, rng, observer)?;
        divisor = large_lcm(&product_of(&found), &divisor);
        let proof = Proof::of(system, right.iter().chain(&left), &divisor, bits, &options.machine);
        // Others have no more than the least so far, and as many digits as these.
        let all = found.iter().map(|e| e.1).sum::<usize>() == right.len();
        let least = found.last().filter(|_| all).map_or(0, |e| e.0.bits());
        let saved = (least * right.len() as u64) as f64 / f64::from(PRIME_BITS) * proof.of_prime;
        if proof.integral.min(proof.determinant) < WORTH || saved < 2.0 * proof.of_solution * right.len() as f64 {
            break;
        }
        right.extend(system.solve(right.len(), bits, rng, observer)?);
        last = common_denominator(right.iter().chain(&left));
    }
    let proof = Proof::of(system, right.iter().chain(&left), &divisor, bits, &options.machine);
    if proof.integral <= proof.determinant && system.is_integral(&last, proof.digits, observer)? {
        let words = format!("{}, and its multiple of the inverse is integral", counted(last.bits(), "bit"));
        return Ok(Multiple { last, cofactor: None, right, left, words, proven: true });
    }
    let known = Multiple { last, cofactor: None, right, left, words: String::new(), proven: true };
    by_determinant(b, known, (&divisor, bits), observer)
}

fn large_lcm(a: &BigUint, b: &BigUint) -> BigUint {
    a / large_gcd(a.clone(), b.clone()) * b
}

/// Numbers with their multiplicities, multiplied.
fn product_of(found: &Powers) -> BigUint {
    found.iter().fold(BigUint::one(), |all, (s, count)| all * s.pow(*count as u32))
}

/// The least common denominator of solutions.
pub(super) fn common_denominator<'a>(solutions: impl IntoIterator<Item = &'a Solution>) -> BigUint {
    let denominators = solutions.into_iter().map(|solution| &solution.denominator);
    denominators.fold(BigUint::one(), |l, d| &l / large_gcd(l.clone(), d.clone()) * d)
}

/// Predicted seconds of either proof, and of parts of them, and the digits of the integral inverse.
struct Proof {
    digits: usize,
    integral: f64,
    determinant: f64,
    of_prime: f64,
    of_solution: f64,
}

impl Proof {
    fn of<'a>(
        system: &System,
        solutions: impl IntoIterator<Item = &'a Solution>,
        divisor: &BigUint,
        bits: f64,
        machine: &Machine,
    ) -> Proof {
        let numbers = solutions.into_iter().flat_map(|solution| &solution.numerators);
        let largest = numbers.map(|y| y.bits()).max().unwrap_or(0);
        // s̃·B⁻¹·b is about as large as s̃·B⁻¹; one digit more in case.
        let digits = largest.saturating_sub(u64::from(super::lift::RIGHT)).div_ceil(30) as usize + 2;
        let primes = (bits - divisor.bits() as f64).max(0.0) / f64::from(PRIME_BITS) + 1.0;
        let (n, dense, visit) = (system.order, &machine.dense, machine.integers.lane);
        let product = (n as f64).powi(3) * dense.product(system.modulus);
        let integral = digits as f64 * (product + (n * system.nnz()) as f64 * visit);
        // The minor is taken in, and so is its copy for the factors.
        let table = 2.0 * Echelon::absorbing_seconds(dense, system.modulus, n, n);
        let of_prime = Echelon::seconds(dense, system.modulus, n, n) + table;
        // Twice as many digits as numerators have, in each of which the numbers so far are met again.
        let (n, twice) = (n as f64, 2.0 * digits as f64);
        let of_solution = twice * n * (n * dense.product(system.modulus) + (system.nnz() as f64 / n + twice) * visit);
        Proof { digits, integral, determinant: primes * of_prime, of_prime, of_solution }
    }
}

/// The same with the determinant, which is a multiple of `divisor` and at most 2^bits.
///
/// # Errors
/// As [`last_factor`].
pub(super) fn by_determinant(
    b: &Triplets,
    known: Multiple,
    (divisor, bits): (&BigUint, f64),
    observer: &dyn Observer,
) -> Result<Multiple> {
    let mut divisor = divisor.clone();
    let bound = |divisor: &BigUint| Bound {
        bits: (bits - (divisor.bits() - 1) as f64).max(0.0).ceil() as u64,
        rule: "Hadamard",
    };
    let primes = primes_for(bound(&divisor).bits + 1, &BigUint::one(), 1 << PRIME_BITS);
    if primes.iter().any(|&p| (&divisor % p).is_zero()) {
        divisor = BigUint::one();
    }
    let residues = Multimodular {
        bound: bound(&divisor),
        prime_bits: PRIME_BITS,
        // Four tables at once fit where two systems did.
        group: primes.len().div_ceil(4).max(1),
        phase: "determinant of a minor",
        observer,
    };
    let (n, table) = (b.rows(), dense(b)?);
    let made = Residues::kept("determinants", || (b.digest(), divisor.clone()), 1, observer)?;
    let found = residues.proven(|p| {
        let of = |&p: &Modulus| {
            let det = determinant(&table, n, p, observer)?;
            let divisor = p.reduce_bigint(&divisor.clone().into());
            Ok(p.mul(det, p.inv(divisor)))
        };
        made.modulo(p, |p| p.iter().map(of).collect())
    })?;
    let det = found.value.magnitude() * &divisor;
    let cofactor = &det / &known.last;
    let words = determinant_words(&known.last, &cofactor, found.moduli.len());
    Ok(Multiple { cofactor: Some(cofactor), words, ..known })
}

fn determinant_words(last: &BigUint, cofactor: &BigUint, primes: usize) -> String {
    format!(
        "{}, of a determinant of {} by {}",
        counted(last.bits(), "bit"),
        counted((last * cofactor).bits(), "bit"),
        counted(primes, "prime")
    )
}

/// The entries of a square matrix, row by row: words, and the others beside them.
struct Table {
    small: Vec<i64>,
    large: Vec<(usize, BigInt)>,
}

fn dense(b: &Triplets) -> Result<Table> {
    let n = b.rows();
    let mut table = Table { small: memory::zeros(n * n, TABLE)?, large: vec![] };
    for (i, j, v) in b.entries() {
        match v {
            Integer::Small(v) => table.small[i * n + j] = v,
            Integer::Big(v) => memory::push(&mut table.large, (i * n + j, v.into_owned()), TABLE)?,
        }
    }
    Ok(table)
}

/// The determinant mod p of a matrix of order n.
fn determinant(table: &Table, n: usize, p: Modulus, observer: &dyn Observer) -> Result<u64> {
    let mut residues: Vec<u64> = memory::collect(table.small.iter().map(|&v| p.reduce_i64(v)), TABLE)?;
    table.large.iter().for_each(|(k, v)| residues[*k] = p.reduce_bigint(v));
    let mut echelon = Echelon::with_multipliers(p, n)?;
    echelon.absorb_block(n, &residues, &Quiet(observer))?;
    if echelon.rank() < n {
        return Ok(0);
    }
    let factors = echelon.factors()?.ok_or_else(|| Error::Check("no factors of a nonsingular matrix".into()))?;
    let lines = factors.rows().iter().zip(factors.cols()).map(|(&i, &j)| (i as u32, j));
    let value = factors.determinant(p)?;
    Ok(if is_odd(&memory::collect(lines, TABLE)?)? { p.neg(value) } else { value })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Silent;
    use crate::dense;
    use crate::field::PrimeField;
    use rand::{RngExt, SeedableRng};

    #[test]
    fn determinants_have_their_signs() {
        let mut rng = Rng::seed_from_u64(5);
        let p = Modulus::new((1 << 31) - 1).unwrap();
        for n in (0..12).chain([40, 90]) {
            let mut small: Vec<i64> = (0..n * n).map(|_| rng.random_range(-2..=2)).collect();
            let large: Vec<_> = (0..n / 3).map(|k| (k * n + n - 1 - k, BigInt::from(-3) << 70)).collect();
            large.iter().for_each(|e: &(usize, BigInt)| small[e.0] = 0);
            let mut residues: Vec<u64> = small.iter().map(|&v| p.reduce_i64(v)).collect();
            large.iter().for_each(|(k, v)| residues[*k] = p.reduce_bigint(v));
            let expected = dense::determinant(&PrimeField(p), n, &mut residues);
            assert_eq!(determinant(&Table { small, large }, n, p, &Silent).unwrap(), expected, "{n}");
        }
    }
}
