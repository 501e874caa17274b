//! Minimal and characteristic polynomials: what may be asked, and what `--json` prints.

use super::{AnswerArgs, InputArgs, values};
use blackfield::field::Modulus;
use clap::{Args, ValueHint};
use std::path::PathBuf;

/// What both polynomials may be asked.
#[derive(Debug, Args)]
pub struct PolynomialArgs {
    /// The matrix file; `-` reads standard input
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub file: PathBuf,
    /// The modulus, a prime below 2^63
    #[arg(short = 'p', long, value_name = "P", value_parser = values::modulus)]
    pub modulus: Modulus,
    #[command(flatten)]
    pub input: InputArgs,
    /// Demand a proof, whatever it takes
    #[arg(long)]
    pub proven: bool,
    #[command(flatten)]
    pub answer: AnswerArgs,
}

#[derive(Debug, Args)]
#[command(after_long_help = MINPOLY_JSON)]
pub struct MinpolyArgs {
    #[command(flatten)]
    pub polynomial: PolynomialArgs,
}

#[derive(Debug, Args)]
#[command(after_long_help = CHARPOLY_JSON)]
pub struct CharpolyArgs {
    #[command(flatten)]
    pub polynomial: PolynomialArgs,
}

const MINPOLY_JSON: &str = "\
With --json the document is
  {schema: \"blackfield/minpoly/1\", file, rows, cols, nnz, modulus,
   degree, coefficients: [strings of digits, constant first],
   invariant_factors: [[strings of digits]] | null (those other than 1, each
   a divisor of the next, where all of them are known and proven),
   path: [{name, found, predicted, seconds}], reason,
   certainty: \"proven\" | \"monte-carlo\", error_bound, error_log2,
   phases: {name: seconds}, processor_seconds: {name: seconds}, seed,
   threads, digest, warnings, seconds, version}

Examples:
  blackfield minpoly matrix.sms.gz -p 65521
  blackfield minpoly matrix.mtx -p 2 --proven --json";

const CHARPOLY_JSON: &str = "\
With --json the document is
  {schema: \"blackfield/charpoly/1\", file, rows, cols, nnz, modulus,
   degree, coefficients: [strings of digits, constant first],
   path: [{name, found, predicted, seconds}], reason,
   certainty: \"proven\" | \"monte-carlo\" | \"heuristic\", error_bound,
   error_log2, phases: {name: seconds}, processor_seconds: {name: seconds},
   seed, threads, digest, warnings, seconds, version}

Examples:
  blackfield charpoly matrix.sms.gz -p 65521
  blackfield charpoly graph.mtx -p 2147483647 --pattern --json";
