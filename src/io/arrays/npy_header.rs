//! The header of a `.npy` file (NumPy Enhancement Proposal 1): a Python dictionary of three entries.
//!
//! ```text
//! \x93NUMPY  major minor  length  {'descr': '<i8', 'fortran_order': False, 'shape': (3, 4), }
//! ```

use super::element::{Element, Kind};
use crate::io::text::quote;

/// What the header says.
#[derive(Debug, PartialEq)]
pub(super) struct Header {
    /// The type as NumPy spells it.
    pub descr: String,
    /// Whether the first index runs fastest.
    pub fortran: bool,
    pub shape: Vec<u64>,
}

/// The most dimensions that NumPy has.
const DIMENSIONS: usize = 64;

impl Header {
    /// Reads the dictionary; the error says what was found.
    pub fn parse(text: &[u8]) -> Result<Header, String> {
        let mut rest = Literal { rest: text };
        let (mut descr, mut fortran, mut shape) = (None, None, None);
        rest.expect(b'{')?;
        while !rest.takes(b'}') {
            let key = rest.string()?;
            rest.expect(b':')?;
            match key.as_str() {
                "descr" if rest.peek() == Some(b'[') => {
                    return Err(
                        "expected an array of numbers, found records of several fields: save one field alone".into()
                    );
                }
                "descr" => descr = Some(rest.string()?),
                "fortran_order" => fortran = Some(rest.boolean()?),
                "shape" => shape = Some(rest.tuple()?),
                _ => return Err(format!("expected descr, fortran_order and shape, found {}", quote(key.as_bytes()))),
            }
            if !rest.takes(b',') && rest.peek() != Some(b'}') {
                return Err(rest.unexpected("a comma or the end of the header"));
            }
        }
        if rest.peek().is_some() {
            return Err(rest.unexpected("nothing after the header"));
        }
        match (descr, fortran, shape) {
            (Some(descr), Some(fortran), Some(shape)) => Ok(Header { descr, fortran, shape }),
            _ => Err("expected a header with descr, fortran_order and shape".into()),
        }
    }

    /// The number of elements.
    pub fn count(&self) -> Option<u64> {
        self.shape.iter().try_fold(1u64, |count, &n| count.checked_mul(n))
    }

    /// The type of the elements, or why they are no numbers that are read here.
    pub fn element(&self) -> Result<Element, String> {
        let descr = self.descr.as_bytes();
        let big_endian = descr.first() == Some(&b'>');
        let name = descr.strip_prefix(b"<").or(descr.strip_prefix(b">")).or(descr.strip_prefix(b"|"));
        let name = name.or(descr.strip_prefix(b"=")).unwrap_or(descr);
        let (kind, size) = name.split_at(name.len().min(1));
        let size = std::str::from_utf8(size).ok().and_then(|size| size.parse().ok());
        let found = quote(descr);
        let of = |kind, size| Ok(Element { kind, size, big_endian });
        match (kind, size) {
            (b"b", Some(1)) => of(Kind::Bool, 1),
            (b"?", None) => of(Kind::Bool, 1),
            (b"i", Some(size @ (1 | 2 | 4 | 8))) => of(Kind::Signed, size),
            (b"u", Some(size @ (1 | 2 | 4 | 8))) => of(Kind::Unsigned, size),
            (b"f", Some(size @ (2 | 4 | 8))) => of(Kind::Float, size),
            (b"c", Some(size @ (8 | 16))) => of(Kind::Complex, size),
            (b"f" | b"c", Some(_)) => Err(format!(
                "expected numbers of at most 64 bits, found {found}: extended precision depends on the machine, \
                 convert it by .astype('f8')"
            )),
            (b"O", _) => Err(format!(
                "expected numbers, found {found}: Python objects are pickled, which is a program and is not run; \
                 convert them by .astype('i8'), or write entries beyond 64 bits as text"
            )),
            (b"S" | b"U" | b"a", _) => {
                Err(format!("expected numbers, found strings of type {found}: convert them by .astype('i8')"))
            }
            _ => Err(format!("expected integers, booleans or floating-point numbers, found the type {found}")),
        }
    }

    #[cfg(feature = "archives")]
    /// The text of a string of this type, of which these are the bytes.
    pub fn text(&self, bytes: &[u8]) -> Option<String> {
        let text: String = match self.descr.as_bytes() {
            [_, b'S', ..] | [b'S', ..] => bytes.iter().map(|&b| char::from(b)).collect(),
            [order, b'U', ..] => {
                let letter = |four: &[u8]| {
                    let four = four.try_into().ok()?;
                    char::from_u32(if *order == b'>' { u32::from_be_bytes(four) } else { u32::from_le_bytes(four) })
                };
                bytes.chunks(4).map(letter).collect::<Option<String>>()?
            }
            _ => return None,
        };
        Some(text.trim_end_matches('\0').to_string())
    }
}

/// The unread rest of a Python literal.
struct Literal<'a> {
    rest: &'a [u8],
}

