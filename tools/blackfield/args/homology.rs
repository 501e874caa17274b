//! Homology: what may be asked, and what `--json` prints.

use super::{AnswerArgs, TextArgs, values};
use blackfield::field::Modulus;
use clap::{Args, ValueHint};
use std::path::PathBuf;

#[derive(Debug, Args)]
#[command(after_long_help = HOMOLOGY_JSON)]
pub struct HomologyArgs {
    /// The boundary matrices D1, D2, ...; `-` reads standard input
    #[arg(value_name = "FILE", required_unless_present = "facets", value_hint = ValueHint::FilePath)]
    pub files: Vec<PathBuf>,
    /// A simplicial complex instead: one facet per line, its vertices (integers or words) separated by blanks or
    /// commas, comments after #; `-` reads standard input
    #[arg(long, value_name = "FILE", conflicts_with = "files", value_hint = ValueHint::FilePath)]
    pub facets: Option<PathBuf>,
    /// Over the field with P elements instead of the integers, P a prime below 2^63 (may be given several times)
    #[arg(short = 'p', long = "modulus", value_name = "P", value_delimiter = ',', value_parser = values::modulus)]
    pub moduli: Vec<Modulus>,
    /// Over the rationals
    #[arg(long)]
    pub rational: bool,
    /// Over the integers, beside what else is asked for
    #[arg(long)]
    pub integral: bool,
    /// Cohomology
    #[arg(long)]
    pub cohomology: bool,
    /// Reduced homology: of the complex with a cell of degree -1 that is the boundary of each 0-cell
    #[arg(long)]
    pub reduced: bool,
    /// Demand a proof: an answer in which no random choice matters
    #[arg(long)]
    pub proven: bool,
    #[command(flatten)]
    pub text: TextArgs,
    #[command(flatten)]
    pub answer: AnswerArgs,
}

const HOMOLOGY_JSON: &str = "\
Z^42 + (Z/3)^8 in the table is the sum of 42 copies of the integers and 8
of the integers mod 3; a number in the column of a field is the dimension.

With --json the document is
  {schema: \"blackfield/homology/1\", files, cells: [count], lowest_degree,
   nnz: [count for each boundary], cohomology, reduced,
   euler_characteristic, digest,
   coefficients: \"Z\" | \"Q\" | \"GF(P)\",
   groups: [{degree, betti, torsion: [[string of digits, count]]}],
   over: [{coefficients, groups, reason, certainty, error_bound,
           error_log2}], pairs,
   path: [{name, found, why, rank, predicted, seconds}], reason,
   certainty: \"proven\" | \"monte-carlo\", error_bound, error_log2,
   phases: {name: seconds}, processor_seconds: {name: seconds}, seed,
   threads, warnings, seconds, version}
where cells are counted from the lowest degree on, over has each kind of
coefficients that was asked for (the integers, the rationals, the fields),
and coefficients and groups at the top are the first of these. The certainty
at the top is that of all together.

Examples:
  blackfield generate --complex mk9 -o mk9
  blackfield homology mk9/d*.sms.gz --reduced
  blackfield homology mk9/d*.sms.gz -p 2,3 --integral --json
  blackfield homology --facets torus.txt --cohomology";
