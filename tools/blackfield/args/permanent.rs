//! `blackfield permanent` on the command line.

use super::{BatchArgs, Common, InputArgs, ProfileArgs, device, values};
use blackfield::field::Modulus;
use blackfield::gpu::Devices;
use blackfield::permanent::{self, reduce::Switches};
use clap::builder::RangedU64ValueParser;
use clap::{Args, ValueEnum, ValueHint};
use std::path::PathBuf;
use std::time::Duration;

#[derive(Debug, Args)]
#[command(after_long_help = PERMANENT_JSON)]
pub struct PermanentArgs {
    /// Matrix files; `-` reads standard input
    #[arg(required = true, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub files: Vec<PathBuf>,
    #[command(flatten)]
    pub input: InputArgs,
    /// The residue mod P, a prime below 2^63, instead of the integer (may be given several times)
    #[arg(short = 'p', long = "modulus", value_name = "P", value_delimiter = ',')]
    #[arg(value_parser = values::modulus)]
    pub moduli: Vec<Modulus>,

    /// How to compute what the reductions leave
    #[arg(long, value_name = "METHOD", default_value = "auto", help_heading = "Method")]
    pub method: PermanentMethodName,
    /// Leave these reductions out, for measurements; the answer is the same
    #[arg(long, value_name = "REDUCTION", value_delimiter = ',', help_heading = "Method")]
    pub without: Vec<ReductionName>,
    /// Split lines of up to this many entries, 3 or 4, into a sum of two permanents
    #[arg(long, value_name = "ENTRIES", help_heading = "Method")]
    #[arg(value_parser = RangedU64ValueParser::<usize>::new().range(3..=4))]
    pub split: Option<usize>,
    /// Splits one after the other, at most, 1 to 16
    #[arg(long, value_name = "N", default_value = "1", requires = "split", help_heading = "Method")]
    #[arg(value_parser = RangedU64ValueParser::<usize>::new().range(1..=16))]
    pub split_depth: usize,
    /// Keep the state of a long Gray-code run in this file, and resume from it if it exists
    #[arg(long, value_name = "STATE", value_hint = ValueHint::FilePath, help_heading = "Method")]
    pub checkpoint: Option<PathBuf>,
    /// Seconds between two writes of the checkpoint [default: 60]
    #[arg(long, value_name = "SECONDS", value_parser = values::seconds, requires = "checkpoint", help_heading = "Method")]
    pub checkpoint_interval: Option<Duration>,

    /// Where the Gray-code sum runs; the answer does not depend on it
    #[arg(long, value_name = "DEVICE", default_value = "auto", value_parser = device::OF_PERMANENTS)]
    #[arg(help_heading = "Machine and output")]
    pub device: Devices,
    /// Memory that the computation may use, such as 500M or 2G (1K = 1024 bytes) [default: the machine's]
    #[arg(long, value_name = "SIZE", value_parser = values::size, help_heading = "Machine and output")]
    pub max_memory: Option<u64>,
    /// Print JSON, a document on a line for each answer
    #[arg(long, help_heading = "Machine and output")]
    pub json: bool,
    /// Say on standard error which steps were taken, and why, even with --quiet
    #[arg(long, help_heading = "Machine and output")]
    pub explain: bool,
    /// Print the plan of the first long step, with predicted seconds and bytes, and stop there
    #[arg(long, help_heading = "Machine and output")]
    pub dry_run: bool,
    #[command(flatten)]
    pub batch: BatchArgs,
    #[command(flatten)]
    pub profile: ProfileArgs,
    #[command(flatten)]
    pub common: Common,
}

const PERMANENT_JSON: &str = "\
With --json, each file (and modulus) gives one document on one line:
  {schema: \"blackfield/permanent/1\", file, n, rows, cols, nnz,
   modulus: number or null, permanent: digits, method,
   certainty: \"proven\", proof, path: [{name, found, why, predicted,
   seconds}], threads, digest, warnings, seconds, version}
permanent is a string, since no number of JSON holds it; why is left out
where there was nothing to choose.

Examples:
  blackfield permanent matrix.mtx
  blackfield permanent --pattern *.mtx --json
  blackfield permanent matrix.sms -p 1000003";

/// The names of [`permanent::Method`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum PermanentMethodName {
    /// Whatever is predicted to be fastest, for each block
    Auto,
    /// Dynamic programme over a frontier: sparse matrices
    Frontier,
    /// Inclusion and exclusion along a Gray code: dense matrices
    Gray,
    /// A determinant with Kasteleyn's signs: planar graphs
    Kasteleyn,
    /// Rook polynomial of the other entries: matrices constant except for few entries
    Rook,
    /// Products of linear forms: rank at most 4
    LowRank,
}

impl PermanentArgs {
    /// The reductions that come first.
    pub fn switches(&self) -> Switches {
        let mut switches = Switches::default();
        for name in &self.without {
            let switch = match name {
                ReductionName::StructuralRank => &mut switches.structural_rank,
                ReductionName::DulmageMendelsohn => &mut switches.blocks,
                ReductionName::Degree1 => &mut switches.degree_one,
                ReductionName::Degree2 => &mut switches.degree_two,
                ReductionName::Contents => &mut switches.contents,
                ReductionName::Transposition => &mut switches.transpose,
            };
            *switch = false;
        }
        if let Some(entries) = self.split {
            (switches.split_degree, switches.split_depth) = (entries, self.split_depth);
        }
        switches
    }
}

/// The switches of [`Switches`] by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ReductionName {
    /// 0 at once if there is no perfect matching
    StructuralRank,
    /// Fully indecomposable blocks; drops entries in no perfect matching
    DulmageMendelsohn,
    /// Lines with one entry
    #[value(name = "degree-1")]
    Degree1,
    /// Lines with two entries
    #[value(name = "degree-2")]
    Degree2,
    /// Common divisors of lines
    Contents,
    /// The transpose where its columns form fewer groups
    Transposition,
}

impl From<PermanentMethodName> for permanent::Method {
    fn from(name: PermanentMethodName) -> Self {
        match name {
            PermanentMethodName::Auto => permanent::Method::Auto,
            PermanentMethodName::Frontier => permanent::Method::Frontier,
            PermanentMethodName::Gray => permanent::Method::Gray,
            PermanentMethodName::Kasteleyn => permanent::Method::Kasteleyn,
            PermanentMethodName::Rook => permanent::Method::Rook,
            PermanentMethodName::LowRank => permanent::Method::LowRank,
        }
    }
}
