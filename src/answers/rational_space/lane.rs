//! One null vector on its way from residues to fractions.

use super::columns::{Columns, Sums};
use super::vectors::{Numerators, RationalVector};
use crate::field::Modulus;
use crate::integers::{are_integers, fractions, least};
use crate::{Result, memory};
use num_bigint::BigInt;
use num_traits::{One, ToPrimitive, Zero};

/// What the memory is for.
const RESIDUES: &str = "residues of null vectors";

/// What is known of a vector mod M, the product of the primes so far.
#[derive(Debug)]
pub(super) struct Lane {
    coordinates: Vec<u32>,
    /// In 0 … M-1.
    x: Vec<BigInt>,
}

impl Lane {
    /// The vector mod p.
    ///
    /// # Errors
    /// [`crate::Error::Memory`].
    pub fn new((coordinates, values): (&[u32], &[u64])) -> Result<Self> {
        let x = memory::collect(values.iter().map(|&v| BigInt::from(v)), RESIDUES)?;
        Ok(Lane { coordinates: memory::copy(coordinates, RESIDUES)?, x })
    }
    /// Adds the vector mod p, a prime that does not divide `m`: x + M·t with t ≡ (value - x)/M.
    ///
    /// # Errors
    /// [`crate::Error::Memory`].
    pub fn add(&mut self, m: &BigInt, p: Modulus, (coordinates, values): (&[u32], &[u64])) -> Result<()> {
        if self.coordinates != coordinates {
            self.spread(coordinates)?;
        }
        let inverse = p.multiplier(p.inv(p.reduce_bigint(m)));
        let mut next = coordinates.iter().zip(values).peekable();
        for (j, x) in self.coordinates.iter().zip(&mut self.x) {
            let value = next.next_if(|(k, _)| *k == j).map_or(0, |(_, &v)| v);
            let t = p.mul_by(p.sub(value, p.reduce_bigint(x)), inverse);
            if t != 0 {
                *x += m * t;
            }
        }
        Ok(())
    }
    /// Takes coordinates in that were 0 so far.
    fn spread(&mut self, others: &[u32]) -> Result<()> {
        let mut all = memory::collect(self.coordinates.iter().chain(others).copied(), RESIDUES)?;
        all.sort_unstable();
        all.dedup();
        let mut known = self.coordinates.iter().zip(&mut self.x).peekable();
        let values =
            all.iter().map(|j| known.next_if(|(k, _)| *k == j).map_or(BigInt::ZERO, |(_, x)| std::mem::take(x)));
        let x = memory::collect(values, RESIDUES)?;
        (self.coordinates, self.x) = (all, x);
        Ok(())
    }
    /// The vector, if integers or fractions are ≡ x mod `m` that A maps to 0.
    ///
    /// # Errors
    /// [`crate::Error::Memory`].
    pub fn attempt(&self, m: &BigInt, a: &Columns, sums: &mut Sums) -> Result<Option<RationalVector>> {
        let signed = |x: &BigInt| least(x.clone(), m);
        // Looked at one by one: fractions show soon.
        if self.x.iter().all(|x| are_integers(std::slice::from_ref(&signed(x)), m)) {
            let y = memory::collect(self.x.iter().map(signed), RESIDUES)?;
            if let Some(found) = self.checked(y, BigInt::one(), a, sums)? {
                return Ok(Some(found));
            }
        }
        match fractions(&self.x, m) {
            Some((y, d)) => self.checked(y, d, a, sums),
            None => Ok(None),
        }
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
            let (mut m, mut lifted) = (BigInt::from(p.get()), None);
            for q in [(1 << 31) - 1, 4611686018427387847].map(|q| Modulus::new(q).unwrap()) {
                lane.add(&m, q, (&cols, &residues(q, &fractions))).unwrap();
                m *= q.get();
                lifted = lane.attempt(&m, &a, &mut Sums::default()).unwrap();
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
            let lane = Lane::new((&cols, &values)).unwrap();
            assert!(lane.attempt(&p.get().into(), &a, &mut Sums::default()).unwrap().is_none());
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
            lane.add(&p.get().into(), q, (second, &at(q, second))).unwrap();
            let m = BigInt::from(p.get()) * q.get();
            let third = Modulus::new((1 << 31) - 1).unwrap();
            lane.add(&m, third, (&[0, 1, 2], &residues(third, &fractions))).unwrap();
            let found = lane.attempt(&(m * third.get()), &a, &mut Sums::default()).unwrap().unwrap();
            assert_eq!(found.coordinates(), [0, 1, 2]);
        }
    }
}
