//! Euclid's algorithm on numbers of very many bits, by products: the quotients of the first half of the steps depend on
//! the leading halves of the numbers alone (D. E. Knuth, 1970; A. Schönhage, Acta Informatica 1, 1971; N. Möller, *On
//! Schönhage's algorithm and subquadratic integer gcd computation*, Math. Comp. 77, 2008).
//!
//! Steps are collected in matrices of determinant ±1 with integer entries. Such a matrix keeps the common divisors of
//! any two numbers, so that the result is right even if the last of the quotients of leading halves are not those of
//! the whole numbers, and some result is negative: of that the absolute value is taken, and the numbers are a little
//! longer than they might be. (Cofactors, of which convergents are made, need the true quotients, and are not made
//! here.)

use super::euclid::Euclid;
use num_bigint::{BigInt, BigUint};
use num_traits::{One, Zero};

/// Pairs of which both have so many bits are made shorter: from here on that takes less time than Lehmer's steps
/// alone.
const LONG: u64 = 1 << 17;
/// Numbers of fewer bits are halved by Lehmer's steps.
const PLAIN: u64 = 1 << 13;

/// Two numbers, the larger one first, with the same common divisors, the smaller one below 2^[`LONG`].
pub(super) fn shortened([mut x, mut y]: [BigUint; 2]) -> [BigUint; 2] {
    while y.bits() >= LONG {
        let (n, before) = (x.bits(), x.bits() + y.bits());
        if y.bits() > n - n / 8 {
            let shift = n / 2;
            let steps = halved(&x >> shift, &y >> shift).1;
            [x, y] = steps.apply(x, y).0;
        }
        if !y.is_zero() && x.bits() + y.bits() + LONG / 8 > before {
            // Too different, or no shorter for other reasons: one division, which always helps.
            let rest = x % &y;
            (x, y) = (y, rest);
        }
    }
    [x, y]
}

/// A matrix of determinant ±1, by rows.
struct Steps([BigInt; 4]);

impl Steps {
    /// The absolute values of its product with (x, y), the larger one first, and the matrix that gives these.
    fn apply(self, x: BigUint, y: BigUint) -> ([BigUint; 2], Steps) {
        let Steps([a, b, c, d]) = self;
        let (x, y) = (BigInt::from(x), BigInt::from(y));
        let row = |a: BigInt, b: BigInt| {
            let value = &a * &x + &b * &y;
            if value < BigInt::ZERO { (-value, -a, -b) } else { (value, a, b) }
        };
        let (mut upper, mut lower) = (row(a, b), row(c, d));
        if upper.0 < lower.0 {
            std::mem::swap(&mut upper, &mut lower);
        }
        ([upper.0, lower.0].map(|v| v.into_parts().1), Steps([upper.1, upper.2, lower.1, lower.2]))
    }
    /// This one after another.
    fn after(&self, Steps([e, f, g, h]): &Steps) -> Steps {
        let Steps([a, b, c, d]) = self;
        Steps([a * e + b * g, a * f + b * h, c * e + d * g, c * f + d * h])
    }
}

/// x ≥ y reduced until y has about half of the bits that x had, and the steps.
fn halved(x: BigUint, y: BigUint) -> ([BigUint; 2], Steps) {
    let n = x.bits();
    let goal = n / 2 + 1;
    if n < PLAIN || y.bits() <= goal {
        return by_lehmer(x, y, goal);
    }
    let shift = n / 2;
    let first = halved(&x >> shift, &y >> shift).1;
    let ([x, y], first) = first.apply(x, y);
    if y.bits() <= goal {
        return ([x, y], first);
    }
    // One division, so that x is shorter than y was.
    let quotient = BigInt::from(&x / &y);
    let [x, y] = [y.clone(), x % y];
    let Steps([a, b, c, d]) = first;
    let first = Steps([c.clone(), d.clone(), a - &quotient * c, b - quotient * d]);
    if y.bits() <= goal {
        return ([x, y], first);
    }
    let ([x, y], second) = if x.bits() > n - n / 8 {
        // The leading halves gave little.
        by_lehmer(x, y, goal)
    } else {
        let shift = (2 * goal).saturating_sub(x.bits());
        let second = halved(&x >> shift, &y >> shift).1;
        second.apply(x, y)
    };
    ([x, y], second.after(&first))
}

