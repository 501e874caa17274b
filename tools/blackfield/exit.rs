//! How the program ends: its exit codes, the one line that says why, and the net under panics.

use crate::schema::Schema;
use blackfield::memory::REFUSED;
use blackfield::{Error, Result};
use serde::Serialize;
use std::any::Any;
use std::io::{ErrorKind, Write};
use std::process::ExitCode;

/// The exit codes, as the help and the manual page list them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Code {
    Answer = 0,
    Check = 1,
    Usage = 2,
    Input = 3,
    Resources = 4,
    Device = 5,
    Interrupted = 130,
}

/// The paragraph of the long help and the manual page.
pub const CODES: &str = "\
Exit codes:
    0  an answer was given
    1  a check failed: a certificate does not hold, a computation contradicts
       itself, or the program met a bug
    2  wrong usage: an unknown option, a modulus that is not a prime
    3  bad input: a file that is missing or not what its format demands
    4  out of memory (or beyond --max-memory) or out of disk space
    5  a device or an instruction set was asked for and is not there
  130  interrupted (Ctrl-C, SIGTERM); a second signal ends it at once

Each error is one line on standard error. With --json that line is
  {\"schema\": \"blackfield/error/1\", \"error\": message, \"kind\": word,
   \"code\": exit code}
and standard output holds a whole document or nothing. (What cannot be
parsed as a command at all is answered in plain words.)";

impl Code {
    /// The code of an error.
    pub fn of(error: &Error) -> Code {
        match error {
            Error::Modulus(_) | Error::Usage(_) => Code::Usage,
            Error::Input { .. } | Error::Matrix(_) => Code::Input,
            Error::Memory(_) => Code::Resources,
            Error::Device(_) => Code::Device,
            Error::Interrupted => Code::Interrupted,
            Error::Io { source, .. } => match source.kind() {
                ErrorKind::StorageFull
                | ErrorKind::QuotaExceeded
                | ErrorKind::FileTooLarge
                | ErrorKind::OutOfMemory => Code::Resources,
                _ => Code::Input,
            },
            // A claim that is refuted, a computation that contradicts itself, and what a later library may add to them.
            _ => Code::Check,
        }
    }

    /// The word for it in JSON.
    pub fn kind(self) -> &'static str {
        match self {
            Code::Answer => "answer",
            Code::Check => "check",
            Code::Usage => "usage",
            Code::Input => "input",
            Code::Resources => "resources",
            Code::Device => "device",
            Code::Interrupted => "interrupted",
        }
    }
}

impl From<Code> for ExitCode {
    fn from(code: Code) -> ExitCode {
        ExitCode::from(code as u8)
    }
}

/// Runs the program's work, reports its error on standard error and finds the exit code. A panic has been announced by
/// the hook of [`announce_panics`] and ends here; one for want of memory is an error like any other.
pub fn guard(json: bool, work: impl FnOnce() -> Result<()>) -> Code {
    // The work shares nothing with what follows, so that no broken invariant can be seen after an unwinding.
    let ending = std::panic::catch_unwind(std::panic::AssertUnwindSafe(work));
    match ending.or_else(|payload| want_of_memory(message(&*payload)).map(Err).ok_or(())) {
        Ok(Ok(())) => Code::Answer,
        Ok(Err(error)) if is_closed_pipe(&error) => Code::Answer,
        Ok(Err(error)) => {
            let code = Code::of(&error);
            complain(&if json { failure(&error.to_string(), code) } else { format!("blackfield: {error}") });
            code
        }
        Err(()) => Code::Check,
    }
}

/// The line of an error with --json.
#[derive(Serialize)]
struct Failure<'a> {
    schema: Schema,
    error: &'a str,
    kind: &'static str,
    code: u8,
}

fn failure(error: &str, code: Code) -> String {
    let failure = Failure { schema: Schema::Error, error, kind: code.kind(), code: code as u8 };
    serde_json::to_string(&failure).expect("words and a number")
}

