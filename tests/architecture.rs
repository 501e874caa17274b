//! The structure of the code: a room imports only from rooms earlier in the flow, no permission is unused, `unsafe` is
//! confined to a few places and justified block by block, no two files use each other, and files and functions stay
//! readable.

#[path = "architecture/cycles.rs"]
mod cycles;
#[path = "architecture/sizes.rs"]
mod sizes;

use std::fs;
use std::path::{Path, PathBuf};

/// Every room with the rooms that it may use, in the order of the flow.
const MAY_USE: &[(&str, &[&str])] = &[
    ("report", &[]),
    ("isa", &[]),
    ("field", &["isa"]),
    ("cost", &["isa", "field"]),
    ("gpu", &[]),
    ("dense", &["report", "isa", "field", "cost", "gpu"]),
    ("poly", &["report", "isa", "field", "cost", "gpu"]),
    ("univariate", &["report", "field", "poly"]),
    ("sparse", &["field"]),
    ("integers", &["report", "field", "sparse"]),
    ("pivots", &["cost", "isa", "sparse"]),
    ("io", &["report", "sparse"]),
    ("complexes", &["field", "sparse", "io"]),
    ("families", &["field", "sparse", "complexes"]),
    ("matching", &["sparse"]),
    ("graph", &["sparse"]),
    ("spmv", &["isa", "field", "cost", "sparse", "gpu"]),
    ("blackbox", &["field", "spmv"]),
    ("decomposition", &["field", "dense", "sparse", "pivots"]),
    (
        "schur",
        &["report", "isa", "field", "cost", "dense", "sparse", "pivots", "decomposition", "gpu", "spmv", "blackbox"],
    ),
    ("padic", &["report", "isa", "field", "dense", "sparse", "integers", "decomposition"]),
    ("sequence", &["report", "isa", "field", "dense", "gpu", "spmv", "blackbox"]),
    ("sigma_basis", &["report", "isa", "field", "gpu", "poly"]),
    ("elimination", &["report", "isa", "field", "cost", "dense", "sparse", "pivots", "decomposition", "schur"]),
    ("certify", &["report", "field", "sparse"]),
    ("large", &["report", "field", "sparse", "pivots", "certify"]),
    (
        "wiedemann",
        &["report", "field", "cost", "dense", "poly", "gpu", "spmv", "blackbox", "sequence", "sigma_basis", "certify"],
    ),
    (
        "invariants",
        &[
            "report",
            "field",
            "cost",
            "dense",
            "poly",
            "univariate",
            "spmv",
            "blackbox",
            "sequence",
            "sigma_basis",
            "certify",
            "wiedemann",
        ],
    ),
    (
        "permanent",
        &["report", "isa", "field", "cost", "sparse", "integers", "io", "matching", "graph", "gpu", "elimination"],
    ),
    ("hafnian", &["isa", "field", "cost", "sparse", "integers", "io", "graph", "elimination", "permanent"]),
    (
        "answers",
        &[
            "report",
            "isa",
            "field",
            "cost",
            "dense",
            "univariate",
            "sparse",
            "complexes",
            "integers",
            "matching",
            "pivots",
            "decomposition",
            "padic",
            "gpu",
            "spmv",
            "blackbox",
            "schur",
            "elimination",
            "certify",
            "large",
            "wiedemann",
            "invariants",
        ],
    ),
    (
        "tune",
        &[
            "report",
            "isa",
            "field",
            "cost",
            "dense",
            "poly",
            "sparse",
            "pivots",
            "io",
            "families",
            "matching",
            "spmv",
            "schur",
            "sequence",
            "sigma_basis",
            "wiedemann",
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

/// Whether a file is only for tests.
fn is_test(file: &Path) -> bool {
    let name = file.file_stem().unwrap().to_string_lossy();
    name == "tests" || name.ends_with("_tests") || file.components().any(|part| part.as_os_str() == "tests")
}

/// The code of each non-test file of a room.
fn room_code(room: &str) -> Vec<(PathBuf, String)> {
    let folder = root().join("src");
    let own = |file: &PathBuf| !is_test(file.strip_prefix(&folder).unwrap());
    let files = rust_files(&folder.join(room)).into_iter().filter(own);
    files.map(|file| (file.clone(), code(&file))).collect()
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

/// The rooms in an order in which each comes after those that it uses (A. B. Kahn, 1962); or those that cannot be
/// ordered: the rooms of a cycle, those that use one of them, and those that use a room missing from the table.
fn order<'a>(table: &[(&'a str, &[&'a str])]) -> Result<Vec<&'a str>, Vec<&'a str>> {
    let mut placed: Vec<&str> = vec![];
    loop {
        let open = table.iter().filter(|(room, _)| !placed.contains(room));
        let Some((next, _)) = open.clone().find(|(_, uses)| uses.iter().all(|used| placed.contains(used))) else {
            let left: Vec<&str> = open.map(|(room, _)| *room).collect();
            return if left.is_empty() { Ok(placed) } else { Err(left) };
        };
        placed.push(next);
    }
}

#[test]
fn cycles_are_seen() {
    assert_eq!(order(&[("roof", &["walls", "floor"]), ("walls", &["floor"]), ("floor", &[])]), {
        Ok(vec!["floor", "walls", "roof"])
    });
    let cycle: [(&str, &[&str]); 4] = [("a", &[]), ("b", &["a", "d"]), ("c", &["b"]), ("d", &["c"])];
    assert_eq!(order(&cycle), Err(vec!["b", "c", "d"]));
    assert_eq!(order(&[("alone", &["alone"])]), Err(vec!["alone"]));
    assert_eq!(order(&[("a", &["nobody"]), ("b", &[])]), Err(vec!["a"]));
}

#[test]
fn the_table_has_no_cycle_and_follows_the_flow() {
    let order =
        order(MAY_USE).unwrap_or_else(|left| panic!("a cycle, or a room missing from the table, among {left:?}"));
    assert_eq!(order.len(), MAY_USE.len());
    for (k, (room, allowed)) in MAY_USE.iter().enumerate() {
        assert!(MAY_USE[..k].iter().all(|(other, _)| other != room), "room {room} has two lines");
        for used in *allowed {
            assert!(MAY_USE[..k].iter().any(|(other, _)| other == used), "{room} uses {used}, which comes after it");
        }
    }
}

#[test]
fn dependencies_point_one_way() {
    let rooms: Vec<&str> = MAY_USE.iter().map(|(room, _)| *room).collect();
    let mut offences = Vec::new();
    for (room, allowed) in MAY_USE {
        let files = room_code(room);
        assert!(!files.is_empty(), "room {room} is empty");
        for (file, code) in files {
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
fn every_permission_is_used() {
    let mut unused = Vec::new();
    for (room, allowed) in MAY_USE {
        let files = room_code(room);
        let idle = allowed.iter().filter(|other| !files.iter().any(|(_, code)| imports(code, other)));
        unused.extend(idle.map(|other| format!("{room} does not use {other}")));
    }
    assert!(unused.is_empty(), "{unused:#?}");
}

/// A line without its string literals and trailing comment.
fn bare(line: &str) -> String {
    let line: String = line.replace("\\\"", "").split('"').step_by(2).collect();
    line.split("//").next().unwrap().to_string()
}

/// The line numbers of `unsafe` code without a justification: a block, implementation or foreign interface without
/// `SAFETY:` in the comment directly above its statement; a function without `# Safety` in its documentation, unless it
/// implements a trait, which has it.
fn unexplained(text: &str) -> Vec<usize> {
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let mut found = Vec::new();
    for (k, line) in lines.iter().enumerate() {
        let code = bare(line);
        let words: Vec<&str> = code.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
        if !words.contains(&"unsafe") {
            continue;
        }
        // Up to the comment: over attributes, and the beginning of the statement.
        let begins = |line: &str| {
            let code = bare(line);
            !line.starts_with("//") && !code.trim_end().ends_with([';', '{', '}', ',']) && !code.trim().is_empty()
        };
        let above = lines[..k].iter().rev().skip_while(|line| begins(line));
        let comment: Vec<&str> = above.map_while(|line| line.starts_with("//").then_some(*line)).collect();
        let is_function = code.contains("unsafe fn");
        let in_trait =
            is_function && lines[..k].iter().rev().find(|l| l.contains("impl")).is_some_and(|l| l.contains(" for "));
        let wanted = if is_function { "# Safety" } else { "SAFETY:" };
        if !in_trait && !comment.iter().any(|line| line.contains(wanted)) {
            found.push(k + 1);
        }
    }
    found
}

#[test]
fn unexplained_code_is_seen() {
    let good = [
        "// SAFETY: so.\nunsafe { f() }",
        "// SAFETY: a long\n// comment.\n#[allow(x)]\nlet (a, b) =\n    unsafe { f() };",
        "/// # Safety\n/// Needs AVX2.\n#[inline]\nunsafe fn f() {}",
        "// SAFETY: so.\nunsafe impl Send for A {\n    unsafe fn f() {}\n}",
        "let a = \"unsafe { }\"; // unsafe { }\n/// unsafe\n#![allow(unsafe_code)]",
    ];
    for text in good {
        assert_eq!(unexplained(text), [0; 0], "{text}");
    }
    let bad = [
        ("unsafe { f() }", 1),
        ("// SAFETY: so.\nunsafe { f() };\nunsafe { g() }", 3),
        ("// SAFETY: so.\nlet a = 1;\nunsafe { f() }", 3),
        ("// SAFETY: so.\n\nunsafe { f() }", 3),
        ("// It is safe.\nlet a = unsafe { f() };", 2),
        ("/// SAFETY: none.\nunsafe fn f() {}", 2),
        ("unsafe impl Send for A {}", 1),
        ("unsafe extern \"C\" {}", 1),
    ];
    for (text, line) in bad {
        assert_eq!(unexplained(text), [line], "{text}");
    }
}

#[test]
fn unsafe_code_says_why_block_by_block() {
    let mut offences = Vec::new();
    for folder in ["src", "tools", "tests", "benches"] {
        for file in rust_files(&root().join(folder)) {
            let lines = unexplained(&fs::read_to_string(&file).unwrap());
            offences.extend(lines.into_iter().map(|line| format!("{}:{line}", file.display())));
        }
    }
    assert!(offences.is_empty(), "unsafe code that does not say why it is sound: {offences:#?}");
}

#[test]
fn unsafe_code_stays_in_its_corners() {
    for file in rust_files(&root().join("src")) {
        let code = code(&file);
        let uses = code.matches("unsafe").count() - code.matches("unsafe_code").count();
        let name = file.strip_prefix(root()).unwrap().to_string_lossy().into_owned();
        let corner = ["src/isa/", "simd/x86/", "field/clmul.rs", "src/gpu/", "io/map.rs", "src/plain.rs"]
            .iter()
            .any(|c| name.contains(c));
        assert!(uses == 0 || corner, "{name}: unsafe outside instruction-set folders, gpu and foreign interfaces");
    }
}

/// Adaptors of rayon's after which an iterator does not know how many items it has.
const UNCOUNTED: [&str; 2] = [".filter", ".flat_map"];

/// Whether some code has a loop of rayon's own that `parallel.rs` offers, of which the compiler makes several copies:
/// at the end of a chain, or of an iterator that has a name. (What follows a closure is not looked at.)
fn has_own_loops(code: &str) -> bool {
    let begins = ["par_iter", "par_iter_mut", "into_par_iter", "par_chunks", "par_windows"];
    let loops = |chain: &str| [".for_each(", ".try_for_each("].iter().any(|f| chain.contains(f));
    let is_own = |at: usize| {
        let chain = code[at..].split([';', '{', '|']).next().unwrap_or_default();
        let named =
            code[..at].rsplit([';', '{', '}']).next().and_then(|before| before.trim_start().strip_prefix("let "));
        let name =
            named.and_then(|rest| rest.split([' ', ':']).next()).filter(|_| code[at..][chain.len()..].starts_with(';'));
        let later = |name: &str| {
            code[at..].contains(&format!("{name}.for_each(")) || code[at..].contains(&format!("{name}.try_for_each("))
        };
        let is_counted = !UNCOUNTED.iter().any(|adaptor| chain.contains(adaptor));
        is_counted && (loops(chain) || name.is_some_and(later))
    };
    let mut starts = begins.iter().flat_map(|begin| code.match_indices(begin));
    code.contains("rayon::join") || starts.any(|(at, _)| is_own(at))
}

#[test]
fn parallel_loops_are_compiled_once() {
    for own in [
        "rayon::join(a, b)",
        "x.par_iter().zip(y)\n    .for_each(f);",
        "x.par_chunks_mut(9).try_for_each(|x| f(x))",
        "let it = x.par_chunks(3);\nit.for_each(f);",
        "g();\nlet it: T = x.par_iter();\ng();\nit.try_for_each(f)",
    ] {
        assert!(has_own_loops(own), "{own}");
    }
    for other in [
        "x.par_iter().filter(f).for_each(g)",
        "x.par_iter().each(|x| x.iter().for_each(f));",
        "let it = x.par_iter();\nit.each(f)",
    ] {
        assert!(!has_own_loops(other), "{other}");
    }
    for file in rust_files(&root().join("src")).into_iter().filter(|file| !is_test(file)) {
        let name = file.strip_prefix(root()).unwrap().to_string_lossy().into_owned();
        let own = name != "src/parallel.rs" && has_own_loops(&code(&file));
        assert!(!own, "{name}: rayon's own for_each or join, not those of src/parallel.rs");
    }
}

/// Only one room queries the processor; code for more than the target guarantees is compiled only there, and where
/// specific instructions are used.
#[test]
fn instruction_sets_are_detected_in_one_room() {
    for file in ["src", "tools", "tests", "benches"].iter().flat_map(|folder| rust_files(&root().join(folder))) {
        let name = file.strip_prefix(root()).unwrap().to_string_lossy().into_owned();
        if name.starts_with("src/isa/") || name.starts_with("tests/architecture") {
            continue;
        }
        let code = code(&file);
        for word in ["_feature_detected!", "__cpuid", "_xgetbv"] {
            assert!(!code.contains(word), "{name} queries the processor: {word}");
        }
        let kernels = name.contains("simd/x86/") || name == "src/field/clmul.rs";
        assert!(kernels || !code.contains("#[target_feature"), "{name}: code for more than the target");
    }
}

/// The program needs `unsafe` in one place: for a global allocator, and to end a process without memory.
#[test]
fn the_program_is_unsafe_in_its_allocator_alone() {
    let uses = |file: &PathBuf| code(file).contains("unsafe");
    let files: Vec<PathBuf> = rust_files(&root().join("tools")).into_iter().filter(uses).collect();
    assert_eq!(files, [root().join("tools/blackfield/allocator.rs")]);
}

/// ARCHITECTURE.md names every room, and no file or folder that does not exist.
#[test]
fn the_map_shows_what_is_there() {
    let map = fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    let is_path = |name: &&str| (name.contains('/') || name.ends_with(".rs")) && !name.contains(char::is_whitespace);
    let named: Vec<&str> = map.split('`').skip(1).step_by(2).filter(is_path).collect();
    assert!(named.len() > 30, "{named:?}");
    for name in named {
        let places = ["", "src", "src/answers"].map(|folder| root().join(folder).join(name));
        assert!(places.iter().any(|place| place.exists()), "there is no {name}");
    }
    let words: Vec<&str> = map.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
    for (room, _) in MAY_USE {
        assert!(words.contains(room), "room {room} is not on the map");
    }
}
