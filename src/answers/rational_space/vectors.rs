//! Null vectors over ℚ, a few side by side.

use crate::Result;
use crate::integers::content;
use crate::report::{Bytes, State};
use crate::sparse::{Fraction, Integer};
use num_bigint::BigInt;

/// A null vector w: its coordinates that are not 0, d·w there, and d.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RationalVector {
    pub(super) coordinates: Vec<u32>,
    pub(super) numerators: Numerators,
}

/// Numerators over a common denominator, in words where they fit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Numerators {
    Words(Vec<i64>, i64),
    Big(Vec<BigInt>, BigInt),
}

impl Bytes for RationalVector {
    fn write(&self, to: &mut Vec<u8>) -> Result<()> {
        let (words, big) = match &self.numerators {
            Numerators::Words(n, d) => (Some((n, d)), None),
            Numerators::Big(n, d) => (None, Some((n, d))),
        };
        (&self.coordinates, words, big).write(to)
    }
}

impl State for RationalVector {
    fn read(from: &mut &[u8]) -> Option<Self> {
        let (coordinates, words, big): (Vec<u32>, _, _) = State::read(from)?;
        let (numerators, count) = match (words, big) {
            (Some((n, d)), None) => {
                let n: Vec<i64> = n;
                let count = n.len();
                (Numerators::Words(n, d), count)
            }
            (None, Some((n, d))) => {
                let n: Vec<BigInt> = n;
                let count = n.len();
                (Numerators::Big(n, d), count)
            }
            _ => return None,
        };
        (count == coordinates.len()).then_some(RationalVector { coordinates, numerators })
    }
}

impl RationalVector {
    /// How many coordinates are not 0.
    pub fn nnz(&self) -> usize {
        self.coordinates.len()
    }
    /// Those coordinates, ascending.
    pub fn coordinates(&self) -> &[u32] {
        &self.coordinates
    }
    /// The values there.
    pub fn values(&self) -> impl Iterator<Item = Fraction<'_>> {
        fn fraction<'a>(n: Integer<'a>, d: Integer<'a>) -> Fraction<'a> {
            Fraction::new(n, d).expect("denominators are positive")
        }
        (0..self.nnz()).map(move |k| match &self.numerators {
            Numerators::Words(n, d) => fraction(Integer::Small(n[k]), Integer::Small(*d)),
            Numerators::Big(n, d) => fraction((&n[k]).into(), d.into()),
        })
    }
    /// The smallest multiple of w with integer values by a positive factor: they have no common divisor.
    pub fn integers(&self) -> Vec<Integer<'static>> {
        match &self.numerators {
            Numerators::Words(n, 1) => n.iter().map(|&n| Integer::Small(n)).collect(),
            Numerators::Words(n, _) => {
                let divisor = n.iter().fold(0, |gcd, n| crate::integers::gcd(gcd, n.unsigned_abs())) as i64;
                n.iter().map(|&n| Integer::Small(n / divisor)).collect()
            }
            Numerators::Big(n, _) => {
                let divisor = content(n);
                n.iter().map(|n| Integer::from(n / &divisor)).collect()
            }
        }
    }
}

/// Some vectors of a basis.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RationalVectors {
    pub(super) first: usize,
    pub(super) vectors: Vec<RationalVector>,
}

impl RationalVectors {
    /// The number of the first one in the basis.
    pub fn first(&self) -> usize {
        self.first
    }
    /// How many there are.
    pub fn len(&self) -> usize {
        self.vectors.len()
    }
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.vectors.is_empty()
    }
    /// Non-zero coordinates of all of them.
    pub fn nnz(&self) -> usize {
        self.vectors.iter().map(RationalVector::nnz).sum()
    }
    /// Number `first + k` of the basis.
    ///
    /// # Panics
    /// If there is no such vector.
    pub fn vector(&self, k: usize) -> &RationalVector {
        &self.vectors[k]
    }
}
