//! How the program ends: its exit codes, the one line that says why, and the net under panics.

use crate::allocator;
use crate::answer::Over;
use crate::batch::About;
use crate::budget;
use crate::schema::Schema;
use crate::signals::{self, Kept};
use crate::words;
use blackfield::memory::REFUSED;
use blackfield::{Error, Result};
use serde::Serialize;
use std::any::Any;
use std::io::{ErrorKind, Write};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use terminal_size::{Width, terminal_size_of};

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
    5  a device or an instruction set that was asked for is not available
  130  interrupted (Ctrl-C, SIGTERM); a second signal ends it at once
Where several files or moduli end in different ways, the code is the worst of
theirs: 1, then 5, 4, 3, 2. An interruption ends them all.

Each error is one line on standard error. With --json that line is
  {\"schema\": \"blackfield/error/1\", \"error\": message, \"kind\": word,
   \"code\": exit code}
with the file, and the modulus, field or ring, of an answer that is missing
among several, and standard output has whole documents only, one a line.
docs/schema of the source has a JSON Schema of every document.";

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

    /// The worse of two: doubt about the program, then what the machine lacks, then what the user can mend, the nearer
    /// at hand the better. An interruption ends everything.
    pub fn worse(self, other: Code) -> Code {
        let rank = |code: Code| match code {
            Code::Answer => 0,
            Code::Usage => 1,
            Code::Input => 2,
            Code::Resources => 3,
            Code::Device => 4,
            Code::Check => 5,
            Code::Interrupted => 6,
        };
        if rank(other) > rank(self) { other } else { self }
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

impl From<()> for Code {
    fn from((): ()) -> Code {
        Code::Answer
    }
}

/// Whether errors are reported as JSON documents.
static JSON: AtomicBool = AtomicBool::new(false);

/// From here on, errors are reported as JSON documents.
pub fn speak_json() {
    JSON.store(true, Ordering::Relaxed);
    allocator::speak_json();
}

/// Whether they are.
pub fn speaks_json() -> bool {
    JSON.load(Ordering::Relaxed)
}

/// Why there is no answer: an error, or a bug, by its words.
#[derive(Debug)]
pub enum Failure {
    Error(Error),
    Bug(String),
}

impl Failure {
    pub fn code(&self) -> Code {
        match self {
            Failure::Error(error) => Code::of(error),
            Failure::Bug(_) => Code::Check,
        }
    }
    /// Whether its words say which file it is about.
    pub fn names_a_file(&self) -> bool {
        matches!(self, Failure::Error(Error::Input { .. } | Error::Io { .. }))
    }
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Failure::Error(Error::Io { file, source }) if file.as_os_str() == "-" && is_of_output(source.kind()) => {
                write!(f, "standard output: {}", without_number(&source.to_string()))
            }
            Failure::Error(error) => f.write_str(without_number(&error.to_string())),
            Failure::Bug(words) => f.write_str(words),
        }
    }
}

/// Whether it happens to what is written alone: `-` is standard input as well.
fn is_of_output(kind: ErrorKind) -> bool {
    matches!(kind, ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::FileTooLarge)
}

/// Words that end in the system's own, without its number for them.
fn without_number(words: &str) -> &str {
    let number = words.strip_suffix(')').and_then(|words| words.rsplit_once(" (os error "));
    number.filter(|(_, n)| n.bytes().all(|b| b.is_ascii_digit())).map_or(words, |(words, _)| words)
}

/// Does `work`. A panic, which the hook of [`announce_panics`] has seen, is a bug; one for want of memory is an error
/// like any other.
pub fn caught<T>(work: impl FnOnce() -> Result<T>) -> std::result::Result<T, Failure> {
    // The work shares nothing with what follows, so that no broken invariant can be seen after an unwinding.
    match std::panic::catch_unwind(std::panic::AssertUnwindSafe(work)) {
        Ok(ending) => ending.map_err(Failure::Error),
        Err(payload) => {
            let words = message(&*payload);
            Err(want_of_memory(words).map_or_else(|| Failure::Bug(bug(words)), Failure::Error))
        }
    }
}

/// Runs the program's work, reports its error on standard error and finds the exit code.
pub fn guard(json: bool, work: impl FnOnce() -> Result<Code>) -> Code {
    match caught(work) {
        Ok(code) => code,
        Err(Failure::Error(error)) if is_closed_pipe(&error) => Code::Answer,
        Err(failure) => {
            report(json, &failure, None, "");
            failure.code()
        }
    }
}