/// The same by Lehmer's steps, until y has at most so many bits.
fn by_lehmer(x: BigUint, y: BigUint, goal: u64) -> ([BigUint; 2], Steps) {
    let mut euclid = Euclid::new(&x, &y, true);
    while euclid.remainder_bits() > goal {
        euclid.step();
    }
    let [r, t] = euclid.both();
    // rᵢ = sᵢ·x + tᵢ·y; |t₀| and |t₁| have opposite signs.
    let signed = |t: &BigUint, negative: bool| if negative { -BigInt::from(t.clone()) } else { t.clone().into() };
    let t = [signed(&t[0], !euclid.negative), signed(&t[1], euclid.negative)];
    let (x, y) = (BigInt::from(x), BigInt::from(y));
    let one =
        |r: &BigUint, t: &BigInt| if x.is_zero() { BigInt::one() } else { (BigInt::from(r.clone()) - t * &y) / &x };
    let s = [one(&r[0], &t[0]), one(&r[1], &t[1])];
    let ([s0, s1], [t0, t1]) = (s, t);
    (r, Steps([s0, t0, s1, t1]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::Rng;
    use rand::{RngExt, SeedableRng};

    fn number(bits: u64, rng: &mut Rng) -> BigUint {
        let bytes: Vec<u8> = (0..bits.div_ceil(8)).map(|_| rng.random_range(0..=255)).collect();
        BigUint::from_bytes_le(&bytes)
    }

    #[test]
    fn steps_have_determinant_one_and_give_what_is_left() {
        let mut rng = Rng::seed_from_u64(6);
        for round in 0..40 {
            let bits = [0, 1, 60, 1000, PLAIN, 3 * PLAIN, 9 * PLAIN][round % 7];
            let (a, b) = (number(bits, &mut rng), number(bits - bits / (1 + round as u64), &mut rng));
            let (x, y) = if a < b { (b, a) } else { (a, b) };
            let ([u, v], Steps([a, b, c, d])) = halved(x.clone(), y.clone());
            let determinant = &a * &d - &b * &c;
            assert!(determinant == BigInt::from(1) || determinant == BigInt::from(-1));
            let (p, q) = (BigInt::from(x.clone()), BigInt::from(y));
            assert_eq!((a * &p + b * &q, c * p + d * q), (u.clone().into(), v.clone().into()));
            assert!(u >= v && v.bits() <= x.bits() / 2 + 1 + 66, "{} of {}", v.bits(), x.bits());
        }
    }

    /// By Lehmer's steps alone.
    fn plain(a: &BigUint, b: &BigUint) -> BigUint {
        let [a, b] = if a < b { [b, a] } else { [a, b] };
        let mut euclid = Euclid::new(a, b, false);
        while !euclid.is_done() {
            euclid.step();
        }
        let [[divisor, _], _] = euclid.both();
        divisor
    }

    #[test]
    fn common_divisors_of_long_numbers() {
        let mut rng = Rng::seed_from_u64(7);
        for (round, divisor) in [1, 64, LONG / 2, LONG + 99].into_iter().enumerate() {
            let bits = LONG + LONG / 8 * round as u64;
            let g = number(divisor, &mut rng) + 1u32;
            let (a, b) = (number(bits, &mut rng) * &g, number(bits / (1 + round as u64 % 2), &mut rng) * &g);
            // Also a neighbour, a number without anything in common but a power of 2, and a number and itself.
            let pairs =
                [(a.clone(), b.clone()), (&a * 2u32 + 1u32, a.clone()), (&b << LONG, b.clone()), (a.clone(), a)];
            for (a, b) in pairs {
                let [x, y] = shortened(if a < b { [b.clone(), a.clone()] } else { [a.clone(), b.clone()] });
                assert!(x >= y && y.bits() < LONG);
                assert_eq!(plain(&x, &y), plain(&a, &b));
            }
        }
        // All quotients 1.
        let (mut x, mut y) = (BigUint::from(1u32), BigUint::ZERO);
        while y.bits() < LONG + 1000 {
            (x, y) = (&x + &y, x);
        }
        let [x, y] = shortened([x, y]);
        assert!(plain(&x, &y).is_one());
        assert_eq!(shortened([BigUint::ZERO, BigUint::ZERO]), [BigUint::ZERO, BigUint::ZERO]);
    }
}
