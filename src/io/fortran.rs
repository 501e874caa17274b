//! Fortran edit descriptors as they occur in Harwell–Boeing headers, and the fixed-width fields that they describe.
//!
//! `(16I5)` means 16 integers of 5 characters per line, `(1P,5E16.8)` five numbers of 16 characters; neighbours may
//! touch. Where a number has no decimal point, its last d digits are the fraction (`w.d`); where it has no exponent, a
//! scale factor kP divides it by 10ᵏ (Fortran 2018, 13.7.2 and 13.8.5).

use super::decimal::Decimal;

/// A repeated edit descriptor `([kP[,]] [r] (I|E|D|F|G) w [.d [Ee]])`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Fields {
    /// Fields per line.
    pub repeat: usize,
    /// Characters per field.
    pub width: usize,
    /// Digits after an implied decimal point; `None` for integers.
    decimals: Option<i64>,
    /// The scale factor k.
    scale: i64,
}

/// Largest repeat count, width or scale that is accepted.
const MOST: i64 = 1 << 16;

impl Fields {
    /// Reads a format in parentheses; `None` for features that such files do not use (several descriptors, skips).
    pub fn parse(format: &str) -> Option<Self> {
        let text: String = format.chars().filter(|c| !c.is_whitespace()).collect::<String>().to_ascii_uppercase();
        let mut rest = text.strip_prefix('(')?.strip_suffix(')')?;
        let mut scale = 0;
        let negative = rest.starts_with('-');
        if let (Some(k), behind) = number(rest.trim_start_matches(['-', '+']))?
            && let Some(behind) = behind.strip_prefix('P')
        {
            scale = if negative { -k } else { k };
            rest = behind.strip_prefix(',').unwrap_or(behind);
        }
        let (repeat, rest) = number(rest)?;
        let letter = rest.chars().next()?;
        let (width, rest) = number(rest.get(1..)?)?;
        let (repeat, width) = (repeat.unwrap_or(1), width?);
        let (decimals, rest) = match rest.strip_prefix('.') {
            Some(rest) => number(rest)?,
            None => (None, rest),
        };
        let (decimals, rest) = match letter {
            'I' => (None, rest),
            'E' | 'D' | 'F' | 'G' => {
                let exponent_width = rest.strip_prefix('E').map_or(Some((None, rest)), number)?;
                (Some(decimals.unwrap_or(0)), exponent_width.1)
            }
            _ => return None,
        };
        (rest.is_empty() && repeat > 0 && width > 0).then_some(Fields {
            repeat: repeat as usize,
            width: width as usize,
            decimals,
            scale,
        })
    }

    /// The fields of a line, with blanks trimmed; fields beyond its end are empty.
    pub fn split<'a>(&self, line: &'a [u8]) -> impl Iterator<Item = &'a [u8]> + use<'a> {
        let width = self.width;
        (0..self.repeat).map(move |k| line.get(k * width..line.len().min((k + 1) * width)).unwrap_or(b"").trim_ascii())
    }

    /// The number in a field; `None` if it is not a number.
    pub fn decimal<'a>(&self, field: &'a [u8]) -> Option<Decimal<'a>> {
        let number = Decimal::parse(field, true)?;
        let point = if number.has_point { 0 } else { self.decimals.unwrap_or(0) };
        let scale = if number.has_exponent || self.decimals.is_none() { 0 } else { self.scale };
        Some(number.shifted(-point - scale))
    }
}

/// Splits off a leading number, if there is one; `None` if it exceeds [`MOST`].
fn number(text: &str) -> Option<(Option<i64>, &str)> {
    let (digits, rest) = text.split_at(text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len()));
    if digits.is_empty() {
        return Some((None, rest));
    }
    let n = digits.parse().ok().filter(|&n| n <= MOST)?;
    Some((Some(n), rest))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sparse::Integer;

    #[test]
    fn formats_of_real_files() {
        let fields = |repeat, width, decimals, scale| Some(Fields { repeat, width, decimals, scale });
        let cases = [
            ("(26I3)", fields(26, 3, None, 0)),
            ("(13i6)", fields(13, 6, None, 0)),
            ("( 16I5 )", fields(16, 5, None, 0)),
            ("(I8)", fields(1, 8, None, 0)),
            ("(8I10.1)", fields(8, 10, None, 0)),
            ("(5E16.8)", fields(5, 16, Some(8), 0)),
            ("(1P5D16.8)", fields(5, 16, Some(8), 1)),
            ("(1P,4E20.12)", fields(4, 20, Some(12), 1)),
            ("(-2P,4F20.12)", fields(4, 20, Some(12), -2)),
            ("(3e26.18)", fields(3, 26, Some(18), 0)),
            ("(4E20.12E3)", fields(4, 20, Some(12), 0)),
            ("(10F7.1)", fields(10, 7, Some(1), 0)),
        ];
        for (text, expected) in cases {
            assert_eq!(Fields::parse(text), expected, "{text}");
        }
        for text in [
            "",
            "()",
            "(I)",
            "(0I3)",
            "(3I0)",
            "26I3",
            "(26I3",
            "(A8)",
            "(4(1X,I5))",
            "(2I3,I4)",
            "(99999999999I3)",
            "(3E)",
            "(1P)",
        ] {
            assert_eq!(Fields::parse(text), None, "{text}");
        }
    }

    #[test]
    fn touching_and_missing_fields() {
        let fields = Fields::parse("(4I3)").unwrap();
        assert_eq!(fields.split(b"  1 23456").collect::<Vec<_>>(), [&b"1"[..], b"23", b"456", b""]);
        assert_eq!(fields.split(b"12").collect::<Vec<_>>(), [&b"12"[..], b"", b"", b""]);
    }

    #[test]
    fn implied_points_and_scales() {
        let value = |format: &str, field: &[u8]| Fields::parse(format).unwrap().decimal(field).unwrap().integer();
        assert_eq!(value("(F7.1)", b"120"), Ok(Integer::Small(12)));
        assert_eq!(value("(F7.1)", b"120."), Ok(Integer::Small(120)));
        assert_eq!(value("(1PE9.1)", b"1.2E+01"), Ok(Integer::Small(12)));
        assert_eq!(value("(1PF9.1)", b"120.0"), Ok(Integer::Small(12)));
        assert_eq!(value("(E9.1)", b"1.2+01"), Ok(Integer::Small(12)));
        assert_eq!(value("(1PI9)", b"-120"), Ok(Integer::Small(-120)));
        assert!(Fields::parse("(I3)").unwrap().decimal(b"").is_none());
    }
}
