//! The elements of binary arrays: what their bytes mean.

use crate::io::decimal;
use crate::sparse::Integer;
use num_bigint::BigInt;
use num_traits::FromPrimitive;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Bool,
    Signed,
    Unsigned,
    Float,
    /// Real and imaginary part, floating-point numbers.
    Complex,
}

/// The type of the elements of an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Element {
    pub kind: Kind,
    /// Bytes: 1, 2, 4 or 8; 8 or 16 of a complex number.
    pub size: usize,
    pub big_endian: bool,
}

impl Element {
    /// The bytes as a word, its upper bytes 0.
    fn word(&self, bytes: &[u8]) -> u64 {
        let mut word = [0; 8];
        if self.big_endian {
            word[8 - bytes.len()..].copy_from_slice(bytes);
            u64::from_be_bytes(word)
        } else {
            word[..bytes.len()].copy_from_slice(bytes);
            u64::from_le_bytes(word)
        }
    }

    /// The integer that the bytes of a signed type are.
    fn signed(&self, bytes: &[u8]) -> i64 {
        let unused = 64 - 8 * bytes.len() as u32;
        (self.word(bytes) << unused) as i64 >> unused
    }

    /// The number that the bytes of a floating-point type are, exactly.
    fn float(&self, bytes: &[u8]) -> f64 {
        let word = self.word(bytes);
        match bytes.len() {
            2 => half(word as u16),
            4 => f32::from_bits(word as u32).into(),
            _ => f64::from_bits(word),
        }
    }

    /// The integer in the bytes of an element; with `ones` 0 if it is zero and 1 otherwise. The error says what was
    /// found.
    pub fn value(&self, bytes: &[u8], ones: bool) -> Result<Integer<'static>, String> {
        match self.kind {
            Kind::Bool => Ok(Integer::Small(i64::from(bytes.iter().any(|&b| b != 0)))),
            _ if ones => self.is_nonzero(bytes).map(|one| Integer::Small(one.into())),
            Kind::Signed => Ok(Integer::Small(self.signed(bytes))),
            Kind::Unsigned => Ok(i128::from(self.word(bytes)).into()),
            Kind::Float => integer(self.float(bytes)),
            Kind::Complex => Err(complex()),
        }
    }

    fn is_nonzero(&self, bytes: &[u8]) -> Result<bool, String> {
        let finite =
            |v: f64| if v.is_finite() { Ok(v != 0.0) } else { Err(decimal::malformed(v.to_string().as_bytes())) };
        match self.kind {
            Kind::Float => finite(self.float(bytes)),
            Kind::Complex => {
                let (real, imaginary) = bytes.split_at(bytes.len() / 2);
                Ok(finite(self.float(real))? | finite(self.float(imaginary))?)
            }
            _ => Ok(bytes.iter().any(|&b| b != 0)),
        }
    }

    #[cfg(feature = "gzip")]
    /// The integer in the bytes of an element that is an index or an offset; `None` for another type, and beyond 63
    /// bits.
    pub fn whole(&self, bytes: &[u8]) -> Option<i64> {
        match self.kind {
            Kind::Signed => Some(self.signed(bytes)),
            Kind::Unsigned => i64::try_from(self.word(bytes)).ok(),
            _ => None,
        }
    }
}

/// The message for complex numbers.
pub(super) fn complex() -> String {
    "complex values have no meaning mod p (--pattern takes the 0-1 pattern of any matrix)".into()
}

/// The integer that a floating-point number is.
fn integer(v: f64) -> Result<Integer<'static>, String> {
    if !v.is_finite() {
        return Err(decimal::malformed(v.to_string().as_bytes()));
    }
    if v.fract() != 0.0 {
        return Err(format!(
            "expected an integer, found {v:?}: exact arithmetic needs integers (--pattern takes the 0-1 pattern of any matrix)"
        ));
    }
    // 2⁶³, the first number that an i64 does not hold.
    const END: f64 = 9_223_372_036_854_775_808.0;
    match (-END..END).contains(&v) {
        true => Ok(Integer::Small(v as i64)),
        false => Ok(BigInt::from_f64(v).expect("a finite number").into()),
    }
}

