//! No cycle of files inside a room: if A uses B and B uses A, neither can be read alone.
//!
//! A file uses the files whose items its code names, apart from tests. A name is followed to the file that defines it:
//! through the re-exports of `mod.rs` files, which do not count as uses, through aliases and globs. Method calls are
//! not resolved.

use super::{code, is_test, root, rust_files};
use std::collections::{BTreeMap, BTreeSet};

/// The depth to which re-exports are followed.
const DEPTH: u32 = 8;

type Path = Vec<String>;

/// A file: its position in `src`, and its code.
struct Module {
    file: String,
    /// (path, name here) of each `use`.
    uses: Vec<(Path, String)>,
    /// The code without them.
    rest: String,
    /// Names of top-level items.
    items: BTreeSet<String>,
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty())
}

/// The paths of a use tree, and the names that they are bound to.
fn expand(tree: &str) -> Vec<(Path, String)> {
    let tree = tree.trim();
    let path =
        |text: &str| -> Path { text.split("::").map(|s| s.trim().to_string()).filter(|s| !s.is_empty()).collect() };
    if let Some((before, group)) = tree.split_once('{') {
        let before = path(before);
        let (mut depth, mut parts) = (0, vec![String::new()]);
        for c in group.strip_suffix('}').expect("a closed group").chars() {
            depth += i32::from(c == '{') - i32::from(c == '}');
            match c {
                ',' if depth == 0 => parts.push(String::new()),
                _ => parts.last_mut().unwrap().push(c),
            }
        }
        let inner = parts.iter().filter(|part| !part.trim().is_empty()).flat_map(|part| expand(part));
        return inner
            .map(|(tail, name)| match tail[..] == ["self"] {
                true => (before.clone(), before.last().cloned().unwrap_or(name)),
                false => ([before.clone(), tail].concat(), name),
            })
            .collect();
    }
    let (tree, alias) = tree.split_once(" as ").map_or((tree, None), |(tree, alias)| (tree, Some(alias.trim())));
    let path = path(tree);
    let name = alias.map_or_else(|| path.last().cloned().unwrap_or_default(), str::to_string);
    vec![(path, name)]
}

/// Code without test-only parts, attributes and visibilities.
fn plain(code: &str) -> String {
    let mut lines = vec![];
    let mut skip = false;
    for line in code.lines() {
        let trimmed = line.trim();
        if trimmed == "#[cfg(test)]" {
            skip = true;
        } else if !std::mem::take(&mut skip) && !trimmed.starts_with("#[") {
            lines.push(line);
        }
    }
    let mut text = lines.join("\n");
    while let Some(at) = text.find("pub(") {
        let end = at + text[at..].find(')').expect("a closed visibility");
        text.replace_range(at..=end, "pub");
    }
    text
}

fn module(file: String, code: &str) -> Module {
    let code = plain(code);
    let (mut uses, mut rest, mut items) = (vec![], String::new(), BTreeSet::new());
    let mut open: Option<String> = None;
    for line in code.lines() {
        let start = line.trim_start().trim_start_matches("pub ");
        let statement = match open.take() {
            Some(before) => before + " " + line.trim(),
            None if start.starts_with("use ") => start.to_string(),
            None => {
                let at_top = !line.starts_with([' ', '}']);
                let mut heads = words(start).filter(|word| !["const", "unsafe", "extern", "C"].contains(word));
                let kind = heads.next().unwrap_or_default();
                let kinds = ["fn", "struct", "enum", "trait", "type", "static", "union", "macro_rules"];
                if at_top && kinds.contains(&kind) {
                    items.extend(heads.next().map(str::to_string));
                } else if at_top && start.starts_with("const ") {
                    items.insert(kind.to_string());
                }
                rest += line;
                rest.push('\n');
                continue;
            }
        };
        match statement.split_once(';') {
            Some((tree, _)) => uses.extend(expand(tree.trim_start_matches("use "))),
            None => open = Some(statement),
        }
    }
    Module { file, uses, rest, items }
}

