//! GF(pᵏ) as `GF(p)[t]/(f)`: the field to use when p is too small for a probabilistic method.
//!
//! An element is its k digits over GF(p), packed into bit-fields of one 128-bit word. A field has one bit more than p-1
//! needs, so that sums and differences act on all digits at once inside the word; over GF(2) it is a single bit and a
//! sum is an exclusive or. Products are computed in one of three ways, chosen once for each field:
//! - logarithm tables up to pᵏ = 2²⁰, for p = 2 up to 2¹⁰ ([`tables`]),
//! - carry-less word products for p = 2 ([`binary`]),
//! - schoolbook convolution of the digits with delayed reduction otherwise ([`schoolbook`]).
//!
//! The polynomial f = tᵏ + r is irreducible by a proof ([`irreducible`]) and has a short tail r.

mod binary;
mod irreducible;
mod layout;
mod schoolbook;
mod tables;

use super::{Field, Modulus, Rng};
pub use layout::Packed;
use layout::{Layout, field_width, power_of};
use rand::RngExt;
use std::sync::Arc;

/// The field GF(pᵏ). Cheap to clone.
#[derive(Clone, Debug)]
pub struct ExtensionField {
    layout: Layout,
    /// r in f = tᵏ + r, constant first, without leading zeros.
    tail: Arc<[u64]>,
    multiply: Multiply,
}

/// How products are computed.
#[derive(Clone, Debug)]
enum Multiply {
    Tables(Arc<tables::Tables>),
    Binary(binary::Binary),
    Schoolbook(schoolbook::Schoolbook),
}

impl ExtensionField {
    /// The largest k for which GF(pᵏ) is supported: 127 for p = 2, else ⌊128/(b+1)⌋ where p-1 has b bits
    /// (42 for p = 3, 7 for p = 65521, 2 for p near 2⁶³). The order pᵏ stays below 2¹²⁷.
    pub fn max_degree(modulus: Modulus) -> usize {
        if modulus.get() == 2 { 127 } else { 128 / field_width(modulus) as usize }
    }

    /// The field of degree k over GF(p), with an irreducible polynomial found by a search.
    ///
    /// # Panics
    /// Unless 1 ≤ degree ≤ [`ExtensionField::max_degree`].
    pub fn new(modulus: Modulus, degree: usize, rng: &mut Rng) -> Self {
        assert!(
            (1..=Self::max_degree(modulus)).contains(&degree),
            "degree {degree} over GF({modulus}): 1 to {} are supported",
            Self::max_degree(modulus)
        );
        let layout = Layout::new(modulus, degree);
        let tail: Arc<[u64]> = irreducible::irreducible_tail(modulus, degree, rng).into();
        let multiply = if modulus.get() == 2 {
            Multiply::Binary(binary::Binary::new(degree, &tail))
        } else {
            Multiply::Schoolbook(schoolbook::Schoolbook::new(layout, &tail))
        };
        let mut field = ExtensionField { layout, tail, multiply };
        if tables::Tables::pay(layout) {
            let tables = tables::Tables::new(layout, |a, b| field.mul(a, b));
            field.multiply = Multiply::Tables(Arc::new(tables));
        }
        field
    }

    /// The number of elements, pᵏ < 2¹²⁷.
    pub fn order(&self) -> u128 {
        self.layout.order()
    }
    /// log₂(pᵏ).
    pub fn log2_order(&self) -> f64 {
        (self.layout.modulus.get() as f64).log2() * self.layout.degree as f64
    }
    /// The coefficients of the irreducible polynomial f, constant first: k + 1 of them, the last one 1.
    pub fn polynomial(&self) -> Vec<u64> {
        let mut f = self.tail.to_vec();
        f.resize(self.layout.degree, 0);
        f.push(1);
        f
    }
    /// The image of a residue.
    pub fn embed(&self, a: u64) -> Packed {
        assert!(a < self.layout.modulus.get());
        Packed(a as u128)
    }
    /// t, a root of f (for k = 1, a residue).
    pub fn generator(&self) -> Packed {
        if self.layout.degree == 1 {
            return self.neg(Packed(self.tail.first().copied().unwrap_or(0) as u128));
        }
        Packed(1 << self.layout.width)
    }
    /// aᵉ; 0⁰ = 1.
    pub fn pow(&self, a: Packed, e: u128) -> Packed {
        power_of(a, e, |a, b| self.mul(a, b))
    }
}

