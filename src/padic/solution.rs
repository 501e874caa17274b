//! Solutions over ℚ from their digits.

use super::layers::Layers;
use super::lifting::Lifting;
use super::radix::Powers;
use crate::field::Modulus;
use crate::integers::{LIKELY, large_gcd, least, likely_fraction};
use crate::parallel::Each;
use crate::{Observer, Result, memory};
use num_bigint::{BigInt, Sign};
use num_integer::Integer as _;
use num_traits::{One, Signed};
use rayon::prelude::*;

/// What the memory is for.
const NUMERATORS: &str = "the numerators of a solution";
/// Coordinates that are looked at for factors of the denominator before the others.
const FIRST: usize = 16;
/// Bits of numerators beyond those of the combinations: coefficients may cancel.
const SLACK: u64 = 32;

/// A vector of fractions with a common denominator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fractions {
    /// d·xₖ.
    pub numerators: Vec<BigInt>,
    /// d > 0: the least common denominator of the coordinates.
    pub denominator: BigInt,
    /// The digits that it took.
    pub digits: usize,
}

/// Digits with which a solution must be found: numerators and denominators have at most h bits, those of combinations
/// 15 and the logarithm of the order more.
pub(super) fn most_digits<const L: usize>(p: Modulus, layers: &Layers, lifting: &Lifting<'_, L>) -> usize {
    let bits = 2.0 * lifting.numerator_bits + layers.norm.bits() as f64;
    let more = bits + (LIKELY + SLACK) as f64 + 64.0 + (lifting.order() as f64 + 1.0).log2();
    (more / (p.get() as f64).log2() * (1.0 + 1e-9)).ceil() as usize + 2
}

/// Numerators between two reports.
const SHOWN: usize = 256;

/// The solution that the digits so far suggest, if M·y = d·b follows from M·y ≡ d·b.
pub(super) fn attempt<const L: usize>(
    p: Modulus,
    layers: &Layers,
    lifting: &Lifting<'_, L>,
    lane: usize,
    observer: &dyn Observer,
) -> Result<Option<Fractions>> {
    let k = lifting.len();
    let powers = Powers::new(p, k);
    let m = powers.power(k);
    let (mut d, mut bits) = (BigInt::one(), 0);
    for combined in &lifting.combined[lane] {
        let y = least(&d * powers.integer(&combined.digits), &m);
        let Some((n, e)) = likely_fraction(&y, &m) else { return Ok(None) };
        d *= e;
        bits = bits.max(n.bits());
    }
    let largest = BigInt::from(lifting.largest[lane].clone());
    // Numerators as large as those of the combinations, or d·b; as few digits as show that M·y = d·b.
    let needed = (bits + SLACK).max(d.bits() + largest.bits() + 1) + layers.norm.bits() + 2;
    let short = ((needed as f64 / (p.get() as f64).log2()).ceil() as usize + 1).min(k);
    for digits in [short, k] {
        if let Some(found) = numerators(layers, lifting, lane, (&powers, digits), d.clone(), &largest, observer)? {
            return Ok(Some(found));
        }
        if short == k {
            break;
        }
    }
    Ok(None)
}

/// Without the common factors of d and all numerators, so that d is the least common denominator. As a rule there are
/// none, and the first numerators show it.
fn reduced(mut numerators: Vec<BigInt>, mut denominator: BigInt, digits: usize) -> Fractions {
    let mut divisor = denominator.magnitude().clone();
    for y in &numerators {
        if divisor.is_one() {
            break;
        }
        divisor = large_gcd(divisor, y.magnitude().clone());
    }
    if !divisor.is_one() {
        let divisor = BigInt::from(divisor);
        denominator /= &divisor;
        numerators.iter_mut().for_each(|y| *y /= &divisor);
    }
    Fractions { numerators, denominator, digits }
}

/// y ≡ d·x with that many digits, d enlarged where a coordinate shows that a factor is missing.
fn numerators<const L: usize>(
    layers: &Layers,
    lifting: &Lifting<'_, L>,
    lane: usize,
    (powers, k): (&Powers, usize),
    mut d: BigInt,
    largest: &BigInt,
    observer: &dyn Observer,
) -> Result<Option<Fractions>> {
    let (m, order) = (powers.power(k), lifting.order());
    let value = |d: &BigInt, j: usize| {
        let mut digits = vec![];
        lifting.coordinate(j, lane, k, &mut digits);
        least(d * powers.integer(&digits), &m)
    };
    // N·|y| < m - d·|b|.
    let limit = |d: &BigInt| (&m - BigInt::one() - d * largest).div_floor((&layers.norm).max(&BigInt::one()));
    let most_factors = lifting.numerator_bits as usize + 1;
    let mut small = limit(&d);
    for count in [FIRST.min(order), order] {
        for _ in 0..=most_factors {
            if small.sign() == Sign::Minus {
                return Ok(None);
            }
            let one = |j: usize| value(&d, j);
            let mut y: Vec<BigInt> = memory::filled(BigInt::ZERO, count, NUMERATORS)?;
            if count == order {
                observer.phase("numerators", order as u64);
            }
            for (begin, y) in y.chunks_mut(SHOWN).enumerate().map(|(k, y)| (k * SHOWN, y)) {
                observer.check()?;
                y.par_iter_mut().enumerate().each(|(j, y)| *y = one(begin + j));
                if count == order {
                    observer.progress((begin + y.len()) as u64);
                }
            }
            let Some(large) = y.iter().find(|y| y.abs() > small) else {
                if count == order {
                    return Ok(Some(reduced(y, d, lifting.len())));
                }
                break;
            };
            match likely_fraction(large, &m) {
                Some((_, e)) if !e.is_one() => d *= e,
                _ => return Ok(None),
            }
            small = limit(&d);
        }
    }
    Ok(None)
}
