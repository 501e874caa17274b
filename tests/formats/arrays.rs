//! Binary and packed files, in `datasets/formats/arrays`. Cut off or damaged, they end in an answer or in an error that
//! says where.

use blackfield::answers::RankOptions;
use blackfield::field::Modulus;
use blackfield::io::{ReadOptions, read, read_bytes};
use blackfield::sparse::Triplets;
use blackfield::{Error, Silent, answers};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("datasets/formats/arrays")
}

/// A line of the manifest: a file, `::` and what is selected in it if there is a choice; its twin; whether only its
/// pattern is read.
struct Line {
    file: String,
    twin: String,
    options: ReadOptions,
}

fn manifest() -> Vec<Line> {
    let text = std::fs::read_to_string(folder().join("MANIFEST.tsv")).unwrap();
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    lines
        .map(|line| {
            let fields: Vec<&str> = line.split('\t').collect();
            let [file, twin, mode, _tool] = fields[..] else { panic!("{line}") };
            assert!(["exact", "pattern"].contains(&mode), "{line}");
            let options = ReadOptions::default().pattern(mode == "pattern");
            Line { file: file.into(), twin: format!("{twin}.sms"), options }
        })
        .collect()
}

fn file_of(line: &Line) -> &str {
    line.file.split("::").next().unwrap()
}

fn rank(a: &Triplets, p: u64) -> usize {
    let matrix = a.reduce(Modulus::new(p).unwrap());
    answers::rank(&matrix, &RankOptions::default(), &Silent).unwrap().rank
}

#[test]
fn every_file_is_its_twin() {
    for line in manifest() {
        let a = read(&folder().join(&line.file), &line.options, &Silent).unwrap_or_else(|e| panic!("{e}"));
        let b = read(&folder().join(&line.twin), &line.options, &Silent).unwrap();
        assert_eq!(a, b, "{}", line.file);
        assert_eq!(a.digest(), b.digest(), "{}", line.file);
        for p in [2, 65521] {
            assert_eq!(rank(&a, p), rank(&b, p), "{} mod {p}", line.file);
        }
    }
}

#[test]
fn the_manifest_names_every_file() {
    let entries = std::fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let found: BTreeSet<String> = entries.collect();
    let lines = manifest();
    let mut told: BTreeSet<String> = lines.iter().flat_map(|l| [file_of(l).to_string(), l.twin.clone()]).collect();
    told.extend(["MANIFEST.tsv", "README.md", "make.py"].map(String::from));
    assert_eq!(found, told);
}

/// The message of the error that a file gives, which names the file; `None` for a matrix.
fn refusal(bytes: &[u8], options: &ReadOptions) -> Option<String> {
    match read_bytes(Path::new("input"), bytes, options, &Silent) {
        Ok(_) => None,
        Err(error @ Error::Input { .. }) => {
            let message = error.to_string();
            assert!(message.starts_with("input"), "{message}");
            Some(message)
        }
        Err(error) => panic!("{error:?}"),
    }
}

#[test]
fn truncated_files_are_refused() {
    let mut cut_to_nothing = 0;
    for line in manifest().iter().filter(|line| !line.file.contains("::")) {
        let bytes = std::fs::read(folder().join(&line.file)).unwrap();
        for length in (0..bytes.len()).step_by(1 + bytes.len() / 150) {
            // Zeros at the end of an archive, and a last line feed may be missing; a text does not show that its last
            // number has lost digits.
            if refusal(&bytes[..length], &line.options).is_none() {
                cut_to_nothing += 1;
                let tail = &bytes[length..];
                let idle = match file_of(line).rsplit_once('.') {
                    Some((_, "hb")) => tail.len() < 25,
                    _ => tail.iter().all(|&b| b == 0 || b == b'\n'),
                };
                assert!(idle, "{} cut to {length} of {} bytes", line.file, bytes.len());
            }
        }
    }
    assert!(cut_to_nothing > 0, "an archive without its last blocks is read");
}

#[test]
fn damaged_files_end_in_answers_or_errors() {
    for line in manifest().iter().filter(|line| !line.file.contains("::")) {
        let bytes = std::fs::read(folder().join(&line.file)).unwrap();
        let (mut refused, mut tried) = (0, 0);
        for at in (0..bytes.len()).step_by(1 + bytes.len() / 100) {
            for flip in [0x01, 0x80, 0xff] {
                let mut damaged = bytes.clone();
                damaged[at] ^= flip;
                tried += 1;
                refused += usize::from(refusal(&damaged, &line.options).is_some());
            }
        }
        // Each compression here has a checksum; the rest has room for other values.
        assert!(tried > 0 && refused > 0, "{}", line.file);
    }
}

/// What is wrong is told with its place, what was expected, and what to do.
#[test]
fn refusals() {
    let message = |file: &str| {
        read(&folder().join(file), &ReadOptions::default(), &Silent)
            .unwrap_err()
            .to_string()
            .replace(&format!("{}/", folder().display()), "")
    };
    for (file, expected) in [
        ("two.npz", "two.npz: expected one matrix, found first, second: name the array, as in two.npz::first"),
        ("two.npz::third", "two.npz: expected the array \"third\", found first, second"),
        (
            "several.mat",
            "several.mat: expected one matrix, found S, B, title, cells: name the variable, as in several.mat::S",
        ),
        ("several.mat::title", "several.mat: expected the variable \"title\", found S, B, title, cells"),
        (
            "bits-complex128.npy",
            "bits-complex128.npy: byte 128: complex values have no meaning mod p (--pattern takes the 0-1 pattern of any matrix)",
        ),
        (
            "small.tar::other",
            "small.tar: expected the member \"other\", found small/small_b.mtx, small/small.mtx, small/README.txt",
        ),
        ("small.tar::README.txt", "small.tar::small/README.txt:1: expected a"),
        ("small.mtx.gz::A", "small.mtx.gz: expected several matrices of which \"A\" is one, found a text"),
        ("column.npy::A", "column.npy: expected several arrays of which \"A\" is one, found one"),
        (
            "arrays.tar.zst",
            "arrays.tar.zst: expected one matrix, found small-csr.npz, problem.mat, small-le-i8.npy: name the member, as in",
        ),
    ] {
        let found = message(file).replace(&format!("{}/", folder().display()), "");
        assert!(found.starts_with(expected), "{file}: {found}");
    }
}
