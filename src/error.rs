//! What can go wrong, in the categories that a caller acts on (and that the command line turns into exit codes).

use std::fmt;
use std::path::{Path, PathBuf};

/// The result of every fallible public function.
pub type Result<T> = std::result::Result<T, Error>;

/// An error with everything its reader needs to mend the cause.
///
/// Broken contracts of a caller inside the library (a vector of the wrong length) panic; everything that *data* or the
/// machine can do wrong is one of these. Others may join them: a `match` needs an arm for the rest.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// The content of a file is not what its format demands.
    Input {
        /// The file, `-` for the standard input.
        file: PathBuf,
        /// 1-based line of the (decompressed) text; 0 where no line applies.
        line: u64,
        /// What was found and what was expected.
        message: String,
    },
    /// Arrays or entries of a caller that are no matrix: lengths that do not fit, an index out of range.
    Matrix(String),
    /// A modulus that is composite or out of range.
    Modulus(String),
    /// Options that contradict each other or the problem.
    Usage(String),
    /// A problem too large for the memory that is there or was allowed.
    Memory(String),
    /// Reading or writing failed in the operating system.
    Io {
        /// The file, `-` for a standard stream.
        file: PathBuf,
        /// The system's answer.
        source: std::io::Error,
    },
    /// A claim that was handed over for judgement is wrong: a certificate that does not hold, a minor that is none. The
    /// verdict is an answer; nothing is amiss with the computation.
    Refuted(String),
    /// The computation contradicts itself: a wrong answer was caught. It should be reported as a bug, unless the
    /// machine is broken.
    Check(String),
    /// A device or an instruction set was asked for and is not there.
    Device(String),
    /// The observer asked to stop.
    Interrupted,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Input { file, line, message } => write!(f, "{}: {message}", place(file, *line)),
            Error::Matrix(message)
            | Error::Modulus(message)
            | Error::Usage(message)
            | Error::Memory(message)
            | Error::Device(message) => f.write_str(message),
            Error::Io { file, source } => write!(f, "{}: {source}", file.display()),
            Error::Refuted(message) => write!(f, "refuted: {message}"),
            Error::Check(message) => write!(f, "check failed: {message}"),
            Error::Interrupted => f.write_str("interrupted"),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Error::Io { source, .. } => Some(source),
            _ => None,
        }
    }
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

    #[test]
    fn a_refuted_claim_is_no_contradiction_and_the_system_is_a_source() {
        use std::error::Error as _;
        let shown = [Error::Refuted("x".into()), Error::Check("x".into())].map(|error| error.to_string());
        assert_eq!(shown, ["refuted: x", "check failed: x"]);
        let full = Error::Io { file: "a".into(), source: std::io::ErrorKind::StorageFull.into() };
        assert!(
            full.to_string().starts_with("a: ") && full.source().is_some() && Error::Interrupted.source().is_none()
        );
        fn shared<T: Send + Sync + 'static>(_: &T) {}
        shared(&full);
    }
}
