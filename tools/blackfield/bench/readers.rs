//! Readers of matrix files: bytes of text a second.

use super::clock::{Clock, Run};
use blackfield::field::Rng;
use blackfield::io::{Compression, FileFormat, ReadOptions, read_bytes, write_to};
use blackfield::sparse::Triplets;
use blackfield::{Result, Silent, families};
use rand::{RngExt, SeedableRng};
use std::path::Path;

/// Bytes a second that each thread should read of text.
const GOAL: f64 = 500e6;

pub fn time(clock: &mut Clock) -> Result<()> {
    let name = clock.pick("ch4-4-b2", "ch7-9-b4");
    let signs = families::generate(name)?;
    let numbers = with_numbers(&signs)?;
    for (what, matrix) in [(format!("{name}, entries ±1"), &signs), (format!("{name}, entries of 9 digits"), &numbers)]
    {
        for (format, packed, called) in [
            (FileFormat::Sms, Compression::None, "sms"),
            (FileFormat::MatrixMarket, Compression::None, "mtx"),
            (FileFormat::MatrixMarket, Compression::Gzip, "mtx.gz"),
        ] {
            let (mut file, mut text) = (vec![], vec![]);
            write_to(&mut text, matrix, format, Compression::None, &Silent)?;
            write_to(&mut file, matrix, format, packed, &Silent)?;
            let run = Run {
                group: "readers",
                name: format!("{called}, {what}"),
                work: text.len() as f64,
                unit: "bytes of text",
                predicted: None,
                // Whoever decompresses waits for that.
                goal: (packed == Compression::None).then_some(GOAL),
            };
            let digest = matrix.digest();
            let read = |found: &mut Triplets| {
                *found = read_bytes(Path::new(called), &file, &ReadOptions::default(), &Silent)?;
                Ok(())
            };
            clock.time(run, Triplets::default(), read, |found| Ok(found.digest() == digest))?;
        }
    }
    Ok(())
}

/// The same pattern with long numbers.
fn with_numbers(signs: &Triplets) -> Result<Triplets> {
    let mut rng = Rng::seed_from_u64(9);
    let entries = signs.entries().map(|(i, j, _)| (i, j, rng.random_range(100_000_000..1_000_000_000i64)));
    Triplets::try_from_entries(signs.rows(), signs.cols(), entries)
}
