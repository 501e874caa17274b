//! A multiple of the last invariant factor s_r, taken apart into coprime parts, as far as it is factored.

use super::bound::Multiple;
use crate::field::{is_prime, prime_factors};
use crate::integers::large_gcd;
use num_bigint::BigUint;
use num_traits::{One, ToPrimitive, Zero};

/// Primes below are divided out one by one; what is left is factored if it has so many bits at most.
const TRIAL: u64 = 1 << 12;
const FACTORED: u64 = 63;

/// A prime that may divide invariant factors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Prime {
    pub p: u64,
    /// None has a higher power of it than this.
    pub exponent: u32,
    /// Nor does the product of all.
    pub of_product: bool,
}

pub(super) struct Parts {
    pub primes: Vec<Prime>,
    /// At whose primes the minor is cyclic.
    pub cyclic: BigUint,
    /// What is neither.
    pub hard: BigUint,
    /// Whether the product of all invariant factors divides the multiple.
    of_product: bool,
}

impl Parts {
    pub fn of(multiple: &Multiple) -> Parts {
        let Multiple { last, cofactor, .. } = multiple;
        let of_product = cofactor.is_some();
        let mut primes = vec![];
        // Primes that may divide more than one invariant factor.
        let (mut open, mut rest) = (cofactor.clone().unwrap_or_else(|| last.clone()), multiple.whole());
        let mut divide = |p: u64, open: &mut BigUint| {
            valuation(open, p);
            primes.push(Prime { p, exponent: valuation(&mut rest, p), of_product });
        };
        for p in (2..TRIAL).filter(|&p| is_prime(p)) {
            if open.is_one() {
                break;
            }
            if (&open % p).is_zero() {
                divide(p, &mut open);
            }
        }
        for p in factored(&open) {
            divide(p, &mut open);
        }
        // The part of the rest at primes of what nobody factored.
        let hard = shared_part(&rest, &open);
        Parts { primes, cyclic: rest / &hard, hard, of_product }
    }

    /// Takes into account that s_r divides this multiple as well, which belongs to another minor: the numbers that
    /// nobody can factor have little in common.
    pub fn narrow(&mut self, other: &Multiple) {
        self.of_product &= other.cofactor.is_some();
        self.hard = large_gcd(self.hard.clone(), other.whole());
        let mut hard = std::mem::take(&mut self.hard);
        for p in factored(&hard) {
            self.take(p, &mut hard);
        }
        self.hard = hard;
    }

    /// Takes a part of the cyclic one, with all powers of its primes, for what it is otherwise: primes, as far as it is
    /// factored.
    pub fn give_up(&mut self, part: &BigUint) {
        self.cyclic /= part;
        let mut rest = part.clone();
        let small: Vec<u64> = (2..TRIAL).filter(|&p| is_prime(p) && (&rest % p).is_zero()).collect();
        for p in small {
            self.take(p, &mut rest);
        }
        for p in factored(&rest) {
            self.take(p, &mut rest);
        }
        self.hard *= rest;
    }

    /// Counts p among the primes, with the power that it has in n, which is divided by it.
    fn take(&mut self, p: u64, n: &mut BigUint) {
        let exponent = valuation(n, p);
        self.primes.push(Prime { p, exponent, of_product: self.of_product });
    }

    /// Counts p among the primes, with no more than this exponent in any invariant factor.
    pub fn include(&mut self, p: u64, exponent: u32) {
        for part in [&mut self.cyclic, &mut self.hard] {
            valuation(part, p);
        }
        self.primes.retain(|prime| prime.p != p);
        self.primes.push(Prime { p, exponent, of_product: false });
    }
}

/// The part of n at the primes of another number.
pub(super) fn shared_part(n: &BigUint, of: &BigUint) -> BigUint {
    let (mut part, mut rest) = (BigUint::one(), n.clone());
    loop {
        let shared = large_gcd(rest.clone(), of.clone());
        if shared.is_one() {
            return part;
        }
        rest /= &shared;
        part *= shared;
    }
}

/// Whether a number is known and has no prime of n.
pub(super) fn is_coprime(known: Option<&BigUint>, n: &BigUint) -> bool {
    known.is_some_and(|d| large_gcd(d.clone(), n.clone()).is_one())
}

/// The primes of a number that is small enough.
fn factored(n: &BigUint) -> Vec<u64> {
    n.to_u64().filter(|n| *n > 1 && u64::from(n.ilog2()) < FACTORED).map(prime_factors).unwrap_or_default()
}

