//! One null vector on its way from residues to fractions.

use super::columns::{Columns, Sums};
use super::vectors::{Numerators, RationalVector};
use crate::field::Modulus;
use crate::integers::{Scale, Together, Words, fractions, large_gcd, least, likely_fraction};
use crate::{Result, memory};
use num_bigint::BigInt;
use num_traits::{One, ToPrimitive, Zero};

/// What the memory is for.
const RESIDUES: &str = "residues of null vectors";
/// An integer that is below M by so many bits is probably the one that is looked for.
const MARGIN: u64 = 16;
/// Up to so many bits of M fractions are looked for up to the bound, as of one or two primes.
const FEW: u64 = 128;
/// Coordinates whose fractions are to be there before those of all are looked for.
const PROBES: usize = 4;

/// What is known of a vector by its residues.
#[derive(Debug)]
pub(super) struct Lane {
    coordinates: Vec<u32>,
    /// Those of one prime after the other.
    residues: Vec<Vec<u64>>,
    /// A common denominator of some coordinates, as far as one is known.
    d: BigInt,
    /// The coordinate whose fraction is not known yet.
    witness: usize,
}

/// Working space of [`Lane::attempt`].
#[derive(Debug, Default)]
pub(super) struct Guess {
    words: Words,
    scale: Scale,
}

impl Lane {
    /// The vector mod the first prime.
    ///
    /// # Errors
    /// [`crate::Error::Memory`].
    pub fn new((coordinates, values): (&[u32], &[u64])) -> Result<Self> {
        let mut residues = memory::with_capacity(2, RESIDUES)?;
        residues.push(memory::copy(values, RESIDUES)?);
        Ok(Lane { coordinates: memory::copy(coordinates, RESIDUES)?, residues, d: BigInt::one(), witness: 0 })
    }
    /// How many coordinates may differ from 0.
    pub fn len(&self) -> usize {
        self.coordinates.len()
    }
    /// Adds the vector mod another prime.
    ///
    /// # Errors
    /// [`crate::Error::Memory`].
    pub fn add(&mut self, (coordinates, values): (&[u32], &[u64])) -> Result<()> {
        let values = match self.coordinates == coordinates {
            true => memory::copy(values, RESIDUES)?,
            false => {
                let mut all = memory::collect(self.coordinates.iter().chain(coordinates).copied(), RESIDUES)?;
                all.sort_unstable();
                all.dedup();
                for residues in &mut self.residues {
                    *residues = spread((&self.coordinates, residues), &all)?;
                }
                (self.coordinates, self.witness) = (all, 0);
                spread((coordinates, values), &self.coordinates)?
            }
        };
        memory::push(&mut self.residues, values, RESIDUES)
    }

    /// The vector, if integers or fractions are ≡ its residues mod the primes of `together`, those that are known, that
    /// A maps to 0. What was found of the denominator stays for the next attempt, unless it is to begin `anew`.
    ///
    /// # Errors
    /// [`crate::Error::Memory`].
    pub fn attempt(
        &mut self,
        together: &Together,
        anew: bool,
        a: &Columns,
        (sums, guess): (&mut Sums, &mut Guess),
    ) -> Result<Option<RationalVector>> {
        if anew {
            self.d = BigInt::one();
        }
        if let Some(y) = self.numerators(together, guess)? {
            if let Some(found) = self.checked(y, self.d.clone(), a, sums)? {
                return Ok(Some(found));
            }
            self.d = BigInt::one();
        }
        if together.product().bits() > FEW {
            return Ok(None);
        }
        // Below the bound without a margin.
        let (m, scale) = (together.product(), together.scale(&BigInt::one()));
        let mut all = |count: usize| {
            let of = |j: usize| {
                together.combine(&scale, |k| self.residues[k][j], &mut guess.words);
                least(guess.words.to_bigint(), m)
            };
            memory::collect((0..count).map(of), RESIDUES)
        };
        let count = self.coordinates.len();
        if count > PROBES && fractions(&all(PROBES)?, m).is_none() {
            return Ok(None);
        }
        match fractions(&all(count)?, m) {
            Some((y, d)) => self.checked(y, d, a, sums),
            None => Ok(None),
        }
    }
    /// The coordinates times a common denominator d, if these are integers far below M, one after the other: where d·x
    /// is none, a fraction n/e far below M makes d larger, d·x's or that of x itself. Each is found as soon as n·e is
    /// below M, however large the common denominator becomes.
    fn numerators(&mut self, together: &Together, guess: &mut Guess) -> Result<Option<Vec<BigInt>>> {
        let (m, count) = (together.product(), self.coordinates.len());
        let Guess { words, scale } = guess;
        *scale = together.scale(&self.d);
        let mut y = memory::filled(BigInt::zero(), count, RESIDUES)?;
        // Those before the last change of d are made again.
        let (mut first, mut left) = (self.witness, count);
        while left > 0 {
            let j = first % count;
            (first, left) = (first + 1, left - 1);
            together.combine(scale, |k| self.residues[k][j], words);
            if words.bits() + MARGIN > m.bits() {
                let Some(more) = self.further(together, &words.to_bigint(), j, words) else {
                    self.witness = j;
                    return Ok(None);
                };
                self.d *= more;
                *scale = together.scale(&self.d);
                together.combine(scale, |k| self.residues[k][j], words);
                if words.bits() + MARGIN > m.bits() {
                    self.witness = j;
                    return Ok(None);
                }
                left = count - 1;
            }
            y[j] = words.to_bigint();
        }
        Ok(Some(y))
    }
    /// What d is to be multiplied by for coordinate j, of which d·x is ≡ `y`; `None` if there is no fraction yet.
    fn further(&self, together: &Together, y: &BigInt, j: usize, words: &mut Words) -> Option<BigInt> {
        let m = together.product();
        if let Some((_, e)) = likely_fraction(y, m) {
            return Some(e).filter(|e| !e.is_one());
        }
        if self.d.is_one() {
            return None;
        }
        together.combine(&together.scale(&BigInt::one()), |k| self.residues[k][j], words);
        let (_, e) = likely_fraction(&words.to_bigint(), m)?;
        let common = large_gcd(self.d.magnitude().clone(), e.magnitude().clone());
        Some(e / BigInt::from(common)).filter(|e| !e.is_one())
    }
    fn checked(&self, y: Vec<BigInt>, d: BigInt, a: &Columns, sums: &mut Sums) -> Result<Option<RationalVector>> {
        let word = |v: &BigInt| v.to_i64().filter(|v| v.unsigned_abs() <= a.largest() as u64);
        let nonzero = || self.coordinates.iter().zip(&y).filter(|(_, y)| !y.is_zero());
        let coordinates = memory::collect(nonzero().map(|(&j, _)| j), RESIDUES)?;
        let words: Option<Vec<i64>> = nonzero().map(|(_, y)| word(y)).collect();
        let (null, numerators) = match (words, d.to_i64()) {
            (Some(words), Some(d)) => (a.vanishes(&coordinates, &words, sums)?, Numerators::Words(words, d)),
            _ => {
                let y: Vec<BigInt> = y.into_iter().filter(|y| !y.is_zero()).collect();
                (a.vanishes_in_full(&coordinates, &y, sums)?, Numerators::Big(y, d))
            }
        };
        Ok(null.then_some(RationalVector { coordinates, numerators }))
    }
}

