//! Matrices of residues or fractions written as they are made, in SMS: its header has no number of entries. For another
//! format the entries are held until all are there.

use super::packing::Compression;
use super::read::read_rational_bytes;
use super::write::write_rational_to;
use super::{AtomicFile, FileFormat, ReadOptions};
use crate::sparse::{Fraction, Integer};
use crate::{Error, Observer, Result, memory};
use std::io::Write;
use std::path::{Path, PathBuf};

/// What the memory is for.
const TEXT: &str = "entries on their way to a file";
/// Bytes of most entries.
const ENTRY: usize = 20;
/// Bytes of an entry of words at most: row, column, numerator with its sign, denominator, and what follows each.
const LINE: usize = 20 + 1 + 20 + 1 + 20 + 1 + 19 + 1;
/// The numbers below 100 in two digits.
const PAIRS: [[u8; 2]; 100] = {
    let (mut pairs, mut k) = ([[0; 2]; 100], 0);
    while k < 100 {
        pairs[k] = [b'0' + k as u8 / 10, b'0' + k as u8 % 10];
        k += 1;
    }
    pairs
};

/// A file that grows by blocks of entries: its header first, blocks in any number and order, the end last. In SMS it is
/// written on the way; any other [`FileFormat`] is written at the end, and the entries are in memory until then. A file
/// appears under its name when it is complete ([`AtomicFile`]).
pub struct SmsWriter<'o> {
    pub(super) name: PathBuf,
    pub(super) target: Target<'o>,
    encoding: Encoding,
}

pub(super) enum Target<'o> {
    File(AtomicFile),
    Stream(&'o mut dyn Write),
    /// The text in SMS, which the file will have in another format.
    Held {
        text: Vec<u8>,
        file: AtomicFile,
        format: FileFormat,
        compression: Compression,
    },
}

/// How entries become bytes: plain text, or compressed parts of a file.
#[derive(Clone, Copy, Debug)]
pub struct Encoding {
    compression: Compression,
}

impl Encoding {
    /// The bytes of entries (row, column, residue), lines numbered from 0.
    ///
    /// # Errors
    /// [`Error::Memory`]; [`Error::Io`] if compression fails.
    pub fn entries(self, entries: impl Iterator<Item = (u64, u64, u64)>) -> Result<Vec<u8>> {
        let mut text = memory::with_capacity(ENTRY * entries.size_hint().0, TEXT)?;
        for (i, j, v) in entries {
            // From the end: three numbers of at most 20 digits, each with a character behind it.
            let (mut line, mut at) = ([b' '; LINE], LINE - 1);
            line[at] = b'\n';
            for number in [v, j + 1, i + 1] {
                at = digits(&mut line, at, number) - 1;
            }
            let line = &line[at + 1..];
            memory::reserve(&mut text, line.len(), TEXT)?;
            text.extend_from_slice(line);
        }
        self.bytes(text)
    }
    /// The bytes of entries (row, column, value) over ℚ, lines numbered from 0; fractions as `a/b`.
    ///
    /// # Errors
    /// As [`Encoding::entries`].
    pub fn fractions<'a>(self, entries: impl Iterator<Item = (u64, u64, Fraction<'a>)>) -> Result<Vec<u8>> {
        let mut text = vec![];
        for (i, j, v) in entries {
            memory::reserve(&mut text, LINE, TEXT)?;
            match (v.numerator(), v.denominator()) {
                // What most null vectors have.
                (Integer::Small(n), Integer::Small(d)) => {
                    let (mut line, mut at) = ([b' '; LINE], LINE - 1);
                    line[at] = b'\n';
                    if *d != 1 {
                        at = digits(&mut line, at, d.unsigned_abs()) - 1;
                        line[at] = b'/';
                    }
                    at = digits(&mut line, at, n.unsigned_abs());
                    if *n < 0 {
                        at -= 1;
                        line[at] = b'-';
                    }
                    for number in [j + 1, i + 1] {
                        at = digits(&mut line, at - 1, number);
                    }
                    text.extend_from_slice(&line[at..]);
                }
                _ => {
                    let line = match [v.numerator(), v.denominator()].map(Integer::to_i128) {
                        [Some(n), Some(1)] => format!("{} {} {n}\n", i + 1, j + 1),
                        [Some(n), Some(d)] => format!("{} {} {n}/{d}\n", i + 1, j + 1),
                        _ => format!("{} {} {v}\n", i + 1, j + 1),
                    };
                    memory::reserve(&mut text, line.len(), TEXT)?;
                    text.extend_from_slice(line.as_bytes());
                }
            }
        }
        self.bytes(text)
    }
    fn bytes(self, text: Vec<u8>) -> Result<Vec<u8>> {
        match text.is_empty() {
            true => Ok(text),
            false => self.compression.compressed(text).map_err(|source| Error::Io { file: "-".into(), source }),
        }
    }
}

