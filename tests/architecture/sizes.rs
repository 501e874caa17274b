//! Files hold one idea, functions fit on a screen.

use super::{is_test, root, rust_files};
use std::fs;
use std::path::PathBuf;

/// The maximum number of lines of a file outside tests, and of a file with only tests.
const FILE: usize = 400;
const TESTS: usize = 600;
/// The maximum number of lines of a function.
const FUNCTION: usize = 80;
/// The maximum number of characters of a line: `max_width` of rustfmt.toml.
const WIDTH: usize = 120;

fn files() -> impl Iterator<Item = (PathBuf, bool)> {
    let files = ["src", "tools", "tests", "benches"].into_iter().flat_map(|folder| rust_files(&root().join(folder)));
    files.map(|file| {
        let name = file.strip_prefix(root()).unwrap().to_path_buf();
        let tests = is_test(&name);
        (name, tests)
    })
}

/// The functions of formatted code, unit tests aside: their first lines, names and lengths. A body ends at the first
/// brace with the indentation of its head.
fn functions(text: &str) -> Vec<(usize, String, usize)> {
    let text = text.split("#[cfg(test)]\nmod tests {").next().unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let mut found = vec![];
    for (first, line) in lines.iter().enumerate() {
        let head = line.trim_start();
        let indent = line.len() - head.len();
        let mut words = head.split([' ', '(', '<']);
        let qualifiers =
            ["pub", "const", "unsafe", "async", "extern", "\"C\"", "crate)", "super)", "in", "super::super)"];
        let is_function =
            words.by_ref().find(|word| !qualifiers.contains(word) && !word.starts_with("crate::")) == Some("fn");
        if !is_function || line.ends_with(';') || line.ends_with('}') {
            continue;
        }
        let closes = |line: &&str| line.len() == indent + 1 && line.ends_with('}') && line.trim() == "}";
        let declared = |line: &&str| line.len() > indent && line.ends_with(';') && !line[indent..].starts_with(' ');
        let end = lines[first + 1..].iter().position(|line| closes(line) || declared(line));
        found.push((first + 1, words.next().unwrap_or_default().to_string(), end.expect("a body ends") + 2));
    }
    found
}

#[test]
fn functions_are_measured() {
    let text = "fn one() {\n    1\n}\n\nimpl A {\n    pub(in super::super) const fn two(\n        &self,\n    ) -> u32 {\n        if x {\n        }\n    }\n    fn three() {}\n}\n\
                trait B {\n    fn four(\n        self,\n    ) -> u32;\n}\n#[cfg(test)]\nmod tests {\n    fn five() {\n    }\n}\n";
    let found: Vec<(usize, String, usize)> = functions(text);
    assert_eq!(found, [(1, "one".into(), 3), (6, "two".into(), 6), (15, "four".into(), 3)]);
}

#[test]
fn files_tell_one_idea() {
    for (file, tests) in files() {
        let lines = fs::read_to_string(root().join(&file)).unwrap().lines().count();
        let most = if tests { TESTS } else { FILE };
        assert!(lines <= most, "{}: {lines} lines should be two files", file.display());
    }
}

#[test]
fn functions_fit_on_a_screen() {
    let mut long = vec![];
    for (file, _) in files().filter(|(_, tests)| !tests) {
        let text = fs::read_to_string(root().join(&file)).unwrap();
        let found = functions(&text).into_iter().filter(|(_, _, lines)| *lines > FUNCTION);
        long.extend(found.map(|(line, name, lines)| format!("{}:{line}: {name} has {lines} lines", file.display())));
    }
    assert!(long.is_empty(), "functions that should be split: {long:#?}");
}

/// Comments are wrapped at the width of the code, except for tables and fenced blocks.
#[test]
fn comments_wrap_where_code_does() {
    let mut long = vec![];
    for (file, _) in files() {
        let (text, mut fenced) = (fs::read_to_string(root().join(&file)).unwrap(), false);
        for (number, line) in text.lines().enumerate() {
            let Some(comment) = line.trim_start().strip_prefix("//") else {
                fenced = false;
                continue;
            };
            let comment = comment.trim_start_matches(['/', '!']).trim_start();
            fenced ^= comment.starts_with("```");
            if line.chars().count() > WIDTH && !fenced && !comment.starts_with('|') {
                long.push(format!("{}:{}", file.display(), number + 1));
            }
        }
    }
    assert!(long.is_empty(), "comments beyond column {WIDTH}: {long:#?}");
}
