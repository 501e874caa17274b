//! The elements of MATLAB's files: a tag, then numbers of one type.
//!
//! ```text
//! type (4 bytes)  length (4 bytes)  data, padded to a multiple of 8 bytes
//! type (2 bytes)  length (2 bytes)  data in 4 bytes              the same for at most 4 bytes of data
//! ```

use super::element::{Element, Kind};
use super::input::Input;
use crate::Result;
use crate::io::source::Stop;

/// Types of elements.
pub(super) const INT8: u32 = 1;
pub(super) const INT32: u32 = 5;
pub(super) const UINT32: u32 = 6;
pub(super) const MATRIX: u32 = 14;
pub(super) const COMPRESSED: u32 = 15;

/// The beginning of an element.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tag {
    pub kind: u32,
    /// Bytes of data.
    pub len: u64,
    /// The data, if they are in the tag.
    small: Option<[u8; 4]>,
    big_endian: bool,
}

fn word(bytes: &[u8], big_endian: bool) -> u32 {
    let bytes = bytes.try_into().expect("4 bytes");
    if big_endian { u32::from_be_bytes(bytes) } else { u32::from_le_bytes(bytes) }
}

impl Tag {
    /// The next tag; `None` at the end.
    pub fn next(input: &mut Input<'_>, big_endian: bool) -> Result<Option<Tag>> {
        let mut bytes = [0; 8];
        if !input.exact_or_end(&mut bytes, "the beginning of an element")? {
            return Ok(None);
        }
        let (kind, len) = (word(&bytes[..4], big_endian), word(&bytes[4..], big_endian));
        if kind >> 16 == 0 {
            return Ok(Some(Tag { kind, len: len.into(), small: None, big_endian }));
        }
        let (len, kind) = (kind >> 16, kind & 0xffff);
        if len > 4 {
            return Err(input.error(format!("expected at most 4 bytes in a small element, found {len}")));
        }
        let small = Some(bytes[4..].try_into().expect("4 bytes"));
        Ok(Some(Tag { kind, len: len.into(), small, big_endian }))
    }

    /// The tag of `what`, of one of these types.
    pub fn expect(input: &mut Input<'_>, big_endian: bool, kinds: &[u32], what: &str) -> Result<Tag> {
        let Some(tag) = Tag::next(input, big_endian)? else {
            return Err(input.error(format!("the end, where {what} should be: a truncated file")));
        };
        if !kinds.is_empty() && !kinds.contains(&tag.kind) {
            return Err(input.error(format!("expected {what}, found an element of type {}", tag.kind)));
        }
        Ok(tag)
    }

    /// The type of the numbers.
    fn element(&self, input: &Input<'_>) -> Result<Element> {
        let (kind, size) = match self.kind {
            1 => (Kind::Signed, 1),
            2 => (Kind::Unsigned, 1),
            3 => (Kind::Signed, 2),
            4 => (Kind::Unsigned, 2),
            5 => (Kind::Signed, 4),
            6 => (Kind::Unsigned, 4),
            7 => (Kind::Float, 4),
            9 => (Kind::Float, 8),
            12 => (Kind::Signed, 8),
            13 => (Kind::Unsigned, 8),
            other => return Err(input.error(format!("expected numbers, found an element of type {other}"))),
        };
        Ok(Element { kind, size, big_endian: self.big_endian })
    }

    /// The number of numbers.
    pub fn count(&self, input: &Input<'_>) -> Result<u64> {
        let size = self.element(input)?.size as u64;
        match self.len % size {
            0 => Ok(self.len / size),
            _ => Err(input.error(format!("expected numbers of {size} bytes, found {} bytes", self.len))),
        }
    }

    /// Passes the numbers to `take`, and skips the padding.
    pub fn numbers(
        self,
        input: &mut Input<'_>,
        what: &str,
        mut take: impl FnMut(u64, &[u8], Element) -> std::result::Result<(), Stop>,
    ) -> Result<()> {
        let (element, count) = (self.element(input)?, self.count(input)?);
        let Some(small) = self.small else {
            input.elements(element, count, what, |k, bytes| take(k, bytes, element))?;
            return self.padding(input);
        };
        for (k, bytes) in small[..self.len as usize].chunks_exact(element.size).enumerate() {
            take(k as u64, bytes, element).map_err(|stop| match stop {
                Stop::Told(message) => input.error(message),
                Stop::Other(error) => error,
            })?;
        }
        Ok(())
    }

    /// The data of a short element.
    pub fn bytes(self, input: &mut Input<'_>, most: u64, what: &str) -> Result<Vec<u8>> {
        if self.len > most {
            return Err(input.error(format!("expected {what} of at most {most} bytes, found {}", self.len)));
        }
        if let Some(small) = self.small {
            return Ok(small[..self.len as usize].to_vec());
        }
        let mut bytes = vec![0; self.len as usize];
        input.exact(&mut bytes, what)?;
        self.padding(input)?;
        Ok(bytes)
    }

    /// Skips the data.
    pub fn skip(self, input: &mut Input<'_>) -> Result<()> {
        if self.small.is_some() {
            return Ok(());
        }
        input.skip(self.len, "an element")?;
        self.padding(input)
    }

    /// Skips to the next multiple of 8 bytes; the last element of a file may lack that.
    fn padding(self, input: &mut Input<'_>) -> Result<()> {
        let mut rest = [0; 8];
        let more = (8 - self.len % 8) as usize % 8;
        if more > 0 {
            input.exact_or_end(&mut rest[..more], "the padding of an element")?;
        }
        Ok(())
    }
}
