//! Linear systems: what may be asked, and what `--json` prints.

use super::{AnswerArgs, MethodName, Prime, TextArgs, values};
use clap::{Args, ValueHint};
use std::path::PathBuf;

#[derive(Debug, Args)]
#[command(after_long_help = SOLVE_JSON)]
pub struct SolveArgs {
    /// The file of the matrix A; `-` reads standard input
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub file: PathBuf,
    /// The file of the right sides B, a matrix with as many rows as A; `-` reads standard input
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub rhs: PathBuf,
    /// The modulus, a prime of any size: in digits, or such as 2^127-1
    #[arg(short = 'p', long, value_name = "P", value_parser = values::prime)]
    #[arg(required_unless_present = "rational", conflicts_with = "rational")]
    pub modulus: Option<Prime>,
    /// Solve over the rationals, by p-adic lifting
    #[arg(long, conflicts_with = "random")]
    pub rational: bool,
    /// The file for X, by its name in any format that `convert` writes (.sms, .mtx, .npy, ...; with .gz compressed)
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub output: Option<PathBuf>,
    /// Uniformly random solutions, independent of each other, instead of those with zeros in the free coordinates
    #[arg(long)]
    pub random: bool,
    /// How to compute it; block Wiedemann (hybrid, wiedemann) takes the memory of a few blocks of vectors
    #[arg(long, value_name = "METHOD", default_value = "auto", conflicts_with = "rational")]
    pub method: MethodName,
    #[command(flatten)]
    pub text: TextArgs,
    #[command(flatten)]
    pub answer: AnswerArgs,
}

const SOLVE_JSON: &str = "\
With --json the document is
  {schema: \"blackfield/solve/1\", file, rhs, rows, cols, nnz, modulus,
   right_sides, consistent: true | false, inconsistent: [columns of B],
   contradiction: null or {column, y: [[row, residue]], value}, rank,
   output: name or null, entries, random: true | false,
   path: [{name, found, why, rank, predicted, seconds}], reason,
   certainty: \"proven\" | \"monte-carlo\", error_bound, error_log2,
   phases: {name: seconds}, processor_seconds: {name: seconds}, seed,
   threads, digest, rhs_digest, warnings, seconds, version}
Rows and columns count from 0; residues are strings of digits, and so is a
modulus beyond 2^63. The vector y of a contradiction shows that its column b
of B has no solution: y*A = 0 and y*b = value, which is not 0. certainty is
that of the rank of A, and path is that of A and B together; solutions and
contradictions that are given hold in any case.
With --rational it is
  {schema: \"blackfield/solve/1\", file, rhs, rows, cols, nnz,
   field: \"Q\", right_sides, consistent: true | false,
   inconsistent: [columns of B],
   contradiction: null or {column, y: [[row, integer]], value},
   rank, prime, digits, numerator_bits, denominator_bits,
   output: name or null, entries, and path to version as above}
prime is the one that was lifted, digits how many times at most, and rank
that of A mod this prime; it is no larger than that over Q, and as a rule
the same. Solutions and contradictions are multiplied out over the integers.

Examples:
  blackfield solve matrix.sms.gz --rhs B.sms -p 65521 -o X.sms
  blackfield solve matrix.mtx --rhs b.mtx -p 2 --random --seed random -o x.sms
  blackfield solve matrix.mtx --rhs b.mtx -p 2147483647 --json
  blackfield solve matrix.mtx --rhs b.mtx --rational -o x.sms";
