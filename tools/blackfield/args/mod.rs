//! What may be typed after `blackfield`: parsed here without any effect (no file is opened, no seed drawn).

mod permanent;
mod values;

pub use permanent::PermanentArgs;
pub use values::Seed;

use crate::exit;
use blackfield::answers::{self, RankOptions};
use blackfield::field::Modulus;
use blackfield::isa::Isa;
use blackfield::report::ErrorBound;
use blackfield::sparse::formats::Format;
use blackfield::spmv::{PlanOptions, Segregation};
use clap::builder::RangedU64ValueParser;
use clap::{Args, Parser, Subcommand, ValueEnum, ValueHint};
use std::path::PathBuf;

/// Exact linear algebra over finite fields: the rank mod p of huge sparse matrices.
#[derive(Debug, Parser)]
#[command(name = "blackfield", version, max_term_width = 100, after_long_help = exit::CODES)]
#[command(subcommand_required = true, arg_required_else_help = true, disable_help_subcommand = true)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
}

/// The subcommands.
#[derive(Debug, Subcommand)]
pub enum Command {
    Rank(RankArgs),
    Verify(VerifyArgs),
    Permanent(PermanentArgs),
    Info(InfoArgs),
    Convert(ConvertArgs),
    Generate(GenerateArgs),
    Completions(CompletionsArgs),
    Man(ManArgs),
}

impl Command {
    /// Whether the caller reads JSON, of errors too.
    pub fn json(&self) -> bool {
        match self {
            Command::Rank(args) => args.json,
            Command::Verify(args) => args.json,
            Command::Permanent(args) => args.json,
            Command::Info(args) => args.json,
            _ => false,
        }
    }
}

/// Options of every subcommand that works on a matrix.
#[derive(Clone, Copy, Debug, Args)]
#[command(next_help_heading = "Machine and output")]
pub struct Common {
    /// Threads to work with [default: all processors]; the answer does not depend on it
    #[arg(long, value_name = "N", value_parser = RangedU64ValueParser::<usize>::new().range(1..=1024))]
    pub threads: Option<usize>,
    /// Instructions to work with [default: the widest of this processor]; the answer does not depend on it
    #[arg(long, value_name = "SET", env = "BLACKFIELD_ISA", hide_env_values = true)]
    pub isa: Option<IsaName>,
    /// Nothing on standard error but errors
    #[arg(short, long)]
    pub quiet: bool,
}

/// The names of [`Isa`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum IsaName {
    /// What every processor of this kind has
    Portable,
    /// AVX2, FMA and BMI2
    Avx2,
    /// AVX-512 F, BW, DQ and VL, and IFMA and VNNI where they are there
    Avx512,
}

impl From<IsaName> for Isa {
    fn from(name: IsaName) -> Self {
        match name {
            IsaName::Portable => Isa::Portable,
            IsaName::Avx2 => Isa::Avx2,
            IsaName::Avx512 => Isa::Avx512,
        }
    }
}

/// Wishes for the formats of the sparse products.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Sparse formats")]
pub struct FormatArgs {
    /// Store every part of the matrix in this format (a rank needs --method wiedemann for it, and the next two)
    #[arg(long, value_name = "FORMAT")]
    pub format: Option<FormatName>,
    /// Never choose this format (may be given several times)
    #[arg(long, value_name = "FORMAT", value_delimiter = ',', conflicts_with = "format")]
    pub forbid_format: Vec<FormatName>,
    /// Whether the entries 1 and -1 get parts of their own, without values
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    pub segregate: When,
}

impl FormatArgs {
    /// The same wishes in the library's terms.
    pub fn plan_options(&self) -> PlanOptions {
        PlanOptions::default()
            .force(self.format.map(Into::into))
            .forbid(self.forbid_format.iter().map(|&name| name.into()).collect::<Vec<_>>())
            .segregation(self.segregate.into())
    }
}

/// The sparse formats by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum FormatName {
    /// Coordinates
    Coo,
    /// Compressed rows without the empty ones
    CooS,
    /// Compressed rows
    Csr,
    /// Rows padded to equal length
    Ell,
    /// Padded rows with their lengths
    EllR,
    /// Diagonals
    Dia,
}

impl From<FormatName> for Format {
    fn from(name: FormatName) -> Self {
        match name {
            FormatName::Coo => Format::Coo,
            FormatName::CooS => Format::CooS,
            FormatName::Csr => Format::Csr,
            FormatName::Ell => Format::Ell,
            FormatName::EllR => Format::EllR,
            FormatName::Dia => Format::Dia,
        }
    }
}

/// A choice that may be left to the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum When {
    Auto,
    Always,
    Never,
}

impl From<When> for Segregation {
    fn from(when: When) -> Self {
        match when {
            When::Auto => Segregation::Auto,
            When::Always => Segregation::Always,
            When::Never => Segregation::Never,
        }
    }
}

