//! Smith normal forms: what may be asked, and what `--json` prints.

use super::{AnswerArgs, InputArgs, values};
use blackfield::field::Modulus;
use blackfield::report::ErrorBound;
use clap::{Args, ValueHint};
use std::path::PathBuf;

#[derive(Debug, Args)]
#[command(after_long_help = SMITH_JSON)]
pub struct SmithArgs {
    /// The matrix file; `-` reads standard input
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub file: PathBuf,
    /// Only the powers of this prime in the invariant factors
    #[arg(long, value_name = "P", value_parser = values::modulus)]
    pub local: Option<Modulus>,
    #[command(flatten)]
    pub input: InputArgs,
    /// Demand a proof of the rank over Q and of all factors
    #[arg(long)]
    pub proven: bool,
    /// The error probability to reach where not all is proven [default: 1e-12]
    #[arg(long, value_name = "E", conflicts_with = "proven")]
    pub error: Option<ErrorBound>,
    #[command(flatten)]
    pub answer: AnswerArgs,
}

const SMITH_JSON: &str = "\
With --json the document is
  {schema: \"blackfield/smith/1\", file, rows, cols, nnz, ring: \"Z\", rank,
   factors: [[string of digits, multiplicity]], local: prime or null,
   path: [{name, found, why, rank, predicted, seconds}], reason,
   certainty: \"proven\" | \"monte-carlo\", error_bound, error_log2,
   phases: {name: seconds}, processor_seconds: {name: seconds}, seed,
   threads, digest, warnings, seconds, version}

Examples:
  blackfield smith boundary.sms.gz
  blackfield smith matrix.mtx --local 2 --json";
