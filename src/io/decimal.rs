//! Decimal numbers as files spell them, read exactly: `-2.0E+01` is the integer -20, `0.1` is not an integer.
//!
//! A spelling `±d…d.d…d e±x` means (digits) · 10^(x - length of the fraction): an integer if and only if that exponent
//! is non-negative once trailing zeros of the digits are removed. No floating-point number is involved, so no integer
//! is ever rounded.

use super::text::quote;
use crate::sparse::Integer;
use num_bigint::{BigInt, BigUint, Sign};

/// Largest exponent that is multiplied out: beyond the range of quadruple precision, ten bytes of text should not
/// demand kilobytes of memory.
const MAX_SHIFT: i64 = 4932;

/// A well-formed decimal number, unevaluated.
#[derive(Clone, Copy, Debug)]
pub(super) struct Decimal<'a> {
    negative: bool,
    whole: &'a [u8],
    fraction: &'a [u8],
    exponent: i64,
    /// Whether the text has a decimal point.
    pub has_point: bool,
    /// Whether the text has an exponent.
    pub has_exponent: bool,
}

impl<'a> Decimal<'a> {
    /// Reads `[±]digits[.digits][(e|E|d|D)[±]digits]`, at least one digit before the exponent. With `fortran`, the
    /// letter may be missing before a signed exponent (`1.5+08`).
    pub fn parse(token: &'a [u8], fortran: bool) -> Option<Self> {
        let (negative, rest) = sign(token);
        let (whole, rest) = split_digits(rest);
        let (has_point, fraction, rest) = match rest.split_first() {
            Some((b'.', rest)) => {
                let (fraction, rest) = split_digits(rest);
                (true, fraction, rest)
            }
            _ => (false, &rest[..0], rest),
        };
        if whole.is_empty() && fraction.is_empty() {
            return None;
        }
        let power = match rest.split_first() {
            None => return Some(Decimal { negative, whole, fraction, exponent: 0, has_point, has_exponent: false }),
            Some((b'e' | b'E' | b'd' | b'D', power)) => power,
            Some((b'+' | b'-', _)) if fortran => rest,
            Some(_) => return None,
        };
        let (down, power) = sign(power);
        let (digits, rest) = split_digits(power);
        if digits.is_empty() || !rest.is_empty() {
            return None;
        }
        // Beyond any possible length of text, only the sign of the exponent matters.
        let size = digits.iter().fold(0i64, |e, &b| e.saturating_mul(10).saturating_add(i64::from(b - b'0')));
        let size = size.min(i64::MAX / 4);
        let exponent = if down { -size } else { size };
        Some(Decimal { negative, whole, fraction, exponent, has_point, has_exponent: true })
    }

    /// The number times 10ᵏ.
    pub fn shifted(self, k: i64) -> Self {
        Decimal { exponent: self.exponent + k, ..self }
    }

    /// Whether the number is 0.
    pub fn is_zero(&self) -> bool {
        self.whole.iter().chain(self.fraction).all(|&b| b == b'0')
    }

    /// The number if it is an integer.
    pub fn integer(&self) -> Result<Integer<'static>, NotInteger> {
        if self.fraction.is_empty() && self.exponent == 0 && self.whole.len() <= 18 {
            let v = self.whole.iter().fold(0, |v, &b| v * 10 + i64::from(b - b'0'));
            return Ok(Integer::Small(if self.negative { -v } else { v }));
        }
        if let Some(v) = self.short() {
            return Ok(Integer::Small(v));
        }
        let mut digits = [self.whole, self.fraction].concat();
        let mut shift = self.exponent - self.fraction.len() as i64;
        while digits.pop_if(|b| *b == b'0').is_some() {
            shift += 1;
        }
        if digits.is_empty() {
            return Ok(Integer::Small(0));
        }
        if shift < 0 {
            return Err(NotInteger::Fraction);
        }
        // Zeros in the text are proportional to the text; those that an exponent adds are not.
        if shift > MAX_SHIFT + (self.whole.len() + self.fraction.len()) as i64 {
            return Err(NotInteger::TooLarge);
        }
        digits.resize(digits.len() + shift as usize, b'0');
        let sign = if self.negative { Sign::Minus } else { Sign::Plus };
        Ok(BigInt::from_biguint(sign, big(&digits)).into())
    }

    /// The number, if it is an integer of at most 18 digits in all: what most files have, without an allocation.
    fn short(&self) -> Option<i64> {
        let mut shift = self.exponent - self.fraction.len() as i64;
        if self.whole.len() + self.fraction.len() > 18 || shift > 18 {
            return None;
        }
        let digits = self.whole.iter().chain(self.fraction);
        let mut v = digits.fold(0i64, |v, &b| v * 10 + i64::from(b - b'0'));
        while shift < 0 && v % 10 == 0 {
            if v == 0 {
                return Some(0);
            }
            v /= 10;
            shift += 1;
        }
        let unit = 10i64.pow(u32::try_from(shift).ok()?);
        v.checked_mul(unit).map(|v| if self.negative { -v } else { v })
    }
}

/// Why a decimal number is not accepted as an integer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NotInteger {
    /// It has a fractional part.
    Fraction,
    /// Its exponent is beyond [`MAX_SHIFT`].
    TooLarge,
}

/// The value of a field: the integer that it spells, or with `ones` 0 if it is zero and 1 otherwise. The error says
/// what was found.
pub(super) fn value(token: &[u8], ones: bool) -> Result<Integer<'static>, String> {
    let Some(number) = Decimal::parse(token, false) else {
        return Err(malformed(token));
    };
    integer_or_one(number, token, ones)
}

