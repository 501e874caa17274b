//! Fractions from residues: the common denominator of a vector that is known mod m.
//!
//! If m > 2·N·D, at most one fraction n/d with |n| ≤ N, 0 < d ≤ D is ≡ x mod m, and the extended Euclidean algorithm
//! finds it (P. S. Wang, M. J. T. Guy, J. H. Davenport, *P-adic reconstruction of rational numbers*, SIGSAM Bulletin
//! 16, 1982). The entries of one solution have few denominators: each entry is first multiplied by the part of the
//! common one found so far.
//!
//! The result is a guess, which the caller has to check by multiplying out over the integers.

use super::crt::least;
use crate::field::{Balanced, Euclid};
use num_bigint::{BigInt, Sign};
use num_traits::{One, Zero};

/// The largest numerators considered mod a prime q > 2³⁰ …
pub(crate) const NUMERATOR: i64 = 1 << 20;
/// … and the largest denominator: 2·2²⁰·2⁹ = 2³⁰ < q.
const DENOMINATOR: i64 = 1 << 9;

/// The least common denominator d ≤ [`DENOMINATOR`] of the fractions that are ≡ x mod q with numerators up to
/// [`NUMERATOR`].
pub(crate) fn small_denominator(field: Balanced, x: impl IntoIterator<Item = i64>) -> Option<i64> {
    let mut d = 1;
    for x in x {
        let y = field.least(d * x);
        if y.abs() > NUMERATOR {
            d *= denominator_of(field, y)?;
            if d > DENOMINATOR {
                return None;
            }
        }
    }
    Some(d)
}

/// The denominator d of the fraction ≡ y mod q.
fn denominator_of(field: Balanced, y: i64) -> Option<i64> {
    let (mut r0, mut r1) = (field.modulus().get() as i64, field.to_residue(y) as i64);
    let (mut t0, mut t1) = (0i64, 1i64);
    while r1 > NUMERATOR {
        let quotient = r0 / r1;
        (r0, r1) = (r1, r0 - quotient * r1);
        (t0, t1) = (t1, t0 - quotient * t1);
    }
    Some(t1.abs()).filter(|&d| (1..=DENOMINATOR).contains(&d))
}

/// Whether all residues x mod m are so small, below m by a factor of 2¹⁶, that they are probably the integers
/// themselves.
pub(crate) fn are_integers(x: &[BigInt], m: &BigInt) -> bool {
    x.iter().all(|x| x.bits() + 16 <= m.bits())
}

/// Numerators and common denominator of the vector of fractions that is ≡ x mod m, none of them above √(m/2).
pub(crate) fn fractions(x: &[BigInt], m: &BigInt) -> Option<(Vec<BigInt>, BigInt)> {
    let bound = (m >> 1u32).sqrt();
    let (mut numerators, mut d, mut changed) = (Vec::with_capacity(x.len()), BigInt::one(), 0);
    for (k, x) in x.iter().enumerate() {
        let mut y = least(&d * x, m);
        if y.magnitude() > bound.magnitude() {
            d *= large_denominator(y, m, &bound)?;
            if d > bound {
                return None;
            }
            (y, changed) = (least(&d * x, m), k);
        }
        numerators.push(y);
    }
    // Those before the last change of d.
    numerators[..changed].iter_mut().zip(x).for_each(|(y, x)| *y = least(&d * x, m));
    numerators.iter().all(|n| n.magnitude() <= bound.magnitude()).then_some((numerators, d))
}

fn large_denominator(y: BigInt, m: &BigInt, bound: &BigInt) -> Option<BigInt> {
    let y = if y.sign() == Sign::Minus { y + m } else { y };
    let mut euclid = Euclid::new(m.magnitude(), y.magnitude(), true);
    let bound = bound.magnitude();
    while euclid.remainder_bits() > bound.bits()
        || euclid.remainder_bits() == bound.bits() && euclid.remainder() > *bound
    {
        // Several quotients with cofactors below 2³² make the larger remainder smaller by 33 bits at most: it stays
        // above the bound, so that none at or below the bound is missed.
        if euclid.remainder_bits() > bound.bits() + 34 { euclid.step() } else { euclid.one_quotient() }
    }
    let d = euclid.cofactor();
    (!d.is_zero() && d <= *bound).then(|| d.into())
}

/// See [`likely_fraction`]: above 32 bits, as [`Euclid`] takes such quotients alone.
pub(crate) const LIKELY: u64 = 40;