/// The values in all of the coordinates, 0 in those that are new.
fn spread((coordinates, values): (&[u32], &[u64]), all: &[u32]) -> Result<Vec<u64>> {
    let mut known = coordinates.iter().zip(values).peekable();
    memory::collect(all.iter().map(|j| known.next_if(|(k, _)| *k == j).map_or(0, |(_, &v)| v)), RESIDUES)
}

/// The vector with these residues mod p, if its numbers are small, and A maps it to 0: integers far below p, or
/// fractions with numerators and a common denominator up to √(p/2).
///
/// # Errors
/// [`crate::Error::Memory`].
pub(super) fn at_once(
    p: Modulus,
    (coordinates, values): (&[u32], &[u64]),
    a: &Columns,
    sums: &mut Sums,
) -> Result<Option<RationalVector>> {
    let half = p.get() / 2;
    let signed = |v: u64| if v > half { v as i64 - p.get() as i64 } else { v as i64 };
    let found = |words, d| -> Result<_> {
        let numerators = Numerators::Words(words, d);
        Ok(Some(RationalVector { coordinates: memory::copy(coordinates, RESIDUES)?, numerators }))
    };
    let mut words = memory::collect(values.iter().map(|&v| signed(v)), RESIDUES)?;
    // As `are_integers` has it.
    let (largest, far) = (a.largest().unsigned_abs(), p.get() >> 16);
    if words.iter().all(|y| y.unsigned_abs() <= largest.min(far)) && a.vanishes(coordinates, &words, sums)? {
        return found(words, 1);
    }
    let (most, mut d) = (half.isqrt(), 1);
    for &v in values {
        let y = p.mul(d, v);
        if signed(y).unsigned_abs() > most {
            match denominator(p, y, most) {
                Some(more) if d * more <= most => d *= more,
                _ => return Ok(None),
            }
        }
    }
    words.iter_mut().zip(values).for_each(|(y, &v)| *y = signed(p.mul(d, v)));
    let small = d > 1 && words.iter().all(|y| y.unsigned_abs() <= most.min(largest));
    if small && a.vanishes(coordinates, &words, sums)? { found(words, d as i64) } else { Ok(None) }
}

