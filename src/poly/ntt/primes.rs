//! The primes of the transform and multiplication by constants modulo them.

/// The four largest primes below 2⁵⁰ that are 1 modulo 3 · 2²⁶, each with its smallest generator.
pub(crate) const PRIMES: [(u64, u64); MAX_PRIMES] =
    [(1125899437080577, 5), (1125897625141249, 29), (1125896819834881, 14), (1125896618508289, 7)];

/// How many there are.
pub(crate) const MAX_PRIMES: usize = 4;

/// One of [`PRIMES`]: 2⁵⁰ - 2³² < q < 2⁵⁰ (so 4q < 2⁵² and q > 2⁴⁹).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Prime {
    pub(crate) q: u64,
    /// Its place in [`PRIMES`].
    pub(crate) index: usize,
    generator: u64,
}

/// A constant w modulo q with its quotient ⌊2⁵² w / q⌋: the form in which products by w are cheap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub(crate) struct Shoup {
    pub(crate) w: u64,
    pub(crate) quotient: u64,
}

impl Shoup {
    /// The constant w < q < 2⁵⁰, for any modulus q (not only a prime).
    pub(crate) fn new(w: u64, q: u64) -> Self {
        debug_assert!(w < q && q < 1 << 50);
        Shoup { w, quotient: (((w as u128) << 52) / q as u128) as u64 }
    }
}

/// a · b mod q.
pub(crate) fn mul_mod(a: u64, b: u64, q: u64) -> u64 {
    (a as u128 * b as u128 % q as u128) as u64
}

/// aᵉ mod q.
pub(crate) fn pow_mod(a: u64, mut e: u64, q: u64) -> u64 {
    let (mut base, mut power) = (a % q, 1 % q);
    while e > 0 {
        if e & 1 == 1 {
            power = mul_mod(power, base, q);
        }
        base = mul_mod(base, base, q);
        e >>= 1;
    }
    power
}

impl Prime {
    /// Number `index` of [`PRIMES`].
    pub(crate) fn get(index: usize) -> Self {
        let (q, generator) = PRIMES[index];
        Prime { q, index, generator }
    }

    /// a · b mod q.
    pub(crate) fn mul(self, a: u64, b: u64) -> u64 {
        mul_mod(a, b, self.q)
    }
    /// 1/a mod q for a prime to q.
    pub(crate) fn inv(self, a: u64) -> u64 {
        pow_mod(a, self.q - 2, self.q)
    }
    /// A root of unity of order n; n must divide q - 1.
    pub(crate) fn root(self, n: u64) -> u64 {
        assert!((self.q - 1).is_multiple_of(n), "no root of order {n} modulo {}", self.q);
        pow_mod(self.generator, (self.q - 1) / n, self.q)
    }
    /// The constant w in the form for fast products.
    pub(crate) fn shoup(self, w: u64) -> Shoup {
        Shoup::new(w, self.q)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::Modulus;

    /// Each is prime, in range, has the root of order 3 · 2²⁶, and nothing larger was missed.
    #[test]
    fn primes_are_the_largest() {
        const STEP: u64 = 3 << 26;
        let mut q = (1u64 << 50) / STEP * STEP + 1;
        let mut found = Vec::new();
        while found.len() < MAX_PRIMES {
            if q < 1 << 50 && Modulus::new(q).is_ok() {
                found.push(q);
            }
            q -= STEP;
        }
        assert_eq!(found, PRIMES.map(|(q, _)| q));
        for index in 0..MAX_PRIMES {
            let prime = Prime::get(index);
            assert!(prime.q > (1 << 50) - (1 << 32));
            let root = prime.root(STEP);
            assert_ne!(pow_mod(root, STEP / 2, prime.q), 1);
            assert_ne!(pow_mod(root, STEP / 3, prime.q), 1);
            assert_eq!(pow_mod(root, STEP, prime.q), 1);
            assert_eq!(prime.mul(prime.inv(12345), 12345), 1);
        }
    }
}
