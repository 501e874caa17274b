//! What can go wrong, in the categories that a caller acts on (and that the command line turns into exit codes).

use std::path::{Path, PathBuf};

/// The result of every fallible public function.
pub type Result<T> = std::result::Result<T, Error>;

/// An error with everything its reader needs to mend the cause.
///
/// Broken contracts of a caller inside the library (a vector of the wrong length) panic; everything that *data* or the
/// machine can do wrong is one of these.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The content of a matrix file is not what its format demands.
    #[error("{}: {message}", place(file, *line))]
    Input {
        /// The file, `-` for the standard input.
        file: PathBuf,
        /// 1-based line of the (decompressed) text; 0 where no line applies.
        line: u64,
        /// What was found and what was expected.
        message: String,
    },
    /// A modulus that is composite or out of range.
    #[error("{0}")]
    Modulus(String),
    /// Options that contradict each other or the problem.
    #[error("{0}")]
    Usage(String),
    /// A problem too large for the memory that is there or was allowed.
    #[error("{0}")]
    Memory(String),
    /// Reading or writing failed in the operating system.
    #[error("{}: {source}", file.display())]
    Io {
        /// The file, `-` for a standard stream.
        file: PathBuf,
        /// The system's answer.
        source: std::io::Error,
    },
    /// A check of the computation against itself failed: a wrong answer was caught.
    #[error("check failed: {0}")]
    Check(String),
    /// A device or an instruction set was asked for and is not there.
    #[error("{0}")]
    Device(String),
    /// The observer asked to stop.
    #[error("interrupted")]
    Interrupted,
}

/// The file, and the line where one applies.
fn place(file: &Path, line: u64) -> String {
    let file = file.display();
    if line == 0 { file.to_string() } else { format!("{file}:{line}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bad_input_names_a_line_where_one_applies() {
        let error = |line| Error::Input { file: "a.mtx".into(), line, message: "no".into() }.to_string();
        assert_eq!((error(0), error(7)), ("a.mtx: no".into(), "a.mtx:7: no".into()));
    }
}
