//! Matrix files looked at, rewritten and made.

use super::{Common, FormatArgs, InputArgs, ProfileArgs, values};
use blackfield::field::Modulus;
use clap::builder::RangedU64ValueParser;
use clap::{Args, ValueEnum, ValueHint};
use std::path::PathBuf;

#[derive(Debug, Args)]
pub struct InfoArgs {
    /// The matrix file; `-` reads standard input
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub file: PathBuf,
    /// The modulus of the plan, a prime below 2^63
    #[arg(short = 'p', long, value_name = "P", default_value = "65521", value_parser = values::modulus)]
    pub modulus: Modulus,
    #[command(flatten)]
    pub input: InputArgs,
    /// Draw the pattern of the non-zeros, with axes and title, as PNG or SVG by the name
    #[arg(long, value_name = "OUT.png", value_hint = ValueHint::FilePath)]
    pub spy: Option<PathBuf>,
    /// Draw how many rows and columns have how many entries, as PNG or SVG by the name
    #[arg(long, value_name = "OUT.png", value_hint = ValueHint::FilePath)]
    pub histogram: Option<PathBuf>,
    /// Write all of this, with pictures, as one self-contained HTML page
    #[arg(long, value_name = "OUT.html", value_hint = ValueHint::FilePath)]
    pub report: Option<PathBuf>,
    /// The longer side of the pattern in pixels, at most
    #[arg(long, value_name = "PIXELS", default_value = "1000", requires = "spy")]
    #[arg(value_parser = RangedU64ValueParser::<usize>::new().range(1..=16384))]
    pub spy_size: usize,
    #[command(flatten)]
    pub formats: FormatArgs,
    /// Print one JSON document
    #[arg(long, help_heading = "Machine and output")]
    pub json: bool,
    #[command(flatten)]
    pub profile: ProfileArgs,
    #[command(flatten)]
    pub common: Common,
}

#[derive(Debug, Args)]
#[command(after_long_help = CONVERT_JSON)]
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
    #[command(flatten)]
    pub reading: InputArgs,
    /// Print one JSON document
    #[arg(long, help_heading = "Machine and output")]
    pub json: bool,
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
    /// Triples `row column value` without a header, counted from 1
    Coo,
    /// NumPy's dense array of integers of 64 bits
    Npy,
    /// SciPy's sparse matrix, compressed rows of integers of 64 bits
    Npz,
}

#[derive(Debug, Args)]
#[command(after_long_help = GENERATE_JSON)]
pub struct GenerateArgs {
    /// The matrix's name, such as mk12-b3 or ch7-8-b4; the complex's, such as mk12
    #[arg(value_name = "NAME", required_unless_present = "list")]
    pub name: Option<String>,
    /// The file to write; `-` writes to standard output. With --complex the folder, made if it does not exist
    #[arg(short, long, value_name = "FILE", required_unless_present = "list", value_hint = ValueHint::AnyPath)]
    pub output: Option<PathBuf>,
    /// The format to write [default: by the name of FILE; SMS for a complex]
    #[arg(long, value_name = "FORMAT")]
    pub to: Option<FileFormat>,
    /// Write all boundary matrices of a complex
    #[arg(long)]
    pub complex: bool,
    /// List the families
    #[arg(long, conflicts_with_all = ["name", "output", "to", "complex"])]
    pub list: bool,
    /// Print one JSON document
    #[arg(long, help_heading = "Machine and output")]
    pub json: bool,
    #[command(flatten)]
    pub common: Common,
}

const CONVERT_JSON: &str = "\
With --json the document is
  {schema: \"blackfield/convert/1\", file, output, rows, cols, nnz,
   modulus: number or null, transpose, pattern, digest, warnings, seconds,
   version}
of the matrix that was written.

Examples:
  blackfield convert matrix.mtx.gz matrix.sms
  blackfield convert matrix.sms - --transpose -p 65521";

const GENERATE_JSON: &str = "\
With --json the document is
  {schema: \"blackfield/generate/1\", name, complex, output,
   matrices: [{file, rows, cols, nnz}], seconds, version}
and with --list
  {schema, families: [{pattern, about, size, example}],
   complexes: [{pattern, about, example}], version}

Examples:
  blackfield generate mk12-b3 -o mk12-b3.mtx.gz
  blackfield generate --complex mk9 -o mk9
  blackfield generate --list";