impl Literal<'_> {
    fn peek(&mut self) -> Option<u8> {
        self.rest = self.rest.trim_ascii_start();
        self.rest.first().copied()
    }

    fn takes(&mut self, byte: u8) -> bool {
        let is_there = self.peek() == Some(byte);
        if is_there {
            self.rest = &self.rest[1..];
        }
        is_there
    }

    fn expect(&mut self, byte: u8) -> Result<(), String> {
        if self.takes(byte) { Ok(()) } else { Err(self.unexpected(&format!("{:?}", byte as char))) }
    }

    fn unexpected(&self, expected: &str) -> String {
        format!("expected {expected} in the header, found {}", quote(self.rest))
    }

    fn string(&mut self) -> Result<String, String> {
        let Some(mark @ (b'\'' | b'"')) = self.peek() else { return Err(self.unexpected("a string")) };
        let Some(end) = self.rest[1..].iter().position(|&b| b == mark) else {
            return Err(self.unexpected("the end of a string"));
        };
        let text = String::from_utf8_lossy(&self.rest[1..=end]).into_owned();
        self.rest = &self.rest[end + 2..];
        Ok(text)
    }

    fn boolean(&mut self) -> Result<bool, String> {
        self.peek();
        for (word, value) in [(&b"True"[..], true), (b"False", false)] {
            if let Some(rest) = self.rest.strip_prefix(word) {
                self.rest = rest;
                return Ok(value);
            }
        }
        Err(self.unexpected("True or False"))
    }

    fn tuple(&mut self) -> Result<Vec<u64>, String> {
        self.expect(b'(')?;
        let mut numbers = vec![];
        while !self.takes(b')') {
            self.peek();
            let digits = self.rest.iter().take_while(|b| b.is_ascii_digit()).count();
            let (number, rest) = self.rest.split_at(digits);
            let number = std::str::from_utf8(number).ok().and_then(|number| number.parse().ok());
            let Some(number) = number else { return Err(self.unexpected("a dimension")) };
            // Python 2 wrote long integers as 3L.
            self.rest = rest.strip_prefix(b"L").unwrap_or(rest);
            numbers.push(number);
            if numbers.len() > DIMENSIONS || !self.takes(b',') && self.peek() != Some(b')') {
                return Err(self.unexpected("the end of the shape"));
            }
        }
        Ok(numbers)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dictionaries() {
        let header =
            |descr: &str, fortran, shape: &[u64]| Ok(Header { descr: descr.into(), fortran, shape: shape.into() });
        for (text, expected) in [
            ("{'descr': '<i8', 'fortran_order': False, 'shape': (3, 4), }  \n", header("<i8", false, &[3, 4])),
            ("{\"shape\":(),\"descr\":\"|b1\",\"fortran_order\":True}", header("|b1", true, &[])),
            (" { 'fortran_order' : True , 'shape' : ( 7L , ) , 'descr' : '>f4' }", header(">f4", true, &[7])),
        ] {
            assert_eq!(Header::parse(text.as_bytes()), expected, "{text}");
        }
        for (text, message) in [
            ("", "expected '{' in the header, found \"\""),
            ("{'shape': (3)", "expected a comma or the end of the header in the header, found \"\""),
            ("{'shape': (3, -4)}", "expected a dimension in the header, found \"-4)}\""),
            (
                "{'shape': (99999999999999999999,)}",
                "expected a dimension in the header, found \"99999999999999999999,)}\"",
            ),
            ("{'descr': 5}", "expected a string in the header, found \"5}\""),
            ("{'descr': '<i8}", "expected the end of a string in the header, found \"\\'<i8}\""),
            ("{'x': 5}", "expected descr, fortran_order and shape, found \"x\""),
            ("{'fortran_order': 1}", "expected True or False in the header, found \"1}\""),
            ("{'descr': '<i8'}", "expected a header with descr, fortran_order and shape"),
            ("{} x", "expected nothing after the header in the header, found \"x\""),
            (
                "{'descr': [('a', '<i8')]}",
                "expected an array of numbers, found records of several fields: save one field alone",
            ),
        ] {
            assert_eq!(Header::parse(text.as_bytes()).unwrap_err(), message, "{text}");
        }
        let many = format!("{{'shape': ({})}}", "1,".repeat(100));
        assert!(Header::parse(many.as_bytes()).unwrap_err().starts_with("expected the end of the shape"));
    }

    #[test]
    fn types() {
        let element = |descr: &str| Header { descr: descr.into(), fortran: false, shape: vec![] }.element();
        let of = |kind, size, big_endian| Ok(Element { kind, size, big_endian });
        assert_eq!(element("|b1"), of(Kind::Bool, 1, false));
        assert_eq!(element(">i2"), of(Kind::Signed, 2, true));
        assert_eq!(element("=u8"), of(Kind::Unsigned, 8, false));
        assert_eq!(element("<f2"), of(Kind::Float, 2, false));
        assert_eq!(element(">c16"), of(Kind::Complex, 16, true));
        for (descr, why) in [
            ("<f16", "extended precision"),
            ("|O", "pickled"),
            ("<U3", "strings"),
            ("<M8[ns]", "found the type"),
            ("<i3", "found the type"),
            ("", "found the type"),
            ("<", "found the type"),
            ("ü", "found the type"),
        ] {
            assert!(element(descr).unwrap_err().contains(why), "{descr}");
        }
    }
}
