//! The rank: what may be asked, and what `--json` prints.

use super::{BatchArgs, CheckpointArgs, Common, FormatArgs, InputArgs, Prime, ProfileArgs, Seed, device, values};
use blackfield::answers::{self, RankOptions};
use blackfield::gpu::Devices;
use blackfield::report::ErrorBound;
use blackfield::{Error, Result};
use clap::builder::RangedU64ValueParser;
use clap::{Args, ValueEnum, ValueHint};
use std::path::PathBuf;

#[derive(Debug, Args)]
#[command(after_long_help = RANK_JSON)]
pub struct RankArgs {
    /// Matrix files; `-` reads standard input
    #[arg(required = true, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub files: Vec<PathBuf>,
    /// The modulus, a prime of any size: in digits, or such as 2^127-1 (may be given several times)
    #[arg(
        short = 'p',
        long = "modulus",
        required_unless_present = "rational",
        value_name = "P",
        value_delimiter = ','
    )]
    #[arg(value_parser = values::prime)]
    pub moduli: Vec<Prime>,
    /// The rank over the rationals, then the rank modulo each P given, and what a smaller one means
    #[arg(long)]
    pub rational: bool,
    #[command(flatten)]
    pub input: InputArgs,

    /// How to compute it
    #[arg(long, value_name = "METHOD", default_value = "auto", help_heading = "Method and certainty")]
    pub method: MethodName,
    /// Demand a proof: an answer in which no random choice matters
    #[arg(long, help_heading = "Method and certainty")]
    pub proven: bool,
    /// Demand a proven bound on the error probability, such as 1e-12
    #[arg(long, value_name = "EPS", help_heading = "Method and certainty")]
    pub error: Option<ErrorBound>,
    /// Write a certificate of the rank to FILE, for `blackfield verify` (one matrix, one modulus; not by block
    /// Wiedemann)
    #[arg(long, value_name = "FILE", conflicts_with = "rational", value_hint = ValueHint::FilePath)]
    #[arg(help_heading = "Method and certainty")]
    pub certificate: Option<PathBuf>,
    /// Independent runs of block Wiedemann; the largest rank found is the answer
    #[arg(long, value_name = "N", default_value = "1", help_heading = "Method and certainty")]
    #[arg(value_parser = RangedU64ValueParser::<usize>::new().range(1..=1000))]
    pub trials: usize,
    /// The seed of all random choices: a number, or `random` to draw one and report it
    #[arg(long, value_name = "N", default_value = "1", help_heading = "Method and certainty")]
    pub seed: Seed,
    /// Block size of block Wiedemann [default: by a cost model]
    #[arg(long, value_name = "S", help_heading = "Method and certainty")]
    #[arg(value_parser = RangedU64ValueParser::<usize>::new().range(1..=RankOptions::MAX_BLOCK as u64))]
    pub block: Option<usize>,
    /// Where block Wiedemann reads the rank: the generator of the sequence started at BX, degree minus co-degree, or
    /// both
    #[arg(long, value_name = "ROUTE", default_value = "shortcut", help_heading = "Method and certainty")]
    pub route: RouteName,
    /// Compute every term of the sequence, even after the generator has stopped growing
    #[arg(long, help_heading = "Method and certainty")]
    pub no_early_termination: bool,

    #[command(flatten)]
    pub formats: FormatArgs,

    /// Where to compute: GPUs serve block Wiedemann (all that are named), sketches and dense eliminations (the first of
    /// them)
    #[arg(long, value_name = "DEVICE", default_value = "cpu", value_parser = device::OF_RANKS)]
    #[arg(help_heading = "Machine and output")]
    pub device: Devices,
    /// Memory that matrix and computation may use, such as 500M or 2G (1K = 1024 bytes) [default: the machine's]
    #[arg(long, value_name = "SIZE", value_parser = values::size, help_heading = "Machine and output")]
    pub max_memory: Option<u64>,
    /// Memory of the GPU that matrix and blocks may use there, such as 8G; what does not fit is refused, or with
    /// --device auto computed on the processor [default: what is free]
    #[arg(long, value_name = "SIZE", value_parser = values::size, help_heading = "Machine and output")]
    pub max_device_memory: Option<u64>,
    /// Print JSON, a document on a line for each answer
    #[arg(long, help_heading = "Machine and output")]
    pub json: bool,
    /// Say on standard error which steps and formats were chosen, and why, even with --quiet
    #[arg(long, help_heading = "Machine and output")]
    pub explain: bool,
    /// Print the plan of the first long step, with predicted seconds and bytes, and stop there
    #[arg(long, help_heading = "Machine and output")]
    pub dry_run: bool,
    #[command(flatten)]
    pub checkpoint: CheckpointArgs,
    #[command(flatten)]
    pub batch: BatchArgs,
    #[command(flatten)]
    pub profile: ProfileArgs,
    #[command(flatten)]
    pub common: Common,
}