/// The rank of sparse matrices mod p.
///
/// Standard output has the rank alone, one line for each file and modulus in the order given; everything else (how, why,
/// how sure) is on standard error. A file is read once for all moduli. Formats are told by content: SMS, MatrixMarket,
/// Harwell-Boeing, Rutherford-Boeing, each also compressed with gzip.
#[derive(Debug, Args)]
#[command(after_long_help = RANK_JSON)]
pub struct RankArgs {
    /// Matrix files; `-` reads standard input
    #[arg(required = true, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub files: Vec<PathBuf>,
    /// The modulus, a prime below 2^63 (may be given several times)
    #[arg(
        short = 'p',
        long = "modulus",
        required_unless_present = "rational",
        value_name = "P",
        value_delimiter = ','
    )]
    #[arg(value_parser = values::modulus)]
    pub moduli: Vec<Modulus>,
    /// The rank over the rationals, then the rank modulo each P given, and what a smaller one means
    #[arg(long)]
    pub rational: bool,
    /// Read every entry as 1: the 0-1 pattern of the matrix
    #[arg(long)]
    pub pattern: bool,

    /// How to compute it
    #[arg(long, value_name = "METHOD", default_value = "auto", help_heading = "Method and certainty")]
    pub method: MethodName,
    /// Demand a proof: an answer in which no random choice matters
    #[arg(long, help_heading = "Method and certainty")]
    pub proven: bool,
    /// Demand a proven bound of the error probability, such as 1e-12
    #[arg(long, value_name = "EPS", help_heading = "Method and certainty")]
    pub error: Option<ErrorBound>,
    /// Write a certificate of the rank to FILE, for `blackfield verify` (one matrix, one modulus; not by block Wiedemann)
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
    /// Where block Wiedemann reads the rank: the generator of the sequence started at BX, degree minus co-degree, or both
    #[arg(long, value_name = "ROUTE", default_value = "shortcut", help_heading = "Method and certainty")]
    pub route: RouteName,
    /// Compute every term of the sequence even when the generator has long stood still
    #[arg(long, help_heading = "Method and certainty")]
    pub no_early_termination: bool,

    #[command(flatten)]
    pub formats: FormatArgs,

    /// Where to compute
    #[arg(long, value_name = "DEVICE", default_value = "cpu", help_heading = "Machine and output")]
    pub device: DeviceName,
    /// Memory that matrix and computation may use, such as 500M or 2G (1K = 1024 bytes) [default: the machine's]
    #[arg(long, value_name = "SIZE", value_parser = values::size, help_heading = "Machine and output")]
    pub max_memory: Option<u64>,
    /// Print one JSON document
    #[arg(long, help_heading = "Machine and output")]
    pub json: bool,
    /// Say on standard error which steps and formats were chosen, and why
    #[arg(long, conflicts_with = "quiet", help_heading = "Machine and output")]
    pub explain: bool,
    #[command(flatten)]
    pub common: Common,
}

const RANK_JSON: &str = "\
With --json, one file and one modulus give one document:
  {schema: \"blackfield/rank/1\", file, rows, cols, nnz, modulus, field,
   rank, method, path: [{name, found, why, rank, predicted, seconds}],
   reason, certainty: \"proven\" | \"monte-carlo\" | \"heuristic\",
   error_bound, error_log2: numbers or null,
   wiedemann: {block, trials, trials_agreed, extension_degree} or null,
   phases: {name: seconds}, plan, seed, threads, device, digest, warnings,
   seconds, version}
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
matrix, whatever p. Several files or moduli give
  {schema: \"blackfield/results/1\", results: [one document each],
   complete, seconds, version}
where complete is false if an error ended the work; the results before
it are kept. The seconds of each answer include the reading of its file,
which happens once.