/// The modules of a tree of files, by their paths.
struct Tree(BTreeMap<Path, Module>);

impl Tree {
    fn new<'a>(files: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        let modules = files.into_iter().map(|(file, code)| {
            let mut path: Path = file.trim_end_matches(".rs").split('/').map(str::to_string).collect();
            path.pop_if(|last| last == "mod");
            (path, module(file.to_string(), code))
        });
        Tree(modules.collect())
    }

    /// The module that defines the item that a path names inside `from`.
    fn resolve(&self, from: &[String], path: &[String], depth: u32) -> Option<Path> {
        let up = path.iter().take_while(|s| *s == "super").count();
        let (start, path) = match path.first().map(String::as_str)? {
            "crate" => (&[][..], &path[1..]),
            "self" => (from, &path[1..]),
            _ => (&from[..from.len().checked_sub(up)?], &path[up..]),
        };
        self.inside(start, path, depth)
    }

    fn inside(&self, module: &[String], path: &[String], depth: u32) -> Option<Path> {
        let Some(name) = path.first() else { return Some(module.to_vec()) };
        let child = [module, std::slice::from_ref(name)].concat();
        if self.0.contains_key(&child) {
            return self.inside(&child, &path[1..], depth);
        }
        let here = self.0.get(module)?;
        let depth = depth.checked_sub(1)?;
        let follow = |used: &[String]| {
            let found = self.resolve(module, used, depth).filter(|found| found != module)?;
            let is_module = found.last() == used.last();
            if is_module { self.inside(&found, &path[1..], depth) } else { Some(found) }
        };
        if here.items.contains(name) {
            return Some(module.to_vec());
        }
        let named = here.uses.iter().filter(|(used, alias)| alias == name && used[..] != [name.clone()]);
        let mut found = named.filter_map(|(used, _)| follow(used));
        let mut globs = here.uses.iter().filter(|(_, alias)| alias == "*").filter_map(|(used, _)| {
            let from = self.resolve(module, &used[..used.len() - 1], depth).filter(|from| from != module)?;
            self.inside(&from, path, depth).filter(|found| self.0[found].items.contains(name))
        });
        found.next().or_else(|| globs.next()).or_else(|| Some(module.to_vec()))
    }

    /// The modules of the same room that a module uses.
    fn used(&self, path: &Path) -> BTreeSet<Path> {
        let Module { file, uses, rest, .. } = &self.0[path];
        let is_facade = file.ends_with("mod.rs");
        let in_rest: BTreeSet<&str> = words(rest).collect();
        // A facade that re-exports a name does not use it.
        let used = uses.iter().filter(|(_, name)| !is_facade || in_rest.contains(name.as_str()));
        let mut paths: Vec<Path> = used.map(|(used, _)| used.iter().filter(|s| *s != "*").cloned().collect()).collect();
        let named = rest.split(|c: char| !c.is_alphanumeric() && c != '_' && c != ':');
        paths.extend(
            named
                .filter(|word| word.contains("::"))
                .map(|word| word.split("::").map(str::to_string).filter(|s| !s.is_empty()).collect::<Path>()),
        );
        let here = |first: &String| {
            let child = [path.as_slice(), std::slice::from_ref(first)].concat();
            ["crate", "self", "super"].contains(&first.as_str())
                || self.0.contains_key(&child)
                || uses.iter().any(|(used, name)| name == first && used.first() != Some(first))
        };
        let found = paths
            .iter()
            .filter(|path| path.first().is_some_and(here))
            .filter_map(|used| self.resolve(path, used, DEPTH));
        found.filter(|found| found != path && found.first() == path.first() && self.0.contains_key(found)).collect()
    }

    /// Modules that use each other, directly or indirectly: the strongly connected components with more than one
    /// module, by reachability.
    fn cycles(&self) -> Vec<Vec<&str>> {
        let uses: BTreeMap<&Path, BTreeSet<Path>> = self.0.keys().map(|path| (path, self.used(path))).collect();
        let reached: BTreeMap<&Path, BTreeSet<&Path>> = self.0.keys().map(|path| (path, reach(&uses, path))).collect();
        let cycle = |path: &Path| -> Vec<&str> {
            let together = reached[path].iter().filter(|other| reached[*other].contains(path));
            together.map(|other| self.0[*other].file.as_str()).collect()
        };
        let all: BTreeSet<Vec<&str>> = self.0.keys().map(cycle).filter(|cycle| !cycle.is_empty()).collect();
        all.into_iter().collect()
    }
}