/// Reports a failure on standard error, as a document or as a line that begins with `prefix`.
pub fn report(json: bool, failure: &Failure, about: Option<&About<'_>>, prefix: &str) {
    let kept = match failure {
        Failure::Error(Error::Interrupted) => Some(signals::kept()),
        _ => None,
    };
    let mut words = kept.as_ref().map_or_else(|| failure.to_string(), ToString::to_string);
    // A request beyond the limit of the command line, as the library cannot know.
    if words.starts_with(REFUSED) {
        words += &budget::Refusal.to_string();
    }
    if json {
        let code = failure.code();
        let document = Document {
            schema: Schema::Error,
            error: &words,
            kind: code.kind(),
            code: code as u8,
            file: about.map(|about| about.file.display().to_string()),
            over: about.and_then(|about| about.over.clone()),
            kept,
        };
        return say(&serde_json::to_string(&document).expect("our documents have string keys"));
    }
    // A bug has been told by the hook, when it happened.
    if !matches!(failure, Failure::Bug(_)) {
        complain(&format!("blackfield: {prefix}{words}"));
    }
    // A command is to be copied whole.
    if let Some(command) = kept.as_ref().and_then(Kept::command) {
        say(&format!("  resume   {command}"));
    }
}

/// The line of an error with --json.
#[derive(Serialize)]
struct Document<'a> {
    schema: Schema,
    error: &'a str,
    kind: &'static str,
    code: u8,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
    #[serde(flatten)]
    over: Option<Over>,
    #[serde(flatten)]
    kept: Option<Kept>,
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

/// One line on standard error, broken between words on a terminal.
pub fn complain(line: &str) {
    match terminal_size_of(std::io::stderr()) {
        Some((Width(width), _)) if width > 0 => say(&words::wrapped(line, width.into())),
        _ => say(line),
    }
}

/// One line on standard error as it is. Where that is closed or full there is nobody left to tell.
pub fn say(line: &str) {
    let _ = writeln!(std::io::stderr(), "{line}");
}

/// What was said of the latest panic.
static BUG: Mutex<String> = Mutex::new(String::new());

/// The words of a panic, whose hook has run.
fn bug(message: &str) -> String {
    let told = std::mem::take(&mut *BUG.lock().unwrap_or_else(PoisonError::into_inner));
    if told.is_empty() { format!("internal error: {message}") } else { told }
}

/// Replaces Rust's report of a panic by one line that asks for a report (and the backtrace if `RUST_BACKTRACE` is set).
/// Under `--json` whoever catches the panic prints it in a document.
pub fn announce_panics() {
    std::panic::set_hook(Box::new(|info| {
        let message = message(info.payload());
        if want_of_memory(message).is_some() {
            return; // Whoever catches it tells it.
        }
        let place = info.location().map_or(String::new(), |l| format!(" at {l}"));
        let version = env!("CARGO_PKG_VERSION");
        let words =
            format!("internal error{place}: {message}; please report this line and the command (version {version})");
        if !speaks_json() {
            complain(&format!("blackfield: {words}"));
        }
        *BUG.lock().unwrap_or_else(PoisonError::into_inner) = words;
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
        assert_eq!(guard(false, || Ok(Code::Answer)), Code::Answer);
        assert_eq!(guard(false, || Err(io("-", ErrorKind::BrokenPipe))), Code::Answer);
    }

    #[test]
    fn the_worst_code_is_that_of_any_order() {
        // From the best to the worst.
        let codes =
            [Code::Answer, Code::Usage, Code::Input, Code::Resources, Code::Device, Code::Check, Code::Interrupted];
        for (k, &a) in codes.iter().enumerate() {
            for (l, &b) in codes.iter().enumerate() {
                assert_eq!(a.worse(b), codes[k.max(l)], "{a:?} {b:?}");
            }
        }
    }

    #[test]
    fn the_system_has_words_enough() {
        assert_eq!(without_number("a.sms: No such file or directory (os error 2)"), "a.sms: No such file or directory");
        for words in ["a (os error x)", "a (os error 2", "plain"] {
            assert_eq!(without_number(words), words);
        }
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
