//! Tells the program which commit a release is built from, where that is known: by git in a checkout, by cargo's own
//! record in a package. A tarball without either is built all the same. Other builds do not ask, so that a commit does
//! not compile them anew. And says where the program lies in memory.

use std::path::Path;
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-env=BLACKFIELD_TARGET={}", std::env::var("TARGET").unwrap_or_default());
    let release = std::env::var("PROFILE").is_ok_and(|profile| profile == "release");
    let commit = if release { from_git().or_else(from_package) } else { None };
    println!("cargo::rustc-env=BLACKFIELD_COMMIT={}", commit.unwrap_or_default());
    if lies_where_linked() {
        println!("cargo::rustc-link-arg-bins=-no-pie");
    }
}

/// Whether the program is linked to a fixed address, as far as that has been tried: elsewhere its 18000 addresses of
/// functions and texts, in 76 pages, are put right at each start: `--version` took 1.7 ms of CPU time so, 2.0 otherwise
/// (2-core AMD EPYC). Its own code and data are at known addresses then, which packagers may object to; stacks, memory
/// and shared libraries lie at random ones all the same.
fn lies_where_linked() -> bool {
    let target = |name: &str| std::env::var(format!("CARGO_CFG_TARGET_{name}")).unwrap_or_default();
    let is_static = target("FEATURE").split(',').any(|feature| feature == "crt-static");
    (target("OS"), target("ENV"), target("ARCH")) == ("linux".into(), "gnu".into(), "x86_64".into()) && !is_static
}

/// What git prints, in a checkout of this repository and no other one around it.
fn git(words: &[&str]) -> Option<String> {
    let output = Command::new("git").args(words).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| text.trim().to_string())
}

fn from_git() -> Option<String> {
    if !Path::new(".git").exists() {
        return None;
    }
    for watched in ["HEAD", "logs/HEAD"] {
        if let Some(file) = git(&["rev-parse", "--git-path", watched]).filter(|file| Path::new(file).exists()) {
            println!("cargo::rerun-if-changed={file}");
        }
    }
    // Whether there are changes is asked again when there are.
    ["src", "kernels", "tools/blackfield", "Cargo.toml"]
        .iter()
        .for_each(|path| println!("cargo::rerun-if-changed={path}"));
    let commit = git(&["rev-parse", "--short=12", "HEAD"])?;
    let changed = git(&["--no-optional-locks", "status", "--porcelain", "--untracked-files=no"])
        .is_some_and(|files| !files.is_empty());
    Some(if changed { commit + ", and changes" } else { commit })
}

/// `.cargo_vcs_info.json` has `"sha1": "…"`.
fn from_package() -> Option<String> {
    let text = std::fs::read_to_string(".cargo_vcs_info.json").ok()?;
    let (_, rest) = text.split_once("\"sha1\"")?;
    let digits: String =
        rest.chars().skip_while(|c| !c.is_ascii_hexdigit()).take_while(char::is_ascii_hexdigit).collect();
    (digits.len() >= 12).then(|| digits[..12].to_string())
}
