//! `blackfield verify CERTIFICATE MATRIX`: whether the certificate of a rank holds, far cheaper than computing the
//! rank.

use crate::args::VerifyArgs;
use crate::exit::Code;
use crate::input;
use crate::output;
use crate::progress::Bars;
use crate::schema::Schema;
use crate::verify_answer;
use blackfield::certify::{self, Certificate, Verdict};
use blackfield::field::Modulus;
use blackfield::report::{ErrorBound, Phases};
use blackfield::{Error, Result};
use serde::Serialize;
use std::fs::File;
use std::path::Path;
use std::time::Instant;

/// The document of --json for a certificate that holds.
#[derive(Serialize)]
struct Document {
    schema: Schema,
    certificate: String,
    file: String,
    verdict: bool,
    #[serde(flatten)]
    shown: Verdict,
    rows: usize,
    cols: usize,
    modulus: Modulus,
    triangular: usize,
    digest: String,
    phases: Phases,
    seconds: f64,
    version: &'static str,
}

/// The document of --json for one that does not, or is damaged, or for another matrix: what it claims, as far as it was
/// read, and why it is not believed.
#[derive(Serialize)]
struct Refusal {
    schema: Schema,
    certificate: String,
    file: String,
    verdict: bool,
    reason: String,
    kind: &'static str,
    code: u8,
    #[serde(flatten)]
    claim: Claim,
    seconds: f64,
    version: &'static str,
}

/// What a certificate claims, and the digest of the matrix; `None` as long as it is not known.
#[derive(Default, Serialize)]
struct Claim {
    rank: Option<usize>,
    rows: Option<usize>,
    cols: Option<usize>,
    modulus: Option<Modulus>,
    claimed_digest: Option<String>,
    digest: Option<String>,
}

/// Prints the verdict; a certificate that does not hold is an [`Error::Refuted`], one for another matrix an
/// [`Error::Input`]. Both are verdicts, and have their documents; a matrix that cannot be read has none.
pub fn run(args: &VerifyArgs, bars: &Bars) -> Result<()> {
    if verify_answer::is_document(&args.certificate) {
        return verify_answer::run(args, bars);
    }
    let [file] = &args.files[..] else {
        return Err(Error::Usage(format!("a certificate is for one matrix, here are {} files", args.files.len())));
    };
    input::check_stdin_once(&[&args.certificate, file])?;
    let start = Instant::now();
    let mut claim = Claim::default();
    let ending = judge(args, file, start, &mut claim, bars);
    let Err(error) = &ending else { return ending };
    let refused = match error {
        Error::Refuted(_) => true,
        Error::Input { file: which, .. } => *which == args.certificate,
        _ => false,
    };
    if refused && args.json {
        bars.clear();
        let code = Code::of(error);
        output::print_json(&Refusal {
            schema: Schema::Verify,
            certificate: args.certificate.display().to_string(),
            file: file.display().to_string(),
            verdict: false,
            reason: error.to_string(),
            kind: code.kind(),
            code: code as u8,
            claim,
            seconds: start.elapsed().as_secs_f64(),
            version: env!("CARGO_PKG_VERSION"),
        })?;
    }
    ending
}

/// Checks the certificate and prints what it shows; notes in `claim` what it says meanwhile.
fn judge(args: &VerifyArgs, matrix_file: &Path, start: Instant, claim: &mut Claim, bars: &Bars) -> Result<()> {
    let mut phases = Phases::default();
    let certificate = phases.time("certificate", || read(&args.certificate))?;
    *claim = Claim {
        rank: Some(certificate.rank()),
        rows: Some(certificate.rows),
        cols: Some(certificate.cols),
        modulus: Some(certificate.modulus),
        claimed_digest: Some(certificate.digest.clone()),
        digest: None,
    };
    let loaded = input::load_rational(matrix_file, args.input, None, bars)?;
    loaded.check(certificate.modulus)?;
    let loaded = loaded.numerators();
    phases.extend(&loaded.read);
    let digest = phases.time("digest", || loaded.digest());
    claim.digest = Some(digest.clone());
    if digest != certificate.digest {
        let message = format!(
            "a certificate for another matrix: its digest is {}, that of {} is {digest}",
            certificate.digest,
            matrix_file.display()
        );
        return Err(Error::Input { file: args.certificate.clone(), line: 2, message });
    }
    let compact = phases.time("reduce", || loaded.triplets.compact())?;
    let matrix = phases.time("reduce", || compact.matrix.try_reduce(certificate.modulus))?;
    let verdict =
        phases.time("verify", || certify::verify_compact(&certificate, &matrix, &compact.lines, &digest, bars))?;
    bars.clear();
    let document = Document {
        schema: Schema::Verify,
        certificate: args.certificate.display().to_string(),
        file: matrix_file.display().to_string(),
        verdict: true,
        shown: verdict,
        rows: certificate.rows,
        cols: certificate.cols,
        modulus: certificate.modulus,
        triangular: certificate.triangular,
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
    output::print(&format!(
        "rank {} mod {} ({})\n",
        verdict.rank,
        certificate.modulus,
        output::sure(verdict.certainty())
    ))
}

/// What one of the two claims rests on.
fn ground(error: Option<ErrorBound>, proof: &str) -> String {
    error.map_or(format!("proven by {proof}"), |error| format!("by random vectors, error <= {error}"))
}

/// The certificate in a file; `-` is the standard input.
fn read(file: &Path) -> Result<Certificate> {
    if file.as_os_str() == "-" {
        return Certificate::read(std::io::stdin().lock(), file);
    }
    let source = File::open(file).map_err(|source| Error::Io { file: file.to_path_buf(), source })?;
    Certificate::read(source, file)
}