impl RankArgs {
    /// Refuses options that have no effect on the method asked for.
    ///
    /// # Errors
    /// [`Error::Usage`].
    pub fn check_method(&self) -> Result<()> {
        let asked = [
            ("--trials", self.trials > 1),
            ("--block", self.block.is_some()),
            ("--route", self.route != RouteName::Shortcut),
            ("--no-early-termination", self.no_early_termination),
        ];
        match asked.into_iter().find(|(_, asked)| *asked) {
            Some((option, _)) if self.method == MethodName::Elimination => Err(Error::Usage(format!(
                "{option} is for block Wiedemann, which --method elimination does without: leave one of them out"
            ))),
            _ => Ok(()),
        }
    }
}

const RANK_JSON: &str = "\
With --json, each file and modulus give one document on one line:
  {schema: \"blackfield/rank/1\", file, rows, cols, nnz, modulus, field,
   rank, method, path: [{name, found, why, rank, predicted, seconds}],
   reason, certainty: \"proven\" | \"monte-carlo\" | \"heuristic\",
   error_bound, error_log2: numbers or null,
   wiedemann: {block, trials, trials_agreed, extension_degree} or null,
   phases: {name: seconds}, processor_seconds: {name: seconds}, plan, seed,
   threads, device, devices, digest, warnings, seconds, version}
A modulus beyond 2^63 is a string of digits; --trials, --route, --certificate,
--device cuda and sparse formats are for smaller ones.
JSON Schemas of all documents are in docs/schema of the source.
An answer is proven if no random choice matters, by block Wiedemann where it
reaches an upper bound of the rank; monte-carlo if a theorem bounds its error;
else heuristic: then it is not above the rank, but for --route codegree.
error_bound is 0 for a proof, null for a heuristic, and never below the
smallest normal number, 2.2e-308, otherwise; error_log2 is its logarithm
to base 2 without that limit. The bound holds for choices that the author
of the matrix did not know: they are keyed by SHA-256 of matrix, modulus,
seed and use.
A step's why is left out where there was nothing to choose.
nnz counts the entries that p does not divide; digest is of the integer
matrix, whatever p. The seconds of each answer include the reading of its
file, which happens once.

With --rational the rank over Q comes first on standard output, its modulus
written as Q, then those modulo each P. Any rank mod p is a lower bound. The
upper bound is proven where that is cheap, and with --proven at any price: by
the pattern, by null vectors over the integers, or by so many primes that no
larger minor can be a multiple of all; else primes of 31 bits are drawn until
the error probability is at most --error (1e-12 without it). With --json the
document of a file is
  {schema: \"blackfield/rank/1\", file, rows, cols, nnz,
   field: \"Q\", rank, certainty, error_bound, error_log2, reason,
   minor_bits, prime_bits,
   random_primes: [{modulus, rank, certainty, error_bound, error_log2,
                    seconds, invariant_factors}], proof_primes: [the same],
   primes: [the same], path: [{name, found, why, rank, predicted,
   seconds}], seed, threads, digest, warnings, phases, seconds, version}
where invariant_factors counts those of the Smith form that are
multiples of the prime: the rank over Q less the rank mod p. For a
boundary matrix this is torsion in homology.

Examples:
  blackfield rank matrix.sms.gz -p 65521
  blackfield rank matrix.mtx -p 2,3,5,65521 --json
  blackfield rank boundaries/*.sms.gz -p 65521 > ranks.tsv
  blackfield rank matrix.mtx -p 2147483647 --error 1e-12
  blackfield rank matrix.mtx -p 65521 --certificate matrix.cert
  blackfield rank matrix.mtx --rational -p 2,3,5,7";

/// The names of [`answers::Method`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum MethodName {
    /// Structural pivots, then whatever is predicted to be fastest on the rest
    Auto,
    /// Structural pivots, the row space of what they leave, and a proof
    Elimination,
    /// Structural pivots, then block Wiedemann on what they leave: little memory
    Hybrid,
    /// Block Wiedemann on the matrix itself
    Wiedemann,
}

impl From<MethodName> for answers::Method {
    fn from(name: MethodName) -> Self {
        match name {
            MethodName::Auto => answers::Method::Auto,
            MethodName::Elimination => answers::Method::Elimination,
            MethodName::Hybrid => answers::Method::Hybrid,
            MethodName::Wiedemann => answers::Method::Wiedemann,
        }
    }
}

/// The names of [`answers::Route`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum RouteName {
    /// Sequence started at BX: the degree is the rank
    Shortcut,
    /// Sequence started at X: degree minus co-degree
    Codegree,
    /// Both, compared
    Both,
}

impl From<RouteName> for answers::Route {
    fn from(name: RouteName) -> Self {
        match name {
            RouteName::Shortcut => answers::Route::Shortcut,
            RouteName::Codegree => answers::Route::CoDegree,
            RouteName::Both => answers::Route::Both,
        }
    }
}
