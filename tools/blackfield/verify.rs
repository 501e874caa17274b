//! `blackfield verify CERTIFICATE MATRIX`: whether the certificate of a rank holds, far cheaper than computing the rank.

use crate::args::VerifyArgs;
use crate::input;
use crate::output;
use crate::progress::Bars;
use blackfield::answers::Phases;
use blackfield::certify::{self, Certificate, ErrorBound};
use blackfield::{Error, Result};
use serde::Serialize;
use std::io::Read;
use std::path::Path;
use std::time::Instant;

/// The document of --json.
#[derive(Serialize)]
struct Document {
    certificate: String,
    file: String,
    rank: usize,
    rows: usize,
    cols: usize,
    modulus: u64,
    triangular: usize,
    #[serde(flatten)]
    sure: output::Sure,
    lower_error: f64,
    upper_error: f64,
    digest: String,
    #[serde(serialize_with = "output::phases")]
    phases: Phases,
    seconds: f64,
    version: &'static str,
}

/// Prints the verdict; a certificate that does not hold is an [`Error::Check`], one for another matrix an
/// [`Error::Input`].
pub fn run(args: &VerifyArgs, bars: &Bars) -> Result<()> {
    input::check_stdin_once(&[&args.certificate, &args.file])?;
    let start = Instant::now();
    let mut phases = Phases::default();
    let certificate = phases.time("certificate", || read(&args.certificate))?;
    let loaded = input::load(&args.file, args.pattern, bars)?;
    phases.add("read", loaded.seconds);
    let digest = phases.time("digest", || loaded.digest());
    if digest != certificate.digest {
        let message = format!(
            "a certificate for another matrix: its digest is {}, that of {} is {digest}",
            certificate.digest,
            args.file.display()
        );
        return Err(Error::Input { file: args.certificate.clone(), line: 2, message });
    }
    let matrix = phases.time("reduce", || loaded.triplets.reduce(certificate.modulus));
    let verdict = phases.time("verify", || certify::verify(&certificate, &matrix, &digest, bars))?;
    bars.clear();
    let certainty = verdict.certainty();
    let document = Document {
        certificate: args.certificate.display().to_string(),
        file: args.file.display().to_string(),
        rank: verdict.rank,
        rows: matrix.rows(),
        cols: matrix.cols(),
        modulus: certificate.modulus.get(),
        triangular: certificate.triangular,
        sure: certainty.into(),
        lower_error: verdict.lower_error.map_or(0.0, ErrorBound::value),
        upper_error: verdict.upper_error.map_or(0.0, ErrorBound::value),
        digest,
        phases,
        seconds: start.elapsed().as_secs_f64(),
        version: env!("CARGO_PKG_VERSION"),
    };
    let parts: Vec<_> = document.phases.iter().map(|(name, s)| format!("{name} {s:.3}")).collect();
    bars.note(&format!("{}: holds", document.certificate));
    bars.note(&format!("  rank >= {}  {}", verdict.rank, ground(verdict.lower_error, "a triangular minor")));
    bars.note(&format!("  rank <= {}  {}", verdict.rank, ground(verdict.upper_error, "lines that meet every entry")));
    bars.note(&format!("  seconds  {:.3} = {}", document.seconds, parts.join(" + ")));
    if args.json {
        return output::print_json(&document);
    }
    output::print(&format!("rank {} mod {} ({})\n", verdict.rank, certificate.modulus, output::sure(certainty)))
}

/// What one of the two claims rests on.
fn ground(error: Option<ErrorBound>, proof: &str) -> String {
    error.map_or(format!("proven by {proof}"), |error| format!("by random vectors, error <= {error}"))
}

/// The certificate in a file; `-` is the standard input.
fn read(file: &Path) -> Result<Certificate> {
    let io = |source| Error::Io { file: file.to_path_buf(), source };
    let bytes = if file.as_os_str() == "-" {
        let mut bytes = vec![];
        std::io::stdin().lock().read_to_end(&mut bytes).map_err(io)?;
        bytes
    } else {
        std::fs::read(file).map_err(io)?
    };
    Certificate::from_bytes(&bytes, file)
}
