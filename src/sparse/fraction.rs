//! A rational number in lowest terms, small where it can be: the type of an entry of a
//! [`RationalMatrix`](super::RationalMatrix).

use super::Integer;
use crate::field::large_gcd;
use num_bigint::{BigInt, BigUint, Sign};
use num_integer::Integer as _;
use num_traits::{One, ToPrimitive};
use std::fmt;

/// A fraction n/d in lowest terms: gcd(n, d) = 1 and d > 0, so that `==` is equality of numbers. Displayed as `n/d`, or
/// `n` where d = 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fraction<'a> {
    numerator: Integer<'a>,
    denominator: Integer<'a>,
}

impl<'a> Fraction<'a> {
    /// n/d in lowest terms; `None` if d = 0.
    ///
    /// ```
    /// use blackfield::sparse::Fraction;
    /// assert_eq!(Fraction::new(6.into(), (-4).into()).unwrap().to_string(), "-3/2");
    /// assert!(Fraction::new(1.into(), 0.into()).is_none());
    /// ```
    #[must_use]
    pub fn new(n: Integer<'a>, d: Integer<'a>) -> Option<Fraction<'a>> {
        match (&n, &d) {
            (_, Integer::Small(0)) => None,
            (_, Integer::Small(1)) => Some(Fraction { numerator: n, denominator: d }),
            (&Integer::Small(n), &Integer::Small(d)) => {
                let (sign, n, d) = (if (n < 0) == (d < 0) { 1 } else { -1 }, n.unsigned_abs(), d.unsigned_abs());
                let common = n.gcd(&d);
                // In 128 bits, in which -2⁶³ has a negative.
                let part = |v: u64, sign: i128| (i128::from(v / common) * sign).into();
                Some(Fraction { numerator: part(n, sign), denominator: part(d, 1) })
            }
            _ => {
                if let (Some((n, a)), Some((d, b))) = (magnitude(&n), magnitude(&d)) {
                    let common = long_gcd(a, b);
                    let part = |v: u128, negative: bool| {
                        let v = if common == 1 { v as i128 } else { (v / common) as i128 };
                        Integer::from(if negative { -v } else { v })
                    };
                    return Some(Fraction { numerator: part(a, n != d), denominator: part(b, false) });
                }
                let (n, d) = (n.to_bigint(), d.to_bigint());
                let common = BigInt::from(large_gcd(n.magnitude().clone(), d.magnitude().clone()));
                let sign = if d.sign() == Sign::Minus { -common } else { common };
                Some(Fraction { numerator: (n / &sign).into(), denominator: (d / sign).into() })
            }
        }
    }
    /// n/d for n and d > 0 that have no common factor: nothing is computed.
    pub(crate) fn in_lowest_terms(n: Integer<'a>, d: Integer<'a>) -> Fraction<'a> {
        Fraction { numerator: n, denominator: d }
    }
    /// n.
    pub fn numerator(&self) -> &Integer<'a> {
        &self.numerator
    }
    /// d.
    pub fn denominator(&self) -> &Integer<'a> {
        &self.denominator
    }
    /// Whether d = 1.
    pub fn is_integer(&self) -> bool {
        self.denominator == Integer::Small(1)
    }
    /// n where d = 1, otherwise the fraction as it is.
    ///
    /// # Errors
    /// The fraction itself.
    pub fn into_integer(self) -> Result<Integer<'a>, Fraction<'a>> {
        if self.is_integer() { Ok(self.numerator) } else { Err(self) }
    }
    /// Whether n = 0.
    pub fn is_zero(&self) -> bool {
        self.numerator.is_zero()
    }
    /// The same fraction, borrowed from nobody.
    pub fn into_owned(self) -> Fraction<'static> {
        Fraction { numerator: self.numerator.into_owned(), denominator: self.denominator.into_owned() }
    }
    /// n and d.
    pub fn into_parts(self) -> (Integer<'a>, Integer<'a>) {
        (self.numerator, self.denominator)
    }
}

impl<'a> From<Integer<'a>> for Fraction<'a> {
    fn from(n: Integer<'a>) -> Self {
        Fraction { numerator: n, denominator: Integer::Small(1) }
    }
}

