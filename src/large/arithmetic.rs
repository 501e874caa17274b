//! What algorithms need of GF(p), whatever p's size: an interface that one implementation for each number of limbs has.
//!
//! Sums are delayed: a [`Loose`](Arithmetic::Loose) residue takes others times small integers, and
//! [`Products`](Arithmetic::Products) takes products of residues, without a reduction in between.

use crate::field::Rng;
use num_bigint::BigUint;
use rand::Rng as _;
use std::fmt::Debug;

/// GF(p) for a prime p as a run-time value.
pub(crate) trait Arithmetic: Clone + Debug + Send + Sync {
    /// A residue in a canonical form: `==` is equality in the field.
    type Element: Clone + PartialEq + Debug + Send + Sync;
    /// A residue in one of several forms, in which sums are fast; or a sum that is not reduced yet.
    type Loose: Clone + Debug + Send + Sync;
    /// Σ aᵢ·bᵢ of at most 2⁶² terms.
    type Products: Clone + Debug + Send + Sync;

    /// p.
    fn modulus(&self) -> &BigUint;
    /// n mod p.
    fn element(&self, n: &BigUint) -> Self::Element;
    /// The integer 0 ≤ n < p of an element.
    fn integer(&self, a: &Self::Element) -> BigUint;
    /// 0.
    fn zero(&self) -> Self::Element;
    /// 1.
    fn one(&self) -> Self::Element;
    /// a + b.
    fn add(&self, a: &Self::Element, b: &Self::Element) -> Self::Element;
    /// a - b.
    fn sub(&self, a: &Self::Element, b: &Self::Element) -> Self::Element;
    /// a · b.
    fn mul(&self, a: &Self::Element, b: &Self::Element) -> Self::Element;
    /// a · k for k ≤ 2⁶².
    fn times_word(&self, a: &Self::Element, k: u64) -> Self::Element;
    /// An element for sums.
    fn loose(&self, a: &Self::Element) -> Self::Loose;
    /// The element of a loose one that is reduced.
    fn tight(&self, a: &Self::Loose) -> Self::Element;
    /// The sum of nothing.
    fn nothing(&self) -> Self::Loose;
    /// What Σ |kᵢ| may be for the factors kᵢ in a sum.
    fn budget(&self) -> u64;
    /// sum + a.
    fn plus(&self, sum: &mut Self::Loose, a: &Self::Loose);
    /// sum - a.
    fn minus(&self, sum: &mut Self::Loose, a: &Self::Loose);
    /// sum + k · a.
    fn plus_times(&self, sum: &mut Self::Loose, k: i32, a: &Self::Loose);
    /// Reduces a sum within the budget.
    fn reduce(&self, sum: &mut Self::Loose);
    /// The sum of no products.
    fn products(&self) -> Self::Products;
    /// products + a · b.
    fn plus_product(&self, products: &mut Self::Products, a: &Self::Element, b: &Self::Element);
    /// The residue of a sum of products.
    fn reduced_products(&self, products: Self::Products) -> Self::Element;

    /// Whether a = 0.
    fn is_zero(&self, a: &Self::Element) -> bool {
        *a == self.zero()
    }
    /// -a.
    fn neg(&self, a: &Self::Element) -> Self::Element {
        self.sub(&self.zero(), a)
    }
    /// 1 / a.
    ///
    /// # Panics
    /// If a = 0.
    fn inverse(&self, a: &Self::Element) -> Self::Element {
        self.element(&self.integer(a).modinv(self.modulus()).expect("only 0 has no inverse"))
    }
    /// A uniformly random element.
    fn random(&self, rng: &mut Rng) -> Self::Element {
        self.element(&random_below(self.modulus(), rng))
    }
}

/// The largest number of terms that sums of products take without a reduction: 2⁶², which no vector has.
#[cfg(test)]
pub(crate) const BUDGET: u64 = 1 << 62;

/// A uniformly random integer below `bound` > 0, by rejection.
pub(crate) fn random_below(bound: &BigUint, rng: &mut Rng) -> BigUint {
    let bits = bound.bits();
    let words = bits.div_ceil(32) as usize;
    loop {
        let mut digits: Vec<u32> = (0..words).map(|_| rng.next_u32()).collect();
        if let Some(top) = digits.last_mut()
            && !bits.is_multiple_of(32)
        {
            *top &= (1 << (bits % 32)) - 1;
        }
        let n = BigUint::new(digits);
        if n < *bound {
            return n;
        }
    }
}