With --rational the rank over Q comes first on standard output, then one
line for each P. Any rank mod p is a lower bound. The upper one is proven
where that is cheap, and with --proven at any price: by the pattern, by null
vectors over the integers, or by so many primes that no larger minor can be
a multiple of all; else primes of 31 bits are drawn until the error
probability is at most --error (1e-12 without it). With --json the document is
  {schema: \"blackfield/rational-rank/1\", file, rows, cols, nnz,
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
  blackfield rank matrix.mtx -p 2147483647 --error 1e-12
  blackfield rank matrix.mtx -p 65521 --certificate matrix.cert
  blackfield rank matrix.mtx --rational -p 2,3,5,7";

/// Check the certificate of a rank mod p.
///
/// Standard output has the verdict in one line. A certificate that does not hold ends in exit code 1; one that is damaged, or
/// for another matrix, in exit code 3. Checking costs about two passes over the matrix with some random vectors, whatever
/// it cost to find the rank: no elimination.
#[derive(Debug, Args)]
#[command(after_long_help = VERIFY_JSON)]
pub struct VerifyArgs {
    /// The certificate that `rank --certificate` wrote; `-` reads standard input
    #[arg(value_name = "CERTIFICATE", value_hint = ValueHint::FilePath)]
    pub certificate: PathBuf,
    /// The matrix file; `-` reads standard input
    #[arg(value_name = "MATRIX", value_hint = ValueHint::FilePath)]
    pub file: PathBuf,
    /// Read every entry as 1: the 0-1 pattern of the matrix
    #[arg(long)]
    pub pattern: bool,
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

Example:
  blackfield rank matrix.mtx -p 65521 --certificate matrix.cert
  blackfield verify matrix.cert matrix.mtx";

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

/// Where to compute.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum DeviceName {
    Cpu,
    Cuda,
}

/// What a matrix looks like, and how it would be stored.
///
/// Size, non-zeros, histograms of row weights and values, the share of 1 and -1, structural facts, and the plan of formats
/// for the modulus given.
#[derive(Debug, Args)]
pub struct InfoArgs {
    /// The matrix file; `-` reads standard input
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub file: PathBuf,
    /// The modulus of the plan, a prime below 2^63
    #[arg(short = 'p', long, value_name = "P", default_value = "65521", value_parser = values::modulus)]
    pub modulus: Modulus,
    /// Read every entry as 1: the 0-1 pattern of the matrix
    #[arg(long)]
    pub pattern: bool,
    /// Draw the pattern of the non-zeros as a PNG image
    #[arg(long, value_name = "OUT.png", value_hint = ValueHint::FilePath)]
    pub spy: Option<PathBuf>,
    /// The longer side of the image in pixels, at most
    #[arg(long, value_name = "PIXELS", default_value = "1000", requires = "spy")]
    #[arg(value_parser = RangedU64ValueParser::<usize>::new().range(1..=16384))]
    pub spy_size: usize,
    #[command(flatten)]
    pub formats: FormatArgs,
    /// Print one JSON document
    #[arg(long, help_heading = "Machine and output")]
    pub json: bool,
    #[command(flatten)]
    pub common: Common,
}

/// Rewrite a matrix in another format.
///
/// The output's format is told by its name (.sms, .mtx; with .gz compressed) or by --to. Entries are written in canonical
/// order: rows ascending, columns ascending, duplicates summed, zeros dropped.
#[derive(Debug, Args)]
pub struct ConvertArgs {
    /// The matrix file; `-` reads standard input
    #[arg(value_name = "IN", value_hint = ValueHint::FilePath)]
    pub input: PathBuf,
    /// The new file; `-` writes to standard output
    #[arg(value_name = "OUT", value_hint = ValueHint::FilePath)]
    pub output: PathBuf,
    /// The format to write [default: by the name of OUT]
    #[arg(long, value_name = "FORMAT")]
    pub to: Option<FileFormat>,
    /// Reduce the entries mod P, a prime below 2^63, to 0 ... P-1
    #[arg(short = 'p', long, value_name = "P", value_parser = values::modulus)]
    pub modulus: Option<Modulus>,
    /// Exchange rows and columns
    #[arg(long)]
    pub transpose: bool,
    /// Read every entry as 1: the 0-1 pattern of the matrix
    #[arg(long)]
    pub pattern: bool,
    #[command(flatten)]
    pub common: Common,
}

/// The formats that can be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum FileFormat {
    /// Sparse Matrix Storage: one line `row column value` per entry
    Sms,
    /// MatrixMarket coordinate
    Mtx,
}

/// Write a matrix of a known exact family by name.
///
/// The matrices are those of the Sparse Integer Matrix Collection and its relatives: boundary matrices of chessboard and
/// matching complexes, block designs, graphs. --list prints the families, how their names are read, and an example each.
#[derive(Debug, Args)]
pub struct GenerateArgs {
    /// The matrix's name, such as mk12-b3 or ch7-8-b4
    #[arg(value_name = "NAME", required_unless_present = "list")]
    pub name: Option<String>,
    /// The file to write; `-` writes to standard output
    #[arg(short, long, value_name = "FILE", required_unless_present = "list", value_hint = ValueHint::FilePath)]
    pub output: Option<PathBuf>,
    /// The format to write [default: by the name of FILE]
    #[arg(long, value_name = "FORMAT")]
    pub to: Option<FileFormat>,
    /// List the families
    #[arg(long, exclusive = true)]
    pub list: bool,
    #[command(flatten)]
    pub common: Common,
}

/// Print a completion script for a shell.
#[derive(Debug, Args)]
pub struct CompletionsArgs {
    /// The shell
    #[arg(value_name = "SHELL")]
    pub shell: clap_complete::Shell,
}

/// Print the manual page, or write all pages into a folder.
#[derive(Debug, Args)]
pub struct ManArgs {
    /// The folder, made if it does not exist
    #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub dir: Option<PathBuf>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_definition_is_consistent() {
        Cli::command().debug_assert();
    }
}