impl fmt::Display for Fraction<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.is_integer() {
            true => self.numerator.fmt(f),
            false => write!(f, "{}/{}", self.numerator, self.denominator),
        }
    }
}

/// Whether it is negative, and its absolute value if that is below 2¹²⁷.
fn magnitude(v: &Integer<'_>) -> Option<(bool, u128)> {
    match v {
        Integer::Small(v) => Some((*v < 0, u128::from(v.unsigned_abs()))),
        Integer::Big(v) if v.bits() < 128 => Some((v.sign() == Sign::Minus, v.magnitude().to_u128()?)),
        Integer::Big(_) => None,
    }
}

/// The greatest common divisor of a and b > 0, by shifts and subtractions after one division.
fn long_gcd(a: u128, b: u128) -> u128 {
    let (mut a, mut b) = (a % b, b);
    if a == 0 {
        return b;
    }
    let shift = (a | b).trailing_zeros();
    (a, b) = (a >> a.trailing_zeros(), b >> b.trailing_zeros());
    while a | b > u128::from(u64::MAX) {
        if a < b {
            (a, b) = (b, a);
        }
        a -= b;
        if a == 0 {
            return b << shift;
        }
        a >>= a.trailing_zeros();
    }
    let (mut a, mut b) = (a as u64, b as u64);
    while a != b {
        if a < b {
            (a, b) = (b, a);
        }
        a -= b;
        a >>= a.trailing_zeros();
    }
    u128::from(a) << shift
}

/// n/d for d > 0, in lowest terms.
pub(super) fn over<'a>(n: Integer<'a>, d: &BigUint) -> Fraction<'a> {
    if d.is_one() {
        return n.into();
    }
    let d: BigInt = d.clone().into();
    Fraction::new(n, d.into()).expect("denominators are positive")
}

/// The least common multiple of positive integers.
pub(super) fn common_multiple(so_far: BigUint, d: &Integer<'_>) -> BigUint {
    match d {
        Integer::Small(1) => so_far,
        d => {
            // After one remainder both are as short as d.
            let d = d.to_bigint().into_parts().1;
            let common = large_gcd(&so_far % &d, d.clone());
            so_far * (d / common)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use num_traits::Zero;

    #[test]
    fn lowest_terms_at_every_edge_of_a_word() {
        let edges = [i64::MIN, i64::MIN + 1, -12, -1, 0, 1, 2, 12, i64::MAX - 1, i64::MAX];
        let mut all: Vec<BigInt> = edges.iter().map(|&v| BigInt::from(v)).collect();
        all.extend(edges.iter().flat_map(|&v| [BigInt::from(v) * 2 + 1, BigInt::from(v) << 70u32]));
        all.extend([126u32, 127, 128].iter().flat_map(|&bits| {
            let edge = BigInt::one() << bits;
            [edge.clone() - 1, edge.clone(), -&edge, 1 - edge]
        }));
        all.extend([BigInt::from(3u128 << 64), BigInt::from(u64::MAX) * 5, BigInt::from(u64::MAX)]);
        for n in &all {
            for d in &all {
                let found = Fraction::new(n.clone().into(), d.clone().into());
                let Some(found) = found else {
                    assert!(d.is_zero());
                    continue;
                };
                let (a, b) = (found.numerator().to_bigint(), found.denominator().to_bigint());
                assert!(&a * d == &b * n && b.sign() == Sign::Plus && a.gcd(&b).is_one(), "{n}/{d} = {found}");
                // Normal form: small where it fits.
                assert_eq!((found.numerator(), found.denominator()), (&a.clone().into(), &b.clone().into()));
                let text = if b.is_one() { a.to_string() } else { format!("{a}/{b}") };
                assert_eq!((found.to_string(), found.is_zero(), found.is_integer()), (text, n.is_zero(), b.is_one()));
            }
        }
    }

    #[test]
    fn common_multiples() {
        let lcm = |list: &[i64]| list.iter().fold(BigUint::one(), |all, &d| common_multiple(all, &Integer::from(d)));
        assert_eq!((lcm(&[]), lcm(&[4, 6, 1, 3])), (BigUint::one(), BigUint::from(12u32)));
        let large = common_multiple(6u32.into(), &BigInt::from(9u128 << 80).into());
        assert_eq!(large, BigUint::from(9u128 << 80));
    }
}
