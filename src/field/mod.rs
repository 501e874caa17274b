//! Finite fields: the prime field as a run-time [`Modulus`], and the trait [`Field`], by which the algebra built on it
//! (polynomial matrices, σ-bases) runs over GF(p) and GF(pᵏ) alike: [`PrimeField`] and [`ExtensionField`].
//! [`DelayBudget`] says how many terms an accumulator can take before a reduction; [`random_prime`], [`ntt_primes`] and
//! [`primitive_root()`] find moduli. Greatest common divisors of integers of any size are here, too, for all rooms
//! above (`gcd`; `euclid`, `half_gcd`).

mod balanced;
mod budget;
mod clmul;
mod euclid;
mod extension;
mod factor;
mod gcd;
mod half_gcd;
mod modulus;
mod primality;
mod prime_field;
mod primes;
mod primitive_root;
mod random;
mod rounding;

pub(crate) use balanced::Balanced;
pub use budget::{Accumulator, DelayBudget, Representation};
pub(crate) use euclid::Euclid;
pub use extension::{ExtensionField, Packed};
pub use factor::prime_factors;
pub(crate) use gcd::{content, gcd, large_gcd};
pub use modulus::{Modulus, Multiplier};
pub use primality::is_prime;
pub use prime_field::PrimeField;
pub use primes::{ntt_primes, random_prime};
pub use primitive_root::primitive_root;
pub use random::{Rng, rng_from_seed};
pub(crate) use rounding::{ROUND, float, rounded};

/// A finite field GF(pᵏ) as a run-time value.
///
/// Elements are small `Copy` values in a canonical form, so that `==` is equality in the field; `Elem::default()` is
/// zero, with all bytes 0.
pub trait Field: Clone + Send + Sync + std::fmt::Debug {
    /// An element in canonical form.
    type Elem: Copy + Eq + Default + bytemuck::Zeroable + Send + Sync + std::fmt::Debug;

    /// The characteristic p.
    fn modulus(&self) -> Modulus;
    /// The degree k over the prime field.
    fn degree(&self) -> usize;
    /// The element 1.
    fn one(&self) -> Self::Elem;
    /// a + b.
    fn add(&self, a: Self::Elem, b: Self::Elem) -> Self::Elem;
    /// a - b.
    fn sub(&self, a: Self::Elem, b: Self::Elem) -> Self::Elem;
    /// a · b.
    fn mul(&self, a: Self::Elem, b: Self::Elem) -> Self::Elem;
    /// 1 / a. Panics if a = 0.
    fn inv(&self, a: Self::Elem) -> Self::Elem;
    /// The coordinates of `a` over GF(p) in the basis 1, t, …, tᵏ⁻¹; `digits.len()` must be k.
    fn write_digits(&self, a: Self::Elem, digits: &mut [u64]);
    /// The element with the given k coordinates, each below p.
    #[expect(clippy::wrong_self_convention, reason = "the field is a run-time value: it makes the element")]
    fn from_digits(&self, digits: &[u64]) -> Self::Elem;
    /// The element t that generates the field over GF(p): digits 0, 1, 0, … for k > 1, and 1 for k = 1.
    fn generator(&self) -> Self::Elem {
        if self.degree() == 1 {
            return self.one();
        }
        let mut digits = vec![0; self.degree()];
        digits[1] = 1;
        self.from_digits(&digits)
    }
    /// A uniformly random element.
    fn random(&self, rng: &mut Rng) -> Self::Elem;

    /// The element 0.
    fn zero(&self) -> Self::Elem {
        Self::Elem::default()
    }
    /// -a.
    fn neg(&self, a: Self::Elem) -> Self::Elem {
        self.sub(self.zero(), a)
    }
    /// A uniformly random non-zero element.
    fn random_nonzero(&self, rng: &mut Rng) -> Self::Elem {
        loop {
            let a = self.random(rng);
            if a != self.zero() {
                return a;
            }
        }
    }
    /// Σ aᵢ bᵢ. Panics if the lengths differ.
    fn dot(&self, a: &[Self::Elem], b: &[Self::Elem]) -> Self::Elem {
        assert_eq!(a.len(), b.len());
        a.iter().zip(b).fold(self.zero(), |s, (&x, &y)| self.add(s, self.mul(x, y)))
    }
    /// y ← y + a x. Panics if the lengths differ.
    fn axpy(&self, y: &mut [Self::Elem], a: Self::Elem, x: &[Self::Elem]) {
        assert_eq!(x.len(), y.len());
        if a != self.zero() {
            for (y, &x) in y.iter_mut().zip(x) {
                *y = self.add(*y, self.mul(a, x));
            }
        }
    }
}
