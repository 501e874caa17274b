//! `blackfield tune` on the command line.

use super::{Common, FormatArgs, InputArgs, ProfileArgs, values};
use blackfield::field::Modulus;
use blackfield::tune::Effort;
use clap::builder::RangedU64ValueParser;
use clap::{Args, ValueHint};
use std::path::PathBuf;

#[derive(Debug, Args)]
#[command(after_long_help = TUNE_NOTES)]
pub struct TuneArgs {
    /// The matrix file; `-` reads standard input
    #[arg(value_name = "FILE", required_unless_present = "install", value_hint = ValueHint::FilePath)]
    pub file: Option<PathBuf>,
    /// Measure the prices of this machine and write them to a profile
    #[arg(long, conflicts_with_all = ["file", "check", "report", "modulus", "widths", "pattern", "base", "layout"])]
    pub install: bool,
    /// The profile to write; `-` writes to standard output [default: blackfield/profile.toml in the configuration
    /// directory]
    #[arg(long, value_name = "FILE", requires = "install", conflicts_with = "file", value_hint = ValueHint::FilePath)]
    pub output: Option<PathBuf>,
    /// Compute the rank on one thread, and show what each step was predicted to take
    #[arg(long, conflicts_with = "report")]
    pub check: bool,
    /// Write what was measured as one self-contained HTML page
    #[arg(long, value_name = "OUT.html", value_hint = ValueHint::FilePath)]
    pub report: Option<PathBuf>,
    /// The modulus, a prime below 2^63
    #[arg(short = 'p', long, value_name = "P", default_value = "65521", value_parser = values::modulus)]
    pub modulus: Modulus,
    #[command(flatten)]
    pub input: InputArgs,
    /// Block widths to time
    #[arg(long, value_name = "N", value_delimiter = ',', default_value = "1,8,16,32,64")]
    #[arg(value_parser = RangedU64ValueParser::<usize>::new().range(1..=1024))]
    pub widths: Vec<usize>,
    /// Small inputs and short runs: to see that everything works, not to measure
    #[arg(long)]
    pub quick: bool,
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

impl TuneArgs {
    /// How long to measure.
    pub fn effort(&self) -> Effort {
        if self.quick { Effort::Quick } else { Effort::Full }
    }
}

const TUNE_NOTES: &str = "\
The configuration directory is $XDG_CONFIG_HOME, or ~/.config. The profile is
looked for where --profile says, then where BLACKFIELD_PROFILE says, then
there; `--profile none` goes without. It holds the prices, the timing behind
each, and a fingerprint of the machine: on another machine, or with other
instructions (--isa), a warning is given and the built-in prices are used. A
damaged profile is an error. Plans and speed depend on it, answers never do.
Nothing else should run while prices are measured: that takes about a minute.

With --json the document begins with schema: \"blackfield/tune/1\" and mode.
After it come, by mode,
  install   output, effort, processor, arch, isa, instructions, cores, caches,
            bandwidth, prices: [{price, measured, built_in}]
  products  file, rows, cols, nnz, modulus, effort, threads, widths,
            plans: [{name, bytes, rates}], best: [{rows, columns, rate}],
            floors: {bytes, operations}, scaling_width,
            scaling: [{threads, rate}], plan, report
  check     file, rows, cols, nnz, modulus, rank,
            path: [{name, found, why, rank, predicted, seconds}], phases
and version. Rates are 10^9 multiply-adds a second in A*X and A^T*Y together,
one for each width; the best has its rows of A from one plan and those of the
transpose from another where that is faster.

Examples:
  blackfield tune --install
  blackfield tune matrix.mtx -p 65521 --report matrix.html
  blackfield tune matrix.mtx -p 65521 --check";
