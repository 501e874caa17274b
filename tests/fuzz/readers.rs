//! Matrix files: whatever the bytes, an answer or an error that names a line; read as a stream, as a pattern, and
//! written and read again, the matrix is the same, and it equals that of the naive reader if that understands the file.

use super::naive;
use blackfield::io::{
    Compression as Packing, FileFormat, ReadOptions, read_bytes, read_rational_bytes, write_rational_to, write_to,
};
use blackfield::sparse::{RationalMatrix, Triplets};
use blackfield::{Error, Silent};
use flate2::{Compression, write::GzEncoder};
use std::io::Write;
use std::path::Path;

/// SMS.
pub fn sms(data: &[u8]) -> bool {
    check(data, naive::sms)
}

/// MatrixMarket.
pub fn matrix_market(data: &[u8]) -> bool {
    check(data, naive::matrix_market)
}

/// Harwell–Boeing and Rutherford–Boeing.
pub fn harwell_boeing(data: &[u8]) -> bool {
    check(data, naive::harwell_boeing)
}

/// Binary arrays, archives and compressed files of any kind: no place in a text, but the name and no other error; in a
/// bit of memory the same matrix or a refusal; written and read again it is the same.
pub fn arrays(data: &[u8]) -> bool {
    let read = |options: &ReadOptions| match read_bytes(Path::new("input"), data, options, &Silent) {
        Ok(matrix) => Some(matrix),
        Err(error @ Error::Input { .. }) => {
            let message = error.to_string();
            assert!(message.starts_with("input"), "{message}");
            None
        }
        Err(Error::Memory(_)) => None,
        Err(other) => panic!("{other:?}"),
    };
    let exact = read(&ReadOptions::default());
    let pattern = read(&ReadOptions::default().pattern(true));
    let small = read(&ReadOptions::default().max_memory(1 << 20));
    if let (Some(exact), Some(small)) = (&exact, &small) {
        assert_eq!(exact, small, "within a limit");
    }
    if let Some(exact) = &exact {
        // Among several files, more than one may have a pattern.
        if let Some(pattern) = &pattern {
            assert!((exact.rows(), exact.cols()) == (pattern.rows(), pattern.cols()) && exact.nnz() <= pattern.nnz());
        }
        for format in [FileFormat::Sms, FileFormat::Npz] {
            let mut file = Vec::new();
            match write_to(&mut file, exact, format, Packing::None, &Silent) {
                Ok(()) => assert_eq!(self::read(&file, false).as_ref(), Ok(exact), "{format:?}"),
                Err(error) => assert!(format == FileFormat::Npz && error.to_string().contains("bits"), "{error}"),
            }
        }
    }
    exact.is_some() || pattern.is_some()
}

/// The matrix, or the error.
fn read(data: &[u8], pattern: bool) -> Result<Triplets, String> {
    let options = ReadOptions::default().pattern(pattern);
    read_bytes(Path::new("input"), data, &options, &Silent).map_err(|error| {
        match &error {
            Error::Input { line, .. } => {
                // What is packed counts its own lines, and what is binary none.
                let lines = data.iter().filter(|&&b| b == b'\n').count() as u64 + 1;
                let packed = data.starts_with(&[0x1f, 0x8b]);
                assert!(packed || *line == 0 || (1..=lines).contains(line), "line {line} of {lines}: {error}");
            }
            Error::Memory(_) => {}
            other => panic!("{other:?}"),
        }
        error.to_string()
    })
}

/// The reader of fractions agrees on every file without any, and gives back what the writers make of one with some.
fn check_fractions(data: &[u8], integers: Option<&Triplets>) -> bool {
    let read = |data: &[u8]| read_rational_bytes(Path::new("input"), data, &ReadOptions::default(), &Silent);
    let found = read(data);
    if let Some(integers) = integers {
        assert_eq!(found.as_ref().map(RationalMatrix::numerators).ok(), Some(integers), "read as fractions");
    }
    let Ok(matrix) = found else { return false };
    for (format, packing) in [(FileFormat::Sms, Packing::Gzip), (FileFormat::MatrixMarket, Packing::None)] {
        let mut text = Vec::new();
        write_rational_to(&mut text, &matrix, format, packing, &Silent).expect("memory takes bytes");
        assert!(read(&text).expect("what was written") == matrix, "written and read again");
    }
    true
}

fn check(data: &[u8], naive: fn(&[u8]) -> Option<naive::Matrix>) -> bool {
    let found = read(data, false);
    if let Some(expected) = naive(data) {
        let found = found.as_ref().unwrap_or_else(|error| panic!("a plain file is refused: {error}"));
        assert_eq!((found.rows(), found.cols()), (expected.rows, expected.cols));
        let entries = found.entries().map(|(i, j, v)| ((i, j), v.to_string()));
        let expected = expected.entries.iter().filter(|(_, v)| **v != 0).map(|(place, v)| (*place, v.to_string()));
        assert!(entries.eq(expected), "other entries than the naive reader's");
    }
    let as_pattern = read(data, true);
    if !data.starts_with(&[0x1f, 0x8b]) {
        let mut packer = GzEncoder::new(Vec::new(), Compression::fast());
        packer.write_all(data).expect("memory takes bytes");
        let packed = packer.finish().expect("memory takes bytes");
        for (pattern, plain) in [(false, &found), (true, &as_pattern)] {
            let streamed = read(&packed, pattern).map(|matrix| matrix.digest());
            assert_eq!(streamed, plain.as_ref().map(Triplets::digest).map_err(Clone::clone), "read as a stream");
        }
    }
    for matrix in [&found, &as_pattern].into_iter().flatten() {
        for (format, packing) in [(FileFormat::Sms, Packing::None), (FileFormat::MatrixMarket, Packing::Gzip)] {
            let mut text = Vec::new();
            write_to(&mut text, matrix, format, packing, &Silent).expect("memory takes bytes");
            assert_eq!(read(&text, false).map(|again| again.digest()), Ok(matrix.digest()), "written and read again");
        }
    }
    if let Ok(matrix) = &found {
        let as_pattern = as_pattern.as_ref().unwrap_or_else(|error| panic!("refused as a pattern alone: {error}"));
        assert_eq!((matrix.rows(), matrix.cols()), (as_pattern.rows(), as_pattern.cols()));
        let mut places = as_pattern.entries();
        // Sums at one position may vanish, a pattern has no such sums.
        for (i, j, _) in matrix.entries() {
            let (_, _, one) = places.find(|&(k, l, _)| (k, l) == (i, j)).expect("the entry in the pattern");
            assert_eq!(one.to_string(), "1");
        }
    }
    check_fractions(data, found.as_ref().ok()) || found.is_ok() || as_pattern.is_ok()
}
