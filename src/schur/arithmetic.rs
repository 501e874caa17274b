//! Products and sums mod p with delayed reduction, whose intermediate values are never 0: 0 says "nothing here yet".

use crate::field::Modulus;

/// How products are made and sums are kept small.
pub(super) trait Arithmetic: Copy + std::fmt::Debug + Send + Sync {
    /// A residue in memory.
    type Value: Copy + std::fmt::Debug + Into<u64> + Send + Sync;
    fn new(modulus: Modulus) -> Self;
    fn modulus(self) -> Modulus;
    fn value(residue: u64) -> Self::Value;
    /// A number congruent to a·b, between 1 and (p-1)² if neither is 0.
    fn product(self, a: u64, b: Self::Value) -> u64;
    /// Gives the line of each entry and its product with `coefficient`, a residue.
    #[inline(always)]
    fn products(self, coefficient: u64, entries: &[(u32, Self::Value)], mut each: impl FnMut(u32, u64)) {
        entries.iter().for_each(|&(s, v)| each(s, self.product(coefficient, v)));
    }
    /// A multiple M of p, at least as large as every product, such that M plus a product is a word. From a sum in 0 … M
    /// and a product, [`add`](Arithmetic::add) makes a sum in 1 … M: sums are never 0, which says "nothing here yet".
    fn ceiling(self) -> u64;
    #[inline(always)]
    fn add(self, sum: u64, product: u64) -> u64 {
        let (s, ceiling) = (sum + product, self.ceiling());
        if s > ceiling { s - ceiling } else { s }
    }
}

/// Products of 32-bit residues, not reduced: for p up to [`Lazy::fits`].
#[derive(Clone, Copy, Debug)]
pub(super) struct Lazy {
    modulus: Modulus,
    ceiling: u64,
}

impl Lazy {
    /// The largest multiple M of p < 2³² with M + (p-1)² < 2⁶⁴.
    fn ceiling_of(p: u64) -> u64 {
        (u64::MAX - (p - 1) * (p - 1)) / p * p
    }
    /// Whether that M ≥ (p-1)²: up to about 2^31.5.
    pub(super) fn fits(modulus: Modulus) -> bool {
        let p = modulus.get();
        p < 1 << 32 && Self::ceiling_of(p) >= (p - 1) * (p - 1)
    }
}

impl Arithmetic for Lazy {
    type Value = u32;
    fn new(modulus: Modulus) -> Self {
        assert!(Self::fits(modulus), "{modulus} is too large for delayed reduction");
        Lazy { modulus, ceiling: Self::ceiling_of(modulus.get()) }
    }
    fn modulus(self) -> Modulus {
        self.modulus
    }
    fn value(residue: u64) -> u32 {
        residue as u32
    }
    #[inline(always)]
    fn product(self, a: u64, b: u32) -> u64 {
        a * b as u64
    }
    #[inline(always)]
    fn ceiling(self) -> u64 {
        self.ceiling
    }
}

/// Products of one coefficient from which on it pays to prepare it by a division.
const PREPARED: usize = 8;

/// Reduced products, for any p < 2⁶³: M = p.
#[derive(Clone, Copy, Debug)]
pub(super) struct Eager {
    modulus: Modulus,
}

impl Arithmetic for Eager {
    type Value = u64;
    fn new(modulus: Modulus) -> Self {
        Eager { modulus }
    }
    fn modulus(self) -> Modulus {
        self.modulus
    }
    fn value(residue: u64) -> u64 {
        residue
    }
    #[inline(always)]
    fn product(self, a: u64, b: u64) -> u64 {
        self.modulus.mul(a, b)
    }
    #[inline(always)]
    fn products(self, coefficient: u64, entries: &[(u32, u64)], mut each: impl FnMut(u32, u64)) {
        let p = self.modulus;
        // Those of ±1 take no division.
        if entries.len() >= PREPARED || coefficient == 1 || coefficient == p.get() - 1 {
            let coefficient = p.multiplier(coefficient);
            entries.iter().for_each(|&(s, v)| each(s, p.mul_by(v, coefficient)));
        } else {
            entries.iter().for_each(|&(s, v)| each(s, self.product(coefficient, v)));
        }
    }
    #[inline(always)]
    fn ceiling(self) -> u64 {
        self.modulus.get()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_products_are_those_of_one_at_a_time() {
        for p in [2, 3, 65521, (1 << 61) - 1, (1 << 63) - 25] {
            let k = Eager::new(Modulus::new(p).unwrap());
            for coefficient in [1, p / 2, p - 1] {
                for length in [0, 1, PREPARED as u64 - 1, PREPARED as u64, 20] {
                    let entries: Vec<(u32, u64)> = (0..length).map(|i| (i as u32, 1 + (p - 2) / 20 * i)).collect();
                    let mut found = vec![];
                    k.products(coefficient, &entries, |s, v| found.push((s, v)));
                    let expected = |&(s, v): &(u32, u64)| (s, (coefficient as u128 * v as u128 % p as u128) as u64);
                    assert_eq!(found, entries.iter().map(expected).collect::<Vec<_>>());
                }
            }
        }
    }

    #[test]
    fn sums_stay_words_up_to_the_last_prime_that_fits() {
        let fits = |p: u64| Lazy::fits(Modulus::new(p).unwrap());
        // 2⁶³ = (2^31.5)²: the neighbouring primes on both sides of the edge.
        let prime = |mut p: u64, up: bool| {
            while Modulus::new(p).is_err() {
                p = if up { p + 1 } else { p - 1 };
            }
            p
        };
        let edge = 3_037_000_499;
        let (below, above) = (prime(edge - 3, false), prime(edge + 3, true));
        assert!(fits(below) && !fits(above) && !fits(4_294_967_311) && fits(2));
        for p in [2, 3, 65521, (1 << 31) - 1, below] {
            let k = Lazy::new(Modulus::new(p).unwrap());
            let largest = (p - 1) * (p - 1);
            assert!(k.ceiling() % p == 0 && k.ceiling() >= largest && k.ceiling().checked_add(largest).is_some());
            for sum in [0, 1, k.ceiling() - 1, k.ceiling()] {
                let next = k.add(sum, largest);
                assert!((1..=k.ceiling()).contains(&next));
                assert_eq!(next as u128 % p as u128, (sum as u128 + largest as u128) % p as u128);
            }
        }
    }
}
