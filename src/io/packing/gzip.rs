//! gzip (RFC 1952): members one after the other, and what may be behind the last one.
//!
//! Zero bytes up to the end are padding, as tapes and archivers leave it: ignored, as gzip(1) does. Anything else that
//! does not begin as a member is an error, where gzip(1) warns: the file is not what was written.

use crate::io::source::damaged;
use flate2::bufread::GzDecoder;
use std::io::{self, BufRead, Read};

/// Compressed bytes that are read at a time.
const BUFFER: usize = 1 << 15;

/// The content of all members, decompressed one by one.
pub(super) struct Gzip<R> {
    state: State<R>,
}

enum State<R> {
    Member(Box<GzDecoder<Packed<R>>>),
    /// Behind a member.
    Behind(Packed<R>),
    /// At the end, or after a failure.
    Ended,
}

impl<R: Read> Gzip<R> {
    /// The content of a compressed stream, which has a member at least.
    pub fn new(source: R) -> Self {
        Gzip { state: State::Member(Box::new(GzDecoder::new(Packed::new(source)))) }
    }
    /// The content of what is behind a member, which may be nothing.
    pub fn behind_member(source: R) -> Self {
        Gzip { state: State::Behind(Packed::new(source)) }
    }
}

impl<R: Read> Read for Gzip<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() {
            return Ok(0);
        }
        loop {
            self.state = match std::mem::replace(&mut self.state, State::Ended) {
                State::Member(mut decoder) => match decoder.read(buffer)? {
                    0 => State::Behind(decoder.into_inner()),
                    got => {
                        self.state = State::Member(decoder);
                        return Ok(got);
                    }
                },
                State::Behind(mut packed) => match another(&mut packed)? {
                    true => State::Member(Box::new(GzDecoder::new(packed))),
                    false => State::Ended,
                },
                State::Ended => return Ok(0),
            };
        }
    }
}

/// Whether another member begins here, perhaps one that is cut off; false if there is nothing but padding.
///
/// # Errors
/// A damage, if there is something else; those of the source.
fn another(packed: &mut Packed<impl Read>) -> io::Result<bool> {
    let junk = || damaged("bytes after the end of the gzip stream are no gzip member");
    match packed.peek(2)? {
        [] => return Ok(false),
        [0x1f] | [0x1f, 0x8b] => return Ok(true),
        [0, ..] => {}
        _ => return Err(junk()),
    }
    loop {
        let bytes = packed.fill_buf()?;
        let len = bytes.len();
        if bytes.iter().any(|&byte| byte != 0) {
            return Err(junk());
        }
        if len == 0 {
            return Ok(false);
        }
        packed.consume(len);
    }
}

/// A buffered source, whose next bytes can be looked at. Interrupted reads are tried again.
struct Packed<R> {
    source: R,
    buffer: Box<[u8]>,
    /// Where in the buffer the bytes are that were read but not taken.
    at: usize,
    end: usize,
}

impl<R: Read> Packed<R> {
    fn new(source: R) -> Self {
        Packed { source, buffer: vec![0; BUFFER].into(), at: 0, end: 0 }
    }

    /// The next `len` bytes, or those that are left if they are fewer.
    fn peek(&mut self, len: usize) -> io::Result<&[u8]> {
        self.fill(len)?;
        Ok(&self.buffer[self.at..self.end.min(self.at + len)])
    }

    /// Reads until there are `len` bytes, or the source ends.
    fn fill(&mut self, len: usize) -> io::Result<()> {
        while self.end - self.at < len {
            self.buffer.copy_within(self.at..self.end, 0);
            (self.at, self.end) = (0, self.end - self.at);
            match self.source.read(&mut self.buffer[self.end..]) {
                Ok(0) => break,
                Ok(got) => self.end += got,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}

impl<R: Read> Read for Packed<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let got = self.fill_buf()?.read(buffer)?;
        self.consume(got);
        Ok(got)
    }
}

impl<R: Read> BufRead for Packed<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.fill(1)?;
        Ok(&self.buffer[self.at..self.end])
    }
    fn consume(&mut self, len: usize) {
        self.at = self.end.min(self.at + len);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::io::source::damage_in;
    use flate2::Compression;
    use flate2::read::MultiGzDecoder;

    fn packed(content: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(vec![], Compression::fast());
        io::Write::write_all(&mut encoder, content).unwrap();
        encoder.finish().unwrap()
    }

    /// A reader that returns a byte at a time, and is interrupted between them.
    struct Bytewise<'a>(&'a [u8], bool);

    impl Read for Bytewise<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            self.1 = !self.1;
            if self.1 { Err(io::ErrorKind::Interrupted.into()) } else { self.0.by_ref().take(1).read(buffer) }
        }
    }

    /// The content, and the damage or kind of error behind it.
    fn content(mut reader: impl Read) -> (Vec<u8>, String) {
        let mut content = vec![];
        let end = reader.read_to_end(&mut content).map_err(|error| match damage_in(&error) {
            Some(damage) => damage.to_string(),
            None => format!("{:?}: {error}", error.kind()),
        });
        (content, end.err().unwrap_or_default())
    }

    #[test]
    fn what_is_behind_the_last_member() {
        let junk = "bytes after the end of the gzip stream are no gzip member";
        let whole = [packed(b"one, "), packed(b""), packed(b"two")].concat();
        let long = vec![0; 3 * BUFFER];
        let padded_junk = [&long[..], b"\x01"].concat();
        let padded_member = [&[0; 5][..], &whole].concat();
        for (behind, expected) in [
            (&b""[..], ""),
            (b"\0", ""),
            (&[0; 8], ""),
            (&long, ""),
            (b"8 of junk", junk),
            (b"\x8b", junk),
            (b"\x1f\x8a234567", junk),
            (b"twelve bytes and more", junk),
            (b"\0\0\x1f", junk),
            (&padded_junk, junk),
            (&padded_member, junk),
            // The beginning of a member that is cut off, or damaged.
            (b"\x1f", "UnexpectedEof: unexpected end of file"),
            (&whole[..9], "UnexpectedEof: unexpected end of file"),
            (b"\x1f\x8b\x09\0\0\0\0\0\0\0", "InvalidInput: invalid gzip header"),
        ] {
            let file = [&whole[..], behind].concat();
            let expected = (b"one, two".to_vec(), expected.to_string());
            assert_eq!(content(Gzip::new(&file[..])), expected, "{behind:?}");
            assert_eq!(content(Gzip::new(Bytewise(&file, false))), expected, "{behind:?}, by bytes");
            let (_, end) = &expected;
            assert_eq!(content(Gzip::behind_member(behind)), (vec![], end.clone()), "{behind:?}, alone");
        }
    }

    #[test]
    fn members_are_those_of_the_crate() {
        let whole = [packed(b"one, "), packed(b""), packed(b"two")].concat();
        for cut in 0..=whole.len() {
            assert_eq!(content(Gzip::new(&whole[..cut])), content(MultiGzDecoder::new(&whole[..cut])), "{cut}");
        }
        let another = [&whole[..], &whole].concat();
        assert_eq!(content(Gzip::behind_member(&another[..])).0, b"one, twoone, two");
    }
}