/// The modules reachable from `from` in one step or more.
fn reach<'a>(uses: &'a BTreeMap<&'a Path, BTreeSet<Path>>, from: &Path) -> BTreeSet<&'a Path> {
    let (mut seen, mut open) = (BTreeSet::new(), vec![from]);
    while let Some(path) = open.pop() {
        for next in &uses[path] {
            if seen.insert(next) {
                open.push(next);
            }
        }
    }
    seen
}

#[test]
fn cycles_of_files_are_found() {
    let cycles = |files: &[(&str, &str)]| -> Vec<Vec<String>> {
        let tree = Tree::new(files.iter().copied());
        tree.cycles().iter().map(|cycle| cycle.iter().map(|file| file.to_string()).collect()).collect()
    };
    let facade = ("a/mod.rs", "mod x;\nmod y;\npub use x::{One, Two};\npub use y::three;");
    let x = ("a/x.rs", "pub struct One;\npub struct Two(u8);");
    let y = ("a/y.rs", "use super::One;\npub fn three(_: One) {}");
    assert!(cycles(&[facade, x, y]).is_empty());
    // By the facade's re-export, by a path, by a group, across lines, by an alias and a glob.
    for back in [
        "use super::three;",
        "fn f() { super::y::three() }",
        "use crate::a::{\n    y,\n};",
        "use super::three as four;",
        "use super::y::*;",
        "fn f() {\n    use crate::{a::y::three};\n}",
    ] {
        let x = format!("{}\n{back}", x.1);
        assert_eq!(cycles(&[facade, ("a/x.rs", &x), y]), [["a/x.rs", "a/y.rs"]], "{back}");
    }
    // Uses by tests do not count, nor other rooms, nor visibilities.
    for not in ["#[cfg(test)]\nuse super::three;", "use crate::b::three;", "pub(in super::super) fn g() {}"] {
        let x = format!("{}\n{not}", x.1);
        assert!(cycles(&[facade, ("a/x.rs", &x), y]).is_empty(), "{not}");
    }
    // A facade with code of its own is a file like others.
    let busy = ("a/mod.rs", "mod y;\npub struct One;\nfn f() { y::three() }");
    assert_eq!(cycles(&[busy, y]), [["a/mod.rs", "a/y.rs"]]);
    // A cycle of three.
    let three = [
        ("r/p.rs", "use super::q::Q;\npub struct P;"),
        ("r/q.rs", "use super::s::S;\npub struct Q;"),
        ("r/s.rs", "use super::p::P;\npub struct S;"),
    ];
    assert_eq!(cycles(&three), [["r/p.rs", "r/q.rs", "r/s.rs"]]);
}

#[test]
fn no_files_of_a_room_use_each_other() {
    let src = root().join("src");
    let name = |file: &std::path::Path| file.strip_prefix(&src).unwrap().to_string_lossy().replace('\\', "/");
    let files = rust_files(&src).into_iter().filter(|file| !is_test(file.strip_prefix(&src).unwrap()));
    let files: Vec<(String, String)> =
        files.map(|file| (name(&file), code(&file))).filter(|(name, _)| name.contains('/')).collect();
    let tree = Tree::new(files.iter().map(|(name, code)| (name.as_str(), code.as_str())));
    let cycles = tree.cycles();
    assert!(cycles.is_empty(), "files that use each other: {cycles:#?}");
}
