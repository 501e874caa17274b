//! The value of an entry as files spell it: an integer ([`decimal`](super::decimal)), or a fraction `a/b` of two of
//! them.
//!
//! Both parts may have a sign, b must not be 0, and nothing need be in lowest terms: `6/-4` is -3/2, `4/2` the integer
//! 2. Blanks around the slash would make more fields than a line has.

use super::decimal;
use super::text::quote;
use crate::sparse::{Fraction, Integer};

/// The value of a field; with `ones` 0 if it is zero and 1 otherwise. Fractions that are no integers are refused unless
/// `allowed`. The error says what was found.
#[inline]
pub(super) fn value(token: &[u8], ones: bool, allowed: bool) -> Result<Fraction<'static>, String> {
    match token.iter().position(|&b| b == b'/') {
        None => decimal::value(token, ones).map(Fraction::from),
        Some(at) => fraction(token, at, ones, allowed),
    }
}

/// The fraction with its slash at that byte.
fn fraction(token: &[u8], at: usize, ones: bool, allowed: bool) -> Result<Fraction<'static>, String> {
    let part = |token: &[u8]| decimal::value(token, false);
    let parts = part(&token[..at]).and_then(|n| Ok((n, part(&token[at + 1..])?)));
    let Ok((n, d)) = parts else {
        return Err(format!("expected a fraction a/b of two integers, found {}", quote(token)));
    };
    let Some(value) = Fraction::new(n, d) else {
        return Err(format!("expected a denominator other than 0, found {}", quote(token)));
    };
    match () {
        () if ones => Ok(Integer::Small(i64::from(!value.is_zero())).into()),
        () if allowed || value.is_integer() => Ok(value),
        () => Err(format!(
            "expected an integer, found {}: fractions have no meaning here (--pattern takes the 0-1 pattern of any matrix)",
            quote(token)
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(token: &str, ones: bool, allowed: bool) -> String {
        value(token.as_bytes(), ones, allowed).map_or_else(|message| message, |value| value.to_string())
    }

    #[test]
    fn spellings() {
        for (token, expected) in [
            ("7", "7"),
            ("-0", "0"),
            ("1/2", "1/2"),
            ("-1/2", "-1/2"),
            ("+1/+2", "1/2"),
            ("6/-4", "-3/2"),
            ("-6/-4", "3/2"),
            ("0/5", "0"),
            ("0/-5", "0"),
            ("4/2", "2"),
            ("007/014", "1/2"),
            ("1.0e1/4.", "5/2"),
            ("-9223372036854775808/-1", "9223372036854775808"),
            ("9223372036854775808/2", "4611686018427387904"),
            ("1/-9223372036854775808", "-1/9223372036854775808"),
        ] {
            assert_eq!(shown(token, false, true), expected, "{token}");
        }
        // 9…9 = 3·3…3: longer than any word.
        let (nines, threes) = ("9".repeat(100), "3".repeat(100));
        assert_eq!(shown(&format!("-{nines}/{threes}"), false, true), "-3");
        assert_eq!(shown(&format!("{threes}/-{nines}"), false, true), "-1/3");
        assert_eq!(shown(&format!("{threes}/{nines}0"), false, true), "1/30");
        for token in ["1/", "/2", "/", "1/2/3", "1//2", "0.5/2", "x/2", "2/x", "1/1e9999", "inf/2"] {
            let message = format!("expected a fraction a/b of two integers, found \"{token}\"");
            for (ones, allowed) in [(false, true), (true, false), (false, false)] {
                assert_eq!(shown(token, ones, allowed), message);
            }
        }
        for token in ["1/0", "0/0", "-3/-0", "1/0.0"] {
            assert_eq!(shown(token, true, true), format!("expected a denominator other than 0, found \"{token}\""));
        }
        assert_eq!(
            (shown("4/2", false, false), shown("2/3", true, false), shown("0/3", true, false)),
            ("2".into(), "1".into(), "0".into())
        );
        assert!(
            shown("2/4", false, false).starts_with("expected an integer, found \"2/4\": fractions have no meaning")
        );
    }
}
