//! What the tests know about `datasets/`: its manifest, parsed independently of the library.

use num_bigint::BigInt;
use std::path::PathBuf;

/// Where a matrix comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// A file of `datasets/`.
    File(PathBuf),
    /// A name for `families::generate`.
    Generated(String),
}

/// A line of `datasets/MANIFEST.tsv`.
#[derive(Clone, Debug)]
#[allow(dead_code, reason = "each test program uses some of the fields")]
pub struct Entry {
    /// The matrix's name: that of the file without extensions, or that of the generator.
    pub name: String,
    pub source: Source,
    pub rows: usize,
    pub cols: usize,
    /// Entries as stored: one triangle of a symmetric file, explicit zeros included.
    pub nnz: usize,
    /// Pairs (p, rank mod p).
    pub ranks: Vec<(u64, usize)>,
    /// The permanent of the 0–1 pattern.
    pub permanent: Option<BigInt>,
}

/// The folder `datasets/`.
pub fn datasets() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("datasets")
}

/// All lines of the manifest.
///
/// # Panics
/// If a line does not have nine columns, or a number is malformed.
pub fn manifest() -> Vec<Entry> {
    let text = std::fs::read_to_string(datasets().join("MANIFEST.tsv")).expect("datasets/MANIFEST.tsv");
    text.lines().skip(1).map(entry).collect()
}

fn entry(line: &str) -> Entry {
    let columns: Vec<&str> = line.split('\t').collect();
    let [origin, rows, cols, nnz, _kind, ranks, other, _source, _licence] = columns[..] else {
        panic!("nine columns are needed: {line}")
    };
    let number = |text: &str| text.parse().unwrap_or_else(|_| panic!("'{text}' in {line}"));
    let pair = |text: &str| {
        let (p, rank) = text.split_once(':').unwrap_or_else(|| panic!("p:rank, not '{text}' in {line}"));
        (number(p) as u64, number(rank))
    };
    let source = match origin.strip_prefix("generated:") {
        Some(name) => Source::Generated(name.to_string()),
        None => Source::File(datasets().join(origin)),
    };
    let name = origin.trim_start_matches("generated:").trim_end_matches(".gz");
    let name = [".mtx", ".sms", ".rua"].iter().fold(name, |name, ending| name.strip_suffix(ending).unwrap_or(name));
    Entry {
        name: name.to_string(),
        source,
        rows: number(rows),
        cols: number(cols),
        nnz: number(nnz),
        ranks: if ranks == "-" { vec![] } else { ranks.split(' ').map(pair).collect() },
        permanent: other.split("; ").find_map(|fact| {
            let digits = fact.strip_prefix("permanent of the 0-1 pattern = ")?;
            Some(digits.parse().unwrap_or_else(|_| panic!("'{digits}' in {line}")))
        }),
    }
}