impl Field for ExtensionField {
    type Elem = Packed;

    fn modulus(&self) -> Modulus {
        self.layout.modulus
    }
    fn degree(&self) -> usize {
        self.layout.degree
    }
    fn one(&self) -> Packed {
        Packed(1)
    }
    #[inline]
    fn add(&self, a: Packed, b: Packed) -> Packed {
        self.layout.add(a, b)
    }
    #[inline]
    fn sub(&self, a: Packed, b: Packed) -> Packed {
        self.layout.sub(a, b)
    }
    #[inline]
    fn mul(&self, a: Packed, b: Packed) -> Packed {
        match &self.multiply {
            Multiply::Tables(tables) => tables.mul(a, b),
            Multiply::Binary(binary) => binary.mul(a, b),
            Multiply::Schoolbook(schoolbook) => schoolbook.mul(a, b),
        }
    }
    fn inv(&self, a: Packed) -> Packed {
        assert!(a != self.zero(), "inverse of 0 in GF({}^{})", self.layout.modulus, self.layout.degree);
        match &self.multiply {
            Multiply::Tables(tables) => tables.inv(a),
            // a^(q-2), by Lagrange's theorem.
            _ if self.layout.degree > 1 => self.pow(a, self.order() - 2),
            _ => Packed(self.layout.modulus.inv(a.0 as u64) as u128),
        }
    }
    fn write_digits(&self, a: Packed, digits: &mut [u64]) {
        assert_eq!(digits.len(), self.layout.degree);
        digits.iter_mut().enumerate().for_each(|(i, d)| *d = self.layout.digit(a, i));
    }
    fn from_digits(&self, digits: &[u64]) -> Packed {
        assert_eq!(digits.len(), self.layout.degree);
        debug_assert!(digits.iter().all(|d| *d < self.layout.modulus.get()));
        self.layout.pack(digits.iter().copied())
    }
    fn random(&self, rng: &mut Rng) -> Packed {
        self.layout.pack((0..self.layout.degree).map(|_| rng.random_range(0..self.layout.modulus.get())))
    }
    fn dot(&self, a: &[Packed], b: &[Packed]) -> Packed {
        assert_eq!(a.len(), b.len());
        match &self.multiply {
            Multiply::Tables(tables) => {
                a.iter().zip(b).fold(self.zero(), |s, (&x, &y)| self.layout.add(s, tables.mul(x, y)))
            }
            Multiply::Binary(binary) => binary.dot(a, b),
            Multiply::Schoolbook(schoolbook) => schoolbook.dot(a, b),
        }
    }
    fn axpy(&self, y: &mut [Packed], a: Packed, x: &[Packed]) {
        assert_eq!(x.len(), y.len());
        if a == self.zero() {
            return;
        }
        match &self.multiply {
            Multiply::Tables(tables) => {
                let by_a = tables.multiplier(a);
                y.iter_mut().zip(x).for_each(|(y, &x)| *y = self.layout.add(*y, by_a(x)));
            }
            Multiply::Binary(binary) => {
                y.iter_mut().zip(x).for_each(|(y, &x)| *y = self.layout.add(*y, binary.mul(a, x)));
            }
            Multiply::Schoolbook(schoolbook) => {
                y.iter_mut().zip(x).for_each(|(y, &x)| *y = self.layout.add(*y, schoolbook.mul(a, x)));
            }
        }
    }
}

#[cfg(test)]
mod tests;
