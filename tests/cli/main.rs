//! The program `blackfield` seen from outside: what it prints, where, in which form, and with which exit code.
//!
//! Texts are compared with snapshots (`tests/cli/snapshots`), in which seconds are replaced;
//! `INSTA_UPDATE=always cargo test --test cli` rewrites them. Every JSON document is validated against its schema
//! ([`schema`]).

mod answers;
mod bad_files;
mod batch;
#[cfg(target_os = "linux")]
mod bounds;
mod checkpoint;
mod doubt;
mod endings;
mod formats;
mod fractions;
mod help;
mod homology;
mod info;
mod instructions;
mod kernel;
mod large;
mod lifting;
#[cfg(target_os = "linux")]
mod limits;
mod matchings;
mod matrices;
mod outputs;
mod page;
mod permanent;
mod polynomial;
mod profile;
mod rational;
mod rref;
mod schema;
#[cfg(target_os = "linux")]
mod signals;
mod smith;
mod solve;
mod tune;
mod verify;
mod verify_answer;
mod words;

use assert_cmd::Command;
use std::path::{Path, PathBuf};

/// The working folder of one test, in which the program runs, so that files have the same names everywhere.
struct Lab {
    dir: PathBuf,
}

/// The output of a run of the program.
struct Run {
    stdout: String,
    stderr: String,
    code: i32,
}

/// diag(1, 2, 6): rank 1 mod 2, rank 2 mod 3, rank 3 mod every other prime.
const DIAGONAL: &str = "3 3 M\n1 1 1\n2 2 2\n3 3 6\n0 0 0\n";

impl Lab {
    /// An empty folder named after the test.
    fn new(test: &str) -> Lab {
        let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("cli").join(test);
        // An earlier run may have left it.
        let _ = std::fs::remove_dir_all(&dir);
        std::fs::create_dir_all(&dir).unwrap();
        Lab { dir }
    }

    /// The same with the matrix [`DIAGONAL`] as `diagonal.sms`.
    fn with_diagonal(test: &str) -> Lab {
        let lab = Lab::new(test);
        lab.write("diagonal.sms", DIAGONAL);
        lab
    }

    fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        std::fs::write(self.dir.join(name), content).unwrap();
    }

    fn read(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.dir.join(name)).unwrap()
    }

    /// The program with its arguments (split at spaces), ready to start in the folder.
    fn command(&self, args: &str) -> std::process::Command {
        let mut command = std::process::Command::new(assert_cmd::cargo::cargo_bin!("blackfield"));
        command.args(args.split_whitespace()).current_dir(&self.dir);
        for variable in ["RUST_BACKTRACE", "RAYON_NUM_THREADS", "CLICOLOR_FORCE", "BLACKFIELD_PROFILE"] {
            command.env_remove(variable);
        }
        command.env("COLUMNS", "100");
        // No profile but those of the test.
        command.env("XDG_CONFIG_HOME", &self.dir);
        command
    }

    fn run(&self, args: &str) -> Run {
        self.run_with_input(args, "")
    }

    fn run_with_input(&self, args: &str, input: impl Into<Vec<u8>>) -> Run {
        let output = Command::from_std(self.command(args)).write_stdin(input).output().unwrap();
        let run = Run {
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
            code: output.status.code().expect("no signal ended the program"),
        };
        schema::check_run(args, &run);
        run
    }

    /// The standard output of a run that must succeed.
    fn answer(&self, args: &str) -> String {
        let run = self.run(args);
        assert_eq!(run.code, 0, "{args}: {}", run.stderr);
        run.stdout
    }

    /// The JSON documents of a run that must succeed, one a line.
    fn documents(&self, args: &str) -> Vec<serde_json::Value> {
        self.answer(args).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// The text in a file.
    fn text(&self, name: &str) -> String {
        String::from_utf8(self.read(name)).unwrap()
    }

    /// The JSON document of a run that must succeed.
    fn document(&self, args: &str) -> serde_json::Value {
        serde_json::from_str(&self.answer(args)).unwrap()
    }
}

impl Run {
    /// Everything that the user sees, for a snapshot.
    fn transcript(&self) -> String {
        let text = format!("exit code {}\n--- stdout\n{}--- stderr\n{}", self.code, self.stdout, self.stderr);
        redact_seconds(&text)
    }
}

/// Replaces every number with exactly three decimals, the form in which the program writes seconds.
fn redact_seconds(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(start) = rest.find(|c: char| c.is_ascii_digit()) {
        let number = &rest[start..];
        let end = number.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(number.len());
        let (number, after) = number.split_at(end);
        let is_seconds = number.split_once('.').is_some_and(|(_, d)| d.len() == 3 && !d.contains('.'));
        out.push_str(&rest[..start]);
        out.push_str(if is_seconds { "[s]" } else { number });
        rest = after;
    }
    out + rest
}

#[test]
fn redaction_takes_seconds_only() {
    assert_eq!(redact_seconds("read in 0.012 s, 3 x 4, 12.345"), "read in [s] s, 3 x 4, [s]");
    assert_eq!(redact_seconds("mod 65521, version 0.1.0, 1.5e-7"), "mod 65521, version 0.1.0, 1.5e-7");
}
