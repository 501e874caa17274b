//! Ctrl-C and SIGTERM: the first asks the computation to stop in order, the second ends the process at once. Either way
//! the program says what is kept of the work, and which command goes on with it.

use crate::allocator;
use crate::exit::{self, Code, Failure};
use blackfield::{Error, Result};
use serde::Serialize;
use std::fmt::{Display, Formatter};
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

static REQUESTED: AtomicBool = AtomicBool::new(false);

/// Where the state of the computation is written, if anywhere.
static CHECKPOINT: Mutex<Option<PathBuf>> = Mutex::new(None);

/// Catches the signals from here on.
pub fn catch() {
    let caught = ctrlc::try_set_handler(|| {
        if REQUESTED.swap(true, Ordering::Relaxed) {
            allocator::remove_unfinished_files();
            exit::report(exit::speaks_json(), &Failure::Error(Error::Interrupted), None, "");
            std::process::exit(Code::Interrupted as i32);
        }
        if std::io::stderr().is_terminal() {
            exit::complain("blackfield: stopping; a second signal ends at once");
        }
    });
    // This fails where the caller has had one of the signals ignored (`nohup`, a shell's background job). That setting
    // is respected; the other signals then end the process in the system's way.
    drop(caught);
}

/// Whether a signal has asked to stop.
pub fn requested() -> bool {
    REQUESTED.load(Ordering::Relaxed)
}

/// From here on the state of the computation is written to this file, if one is asked for.
///
/// # Errors
/// [`Error::Usage`] where there are several `inputs`, which the help calls `name`: it has the state of one.
pub fn keep_state(checkpoint: Option<&Path>, inputs: usize, name: &str) -> Result<()> {
    let Some(file) = checkpoint else { return Ok(()) };
    if inputs > 1 {
        let message = format!("--checkpoint keeps the state of one computation: one {name} is possible with it");
        return Err(Error::Usage(message));
    }
    state_is_kept_in(file);
    Ok(())
}

/// From here on the state of the computation is written to this file or folder.
pub fn state_is_kept_in(file: &Path) {
    *CHECKPOINT.lock().unwrap_or_else(PoisonError::into_inner) = Some(file.to_path_buf());
}

/// What an interruption leaves.
#[derive(Serialize)]
pub struct Kept {
    /// The file with the state; none if there is no state.
    #[serde(skip_serializing_if = "Option::is_none")]
    checkpoint: Option<String>,
    /// The command that goes on from it, or begins anew.
    resume: String,
}

/// What is kept now.
pub fn kept() -> Kept {
    let checkpoint = CHECKPOINT.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let checkpoint = checkpoint.as_deref().and_then(state_in).map(|file| file.display().to_string());
    let words: Vec<String> = std::env::args_os().map(|word| quoted(&word.to_string_lossy())).collect();
    Kept { checkpoint, resume: words.join(" ") }
}

/// The file itself if it is there; else the first of its numbered companions, which several parts of one computation
/// have.
fn state_in(file: &Path) -> Option<PathBuf> {
    if file.exists() {
        return Some(file.to_path_buf());
    }
    let name = file.file_name()?.to_string_lossy().into_owned() + ".";
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let numbered = std::fs::read_dir(folder).ok()?.filter_map(|entry| Some(entry.ok()?.file_name()));
    let is_state = |found: &std::ffi::OsString| {
        let number = found.to_string_lossy().strip_prefix(&name).map(str::to_string);
        number.is_some_and(|digits| !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()))
    };
    numbered.filter(is_state).min().map(|found| file.with_file_name(found))
}

impl Kept {
    /// The command that resumes, if there is a state.
    pub fn command(&self) -> Option<&str> {
        self.checkpoint.as_ref().map(|_| self.resume.as_str())
    }
}

impl Display for Kept {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        match &self.checkpoint {
            Some(file) => write!(f, "interrupted; the state is kept in {file}, from which the same command resumes"),
            None => f.write_str("interrupted; no state is kept, so the same command starts from the beginning"),
        }
    }
}

/// A word as a shell reads it back.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_./,:=+@%^".contains(c);
    match !word.is_empty() && word.chars().all(plain) {
        true => word.to_string(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_is_found_under_its_name_or_number() {
        let folder = std::env::temp_dir().join(format!("blackfield-signals-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let file = folder.join("state");
        assert_eq!(state_in(&file), None);
        for other in ["state.part", "state.", "states", "state.x1"] {
            std::fs::write(folder.join(other), "").unwrap();
        }
        assert_eq!(state_in(&file), None);
        std::fs::write(folder.join("state.2"), "").unwrap();
        assert_eq!(state_in(&file), Some(folder.join("state.2")));
        std::fs::write(&file, "").unwrap();
        assert_eq!(state_in(&file), Some(file));
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn words_are_quoted_for_a_shell() {
        for (word, shown) in [
            ("permanent", "permanent"),
            ("--modulus=65521", "--modulus=65521"),
            ("a b.mtx", "'a b.mtx'"),
            ("it's", r"'it'\''s'"),
            ("", "''"),
            ("*.mtx", "'*.mtx'"),
            ("$HOME", "'$HOME'"),
        ] {
            assert_eq!(quoted(word), shown);
        }
    }
}
