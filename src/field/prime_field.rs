//! GF(p) as a [`Field`]: elements are plain residues in `u64`.

use super::{Accumulator, DelayBudget, Field, Modulus, Rng};
use crate::isa::{Isa, Kernel};
use rand::RngExt;

/// The prime field GF(p).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PrimeField(pub Modulus);

impl Field for PrimeField {
    type Elem = u64;

    fn modulus(&self) -> Modulus {
        self.0
    }
    fn degree(&self) -> usize {
        1
    }
    fn one(&self) -> u64 {
        1
    }
    #[inline(always)]
    fn add(&self, a: u64, b: u64) -> u64 {
        self.0.add(a, b)
    }
    #[inline(always)]
    fn sub(&self, a: u64, b: u64) -> u64 {
        self.0.sub(a, b)
    }
    #[inline(always)]
    fn mul(&self, a: u64, b: u64) -> u64 {
        self.0.mul(a, b)
    }
    fn inv(&self, a: u64) -> u64 {
        self.0.inv(a)
    }
    fn write_digits(&self, a: u64, digits: &mut [u64]) {
        digits[0] = a;
    }
    fn from_digits(&self, digits: &[u64]) -> u64 {
        digits[0]
    }
    fn random(&self, rng: &mut Rng) -> u64 {
        rng.random_range(0..self.0.get())
    }
    fn dot(&self, a: &[u64], b: &[u64]) -> u64 {
        assert_eq!(a.len(), b.len());
        let narrow = DelayBudget::plain(self.0, Accumulator::U64).products();
        // With a budget of only a few terms, reductions would dominate; 128-bit sums always hold four terms or more.
        if narrow >= 8 {
            return a.chunks(narrow).zip(b.chunks(narrow)).fold(0, |s, (a, b)| {
                let sum = if a.len() < 16 { NarrowDot(a, b).run() } else { Isa::best().run(NarrowDot(a, b)) };
                self.0.add(s, self.0.reduce(sum))
            });
        }
        let wide = DelayBudget::plain(self.0, Accumulator::U128).products();
        a.chunks(wide).zip(b.chunks(wide)).fold(0, |s, (a, b)| {
            let sum: u128 = a.iter().zip(b).map(|(&x, &y)| x as u128 * y as u128).sum();
            self.0.add(s, self.0.reduce_u128(sum))
        })
    }
    fn axpy(&self, y: &mut [u64], a: u64, x: &[u64]) {
        assert_eq!(x.len(), y.len());
        if a == 0 {
            return;
        }
        let a = self.0.multiplier(a);
        for (y, &x) in y.iter_mut().zip(x) {
            *y = self.0.add(*y, self.0.mul_by(x, a));
        }
    }
}

/// Σ aᵢ bᵢ over the integers, for residues below 2³² and within the budget of a `u64`.
struct NarrowDot<'a>(&'a [u64], &'a [u64]);

impl Kernel for NarrowDot<'_> {
    type Output = u64;
    #[inline(always)]
    fn run(self) -> u64 {
        // The casts tell the compiler that a 32 × 32 → 64-bit product is enough.
        self.0.iter().zip(self.1).map(|(&x, &y)| x as u32 as u64 * (y as u32 as u64)).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;

    #[test]
    fn dot_and_axpy_agree_with_single_operations() {
        let mut rng = Rng::seed_from_u64(5);
        for p in
            [2, 3, 65521, (1 << 29) - 3, (1 << 30) - 35, (1 << 31) - 1, 4_294_967_291, (1 << 61) - 1, (1 << 63) - 25]
        {
            let f = PrimeField(Modulus::new(p).unwrap());
            for n in [0, 1, 3, 4, 5, 15, 16, 17, 63, 64, 65, 300] {
                for largest in [false, true] {
                    let mut vector =
                        || (0..n).map(|_| if largest { p - 1 } else { f.random(&mut rng) }).collect::<Vec<_>>();
                    let (a, b, mut y) = (vector(), vector(), vector());
                    let naive = a.iter().zip(&b).fold(0, |s, (&x, &y)| f.add(s, f.mul(x, y)));
                    assert_eq!(f.dot(&a, &b), naive, "p = {p}, n = {n}");
                    for scalar in [0, 1, p - 1, p / 2] {
                        let expected: Vec<u64> = y.iter().zip(&a).map(|(&y, &x)| f.add(y, f.mul(scalar, x))).collect();
                        f.axpy(&mut y, scalar, &a);
                        assert_eq!(y, expected, "p = {p}, n = {n}");
                    }
                }
            }
        }
    }
}
