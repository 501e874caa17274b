//! The house keeps its shape: a room imports only from rooms earlier in the flow, `unsafe` stays in its corners, and files
//! stay readable.

use std::fs;
use std::path::{Path, PathBuf};

/// Every room with the rooms it may use, in the order of the flow.
const MAY_USE: &[(&str, &[&str])] = &[
    ("report", &[]),
    ("isa", &[]),
    ("field", &["isa"]),
    ("dense", &["report", "isa", "field"]),
    ("poly", &["report", "isa", "field"]),
    ("sparse", &["field"]),
    ("integers", &["report", "field", "sparse"]),
    ("pivots", &["field", "sparse"]),
    ("io", &["field", "sparse"]),
    ("families", &["field", "sparse"]),
    ("matching", &["sparse"]),
    ("spmv", &["isa", "field", "sparse"]),
    ("gpu", &[]),
    ("blackbox", &["field", "sparse", "spmv"]),
    ("schur", &["report", "isa", "field", "dense", "sparse", "pivots", "spmv", "blackbox"]),
    ("sequence", &["report", "isa", "field", "dense", "sparse", "spmv", "blackbox"]),
    ("sigma_basis", &["report", "isa", "field", "poly"]),
    ("elimination", &["report", "isa", "field", "dense", "sparse", "pivots", "schur"]),
    ("certify", &["report", "field", "sparse"]),
    ("permanent", &["report", "isa", "field", "sparse", "integers", "io", "matching", "gpu", "elimination"]),
    (
        "answers",
        &[
            "report",
            "isa",
            "field",
            "dense",
            "poly",
            "sparse",
            "integers",
            "matching",
            "pivots",
            "spmv",
            "blackbox",
            "schur",
            "sequence",
            "sigma_basis",
            "elimination",
            "certify",
            "gpu",
        ],
    ),
];

fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(rust_files(&path));
        } else if path.extension().is_some_and(|e| e == "rs") {
            files.push(path);
        }
    }
    files
}

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// The code of a file without its tests and comments.
fn code(file: &Path) -> String {
    let text = fs::read_to_string(file).unwrap();
    let body = text.split("#[cfg(test)]\nmod tests {").next().unwrap();
    body.lines().filter(|l| !l.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n")
}

/// Whether the code names a room, by its path or in a group `use crate::{…}`.
fn imports(code: &str, room: &str) -> bool {
    let path = code.contains(&format!("crate::{room}::")) || code.contains(&format!("crate::{room};"));
    let grouped = code.split("use crate::{").skip(1).any(|group| {
        let group = group.split(';').next().unwrap();
        group.split([',', '{', '}', ' ', '\n']).any(|item| item == room || item.starts_with(&format!("{room}::")))
    });
    path || grouped
}

#[test]
fn imports_are_seen() {
    assert!(imports("use crate::io::read;", "io") && imports("use crate::{Error, io::{self}};", "io"));
    assert!(imports("use crate::{io, sparse};", "io") && !imports("use crate::{bio, sparse::io};", "io"));
    assert!(!imports("use crate::iota::x;", "io"));
}

#[test]
fn dependencies_point_one_way() {
    let rooms: Vec<&str> = MAY_USE.iter().map(|(room, _)| *room).collect();
    let mut offences = Vec::new();
    for (room, allowed) in MAY_USE {
        let files = rust_files(&root().join("src").join(room));
        assert!(!files.is_empty(), "room {room} is empty");
        for file in files.iter().filter(|f| !f.ends_with("tests.rs")) {
            let code = code(file);
            for other in rooms.iter().filter(|other| *other != room && !allowed.contains(other)) {
                if imports(&code, other) {
                    offences.push(format!("{} uses {other}", file.display()));
                }
            }
        }
    }
    assert!(offences.is_empty(), "{offences:#?}");
    for entry in fs::read_dir(root().join("src")).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        assert!(!path.is_dir() || rooms.contains(&name.as_str()), "room {name} is not in the table");
    }
}

#[test]
fn unsafe_code_stays_in_its_corners_and_says_why() {
    for file in rust_files(&root().join("src")) {
        let code = code(&file);
        let uses = code.matches("unsafe").count() - code.matches("unsafe_code").count();
        let name = file.strip_prefix(root()).unwrap().to_string_lossy().into_owned();
        let corner =
            ["isa/x86.rs", "simd/x86/", "field/clmul.rs", "src/gpu/", "io/map.rs"].iter().any(|c| name.contains(c));
        assert!(uses == 0 || corner, "{name}: unsafe outside instruction-set folders, gpu and foreign interfaces");
        if uses > 0 {
            let text = fs::read_to_string(&file).unwrap();
            assert!(text.contains("SAFETY:"), "{name}: unsafe without a SAFETY comment");
        }
    }
}

/// The program has one such corner: a global allocator cannot be had otherwise, nor a process ended without memory.
#[test]
fn the_program_is_unsafe_in_its_allocator_alone() {
    let uses = |file: &PathBuf| code(file).contains("unsafe");
    let files: Vec<PathBuf> = rust_files(&root().join("tools")).into_iter().filter(uses).collect();
    assert_eq!(files, [root().join("tools/blackfield/allocator.rs")]);
    let text = fs::read_to_string(&files[0]).unwrap();
    let blocks =
        text.matches("unsafe {").count() + text.matches("unsafe impl").count() + text.matches("unsafe extern").count();
    assert!(text.matches("SAFETY:").count() >= blocks, "each block says why it is sound");
}

#[test]
fn files_tell_one_idea() {
    for folder in ["src", "tools", "tests", "benches"] {
        for file in rust_files(&root().join(folder)) {
            let lines = fs::read_to_string(&file).unwrap().lines().count();
            assert!(lines <= 600, "{}: {lines} lines want to be two files", file.display());
        }
    }
}
