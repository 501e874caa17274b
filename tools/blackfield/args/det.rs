//! Determinants: what may be asked, and what `--json` prints.

use super::{AnswerArgs, InputArgs, values};
use blackfield::field::Modulus;
use clap::{Args, ValueHint};
use std::path::PathBuf;

#[derive(Debug, Args)]
#[command(after_long_help = DET_JSON)]
pub struct DetArgs {
    /// The matrix file; `-` reads standard input
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub file: PathBuf,
    /// The modulus, a prime below 2^63 [default: none, the determinant over the integers]
    #[arg(short = 'p', long, value_name = "P", value_parser = values::modulus)]
    pub modulus: Option<Modulus>,
    #[command(flatten)]
    pub input: InputArgs,
    /// Demand a proof: mod p of a determinant that is 0, over the integers of one that is not
    #[arg(long)]
    pub proven: bool,
    #[command(flatten)]
    pub answer: AnswerArgs,
}

const DET_JSON: &str = "\
With --json the document is
  {schema: \"blackfield/det/1\", file, rows, cols, nnz, modulus,
   det: string of digits, rank,
   path: [{name, found, why, rank, predicted, seconds}], reason,
   certainty: \"proven\" | \"monte-carlo\", error_bound, error_log2,
   phases: {name: seconds}, processor_seconds: {name: seconds}, seed,
   threads, digest, warnings, seconds, version}
Without -p it is
  {schema: \"blackfield/det/1\", file, rows, cols, nnz,
   field: \"Z\" | \"Q\", det: string, bits, rank, divisor_bits, primes,
   hadamard_bits, and path to version as above}
divisor_bits are those of a divisor known by p-adic lifting; what is left of
Hadamard's bound, hadamard_bits, beside it takes that many primes.

Examples:
  blackfield det matrix.sms.gz -p 65521
  blackfield det matrix.mtx -p 2147483647 --json
  blackfield det matrix.mtx --proven";
