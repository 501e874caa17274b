//! Division of long integers in the time of some products: a reciprocal by Newton's iteration, and quotients by it (P.
//! Barrett, CRYPTO '86; R. P. Brent, P. Zimmermann, *Modern Computer Arithmetic*, 2010, 3.4.1 and 2.4.1).
//!
//! A quotient by a reciprocal is a guess; the remainder says what it lacks, and that is divided in the plain way. So
//! nothing rests on how near the guess is, but the time.

use num_bigint::{BigInt, BigUint};
use num_integer::Integer;
use num_traits::{One, Signed};

/// Divisors of fewer bits are divided by in the plain way.
const PLAIN: u64 = 1 << 14;

/// A divisor whose reciprocal is known.
#[derive(Clone, Debug)]
pub(crate) struct Divisor {
    value: BigUint,
    /// About 2^(2n)/d for a d of n bits; `None` where plain division does as well.
    reciprocal: Option<BigUint>,
}

impl Divisor {
    /// Of d > 0.
    pub fn new(value: BigUint) -> Self {
        let reciprocal = (value.bits() >= PLAIN).then(|| reciprocal(&value));
        Divisor { value, reciprocal }
    }

    /// The quotient and the remainder of x.
    pub fn div_rem(&self, x: &BigUint) -> (BigUint, BigUint) {
        let n = self.value.bits();
        let Some(reciprocal) = &self.reciprocal else { return x.div_rem(&self.value) };
        if x.bits() < n + PLAIN / 4 {
            return x.div_rem(&self.value);
        }
        // Digits of n bits, the highest first.
        let digits = x.bits().div_ceil(n);
        let mask = (BigUint::one() << n) - 1u32;
        let (mut quotient, mut rest) = (BigUint::ZERO, BigUint::ZERO);
        for k in (0..digits).rev() {
            let digit = (x >> (k * n)) & &mask;
            let (q, r) = self.step((rest << n) | digit, reciprocal);
            quotient = (quotient << n) + q;
            rest = r;
        }
        (quotient, rest)
    }

    /// Of an x below d·2ⁿ.
    fn step(&self, x: BigUint, reciprocal: &BigUint) -> (BigUint, BigUint) {
        let n = self.value.bits();
        if x < self.value {
            return (BigUint::ZERO, x);
        }
        let guess = ((&x >> (n - 1)) * reciprocal) >> (n + 1);
        let product = &guess * &self.value;
        if product <= x {
            let (more, rest) = (x - product).div_rem(&self.value);
            (guess + more, rest)
        } else {
            let (less, rest) = (product - x).div_rem(&self.value);
            if rest.bits() == 0 { (guess - less, rest) } else { (guess - less - 1u32, &self.value - rest) }
        }
    }
}

/// The quotient and the remainder of x by d > 0.
pub(crate) fn div_rem(x: &BigUint, d: &BigUint) -> (BigUint, BigUint) {
    if d.bits() < PLAIN || x.bits() < d.bits() + PLAIN / 4 {
        return x.div_rem(d);
    }
    let (n, excess) = (d.bits(), x.bits() - d.bits());
    if excess >= n / 2 {
        return Divisor::new(d.clone()).div_rem(x);
    }
    // A short quotient is that of the leading parts, or not much more.
    let shift = n - excess - 64;
    let (guess, _) = div_rem(&(x >> shift), &(d >> shift));
    let product = &guess * d;
    if product <= *x {
        let (more, rest) = (x - product).div_rem(d);
        (guess + more, rest)
    } else {
        let (less, rest) = (product - x).div_rem(d);
        if rest.bits() == 0 { (guess - less, rest) } else { (guess - less - 1u32, d - rest) }
    }
}

/// About 2^(2n)/d for a d of n bits.
fn reciprocal(d: &BigUint) -> BigUint {
    let n = d.bits();
    if n < PLAIN {
        return (BigUint::one() << (2 * n)) / d;
    }
    let h = n / 2 + 8;
    let half = reciprocal(&(d >> (n - h)));
    let x = BigInt::from(half << (n - h));
    let error = (BigInt::one() << (2 * n)) - &x * BigInt::from(d.clone());
    let next = &x + ((x.clone() * error) >> (2 * n));
    debug_assert!(next.is_positive());
    next.into_parts().1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::Rng;
    use rand::{RngExt, SeedableRng};

    #[test]
    fn quotients_are_those_of_plain_division() {
        let mut rng = Rng::seed_from_u64(1);
        let mut number = |bits: u64, kind: u32| match kind {
            0 => (BigUint::one() << bits) - 1u32,
            1 => BigUint::one() << (bits - 1),
            2 => (BigUint::one() << (bits - 1)) + 1u32,
            _ => {
                let bytes: Vec<u8> = (0..bits.div_ceil(8)).map(|_| rng.random_range(0..=255)).collect();
                (BigUint::from_bytes_le(&bytes) >> (8 * bits.div_ceil(8) - bits)) | BigUint::one() << (bits - 1)
            }
        };
        for d_bits in [1, 64, PLAIN - 1, PLAIN, PLAIN + 1, 2 * PLAIN + 77, 5 * PLAIN] {
            for more in [0, 1, 63, PLAIN / 4, PLAIN / 2, PLAIN, 3 * PLAIN + 5, 12 * PLAIN] {
                for kind in 0..16 {
                    let (d, x) = (number(d_bits, kind / 4), number(d_bits + more, kind % 4));
                    // Multiples and their neighbours, too.
                    let exact = &d * &x;
                    for x in [&x, &exact, &(&exact + 1u32), &(&exact - 1u32)] {
                        let (q, r) = div_rem(x, &d);
                        assert!(r < d && &q * &d + &r == *x, "{d_bits} {more} {kind}");
                        assert_eq!(Divisor::new(d.clone()).div_rem(x), (q, r), "{d_bits} {more} {kind}");
                    }
                }
            }
        }
    }
}