/// The fraction n/d ≡ x mod m whose |n|·d is below m by at least [`LIKELY`] bits, if there is one; whether n or d is
/// the larger does not matter. Of random residues one in 2^LIKELY has such a fraction at each of Euclid's steps.
///
/// A fraction with 2·|n|·d < m is one of the convergents rᵢ/tᵢ of Euclid's algorithm, and the quotient that follows it
/// is about m/(|n|·d) (M. Monagan, *Maximal quotient rational reconstruction*, ISSAC 2004).
pub(crate) fn likely_fraction(x: &BigInt, m: &BigInt) -> Option<(BigInt, BigInt)> {
    let x = if x.sign() == Sign::Minus { x + m } else { x.clone() };
    let mut euclid = Euclid::new(m.magnitude(), x.magnitude(), true);
    loop {
        // |n|·d < m·2^-LIKELY, since r₀·t₁ ≤ m.
        if euclid.is_done() && euclid.cofactor_bits() + LIKELY > m.bits() {
            return None;
        }
        if euclid.is_done() || euclid.quotient_bits() >= LIKELY {
            let (n, d) = (euclid.remainder(), euclid.cofactor());
            let sign = if euclid.negative { Sign::Minus } else { Sign::Plus };
            return Some((BigInt::from_biguint(sign, n), d.into()));
        }
        euclid.step();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::{Modulus, Rng};
    use rand::{RngExt, SeedableRng};

    #[test]
    fn small_fractions_up_to_both_bounds() {
        let p = Modulus::new(1_073_741_827).unwrap(); // The least of 31 bits.
        let f = Balanced::new(p).unwrap();
        let residue = |n: i64, d: i64| f.of_residue(p.mul(p.reduce_i64(n), p.inv(p.reduce_i64(d))));
        for (n, d) in [(NUMERATOR, 1), (-NUMERATOR, 1), (NUMERATOR - 1, DENOMINATOR), (1 - NUMERATOR, 511), (1, 3)] {
            let found = small_denominator(f, [residue(n, d)]).unwrap();
            // Numerators that are small anyway need no denominator: 1/3 does.
            assert_eq!((found, f.least(found * residue(n, d))), (d, n));
        }
        assert_eq!(small_denominator(f, [residue(1, 2), residue(1, 3), residue(5, 6), 7, 0]), Some(6));
        assert_eq!(small_denominator(f, [residue(1, DENOMINATOR + 1), residue(1, 511)]), None);
        assert_eq!(small_denominator(f, []), Some(1));
    }

    #[test]
    fn large_fractions_come_back() {
        let mut rng = Rng::seed_from_u64(3);
        for digits in 1..12usize {
            let m = BigInt::from((1u64 << 31) - 1).pow(digits as u32);
            let bound = (&m >> 1u32).sqrt();
            for _ in 0..20 {
                let bits = bound.bits() / 2 - 1;
                let d: BigInt = (BigInt::from(1) << bits) - rng.random_range(0i64..1000) * 2 - 1;
                let numerators: Vec<BigInt> =
                    (0..5).map(|_| (BigInt::from(1) << bits) * rng.random_range(-50i64..50) / 37 + 1).collect();
                let inverse = d.modinv(&m).unwrap();
                let x: Vec<BigInt> = numerators.iter().map(|n| least(n * &inverse, &m)).collect();
                let (n, e) = fractions(&x, &m).unwrap();
                // The least denominator: equal as fractions.
                assert!(n.iter().zip(&numerators).all(|(n, numerator)| n * &d == numerator * &e));
            }
            // Random residues have no small common denominator.
            let random: Vec<BigInt> = (2..6).map(|k| BigInt::from(k).modpow(&1_000_003.into(), &m)).collect();
            assert!(fractions(&random, &m).is_none());
        }
    }
    #[test]
    fn likely_fractions_come_back_whatever_is_the_larger() {
        let mut rng = Rng::seed_from_u64(4);
        for digits in 2..12usize {
            let m = BigInt::from(1_073_741_789).pow(digits as u32);
            for share in 0..=10 {
                let free = m.bits() - LIKELY - 4;
                let bits = free * share / 10;
                let d: BigInt = (BigInt::one() << bits) + rng.random_range(0..2) * BigInt::from(bits > 2);
                let sign = if share % 3 == 0 { -1 } else { 1 };
                let n: BigInt = ((BigInt::one() << (free - bits))
                    - rng.random_range(0i64..1000) * i64::from(free - bits > 10))
                    * sign;
                let g: BigInt = crate::integers::large_gcd(n.magnitude().clone(), d.magnitude().clone()).into();
                let (n, d): (BigInt, BigInt) = (n / &g, d / g);
                let x = least(&n * d.modinv(&m).unwrap(), &m);
                assert_eq!(likely_fraction(&x, &m), Some((n, d)));
            }
            let none =
                (3..40).filter(|&k| likely_fraction(&BigInt::from(k).modpow(&1_000_003.into(), &m), &m).is_some());
            assert_eq!(none.count(), 0);
        }
        let m = BigInt::from(1_073_741_789).pow(2);
        assert_eq!(likely_fraction(&BigInt::zero(), &m), Some((BigInt::zero(), BigInt::one())));
        assert_eq!(likely_fraction(&BigInt::from(-7), &m), Some((BigInt::from(-7), BigInt::one())));
    }
}