/// Divides n by p as often as that goes: how often.
pub(super) fn valuation(n: &mut BigUint, p: u64) -> u32 {
    let mut exponent = 0;
    while (&*n % p).is_zero() {
        *n /= p;
        exponent += 1;
    }
    exponent
}

#[cfg(test)]
mod tests {
    use super::*;

    fn multiple(last: &BigUint, cofactor: Option<BigUint>) -> Multiple {
        Multiple { last: last.clone(), cofactor, right: vec![], left: vec![], words: String::new(), proven: true }
    }

    #[test]
    fn what_two_multiples_share_is_factored() {
        // Primes of 61, 89 and 107 bits, and one of 31.
        let [a, b, c, q]: [BigUint; 4] = [61, 89, 107, 31].map(|e| (BigUint::one() << e) - 1u32);
        let common = BigUint::from(360u32) * &q;
        let mut parts = Parts::of(&multiple(&(&common * &a * &b), None));
        let prime = |p, exponent| Prime { p, exponent, of_product: false };
        assert_eq!(parts.primes, [prime(2, 3), prime(3, 2), prime(5, 1)]);
        assert_eq!((&parts.cyclic, &parts.hard), (&BigUint::one(), &(&q * &a * &b)));
        parts.narrow(&multiple(&(&common * &c), None));
        assert!(parts.hard.is_one() && parts.primes[3..] == [prime((1 << 31) - 1, 1)]);
        // What no other multiple narrows stays.
        let mut parts = Parts::of(&multiple(&(&a * &b), None));
        parts.narrow(&multiple(&(&a * &b * &c), None));
        assert_eq!(parts.hard, &a * &b);
    }

    #[test]
    fn exponents_are_those_of_the_product_if_both_multiples_are() {
        let [a, b, c, q]: [BigUint; 4] = [61, 89, 107, 31].map(|e| (BigUint::one() << e) - 1u32);
        // q² in the minor, a·b in its cofactor: both of them hard.
        let whole = || multiple(&(&q * &a * &b), Some(&q * &a * &b));
        let of_product = |other: Multiple| {
            let mut parts = Parts::of(&whole());
            assert_eq!(parts.hard, whole().whole());
            parts.narrow(&other);
            parts.primes
        };
        let prime = |exponent, of_product| Prime { p: (1 << 31) - 1, exponent, of_product };
        assert_eq!(of_product(multiple(&(&q * &c), Some(q.clone()))), [prime(2, true)]);
        assert_eq!(of_product(multiple(&(&q * &c), None)), [prime(1, false)]);
    }

    #[test]
    fn primes_that_are_included_are_nowhere_else() {
        let mut parts = Parts::of(&multiple(&BigUint::from(24u32), Some(BigUint::one())));
        assert_eq!((parts.primes.len(), &parts.cyclic), (0, &24u32.into()));
        parts.include(2, 77);
        assert_eq!((parts.primes.len(), &parts.cyclic), (1, &3u32.into()));
        parts.include(2, 78);
        assert_eq!(parts.primes, [Prime { p: 2, exponent: 78, of_product: false }]);
    }

    #[test]
    fn what_is_given_up_is_factored() {
        let [a, b, q]: [BigUint; 3] = [89, 107, 61].map(|e| (BigUint::one() << e) - 1u32);
        let last = BigUint::from(7u32 * 7 * 11) * &a * &b * &q;
        let mut parts = Parts::of(&multiple(&last, Some(BigUint::one())));
        assert_eq!((&parts.cyclic, &parts.hard), (&last, &BigUint::one()));
        parts.give_up(&(BigUint::from(49u32) * &q));
        let prime = |p, exponent| Prime { p, exponent, of_product: true };
        assert_eq!(parts.primes, [prime(7, 2), prime((1 << 61) - 1, 1)]);
        assert_eq!((&parts.cyclic, &parts.hard), (&(&a * &b * 11u32), &BigUint::one()));
        parts.give_up(&a);
        assert_eq!((&parts.cyclic, &parts.hard), (&(&b * 11u32), &a));
    }

    #[test]
    fn shared_parts_have_whole_powers() {
        let part = |n: u32, of: u32| shared_part(&n.into(), &of.into());
        for n in 1..200u32 {
            for of in 1..60u32 {
                let expected = (1..=n).filter(|d| n % d == 0 && large_gcd((n / d).into(), of.into()).is_one());
                assert_eq!(part(n, of), BigUint::from(expected.min().unwrap()), "{n} {of}");
            }
        }
    }
}