/// A number of IEEE 754's binary16.
fn half(bits: u16) -> f64 {
    let (exponent, fraction) = (i32::from(bits >> 10 & 31), f64::from(bits & 1023));
    let size = match exponent {
        0 => fraction * 2f64.powi(-24),
        31 if fraction == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        _ => (1024.0 + fraction) * 2f64.powi(exponent - 25),
    };
    if bits >> 15 == 1 { -size } else { size }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(kind: Kind, bytes: &[u8], ones: bool) -> String {
        let element = Element { kind, size: bytes.len(), big_endian: true };
        let value = element.value(bytes, ones).map_or_else(|message| message, |v| v.to_bigint().to_string());
        // The other order of bytes, of each part.
        let parts = if kind == Kind::Complex { 2 } else { 1 };
        let turned: Vec<u8> = bytes.chunks(bytes.len() / parts).flat_map(|part| part.iter().rev().copied()).collect();
        let other = Element { big_endian: false, ..element }.value(&turned, ones);
        assert_eq!(other.map_or_else(|message| message, |v| v.to_bigint().to_string()), value);
        value
    }

    #[test]
    fn integers_of_all_widths() {
        for (bytes, signed, unsigned) in [
            (&[0xff][..], "-1", "255"),
            (&[0x7f], "127", "127"),
            (&[0x80, 0], "-32768", "32768"),
            (&[0xff, 0xff, 0xff, 0xfe], "-2", "4294967294"),
            (&[0x80, 0, 0, 0, 0, 0, 0, 0], "-9223372036854775808", "9223372036854775808"),
            (&[0xff; 8], "-1", "18446744073709551615"),
            (&[0; 8], "0", "0"),
        ] {
            assert_eq!(
                (&*shown(Kind::Signed, bytes, false), &*shown(Kind::Unsigned, bytes, false)),
                (signed, unsigned)
            );
            let one = if signed == "0" { "0" } else { "1" };
            assert_eq!((&*shown(Kind::Signed, bytes, true), &*shown(Kind::Unsigned, bytes, true)), (one, one));
        }
        assert_eq!((shown(Kind::Bool, &[0], false), shown(Kind::Bool, &[7], false)), ("0".into(), "1".into()));
    }

    #[test]
    fn floating_point_numbers_that_are_integers() {
        let edge = 2f64.powi(63);
        for (v, expected) in [
            (-3.0, "-3"),
            (-0.0, "0"),
            (edge, "9223372036854775808"),
            (-edge, "-9223372036854775808"),
            (2f64.powi(80), "1208925819614629174706176"),
            (1e15, "1000000000000000"),
        ] {
            assert_eq!(shown(Kind::Float, &v.to_be_bytes(), false), expected);
        }
        assert_eq!(shown(Kind::Float, &16777216f32.to_be_bytes(), false), "16777216");
        for v in [0.5, 1e-300, -2.25, f64::MIN_POSITIVE] {
            assert!(shown(Kind::Float, &v.to_be_bytes(), false).starts_with("expected an integer, found "), "{v}");
            assert_eq!(shown(Kind::Float, &v.to_be_bytes(), true), "1");
        }
        for (v, name) in [(f64::NAN, "NaN"), (f64::NEG_INFINITY, "-inf")] {
            for ones in [false, true] {
                let message = format!("expected a finite number, found \"{name}\"");
                assert_eq!(shown(Kind::Float, &v.to_be_bytes(), ones), message);
            }
        }
    }

    /// Every number of 16 bits against the sum of the powers of two that its bits are.
    #[test]
    fn halves() {
        for bits in 0..=u16::MAX {
            let (sign, exponent) = (if bits >> 15 == 1 { -1.0 } else { 1.0 }, i32::from(bits >> 10 & 31));
            let fraction: f64 = (0..10).filter(|k| bits >> k & 1 == 1).map(|k| 2f64.powi(k - 10)).sum();
            let found = half(bits);
            match (exponent, fraction) {
                (31, 0.0) => assert_eq!(found, sign * f64::INFINITY),
                (31, _) => assert!(found.is_nan()),
                (0, _) => assert_eq!(found, sign * fraction * 2f64.powi(-14)),
                _ => assert_eq!(found, sign * (1.0 + fraction) * 2f64.powi(exponent - 15)),
            }
        }
    }

    #[test]
    fn complex_numbers_have_patterns() {
        let bytes = |a: f32, b: f32| [a.to_be_bytes(), b.to_be_bytes()].concat();
        assert_eq!(shown(Kind::Complex, &bytes(0.0, 2.0), true), "1");
        assert_eq!(shown(Kind::Complex, &bytes(0.0, -0.0), true), "0");
        assert_eq!(shown(Kind::Complex, &bytes(1.0, 0.0), false), complex());
    }
}
