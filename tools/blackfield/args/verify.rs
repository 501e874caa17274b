//! Certificates checked.

use super::{Common, InputArgs};
use clap::{Args, ValueHint};
use std::path::PathBuf;

#[derive(Debug, Args)]
#[command(after_long_help = VERIFY_JSON)]
pub struct VerifyArgs {
    /// The certificate that `rank --certificate` wrote, `-` reads standard input; or what --json printed for an answer
    #[arg(value_name = "CERTIFICATE", value_hint = ValueHint::FilePath)]
    pub certificate: PathBuf,
    /// The matrix file, `-` reads standard input; for an answer all files in their order: what was asked about (A, or A
    /// and B, or D1, D2, ...), then what was written (N, X, R)
    #[arg(value_name = "MATRIX", required = true, value_hint = ValueHint::FilePath)]
    pub files: Vec<PathBuf>,
    #[command(flatten)]
    pub input: InputArgs,
    /// Print one JSON document
    #[arg(long, help_heading = "Machine and output")]
    pub json: bool,
    #[command(flatten)]
    pub common: Common,
}

const VERIFY_JSON: &str = "\
With --json the document of a certificate that holds is
  {schema: \"blackfield/verify/1\", certificate, file, verdict: true, rank,
   certainty: \"proven\" | \"monte-carlo\", error_bound, error_log2,
   lower_error, upper_error, rows, cols, modulus, triangular, digest,
   phases: {name: seconds}, seconds, version}
lower_error bounds the probability that the rank is smaller, upper_error
that it is larger, over challenges that are hashes of matrix and minor:
who tries N dishonest certificates multiplies them by N.
That of one that does not hold, is damaged or for another matrix is
  {schema, certificate, file, verdict: false, reason,
   kind: \"check\" | \"input\", code, rank, rows, cols, modulus,
   claimed_digest, digest, seconds, version}
with what it claims (null where it could not be read), and exit code 1 or
3. Where there is no verdict (a matrix that cannot be read, too little
memory) there is no document.

For an answer it is
  {schema: \"blackfield/verify-answer/1\", answer, files, about, verdict,
   checks: [{claim, by, certainty, error_bound, error_log2}], certainty,
   error_bound, error_log2 (these three if it holds), reason: null or text,
   code, seconds, version}
proven means that what is checked is shown for certain, monte-carlo that a
wrong answer passes with at most error_bound, heuristic that it is not
expected to pass: the ranks mod some primes do not exclude all others.

Examples:
  blackfield rank matrix.mtx -p 65521 --certificate matrix.cert
  blackfield verify matrix.cert matrix.mtx
  blackfield kernel A.sms -p 65521 -o N.sms --json > kernel.json
  blackfield verify kernel.json A.sms N.sms
  blackfield solve A.sms --rhs B.sms --rational -o X.sms --json > x.json
  blackfield verify x.json A.sms B.sms X.sms
  blackfield verify homology.json D1.sms D2.sms";