/// Writes a number in decimal so that it ends before `at`; where it begins.
#[inline(always)]
fn digits(line: &mut [u8; LINE], mut at: usize, mut number: u64) -> usize {
    while number >= 100 {
        let pair = (number % 100) as usize;
        number /= 100;
        at -= 2;
        line[at..at + 2].copy_from_slice(&PAIRS[pair]);
    }
    if number >= 10 {
        at -= 2;
        line[at..at + 2].copy_from_slice(&PAIRS[number as usize]);
    } else {
        at -= 1;
        line[at] = b'0' + number as u8;
    }
    at
}

impl<'o> SmsWriter<'o> {
    /// A file of that name, compressed as it says ([`Compression`]); `-` is `stdout`. A device or a pipe, whose name
    /// says nothing, gets SMS.
    ///
    /// # Errors
    /// [`Error::Usage`] for a name that tells no format ([`FileFormat::from_path`]), [`Error::Io`] if nothing can be
    /// written there.
    pub fn create(path: &Path, stdout: &'o mut dyn Write) -> Result<Self> {
        let name = path.to_path_buf();
        if path == Path::new("-") {
            let encoding = Encoding { compression: Compression::None };
            return Ok(SmsWriter { name, target: Target::Stream(stdout), encoding });
        }
        let (format, compression) = match AtomicFile::is_in_place(path) {
            true => (FileFormat::Sms, Compression::None),
            false => FileFormat::from_path(path)?,
        };
        let file = AtomicFile::create(path)?;
        Ok(match format {
            FileFormat::Sms => SmsWriter { name, target: Target::File(file), encoding: Encoding { compression } },
            _ => {
                let target = Target::Held { text: vec![], file, format, compression };
                SmsWriter { name, target, encoding: Encoding { compression: Compression::None } }
            }
        })
    }
    /// How entries become bytes.
    pub fn encoding(&self) -> Encoding {
        self.encoding
    }
    /// Writes the header.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn begin(&mut self, rows: u64, cols: u64) -> Result<()> {
        self.head(rows, cols, 'M')
    }
    /// Writes the header of a matrix over ℚ.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn begin_rational(&mut self, rows: u64, cols: u64) -> Result<()> {
        self.head(rows, cols, 'Q')
    }
    fn head(&mut self, rows: u64, cols: u64, kind: char) -> Result<()> {
        let head = self.head_bytes(rows, cols, kind)?;
        self.write(&head)
    }
    /// The bytes of a header.
    pub(super) fn head_bytes(&self, rows: u64, cols: u64, kind: char) -> Result<Vec<u8>> {
        self.encoding.bytes(format!("{rows} {cols} {kind}\n").into_bytes())
    }
    /// Writes what [`Encoding::entries`] or [`Encoding::fractions`] made.
    ///
    /// # Errors
    /// [`Error::Io`]; [`Error::Memory`] where entries are held.
    pub fn write(&mut self, bytes: &[u8]) -> Result<()> {
        let written = match &mut self.target {
            Target::File(file) => file.write_all(bytes),
            Target::Stream(out) => out.write_all(bytes),
            Target::Held { text, .. } => {
                memory::reserve(text, bytes.len(), TEXT)?;
                text.extend_from_slice(bytes);
                Ok(())
            }
        };
        written.map_err(|source| Error::Io { file: self.name.clone(), source })
    }
    /// Writes the end, and moves the file into place once it is on disk: the observer sees the phase `flush`, and
    /// before it those of reading and writing where entries are held.
    ///
    /// # Errors
    /// [`Error::Io`]; where entries are held, also [`Error::Memory`], and [`Error::Matrix`] for values that the format
    /// does not have.
    pub fn finish(mut self, observer: &dyn Observer) -> Result<()> {
        let end = self.encoding.bytes(b"0 0 0\n".to_vec())?;
        self.write(&end)?;
        match self.target {
            Target::File(file) => {
                observer.phase("flush", 0);
                file.finish()
            }
            Target::Stream(out) => out.flush().map_err(|source| Error::Io { file: self.name, source }),
            Target::Held { text, mut file, format, compression } => {
                let matrix = read_rational_bytes(&self.name, &text, &ReadOptions::default(), observer)?;
                drop(text);
                write_rational_to(&mut file, &matrix, format, compression, observer)?;
                observer.phase("flush", 0);
                file.finish()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Silent;
    use crate::io::{read, read_bytes};
    use crate::sparse::{RationalMatrix, Triplets};

    const BLOCKS: [&[(u64, u64, u64)]; 3] = [&[(2, 0, 5), (0, 1, u64::MAX >> 1)], &[], &[(1, 1, 1)]];

    fn write(mut writer: SmsWriter<'_>) {
        writer.begin(3, 2).unwrap();
        for block in BLOCKS {
            let bytes = writer.encoding().entries(block.iter().copied()).unwrap();
            writer.write(&bytes).unwrap();
        }
        writer.finish(&Silent).unwrap();
    }

    #[test]
    fn numbers_of_every_length() {
        let encoding = Encoding { compression: Compression::None };
        let powers = (0..20).map(|k| 10u64.pow(k));
        let numbers: Vec<u64> = powers.flat_map(|n| [n - 1, n, n + 1]).chain([u64::MAX - 1, u64::MAX]).collect();
        let entries = numbers.iter().map(|&n| (n.min(u64::MAX - 1), 9, n));
        let text = encoding.entries(entries).unwrap();
        let expected: String = numbers.iter().map(|&n| format!("{} 10 {n}\n", n.min(u64::MAX - 1) + 1)).collect();
        assert_eq!(String::from_utf8(text).unwrap(), expected);
        assert!(encoding.entries(std::iter::empty()).unwrap().is_empty());
        let longest = encoding.entries([(u64::MAX - 1, u64::MAX - 1, u64::MAX)].into_iter()).unwrap();
        assert_eq!(longest.len(), 63);
        let fractions =
            [(i64::MIN, i64::MAX), (1 - i64::MAX, i64::MAX), (i64::MAX, 1 << 62), (-1, 10), (0, 1), (7, 99)];
        let fraction = |(n, d): (i64, i64)| Fraction::new(n.into(), d.into()).unwrap();
        let text = encoding.fractions(fractions.iter().map(|&v| (u64::MAX - 1, 0, fraction(v)))).unwrap();
        let expected: String = fractions.map(|v| format!("{} 1 {}\n", u64::MAX, fraction(v))).concat();
        assert_eq!(String::from_utf8(text).unwrap(), expected);
        let longest = [(u64::MAX - 1, u64::MAX - 1, fraction((i64::MIN, i64::MAX)))];
        assert_eq!(encoding.fractions(longest.into_iter()).unwrap().len(), LINE);
    }

    #[test]
    fn fractions_in_blocks_are_one_matrix() {
        let fraction = |n: i64, d: i64| Fraction::new(n.into(), d.into()).unwrap();
        let blocks = [
            vec![(2, 0, fraction(-5, 10)), (0, 1, fraction(4, 2))],
            vec![],
            vec![(1, 1, fraction(1, i64::MIN)), (0, 0, fraction(i64::MIN, 1))],
        ];
        let mut out = vec![];
        let mut writer = SmsWriter::create(Path::new("-"), &mut out).unwrap();
        writer.begin_rational(3, 2).unwrap();
        for block in &blocks {
            let bytes = writer.encoding().fractions(block.iter().cloned()).unwrap();
            writer.write(&bytes).unwrap();
        }
        writer.finish(&Silent).unwrap();
        assert!(
            out.starts_with(b"3 2 Q\n3 1 -1/2\n1 2 2\n2 2 -1/9223372036854775808\n1 1 -9223372036854775808\n0 0 0")
        );
        let entries = blocks.concat().into_iter().map(|(i, j, v)| (i as usize, j as usize, v));
        let expected = RationalMatrix::from_entries(3, 2, entries).unwrap();
        let options = ReadOptions::default();
        assert_eq!(read_rational_bytes(Path::new("out"), &out, &options, &Silent).unwrap(), expected);
    }

    #[test]
    fn what_is_written_in_blocks_is_one_matrix() {
        let all = BLOCKS.concat().into_iter().map(|(i, j, v)| (i as usize, j as usize, v as i64));
        let expected = Triplets::from_entries(3, 2, all);
        let mut out = vec![];
        write(SmsWriter::create(Path::new("-"), &mut out).unwrap());
        assert!(out.starts_with(b"3 2 M\n3 1 5\n") && out.ends_with(b"\n2 2 1\n0 0 0\n"));
        let options = ReadOptions::default();
        assert_eq!(read_bytes(Path::new("out"), &out, &options, &Silent).unwrap(), expected);
        let folder = std::env::temp_dir().join(format!("blackfield-stream-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let names = match (cfg!(feature = "archives"), cfg!(feature = "gzip")) {
            (true, _) => &["a.sms", "a.sms.gz", "a.sms.xz", "a.mtx", "a.mtx.zst", "a.npy", "a.npz"][..],
            (false, true) => &["a.sms", "a.sms.gz", "a.mtx", "a.npy"],
            (false, false) => &["a.sms", "a.mtx", "a.npy"],
        };
        for name in names {
            let file = folder.join(name);
            write(SmsWriter::create(&file, &mut vec![]).unwrap());
            assert_eq!(read(&file, &options, &Silent).unwrap(), expected);
        }
        // Without its end there is no file.
        let file = folder.join("none.sms");
        SmsWriter::create(&file, &mut vec![]).unwrap().begin(1, 1).unwrap();
        assert!(!file.exists());
        for name in ["a.txt", "a"] {
            let refused = SmsWriter::create(&folder.join(name), &mut vec![]).map(drop);
            assert!(matches!(refused, Err(Error::Usage(_))), "{name}");
        }
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
