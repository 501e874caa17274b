//! Texts and CADO-NFS's files, in `datasets/formats`: plain and compressed.

use blackfield::io::{Base, Layout, ReadOptions, read_rational, read_rational_bytes};
use blackfield::{Silent, sparse::RationalMatrix};
use flate2::{Compression, write::GzEncoder};
use std::collections::BTreeSet;
use std::io::Write;
use std::path::{Path, PathBuf};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("datasets/formats")
}

/// The options of a command line.
fn options(words: &str) -> ReadOptions {
    match words {
        "-" => ReadOptions::default(),
        "--base 0" => ReadOptions::default().base(Base::Zero),
        "--layout triples" => ReadOptions::default().layout(Layout::Triples),
        "--layout dense" => ReadOptions::default().layout(Layout::Dense),
        "--layout edges" => ReadOptions::default().layout(Layout::Edges),
        "--layout arcs" => ReadOptions::default().layout(Layout::Arcs),
        "--layout metis" => ReadOptions::default().layout(Layout::Metis),
        "--layout adjacency" => ReadOptions::default().layout(Layout::Adjacency),
        other => panic!("options {other}"),
    }
}

/// File, twin, options and maker of each line.
fn manifest() -> Vec<[String; 4]> {
    let text = std::fs::read_to_string(folder().join("MANIFEST.tsv")).unwrap();
    let line = |line: &str| {
        let fields: Vec<String> = line.split('\t').map(str::to_string).collect();
        fields.try_into().expect("four fields")
    };
    text.lines().skip(1).map(line).collect()
}

fn read(name: &str, options: &ReadOptions) -> RationalMatrix {
    read_rational(&folder().join(name), options, &Silent).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn every_file_is_the_matrix_of_its_twin() {
    for [file, twin, words, maker] in manifest() {
        let options = options(&words);
        let expected = read(&twin, &ReadOptions::default());
        let found = read(&file, &options);
        assert_eq!(found.digest(), expected.digest(), "{file}, by {maker}");
        assert_eq!(found, expected, "{file}");
        let mut packer = GzEncoder::new(Vec::new(), Compression::fast());
        packer.write_all(&std::fs::read(folder().join(&file)).unwrap()).unwrap();
        let packed = packer.finish().unwrap();
        let streamed = read_rational_bytes(Path::new(&file), &packed, &options, &Silent);
        let streamed = streamed.unwrap_or_else(|error| panic!("compressed: {error}"));
        // The number of columns stands in the weights beside the file, which are not seen here.
        assert!(streamed == expected, "{file} compressed");
    }
}

/// What needs an option is refused without it, by a message that names the option.
#[test]
fn options_are_asked_for() {
    for [file, _, words, _] in manifest().iter().filter(|[_, _, words, _]| words != "-") {
        let refused = read_rational(&folder().join(file), &ReadOptions::default(), &Silent);
        let message = refused.expect_err("it could be two things").to_string();
        let option = words.split(' ').next().unwrap();
        assert!(message.contains(option) || message.contains("a number, found"), "{message}");
    }
}

#[test]
fn the_folder_is_complete() {
    let listed = manifest().into_iter().flat_map(|[file, twin, ..]| [file, twin]);
    let others = ["MANIFEST.tsv", "README.md", "make.py", "cado.rw.bin", "cado.cw.bin"].map(str::to_string);
    let expected: BTreeSet<String> = listed.chain(others).collect();
    let found = std::fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_file());
    let found = found.map(|path| path.file_name().unwrap().to_string_lossy().into_owned());
    assert_eq!(found.collect::<BTreeSet<String>>(), expected);
}
