//! Reduced row echelon forms: what may be asked, and what `--json` prints.

use super::{AnswerArgs, InputArgs, values};
use blackfield::field::Modulus;
use clap::{Args, ValueHint};
use std::path::PathBuf;

#[derive(Debug, Args)]
#[command(after_long_help = RREF_JSON)]
pub struct RrefArgs {
    /// The matrix file; `-` reads standard input
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub file: PathBuf,
    /// The modulus, a prime below 2^63
    #[arg(short = 'p', long, value_name = "P", value_parser = values::modulus, required_unless_present = "rational")]
    pub modulus: Option<Modulus>,
    /// Over the rationals instead of mod p: entries are integers or fractions a/b, those of R as well
    #[arg(long, conflicts_with = "modulus")]
    pub rational: bool,
    /// The file for R, by its name in SMS (.sms, compressed .sms.gz) or, held until the end, as `convert` writes
    /// (.mtx, .npz, ...); `-` writes SMS to standard output
    #[arg(short, long, value_name = "FILE", required_unless_present = "pivots_only", value_hint = ValueHint::FilePath)]
    pub output: Option<PathBuf>,
    /// Only the columns of the leading ones, from 0 on: one a line on standard output instead of the rank
    #[arg(long, conflicts_with = "output")]
    pub pivots_only: bool,
    /// Take the columns in the order of this file, which has each number from 0 to the last once, separated by white
    /// space; R has them in this order
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub column_order: Option<PathBuf>,
    #[command(flatten)]
    pub input: InputArgs,
    #[command(flatten)]
    pub answer: AnswerArgs,
}

const RREF_JSON: &str = "\
With --json the document is
  {schema: \"blackfield/rref/1\", file, rows, cols, nnz,
   modulus: P, or field: \"Q\" and primes: [those that were needed], rank,
   pivots: [column of each row of R], output: name or null, entries,
   path: [{name, found, why, rank, predicted, seconds}], reason,
   certainty: \"proven\" | \"monte-carlo\", error_bound, error_log2,
   phases: {name: seconds}, processor_seconds: {name: seconds}, seed,
   threads, digest, warnings, seconds, version}
pivots are columns of the file, from 0 on, whatever their order; with
--column-order their numbers in the file, in the order of the rows of R.
A form that was written is proven: its columns are checked by
multiplication, over the rationals by one with integers. With --pivots-only
the certainty is that of the rank.

Examples:
  blackfield rref matrix.sms.gz -p 65521 -o R.sms
  blackfield rref matrix.mtx -p 2 --pivots-only
  blackfield rref system.sms -p 2147483647 --column-order order -o R.sms --json
  blackfield rref system.sms --rational -o R.sms";