/// What a panic says.
fn message(payload: &dyn Any) -> &str {
    let text = payload.downcast_ref::<&str>().copied();
    text.or_else(|| payload.downcast_ref::<String>().map(String::as_str)).unwrap_or("no message")
}

/// The error behind a panic that says that memory has ended: those of the library's functions that cannot fail, and the
/// standard library's for more elements than there are addresses.
fn want_of_memory(message: &str) -> Option<Error> {
    match message {
        "capacity overflow" => {
            Some(Error::Memory(format!("{REFUSED}more bytes requested than the address space holds")))
        }
        refused if refused.starts_with(REFUSED) => Some(Error::Memory(refused.into())),
        _ => None,
    }
}

/// The reader of our standard output has seen enough (`blackfield … | head`): the end of the work, not an error.
fn is_closed_pipe(error: &Error) -> bool {
    matches!(error, Error::Io { source, file } if source.kind() == ErrorKind::BrokenPipe && file.as_os_str() == "-")
}

/// One line on standard error. Where that is closed or full there is nobody left to tell.
pub fn complain(line: &str) {
    let _ = writeln!(std::io::stderr(), "{line}");
}

/// Replaces Rust's report of a panic by one line that asks for a report (and the backtrace if `RUST_BACKTRACE` is set).
pub fn announce_panics() {
    std::panic::set_hook(Box::new(|info| {
        let message = message(info.payload());
        if want_of_memory(message).is_some() {
            return; // `guard` tells it.
        }
        let place = info.location().map_or(String::new(), |l| format!(" at {l}"));
        complain(&format!(
            "blackfield: internal error{place}: {message}; please report this line and the command (version {})",
            env!("CARGO_PKG_VERSION")
        ));
        let trace = std::backtrace::Backtrace::capture();
        if trace.status() == std::backtrace::BacktraceStatus::Captured {
            complain(&trace.to_string());
        }
    }));
}

#[cfg(test)]
mod tests {
    use super::*;
    use blackfield::{DeviceError, DeviceReason};
    use std::path::PathBuf;

    fn io(file: &str, kind: ErrorKind) -> Error {
        Error::Io { file: PathBuf::from(file), source: kind.into() }
    }

    #[test]
    fn every_ending_has_its_code() {
        let cases = [
            (Error::Check("x".into()), 1),
            (Error::Refuted("x".into()), 1),
            (Error::Usage("x".into()), 2),
            (Error::Modulus("x".into()), 2),
            (Error::Matrix("x".into()), 3),
            (Error::Input { file: "f".into(), line: 3, message: "x".into() }, 3),
            (io("f", ErrorKind::NotFound), 3),
            (io("f", ErrorKind::BrokenPipe), 3),
            (io("f", ErrorKind::StorageFull), 4),
            (Error::Memory("x".into()), 4),
            (Error::Device(DeviceError::new(DeviceReason::NoDevice, "x")), 5),
            (Error::Interrupted, 130),
        ];
        for (error, code) in cases {
            let text = error.to_string();
            assert_eq!(guard(false, || Err(error)) as u8, code, "{text}");
        }
        assert_eq!(guard(false, || Ok(())), Code::Answer);
        assert_eq!(guard(false, || Err(io("-", ErrorKind::BrokenPipe))), Code::Answer);
    }

    #[test]
    fn a_panic_ends_in_code_1() {
        assert_eq!(guard(false, || panic!("a panic on purpose")), Code::Check);
    }

    #[test]
    fn a_panic_for_want_of_memory_ends_in_code_4() {
        assert_eq!(guard(false, || panic!("{REFUSED}{} bytes asked for (a test)", 1u64 << 60)), Code::Resources);
        let many = std::hint::black_box(usize::MAX);
        assert_eq!(guard(true, || Err(Error::Check(vec![0u64; many].len().to_string()))), Code::Resources);
    }
}