/// As [`value`], for a number that is already parsed.
pub(super) fn integer_or_one(number: Decimal<'_>, token: &[u8], ones: bool) -> Result<Integer<'static>, String> {
    if ones {
        return Ok(Integer::Small(i64::from(!number.is_zero())));
    }
    number.integer().map_err(|why| match why {
        NotInteger::Fraction => format!(
            "expected an integer, found {}: exact arithmetic needs integers (--pattern takes the 0-1 pattern of any matrix)",
            quote(token)
        ),
        NotInteger::TooLarge => {
            format!("expected an exponent of at most {MAX_SHIFT}, found {}", quote(token))
        }
    })
}

/// The message for a field that is not a decimal number.
pub(super) fn malformed(token: &[u8]) -> String {
    let (_, name) = sign(token);
    let found = quote(token);
    if ["nan", "inf", "infinity"].iter().any(|word| name.eq_ignore_ascii_case(word.as_bytes())) {
        format!("expected a finite number, found {found}")
    } else {
        format!("expected a number, found {found}")
    }
}

/// Strips a sign; returns whether it was a minus.
fn sign(text: &[u8]) -> (bool, &[u8]) {
    match text.split_first() {
        Some((b'-', rest)) => (true, rest),
        Some((b'+', rest)) => (false, rest),
        _ => (false, text),
    }
}

/// Splits off the leading decimal digits.
fn split_digits(text: &[u8]) -> (&[u8], &[u8]) {
    text.split_at(text.iter().position(|b| !b.is_ascii_digit()).unwrap_or(text.len()))
}

/// The natural number that a string of digits spells, by divide and conquer: the library's own conversion is quadratic.
fn big(digits: &[u8]) -> BigUint {
    if digits.len() <= 2048 {
        return BigUint::parse_bytes(digits, 10).expect("only digits were let through");
    }
    let (high, low) = digits.split_at(digits.len() / 2);
    big(high) * BigUint::from(10u32).pow(low.len() as u32) + big(low)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn integer(text: &str) -> Result<BigInt, NotInteger> {
        Decimal::parse(text.as_bytes(), false).expect(text).integer().map(|v| v.to_bigint())
    }

    #[test]
    fn integers_in_disguise() {
        let cases = [
            ("0", "0"),
            ("-0", "0"),
            ("+7", "7"),
            ("007", "7"),
            ("1.0", "1"),
            ("1e3", "1000"),
            ("-2.0E+01", "-20"),
            ("12.50e1", "125"),
            (".5e1", "5"),
            ("5.", "5"),
            ("1200e-2", "12"),
            ("0.000e-99999999999999999999", "0"),
            ("0e99999999999999999999", "0"),
            ("1D2", "100"),
            ("1.0d+00", "1"),
            ("9223372036854775807", "9223372036854775807"),
            ("-9223372036854775808", "-9223372036854775808"),
            ("9223372036854775808", "9223372036854775808"),
            ("1e25", "10000000000000000000000000"),
            ("1e0000000000000000000003", "1000"),
        ];
        for (text, value) in cases {
            assert_eq!(integer(text), Ok(value.parse().unwrap()), "{text}");
        }
        for text in ["0.1", "1e-1", "-12.345e2", "1e-99999999999999999999", ".5"] {
            assert_eq!(integer(text), Err(NotInteger::Fraction), "{text}");
        }
        assert_eq!(integer("1e4932").unwrap(), BigInt::from(10).pow(4932));
        for text in ["1e4935", "1e99999999999999999999", "2e999999999999999999"] {
            assert_eq!(integer(text), Err(NotInteger::TooLarge), "{text}");
        }
    }

    #[test]
    fn no_numbers() {
        for text in [
            "", "+", "-", ".", "e5", "1e", "1e+", "--1", "1-", "1+5", "0x10", "1,5", "1 ", "nan", "1/2", "1e5.0",
            "1..2",
        ] {
            assert!(Decimal::parse(text.as_bytes(), false).is_none(), "{text:?}");
        }
        assert_eq!(Decimal::parse(b"1.5+02", true).unwrap().integer(), Ok(Integer::Small(150)));
        assert_eq!(malformed(b"-NaN"), "expected a finite number, found \"-NaN\"");
        assert_eq!(malformed(b"x"), "expected a number, found \"x\"");
    }

    #[test]
    fn long_numbers_by_halves() {
        let digits = "123456789".repeat(1111);
        assert_eq!(integer(&digits), Ok(digits.parse().unwrap()));
        // A long text may have more trailing zeros than an exponent may add.
        let zeros = format!("1{}", "0".repeat(6000));
        assert_eq!(integer(&zeros), Ok(zeros.parse().unwrap()));
    }

    proptest! {
        #[test]
        fn agrees_with_exact_rational_arithmetic(negative: bool, whole in "[0-9]{0,25}", fraction in "[0-9]{1,9}", e in -12i32..30) {
            let text = format!("{}{whole}.{fraction}e{e}", if negative { "-" } else { "" });
            // Everything times 10¹²⁺⁹ is an integer: the number is an integer if and only if 10²¹ divides that.
            let digits: BigInt = format!("{whole}{fraction}").parse().unwrap();
            let scaled = digits * BigInt::from(10).pow((e + 21 - fraction.len() as i32) as u32) * if negative { -1 } else { 1 };
            let unit = BigInt::from(10).pow(21);
            let expected = if &scaled % &unit == BigInt::ZERO { Ok(scaled / unit) } else { Err(NotInteger::Fraction) };
            prop_assert_eq!(integer(&text), expected);
        }
    }
}
