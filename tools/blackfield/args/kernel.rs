//! Null spaces: what may be asked, and what `--json` prints.

use super::{AnswerArgs, InputArgs, MethodName, Prime, values};
use clap::builder::RangedU64ValueParser;
use clap::{Args, ValueHint};
use std::path::PathBuf;

#[derive(Debug, Args)]
#[command(after_long_help = KERNEL_JSON)]
pub struct KernelArgs {
    /// The matrix file; `-` reads standard input
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub file: PathBuf,
    /// The modulus, a prime of any size: in digits, or such as 2^127-1
    #[arg(short = 'p', long, value_name = "P", value_parser = values::prime, required_unless_present = "rational")]
    pub modulus: Option<Prime>,
    /// Over the rationals instead of mod p: entries are integers or fractions a/b, those of N as well
    #[arg(long, conflicts_with_all = ["modulus", "vectors"])]
    pub rational: bool,
    /// Clear denominators: each vector has integers without a common divisor
    #[arg(long, requires = "rational", conflicts_with_all = ["modulus", "dimension"])]
    pub integers: bool,
    /// The file for N, by its name in SMS (.sms, compressed .sms.gz) or, held until the end, as `convert` writes
    /// (.mtx, .npz, ...); `-` writes SMS to standard output
    #[arg(short, long, value_name = "FILE", required_unless_present = "dimension", value_hint = ValueHint::FilePath)]
    pub output: Option<PathBuf>,
    /// The left null space: N*A = 0
    #[arg(long)]
    pub left: bool,
    /// Instead of a basis so many random vectors of the null space, uniformly distributed and independent
    #[arg(long, value_name = "K", requires = "output")]
    #[arg(value_parser = RangedU64ValueParser::<usize>::new().range(0..=u64::from(u32::MAX)))]
    pub vectors: Option<usize>,
    /// Only the dimension
    #[arg(long, conflicts_with_all = ["output", "vectors"])]
    pub dimension: bool,
    #[command(flatten)]
    pub input: InputArgs,
    /// How to compute it; block Wiedemann (hybrid, wiedemann) takes the memory of a few blocks of vectors
    #[arg(long, value_name = "METHOD", default_value = "auto", conflicts_with = "rational")]
    pub method: MethodName,
    #[command(flatten)]
    pub answer: AnswerArgs,
}

const KERNEL_JSON: &str = "\
With --json the document is
  {schema: \"blackfield/kernel/1\", file, rows, cols, nnz,
   modulus: P, or field: \"Q\" and primes: [those that were needed],
   side: \"right\" | \"left\", rank, dimension,
   output: name or null, vectors, entries, random: true | false,
   path: [{name, found, why, rank, predicted, seconds}], reason,
   certainty: \"proven\" | \"monte-carlo\" | \"heuristic\",
   error_bound, error_log2: numbers or null, phases: {name: seconds},
   processor_seconds: {name: seconds}, seed, threads, digest, warnings,
   seconds, version}
A modulus beyond 2^63 is a string of digits, and docs/discrete-logarithm.md
says how it is worked with.
vectors counts those that were written and entries their non-zero entries;
both are 0 with --dimension. certainty is that of rank and dimension, as in
the document of a rank; vectors that were written are right in any case.

Examples:
  blackfield kernel matrix.sms.gz -p 65521 -o N.sms
  blackfield kernel matrix.mtx -p 2 --left -o N.sms.gz
  blackfield kernel matrix.mtx -p 2147483647 --vectors 8 -o N.sms --json
  blackfield kernel relations.sms.gz -p 2^127-1 -o N.sms
  blackfield kernel matrix.mtx -p 65521 --dimension
  blackfield kernel matrix.mtx -p 65521 --vectors 16 --method hybrid --checkpoint states -o N.sms
  blackfield kernel matrix.mtx --rational -o N.sms --integers";