/// The denominator of the fraction ≡ y mod p with a numerator up to `most`, if it is at most that.
fn denominator(p: Modulus, y: u64, most: u64) -> Option<u64> {
    let (mut r, mut t) = ((p.get(), y), (0i64, 1i64));
    while r.1 > most {
        let quotient = r.0 / r.1;
        r = (r.1, r.0 % r.1);
        // |t.1|·r.0 ≤ p < 2⁶³, before the step and after it.
        t = (t.1, t.0 - quotient as i64 * t.1);
    }
    Some(t.1.unsigned_abs()).filter(|&d| d >= 1 && d <= most)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sparse::Triplets;

    /// Vectors (n₀/d₀, n₁/d₁, …, 1) are those that rows (dᵢ at i, -nᵢ at the end) map to 0.
    fn system(fractions: &[(i64, i64)]) -> (Columns, Vec<u32>) {
        let n = fractions.len();
        let entries = fractions.iter().enumerate().flat_map(|(i, &(a, b))| [(i, i, b), (i, n, -a)]);
        (Columns::of(&Triplets::from_entries(n, n + 1, entries)).unwrap(), (0..=n as u32).collect())
    }

    fn residues(p: Modulus, fractions: &[(i64, i64)]) -> Vec<u64> {
        let of = |&(a, b): &(i64, i64)| p.mul(p.reduce_i64(a), p.inv(p.reduce_i64(b)));
        fractions.iter().chain(&[(1, 1)]).map(of).collect()
    }

    fn attempt(lane: &mut Lane, primes: &[Modulus], a: &Columns) -> Option<RationalVector> {
        let together = Together::new(primes.iter().copied()).unwrap();
        lane.attempt(&together, false, a, (&mut Sums::default(), &mut Guess::default())).unwrap()
    }

    #[test]
    fn words_suffice_up_to_the_bounds() {
        let p = Modulus::new((1 << 61) - 1).unwrap();
        // √(p/2) = 2³⁰ - ….
        let most = ((1i64 << 60) - 1).isqrt();
        assert_eq!(most, (1 << 30) - 1);
        for (fractions, found) in [
            (vec![(1 << 31, 1), (-5, 1)], true), // an integer beyond √(p/2), whose square is a product
            (vec![(1 << 32, 1)], false),
            (vec![(1 << 46, 1)], false),
            (vec![(1, 2), (-1, 3), (5, 6)], true),
            (vec![(most, 2), (-most, 1)], false), // twice the second is too large
            (vec![(most, 2)], true),
            (vec![(1, most), (-1, most)], true),
            (vec![(1, most), (1, most - 1)], false),
            (vec![(1, most + 1)], false),
        ] {
            let (a, cols) = system(&fractions);
            let values = residues(p, &fractions);
            let vector = at_once(p, (&cols, &values), &a, &mut Sums::default()).unwrap();
            assert_eq!(vector.is_some(), found, "{fractions:?}");
            // Larger numbers come from more primes.
            let mut lane = Lane::new((&cols, &values)).unwrap();
            let (mut primes, mut lifted) = (vec![p], None);
            for q in [(1 << 31) - 1, 4611686018427387847].map(|q| Modulus::new(q).unwrap()) {
                lane.add((&cols, &residues(q, &fractions))).unwrap();
                primes.push(q);
                lifted = attempt(&mut lane, &primes, &a);
            }
            let lifted = lifted.expect("two primes more");
            let values: Vec<String> = lifted.values().map(|v| v.to_string()).collect();
            let expected = fractions.iter().chain(&[(1, 1)]);
            let expected: Vec<String> =
                expected.map(|&(a, b)| crate::sparse::Fraction::new(a.into(), b.into()).unwrap().to_string()).collect();
            assert_eq!(values, expected);
            assert!(vector.is_none_or(|vector| vector == lifted));
        }
    }

    /// What looks like a fraction is none if A does not map it to 0.
    #[test]
    fn guesses_are_multiplied_out() {
        let p = Modulus::new((1 << 61) - 1).unwrap();
        let (a, cols) = system(&[(1, 2), (3, 1)]);
        for wrong in [[(1, 2), (4, 1)], [(1, 3), (3, 1)]] {
            let values = residues(p, &wrong);
            assert!(at_once(p, (&cols, &values), &a, &mut Sums::default()).unwrap().is_none());
            let mut lane = Lane::new((&cols, &values)).unwrap();
            assert!(attempt(&mut lane, &[p], &a).is_none());
        }
    }

    /// A coordinate may vanish mod one of the primes.
    #[test]
    fn coordinates_that_vanish_mod_a_prime_come_back() {
        let [p, q] = [1_000_003, 1_000_033].map(|p| Modulus::new(p).unwrap());
        for (fractions, first, second) in [
            ([(1_000_003, 7), (2, 1)], &[1u32, 2][..], &[0u32, 1, 2][..]),
            ([(1_000_033, 1), (2, 1)], &[0, 1, 2], &[1, 2]),
        ] {
            let (a, _) = system(&fractions);
            let at = |p: Modulus, cols: &[u32]| -> Vec<u64> {
                let all = residues(p, &fractions);
                assert_eq!(all.iter().filter(|&&v| v != 0).count(), cols.len());
                cols.iter().map(|&j| all[j as usize]).collect()
            };
            let mut lane = Lane::new((first, &at(p, first))).unwrap();
            lane.add((second, &at(q, second))).unwrap();
            let third = Modulus::new((1 << 31) - 1).unwrap();
            lane.add((&[0, 1, 2], &residues(third, &fractions))).unwrap();
            let found = attempt(&mut lane, &[p, q, third], &a).unwrap();
            assert_eq!(found.coordinates(), [0, 1, 2]);
        }
    }
}
