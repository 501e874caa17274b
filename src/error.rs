//! What can go wrong, in the categories that a caller can act on (the command line turns them into exit codes).

use std::fmt;
use std::path::{Path, PathBuf};

/// The result of every fallible public function.
pub type Result<T> = std::result::Result<T, Error>;

/// An error, with everything needed to fix its cause.
///
/// Broken contracts between parts of the library (a vector of the wrong length) panic; everything that can go wrong
/// with *data* or the machine is one of these. The enum may grow: a `match` needs a wildcard arm.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// The content of a file is not what its format demands.
    Input {
        /// The file; `-` for standard input.
        file: PathBuf,
        /// 1-based line of the (decompressed) text; 0 where no line applies.
        line: u64,
        /// What was found and what was expected.
        message: String,
    },
    /// Arrays or entries passed by a caller that do not form a matrix: inconsistent lengths, an index out of range.
    Matrix(String),
    /// A modulus that is composite or out of range.
    Modulus(String),
    /// Options that contradict each other or the problem.
    Usage(String),
    /// A problem too large for the memory that is available or allowed.
    Memory(String),
    /// The operating system failed to read or write.
    Io {
        /// The file; `-` for a standard stream.
        file: PathBuf,
        /// The error that the system reported.
        source: std::io::Error,
    },
    /// A claim submitted for verification is wrong: a certificate that does not hold, a minor that is singular. The
    /// verdict is an answer; the computation itself is sound.
    Refuted(String),
    /// The computation contradicts itself: a wrong answer was caught. Unless the hardware is faulty, this is a bug that
    /// should be reported.
    Check(String),
    /// A device or an instruction set was requested but is not available, or it failed.
    Device(DeviceError),
    /// The observer asked to stop.
    Interrupted,
}

/// Why a device or an instruction set cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum DeviceReason {
    /// The processor does not have the instruction set.
    NoInstructionSet,
    /// The library was built without the feature `cuda`.
    NotBuilt,
    /// There is no CUDA driver on this machine.
    NoDriver,
    /// The CUDA driver is older than what the library is written for.
    OldDriver,
    /// There is a driver, but no device that this process may use.
    NoDevice,
    /// NVRTC, the compiler of kernels, is not on this machine.
    NoCompiler,
    /// The device's memory does not suffice.
    NoMemory,
    /// There is no kernel for what was asked.
    NoKernel,
    /// The device, its driver or the compiler failed.
    Failed,
}

/// A device or an instruction set that cannot be used: why, and what to tell the user.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DeviceError {
    /// The reason, for a program to act on.
    pub reason: DeviceReason,
    /// The same in words, with what is particular to this case.
    pub message: String,
}

impl DeviceError {
    /// The error for this reason.
    pub fn new(reason: DeviceReason, message: impl Into<String>) -> Self {
        DeviceError { reason, message: message.into() }
    }
}

impl fmt::Display for DeviceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl Error {
    /// [`Error::Device`] for this reason.
    pub(crate) fn device(reason: DeviceReason, message: impl Into<String>) -> Self {
        Error::Device(DeviceError::new(reason, message))
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Input { file, line, message } => write!(f, "{}: {message}", place(file, *line)),
            Error::Matrix(message) | Error::Modulus(message) | Error::Usage(message) | Error::Memory(message) => {
                f.write_str(message)
            }
            Error::Device(error) => error.fmt(f),
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
